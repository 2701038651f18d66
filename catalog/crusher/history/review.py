"""Review: what pruning and masking would do to a conversation, message by message, and what that saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.masking import Masked, Policy, mask
from catalog.crusher.history.meta import Meta, MetaOf, latest_turn, metas
from catalog.crusher.history.pruning import prune
from catalog.crusher.history.stores import MemoryStore
from catalog.crusher.prefix.partitioning import Partition, partition_stable_prefix

What = Literal["stays", "removed", "compacted", "masked", "deferred"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What would become of one message.

    Attributes:
        index: its number.
        turn: the turn in which it was added.
        kind: what it is.
        tokens: it takes, estimated.
        action: ``stays``, ``removed``, ``compacted``, ``masked`` or ``deferred``.
        saved: tokens, estimated.
        why: in words; '' where there is nothing to say.
    """

    index: int
    turn: int
    kind: str
    tokens: int
    action: What
    saved: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What would become of a conversation.

    Attributes:
        rows: one for each message.
        messages: what would be left.
        prefix: its stable part, which stays as it is.
        masked: what masking would do to what is left, and what waits, by the numbers of the messages given.
        before: tokens, estimated.
        after: tokens, estimated.
    """

    rows: tuple[Row, ...]
    messages: tuple[Message, ...]
    prefix: Partition
    masked: Masked
    before: int
    after: int


def review(messages: Sequence[Message], turn: int | None, policy: Policy, *, meta: MetaOf | None = None) -> Review:
    """Return what pruning, then masking, would do to a conversation; nothing is changed or stored.

    Args:
        messages: the messages, in order.
        turn: the turn that is being prepared; by default that of the last message.
        policy: of masking.
        meta: what is known of each message, see `default_meta`.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    known = metas(messages, meta)
    latest = latest_turn(known) if turn is None else turn
    pruned = prune(messages, latest, meta=meta)
    masked = mask(
        pruned.messages, MemoryStore(), policy, turn=latest, meta=lambda _, place: known[pruned.numbers[place]]
    )
    if masked.waiting is not None:
        numbers = tuple(pruned.numbers[place] for place in masked.waiting.messages)
        masked = replace(masked, waiting=replace(masked.waiting, messages=numbers))
    told: dict[int, tuple[What, str]] = {own.index: ("deferred", own.why) for own in pruned.deferred}
    told |= {own.index: (own.what, own.detail) for own in pruned.actions}
    left = dict(zip(pruned.numbers, masked.messages, strict=True))
    for number, before, after in zip(pruned.numbers, pruned.messages, masked.messages, strict=True):
        if after is not before:
            told[number] = ("masked", "it has served")
    for number in masked.waiting.messages if masked.waiting else ():
        told.setdefault(number, ("deferred", "masking it does not pay yet"))
    rows = [_row(index, message, known[index], told, left.get(index)) for index, message in enumerate(messages)]
    return Review(
        rows=tuple(rows),
        messages=masked.messages,
        prefix=partition_stable_prefix(messages, lambda _, index: index < pruned.boundary),
        masked=masked,
        before=sum(row.tokens for row in rows),
        after=sum(row.tokens - row.saved for row in rows),
    )


def _row(index: int, message: Message, own: Meta, told: Mapping[int, tuple[What, str]], left: Message | None) -> Row:
    action, why = told.get(index, ("stays", ""))
    tokens = tokens_of(message)
    saved = tokens - (0 if left is None else tokens_of(left))
    return Row(index=index, turn=own.turn, kind=own.kind or "user", tokens=tokens, action=action, saved=saved, why=why)
