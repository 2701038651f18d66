"""Recovering: a conversation that overflowed its window, shortened in fixed steps until it fits again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from catalog.crusher.conversation.pairs import answers, calls, removable, without_pairs
from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.meta import Meta, MetaOf, boundary_of, latest_turn, metas
from catalog.crusher.history.shortening import shortened

RECOVERED = 0.9
"""Share of the window that an overflowing conversation is brought down to."""
_OLD, _STALE = 5, 2
"""Turns after which tool results are removed at first, and after which they are removed next."""
_COMPACTED = 3
"""Turns after which they are made compact in between."""
LAST_CHARS = 1_000
"""Characters that the last message of the user is cut to, when nothing else is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A conversation that overflowed, and fits again.

    Attributes:
        messages: what is left.
        steps: what was done, in words, in order.
        before: tokens, estimated.
        after: tokens, estimated.
        fits: whether they are few enough.
        prefix_changed: whether a message of the stable prefix changed: the prompt cache is lost then.
    """

    messages: tuple[Message, ...]
    steps: tuple[str, ...]
    before: int
    after: int
    fits: bool
    prefix_changed: bool


def recover(
    messages: Sequence[Message],
    limit: int,
    *,
    meta: MetaOf | None = None,
    shape: str | None = None,
    is_stable: Callable[[Message, int], bool] | None = None,
) -> Recovered:
    """Return a conversation that no longer fits its window, shortened in fixed steps until it takes 90 % of it.

    Tool results of five turns and older are removed with their calls; those of three turns are made compact; those of
    two are removed; all are made compact; all other messages before the latest turn are; the last message of the user
    is cut to a thousand characters. System messages and what is protected stay. The steps may reach into the stable
    prefix: losing the cache is the price of not failing.

    Args:
        messages: the messages, in order; they are not changed.
        limit: tokens of the window, at least 1.
        meta: what is known of each message, see `default_meta`.
        shape: see `shape_of`.
        is_stable: says which messages are the stable prefix; by default those before the first tool call.

    Raises:
        ValueError: for a limit below 1, and for messages that are of no known shape.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}: at least 1")
    known = metas(messages, meta, shape)
    last = latest_turn(known)
    aged = [last - own.turn if own.kind == "tool-result" and not own.protected else -1 for own in known]
    left: dict[int, Message] = dict(enumerate(messages))
    prefix = boundary_of(messages, known, is_stable)
    fixed = {index for index, own in enumerate(known) if own.protected}
    steps: list[str] = []
    before = _size(left)

    def step(told: str, after: dict[int, Message]) -> None:
        nonlocal left
        if after != left and _size(left) > RECOVERED * limit:
            steps.append(told)
            left = after

    step("tool results of 5 turns and older were removed", _removed(messages, left, aged, _OLD, fixed))
    step("tool results of 3 turns and older were made compact", _compacted(left, known, aged, _COMPACTED))
    step("tool results of 2 turns and older were removed", _removed(messages, left, aged, _STALE, fixed))
    step("all tool results were made compact", _compacted(left, known, aged, 0))
    others = [0 if own.kind != "system" and not own.protected and own.turn < last else -1 for own in known]
    step("older messages were made compact", _compacted(left, known, others, 0))
    step("the last message of the user was cut", _cut(left, known))
    kept = {index: left[index] for index in sorted(left)}
    return Recovered(
        messages=tuple(kept.values()),
        steps=tuple(steps),
        before=before,
        after=_size(left),
        fits=_size(left) <= RECOVERED * limit,
        prefix_changed=any(left.get(index) is not messages[index] for index in range(prefix)),
    )


def _size(left: Mapping[int, Message]) -> int:
    return sum(map(tokens_of, left.values()))


def _removed(
    messages: Sequence[Message],
    left: Mapping[int, Message],
    aged: Sequence[int],
    turns: int,
    fixed: Collection[int],
) -> dict[int, Message]:
    gone = removable(messages, {index for index, age in enumerate(aged) if age >= turns}, fixed)
    kept: dict[int, Message] = {}
    for index, message in left.items():
        touched = gone.ids.intersection([*calls(message), *answers(message)])
        own = without_pairs(message, gone.ids) if touched else message
        if own is not None:
            kept[index] = own
    return kept


def _compacted(
    left: Mapping[int, Message], known: Sequence[Meta], aged: Sequence[int], turns: int
) -> dict[int, Message]:
    return {
        index: shortened(message, known[index], None) if aged[index] >= turns else message
        for index, message in left.items()
    }


def _cut(left: Mapping[int, Message], known: Sequence[Meta]) -> dict[int, Message]:
    users = [index for index in left if known[index].kind == "user" and not known[index].protected]
    if not users:
        return dict(left)
    return {**left, users[-1]: shortened(left[users[-1]], known[users[-1]], None, LAST_CHARS)}
