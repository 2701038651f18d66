"""Pruning: what has expired goes behind the stable prefix, and tool calls keep their results."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher.conversation.sending import serialised
from catalog.crusher.conversation.texts import Message, texts
from catalog.crusher.history import Meta, default_meta, prune
from catalog.crusher.history.meta import MetaOf
from catalog.crusher.history.shortening import MUST_KEEP
from tests.crusher.history.conversations import CONVERSATIONS, conversation, is_paired

LONG = "row one\n" + "some data, " * 60
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are a clerk."},
    {"role": "user", "content": "Look it up."},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}} for name in ("a", "b")
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": LONG},
    {"role": "tool", "tool_call_id": "b", "content": "short"},
    {"role": "assistant", "content": "It is 7."},
    {"role": "user", "content": "Thanks."},
]


def expiring(messages: Sequence[Message], **wanted: dict[str, Any]) -> MetaOf:
    """Return the default meta with other values for the messages of some numbers, such as m3={…}."""
    known = default_meta(messages)
    return lambda message, index: replace(known(message, index), **wanted.get(f"m{index}", {}))


NOW = {"expires_after": 0}


def test_an_expired_result_goes_with_its_call() -> None:
    """The other call of the message stays with its own result, and so does what the message says."""
    found = prune(CHAT, 2, meta=expiring(CHAT, m3={**NOW, "mode": "remove"}))
    assert [call["id"] for call in found.messages[2]["tool_calls"]] == ["b"]
    assert [message.get("tool_call_id") for message in found.messages] == [None, None, None, "b", None, None]
    assert [(own.index, own.what) for own in found.actions] == [(2, "removed"), (3, "removed")]
    assert found.actions[1].saved > 100
    assert found.deferred == ()


def test_a_message_of_nothing_but_calls_goes_with_the_last_of_them() -> None:
    """Nobody is left with an empty message."""
    chat = deepcopy(CHAT)
    chat[2]["content"] = None
    both = {**NOW, "mode": "remove"}
    found = prune(chat, 2, meta=expiring(chat, m3=both, m4=both))
    assert [message["role"] for message in found.messages] == ["system", "user", "assistant", "user"]


def test_what_has_expired_in_the_prefix_is_deferred() -> None:
    """It is told, and stays as it is; a result whose call lies there is made compact."""
    meta = expiring(CHAT, m1={**NOW, "mode": "remove"}, m3={**NOW, "mode": "remove"})
    found = prune(CHAT, 2, meta=meta, is_stable=lambda _, index: index < 3)
    assert [(own.index, own.why) for own in found.deferred] == [(1, "it lies in the stable prefix")]
    assert found.messages[:3] == tuple(CHAT[:3])
    assert found.messages[3]["content"].endswith("…(+168 chars)")
    assert found.actions[0].detail == "its call stays"


def test_a_turn_must_have_passed() -> None:
    """Expired is what more turns ago than it may be old; without mode, or protected, nothing is."""
    for wanted, gone in (
        ({"expires_after": 1, "mode": "remove"}, False),
        ({"expires_after": 0, "mode": "remove"}, True),
        ({"expires_after": 0, "mode": "none"}, False),
        ({"expires_after": 0, "mode": "remove", "protected": True}, False),
        ({"expires_after": 0, "mode": "remove", "turn": 2}, False),
    ):
        found = prune(CHAT, 2, meta=expiring(CHAT, m5=wanted))
        assert (len(found.messages) < len(CHAT)) == gone, wanted


def test_a_summary_that_fails_gives_way_to_the_first_characters() -> None:
    """A caller's summariser is asked for the text, and told what is known; whatever it raises, nothing is lost."""
    meta = expiring(CHAT, m3={**NOW, "mode": "compact"})
    asked: list[tuple[str, Meta]] = []

    def summarise(text: str, keep: str, own: Meta) -> str:
        asked.append((text, own))
        assert keep == MUST_KEEP["tool-result"]
        return "a summary"

    found = prune(CHAT, 2, meta=meta, summarise=summarise)
    assert (found.messages[3]["content"], asked[0][0], asked[0][1].kind) == ("a summary", LONG, "tool-result")

    def failing(*_: object) -> str:
        raise RuntimeError("no model")

    cut = prune(CHAT, 2, meta=meta, summarise=failing, first_chars=20).messages[3]["content"]
    assert cut == f"{LONG[:20]}…(+{len(LONG) - 20} chars)"
    assert prune(CHAT, 2, meta=expiring(CHAT, m4={**NOW, "mode": "compact"})).deferred[0].why == "nothing is shorter"


def test_by_default_nothing_expires() -> None:
    """What follows from the messages alone is turn and kind, not that something is no longer needed."""
    found = prune(CHAT, 99)
    assert found.messages == tuple(CHAT)
    assert (found.actions, found.deferred, found.boundary) == ((), (), 2)


@settings(max_examples=300)
@given(CONVERSATIONS, st.randoms(use_true_random=False), st.integers(0, 8))
def test_whatever_expires_the_prefix_and_the_pairs_hold(
    messages: list[dict[str, Any]], chance: Random, turn: int
) -> None:
    """The prefix is byte-identical, calls keep their results, others are untouched, and the input is not changed."""
    known = default_meta(messages)
    chosen = [
        replace(
            known(message, index),
            expires_after=chance.choice([None, 0, 1, 3]),
            mode=chance.choice(["none", "remove", "compact"]),
        )
        for index, message in enumerate(messages)
    ]
    before = deepcopy(messages)
    boundary = chance.randrange(len(messages) + 1)
    found = prune(messages, turn, meta=lambda _, index: chosen[index], is_stable=lambda _, index: index < boundary)
    assert messages == before
    assert found.boundary == boundary
    assert [serialised(own) for own in found.messages[:boundary]] == [serialised(own) for own in messages[:boundary]]
    assert is_paired(found.messages)
    acted = {own.index for own in found.actions}
    same = [message for index, message in enumerate(messages) if index not in acted]
    assert [own for own in found.messages if any(own is message for message in messages)] == same
    expired = {
        index
        for index, own in enumerate(chosen)
        if own.expires_after is not None and own.mode != "none" and turn - own.turn > own.expires_after
        if not own.protected
    }
    told = acted | {own.index for own in found.deferred}
    assert expired <= told
    for own in found.actions:
        assert own.saved >= 0


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([{"content": "x"}], "message 0 has the role None; known: assistant"),
        ([{"role": "model", "content": "x"}], "message 0 has the role 'model'"),
        ([{"role": "user", "parts": [{"text": "x"}]}], "message 0 is one of Gemini"),
        ([{"type": "function_call_output", "output": "x"}], "message 0 is an item of the Responses API"),
        ([{"type": "message", "content": []}], "message 0 is an item of the Responses API"),
        (["x"], "message 0 is str, not an object"),
        ([{"role": "tool", "tool_call_id": "z", "content": ""}], "answers the tool call 'z', which no message before"),
        ([*CHAT[:3], {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": ""}]}],
         "the messages are of two shapes: openai-chat in message 2, anthropic in message 3"),
    ],
)  # fmt: skip
def test_what_is_no_conversation_is_refused(messages: Any, told: str) -> None:
    """The message says which one, and what it would have to be."""
    with pytest.raises(ValueError, match=told):
        prune(messages, 1)


def test_a_shape_that_is_named_must_be_the_one_seen() -> None:
    """And must be known."""
    with pytest.raises(ValueError, match="message 2 is of the shape openai-chat, not anthropic"):
        prune(CHAT, 1, shape="anthropic")
    with pytest.raises(ValueError, match="shape 'gemini' is unknown; known: openai-chat, anthropic"):
        prune(CHAT, 1, shape="gemini")
    assert prune(CHAT[:2], 1, shape="anthropic").messages == tuple(CHAT[:2])


def test_the_default_meta_follows_from_the_shape() -> None:
    """A turn begins with what the user says, a picture, too, and not with what a tool answers."""
    messages = conversation(Random(4), "anthropic", 5)
    known = [default_meta(messages)(message, index) for index, message in enumerate(messages)]
    assert max(own.turn for own in known) == 5
    for message, own in zip(messages, known, strict=True):
        results = [place for place in texts(message) if place.result_of]
        assert (own.kind == "tool-result") == bool(results)
    picture = [{"role": "user", "content": [{"type": "image", "source": {}}]}] * 2
    assert [default_meta(picture)(message, index).turn for index, message in enumerate(picture)] == [1, 2]
    chat = [default_meta(CHAT)(message, index) for index, message in enumerate(CHAT)]
    assert [own.turn for own in chat] == [0, 1, 1, 1, 1, 1, 2]
    assert [own.kind for own in chat] == [
        "system",
        "user",
        "tool-call",
        "tool-result",
        "tool-result",
        "assistant",
        "user",
    ]
    assert [own.protected for own in chat] == [True, *[False] * 6]


BESIDE: list[dict[str, Any]] = [
    {"role": "user", "content": "Look it up."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": LONG},
            {"type": "text", "text": "And this is my new task. " * 30},
        ],
    },
    {"role": "assistant", "content": "Yes."},
]


def test_ids_that_repeat_are_told_apart() -> None:
    """What is removed later has the same ids as what lies in the prefix, or is protected, and these stay whole."""
    call = {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    round_: list[dict[str, Any]] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_0", "content": LONG},
    ]
    chat = [*round_, *round_, {"role": "user", "content": "Thanks."}]
    expired = {**NOW, "mode": "remove"}
    meta = expiring(chat, m4=expired, m5=expired)
    found = prune(chat, 3, meta=meta, is_stable=lambda _, index: index < 2)
    assert found.messages == (*chat[:4], chat[6])
    assert found.messages[1] is chat[1]
    pinned = expiring(chat, m1={"protected": True}, m2=expired, m4=expired, m5=expired)
    left = prune(chat, 3, meta=pinned).messages
    assert [own["role"] for own in left] == ["user", "assistant", "tool", "user", "user"]
    assert left[1] is chat[1]
    asked = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    told = {"role": "function", "name": "look", "content": LONG}
    old: list[dict[str, Any]] = [chat[0], asked, told, chat[0], asked, told, chat[6]]
    assert prune(old, 3, meta=expiring(old, m2=expired)).messages == (old[0], *old[3:])


def test_shortening_again_changes_nothing() -> None:
    """And what is cut off later is added to what was cut off before."""
    meta = expiring(CHAT, m3={**NOW, "mode": "compact"})
    once = prune(CHAT, 2, meta=meta).messages
    assert prune(once, 2, meta=meta).messages == once
    less = prune(once, 2, meta=meta, first_chars=100).messages[3]["content"]
    assert less == f"{LONG[:100]}…(+568 chars)"


@pytest.mark.parametrize("text", ["word " * 300, "short"])
def test_a_conversation_begins_with_what_the_user_says(text: str) -> None:
    """It is shortened instead of removed, or stays; whatever is said of the messages before it."""
    chat = [
        {"role": "system", "content": "doc"},
        {"role": "user", "content": text},
        {"role": "assistant", "content": "x"},
    ]
    known = [Meta(turn=0, kind="document"), Meta(turn=1, expires_after=0, mode="remove"), Meta(turn=1)]
    found = prune(chat, 5, meta=lambda _, index: known[index], is_stable=lambda *_: False)
    assert [own["role"] for own in found.messages] == ["system", "user", "assistant"]
    told = [*(own.detail for own in found.actions), *(own.why for own in found.deferred)]
    assert told == ["a conversation begins with it"]


def test_a_summary_is_asked_for_where_it_is_worth_it() -> None:
    """Of no text of a few words; one that is not shorter gives way to the first characters."""
    asked: list[str] = []

    def summarise(text: str, *_: object) -> str:
        asked.append(text)
        return text

    both = {**NOW, "mode": "compact"}
    found = prune(CHAT, 2, meta=expiring(CHAT, m3=both, m4=both), summarise=summarise)
    assert (asked, found.messages[3]["content"]) == ([LONG], f"{LONG[:500]}…(+168 chars)")


def test_a_message_of_blank_texts_goes_with_its_calls() -> None:
    """Nobody is sent an empty block."""
    for blank in ([{"type": "text", "text": " "}], []):
        chat = deepcopy(BESIDE)
        chat[1]["content"] = [*blank, *chat[1]["content"]]
        chat[2]["content"] = chat[2]["content"][:1]
        assert len(prune(chat, 3, meta=expiring(chat, m2={**NOW, "mode": "remove"})).messages) == 2
    chat = [dict(own) for own in CHAT]
    chat[2]["content"] = "\n"
    both = {**NOW, "mode": "remove"}
    assert len(prune(chat, 2, meta=expiring(chat, m3=both, m4=both)).messages) == 4


def test_a_result_that_goes_from_beside_a_text_is_told() -> None:
    """It was removed with its call, though its message stays."""
    meta = expiring(BESIDE, m2={**NOW, "mode": "remove"})
    found = prune(BESIDE, 9, meta=meta)
    assert [(own.index, own.what, own.detail) for own in found.actions] == [
        (1, "removed", "its calls went with their results"),
        (2, "removed", "its results went with their calls"),
    ]


@pytest.mark.parametrize("thought", ["thinking", "redacted_thinking"])
def test_a_thought_goes_with_the_calls_it_led_to(thought: str) -> None:
    """It may not stand alone; beside a text it stays, unchanged."""
    thinking = {"type": thought, "data": "x" * 900, "thinking": "y" * 900}
    for said in ([], [{"type": "text", "text": "I look."}]):
        chat = deepcopy(BESIDE)
        chat[1]["content"] = [thinking, *said, *chat[1]["content"]]
        chat[2]["content"] = chat[2]["content"][:1]
        found = prune(chat, 3, meta=expiring(chat, m2={**NOW, "mode": "remove"}))
        assert list(found.messages) == [
            chat[0],
            *([{**chat[1], "content": [thinking, *said]}] if said else []),
            chat[3],
        ]


def test_what_a_user_says_beside_a_result_stays() -> None:
    """A turn begins there; the result goes with its call, or is made compact, and the text is not touched."""
    task = BESIDE[2]["content"][1]
    assert [default_meta(BESIDE)(message, index).turn for index, message in enumerate(BESIDE)] == [1, 1, 2, 2]
    gone = prune(BESIDE, 9, meta=expiring(BESIDE, m2={**NOW, "mode": "remove"})).messages
    assert [message["content"] for message in gone] == ["Look it up.", [task], "Yes."]
    cut = prune(BESIDE, 9, meta=expiring(BESIDE, m2={**NOW, "mode": "compact"})).messages[2]["content"]
    assert cut[0]["content"].endswith("…(+168 chars)")
    assert cut[1] is task


def test_a_protected_call_keeps_its_result() -> None:
    """Nothing may become of it: what answers it is made compact."""
    meta = expiring(CHAT, m2={"protected": True}, m3={**NOW, "mode": "remove"}, m4={**NOW, "mode": "remove"})
    found = prune(CHAT, 2, meta=meta)
    assert found.messages[2] is CHAT[2]
    assert found.messages[3]["content"].endswith("…(+168 chars)")
    assert [(own.index, own.why) for own in found.deferred] == [(4, "nothing is shorter")]


def test_a_meta_without_kind_is_filled_in_from_the_shape() -> None:
    """The prefix ends before the first tool call, and system messages stay, whatever a caller says of them."""
    found = prune(CHAT, 9, meta=lambda *_: Meta(turn=1, expires_after=1, mode="remove"))
    assert found.messages == tuple(CHAT[:2])
    assert (found.boundary, [own.index for own in found.deferred]) == (2, [1])


@pytest.mark.parametrize("summary", ["", "  \n", 5, None])
def test_a_blank_summary_is_none(summary: Any) -> None:
    """A message without text would be refused; a summariser is asked once for each text."""
    asked: list[str] = []

    def summarise(text: str, *_: object) -> Any:
        asked.append(text)
        return summary

    cut = prune(CHAT, 2, meta=expiring(CHAT, m3={**NOW, "mode": "compact"}), summarise=summarise).messages[3]
    assert cut["content"].endswith("…(+168 chars)")
    assert asked == [LONG]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"turn": -1}, "turn is -1: at least 0"),
        ({"turn": 1, "expires_after": -5}, "expires_after is -5: at least 0"),
        ({"turn": 1, "mode": "zap"}, "mode 'zap' is unknown; known: none, remove, compact"),
        ({"turn": 1, "kind": "tool"}, "kind 'tool' is unknown; known: system, user"),
    ],
)
def test_a_meta_that_cannot_be_is_refused(wrong: dict[str, Any], told: str) -> None:
    """With the value and what there is."""
    with pytest.raises(ValueError, match=told):
        Meta(**wrong)


def test_a_meta_must_be_one() -> None:
    """A caller that gives something else is told of which message."""
    with pytest.raises(TypeError, match="the meta of message 0 is None, not a Meta"):
        prune(CHAT, 1, meta=lambda *_: None)  # type: ignore[arg-type] # wrong on purpose


def test_no_depth_of_a_tool_input_is_too_deep() -> None:
    """Only what is changed is copied."""
    deep: Any = {}
    for _ in range(5_000):
        deep = {"in": deep}
    called = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": deep}]}
    found = prune([BESIDE[0], called, *BESIDE[2:]], 9, meta=lambda *_: Meta(turn=1, expires_after=0, mode="compact"),
                  is_stable=lambda *_: False)  # fmt: skip
    assert found.messages[1] is called


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": ["x"]}, r"has the role \['x'\]"),
        ({"role": "assistant", "tool_calls": 3}, "has tool_calls of the kind int: a list of objects"),
        ({"role": "assistant", "tool_calls": [3]}, "has tool_calls of the kind list: a list of objects"),
        ({"role": "user", "content": 3}, "has content of the kind int: a text or a list of blocks"),
        ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, r"Responses API \(input_text\)"),
        ({"type": "web_search_call", "id": "x"}, r"an item of the Responses API \(web_search_call\)"),
    ],
)
def test_parts_of_the_wrong_kind_are_refused(message: Any, told: str) -> None:
    """The message says which, and what it must be."""
    with pytest.raises(ValueError, match=told):
        prune([message], 1)
