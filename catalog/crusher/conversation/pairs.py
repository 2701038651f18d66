"""Pairs: tool calls and their results, which stay together or go together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from catalog.crusher.conversation.texts import Message, blocks, is_tool


def calls(message: Message) -> list[str]:
    """Return the ids of the tool calls that a message makes."""
    made = [str(call.get("id", "?")) for call in message.get("tool_calls") or ()]
    if isinstance(message.get("function_call"), Mapping):  # the form before there were several calls: by its name
        made.append(str(message["function_call"].get("name", "?")))
    return made + [str(block.get("id", "?")) for block in blocks(message) if block.get("type") == "tool_use"]


def answers(message: Message) -> list[str]:
    """Return the ids of the tool calls that a message answers."""
    if is_tool(message):
        return [str(message.get("tool_call_id") or message.get("name") or "?")]
    return [str(block.get("tool_use_id", "?")) for block in blocks(message) if block.get("type") == "tool_result"]


def check_pairs(messages: Sequence[Message]) -> None:
    """See that every tool result answers a call before it.

    Raises:
        ValueError: when one does not, naming it.
    """
    made: set[str] = set()
    for number, message in enumerate(messages):
        orphan = next((own for own in answers(message) if own not in made), None)
        if orphan is not None:
            raise ValueError(f"message {number} answers the tool call {orphan!r}, which no message before it makes")
        made.update(calls(message))


class Gone(NamedTuple):
    """What can be removed together.

    Attributes:
        messages: those that go, by their numbers.
        ids: of the tool calls that go with them.
    """

    messages: frozenset[int]
    ids: frozenset[str]


def removable(messages: Sequence[Message], wanted: Collection[int], fixed: Collection[int]) -> Gone:
    """Return which of some messages can be removed without a tool call losing its result, or a result its call.

    Args:
        messages: all messages.
        wanted: the numbers of those that are to go.
        fixed: the numbers of those that may not be changed, so what answers a call of theirs stays.
    """
    made = {own: index for index, message in enumerate(messages) for own in calls(message)}
    pairs = {index: {*calls(message), *answers(message)} for index, message in enumerate(messages)}
    going = set(wanted)
    while True:
        ids = {own for index in going for own in pairs[index]}
        stays = {
            own
            for index, known in pairs.items()
            if index not in going
            for own in answers(messages[index])
            if own in known
        }
        stays |= {own for own in ids if made.get(own) in fixed}
        blocked = {index for index in going if pairs[index] & stays}
        if not blocked:
            return Gone(frozenset(going), frozenset(ids))
        going -= blocked


def without_pairs(message: Message, gone: Collection[str]) -> dict[str, Any] | None:
    """Return a copy of a message without some tool calls and their results; None where nothing is left to say."""
    if is_tool(message):
        return None if set(answers(message)).issubset(gone) else dict(message)
    made: dict[str, Any] = dict(message)
    if made.get("tool_calls"):
        made["tool_calls"] = [call for call in made["tool_calls"] if str(call.get("id", "?")) not in gone]
        if not made["tool_calls"]:
            del made["tool_calls"]
    if isinstance(made.get("function_call"), Mapping) and str(made["function_call"].get("name", "?")) in gone:
        del made["function_call"]
    if isinstance(made.get("content"), list | tuple):
        made["content"] = [block for block in made["content"] if not _is_gone(block, gone)]
    return made if calls(made) or _says_something(made) else None


def _says_something(message: Message) -> bool:
    content = message.get("content")
    if not isinstance(content, list | tuple):
        return bool(content)
    return any(not isinstance(block, Mapping) or block.get("type") not in _THOUGHTS for block in content)


_THOUGHTS = ("thinking", "redacted_thinking")
"""Blocks that may not stand alone."""


def _is_gone(block: Any, gone: Collection[str]) -> bool:
    if not isinstance(block, Mapping):
        return False
    return (block.get("type") == "tool_use" and str(block.get("id", "?")) in gone) or (
        block.get("type") == "tool_result" and str(block.get("tool_use_id", "?")) in gone
    )
