"""Pruning: messages that have expired are removed or made compact, behind the stable prefix and never in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from catalog.crusher.conversation import (
    Message,
    answers,
    calls,
    changed,
    check_pairs,
    shape_of,
    texts,
    without_pairs,
)
from catalog.crusher.estimate import text_tokens
from catalog.crusher.history.meta import Meta, MetaOf, metas, prefix_of
from catalog.crusher.missing import more_chars
from catalog.crusher.prefix import leading, serialised

FIRST_CHARS = 500
"""Characters that are left of a text that is made compact."""

Summarise = Callable[[str, Meta], str]
"""Returns the summary of a text, of which this much is known; may raise, and then the first characters are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What became of a message.

    Attributes:
        index: of the message among those given.
        what: ``removed`` or ``compacted``.
        saved: tokens, estimated.
        detail: how, in words.
    """

    index: int
    what: Literal["removed", "compacted"]
    saved: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A message that has expired and stays.

    Attributes:
        index: of the message.
        why: in words.
    """

    index: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """A pruned conversation.

    Attributes:
        messages: those that are left; the ones that did not change are the same objects.
        numbers: which of the given messages each of them is.
        actions: what became of the others, in order.
        deferred: those that have expired and stay, in order.
        boundary: how many messages are the stable prefix, which is as it was.
    """

    messages: tuple[Message, ...]
    numbers: tuple[int, ...]
    actions: tuple[Action, ...]
    deferred: tuple[Deferred, ...]
    boundary: int


def prune(
    messages: Sequence[Message],
    turn: int,
    *,
    meta: MetaOf | None = None,
    shape: str | None = None,
    is_stable: Callable[[Message, int], bool] | None = None,
    summarise: Summarise | None = None,
    first_chars: int = FIRST_CHARS,
) -> Pruned:
    """Return a conversation without what has expired; the messages given are not changed.

    A message has expired when more turns than `Meta.expires_after` lie between its turn and this one. A tool call
    goes with its results or not at all: a result whose call stays is made compact instead. What has expired in the
    stable prefix is deferred.

    Args:
        messages: the messages, in order.
        turn: the turn that is being prepared.
        meta: what is known of each message, see `default_meta`, by which nothing expires.
        shape: see `shape_of`.
        is_stable: says which messages are the stable prefix, a leading run; by default those before the first tool
            call.
        summarise: makes a text compact; the first characters are kept without, and where it fails.
        first_chars: how many.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    if first_chars < 0:
        raise ValueError(f"first_chars is {first_chars}: at least 0")
    shape_of(messages, shape)
    check_pairs(messages)
    known = metas(messages, meta)
    boundary = prefix_of(known) if is_stable is None else leading(messages, is_stable)
    expired = [index for index, own in enumerate(known) if _has_expired(own, turn)]
    deferred = [Deferred(index=index, why="it lies in the stable prefix") for index in expired if index < boundary]
    modes = {index: known[index].mode for index in expired if index >= boundary}
    fixed = {*range(boundary), *(index for index, own in enumerate(known) if own.protected)}
    gone = removable(messages, {index for index, mode in modes.items() if mode == "remove"}, fixed)
    kept: dict[int, Message] = {}
    actions: list[Action] = []
    for index, message in enumerate(messages):
        left: Message | None = message
        if index in gone.messages and not answers(message):
            left = None
        elif gone.ids.intersection([*calls(message), *answers(message)]):
            left = without_pairs(message, gone.ids)
        elif index in modes:
            left = compact_text(message, known[index], summarise, first_chars)
        if left is not None:
            kept[index] = left
        if left is not message:
            actions.append(_action(index, message, left, modes.get(index, "remove")))
        elif index in modes:
            deferred.append(Deferred(index=index, why=_why_not(message, modes[index])))
    return Pruned(
        messages=tuple(kept.values()),
        numbers=tuple(kept),
        actions=tuple(actions),
        deferred=tuple(sorted(deferred, key=lambda own: own.index)),
        boundary=boundary,
    )


def _has_expired(own: Meta, turn: int) -> bool:
    return (
        own.expires_after is not None
        and own.mode != "none"
        and not own.protected
        and turn - own.turn > own.expires_after
    )


class Gone(NamedTuple):
    """What can be removed together.

    Attributes:
        messages: those that go, by their numbers.
        ids: of the tool calls that go with them.
    """

    messages: frozenset[int]
    ids: frozenset[str]


def removable(messages: Sequence[Message], wanted: Collection[int], fixed: Collection[int]) -> Gone:
    """Return which of some messages can be removed without a tool call losing its result, or a result its call.

    Args:
        messages: all messages.
        wanted: the numbers of those that are to go.
        fixed: the numbers of those that may not be changed, so what answers a call of theirs stays.
    """
    made = {own: index for index, message in enumerate(messages) for own in calls(message)}
    pairs = {index: {*calls(message), *answers(message)} for index, message in enumerate(messages)}
    going = set(wanted)
    while True:
        ids = {own for index in going for own in pairs[index]}
        stays = {
            own
            for index, known in pairs.items()
            if index not in going
            for own in answers(messages[index])
            if own in known
        }
        stays |= {own for own in ids if made.get(own) in fixed}
        blocked = {index for index in going if pairs[index] & stays}
        if not blocked:
            return Gone(frozenset(going), frozenset(ids))
        going -= blocked


def compact_text(message: Message, own: Meta, summarise: Summarise | None, first_chars: int) -> Message:
    """Return a message with shorter texts, the message itself where none is shorter.

    Of a message that answers tool calls only what the tools say is made shorter, and nothing that a user says beside.
    """
    places = [place for place in texts(message) if place.result_of or own.kind != "tool-result"]
    shorter = {
        place.keys: text
        for place in places
        if len(text := _shortened(place.text, own, summarise, first_chars)) < len(place.text)
    }
    return changed(message, shorter) if shorter else message


def _shortened(text: str, own: Meta, summarise: Summarise | None, first_chars: int) -> str:
    """Return what a caller's summary says; the first characters where there is none, it fails, or it is blank."""
    try:
        summary = "" if summarise is None else summarise(text, own)
    except Exception:  # whatever a model, a network or a caller's code may raise: the text itself is still there
        summary = ""
    if is_said(summary):
        return summary
    return f"{text[:first_chars]}{more_chars(len(text) - first_chars)}" if len(text) > first_chars else text


def is_said(summary: object) -> bool:
    """Return whether a summary is one: a text that is not blank."""
    return isinstance(summary, str) and bool(summary.strip())


def _action(index: int, message: Message, left: Message | None, mode: str) -> Action:
    if left is None:
        detail = "its calls went with their results" if calls(message) else "it has expired"
        return Action(index=index, what="removed", saved=tokens_of(message), detail=detail)
    what: Literal["removed", "compacted"] = "removed" if calls(left) != calls(message) else "compacted"
    compacted = "its texts are shorter" if mode == "compact" else "its call stays"
    detail = "its calls went with their results" if what == "removed" else compacted
    return Action(index=index, what=what, saved=tokens_of(message) - tokens_of(left), detail=detail)


def tokens_of(message: Message) -> int:
    """Return about how many tokens a message takes."""
    return round(text_tokens(serialised(message)))


def _why_not(message: Message, mode: str) -> str:
    if mode == "compact" or answers(message):
        return "nothing is shorter"
    return "a result of its calls stays"
