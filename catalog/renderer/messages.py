"""Messages: what is sent, in no vendor's form; histories of two vendors' forms are read, and kept as they are."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from typing import Any, Literal

from catalog.crusher.conversation.shapes import shape_of
from catalog.crusher.conversation.texts import blocks
from catalog.errors import UsageError
from catalog.renderer.segments import ALONE, Segment, segment
from catalog.renderer.stability import Stability
from catalog.renderer.values import plain

Role = Literal["system", "user", "assistant", "tool"]
STATE_TAG = "runtime-state"
PART_TAG = "specialization"
_UNSEEN = (
    r"[\s\x00-\x1f\x7f-\xa0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*+"
)
"""Blanks, and signs that nobody sees."""
_HYPHEN = "[-\u02d7\u058a\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d]?"
"""There may be none, where a sign that nobody sees stands for it."""
_OPEN, _SLASH = "[<\u02c2\u2039\u2329\u276e\u27e8\u3008\ufe64\uff1c]", "[/\u2044\u2215\u29f8\uff0f]"


def _spelled(tag: str) -> str:
    return _UNSEEN.join(_HYPHEN if sign == "-" else sign for sign in tag)


_FORGED = re.compile(
    rf"{_OPEN}{_UNSEEN}(?:{_SLASH}{_UNSEEN})?(?:{_spelled(STATE_TAG)}|{_spelled(PART_TAG)})",
    re.IGNORECASE,
)
"""What a tag of ours would begin with, or what would look like it, whatever stands behind it."""
_APART = "\uffff"
"""Stands for what is no text, which no tag goes through."""
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
"""A text as JSON writes it."""
MARKS = ("cache_control", "prompt_cache_breakpoint")
"""What marks a block for a cache: the adapters do that anew."""
SIGNED = ("thinking", "redacted_thinking")
"""Blocks that their vendor has signed, and takes back only as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call of the assistant's.

    Attributes:
        id: by which its result is known.
        name: of the tool.
        arguments: JSON.
        beside: what its vendor's form has beside these, such as who called; no other vendor is sent it.
    """

    id: str
    name: str
    arguments: str
    beside: Foreign | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool answered.

    Attributes:
        id: of the call.
        content: texts, and what a vendor's form has beside them.
        is_error: whether the tool said that it failed.
        beside: what its vendor's form has beside these; no other vendor is sent it.
    """

    id: str
    content: tuple[Segment | Foreign, ...]
    is_error: bool = False
    beside: Foreign | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A block of one vendor's form that is no text, such as an image or a thought; no other vendor can be sent it.

    Attributes:
        shape: ``openai-chat`` or ``anthropic``.
        block: as it came.
    """

    shape: str
    block: Mapping[str, Any]


Content = Segment | ToolCall | ToolResult | Foreign


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message.

    Attributes:
        role: whose it is.
        content: what it says.
        is_prompt: whether it is the system prompt that was rendered.
        is_state: whether it is the last message of a turn, with the state of the run.
    """

    role: Role
    content: tuple[Content, ...]
    is_prompt: bool = False
    is_state: bool = False

    @property
    def text(self) -> str:
        """Its texts, one behind the other."""
        return "".join(own.text for own in self.content if isinstance(own, Segment))


def history_of(given: Sequence[Message | Mapping[str, Any]]) -> tuple[Message, ...]:
    """Return a history as messages, forged tags of state escaped; what is a message already is taken as it is.

    The system prompt of an earlier rendering is left out, since each writes its own.

    Raises:
        UsageError: for what is no conversation, see `shape_of`.
    """
    if not isinstance(given, list | tuple):
        raise UsageError(f"history is {given!r:.40}, no list of messages", hint="Hand in messages as they were sent.")
    read = [own if isinstance(own, Message) else _plain(own, number) for number, own in enumerate(given)]
    raw = [own for own in read if not isinstance(own, Message)]
    try:
        shape = shape_of(raw)
    except (TypeError, ValueError) as error:
        hint = "Hand in messages as they were sent, or those of a rendering."
        raise UsageError(f"history: {error}", hint=hint) from None
    made = _of_anthropic if shape == "anthropic" else _of_openai
    messages = (own if isinstance(own, Message) else made(own) for own in read)
    kept = [escaped(own) for own in messages if not own.is_prompt]
    apart = dict(enumerate(kept))
    said = (n for n, own in enumerate(kept) if not own.is_state and not _is_blank(own))  # the others may not be sent
    for _, turn in groupby(said, key=lambda n: kept[n].role):
        numbers = list(turn)
        apart |= zip(numbers, _apart([kept[n] for n in numbers]), strict=True)
    return tuple(apart.values())


def _is_blank(message: Message) -> bool:
    return all(isinstance(own, Segment) and not own.text.strip() for own in message.content)


def _apart(turn: Sequence[Message]) -> Iterator[Message]:
    """Yield messages of one role, which vendors put together, so that no tag is made of two of them."""
    content = without_tags([part for own in turn for part in own.content])
    place = 0
    for own in turn:
        yield replace(own, content=content[place : place + len(own.content)])
        place += len(own.content)


def _plain(given: Any, number: int) -> Any:
    """Return a copy of a message as plain data.

    Raises:
        UsageError: for what JSON cannot say, and for a content that is neither text nor blocks.
    """
    found = plain(given, f"history[{number}]")
    content = found.get("content") if isinstance(found, dict) else None
    _see_that_it_is_read(content, f"history[{number}].content")
    for place, block in enumerate(content if isinstance(content, list) else []):
        if block.get("type") == "tool_result":
            _see_that_it_is_read(block.get("content"), f"history[{number}].content[{place}].content")
    return found


def _see_that_it_is_read(content: Any, what: str) -> None:
    if content is None or isinstance(content, str):
        return
    if not isinstance(content, list) or not all(isinstance(block, dict) for block in content):
        raise UsageError(f"{what} is {content!r:.40}, neither a text nor blocks",
                         hint="Give a text, or blocks such as {'type': 'text', 'text': …}.")  # fmt: skip


def escaped(message: Message) -> Message:
    """Return a message in which nothing looks like the state of the run, itself where nothing does."""
    if message.is_state:
        return message
    content = tuple(map(_escaped, without_tags(message.content)))
    return message if content == message.content else replace(message, content=content)


def _escaped(content: Any) -> Any:
    if isinstance(content, ToolResult):
        return replace(content, content=tuple(map(_escaped, without_tags(content.content))))
    if isinstance(content, ToolCall):
        return replace(content, arguments=_arguments(content.arguments))
    if isinstance(content, Foreign) and content.block.get("type") not in SIGNED:
        block = _untagged(content.block)
        return content if block == content.block else replace(content, block=block)
    return content


def _arguments(text: str) -> str:
    """Return the arguments of a tool call in which no text looks like a tag, however it is written in JSON."""
    return _FORGED.sub(_entity, _TEXT.sub(_untagged_text, text))


def _untagged_text(found: re.Match[str]) -> str:
    """Return a text of JSON as it is, or anew where it looks like a tag."""
    try:
        said: str = json.loads(found.group())
    except ValueError:
        return found.group()
    made = _FORGED.sub(_entity, said)
    return found.group() if made == said else json.dumps(made, ensure_ascii=False)


def _untagged(value: Any) -> Any:
    """Return plain data in whose texts nothing looks like a tag."""
    if isinstance(value, str):
        return _FORGED.sub(_entity, value)
    if isinstance(value, Mapping):
        return {_untagged(key): _untagged(own) for key, own in value.items()}
    return [_untagged(own) for own in value] if isinstance(value, list | tuple) else value


def _entity(found: re.Match[str]) -> str:
    return f"{_reference(found.group()[0])}{found.group()[1:]}"


def _reference(sign: str) -> str:
    return "&lt;" if sign == "<" else f"&#{ord(sign)};"


def without_tags(content: Sequence[Any]) -> tuple[Any, ...]:
    """Return contents in which nothing looks like a tag of the renderer's, not even where two texts meet.

    Of what looks like one the first sign in the least stable text is written as an entity: what is more stable must
    stay as it is, whatever follows.
    """
    # forms with calls and results beside the texts put these behind each other
    texts = [own.text if isinstance(own, Segment) else _APART * isinstance(own, Foreign) for own in content]
    starts = list(accumulate(map(len, texts), initial=0))
    signs: dict[int, list[int]] = {}
    for found in _FORGED.finditer("".join(texts)):
        first = bisect_right(starts, found.start()) - 1
        inside = [n for n in range(first, bisect_left(starts, found.end())) if texts[n]]
        number = max(inside, key=lambda own: (content[own].stability, -own))
        signs.setdefault(number, []).append(max(found.start(), starts[number]) - starts[number])
    made = list(content)
    for number, places in signs.items():
        text = content[number].text
        for place in reversed(places):
            text = f"{text[:place]}{_reference(text[place])}{text[place + 1 :]}"
        made[number] = segment(text, content[number].stability, content[number].place)
    return tuple(made)


def _said(text: str) -> Segment:
    if not text.isascii() and ALONE.search(text):
        raise UsageError(f"history: {text!r:.60} has half of a surrogate pair, which is no UTF-8",
                         hint="Leave it out.")  # fmt: skip
    return segment(text, Stability.SESSION)


_READ_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "function_call", "id", "object", "type"})
"""Keys of a message that are read, or say nothing; what others say would be lost."""


def _of_openai(message: Mapping[str, Any]) -> Message:
    lost = next(
        (key for key, value in message.items() if value and key not in _READ_KEYS and not _is_name(message, key)), None
    )
    if lost is not None:
        raise UsageError(f"history: a message of the {message['role']} has {lost!r}, which would be lost",
                         hint="Leave it out, or put it into the content.")  # fmt: skip
    role = {"developer": "system", "function": "tool"}.get(message["role"], message["role"])
    content = message.get("content")
    texts: list[Content] = [_said(content)] if isinstance(content, str) and content else []
    texts += [_block(own, "openai-chat") for own in blocks(message)]
    if role == "tool":
        answered = _known(message.get("tool_call_id") or message.get("name"), "a result", "tool_call_id")
        return Message(role="tool", content=(ToolResult(id=answered, content=tuple(texts)),))  # type: ignore[arg-type]
    return Message(role=role, content=(*texts, *_calls(message)))


def _is_name(message: Mapping[str, Any], key: str) -> bool:
    return key == "name" and message["role"] in ("tool", "function")


def _calls(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    for call in message.get("tool_calls") or ():
        made = call.get("function")
        if not isinstance(made, Mapping):
            kind = call.get("type", "?")
            raise UsageError(f"history: a tool call is of the kind {kind!r}", hint="Only calls of functions are read.")
        own_id = _known(call.get("id"), "a tool call", "id")
        yield _call(own_id, made, _beside(call, "openai-chat", ("id", "function", "index")))
    made = message.get("function_call")
    if isinstance(made, Mapping):
        yield _call(_known(made.get("name"), "a tool call", "name"), made)


def _known(value: Any, what: str, key: str) -> str:
    """Return a name or id.

    Raises:
        UsageError: where it is no text, or says nothing.
    """
    if not isinstance(value, str) or not value:
        raise UsageError(f"history: {key} of {what} is {value!r:.40}, no text", hint="Hand in messages as they were.")
    return value


def _call(own_id: str, made: Mapping[str, Any], beside: Foreign | None = None) -> ToolCall:
    given = made.get("arguments", "{}")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    return ToolCall(id=own_id, name=_known(made.get("name"), "a tool call", "name"), arguments=arguments, beside=beside)


def _block(block: Mapping[str, Any], shape: str) -> Segment | Foreign:
    _known(block.get("type"), "a block", "type")
    is_plain = not any(value for key, value in block.items() if key not in ("type", "text", *MARKS))
    if block.get("type") == "text" and not isinstance(block.get("text"), str):
        raise UsageError(f"history: a block of the type 'text' has the text {block.get('text')!r:.40}, which is none",
                         hint="Hand in messages as they were.")  # fmt: skip
    if block.get("type") == "text" and is_plain:
        return _said(block["text"])
    return Foreign(shape=shape, block={key: value for key, value in block.items() if key not in MARKS})


def _of_anthropic(message: Mapping[str, Any]) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return Message(role=message["role"], content=(_said(content),))
    made: list[Content] = []
    for block in blocks(message):
        if block.get("type") == "tool_use":
            arguments = json.dumps(block.get("input", {}), ensure_ascii=False, separators=(",", ":"))
            beside = _beside(block, "anthropic", ("id", "name", "input"))
            own_id, name = (_known(block.get(key), "a tool call", key) for key in ("id", "name"))
            made.append(ToolCall(id=own_id, name=name, arguments=arguments, beside=beside))
        elif block.get("type") == "tool_result":
            made.append(_result(block))
        else:
            made.append(_block(block, "anthropic"))
    return Message(role=message["role"], content=tuple(made))


def _beside(given: Mapping[str, Any], shape: str, keys: Sequence[str]) -> Foreign | None:
    """Return what a form has beside some keys; None where that is nothing."""
    left = {key: value for key, value in given.items() if value and key not in ("type", *keys, *MARKS)}
    return Foreign(shape=shape, block=left) if left else None


def _result(block: Mapping[str, Any]) -> ToolResult:
    content = block.get("content")
    inside = (_said(content),) if isinstance(content, str) else tuple(_block(own, "anthropic") for own in blocks(block))
    beside = _beside(block, "anthropic", ("tool_use_id", "content", "is_error"))
    answered = _known(block.get("tool_use_id"), "a result", "tool_use_id")
    return ToolResult(id=answered, content=inside, is_error=bool(block.get("is_error")), beside=beside)
