"""Entering: a message made smaller before it is appended, when that costs nothing, for nothing behind it is cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.crusher.conversation.pairs import pairs_of
from catalog.crusher.conversation.shapes import shape_of
from catalog.crusher.conversation.texts import Message, changed, texts
from catalog.crusher.history.masking import LEAST_CHARS
from catalog.crusher.history.masks import mask_of
from catalog.crusher.history.stores import Store, ref_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A message as it enters a conversation.

    Attributes:
        message: the message; the one given where nothing changed.
        refs: of the repeats that were masked.
        left_out: lines of boilerplate that were left out, in order.
    """

    message: Message
    refs: tuple[str, ...]
    left_out: tuple[str, ...]


def at_insertion(
    message: Message,
    messages: Sequence[Message],
    store: Store,
    *,
    boilerplate: str | Sequence[str] = (),
    least_chars: int = LEAST_CHARS,
) -> Entered:
    """Return a message as it should enter a conversation: boilerplate is left out, and what stands there is masked.

    An output whose earlier copy was masked enters whole: somebody wants to see it again.

    Args:
        message: that is to be appended.
        messages: those before it.
        store: keeps the full texts.
        boilerplate: texts of which each line is left out of tool outputs, such as a banner; never all of an output.
        least_chars: characters from which a repeat is masked.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
    """
    everything = [*messages, message]
    shape_of(everything)
    pairs_of(everything)
    given = [boilerplate] if isinstance(boilerplate, str) else boilerplate
    unwanted = {line.strip() for text in given for line in text.splitlines() if line.strip()}
    seen = {place.text for before in messages for place in texts(before) if place.result_of}
    entering: dict[tuple[str | int, ...], str] = {}
    refs: list[str] = []
    left_out: list[str] = []
    for place in texts(message):
        if not place.result_of:
            continue
        lines = place.text.splitlines(keepends=True)
        text = "".join(line for line in lines if line.strip() not in unwanted)
        if text.strip():
            left_out += [line for line in lines if line.strip() in unwanted]
        else:
            text = place.text
        line = mask_of(text)
        if text in seen and len(text) >= least_chars and len(line) < len(text):
            store.put(ref_of(text), text)
            refs.append(ref_of(text))
            text = line
        if text != place.text:
            entering[place.keys] = text
    entered = changed(message, entering) if entering else message
    return Entered(message=entered, refs=tuple(refs), left_out=tuple(left_out))
