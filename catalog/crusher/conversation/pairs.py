"""Pairs: tool calls and their results, which stay together or go together. Vendors' ids may repeat; pairs do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from catalog.crusher.conversation.texts import Message, blocks, is_tool, result_id


def calls(message: Message) -> list[str]:
    """Return the ids of the tool calls that a message makes, in order."""
    made = [str(call.get("id", "?")) for call in message.get("tool_calls") or ()]
    if _has_function_call(message):  # the form before there were several calls: by its name
        made.append(str(message["function_call"].get("name", "?")))
    return made + [str(block.get("id", "?")) for block in blocks(message) if _is_call(block)]


def answers(message: Message) -> list[str]:
    """Return the ids of the tool calls that a message answers, in order."""
    if is_tool(message):
        return [result_id(message)]
    return [result_id(block) for block in blocks(message) if _is_result(block)]


class Call(NamedTuple):
    """A tool call.

    Attributes:
        message: number of the message that makes it.
        place: its number among those.
    """

    message: int
    place: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """The tool calls of a conversation.

    Attributes:
        made: those that each message makes, in order.
        answered: those that each message answers, in order.
    """

    made: tuple[tuple[Call, ...], ...]
    answered: tuple[tuple[Call, ...], ...]

    def of(self, index: int) -> frozenset[Call]:
        """Return the calls that a message makes or answers."""
        return frozenset((*self.made[index], *self.answered[index]))


def pairs_of(messages: Sequence[Message]) -> Pairs:
    """Return which result answers which call: the latest with its id that has no result yet, else the latest.

    Raises:
        ValueError: for a result that answers no call before it, naming message and id.
    """
    made: list[tuple[Call, ...]] = []
    answered: list[tuple[Call, ...]] = []
    known: dict[str, list[Call]] = {}
    open_: dict[str, list[Call]] = {}
    for number, message in enumerate(messages):
        found = []
        for own in answers(message):
            if own not in known:
                raise ValueError(f"message {number} answers the tool call {own!r}, which no message before it makes")
            waiting = open_.get(own)
            found.append(waiting.pop(0) if waiting else known[own][-1])
        ids = calls(message)
        own_calls = tuple(Call(number, place) for place in range(len(ids)))
        for name in ids:  # a call that was never answered is not answered behind another with its id
            open_[name] = []
        for call, name in zip(own_calls, ids, strict=True):
            known.setdefault(name, []).append(call)
            open_[name].append(call)
        made.append(own_calls)
        answered.append(tuple(found))
    return Pairs(tuple(made), tuple(answered))


@dataclass(frozen=True, slots=True)
class Gone:
    """What can be removed together.

    Attributes:
        messages: those that go, by their numbers.
        calls: the tool calls that go with them.
    """

    messages: frozenset[int]
    calls: frozenset[Call]


def removable(pairs: Pairs, wanted: Collection[int], fixed: Collection[int]) -> Gone:
    """Return which of some messages can be removed without a tool call losing its result, or a result its call.

    Args:
        pairs: the tool calls of all messages.
        wanted: the numbers of those that are to go.
        fixed: the numbers of those that may not be changed: what they call and answer stays.
    """
    touched = {index: pairs.of(index) for index in wanted}
    going = {index for index in wanted if index not in fixed}
    pinned = {call for index in fixed for call in pairs.of(index)}
    while True:
        answered = {call for index, own in enumerate(pairs.answered) if index not in going for call in own}
        blocked = {index for index in going if touched[index] & (answered | pinned)}
        if not blocked:
            return Gone(frozenset(going), frozenset(call for index in going for call in touched[index]))
        going -= blocked


def without(message: Message, index: int, pairs: Pairs, gone: Gone) -> Message | None:
    """Return a message without what goes of it: itself where nothing does, None where nothing is left to say.

    Args:
        message: the message.
        index: its number.
        pairs: the tool calls of all messages.
        gone: what goes.
    """
    if index in gone.messages and not pairs.answered[index]:
        return None
    made = {place for place, call in enumerate(pairs.made[index]) if call in gone.calls}
    answered = {place for place, call in enumerate(pairs.answered[index]) if call in gone.calls}
    if not made and not answered:
        return message
    if is_tool(message):
        return None
    left = _without_calls(message, made, answered)
    return left if calls(left) or _says_something(left) else None


def _without_calls(message: Message, made: Collection[int], answered: Collection[int]) -> dict[str, Any]:
    """Return a copy of a message without the calls and results in some places, counted as `calls` and `answers` do."""
    left: dict[str, Any] = dict(message)
    listed = list(message.get("tool_calls") or ())
    kept = [call for place, call in enumerate(listed) if place not in made]
    if len(kept) < len(listed):
        left["tool_calls"] = kept
        if not kept:
            del left["tool_calls"]
    place = len(listed)
    if _has_function_call(message):
        if place in made:
            del left["function_call"]
        place += 1
    if isinstance(message.get("content"), list | tuple):
        gone_calls = {number - place for number in made}
        left["content"] = _blocks_left(message["content"], gone_calls, answered)
    return left


def _blocks_left(content: Sequence[Any], made: Collection[int], answered: Collection[int]) -> list[Any]:
    kept, calls_seen, results_seen = [], 0, 0
    for block in content:
        goes = (_is_call(block) and calls_seen in made) or (_is_result(block) and results_seen in answered)
        calls_seen += _is_call(block)
        results_seen += _is_result(block)
        if not goes:
            kept.append(block)
    return kept


def _has_function_call(message: Message) -> bool:
    return isinstance(message.get("function_call"), Mapping)


def _is_call(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_use"


def _is_result(block: Any) -> bool:
    return isinstance(block, Mapping) and block.get("type") == "tool_result"


def _says_something(message: Message) -> bool:
    content = message.get("content")
    if isinstance(content, str):
        return bool(content.strip())
    return any(_says(block) for block in content or ())


def _says(block: Any) -> bool:
    if not isinstance(block, Mapping) or block.get("type") in _THOUGHTS:
        return not isinstance(block, Mapping)
    return block.get("type") != "text" or bool(str(block.get("text", "")).strip())


_THOUGHTS = ("thinking", "redacted_thinking")
"""Blocks that may not stand alone."""
