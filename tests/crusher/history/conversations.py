"""Conversations of both shapes, made of turns, tool calls and results, and what must be true of each."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

from catalog.crusher.conversation.pairs import answers, calls, pairs_of
from catalog.crusher.conversation.texts import Message

Conversation = list[dict[str, Any]]
TEXTS = ["ok", "a short answer", "row one\n" + "some data, " * 60, "Error: no such file\n" + "at line 1\n" * 50, "{}"]


def conversation(chance: Random, shape: str, turns: int, *, repeats: bool = False) -> Conversation:
    """Return a conversation of so many turns, each with up to two batches of up to three tool calls.

    Ids repeat from batch to batch where that is asked for, as those of some servers do.
    """
    make = _openai if shape == "openai-chat" else _anthropic
    messages: Conversation = [{"role": "system", "content": "You are a clerk. " * 5}] if shape == "openai-chat" else []
    number = 0
    for turn in range(turns):
        messages.append({"role": "user", "content": f"question {turn} " * chance.randrange(1, 60)})
        for _ in range(chance.randrange(3)):
            number = 0 if repeats else number
            ids = [f"call_{number + own}" for own in range(chance.randrange(1, 4))]
            number += len(ids)
            messages += make(chance, ids)
        messages.append({"role": "assistant", "content": f"answer {turn} " * chance.randrange(1, 60)})
    return messages


def _openai(chance: Random, ids: Sequence[str]) -> Conversation:
    made = [{"id": own, "type": "function", "function": {"name": "look", "arguments": "{}"}} for own in ids]
    called = {"role": "assistant", "content": chance.choice([None, "I look."]), "tool_calls": made}
    return [called, *({"role": "tool", "tool_call_id": own, "content": chance.choice(TEXTS)} for own in ids)]


def _anthropic(chance: Random, ids: Sequence[str]) -> Conversation:
    said = [{"type": "text", "text": "I look."}] if chance.random() < 0.5 else []
    called = {
        "role": "assistant",
        "content": [*said, *({"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids)],
    }
    results = [_result(chance, own) for own in ids]
    return [called, {"role": "user", "content": results}]


def _result(chance: Random, called: str) -> dict[str, Any]:
    text = chance.choice(TEXTS)
    content = chance.choice([text, [{"type": "text", "text": text}]])
    return {"type": "tool_result", "tool_use_id": called, "content": content, "is_error": text.startswith("Error")}


CONVERSATIONS = st.builds(
    conversation,
    st.randoms(use_true_random=False),
    st.sampled_from(["openai-chat", "anthropic"]),
    st.integers(0, 6),
    repeats=st.booleans(),
)


def is_paired(messages: Sequence[Message]) -> bool:
    """Return whether the results of each message's tool calls, and of no others, stand right behind it."""
    pairs_of(messages)
    open_calls: list[str] = []
    for message in messages:
        answered = answers(message)
        if not set(answered) <= set(open_calls):
            return False
        open_calls = [own for own in open_calls if own not in answered]
        if open_calls and not answered:
            return False
        open_calls += calls(message)
    return not open_calls
