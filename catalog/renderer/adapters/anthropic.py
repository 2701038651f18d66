"""Anthropic's Messages: the system prompt in blocks, tool results as the user's, and marks for the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from catalog.renderer.adapters.shared import (
    Unit,
    arguments_of,
    beside,
    grouped,
    model_of,
    no_system,
    system_blocks,
    text_of,
    to_mark,
    units_of,
    without_state,
)
from catalog.renderer.messages import SIGNED, Foreign, Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment

_HOUR = 3_600


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``model``, ``system``, ``messages`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {**model_of(rendering)}
    if rendering.tools:
        made["tools"] = [_tool(tool) for tool in rendering.tools]
    system = [block for own in rendering.messages if own.is_prompt and own.text.strip() for block in system_blocks(own)]
    rest = grouped(rendering.history, is_said=_is_said)
    messages = list(map(_message, rest))
    stable = messages[: len(without_state(rest))]
    _mark([*units_of(system), *((own["role"], own["content"]) for own in stable)], rendering)
    if system:
        made["system"] = [block for block, _ in system]
    made["messages"] = messages
    return made


def _is_said(content: Any) -> bool:
    """Return whether a content can be sent: blank texts cannot."""
    return not isinstance(content, Segment) or bool(content.text.strip())


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    schema = deepcopy(tool.get("parameters")) or {"type": "object", "properties": {}}
    made = {"name": tool["name"], "description": tool["description"], "input_schema": schema}
    return {**made, "strict": tool["strict"]} if "strict" in tool else made


def _message(message: Message) -> dict[str, Any]:
    if message.role == "system":
        raise no_system(message, "Anthropic's Messages")
    role = "user" if message.role == "tool" else message.role
    return {"role": role, "content": [_block(own) for own in message.content if _is_said(own)]}


def _block(content: Any) -> dict[str, Any]:
    if isinstance(content, ToolCall):
        return {"type": "tool_use", "id": content.id, "name": content.name, "input": arguments_of(content),
                **beside(content, "anthropic")}  # fmt: skip
    if isinstance(content, ToolResult):
        inside = [_block(own) for own in content.content if _is_said(own)]
        made = {"type": "tool_result", "tool_use_id": content.id, **({"content": inside} if inside else {})}
        made |= beside(content, "anthropic")
        return {**made, "is_error": True} if content.is_error else made
    if isinstance(content, Foreign) and content.shape == "anthropic":
        return deepcopy(dict(content.block))
    return {"type": "text", "text": text_of(content, "Anthropic's Messages")}


def _mark(units: Sequence[Unit], rendering: Rendering) -> None:
    """Mark the ends of the prefixes that the cache should hold."""
    is_hour = rendering.cache is not None and rendering.cache.ttl_seconds == _HOUR
    control = {"type": "ephemeral", **({"ttl": "1h"} if is_hour else {})}
    for block in to_mark(units, rendering, "cache_control", carries=lambda _, own: own.get("type") not in SIGNED):
        block["cache_control"] = control
