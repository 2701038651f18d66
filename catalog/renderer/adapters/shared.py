"""Shared: what every vendor's form needs: who is asked, and what none but one vendor can be sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from catalog.crusher.prefix.breakpoints import breakpoints
from catalog.crusher.prefix.profiles import Style
from catalog.errors import UsageError
from catalog.renderer.messages import Foreign, Message, ToolCall
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment
from catalog.renderer.stability import Stability
from catalog.tokens import estimate


def grouped(messages: Sequence[Message]) -> list[Message]:
    """Return messages with the results of a turn in one, and without those that say nothing."""
    made: list[Message] = []
    for own in messages:
        content = tuple(part for part in own.content if not isinstance(part, Segment) or part.text)
        if not content:
            continue
        if made and own.role == made[-1].role == "tool":
            made[-1] = replace(made[-1], content=(*made[-1].content, *content))
        else:
            made.append(replace(own, content=content))
    return made


def without_state(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without the last one where that is the state of the run; earlier states stay as they are."""
    return messages[:-1] if messages and messages[-1].is_state else messages


def system_blocks(message: Message) -> list[tuple[dict[str, Any], Stability]]:
    """Return the blocks of a system prompt: what stands before the first text that is not static, and the rest."""
    blocks: list[tuple[dict[str, Any], Stability]] = []
    for own in message.content:
        if not isinstance(own, Segment):
            continue
        if blocks and (blocks[-1][1] is not Stability.STATIC or own.stability is Stability.STATIC):
            blocks[-1][0]["text"] += own.text
        else:
            blocks.append(({"type": "text", "text": own.text}, own.stability))
    return blocks


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
    """Return the arguments of a tool call as a value.

    Raises:
        UsageError: where they are no JSON.
    """
    try:
        return json.loads(call.arguments or "{}")
    except ValueError as error:
        raise UsageError(f"the arguments of the tool call {call.id!r} are no JSON: {error}",
                         hint="Chat Completions can be sent them; other vendors take values.") from None  # fmt: skip


def refused(content: Foreign, form: str) -> UsageError:
    """Return what to raise for a block that a form has no place for."""
    kind = str(content.block.get("type", "?"))
    return UsageError(
        f"the history has a block of the type {kind!r} of the form {content.shape}, which {form} cannot be sent",
        hint="Leave it out of the history, or stay with one vendor's form.",
    )


def no_system(message: Message, number: int, form: str) -> UsageError:
    """Return what to raise for a system message behind the first, which a form has no place for."""
    return UsageError(
        f"message {number} is a system message inside the history, for which {form} has no place: {message.text:.40}",
        hint="Put it into the prompt, or send it as the user's.",
    )
