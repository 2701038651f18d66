"""Shared: what every vendor's form needs: who is asked, and what none but one vendor can be sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from catalog.errors import UsageError
from catalog.renderer.messages import Foreign, Message, ToolCall
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment


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
