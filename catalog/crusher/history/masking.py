"""Masking: tool outputs that have served give way to a line that says what they were, and come back from a store."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from catalog.crusher.conversation import Message, Place, changed, check_pairs, shape_of, texts
from catalog.crusher.estimate import text_tokens
from catalog.crusher.history.meta import Meta, MetaOf, is_failure, metas
from catalog.crusher.history.prices import break_even
from catalog.crusher.history.stores import Store, ref_of
from catalog.crusher.prefix import CacheProfile, leading, serialised

LEAST_CHARS = 400
"""Characters below which an output is not masked: the mask itself takes a hundred."""
KEY_CHARS = 120
"""Characters of a key that a mask shows."""
MASK = re.compile(r"\[Obs:([0-9a-f]{16}) elided\. Key: [^\n]*?\. Full content retrievable\.\]")
"""A mask, with the reference of what it stands for."""


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
    summarise: Callable[[str], str] | None = None,
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
        summarise: gives the key of an output; its first line without, and where it is empty.
        is_stable: says which messages are a stable prefix, in which nothing is masked; by default it has no outputs.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    shape_of(messages, shape)
    check_pairs(messages)
    known = metas(messages, meta)
    latest = max((own.turn for own in known), default=0) if turn is None else turn
    boundary = 0 if is_stable is None else leading(messages, is_stable)
    places = {
        index: [place for place in texts(message) if _can_go(place, known[index], policy, latest)]
        for index, message in enumerate(messages)
        if index >= boundary
    }
    found = {index: own for index, own in places.items() if own}
    if not found:
        return Masked(messages=tuple(messages), refs=(), saved=0, pays_after=0.0, deferred=False)
    masks = {place.text: masked_text(place.text, summarise) for own in found.values() for place in own}
    masks = {text: line for text, line in masks.items() if len(line) < len(text)}
    found = {index: own for index, every in found.items() if (own := [place for place in every if place.text in masks])}
    if not found:
        return Masked(messages=tuple(messages), refs=(), saved=0, pays_after=0.0, deferred=False)
    saved = round(
        sum(text_tokens(text) - text_tokens(masks[text]) for own in found.values() for text in map(_text, own))
    )
    behind = round(text_tokens("\n".join(map(serialised, messages[min(found) :])))) - saved
    pays = 0.0 if policy.profile is None else break_even(saved, max(behind, 0), policy.profile)
    if not policy.forced and pays > policy.turns_left:
        return Masked(messages=tuple(messages), refs=(), saved=0, pays_after=pays, deferred=True)
    for text in masks:
        store.put(ref_of(text), text)
    made = [
        changed(message, {place.keys: masks[place.text] for place in found[index]}) if index in found else message
        for index, message in enumerate(messages)
    ]
    return Masked(messages=tuple(made), refs=tuple(map(ref_of, masks)), saved=saved, pays_after=pays, deferred=False)


def _text(place: Place) -> str:
    return place.text


def _can_go(place: Place, own: Meta, policy: Policy, latest: int) -> bool:
    if not place.result_of or len(place.text) < policy.least_chars or MASK.fullmatch(place.text):
        return False
    needed = own.protected or own.turn >= latest or latest - own.turn < policy.after
    return not needed and not (policy.debugging and (own.is_error or is_failure(place)))


def masked_text(text: str, summarise: Callable[[str], str] | None = None) -> str:
    """Return what stands in place of an output."""
    said = "" if summarise is None else " ".join(summarise(text).split())
    key = _cut(said) if said else _first_line(text)
    return f"[Obs:{ref_of(text)} elided. Key: {key}. Full content retrievable.]"


def _first_line(text: str) -> str:
    """Return the first line of a text that says something, shortened, without the full stop at its end."""
    line = next((line.strip() for line in text.splitlines() if line.strip(" -=*#_")), "empty")
    return _cut(line)


def _cut(key: str) -> str:
    return (key if len(key) <= KEY_CHARS else f"{key[:KEY_CHARS]}…").rstrip(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What a store has under a reference.

    Attributes:
        text: the full text; None where the store has none.
        told: what to tell a model that asked for it.
    """

    text: str | None
    told: str


def retrieve(store: Store, ref: str) -> Retrieved:
    """Return what was masked.

    Args:
        store: that it was put in.
        ref: the reference, or the whole mask.
    """
    found = MASK.search(ref)
    known = found.group(1) if found else ref.strip().removeprefix("Obs:")
    text = store.get(known)
    if text is None:
        return Retrieved(text=None, told=f"Nothing is stored under Obs:{known}; call the tool again.")
    return Retrieved(text=text, told=text)


def at_insertion(
    message: Message,
    messages: Sequence[Message],
    store: Store,
    *,
    boilerplate: Sequence[str] = (),
    least_chars: int = LEAST_CHARS,
) -> Message:
    """Return a message as it should enter a conversation: exact repeats are masked, boilerplate is left out.

    At insertion that costs nothing, for nothing behind it is cached yet.

    Args:
        message: that is to be appended.
        messages: those before it.
        store: keeps the full texts.
        boilerplate: lines that are left out of tool outputs, such as a banner.
        least_chars: characters from which a repeat is masked.
    """
    shape_of([*messages, message])
    unwanted = {line.strip() for line in boilerplate}
    seen = {place.text for before in messages for place in texts(before) if place.result_of}
    seen |= {whole for text in seen for found in MASK.finditer(text) if (whole := store.get(found.group(1)))}
    entering: dict[tuple[str | int, ...], str] = {}
    for place in texts(message):
        if not place.result_of:
            continue
        text = "".join(line for line in place.text.splitlines(keepends=True) if line.strip() not in unwanted)
        if text in seen and len(text) >= least_chars:
            store.put(ref_of(text), text)
            text = masked_text(text)
        if text != place.text:
            entering[place.keys] = text
    return changed(message, entering) if entering else message
