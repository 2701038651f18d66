"""Anthropic's Messages: the system prompt in blocks, tool results as the user's, and marks for the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.crusher.prefix.breakpoints import breakpoints
from catalog.renderer.adapters.shared import arguments_of, grouped, model_of, no_system, refused
from catalog.renderer.messages import Foreign, Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment
from catalog.renderer.stability import Stability
from catalog.tokens import estimate

_HOUR = 3_600


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``model``, ``system``, ``messages`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {**model_of(rendering)}
    if rendering.tools:
        made["tools"] = [_tool(tool) for tool in rendering.tools]
    sent = grouped(rendering.messages)
    first = sent[0] if sent else None
    system = _system(first) if first is not None and first.role == "system" else []
    rest = sent[bool(system) :]
    messages = [_message(own, number) for number, own in enumerate(rest, bool(system))]
    if rendering.cache is not None and rendering.cache.breakpoints:
        _mark(system, messages, rest, rendering)
    if system:
        made["system"] = [block for block, _ in system]
    made["messages"] = messages
    return made


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    schema = tool.get("parameters") or {"type": "object", "properties": {}}
    return {"name": tool["name"], "description": tool.get("description", ""), "input_schema": schema}


def _system(message: Message) -> list[tuple[dict[str, Any], Stability]]:
    """Return the blocks of the system prompt: what stands before the first text that is not static, and the rest."""
    blocks: list[tuple[dict[str, Any], Stability]] = []
    for own in message.content:
        if not isinstance(own, Segment):
            continue
        if blocks and (blocks[-1][1] is not Stability.STATIC or own.stability is Stability.STATIC):
            blocks[-1][0]["text"] += own.text
        else:
            blocks.append(({"type": "text", "text": own.text}, own.stability))
    return blocks


def _message(message: Message, number: int) -> dict[str, Any]:
    if message.role == "system":
        raise no_system(message, number, "Anthropic's Messages")
    role = "user" if message.role == "tool" else message.role
    parts = message.content
    if all(isinstance(own, Segment) for own in parts):
        return {"role": role, "content": [{"type": "text", "text": "".join(own.text for own in parts)}]}  # type: ignore[union-attr]
    return {"role": role, "content": [_block(own) for own in parts]}


def _block(content: Any) -> dict[str, Any]:
    if isinstance(content, Segment):
        return {"type": "text", "text": content.text}
    if isinstance(content, ToolCall):
        return {"type": "tool_use", "id": content.id, "name": content.name, "input": arguments_of(content)}
    if isinstance(content, ToolResult):
        inside = [_block(own) for own in content.content]
        made = {"type": "tool_result", "tool_use_id": content.id, "content": inside}
        return {**made, "is_error": True} if content.is_error else made
    if isinstance(content, Foreign) and content.shape == "anthropic":
        return dict(content.block)
    raise refused(content, "Anthropic's Messages")


def _mark(
    system: list[tuple[dict[str, Any], Stability]],
    messages: list[dict[str, Any]],
    rest: Sequence[Message],
    rendering: Rendering,
) -> None:
    """Mark the ends of the prefixes that a cache should hold: of what is shared, and of what precedes the state."""
    stable = [own for own, message in zip(messages, rest, strict=True) if not message.is_state]
    kept = [[block] for block, _ in system] + [own["content"] for own in stable]
    roles = ["system" if stability is Stability.STATIC else "session" for _, stability in system]
    units = [{"role": role} for role in [*roles, *(own["role"] for own in stable)]]
    profile: Any = rendering.cache
    sizes = [sum(estimate(str(block)) for block in own) for own in kept]
    if sizes and rendering.tools:
        sizes[0] += estimate(str(rendering.tools))  # they are sent first
    control = {"type": "ephemeral", **({"ttl": "1h"} if profile.ttl_seconds == _HOUR else {})}
    for own in breakpoints(units, sizes, profile):
        if kept[own.index] and kept[own.index][-1].get("type") not in ("thinking", "redacted_thinking"):
            kept[own.index][-1]["cache_control"] = control
