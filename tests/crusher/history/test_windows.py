"""Windows: when to compact, what compaction changes, and how an overflowing conversation is brought to fit."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.history import Meta, budget, compact, default_meta, recover
from catalog.crusher.history.shortening import MUST_KEEP
from tests.crusher.history.conversations import CONVERSATIONS, is_paired
from tests.crusher.history.test_pruning import BESIDE, CHAT, LONG


@pytest.mark.parametrize(
    ("used", "action", "said"),
    [
        (10_000, "none", "10% of the window is used; there is room"),
        (59_999, "none", "59.9% of the window is used; there is room"),
        (60_000, "partition", "60% of the window is used; work is split from 60%"),
        (70_000, "compact", "70% of the window is used; compaction is due from 70%"),
        (120_000, "compact", "120% of the window is used; compaction is due from 70%"),
    ],
)
def test_the_share_of_the_window_decides(used: int, action: str, said: str) -> None:
    """From 60 % work is split, from 70 % the conversation is made compact, to half of it at most."""
    found = budget(used, 100_000)
    assert (found.action, found.reason) == (action, said)
    assert (found.target, found.floor) == (
        (min(used // 2, 49_999), round(used * 0.3)) if action == "compact" else (0, 0)
    )


def test_a_compaction_that_gained_little_is_not_repeated() -> None:
    """It waits until less than half is used, or until the window would overflow."""
    first = budget(72_000, 100_000)
    assert (first.action, first.armed) == ("compact", False)
    second = budget(71_000, 100_000, armed=first.armed)
    assert (second.action, second.armed) == ("partition", False)
    assert "waits until less than half is used" in second.reason
    over = budget(100_001, 100_000, armed=second.armed)
    assert (over.action, over.armed) == ("recover", False)
    low = budget(49_000, 100_000, armed=second.armed)
    assert (low.action, low.armed) == ("none", True)
    assert budget(72_000, 100_000, armed=low.armed).action == "compact"


def test_a_compaction_must_be_worth_it() -> None:
    """In a tiny window there is too little to gain."""
    found = budget(3_000, 4_000)
    assert (found.action, found.armed) == ("partition", True)
    assert budget(1_001, 1_000).action == "recover"
    assert "would gain fewer than 2,000 tokens" in found.reason
    assert budget(3_000, 4_000, least_gain=0).action == "compact"


@settings(max_examples=200)
@given(st.lists(st.integers(0, 30_000), max_size=40), st.floats(0.1, 1.0))
def test_no_sequence_of_turns_compacts_twice_in_a_row(turns: list[int], left: float) -> None:
    """However little a compaction gains, the next one comes only after less than half the window was used."""
    used, armed, last = 0, True, ""
    for added in turns:
        used += added
        found = budget(used, 100_000, armed=armed)
        if found.action == "compact":
            assert last != "compact"
            used = round(used * left)
        last = found.action if used >= 50_000 or found.action == "compact" else ""
        armed = found.armed


@pytest.mark.parametrize(
    ("used", "limit", "gain", "told"),
    [(-1, 10, 0, "used is -1"), (1, 0, 0, "limit is 0: at least 1"), (1, 10, -1, "least_gain is -1")],
)
def test_tokens_that_cannot_be_are_refused(used: int, limit: int, gain: int, told: str) -> None:
    """Naming the one that is wrong."""
    with pytest.raises(ValueError, match=told):
        budget(used, limit, least_gain=gain)
    with pytest.raises(TypeError, match="used is '1', not an integer"):
        budget("1", 10)  # type: ignore[arg-type]


@given(st.integers(0, 400_000), st.booleans())
def test_a_compaction_takes_between_half_and_seven_tenths(used: int, armed: bool) -> None:
    """What is so long that more would have to go is recovered first."""
    found = budget(used, 100_000, armed=armed)
    if found.action == "compact":
        assert found.floor <= found.target <= (used + 1) / 2
        assert 1 <= found.target < 50_000
    assert (found.action == "recover") <= (used > 100_000)
    assert armed or found.action != "compact" or used < 50_000


def test_tool_outputs_are_made_compact_first() -> None:
    """Then old turns, then documents; the caller's summariser hears what each must keep."""
    chat: list[dict[str, Any]] = [
        {"role": "system", "content": "You are a clerk. " * 50},
        {"role": "user", "content": "a document " * 50},
        {"role": "user", "content": "a question " * 50},
        *CHAT[2:4],
        {"role": "tool", "tool_call_id": "b", "content": LONG},
        {"role": "assistant", "content": "an answer " * 50},
        {"role": "user", "content": "the latest question " * 50},
    ]
    known = default_meta(chat)
    heard: list[tuple[str, str]] = []

    def meta(message: Any, index: int) -> Meta:
        own = known(message, index)
        return Meta(turn=own.turn, kind="document") if index == 1 else own

    def summarise(text: str, keep: str, own: Meta) -> str:
        heard.append((str(own.kind), keep))
        return f"summary of {len(text)} characters"

    found = compact(chat, summarise, target=1, meta=meta)
    assert found.changed == (4, 5, 2, 6, 1)
    assert all(keep == MUST_KEEP[kind] for kind, keep in heard)  # type: ignore[index] # of the kinds there are
    assert (found.messages[0], found.messages[-1]) == (chat[0], chat[-1])
    assert not found.reached
    first = compact(chat, summarise, target=found.before - 50, meta=meta)
    assert (first.changed, first.reached) == ((4,), True)
    assert not first.audit
    assert compact([{"role": "user", "content": "text " * 900}, CHAT[-1]], lambda *_: "s", target=1).audit


def test_a_summary_that_fails_leaves_its_message() -> None:
    """It is told, and the others go on; a longer summary is none."""

    def summarise(text: str, *_: object) -> str:
        if text == LONG:
            raise TimeoutError("no answer")
        return text * 2 if not text.startswith("blank") else " "

    chat = [{**own, "content": "blank " * 50} if own.get("tool_call_id") == "b" else own for own in CHAT]
    found = compact(chat, summarise, target=1)
    assert found.messages == tuple(chat)
    assert found.failed == ((3, "TimeoutError: no answer"), (4, "ValueError: the summary is blank"))
    assert (found.changed, found.before) == ((), found.after)
    with pytest.raises(ValueError, match="target is 0: at least 1"):
        compact(CHAT, summarise, target=0)


@settings(max_examples=150)
@given(CONVERSATIONS, st.integers(1, 2_000))
def test_compaction_keeps_pairs_and_system(messages: list[dict[str, Any]], target: int) -> None:
    """It never makes a conversation longer, and stops as soon as the target is reached."""
    before = deepcopy(messages)
    found = compact(messages, lambda text, *_: text[:9], target=target)
    assert messages == before
    assert is_paired(found.messages)
    assert found.after == sum(map(tokens_of, found.messages)) <= found.before
    assert found.reached == (found.after <= target)
    for index, own in enumerate(found.messages):
        assert own is messages[index] or index in found.changed
        assert own is messages[index] or own["role"] != "system"


@settings(max_examples=200)
@given(CONVERSATIONS, st.integers(1, 3_000))
def test_recovery_goes_step_by_step_until_it_fits(messages: list[dict[str, Any]], limit: int) -> None:
    """No step is taken that is not needed; pairs hold; it says whether the prefix changed."""
    before = deepcopy(messages)
    found = recover(messages, limit)
    assert messages == before
    assert is_paired(found.messages)
    assert found.after == sum(map(tokens_of, found.messages)) <= found.before
    assert found.fits == (found.after <= limit)
    assert bool(found.steps) <= (found.before > limit)
    assert (found.messages == tuple(messages)) == (not found.steps)
    if messages and messages[0]["role"] == "system":
        assert found.messages[0] is messages[0]


def test_recovery_tells_each_step() -> None:
    """The oldest results go first; the prefix is reached into last, which is said."""
    chat: list[dict[str, Any]] = [{"role": "user", "content": "first " * 400}]
    for turn in range(7):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        chat += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        chat += [{"role": "tool", "tool_call_id": f"c{turn}", "content": LONG}]
        chat += [{"role": "user", "content": f"question {turn}"}]
    whole = sum(map(tokens_of, chat))
    assert recover(chat, whole).messages == tuple(chat)
    one = recover(chat, whole - 1)
    assert one.steps == ("tool results of 5 turns and older were removed",)
    assert (one.fits, one.prefix_changed) == (True, False)
    last = recover(chat, 300)
    assert last.steps[-1] == "older messages were made compact"
    assert last.prefix_changed
    assert [own.get("tool_call_id") for own in one.messages if own["role"] == "tool"] == ["c3", "c4", "c5", "c6"]


def test_recovery_leaves_what_a_user_says_beside_a_result() -> None:
    """Step after step: once the result is gone, its message is the user's."""
    chat = [*deepcopy(BESIDE[:3]), {"role": "assistant", "content": "word " * 2_000}]
    chat += [{"role": role, "content": "go on"} for _ in range(6) for role in ("user", "assistant")]
    found = recover(chat, 1_000)
    assert found.steps[-1] == "older messages were made compact"
    assert found.messages[1]["content"] == BESIDE[2]["content"][1:]


def test_recovery_leaves_what_is_protected() -> None:
    """Its call, too; and the last message of the user that is not."""
    protected = Meta(turn=1, protected=True)
    found = recover(
        [*CHAT, {"role": "user", "content": "more " * 900}],
        60,
        meta=lambda message, index: protected if index in (3, 7) else default_meta(CHAT)(message, index),
    )
    assert found.messages[2:4] == tuple(CHAT[2:4])
    assert found.messages[-1]["content"] == "more " * 900
    assert not found.fits


def test_compaction_leaves_the_latest_turn_and_what_is_protected() -> None:
    """The latest turn is that of the last message, unless a caller says which."""
    known = default_meta(CHAT)
    found = compact(
        CHAT, lambda *_: "s", target=1, meta=lambda message, index: replace(known(message, index), protected=index == 3)
    )
    assert found.messages[3] is CHAT[3]
    assert compact(CHAT, lambda *_: "s", target=1, turn=1).changed == ()
    assert compact(CHAT, lambda *_: "s", target=1, turn=2).changed == (3,)


def test_each_step_of_recovery_touches_results_of_its_age() -> None:
    """Removed from five turns, compact from three, removed from two, then all compact; the latest turn comes last."""
    chat: list[dict[str, Any]] = []
    for turn in range(8):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        chat += [{"role": "user", "content": f"question {turn}"}]
        chat += [{"role": "assistant", "content": None, "tool_calls": [call]}]
        chat += [{"role": "tool", "tool_call_id": f"c{turn}", "content": LONG}]
    chat[-3]["content"] = "the latest question, " * 200
    sizes = {"full": tokens_of(chat[2]), "call": tokens_of(chat[1]) + tokens_of(chat[0])}

    def left(limit: int) -> tuple[int, list[str]]:
        found = recover(chat, limit)
        results = [own for own in found.messages if own["role"] == "tool"]
        return len(found.steps), [f"{own['tool_call_id']}{'' if own['content'] == LONG else '-'}" for own in results]

    seen = dict(left(limit) for limit in range(sum(map(tokens_of, chat)) * 2, 10, -sizes["call"] // 2))
    assert seen[0] == [f"c{turn}" for turn in range(8)]
    assert seen[1] == ["c3", "c4", "c5", "c6", "c7"]
    assert seen[2] == ["c3-", "c4-", "c5", "c6", "c7"]
    assert seen[3] == ["c6", "c7"]
    assert seen[4] == ["c6-", "c7-"]
    last = recover(chat, 100)
    assert last.steps[-1] == "the last message of the user was cut"
    cut = next(own["content"] for own in reversed(last.messages) if own["role"] == "user")
    assert cut == f"{chat[-3]['content'][:1000]}…(+3200 chars)"
    assert not last.fits
    with pytest.raises(ValueError, match="limit is 0: at least 1"):
        recover(chat, 0)
