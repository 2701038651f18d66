"""Gemini's generateContent: contents of parts, tool results by the names of their calls."""

from __future__ import annotations

from collections.abc import Mapping
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
    names: dict[str, list[str]] = {}
    made["contents"] = [_content(own, names) for own in grouped(rendering.history)]
    if rendering.tools:
        made["tools"] = [{"functionDeclarations": [_function(tool) for tool in rendering.tools]}]
    return made


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": tool["name"], "description": tool["description"]}
    return {**made, "parametersJsonSchema": deepcopy(tool["parameters"])} if tool.get("parameters") else made


def _content(message: Message, names: dict[str, list[str]]) -> dict[str, Any]:
    if message.role == "system":
        raise no_system(message, "Gemini")
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": [_part(own, names) for own in message.content]}


def _part(content: Any, names: dict[str, list[str]]) -> dict[str, Any]:
    if isinstance(content, ToolCall):
        names.setdefault(content.id, []).append(content.name)
        return {"functionCall": {"name": content.name, "args": arguments_of(content)}}
    if isinstance(content, ToolResult):
        text = "".join(text_of(own, "Gemini") for own in content.content)
        response = {"error" if content.is_error else "result": text}
        waiting = names.get(content.id) or [content.id]
        return {"functionResponse": {"name": waiting.pop(0), "response": response}}
    return {"text": text_of(content, "Gemini")}
