"""Masking: tool outputs that have served give way to a line that says what they were, and come back from a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from catalog.crusher.conversation.sending import serialised
from catalog.crusher.conversation.texts import Message, Place, changed, texts
from catalog.crusher.estimate import text_tokens
from catalog.crusher.history.masks import MASK, mask_of
from catalog.crusher.history.meta import Meta, MetaOf, is_failure, latest_turn, metas
from catalog.crusher.history.prices import break_even
from catalog.crusher.history.shortening import Summarise, summary_or_none
from catalog.crusher.history.stores import Store, ref_of
from catalog.crusher.prefix.partitioning import leading
from catalog.crusher.prefix.profiles import CacheProfile

LEAST_CHARS = 400
"""Characters below which an output is not masked: the mask itself takes a hundred."""
KEY = "One line that says what this is, and what was found."
"""What a summary that stands in a mask must keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """When outputs are masked.

    Attributes:
        after: turns after which an output has served.
        least_chars: characters from which it is worth masking.
        debugging: whether errors are still looked at, and stay.
        profile: the prompt cache that masking would break; None where there is none.
        turns_left: turns that are still expected: masking waits where it pays back later.
        forced: whether the window is full, so that masking does not wait.
    """

    after: int = 3
    least_chars: int = LEAST_CHARS
    debugging: bool = False
    profile: CacheProfile | None = None
    turns_left: float = 10.0
    forced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A conversation with masks.

    Attributes:
        messages: the messages; the ones without a mask of this call are the same objects.
        refs: of what was masked, in order.
        saved: tokens, estimated.
        pays_after: turns until the cache that masking breaks has paid back; 0 where nothing was masked or is cached.
        deferred: whether something would have been masked and waits, since it does not pay.
    """

    messages: tuple[Message, ...]
    refs: tuple[str, ...]
    saved: int
    pays_after: float
    deferred: bool


def mask(
    messages: Sequence[Message],
    store: Store,
    policy: Policy = Policy(),  # it is immutable
    *,
    turn: int | None = None,
    meta: MetaOf | None = None,
    shape: str | None = None,
    summarise: Summarise | None = None,
    is_stable: Callable[[Message, int], bool] | None = None,
) -> Masked:
    """Return a conversation in which tool outputs that have served are masked; the texts are in the store before.

    Never masked are outputs of the latest turn, those that `Meta.protected` says belong to the current task, and errors
    while debugging. All that can be masked is masked in one batch, since each batch breaks the cache once: it waits
    until the batch pays within the turns that are left, unless it is forced.

    Args:
        messages: the messages, in order; they are not changed.
        store: keeps the full texts.
        policy: when.
        turn: the latest turn; by default that of the last message.
        meta: what is known of each message, see `default_meta`.
        shape: see `shape_of`.
        summarise: gives the key of an output; its first line without, and where it fails.
        is_stable: says which messages are a stable prefix, in which nothing is masked; by default it has no outputs.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    known = metas(messages, meta, shape)
    latest = latest_turn(known) if turn is None else turn
    boundary = 0 if is_stable is None else leading(messages, is_stable)
    served = {
        (index, place): mask_of(place.text, summary_or_none(place.text, KEY, known[index], summarise))
        for index in range(boundary, len(messages))
        for place in texts(messages[index])
        if _has_served(place, known[index], policy, latest)
    }
    batch = {own: line for own, line in served.items() if len(line) < len(own[1].text)}
    if not batch:
        return Masked(messages=tuple(messages), refs=(), saved=0, pays_after=0.0, deferred=False)
    saved = round(sum(text_tokens(place.text) - text_tokens(line) for (_, place), line in batch.items()))
    first = min(index for index, _ in batch)
    behind = round(text_tokens("\n".join(map(serialised, messages[first:])))) - saved
    pays = 0.0 if policy.profile is None else break_even(saved, max(behind, 0), policy.profile)
    if not policy.forced and pays > policy.turns_left:
        return Masked(messages=tuple(messages), refs=(), saved=0, pays_after=pays, deferred=True)
    refs = {ref_of(place.text): place.text for _, place in batch}
    for ref, text in refs.items():
        store.put(ref, text)
    return Masked(messages=_masked(messages, batch), refs=tuple(refs), saved=saved, pays_after=pays, deferred=False)


def _has_served(place: Place, own: Meta, policy: Policy, latest: int) -> bool:
    if not place.result_of or len(place.text) < policy.least_chars or MASK.fullmatch(place.text):
        return False
    needed = own.protected or own.turn >= latest or latest - own.turn < policy.after
    return not needed and not (policy.debugging and (own.is_error or is_failure(place)))


def _masked(messages: Sequence[Message], batch: Mapping[tuple[int, Place], str]) -> tuple[Message, ...]:
    """Return messages with masks in the places of a batch; those without any are the same objects."""
    lines: dict[int, dict[tuple[str | int, ...], str]] = {}
    for (index, place), line in batch.items():
        lines.setdefault(index, {})[place.keys] = line
    return tuple(changed(own, lines[n]) if n in lines else own for n, own in enumerate(messages))
