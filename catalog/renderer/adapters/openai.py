"""Chat Completions: tool results as messages of their own, and marks for the caches that take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from catalog.crusher.prefix.profiles import Style
from catalog.renderer.adapters.shared import (
    Unit,
    beside,
    is_whole,
    model_of,
    system_blocks,
    text_of,
    to_mark,
    units_of,
    whole,
    without_state,
)
from catalog.renderer.messages import Foreign, Message, ToolCall, ToolResult
from catalog.renderer.rendering import Rendering
from catalog.renderer.segments import Segment

_STYLE: Style = "prompt_cache_breakpoint"


def request(rendering: Rendering) -> dict[str, Any]:
    """Return a request: ``model``, ``messages`` and, where there are any, ``tools``."""
    made: dict[str, Any] = {**model_of(rendering)}
    takes_marks = rendering.cache is not None and rendering.cache.breakpoint_style == _STYLE
    made["messages"] = (
        _marked(rendering) if takes_marks else [own for message in rendering.messages for own in _messages(message)]
    )
    if rendering.tools:
        made["tools"] = [{"type": "function", "function": _function(tool)} for tool in rendering.tools]
    return made


def _marked(rendering: Rendering) -> list[dict[str, Any]]:
    """Return the messages for a cache that takes marks: in blocks, so that a mark changes no message's form."""
    made: list[dict[str, Any]] = []
    units: list[Unit] = []
    stable = without_state(rendering.messages)
    for number, message in enumerate(rendering.messages):
        system = system_blocks(message) if message.is_prompt else []
        for own in _messages(message):
            blocks = [block for block, _ in system] or _blocks(own["content"])
            if own["role"] != "assistant" and blocks:
                own["content"] = blocks
            made.append(own)
            if number < len(stable):
                units += units_of(system) or [(own["role"], blocks)]
    for block in to_mark(units, rendering, _STYLE, carries=lambda role, _: role != "assistant"):
        block[_STYLE] = {"mode": "explicit"}
    return made


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content or []


def _function(tool: Mapping[str, Any]) -> dict[str, Any]:
    parameters = deepcopy(tool.get("parameters")) or {"type": "object", "properties": {}}
    made = {"name": tool["name"], "description": tool["description"], "parameters": parameters}
    return {**made, "strict": tool["strict"]} if "strict" in tool else made


def _messages(message: Message) -> Iterator[dict[str, Any]]:
    results = [own for own in message.content if isinstance(own, ToolResult)]
    for result in results:
        content = _content(result.content)
        yield {"role": "tool", "tool_call_id": result.id, "content": _failed(content) if result.is_error else content}
    rest: list[Segment | Foreign] = [own for own in message.content if isinstance(own, Segment | Foreign)]
    if is_whole(message):
        rest = [*whole(message)]
    calls = [_call(own) for own in message.content if isinstance(own, ToolCall)]
    if rest or calls or not results:
        made: dict[str, Any] = {"role": message.role, "content": _content(rest) if rest or not calls else None}
        yield {**made, "tool_calls": calls} if calls else made


def _call(call: ToolCall) -> dict[str, Any]:
    made = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": made, **beside(call, "openai-chat")}


def _failed(content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return what a tool answered that failed, with a word for it, since the form has none."""
    if isinstance(content, str):
        return content if content.lower().startswith("error") else f"Error: {content}"
    return [{"type": "text", "text": "Error:"}, *content]


def _content(parts: Sequence[Segment | Foreign]) -> str | list[dict[str, Any]]:
    """Return a text as it is, and several of them, or what is none, as blocks."""
    said = [own for own in parts if isinstance(own, Foreign) or own.text]
    if len(said) > 1 or any(isinstance(own, Foreign) for own in said):
        return [_block(own) for own in said]
    return "".join(own.text for own in said if isinstance(own, Segment))


def _block(content: Segment | Foreign) -> dict[str, Any]:
    if isinstance(content, Foreign) and content.shape == "openai-chat":
        return deepcopy(dict(content.block))
    return {"type": "text", "text": text_of(content, "Chat Completions")}
