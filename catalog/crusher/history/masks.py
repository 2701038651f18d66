"""Masks: the line that stands in place of a tool's output, and how the output comes back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from catalog.crusher.checking import check_text
from catalog.crusher.history.stores import Store, ref_of

KEY_CHARS = 120
"""Characters of a key that a mask shows."""
MASK = re.compile(r"\[Obs:([0-9a-f]{16}) elided\. Key: [^\n]*?\. Full content retrievable\.\]")
"""A mask, with the reference of what it stands for."""


def mask_of(text: str, key: str | None = None) -> str:
    """Return what stands in place of an output.

    Args:
        text: the output.
        key: what tells what it was; its first line that says something without.
    """
    said = " ".join((key or "").split()) or _first_line(text)
    shown = said if len(said) <= KEY_CHARS else f"{said[:KEY_CHARS]}…"
    return f"[Obs:{ref_of(text)} elided. Key: {shown.rstrip('.')}. Full content retrievable.]"


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip(" -=*#_")), "empty")


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
    check_text(ref)
    found = MASK.search(ref)
    known = found.group(1) if found else ref.strip().removeprefix("Obs:")
    text = store.get(known)
    if text is None:
        return Retrieved(text=None, told=f"Nothing is stored under Obs:{known}; call the tool again.")
    return Retrieved(text=text, told=text)
