"""Gemini's generateContent: contents of parts, tool results by the names of their calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from catalog.renderer.adapters.shared import arguments_of, grouped, no_system, text_of
from catalog.renderer.messages import Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``systemInstruction``, ``contents`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {}
    system = "".join(own.text for own in rendering.messages if own.is_prompt)
    if system.strip():
        made["systemInstruction"] = {"parts": [{"text": system}]}
    waiting: list[ToolCall] = []
    made["contents"] = [_content(own, waiting) for own in grouped(rendering.history)]
    if rendering.tools:
        made["tools"] = [{"functionDeclarations": [_function(tool) for tool in rendering.tools]}]
    return made


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": tool["name"], "description": tool["description"]}
    return {**made, "parametersJsonSchema": deepcopy(tool["parameters"])} if tool.get("parameters") else made


def _content(message: Message, waiting: list[ToolCall]) -> dict[str, Any]:
    """Return a message as contents; results stand in the order of their calls, which is all that ties them to these.

    Args:
        message: the message.
        waiting: calls that have no result yet; those of this message are added, those that it answers are taken off.
    """
    if message.role == "system":
        raise no_system(message, "Gemini")
    role = "model" if message.role == "assistant" else "user"
    responses = _responses([own for own in message.content if isinstance(own, ToolResult)], waiting)
    rest = [own for own in message.content if not isinstance(own, ToolResult)]
    waiting += [own for own in rest if isinstance(own, ToolCall)]
    return {"role": role, "parts": [*responses, *map(_part, rest)]}


def _part(content: Any) -> dict[str, Any]:
    if isinstance(content, ToolCall):
        return {"functionCall": {"name": content.name, "args": arguments_of(content)}}
    return {"text": text_of(content, "Gemini")}


def _responses(results: Sequence[ToolResult], waiting: list[ToolCall]) -> list[dict[str, Any]]:
    """Return results in the order of the calls that they answer, which are taken off those that wait."""
    numbers: list[int] = []
    made: list[dict[str, Any]] = []
    for own in results:
        free = (n for n, call in enumerate(waiting) if call.id == own.id and n not in numbers)
        number = next(free, len(waiting))
        made.append(_response(own, waiting[number].name if number < len(waiting) else own.id))
        numbers.append(number)
    waiting[:] = [call for n, call in enumerate(waiting) if n not in numbers]
    return [made[place] for place in sorted(range(len(made)), key=numbers.__getitem__)]


def _response(result: ToolResult, name: str) -> dict[str, Any]:
    text = "".join(text_of(own, "Gemini") for own in result.content)
    return {"functionResponse": {"name": name, "response": {"error" if result.is_error else "result": text}}}
