"""Marks: where a piece of text comes from, where it goes, and how long it stays."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.renderer.places import Place
from catalog.renderer.stability import Stability


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Where a piece of text comes from, and where it goes.

    Attributes:
        channel: ``system``, ``part`` or ``state``.
        place: its template line.
        stability: how long it stays.
        texts: of each of its pieces, whether it stands in the template and is no value.
        region: number of the longest run of text of one channel, file and stability that it is part of, as it stands in
            the templates: what is left out between two runs does not make them one.
    """

    channel: str
    place: Place
    stability: Stability
    texts: tuple[bool, ...]
    region: int
