"""Pruning: messages that have expired are removed or made compact, behind the stable prefix and never in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.crusher.checking import check_count
from catalog.crusher.conversation.pairs import answers, calls, pairs_of, removable, without
from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.meta import Meta, MetaOf, boundary_of, kind_of, metas
from catalog.crusher.history.shortening import FIRST_CHARS, Summarise, shortened


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
    goes with its results or not at all: a result whose call stays is made compact instead, and so is what the user
    says first, with which a conversation begins. What has expired in the stable prefix is deferred.

    Args:
        messages: the messages, in order.
        turn: the turn that is being prepared.
        meta: what is known of each message, see `default_meta`, by which nothing expires.
        shape: see `shape_of`.
        is_stable: says which messages are the stable prefix, a leading run; by default see `boundary_of`.
        summarise: makes a text compact; the first characters are kept without, and where it fails.
        first_chars: how many.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    check_count("turn", turn)
    check_count("first_chars", first_chars)
    known = metas(messages, meta, shape)
    boundary = boundary_of(messages, known, is_stable)
    expired = {index: own.mode for index, own in enumerate(known) if _has_expired(own, turn)}
    begins = next((index for index, own in enumerate(messages) if kind_of(own) != "system"), None)
    modes: dict[int, str] = {index: mode for index, mode in expired.items() if index >= boundary}
    if begins in modes and modes[begins] == "remove":
        modes[begins] = _BEGINS
    fixed = {*range(boundary), *(index for index, own in enumerate(known) if own.protected)}
    pairs = pairs_of(messages)
    wanted = {index for index, mode in modes.items() if mode == "remove"}
    gone = removable(pairs, wanted, fixed)
    left: dict[int, Message | None] = {}
    for index, message in enumerate(messages):
        left[index] = without(message, index, pairs, gone)
        if left[index] is message and index in modes:
            left[index] = shortened(message, known[index], summarise, first_chars)
    stays = [index for index in expired if left[index] is messages[index]]
    return Pruned(
        messages=tuple(own for own in left.values() if own is not None),
        numbers=tuple(index for index, own in left.items() if own is not None),
        actions=tuple(
            _action(index, messages[index], own, modes.get(index, "remove"))
            for index, own in left.items()
            if own is not messages[index]
        ),
        deferred=tuple(Deferred(index=index, why=_why_not(messages[index], modes.get(index))) for index in stays),
        boundary=boundary,
    )


_BEGINS = "begins"
"""Stands for the mode of what the user says first: it is not removed."""


def _has_expired(own: Meta, turn: int) -> bool:
    return (
        own.expires_after is not None
        and own.mode != "none"
        and not own.protected
        and turn - own.turn > own.expires_after
    )


def _action(index: int, message: Message, left: Message | None, mode: str) -> Action:
    saved = tokens_of(message) - (0 if left is None else tokens_of(left))
    if left is None or answers(left) != answers(message) or calls(left) != calls(message):
        pairs = "its calls went with their results" if calls(message) else "its results went with their calls"
        detail = "it has expired" if left is None and not calls(message) else pairs
        return Action(index=index, what="removed", saved=saved, detail=detail)
    detail = {"compact": "its texts are shorter", _BEGINS: "a conversation begins with it"}.get(mode, "its call stays")
    return Action(index=index, what="compacted", saved=saved, detail=detail)


def _why_not(message: Message, mode: str | None) -> str:
    if mode is None:
        return "it lies in the stable prefix"
    if mode == _BEGINS:
        return "a conversation begins with it"
    if mode == "compact" or answers(message):
        return "nothing is shorter"
    return "a result of its calls stays"
