"""Conversations of two shapes, Chat Completions and Anthropic's Messages: their texts, tool calls and results.

Nothing here changes a message: `changed` and `without_pairs` return copies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
        raise ValueError(f"message {number} is one of Gemini ('parts'); {_known()}")
    role = message.get("role")
    if role is None and "type" in message:
        kind = str(message["type"])
        raise ValueError(f"message {number} is an item of the Responses API ({kind}); {_known()}")
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"message {number} has the role {role!r}; known: {', '.join(sorted(_ROLES))}")
    _check_parts(message, number)
    if message.get("tool_calls") or message.get("function_call") or role in ("tool", "function"):
        yield "openai-chat"
    if any(block.get("type") in _BLOCKS for block in blocks(message)):
        yield "anthropic"


def _known() -> str:
    return f"known are {' and '.join(get_args(Shape))}"


def _check_parts(message: Message, number: int) -> None:
    """See that the parts of a message are of the kinds they must be.

    Raises:
        ValueError: when one is not, naming it.
    """
    content, made = message.get("content"), message.get("tool_calls")
    if content is not None and not isinstance(content, str | list | tuple):
        raise ValueError(
            f"message {number} has content of the kind {type(content).__name__}: a text or a list of blocks"
        )
    if made is not None and not (isinstance(made, list | tuple) and all(isinstance(own, Mapping) for own in made)):
        raise ValueError(f"message {number} has tool_calls of the kind {type(made).__name__}: a list of objects")


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
