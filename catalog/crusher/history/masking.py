"""Masking: tool outputs that have served give way to a line that says what they were, and come back from a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from catalog.crusher.checking import check_count, check_share
from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import Message, Place, changed, texts
from catalog.crusher.history.masks import MASK, mask_of
from catalog.crusher.history.meta import Meta, MetaOf, is_failure, latest_turn, metas
from catalog.crusher.history.prices import break_even
from catalog.crusher.history.shortening import Summarise, summary_or_none
from catalog.crusher.history.stores import Store, ref_of
from catalog.crusher.prefix.partitioning import leading
from catalog.crusher.prefix.profiles import CacheProfile
from catalog.tokens import estimate

LEAST_CHARS = 400
"""Characters below which an output is not masked: the mask itself takes a hundred to two."""
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

    def __post_init__(self) -> None:
        check_count("after of the policy", self.after)
        check_count("least_chars of the policy", self.least_chars)
        check_share("turns_left of the policy", self.turns_left)
        if self.profile is not None and not isinstance(self.profile, CacheProfile):
            raise TypeError(f"profile of the policy is {self.profile!r:.40}, not a CacheProfile")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What would be masked, and waits since it does not pay.

    Attributes:
        messages: the numbers of the messages that it is in.
        saved: tokens that masking it would save, estimated.
        pays_after: turns until that would have paid back, were it masked now.
    """

    messages: tuple[int, ...]
    saved: int
    pays_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Masked:
    """A conversation with masks.

    Attributes:
        messages: the messages; the ones without a mask of this call are the same objects.
        refs: of what was masked, in order.
        saved: tokens, estimated.
        pays_after: turns until the cache that masking breaks has paid back; 0 where nothing was masked or is cached.
        waiting: what has served, too, and is not masked yet; None where there is nothing.
    """

    messages: tuple[Message, ...]
    refs: tuple[str, ...]
    saved: int
    pays_after: float
    waiting: Waiting | None


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
    while debugging. Masking breaks the cache from the first mask on, so outputs are masked in one batch: the one that
    reaches furthest back of those that pay within the turns that are left. What stands before it waits, unless all is
    forced.

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
    served = [
        _Served(index, place, estimate(place.text) - estimate(mask_of(place.text)))
        for index in range(boundary, len(messages))
        for place in texts(messages[index])
        if _has_served(place, known[index], policy, latest)
    ]
    worth = [own for own in served if own.saved > 0]
    batches = list(_batches(messages, worth, policy))
    nothing = _Batch(len(worth), 0, 0.0)
    chosen = next((own for own in batches if policy.forced or own.pays_after <= policy.turns_left), nothing)
    lines: dict[tuple[int, Place], str] = {}
    for own in worth[chosen.first :]:
        line = mask_of(own.place.text, summary_or_none(own.place.text, KEY, known[own.number], summarise))
        lines[own.number, own.place] = line if len(line) < len(own.place.text) else mask_of(own.place.text)
        store.put(ref_of(own.place.text), own.place.text)
    return Masked(
        messages=_masked(messages, lines),
        refs=tuple(dict.fromkeys(ref_of(own.place.text) for own in worth[chosen.first :])),
        saved=chosen.saved,
        pays_after=chosen.pays_after,
        waiting=_waiting(batches, chosen, worth),
    )


class _Served(NamedTuple):
    """An output that has served: the number of its message, its place, and the tokens that a mask of it saves."""

    number: int
    place: Place
    saved: int


class _Batch(NamedTuple):
    """All outputs from one on, which are masked at once, what that saves, and the turns until it has paid back."""

    first: int
    saved: int
    pays_after: float


def _batches(messages: Sequence[Message], served: Sequence[_Served], policy: Policy) -> Iterator[_Batch]:
    """Yield what can be masked at once: all from some message on, the one that reaches furthest back first."""
    if not served:
        return
    sizes = list(map(tokens_of, messages))
    cached = policy.profile is not None and sum(sizes) >= (policy.profile.minimum_tokens or 0)
    behind = list(accumulate(reversed(sizes), initial=0))[::-1]
    saved = sum(own.saved for own in served)
    for place, own in enumerate(served):
        if not place or served[place - 1].number < own.number:
            left = max(behind[own.number] - saved, 0)
            pays = break_even(saved, left, policy.profile) if cached and policy.profile else 0.0
            yield _Batch(place, saved, pays)
        saved -= own.saved


def _waiting(batches: Sequence[_Batch], chosen: _Batch, served: Sequence[_Served]) -> Waiting | None:
    """Return what stands before a batch that was chosen, had all been masked; None where nothing does."""
    if not chosen.first:
        return None
    numbers = tuple(dict.fromkeys(own.number for own in served[: chosen.first]))
    return Waiting(messages=numbers, saved=batches[0].saved - chosen.saved, pays_after=batches[0].pays_after)


def _has_served(place: Place, own: Meta, policy: Policy, latest: int) -> bool:
    if not place.result_of or len(place.text) < policy.least_chars or MASK.fullmatch(place.text):
        return False
    if len(mask_of(place.text)) >= len(place.text):
        return False
    needed = own.protected or own.turn >= latest or latest - own.turn < policy.after
    failed = is_failure(place) if own.is_error is None else own.is_error
    return not needed and not (policy.debugging and failed)


def _masked(messages: Sequence[Message], lines: Mapping[tuple[int, Place], str]) -> tuple[Message, ...]:
    """Return messages with masks in some places; those without any are the same objects."""
    found: dict[int, dict[tuple[str | int, ...], str]] = {}
    for (index, place), line in lines.items():
        found.setdefault(index, {})[place.keys] = line
    return tuple(changed(own, found[n]) if n in found else own for n, own in enumerate(messages))
