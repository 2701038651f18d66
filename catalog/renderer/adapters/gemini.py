"""Gemini's generateContent: contents of parts, tool results by the names of their calls."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from operator import itemgetter
from typing import Any

from catalog.renderer.adapters.shared import arguments_of, grouped, no_system, text_of
from catalog.renderer.messages import Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering

_Waiting = dict[str, deque[tuple[int, str]]]
"""Calls by their id: where each stands in its message, and the name of the tool."""


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``systemInstruction``, ``contents`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {}
    system = "".join(own.text for own in rendering.messages if own.is_prompt)
    if system.strip():
        made["systemInstruction"] = {"parts": [{"text": system}]}
    waiting: _Waiting = {}
    made["contents"] = [_content(own, waiting) for own in grouped(rendering.history)]
    if rendering.tools:
        made["tools"] = [{"functionDeclarations": [_function(tool) for tool in rendering.tools]}]
    return made


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": tool["name"], "description": tool["description"]}
    return {**made, "parametersJsonSchema": deepcopy(tool["parameters"])} if tool.get("parameters") else made


def _content(message: Message, waiting: _Waiting) -> dict[str, Any]:
    """Return a message as contents; results stand in the order of their calls, which is all that ties them to these.

    Args:
        message: the message.
        waiting: calls that have no result yet; those of this message are added, in the place of earlier ones of the
            same id, and those that it answers are taken off.
    """
    if message.role == "system":
        raise no_system(message, "Gemini")
    role = "model" if message.role == "assistant" else "user"
    responses = _responses([own for own in message.content if isinstance(own, ToolResult)], waiting)
    rest = [own for own in message.content if not isinstance(own, ToolResult)]
    asked: _Waiting = {}
    for number, own in enumerate(rest):
        if isinstance(own, ToolCall):
            asked.setdefault(own.id, deque()).append((number, own.name))
    waiting |= asked
    return {"role": role, "parts": [*responses, *map(_part, rest)]}


def _part(content: Any) -> dict[str, Any]:
    if isinstance(content, ToolCall):
        return {"functionCall": {"name": content.name, "args": arguments_of(content)}}
    return {"text": text_of(content, "Gemini")}


def _responses(results: Sequence[ToolResult], waiting: _Waiting) -> list[dict[str, Any]]:
    """Return results in the order of the calls that they answer, which are taken off those that wait."""
    made: list[tuple[int, dict[str, Any]]] = []
    for own in results:
        calls = waiting.get(own.id)
        number, name = calls.popleft() if calls else (sys.maxsize, own.id)
        made.append((number, _response(own, name)))
    return [response for _, response in sorted(made, key=itemgetter(0))]


def _response(result: ToolResult, name: str) -> dict[str, Any]:
    text = "".join(text_of(own, "Gemini") for own in result.content)
    return {"functionResponse": {"name": name, "response": {"error" if result.is_error else "result": text}}}
