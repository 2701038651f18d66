"""Recovering: a conversation that overflowed its window, shortened in fixed steps until it fits again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog.crusher.checking import check_count
from catalog.crusher.conversation.pairs import pairs_of, removable, without
from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.history.meta import Meta, MetaOf, boundary_of, latest_turn, metas
from catalog.crusher.history.shortening import shortened

RECOVERED = 0.9
"""Share of the window that an overflowing conversation is brought down to: the answer needs room, too."""
_REMOVED, _COMPACTED, _REMOVED_NEXT = 5, 3, 2
"""Turns after which tool results are removed, then made compact, then removed: the plan that this follows."""
LAST_CHARS = 1_000
"""Characters that the last message of the user is cut to, when nothing else is left: a question is shorter."""

_Left = Mapping[int, Message]
"""What is left, by its number among the messages given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """A conversation that overflowed, and fits again.

    Attributes:
        messages: what is left.
        steps: what was done, in words, in order.
        before: tokens, estimated.
        after: tokens, estimated.
        fits: whether the window takes them.
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

    One that fits is left as it is.

    Tool results of five turns and older are removed with their calls; those of three turns are made compact; those of
    two are removed; all are made compact; all other messages before the latest turn are; the last message of the user
    is cut to a thousand characters. System messages and what is protected stay. The steps may reach into the stable
    prefix: losing the cache is the price of not failing.

    Args:
        messages: the messages, in order; they are not changed.
        limit: tokens of the window, at least 1.
        meta: what is known of each message, see `default_meta`.
        shape: see `shape_of`.
        is_stable: says which messages are the stable prefix; by default see `boundary_of`.

    Raises:
        ValueError: for a limit below 1, and for messages that are of no known shape.
    """
    check_count("limit", limit, least=1)
    known = metas(messages, meta, shape)
    prefix = boundary_of(messages, known, is_stable)
    sizes = {index: tokens_of(message) for index, message in enumerate(messages)}
    before = sum(sizes.values())
    left: _Left = dict(enumerate(messages))
    steps: list[str] = []
    for told, change in _steps(known) if before > limit else ():
        if sum(sizes.values()) <= RECOVERED * limit:
            break
        after = change(left)
        changed = [index for index, message in left.items() if after.get(index) is not message]
        if changed:
            steps.append(told)
            sizes |= {index: tokens_of(after[index]) if index in after else 0 for index in changed}
            left = after
    return Recovered(
        messages=tuple(left.values()),
        steps=tuple(steps),
        before=before,
        after=sum(sizes.values()),
        fits=sum(sizes.values()) <= limit,
        prefix_changed=any(left.get(index) is not messages[index] for index in range(prefix)),
    )


def _steps(known: Sequence[Meta]) -> Iterator[tuple[str, Callable[[_Left], _Left]]]:
    """Yield what is done, in words, and what does it, in order."""
    last = latest_turn(known)
    results = [n for n, own in enumerate(known) if own.kind == "tool-result" and not own.protected]
    others = {n for n, own in enumerate(known) if not own.protected and own.kind != "system" and own.turn < last}

    def old(turns: int) -> set[int]:
        return {n for n in results if last - known[n].turn >= turns}

    def removed(turns: int) -> Callable[[_Left], _Left]:
        return lambda left: _removed(left, old(turns), known)

    def compacted(wanted: set[int]) -> Callable[[_Left], _Left]:
        return lambda left: {n: shortened(own, known[n], None) if n in wanted else own for n, own in left.items()}

    yield f"tool results of {_REMOVED} turns and older were removed", removed(_REMOVED)
    yield f"tool results of {_COMPACTED} turns and older were made compact", compacted(old(_COMPACTED))
    yield f"tool results of {_REMOVED_NEXT} turns and older were removed", removed(_REMOVED_NEXT)
    yield "all tool results were made compact", compacted(set(results))
    yield "older messages were made compact", compacted(others)
    yield "the last message of the user was cut", lambda left: _cut(left, known)


def _removed(left: _Left, wanted: set[int], known: Sequence[Meta]) -> _Left:
    """Return what is left without some messages and the calls they answer; what is protected keeps its own."""
    numbers = list(left)
    pairs = pairs_of(list(left.values()))
    going = {place for place, number in enumerate(numbers) if number in wanted and pairs.answered[place]}
    gone = removable(pairs, going, {place for place, number in enumerate(numbers) if known[number].protected})
    kept = {number: without(left[number], place, pairs, gone) for place, number in enumerate(numbers)}
    return {number: message for number, message in kept.items() if message is not None}


def _cut(left: _Left, known: Sequence[Meta]) -> _Left:
    users = [number for number in left if known[number].kind == "user" and not known[number].protected]
    if not users:
        return left
    return {**left, users[-1]: shortened(left[users[-1]], known[users[-1]], None, LAST_CHARS)}
