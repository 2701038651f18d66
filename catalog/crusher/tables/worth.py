"""Worth: whether columns are shorter than naming the keys in every row. All in characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

from catalog.crusher.tables.place import EMPTY


def pays(rows: Sequence[dict[str, Any]], absent: int = 0) -> bool:
    """Return whether naming keys once, and writing empty cells, is shorter than naming them in every row.

    Args:
        rows: the objects.
        absent: rows that have no such object, but an empty cell for each of its keys.
    """
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    count = len(rows) + absent
    saved = absent * EMPTY
    for key, values in columns.items():
        saved += (len(key) + 2) * (len(values) - 1) - (count - len(values)) * EMPTY
        objects = [value for value in values if value.__class__ is dict]
        if len(objects) == len(values):
            saved += max(_saved_inside(objects, count - len(values)), 0.0)
    return saved > 0


def _saved_inside(objects: Sequence[dict[str, Any]], absent: int) -> float:
    """Return how many characters columns for the keys of nested objects save; less than 0 when they cost."""
    counts = Counter(chain.from_iterable(objects))
    rows = len(objects) + absent
    return sum((len(key) + 2) * (count - 1) - (rows - count) * EMPTY for key, count in counts.items())


def is_rare(key: str, count: int, rows: int) -> bool:
    """Return whether naming a key where it occurs is shorter than an empty cell in every other row."""
    return count * (len(key) + 3) < (rows - count) * EMPTY


def equal_tuples(items: Sequence[Any]) -> bool:
    """Return whether lists are tuples: two or more scalars each, the same number in all."""
    sizes = {len(item) for item in items}
    return (
        len(sizes) == 1
        and sizes.pop() >= 2
        and not any(value.__class__ in (dict, list, tuple) for item in items for value in item)
    )
