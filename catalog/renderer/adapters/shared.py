"""Shared: what every vendor's form needs: who is asked, and what none but one vendor can be sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from catalog.crusher.prefix.breakpoints import breakpoints
from catalog.crusher.prefix.profiles import Style
from catalog.errors import UsageError
from catalog.renderer.messages import Foreign, Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment, segment
from catalog.renderer.stability import Stability
from catalog.renderer.values import plain
from catalog.tokens import estimate


def _is_there(content: Any) -> bool:
    return not isinstance(content, Segment) or bool(content.text)


def grouped(messages: Sequence[Message], *, is_said: Callable[[Any], bool] = _is_there) -> list[Message]:
    """Return messages with the results of a turn in one, and without those that say nothing.

    Args:
        messages: the messages.
        is_said: says of a content whether it says anything; a message of which nothing does is left out.
    """
    made: list[Message] = []
    for own in messages:
        if not any(map(is_said, own.content)):
            continue
        content = tuple(filter(_is_there, whole(own) if is_whole(own) else own.content))
        if made and own.role == made[-1].role == "tool":
            made[-1] = replace(made[-1], content=(*made[-1].content, *content))
        else:
            made.append(replace(own, content=content))
    return made


def is_whole(message: Message) -> bool:
    """Return whether the segments of a message are one text: those of the prompt, and not blocks of a history."""
    return message.is_state or message.is_prompt


def whole(message: Message) -> tuple[Segment, ...]:
    """Return all texts of a message as one."""
    return (segment(message.text, Stability.VOLATILE),)


def without_state(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without the last one where that is the state of the run; earlier states stay as they are."""
    return messages[:-1] if messages and messages[-1].is_state else messages


def system_blocks(message: Message) -> list[tuple[dict[str, Any], Stability]]:
    """Return the blocks of a system prompt: what stands before the first text that is not static, and the rest."""
    parts = [own for own in message.content if isinstance(own, Segment)]
    first = next((n for n, own in enumerate(parts) if own.stability is not Stability.STATIC), len(parts))
    shared, rest = ("".join(own.text for own in some) for some in (parts[:first], parts[first:]))
    if not shared.strip() or not rest.strip():  # a blank text is no block
        stability = max((own.stability for own in parts), default=Stability.STATIC)
        return [({"type": "text", "text": shared + rest}, stability)] if shared or rest else []
    return [({"type": "text", "text": shared}, Stability.STATIC), ({"type": "text", "text": rest}, Stability.SESSION)]


Unit = tuple[str, list[dict[str, Any]]]
"""What a prefix may end with: whose it is, and its blocks; the shared part of a system prompt is ``system``."""


def units_of(system: Sequence[tuple[dict[str, Any], Stability]]) -> list[Unit]:
    """Return the blocks of a system prompt as units; what others do not share is ``session``."""
    return [("system" if stability is Stability.STATIC else "session", [block]) for block, stability in system]


def to_mark(
    units: Sequence[Unit], rendering: Rendering, style: Style, *, carries: Callable[[str, dict[str, Any]], bool]
) -> Iterator[dict[str, Any]]:
    """Yield the blocks that end the prefixes which a cache should hold: of what is shared, and of what precedes state.

    Args:
        units: in the order in which they are sent, without the state of the run.
        rendering: with the profile of the cache, and the tools, which are sent first.
        style: in which the form says marks; another cache has none.
        carries: says whether a block of a role can be marked; else the last one before it that can is.
    """
    profile = rendering.cache
    if profile is None or profile.breakpoint_style != style or not units:
        return
    sizes = [sum(estimate(str(block)) for block in blocks) for _, blocks in units]
    sizes[0] += estimate(str(rendering.tools)) if rendering.tools else 0
    seen: set[int] = set()
    for own in breakpoints([{"role": role} for role, _ in units], sizes, profile):
        place = own.index
        while place >= 0 and not (units[place][1] and carries(units[place][0], units[place][1][-1])):
            place -= 1
        if place >= 0 and place not in seen:
            seen.add(place)
            yield units[place][1][-1]


def model_of(rendering: Rendering) -> dict[str, str]:
    """Return the vendor's name of the model, as a request has it; nothing where the catalog does not know it."""
    name = rendering.candidate.api_name
    return {} if name is None else {"model": name}


def arguments_of(call: ToolCall) -> Any:
    """Return the arguments of a tool call by name.

    Raises:
        UsageError: where they are no JSON object.
    """
    try:
        found = plain(json.loads(call.arguments or "{}"), "they")
        if found is None:
            return {}
        if not isinstance(found, dict):
            raise ValueError(f"they are {call.arguments:.40}, no object")
        return found
    except (ValueError, RecursionError, UsageError) as error:
        raise UsageError(f"the arguments of the tool call {call.id!r} are no JSON object: {error}",
                         hint="Chat Completions can be sent them; other vendors take values.") from None  # fmt: skip


def text_of(content: Any, form: str) -> str:
    """Return the text of a content, without what its own vendor has beside it, such as citations.

    Raises:
        UsageError: for what is no text.
    """
    if isinstance(content, Segment):
        return content.text
    text = content.block.get("text") if isinstance(content, Foreign) and content.block.get("type") == "text" else None
    if not isinstance(text, str):
        raise refused(content, form)
    return text


def beside(content: ToolCall | ToolResult, shape: str) -> dict[str, Any]:
    """Return what a form has beside a tool call or a result, where it came in that form."""
    is_own = content.beside is not None and content.beside.shape == shape
    return deepcopy(dict(content.beside.block)) if content.beside is not None and is_own else {}


def refused(content: Foreign, form: str) -> UsageError:
    """Return what to raise for a block that a form has no place for."""
    kind = str(content.block.get("type", "?"))
    return UsageError(
        f"the history has a block of the type {kind!r} of the form {content.shape}, which {form} cannot be sent",
        hint="Leave it out of the history, or stay with one vendor's form.",
    )


def no_system(message: Message, form: str) -> UsageError:
    """Return what to raise for a system message of the history, which a form has no place for."""
    return UsageError(
        f"the history has a system message, for which {form} has no place: {message.text:.40}",
        hint="Put it into the prompt, or send it as the user's.",
    )
