"""Shortening: a caller's summary in place of a text, or its first characters; what does not get shorter stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from catalog.crusher.conversation.pairs import answers
from catalog.crusher.conversation.texts import Message, changed, texts
from catalog.crusher.history.masks import MASK
from catalog.crusher.history.meta import Kind, Meta
from catalog.crusher.missing import cut_text, more_chars

FIRST_CHARS = 500
"""Characters that are left of a text of which there is no summary: an abstract, of some eighty words."""
WORTH_CHARS = 200
"""Characters below which no summary is asked for: it would take as many."""
MUST_KEEP: Mapping[Kind, str] = {
    "system": "Keep all that is to be obeyed.",
    "tool-result": "Keep findings, figures, identifiers, error codes and conclusions; leave out raw output.",
    "tool-call": "Keep what was done and why.",
    "user": "Keep decisions, commitments, preferences and what changed; leave out pleasantries.",
    "assistant": "Keep decisions, commitments and conclusions; leave out the way to what was concluded.",
    "document": "Keep claims, facts and figures that the task needs; leave out elaboration.",
}
"""What a summary of each kind of message must keep."""

Summarise = Callable[[str, str, Meta], str]
"""Returns the summary of a text; gets the text, what must be kept of it, and what is known of the message."""


def shortened(message: Message, own: Meta, summarise: Summarise | None, first_chars: int = FIRST_CHARS) -> Message:
    """Return a message with shorter texts, the message itself where none is shorter.

    The first characters stand in place of a summary where there is none, or it fails.
    """

    def shorter(text: str) -> str:
        said = summary_or_none(text, must_keep(own), own, summarise) if len(text) >= WORTH_CHARS else None
        return said if said and len(said) < len(text) else _cut(text, first_chars)

    return with_texts(message, own, shorter)


def _cut(text: str, first_chars: int) -> str:
    """Return the first characters of a text, and how many more there were, those cut off before among them."""
    before = cut_text(text)
    left, gone = (text, 0) if before is None else (str(before), before.missing)
    more = len(left) - first_chars
    return f"{left[:first_chars]}{more_chars(more + gone)}" if more > 0 else text


def must_keep(own: Meta) -> str:
    """Return what a summary of a message must keep."""
    return MUST_KEEP[own.kind or "user"]


def summarised(message: Message, own: Meta, summarise: Summarise) -> Message:
    """Return a message with the summaries of its texts, the message itself where none is shorter.

    Raises:
        ValueError: for a summary that is blank.
        Exception: whatever the caller's function raises.
    """
    return with_texts(
        message,
        own,
        lambda text: text if len(text) < WORTH_CHARS else summary(text, must_keep(own), own, summarise),
    )


def with_texts(message: Message, own: Meta, made: Callable[[str], str]) -> Message:
    """Return a message with what is made of its texts where that is shorter, the message itself where none is.

    Of a message that answers tool calls only what the tools say is made shorter, and nothing that a user says beside. A
    mask stays whole: what it stands for could not be found again.
    """
    shorter: dict[tuple[str | int, ...], str] = {}
    beside = own.kind == "tool-result" or bool(answers(message))
    for place in texts(message):
        may = place.result_of or not beside
        if may and place.text and not MASK.fullmatch(place.text):
            text = made(place.text)
            if len(text) < len(place.text):
                shorter[place.keys] = text
    return changed(message, shorter) if shorter else message


def summary(text: str, keep: str, own: Meta, summarise: Summarise) -> str:
    """Return what a caller's function says of a text.

    Raises:
        ValueError: where that is blank, or no text.
        Exception: whatever the function raises.
    """
    said: Any = summarise(text, keep, own)
    if not isinstance(said, str) or not said.strip():
        raise ValueError("the summary is blank")
    return said


def summary_or_none(text: str, keep: str, own: Meta, summarise: Summarise | None) -> str | None:
    """Return what a caller's function says of a text; None where there is no function, or it fails."""
    if summarise is None:
        return None
    try:
        return summary(text, keep, own, summarise)
    except Exception:  # whatever a model, a network or a caller's code may raise: the text itself is still there
        return None
