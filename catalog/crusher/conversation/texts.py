"""Texts of a message: where they stand, which of them tools say, and copies of the message with others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Message = Mapping[str, Any]


class Place(NamedTuple):
    """A text in a message.

    Attributes:
        keys: the steps from the message to it.
        text: the text.
        result_of: id of the tool call that it answers; '' where it answers none.
        is_error: whether the tool said that it failed.
    """

    keys: tuple[str | int, ...]
    text: str
    result_of: str = ""
    is_error: bool = False


def blocks(message: Message) -> list[Mapping[str, Any]]:
    """Return the blocks of a message's content; none where it is a text."""
    content = message.get("content")
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else []


def texts(message: Message) -> Iterator[Place]:
    """Yield the texts of a message, those of tool results with the id of the call."""
    content = message.get("content")
    answered = result_id(message) if is_tool(message) else ""
    if isinstance(content, str):
        yield Place(("content",), content, answered)
    elif isinstance(content, list | tuple):
        for number, block in enumerate(content):
            yield from _texts_of_block(block, ("content", number), answered)


def _texts_of_block(block: Any, keys: tuple[str | int, ...], answered: str) -> Iterator[Place]:
    if not isinstance(block, Mapping):
        return
    if block.get("type") == "tool_result":
        known = result_id(block)
        failed = bool(block.get("is_error"))
        content = block.get("content")
        if isinstance(content, str):
            yield Place((*keys, "content"), content, known, failed)
        for number, inner in enumerate(content if isinstance(content, list | tuple) else ()):
            if isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
                yield Place((*keys, "content", number, "text"), inner["text"], known, failed)
    elif isinstance(block.get("text"), str):
        yield Place((*keys, "text"), block["text"], answered)


def result_id(part: Mapping[str, Any]) -> str:
    """Return the id of the tool call that a message of a tool, or a block with a result, answers."""
    return str(part.get("tool_use_id") or part.get("tool_call_id") or part.get("name") or "?")


def is_tool(message: Message) -> bool:
    """Return whether a message of Chat Completions is a tool's result."""
    return message.get("role") in ("tool", "function")


def changed(message: Message, texts_by_place: Mapping[tuple[str | int, ...], str]) -> dict[str, Any]:
    """Return a copy of a message with other texts in some places; all else is shared with it.

    Args:
        message: the message.
        texts_by_place: the texts, by the keys of their `Place`.
    """
    made: dict[str, Any] = dict(message)
    copied: set[tuple[str | int, ...]] = set()
    for keys, text in texts_by_place.items():
        holder: Any = made
        for depth, key in enumerate(keys[:-1], 1):
            if keys[:depth] not in copied:
                copied.add(keys[:depth])
                inner = holder[key]
                holder[key] = dict(inner) if isinstance(inner, Mapping) else list(inner)
            holder = holder[key]
        holder[keys[-1]] = text
    return made
