"""Adapters: the same messages in the forms of three vendors, with marks for the cache where one takes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher.conversation.pairs import pairs_of
from catalog.crusher.conversation.shapes import shape_of
from catalog.errors import UsageError
from catalog.renderer.caches import priced_profile, profile_of, profiles
from catalog.renderer.layout import POINTER
from catalog.renderer.rendering import Rendering
from tests.crusher.history.conversations import conversation, is_paired
from tests.renderer.estates import ESTATE, candidate, renderer
from tests.selector.sample import PRICE

AT: dict[str, Any] = {"type": "object", "properties": {"at": {"type": "string"}}}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "look",
        "description": "Looks.",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
    },
    {"name": "ask"},
]
OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": "I look.", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "seen"},
]  # fmt: skip
ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "Look."}]},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "x"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "seen"}]}]},
]  # fmt: skip


def rendering(path: Path, *, slug: str = "claude-opus-4-8", vendor: str = "anthropic", **given_: Any) -> Rendering:
    """Return a rendering of the clerk."""
    to = candidate(300, slug=slug, vendor=vendor)
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}, "tools": TOOLS, **given_}
    return renderer(path, ESTATE).render("clerk", to, **asked)


@pytest.mark.parametrize("history", [OPENAI, ANTHROPIC])
def test_a_request_of_chat_completions(tmp_path: Path, history: list[dict[str, Any]]) -> None:
    """From a history of either form: tools by name, one text for the system prompt, the state last."""
    found = rendering(tmp_path, history=history).to_openai()
    assert found["model"] == "claude-opus-4-8-api"
    assert [tool["function"]["name"] for tool in found["tools"]] == ["ask", "look"]
    assert found["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}
    assert [message["role"] for message in found["messages"]] == ["system", "user", "assistant", "tool", "user"]
    call = found["messages"][2]["tool_calls"][0]
    assert (call["id"], call["function"]["name"]) == ("c1", "look")
    assert found["messages"][3] == {"role": "tool", "tool_call_id": "c1", "content": "seen"}
    assert found["messages"][4]["content"].startswith("<runtime-state>")


@pytest.mark.parametrize("history", [OPENAI, ANTHROPIC])
def test_a_request_of_anthropics_messages(tmp_path: Path, history: list[dict[str, Any]]) -> None:
    """Tool results as the user's; the same from a history of either form."""
    found = rendering(tmp_path, history=history).to_anthropic()
    assert [tool["name"] for tool in found["tools"]] == ["ask", "look"]
    assert found["tools"][1]["input_schema"] == AT
    assert found["messages"][:3] == ANTHROPIC
    assert found["messages"][3]["content"][0]["text"].startswith("<runtime-state>")
    assert [block["type"] for block in found["system"]] == ["text", "text"]
    assert "".join(block["text"] for block in found["system"]) == rendering(tmp_path).messages[0].text


@pytest.mark.parametrize("history", [OPENAI, ANTHROPIC])
def test_a_request_of_gemini(tmp_path: Path, history: list[dict[str, Any]]) -> None:
    """Tool results by the name of their call."""
    found = rendering(tmp_path, history=history).to_gemini()
    assert "model" not in found
    assert [own["name"] for own in found["tools"][0]["functionDeclarations"]] == ["ask", "look"]
    assert [content["role"] for content in found["contents"]] == ["user", "model", "user", "user"]
    assert found["contents"][1]["parts"][1] == {"functionCall": {"name": "look", "args": {"at": "x"}}}
    assert found["contents"][2]["parts"] == [{"functionResponse": {"name": "look", "response": {"result": "seen"}}}]
    assert found["systemInstruction"]["parts"][0]["text"].startswith("You are")


def marked(found: dict[str, Any]) -> list[str]:
    """Return where marks for the cache stand in a request of Anthropic's."""
    system = [f"system {number}" for number, own in enumerate(found.get("system", ())) if "cache_control" in own]
    return system + [
        f"message {number}" for number, own in enumerate(found["messages"]) if "cache_control" in own["content"][-1]
    ]


def test_marks_stand_behind_what_is_shared_and_before_the_state(tmp_path: Path) -> None:
    """Where the vendor's cache takes marks, and the prefix is long enough for it."""
    long = [{"role": "user", "content": "text " * 900}, {"role": "assistant", "content": "text " * 900}]
    body = {**ESTATE, "parts/tone.md": "Be terse. " * 900}
    made = renderer(tmp_path, body)
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}}
    claude = candidate(300, slug="claude-opus-4-8", vendor="anthropic")
    assert marked(made.render("clerk", claude, history=long, **asked).to_anthropic()) == ["message 1"]
    static = {**body, "clerk.md": body["clerk.md"].replace("{{ title }}", "orders").replace("rows: list", "rows: any")}
    static["loop.md"] = body["loop.md"].replace("{{ specialization }}\n{% include \"parts/tone.md\" %}\n",
                                                "{% include \"parts/tone.md\" %}\n{{ specialization }}\n")  # fmt: skip
    shared = renderer(tmp_path / "shared", static).render("clerk", claude, history=long,
                                                          data={"rows": [{"id": 1, "status": "open"}]},
                                                          state={"payload": 1})  # fmt: skip
    assert marked(shared.to_anthropic()) == ["system 0", "message 1"]
    assert marked(made.render("clerk", claude, **asked).to_anthropic()) == ["system 1"]
    short = renderer(tmp_path / "short", ESTATE).render("clerk", claude, **asked)
    assert marked(short.to_anthropic()) == []
    other = made.render("clerk", candidate(300, slug="acme-1"), history=long, **asked)
    assert (other.cache, marked(other.to_anthropic())) == (None, [])


def test_marks_for_chat_completions(tmp_path: Path) -> None:
    """On blocks of text, none of the assistant's, where the vendor's cache takes them; elsewhere texts stay texts."""
    long = [{"role": "user", "content": "text " * 900}, {"role": "assistant", "content": "text " * 900}]
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}, "history": long}
    made = renderer(tmp_path, ESTATE)
    found = made.render("clerk", candidate(300, slug="gpt-5-6-sol", vendor="openai"), **asked)
    system, user, answer, state = found.to_openai()["messages"]
    assert "".join(block["text"] for block in system["content"]) == found.messages[0].text
    assert user["content"] == [{"type": "text", "text": "text " * 900, "prompt_cache_breakpoint": {"mode": "explicit"}}]
    assert answer["content"] == "text " * 900
    assert [list(block) for block in state["content"]] == [["type", "text"]]
    assert [list(block) for block in system["content"]] == [["type", "text"]] * len(system["content"])
    assert marked(found.to_anthropic()) == []
    claude = made.render("clerk", candidate(300, slug="claude-opus-4-8", vendor="anthropic"), **asked)
    assert "prompt_cache_breakpoint" not in str(claude.to_openai())
    older = made.render("clerk", candidate(300, slug="gpt-5-2", vendor="openai"), **asked).to_openai()
    assert [type(own["content"]) for own in older["messages"]] == [str] * 4


def test_a_mark_stands_where_one_can(tmp_path: Path) -> None:
    """Not on a thought, but on what stands before it; earlier states that were kept are part of the prefix."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    said_long = {"type": "text", "text": "text " * 3_000}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": [said_long]},
        {"role": "assistant", "content": [thought]},
    ]
    claude = candidate(300, slug="claude-opus-4-8", vendor="anthropic")
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}}
    made = renderer(tmp_path, ESTATE)
    assert marked(made.render("clerk", claude, history=history, **asked).to_anthropic()) == ["message 0"]
    first = made.render("clerk", claude, state_mode="append", data={"rows": []}, state={"payload": "long " * 2_000})
    second = made.render("clerk", claude, state_mode="append", history=first.messages[1:], **asked)
    assert marked(second.to_anthropic()) == ["message 0"]


@pytest.mark.parametrize("form", ["to_anthropic", "to_openai", "to_gemini"])
def test_a_request_shares_nothing_with_its_rendering(tmp_path: Path, form: str) -> None:
    """Whoever changes what is sent changes this request only."""
    blocks = {
        "to_anthropic": {"type": "image", "source": {"type": "url", "url": "u"}},
        "to_openai": {"type": "image_url", "image_url": {"url": "u"}},
        "to_gemini": {"type": "text", "text": "t"},
    }
    history: list[Any] = [{"role": "user", "content": [blocks[form]]}]
    tools = [{"name": "a", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
    found, other = renderer(tmp_path, {"p.md": "x"}).render_each("p", [candidate()] * 2, history=history, tools=tools)
    first = getattr(found, form)()
    kept = json.dumps(first)

    def spoil(value: Any) -> None:
        for own in list(value.values()) if isinstance(value, dict) else value:
            if isinstance(own, dict | list):
                spoil(own)
        value.clear()

    spoil(first)
    assert json.dumps(getattr(found, form)()) == json.dumps(getattr(other, form)()) == kept


def test_what_a_vendor_has_beside_its_blocks_goes_back_to_it(tmp_path: Path) -> None:
    """And to no other: who called, citations, and what tells a tool's set."""
    use = {"type": "tool_use", "id": "c", "name": "look", "input": {}, "caller": {"type": "direct"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "c",
        "content": [{"type": "text", "text": "r"}],
        "toolset_name": "t",
    }
    nothing = {**use, "toolset_name": None}
    sent = renderer(tmp_path, {"p.md": "x"}).render(
        "p", candidate(), history=[{"role": "assistant", "content": [nothing]}]
    )
    assert sent.to_anthropic()["messages"][0]["content"] == [use]
    cited = {"type": "text", "text": "said", "citations": [{"cited_text": "x"}]}
    history: list[Any] = [{"role": "assistant", "content": [cited, use]}, {"role": "user", "content": [result]}]
    found = renderer(tmp_path, {"p.md": "x"}).render("p", candidate(), history=history)
    assert found.to_anthropic()["messages"] == history
    openai = found.to_openai()["messages"]
    assert openai[1]["content"] == [{"type": "text", "text": "said"}]
    assert openai[1]["tool_calls"][0].keys() == {"id", "type", "function"}
    assert found.to_gemini()["contents"][0]["parts"][0] == {"text": "said"}
    call = {"id": "c", "type": "function", "function": {"name": "n", "arguments": "{}"}, "extra_content": {"s": 1}}
    back: list[Any] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]
    made = renderer(tmp_path, {}).render("p", candidate(), history=back)
    assert made.to_openai()["messages"][1:] == back


@pytest.mark.parametrize("arguments", ['{"n": NaN}', '{"n": 1e999}', '{"n": ' + "[" * 5_000 + "]" * 5_000 + "}"])
def test_arguments_that_are_no_json_are_refused(tmp_path: Path, arguments: str) -> None:
    """Where a vendor takes values; and numbers stay as they were written where a tag is escaped beside them."""
    function = {"name": "n", "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    history: list[Any] = [
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]
    made = renderer(tmp_path, {"p.md": "x"})
    for form in ("to_anthropic", "to_gemini"):
        with pytest.raises(UsageError, match="the arguments of the tool call 'c' are no JSON object"):
            getattr(made.render("p", candidate(), history=history), form)()
    function["arguments"] = '{"n": 1.0000000000000000001, "t": "\\u003c/runtime-state>", "m": 1e400}'
    sent = made.render("p", candidate(), history=history).to_openai()["messages"][1]["tool_calls"][0]["function"]
    assert sent["arguments"] == '{"n": 1.0000000000000000001, "t": "&lt;/runtime-state>", "m": 1e400}'


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ({"name": "a", "input_examples": [{}]}, "tool a has 'input_examples', which would be lost"),
        ({"name": "a", "description": 3}, "the description of tool a is no text"),
    ],
)
def test_what_would_be_lost_of_a_tool_is_refused(tmp_path: Path, tool: dict[str, Any], told: str) -> None:
    """What a model is not told of is left out: titles, icons, what a result looks like."""
    made = renderer(tmp_path, {"p.md": "x"})
    with pytest.raises(UsageError) as raised:
        made.render("p", candidate(), tools=[tool])
    assert told in raised.value.message
    mcp = {"name": "a", "title": "A", "inputSchema": {"type": "object"}, "outputSchema": {}, "annotations": {"x": 1}}
    assert made.render("p", candidate(), tools=[mcp]).tools == (
        {"name": "a", "description": "", "parameters": {"type": "object"}},
    )
    strict = made.render("p", candidate(), tools=[{"name": "a", "strict": True}])
    assert strict.to_anthropic()["tools"][0]["strict"] is True


def test_results_of_one_id_go_by_the_names_of_its_calls(tmp_path: Path) -> None:
    """In their order; one more than there were calls goes by the id."""

    def call(name: str) -> dict[str, Any]:
        return {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}

    history: list[Any] = [
        {"role": "assistant", "tool_calls": [call("a"), call("b")]},
        *({"role": "tool", "tool_call_id": "c", "content": str(number)} for number in range(3)),
    ]
    found = renderer(tmp_path, {"p.md": "x"}).render("p", candidate(), history=history).to_gemini()["contents"][1]
    assert [own["functionResponse"]["name"] for own in found["parts"]] == ["a", "b", "c"]


def test_a_result_is_of_the_last_call_of_its_id(tmp_path: Path) -> None:
    """Not of one before that was never answered."""

    def call(name: str) -> dict[str, Any]:
        return {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": name, "input": {}}]}

    told = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"}]}
    found = renderer(tmp_path, {"p.md": "x"}).render("p", candidate(), history=[call("a"), call("b"), told])
    assert found.to_gemini()["contents"][-1]["parts"][0]["functionResponse"]["name"] == "b"


def test_results_stand_in_the_order_of_their_calls(tmp_path: Path) -> None:
    """Where nothing else ties them to these; what else is said comes behind."""
    use = [{"type": "tool_use", "id": own, "name": "look", "input": {"at": own}} for own in "abc"]
    told = [{"type": "tool_result", "tool_use_id": own, "content": own.upper()} for own in "ca"]
    history = [
        {"role": "assistant", "content": use},
        {"role": "user", "content": [*told, {"type": "text", "text": "So?"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "B"}]},
    ]
    found = renderer(tmp_path, {"p.md": "x"}).render("p", candidate(), history=history).to_gemini()["contents"]
    first, second = (own["parts"] for own in found[1:])
    assert [own["functionResponse"]["response"]["result"] for own in first[:-1]] == ["A", "C"]
    assert first[-1] == {"text": "So?"}
    assert second[0]["functionResponse"] == {"name": "look", "response": {"result": "B"}}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": "tool", "content": "x"}, "tool_call_id of a result is None"),
        ({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}, "tool_use_id of a result is None"),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": 5, "name": "f"}]}, "id of a tool call is 5"),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "c"}]}, "name of a tool call is None"),
        ({"role": "assistant", "tool_calls": [{"type": "function", "function": {"name": "f"}}]}, "id of a tool call"),
        ({"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": ""}}]}, "name of a tool call is ''"),
        ({"role": "user", "content": [{"text": "x"}]}, "type of a block is None"),
        ({"role": "user", "content": [{"type": "text", "text": 5}]}, "a block of the type 'text' has the text 5"),
    ],
)
def test_what_no_vendor_would_take_is_refused(tmp_path: Path, message: dict[str, Any], told: str) -> None:
    """Nothing is made up in the place of what is missing."""
    with pytest.raises(UsageError, match=f"history: {told}"):
        renderer(tmp_path, {"p.md": "x"}).render("p", candidate(), history=[message])


@pytest.mark.parametrize("body", ["", "\n", "{% if false %}x{% endif %}"])
def test_a_prompt_that_says_nothing_is_no_other_system_message(tmp_path: Path, body: str) -> None:
    """That of a history stays one, and what says nothing is not sent where that is refused."""
    history = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}]
    made = renderer(tmp_path, {"p.md": body})
    found = made.render("p", candidate(), history=history)
    assert [own.role for own in found.history] == ["system", "user"]
    assert found.to_openai()["messages"][-2:] == history
    for send in (found.to_anthropic, found.to_gemini):
        with pytest.raises(UsageError, match=r"the history has a system message, .*: Be kind"):
            send()
    alone = made.render("p", candidate(), history=history[1:])
    assert "system" not in alone.to_anthropic()
    assert "systemInstruction" not in alone.to_gemini()


def test_an_earlier_system_prompt_is_left_out(tmp_path: Path) -> None:
    """Each rendering writes its own, also where all messages of one are handed in for the next."""
    made = renderer(tmp_path, {"p.md": "{{ x }}{% state %}{{ _CONVERSATION_LENGTH }}{% endstate %}"})
    first = made.render("p", candidate(), data={"x": 1}, history=[{"role": "user", "content": "a"}])
    second = made.render("p", candidate(), data={"x": 2}, history=first.messages)
    assert [own.text for own in second.messages] == ["2" + POINTER, "a", "<runtime-state>\n1\n</runtime-state>"]


def test_blocks_stay_apart(tmp_path: Path) -> None:
    """Two texts of a message are two, in each form; those of the prompt are one."""
    texts = [{"type": "text", "text": "Doc one"}, {"type": "text", "text": "Question?"}]
    found = renderer(tmp_path, {"p.md": "a{{ x }}b{% state %}{{ state.y }}{% endstate %}"}).render(
        "p", candidate(), data={"x": 1}, state={"y": 2}, history=[{"role": "user", "content": texts}]
    )
    assert found.to_anthropic()["messages"][0]["content"] == texts
    openai = found.to_openai()["messages"]
    assert openai[1]["content"] == texts
    assert [type(openai[place]["content"]) for place in (0, 2)] == [str, str]
    gemini = found.to_gemini()
    assert [own["text"] for own in gemini["contents"][0]["parts"]] == ["Doc one", "Question?"]
    assert [len(own["parts"]) for own in (gemini["systemInstruction"], gemini["contents"][1])] == [1, 1]


def test_failures_and_developers_are_told_in_each_form(tmp_path: Path) -> None:
    """A result that failed; a message of the developer is the system's."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "look", "input": {}}]}
    made = renderer(tmp_path, {"p.md": "x"})
    for text, told in (("no answer", "Error: no answer"), ("error 5", "error 5")):
        result = {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": text}
        found = made.render("p", candidate(), history=[use, {"role": "user", "content": [result]}])
        assert found.to_anthropic()["messages"][1]["content"] == [
            {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": text}], "is_error": True}
        ]
        assert found.to_openai()["messages"][2]["content"] == told
    developer = made.render("p", candidate(), history=[{"role": "developer", "content": "d"}])
    assert [own["role"] for own in developer.to_openai()["messages"]] == ["system", "system"]
    with pytest.raises(UsageError, match="the history has a system message"):
        developer.to_anthropic()


def test_a_cache_that_holds_an_hour_is_asked_to(tmp_path: Path) -> None:
    """By the profile's time; five minutes are the vendor's own."""
    claude = candidate(300, slug="claude-opus-4-8", vendor="anthropic")
    long = [{"role": "user", "content": "text " * 3_000}]
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}, "history": long}
    found = renderer(tmp_path, ESTATE).render("clerk", claude, **asked)
    assert found.cache is not None
    hour = replace(found, cache=replace(found.cache, ttl_seconds=3_600)).to_anthropic()
    assert hour["messages"][0]["content"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert found.to_anthropic()["messages"][0]["content"][-1]["cache_control"] == {"type": "ephemeral"}


def test_what_says_nothing_is_not_sent(tmp_path: Path) -> None:
    """Where a vendor refuses it: blank texts, empty results; arguments of a call are an object."""
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "null"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": " \n"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": ""},
    ]
    made = renderer(tmp_path, {"p.md": "---\ntype: llm\n---\n\n{{ x }}"})
    to = candidate(300, slug="gpt-6-a", vendor="openai")
    found = made.render("p", to, data={"x": "y"}, history=history)
    assert found.to_anthropic() == {
        "model": "gpt-6-a-api",
        "system": [{"type": "text", "text": "\ny"}],
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "look", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c"}]},
        ],
    }
    assert found.to_openai()["messages"][3] == {"role": "tool", "tool_call_id": "c", "content": ""}
    assert found.to_gemini()["contents"][1]["parts"] == [{"functionCall": {"name": "look", "args": {}}}]
    call["function"] = {"name": "look", "arguments": "[1]"}
    for form in ("to_anthropic", "to_gemini"):
        with pytest.raises(UsageError, match=r"'c' are no JSON object: they are \[1\], no object"):
            getattr(made.render("p", to, data={"x": "y"}, history=history), form)()


def test_marks_of_a_history_are_made_anew(tmp_path: Path) -> None:
    """So that there are never more than a vendor takes."""
    image = {"type": "image", "source": {"type": "url", "url": "u"}, "cache_control": {"type": "ephemeral"}}
    history: list[dict[str, Any]] = [
        {"role": "user", "content": [image] * 4 + [{"type": "text", "text": "text " * 3_000}]}
    ]
    found = rendering(tmp_path, history=history).to_anthropic()
    assert str(found).count("cache_control") == 1


def test_a_rendering_is_the_history_of_the_next_turn(tmp_path: Path) -> None:
    """Without the system prompt, which is written anew; states that were appended stay, and are no turns."""
    body = "---\ntype: llm\n---\nx{% state %}{{ state.n }} of {{ _CONVERSATION_LENGTH }}{% endstate %}"
    made = renderer(tmp_path, {"p.md": body})
    first = made.render("p", candidate(), state={"n": 1}, history=OPENAI[:1], state_mode="append")
    again: list[Any] = [*first.history, {"role": "assistant", "content": "a"}]
    second = made.render("p", candidate(), state={"n": 2}, history=again, state_mode="append")
    assert [own["role"] for own in second.to_openai()["messages"]] == ["system", "user", "user", "assistant", "user"]
    assert second.messages[:3] == first.messages
    assert "2 of 2" in second.messages[-1].text


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["openai-chat", "anthropic"]), st.booleans())
def test_any_history_becomes_any_form(
    tmp_path_factory: pytest.TempPathFactory, seed: int, shape: str, state: bool
) -> None:
    """Calls keep their results, texts are all there, and the form is the one that is asked for."""
    history = conversation(Random(seed), shape, 4)
    root = tmp_path_factory.mktemp("prompts")
    found = renderer(
        root, {"p.md": "---\ntype: llm\n---\nsys" + ("{% state %}s{% endstate %}" if state else "")}
    ).render("p", candidate(), history=[own for own in history if own["role"] != "system"])
    for made, wanted in ((found.to_openai(), "openai-chat"), (found.to_anthropic(), "anthropic")):
        messages = made["messages"]
        assert is_paired(messages)
        if any(pairs_of(messages).made):
            assert shape_of(messages) == wanted
    assert sum(len(own["parts"]) for own in found.to_gemini()["contents"]) >= len(history) - 1


@pytest.mark.parametrize(
    ("history", "form", "told"),
    [
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "anthropic",
         "has a block of the type 'image_url' of the form openai-chat, which Anthropic's Messages cannot be sent"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], "gemini", "which Gemini cannot be sent"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}], "openai",
         "of the type 'thinking' of the form anthropic, which Chat Completions cannot be sent"),
        ([{"role": "user", "content": "a"}, {"role": "system", "content": "b"}], "anthropic",
         "the history has a system message, for which Anthropic's Messages has no place: b"),
        ([{"role": "system", "content": "b"}], "gemini", "for which Gemini has no place: b"),
        ([{"role": "assistant", "content": None, "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}]},
          {"role": "tool", "tool_call_id": "c", "content": ""}], "gemini",
         "the arguments of the tool call 'c' are no JSON"),
    ],
)  # fmt: skip
def test_what_a_form_has_no_place_for_is_refused(
    tmp_path: Path, history: list[dict[str, Any]], form: str, told: str
) -> None:
    """Never left out in silence."""
    found = rendering(tmp_path, history=history)
    with pytest.raises(UsageError) as raised:
        getattr(found, f"to_{form}")()
    assert told in raised.value.message


@pytest.mark.parametrize(
    ("given_", "told"),
    [
        ({"history": [{"content": "x"}]}, "history: message 0 has the role None"),
        ({"history": [{"role": "user", "parts": []}]}, "history: message 0 is one of Gemini ('parts')"),
        ({"history": [*OPENAI, *ANTHROPIC]}, "history: the messages are of two shapes"),
        ({"tools": [{"description": "x"}]}, "tool 0 has no name"),
        ({"tools": ["x"]}, "tool 0 is 'x', no definition"),
        ({"tools": [{"type": "web_search_20250305", "name": "x"}]}, "tool 0 is of the kind 'web_search_20250305'"),
        ({"tools": [{"name": "x", "parameters": {"a": object()}}]}, "tools[0].parameters.a is a object"),
        ({"history": [{"role": "assistant", "content": None, "refusal": "no"}]}, "has 'refusal', which would be lost"),
        ({"history": [{"role": "user", "content": "x", "name": "bob"}]}, "has 'name', which would be lost"),
        (
            {"history": [{"role": "assistant", "tool_calls": [{"id": "1", "type": "custom", "custom": {}}]}]},
            "a tool call is of the kind 'custom'",
        ),
        ({"tools": [*TOOLS, TOOLS[0]]}, "two tools are named 'look'"),
    ],
)
def test_what_is_no_history_and_no_tool_is_refused(tmp_path: Path, given_: dict[str, Any], told: str) -> None:
    """Naming the message or tool."""
    with pytest.raises(UsageError) as raised:
        rendering(tmp_path, **given_)
    assert told in raised.value.message


def test_the_results_of_a_turn_stand_in_one_message(tmp_path: Path) -> None:
    """Where a vendor wants that; with the names of their calls though ids repeat, and whether they failed."""

    def call(name: str) -> dict[str, Any]:
        return {"id": "1", "type": "function", "function": {"name": name, "arguments": {"a": True}}}

    history: list[dict[str, Any]] = [
        {"role": "assistant", "content": "", "tool_calls": [call("f"), call("g")]},
        {"role": "tool", "tool_call_id": "1", "content": "one"},
        {"role": "tool", "tool_call_id": "1", "content": "two"},
        {"role": "assistant", "content": None},
    ]
    found = rendering(tmp_path, history=history)
    parts = found.to_gemini()["contents"][1]["parts"]
    assert [own["functionResponse"]["name"] for own in parts] == ["f", "g"]
    messages = found.to_anthropic()["messages"]
    assert [own["role"] for own in messages] == ["assistant", "user", "user"]
    assert [own["type"] for own in messages[0]["content"]] == ["tool_use", "tool_use"]
    assert messages[0]["content"][0]["input"] == {"a": True}
    assert len(messages[1]["content"]) == 2
    failed = [
        ANTHROPIC[0],
        ANTHROPIC[1],
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}]},
    ]
    told = rendering(tmp_path, history=failed)
    assert told.to_openai()["messages"][3]["content"] == "Error: no"
    assert told.to_gemini()["contents"][2]["parts"][0]["functionResponse"]["response"] == {"error": "no"}


def test_tools_of_any_form_are_read(tmp_path: Path) -> None:
    """Of Chat Completions, of Anthropic, of MCP; their sizes count for the cache."""
    tools = [
        {"type": "function", "function": {"name": "a", "parameters": AT}},
        {"name": "b", "input_schema": AT},
        {"name": "c", "inputSchema": AT, "description": "word " * 3_000},
    ]
    found = rendering(tmp_path, tools=tools).to_anthropic()
    assert [tool["input_schema"] for tool in found["tools"]] == [AT] * 3
    assert marked(found) == ["system 0", "system 1"]
    strict = rendering(tmp_path, tools=[{"name": "a", "parameters": AT, "strict": True, "description": None}])
    assert strict.to_openai()["tools"][0]["function"]["strict"] is True
    gemini = strict.to_gemini()["tools"][0]["functionDeclarations"]
    assert gemini == [{"name": "a", "description": "", "parametersJsonSchema": AT}]
    with pytest.raises(UsageError, match="tool 0 is of the kind 'custom'"):
        rendering(tmp_path, tools=[{"type": "custom", "name": "a", "format": {"type": "text"}}])


def test_every_shipped_profile_says_where_it_is_from() -> None:
    """And since when; the first that matches holds."""
    assert len(profiles()) >= 8
    for vendor, models, own in profiles():
        assert vendor
        assert models
        assert own.source
        assert own.as_of.startswith("2026-11")
    claude, fable = profile_of("anthropic", "claude-opus-4-5"), profile_of("anthropic", "claude-fable-5")
    assert claude is not None
    assert fable is not None
    assert (claude.minimum_tokens, fable.minimum_tokens) == (4_096, None)
    assert profile_of("acme", "claude-opus-4-5") is None


def test_a_price_says_what_a_cache_costs() -> None:
    """Before what the vendor says of all its models; the rest of the profile stays."""
    price = PRICE._replace(input="4", cache_read="1", cache_write="6")
    own = priced_profile("anthropic", "claude-opus-4-5", price)
    assert own is not None
    assert (own.read, own.write, own.minimum_tokens, own.source) == (0.25, 1.5, 4_096, "acme.example")
    other = priced_profile("acme", "acme-1", price._replace(cache_write=None))
    assert other is not None
    assert (other.read, other.write, other.minimum_tokens) == (0.25, 1.0, None)
    dear = priced_profile("acme", "acme-1", price._replace(cache_read="8", cache_write=None))
    assert dear is not None
    assert (dear.read, dear.write) == (2.0, 2.0)
    for unknown in (None, PRICE, PRICE._replace(input="0", cache_read="1"), PRICE._replace(input=None, cache_read="1")):
        assert priced_profile("acme", "acme-1", unknown) is None
