"""Edits: what takes the place of some characters of a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from catalog.crusher.code.outlines import Span


class Edit(NamedTuple):
    """Text that takes the place of some characters.

    Attributes:
        span: the characters.
        text: what stands there then.
        marker: what of it says that something was left out; '' where a comment went.
    """

    span: Span
    text: str
    marker: str


def applied(source: str, edits: Sequence[Edit]) -> str:
    """Return a source with edits made, which are in order and do not touch each other."""
    parts: list[str] = []
    place = 0
    for edit in edits:
        parts += [source[place : edit.span.start], edit.text]
        place = edit.span.end
    return "".join([*parts, source[place:]])
