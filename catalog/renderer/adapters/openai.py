"""Chat Completions: one text for the system prompt, tool results as messages of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.renderer.adapters.shared import model_of, refused
from catalog.renderer.messages import Foreign, Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``model``, ``messages`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {**model_of(rendering)}
    made["messages"] = [own for message in rendering.messages for own in _messages(message)]
    if rendering.tools:
        made["tools"] = [{"type": "function", "function": _function(tool)} for tool in rendering.tools]
    return made


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    parameters = tool.get("parameters") or {"type": "object", "properties": {}}
    return {"name": tool["name"], "description": tool.get("description", ""), "parameters": parameters}


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    results = [own for own in message.content if isinstance(own, ToolResult)]
    for result in results:
        content = _content(result.content)
        failed = result.is_error and isinstance(content, str) and not content.lower().startswith("error")
        yield {"role": "tool", "tool_call_id": result.id, "content": f"Error: {content}" if failed else content}
    rest = [own for own in message.content if isinstance(own, Segment | Foreign)]
    calls = [_call(own) for own in message.content if isinstance(own, ToolCall)]
    if rest or calls or not results:
        made: dict[str, Any] = {"role": message.role, "content": _content(rest) if rest or not calls else None}
        yield {**made, "tool_calls": calls} if calls else made


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _content(parts: Any) -> str | list[dict[str, Any]]:
    if all(isinstance(own, Segment) for own in parts):
        return "".join(own.text for own in parts)
    return [_block(own) for own in parts]


def _block(content: Segment | Foreign) -> dict[str, Any]:
    if isinstance(content, Segment):
        return {"type": "text", "text": content.text}
    if content.shape != "openai-chat":
        raise refused(content, "Chat Completions")
    return dict(content.block)
