"""Shapes of messages: which of the two a conversation has, and what it is refused for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from catalog.crusher.conversation.texts import Message, blocks

Shape = Literal["openai-chat", "anthropic"]
"""``openai-chat``: ``tool_calls`` and messages of the role tool. ``anthropic``: blocks tool_use and tool_result."""

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_BLOCKS = frozenset({
    "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "server_tool_use", "search_result",
    "web_search_tool_result",
})  # fmt: skip
"""Blocks of content that only Anthropic's Messages have."""
_PARTS = frozenset({"image_url", "input_audio", "file", "refusal"})
"""Parts of content that only Chat Completions have."""


def shape_of(messages: Sequence[Message], shape: str | None = None) -> Shape:
    """Return the shape of messages, which is checked; without tool calls both are alike, and Chat Completions is taken.

    Args:
        messages: the messages.
        shape: what they are; None where that is to be seen from their tool calls and results.

    Raises:
        TypeError: for messages that are no list.
        ValueError: for an unknown shape, a mixture, a message without role, and items of the Responses API or Gemini.
    """
    if not isinstance(messages, list | tuple):
        raise TypeError(f"messages are a {type(messages).__name__}, not a list")
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
    item = (
        message.get("type") if role is None else next((own["type"] for own in blocks(message) if _is_item(own)), None)
    )
    if item is not None:
        raise ValueError(f"message {number} is an item of the Responses API ({item}); {_known()}")
    if not isinstance(role, str) or role not in _ROLES:
        raise ValueError(f"message {number} has the role {role!r}; known: {', '.join(sorted(_ROLES))}")
    _check_parts(message, number)
    parts = {block.get("type") for block in blocks(message)}
    if message.get("tool_calls") or message.get("function_call") or role in ("tool", "function") or parts & _PARTS:
        yield "openai-chat"
    if parts & _BLOCKS:
        yield "anthropic"


def _is_item(block: Mapping[str, Any]) -> bool:
    return str(block.get("type")) in ("input_text", "output_text", "input_image", "input_file")


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
