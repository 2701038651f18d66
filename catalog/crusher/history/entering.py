"""Entering: a message made smaller before it is appended, when that costs nothing, for nothing behind it is cached."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.crusher.conversation.shapes import shape_of
from catalog.crusher.conversation.texts import Message, changed, texts
from catalog.crusher.history.masking import LEAST_CHARS
from catalog.crusher.history.masks import MASK, mask_of
from catalog.crusher.history.stores import Store, ref_of


def at_insertion(
    message: Message,
    messages: Sequence[Message],
    store: Store,
    *,
    boilerplate: Sequence[str] = (),
    least_chars: int = LEAST_CHARS,
) -> Message:
    """Return a message as it should enter a conversation: exact repeats are masked, boilerplate is left out.

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
            text = mask_of(text)
        if text != place.text:
            entering[place.keys] = text
    return changed(message, entering) if entering else message
