"""Positions: where a value stands in another."""

from __future__ import annotations

from typing import Any, NamedTuple

Path = tuple[Any, ...]
"""Keys and numbers from the root down."""


class Position(NamedTuple):
    """Where a value stands.

    Attributes:
        holder: what holds it.
        key: its key there.
        step: its last step from the root: its key in an object, its number in a list.
        around: where the holder stands; None for the root, whose step is no part of a path.
    """

    holder: Any
    key: Any
    step: Any
    around: Position | None

    def path(self) -> Path:
        """Return the steps from the root."""
        steps = []
        place: Position | None = self
        while place is not None and place.around is not None:
            steps.append(place.step)
            place = place.around
        return tuple(reversed(steps))
