"""catalog context: what of a conversation could go, and what that saves."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.command_line import ok, run
from tests.crusher.history.conversations import conversation
from tests.crusher.history.test_pruning import CHAT

pytest_plugins = ["tests.seeded"]

NOWHERE = "nowhere.db"


def read(value: Any) -> bytes:
    """Return a conversation as it stands in a file."""
    return json.dumps(value).encode()


def test_each_message_is_told_of() -> None:
    """With its turn, kind, tokens, what would become of it and why; nothing needs a catalog."""
    chat = [*CHAT, {"role": "user", "content": "And now?"}]
    said = ok(NOWHERE, "context --after 1 -", stdin=read(chat)).out.splitlines()
    assert said[0].split() == ["message", "turn", "kind", "tokens", "action", "saved", "why"]
    assert said[4].split()[:5] == ["3", "1", "tool-result", "178", "masked"]
    assert said[4].endswith("it has served")
    assert said[-2].startswith("messages: 8, about ")
    assert said[-1] == "of them stable prefix: 2, about 27 tokens"
    assert all(len(line) <= 80 for line in said)


def test_a_message_may_say_when_it_expires() -> None:
    """Its meta is no part of what is sent; what cannot go is deferred."""
    chat: list[dict[str, Any]] = [dict(message) for message in CHAT]
    chat[1]["meta"] = {"expires_after": 0, "mode": "remove"}
    chat[5]["meta"] = {"expires_after": 0, "mode": "remove"}
    found = ok(NOWHERE, "context --json -", stdin=read({"messages": chat})).data
    assert [row["action"] for row in found["messages"]] == [
        "stays", "deferred", "stays", "stays", "stays", "removed", "stays",
    ]  # fmt: skip
    assert found["tokens"]["before"] - found["tokens"]["after"] == found["messages"][5]["saved"] > 0
    assert (found["prefix"]["messages"], found["window"], found["money"]) == (2, None, None)


def test_meta_goes_with_its_message_when_others_are_removed() -> None:
    """A result behind a removed message is still known to be protected; its saved tokens are its own."""
    chat: list[dict[str, Any]] = [dict(message) for message in CHAT]
    chat.insert(5, {"role": "assistant", "content": "gone", "meta": {"expires_after": 0, "mode": "remove"}})
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    chat[6:7] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": CHAT[3]["content"], "meta": {"protected": True}},
    ]
    chat.append({"role": "user", "content": "And now?"})
    found = ok(NOWHERE, "context --after 1 --json -", stdin=read(chat)).data
    assert [row["action"] for row in found["messages"]] == [
        "stays", "stays", "stays", "masked", "stays", "removed", "stays", "stays", "stays", "stays",
    ]  # fmt: skip
    rows = found["messages"]
    assert rows[5]["saved"] == rows[5]["tokens"]
    assert 0 < rows[3]["saved"] < rows[3]["tokens"]


def test_what_would_break_the_cache_is_told() -> None:
    """A time in the system prompt is another one in the next request."""
    chat = [{"role": "system", "content": "Now: 2026-11-30T16:55:29Z"}, {"role": "user", "content": "hi"}]
    said = ok(NOWHERE, "context -", stdin=read(chat)).out.splitlines()
    assert said[-1] == "  time at $[0].content, character 5: 2026-11-30T16:55:29Z"


def test_a_model_gives_prices_and_a_window(ranked_sqlite: str) -> None:
    """Money, the use of the window, and masking that waits for its cache."""
    chat = conversation(Random(3), "anthropic", 7)
    chat[2] |= {"meta": {"turn": 0, "expires_after": 0, "mode": "remove"}}
    found = ok(ranked_sqlite, "context --json --model claude-fable-5 -", stdin=read(chat)).data
    assert found["money"]["currency"] == "USD"
    assert float(found["money"]["before"]) >= float(found["money"]["after"]) > 0
    assert found["window"]["action"] == "none"
    assert found["masking"]["refs"] == []
    waiting = found["masking"]["waiting"]
    assert waiting["saved"] > 0
    deferred = [row["index"] for row in found["messages"] if row["action"] == "deferred"]
    assert deferred == waiting["messages"]
    said = ok(ranked_sqlite, "context --model claude-fable-5 -", stdin=read(chat)).out
    assert f"masking of {len(deferred)} waits: it would save about {waiting['saved']:,} tokens," in said
    assert "claude-fable-5 by anthropic: the input of a turn costs" in said
    assert run(ranked_sqlite, "context --model no-such -", stdin=read(chat)).code == 3


@pytest.mark.parametrize(
    ("stdin", "told"),
    [
        (b"[1", "standard input is no JSON"),
        (b"3", "standard input holds no messages"),
        (b"[3]", "standard input holds no messages"),
        (b'[{"content":"x"}]', "message 0 has the role None"),
        (b'[{"role":"user","meta":3}]', "the meta of message 0 is 3"),
        (b'[{"role":"user","meta":{"mode":"x"}}]', "the mode of message 0 is 'x'"),
        (b'[{"role":"user","meta":{"turn":"1"}}]', "the turn of message 0 is '1'"),
        (b'[{"role":"user","meta":{"turn":-1}}]', "the turn of message 0 is -1"),
        (b'{"contents":[]}', "standard input is a request with 'contents', of another shape"),
        (b'{"input":"x"}', "standard input is a request with 'input', of another shape"),
        (b'[{"role":"user","meta":{"age":1}}]', "the meta of message 0 has 'age'"),
        (b'[{"role":"tool","tool_call_id":"x","content":""}]', "message 0 answers the tool call 'x'"),
    ],
)
def test_what_is_no_conversation_is_refused(stdin: bytes, told: str) -> None:
    """One message that names the value, and the code of a usage error."""
    said = run(NOWHERE, "context -", stdin=stdin)
    assert said.code == 2
    assert told in said.err


def test_a_meta_may_say_that_nothing_is_known() -> None:
    """As the JSON of other tools does."""
    chat = [{"role": "user", "content": "x", "meta": {"expires_after": None, "kind": None, "is_error": None}}]
    assert ok(NOWHERE, "context --json -", stdin=read(chat)).data["messages"][0]["action"] == "stays"


def test_a_system_prompt_beside_the_messages_counts() -> None:
    """As Anthropic has it; tools do not, which is told."""
    value = {"system": "You are a clerk. " * 50, "tools": [{"name": "look"}], "messages": CHAT[1:]}
    said = ok(NOWHERE, "context --json -", stdin=read(value))
    assert (said.data["messages"][0]["kind"], said.data["prefix"]["messages"]) == ("system", 2)
    assert said.err == "the tools in standard input are not counted\n"
