"""Conversations of two shapes, Chat Completions and Anthropic's Messages: their texts, tool calls and results.

Nothing here changes a message: `changed` and `without_pairs` return copies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

Message = Mapping[str, Any]
Shape = Literal["openai-chat", "anthropic"]
"""``openai-chat``: ``tool_calls`` and messages of the role tool. ``anthropic``: blocks tool_use and tool_result."""

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
"""Blocks of content that only Anthropic's Messages have."""


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


def shape_of(messages: Sequence[Message], shape: str | None = None) -> Shape:
    """Return the shape of messages, which is checked; without tool calls both are alike, and Chat Completions is taken.

    Args:
        messages: the messages.
        shape: what they are; None where that is to be seen from their tool calls and results.

    Raises:
        ValueError: for an unknown shape, a mixture, a message without role, and items of the Responses API or Gemini.
    """
    if shape is not None and shape not in get_args(Shape):
        raise ValueError(f"shape {shape!r} is unknown; known: {', '.join(get_args(Shape))}")
    seen = {own: number for number, message in reversed(list(enumerate(messages))) for own in _shapes(message, number)}
    if len(seen) > 1:
        where = ", ".join(
            f"{own} in message {number}" for own, number in sorted(seen.items(), key=lambda item: item[1])
        )
        raise ValueError(f"the messages are of two shapes: {where}")
    found: Shape = next(iter(seen), "openai-chat")
    if shape is not None and seen and shape != found:
        raise ValueError(f"message {seen[found]} is of the shape {found}, not {shape}")
    return found if shape is None else "anthropic" if shape == "anthropic" else "openai-chat"


def _shapes(message: Message, number: int) -> Iterator[Shape]:
    """Yield the shape that a message shows, if any."""
    if not isinstance(message, Mapping):
        raise ValueError(f"message {number} is {type(message).__name__}, not an object")
    if "parts" in message:
        raise ValueError(f"message {number} is one of Gemini ('parts'); shapes: {', '.join(get_args(Shape))}")
    if "role" not in message and str(message.get("type", "")).startswith(("function_call", "message", "reasoning")):
        raise ValueError(f"message {number} is an item of the Responses API; shapes: {', '.join(get_args(Shape))}")
    role = message.get("role")
    if role not in _ROLES:
        raise ValueError(f"message {number} has the role {role!r}; known: {', '.join(sorted(_ROLES))}")
    if message.get("tool_calls") or role in ("tool", "function"):
        yield "openai-chat"
    if any(block.get("type") in _BLOCKS for block in blocks(message)):
        yield "anthropic"


def blocks(message: Message) -> list[Mapping[str, Any]]:
    """Return the blocks of a message's content; none where it is a text."""
    content = message.get("content")
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list | tuple) else []


def texts(message: Message) -> Iterator[Place]:
    """Yield the texts of a message, those of tool results with the id of the call."""
    content = message.get("content")
    answered = str(message.get("tool_call_id") or message.get("name") or "?") if is_tool(message) else ""
    if isinstance(content, str):
        yield Place(("content",), content, answered)
    elif isinstance(content, list | tuple):
        for number, block in enumerate(content):
            yield from _texts_of_block(block, ("content", number), answered)


def _texts_of_block(block: Any, keys: tuple[str | int, ...], answered: str) -> Iterator[Place]:
    if not isinstance(block, Mapping):
        return
    if block.get("type") == "tool_result":
        known = str(block.get("tool_use_id", "?"))
        failed = bool(block.get("is_error"))
        content = block.get("content")
        if isinstance(content, str):
            yield Place((*keys, "content"), content, known, failed)
        for number, inner in enumerate(content if isinstance(content, list | tuple) else ()):
            if isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
                yield Place((*keys, "content", number, "text"), inner["text"], known, failed)
    elif isinstance(block.get("text"), str):
        yield Place((*keys, "text"), block["text"], answered)


def is_tool(message: Message) -> bool:
    """Return whether a message of Chat Completions is a tool's result."""
    return message.get("role") in ("tool", "function")


def calls(message: Message) -> list[str]:
    """Return the ids of the tool calls that a message makes."""
    made = [str(call.get("id", "?")) for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
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


def changed(message: Message, change: Callable[[Place], str]) -> dict[str, Any]:
    """Return a copy of a message with other texts; what has none stays as it is."""
    made: dict[str, Any] = _copy(message)
    for place in list(texts(message)):
        holder: Any = made
        for key in place.keys[:-1]:
            holder = holder[key]
        holder[place.keys[-1]] = change(place)
    return made


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list | tuple) else value


def without_pairs(message: Message, gone: Collection[str]) -> dict[str, Any] | None:
    """Return a copy of a message without some tool calls and their results; None where nothing else is in it."""
    if is_tool(message) and set(answers(message)).issubset(gone):
        return None
    made: dict[str, Any] = _copy(message)
    if made.get("tool_calls"):
        made["tool_calls"] = [call for call in made["tool_calls"] if str(call.get("id", "?")) not in gone]
        if not made["tool_calls"]:
            del made["tool_calls"]
            if not made.get("content"):
                return None
    if isinstance(made.get("content"), list):
        made["content"] = [block for block in made["content"] if not _is_gone(block, gone)]
        if not made["content"]:
            return None
    return made


def _is_gone(block: Any, gone: Collection[str]) -> bool:
    if not isinstance(block, Mapping):
        return False
    return (block.get("type") == "tool_use" and str(block.get("id", "?")) in gone) or (
        block.get("type") == "tool_result" and str(block.get("tool_use_id", "?")) in gone
    )
