"""Renaming: a copy of a value with other strings and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def renamed(value: Any, name: Callable[[str], str]) -> Any:
    """Return a copy of a value in which strings and keys have other names; no depth is too deep.

    Args:
        value: a checked value.
        name: gives the new name; no two keys of an object may get the same.
    """
    root: list[Any] = [None]
    work: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while work:
        holder, place, current = work.pop()
        kind = current.__class__
        if kind is str:
            holder[place] = name(current)
        elif kind is dict:
            holder[place] = made = dict.fromkeys(map(name, current))
            work += ((made, name(key), item) for key, item in current.items())
        elif kind is list or kind is tuple:
            holder[place] = items = [None] * len(current)
            work += ((items, number, item) for number, item in enumerate(current))
        else:
            holder[place] = current
    return root[0]
