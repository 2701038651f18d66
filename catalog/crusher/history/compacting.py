"""Compacting: a conversation made shorter by a caller's summaries, what matters least first, system messages never."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.crusher.checking import check_count
from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.meta import Kind, Meta, MetaOf, latest_turn, metas
from catalog.crusher.history.shortening import Summarise, summarised
from catalog.crusher.history.utilization import MOST_REDUCTION

_ORDER: tuple[tuple[Kind, ...], ...] = (("tool-result",), ("user", "assistant", "tool-call"), ("document",))
"""What is made compact first: tool outputs, then old turns, then retrieved documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """A conversation made compact.

    Attributes:
        messages: the messages; the ones that did not change are the same objects.
        changed: the numbers of the others, in the order in which they were made compact.
        failed: the numbers of those whose summary failed, and which stay, with the reason.
        before: tokens, estimated.
        after: tokens, estimated.
        reached: whether the target was reached.
        audit: whether so much went that the summaries are to be looked at.
    """

    messages: tuple[Message, ...]
    changed: tuple[int, ...]
    failed: tuple[tuple[int, str], ...]
    before: int
    after: int
    reached: bool
    audit: bool


def compact(
    messages: Sequence[Message],
    summarise: Summarise,
    *,
    target: int,
    meta: MetaOf | None = None,
    shape: str | None = None,
    turn: int | None = None,
) -> Compacted:
    """Return a conversation of at most so many tokens, as far as summaries make it so.

    Tool outputs are made compact first, then old turns, then retrieved documents, the oldest first; never system
    messages, what is protected, and the latest turn. Tool calls keep their results.

    Args:
        messages: the messages, in order; they are not changed.
        summarise: makes a text compact.
        target: tokens that may be left, at least 1.
        meta: what is known of each message, see `default_meta`.
        shape: see `shape_of`.
        turn: the latest turn; by default that of the last message.

    Raises:
        ValueError: for a target below 1, and for messages that are of no known shape.
    """
    check_count("target", target, least=1)
    known = metas(messages, meta, shape)
    last = latest_turn(known) if turn is None else turn
    made = list(messages)
    sizes = [tokens_of(message) for message in messages]
    before = after = sum(sizes)
    done: list[int] = []
    failed: list[tuple[int, str]] = []
    for index in _in_order(known, last):
        if after <= target:
            break
        try:
            made[index] = summarised(made[index], known[index], summarise)
        except Exception as error:  # whatever a model or a network may raise: the message stays, and it is told
            failed.append((index, f"{type(error).__name__}: {error}"))
            continue
        if made[index] is not messages[index]:
            done.append(index)
            after += tokens_of(made[index]) - sizes[index]
    return Compacted(
        messages=tuple(made),
        changed=tuple(done),
        failed=tuple(failed),
        before=before,
        after=after,
        reached=after <= target,
        audit=before > 0 and 1 - after / before > MOST_REDUCTION,
    )


def _in_order(known: Sequence[Meta], last: int) -> list[int]:
    kinds = [kind for group in _ORDER for kind in group]
    ranks = {kind: rank for rank, group in enumerate(_ORDER) for kind in group}
    may = [n for n, own in enumerate(known) if own.kind in kinds and not own.protected and own.turn < last]
    return sorted(may, key=lambda index: (ranks[known[index].kind or "user"], index))
