"""Layout: which text goes into which message, so that what a prompt cache holds stands first and stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from catalog.crusher.prefix.profiles import CacheProfile
from catalog.errors import UsageError
from catalog.renderer.front_matter import StateMode
from catalog.renderer.linking import PART, STATE, SYSTEM
from catalog.renderer.messages import PART_TAG, STATE_TAG, Message, without_tags
from catalog.renderer.names import SPECIALIZATION
from catalog.renderer.program import Program
from catalog.renderer.rendering import Rendering, hash_of_request
from catalog.renderer.segments import Segment, Written, segment, segments
from catalog.renderer.stability import Stability
from catalog.renderer.thresholds import Met
from catalog.renderer.values import plain
from catalog.selector.candidates import Candidate

POINTER = f"\nWhat changes from turn to turn stands in the last message, inside <{STATE_TAG}>.\n"
"""What the system prompt says of it; it stays as it is."""


def rendering(
    found: Program,
    candidate: Candidate,
    text: Written,
    met: tuple[Met, ...],
    *,
    history: Sequence[Message],
    tools: tuple[Mapping[str, Any], ...],
    key: str,
    head: str,
    state_mode: str | None,
    cache: CacheProfile | None,
) -> Rendering:
    """Return the messages of a prompt: the system prompt, the history, and behind it what changes."""
    mode = _mode(found, state_mode, cache)
    system = segments(text.channels.get(SYSTEM, []))
    tail = _tail(found, text)
    if tail:
        system.append(segment(POINTER, Stability.STATIC, found.tail[0].place))
    before = [own for own in history if mode == "append" or not own.is_state]
    messages = [Message(role="system", content=tuple(system), is_prompt=True)] if system else []
    messages += before
    if tail:
        messages.append(Message(role="user", content=tuple(tail), is_state=True))
    return Rendering(
        prompt=found.name,
        candidate=candidate,
        messages=tuple(messages),
        segments=(*system, *tail),
        thresholds=met,
        placement=_placement(found),
        state_mode=mode,
        tools=tools,
        power_rank=candidate.model.power_rank,
        head=head,
        cache=cache,
        memo_key=key,
        sha256=hash_of_request(messages, tools),
    )


def _tail(found: Program, text: Written) -> list[Segment]:
    """Return the last message: what was moved there, then the state, between tags that nothing inside can close.

    Whether there is one follows from the prompt alone, so that it does not come and go.
    """
    if not found.tail:
        return []
    moved = list(without_tags(segments(text.channels.get(PART, []))))
    state = list(without_tags(segments(text.channels.get(STATE, []))))
    begin, end = segment(f"<{STATE_TAG}>\n", Stability.STATIC), segment(f"\n</{STATE_TAG}>", Stability.STATIC)
    if any(mark.channel == PART for mark in found.tail):
        moved = [
            segment(f"<{PART_TAG}>\n", Stability.STATIC), *moved, segment(f"\n</{PART_TAG}>\n", Stability.STATIC),
        ]  # fmt: skip
    return [begin, *moved, *state, end]


def _placement(found: Program) -> str | None:
    if len(found.chains[0].sources) == 1:
        return None
    last = found.prompt
    own = next((part for part in found.parts if part.kind == SPECIALIZATION and part.source is last), None)
    return None if own is None else "trailing_message" if own.moved else "system_prompt"


def _mode(found: Program, asked: str | None, cache: CacheProfile | None) -> str:
    """Return what becomes of earlier states: what a caller says, else what the prompt says, else by the cache."""
    if asked is not None and asked not in get_args(StateMode):
        raise UsageError(f"state_mode {asked!r} is unknown", hint=f"Known: {', '.join(get_args(StateMode))}.")
    modes = [asked, *(own.front.state_mode for own in reversed(found.chains[0].sources))]
    said = next((mode for mode in modes if mode not in (None, "auto")), None)
    if said is not None:
        return said
    return "append" if cache is not None and cache.whole_only else "replace"


def tools_of(given: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return definitions of tools in order of their names, so that the order they come in changes nothing.

    Raises:
        UsageError: for what is no list, for one without a name, and for two of one name.
    """
    names: dict[str, Mapping[str, Any]] = {}
    if not isinstance(given, list | tuple):
        raise UsageError(f"tools are {given!r:.40}, no list", hint="Hand in their definitions, one behind the other.")
    for number, tool in enumerate(given):
        own = _function(tool, number)
        name = own["name"]
        if name in names:
            raise UsageError(f"two tools are named {name!r}", hint="Give each a name of its own.")
        names[name] = own
    return tuple(names[name] for name in sorted(names))


_TOOL_KEYS = frozenset({
    "type", "function", "name", "description", "strict", "parameters", "input_schema", "inputSchema", "cache_control",
    "title", "annotations", "icons", "outputSchema", "_meta",
})  # fmt: skip
"""Keys of a tool that are read, or say nothing to a model; marks for a cache are made anew."""


def _function(tool: Any, number: int) -> dict[str, Any]:
    """Return a tool as name, description and parameters, whichever vendor's form it comes in.

    Raises:
        UsageError: for what has no name, and for a tool of a vendor's own.
    """
    if not isinstance(tool, Mapping):
        raise UsageError(f"tool {number} is {tool!r:.40}, no definition", hint="Give name, description and parameters.")
    kind = tool.get("type", "function")
    if kind not in ("function", "custom") or "format" in tool or "custom" in tool:
        raise UsageError(f"tool {number} is of the kind {kind!r}", hint="Give name, description and parameters.")
    own = tool.get("function", tool)
    if not isinstance(own, Mapping) or not isinstance(own.get("name"), str) or not own["name"]:
        raise UsageError(f"tool {number} has no name", hint="Give name, description and parameters.")
    lost = next((key for key, value in {**tool, **own}.items() if value and key not in _TOOL_KEYS), None)
    if lost is not None:
        raise UsageError(f"tool {own['name']} has {lost!r}, which would be lost", hint="Leave it out.")
    if not isinstance(own.get("description") or "", str):
        raise UsageError(f"the description of tool {own['name']} is no text", hint="Say what it does.")
    made: dict[str, Any] = {"name": own["name"], "description": own.get("description") or ""}
    if own.get("strict") is not None:
        if not isinstance(own["strict"], bool):
            raise UsageError(f"strict of tool {own['name']} is {own['strict']!r:.40}, neither true nor false")
        made["strict"] = own["strict"]
    parameters = own.get("parameters", own.get("input_schema", own.get("inputSchema")))
    if parameters is not None and not isinstance(parameters, Mapping):
        why = f"the parameters of tool {own['name']} are {parameters!r:.40}, no JSON Schema"
        raise UsageError(why, hint="Give {'type': 'object', 'properties': {…}}.")
    return {**made, "parameters": plain(parameters, f"tools[{number}].parameters")} if parameters else made
