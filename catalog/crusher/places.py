"""Places: where a value stands in another, and how to walk through a value that may be of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

Path = tuple[Any, ...]
"""Keys and numbers from the root down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Stands in a list where rows were cut off.

    Attributes:
        rows: how many.
    """

    rows: int


class Place(NamedTuple):
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
    around: Place | None

    def path(self) -> Path:
        """Return the steps from the root."""
        steps = []
        place: Place | None = self
        while place is not None and place.around is not None:
            steps.append(place.step)
            place = place.around
        return tuple(reversed(steps))


def numbered(items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the items of a list, each with the number it has when the missing ones are counted."""
    number = 0
    for item in items:
        if item.__class__ is Missing:
            number += item.rows
        else:
            yield number, item
            number += 1
