"""Gemini's generateContent: contents of parts, tool results by the names of their calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.renderer.adapters.shared import arguments_of, no_system, refused
from catalog.renderer.messages import Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``systemInstruction``, ``contents`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {}
    messages = rendering.messages
    if messages and messages[0].role == "system":
        made["systemInstruction"] = {"parts": [{"text": messages[0].text}]}
        messages = messages[1:]
    names = {own.id: own.name for message in messages for own in message.content if isinstance(own, ToolCall)}
    first = int("systemInstruction" in made)
    made["contents"] = [_content(own, number, names) for number, own in enumerate(messages, first)]
    if rendering.tools:
        made["tools"] = [{"functionDeclarations": [_function(tool) for tool in rendering.tools]}]
    return made


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    made = {"name": tool["name"], "description": tool.get("description", "")}
    return {**made, "parameters": tool["parameters"]} if tool.get("parameters") else made


def _content(message: Message, number: int, names: Mapping[str, str]) -> dict[str, Any]:
    if message.role == "system":
        raise no_system(message, number, "Gemini")
    role = "model" if message.role == "assistant" else "user"
    return {"role": role, "parts": [_part(own, names) for own in message.content]}


def _part(content: Any, names: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(content, Segment):
        return {"text": content.text}
    if isinstance(content, ToolCall):
        return {"functionCall": {"name": content.name, "args": arguments_of(content)}}
    if isinstance(content, ToolResult):
        text = "".join(_text(own) for own in content.content)
        response = {"error" if content.is_error else "result": text}
        return {"functionResponse": {"name": names.get(content.id, content.id), "response": response}}
    raise refused(content, "Gemini")


def _text(content: Any) -> str:
    if isinstance(content, Segment):
        return content.text
    raise refused(content, "Gemini")
