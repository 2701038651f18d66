"""Guarding: which rows a caller wants to be kept when a budget makes others go, and which of these are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from catalog.crusher.checking import shown
from catalog.crusher.missing import Gap, numbered
from catalog.crusher.pieces import Cuts
from catalog.crusher.positions import Path, Position
from catalog.crusher.tables.place import DEEPEST

Keep = Callable[[dict[str, Any], str], bool]
"""Says of a row and its path, such as ``$.data[3]``, whether it is to be kept."""


class Guarded(NamedTuple):
    """A value and what a budget is to spare of it.

    Attributes:
        value: a copy, in which every object and list stands once.
        cuts: what is to be spared, by `id`.
        paths: of the rows to be kept.
    """

    value: Any
    cuts: Cuts
    paths: Sequence[Path]


def guarded(value: Any, keep: Keep) -> Guarded:
    """Ask which rows of a checked value are to be kept: objects in a list, or in an object that holds nothing else.

    What lies deeper than tables is not asked about: it is kept or goes as one.
    """
    root: list[Any] = [None]
    kept: set[int] = set()
    holding: set[int] = set()
    paths: list[Path] = []
    work = [(Position(root, 0, None, None), value, False, 0)]
    while work:
        place, current, is_row, depth = work.pop()
        kind = current.__class__
        if kind is not dict and kind is not list and kind is not tuple:
            place.holder[place.key] = current
            continue
        items = current.items() if kind is dict else enumerate(current)
        copy: Any = dict.fromkeys(current) if kind is dict else [None] * len(current)
        place.holder[place.key] = copy
        if is_row and kind is dict and depth <= DEEPEST and keep(current, shown(("", *place.path()))):
            kept.add(id(copy))
            paths.append(place.path())
            around: Position | None = place
            while around is not None:
                holding.add(id(around.holder))
                around = around.around
        rows = kind is not dict or (len(current) > 1 and all(item.__class__ is dict for item in current.values()))
        work += [(Position(copy, step, step, place), item, rows, depth + 1) for step, item in reversed(list(items))]
    return Guarded(root[0], Cuts(frozenset(kept), frozenset(holding)), paths)


def losses(found: Sequence[Gap], left: Any, paths: Sequence[Path]) -> Counter[Path]:
    """Return how many rows that were to be kept are not there whole, by the path of the first gap that takes of them.

    Args:
        found: what is missing.
        left: the value that is left, `Missing` where something is missing.
        paths: of the rows that were to be kept.
    """
    first: dict[Path, Path] = {}
    for gap in found:
        for depth in range(len(gap.path) + 1):
            first.setdefault(gap.path[:depth], gap.path)
    known: dict[int, dict[Any, Any]] = {}
    ends = (path[: _steps_left(left, path, known)] for path in paths)
    return Counter(first[end] for end in ends if end in first)


def _steps_left(left: Any, path: Path, known: dict[int, dict[Any, Any]]) -> int:
    """Return how many steps of a path can be gone in what is left."""
    current = left
    for depth, step in enumerate(path):
        if id(current) not in known:
            known[id(current)] = _items(current)
        if step not in known[id(current)]:
            return depth
        current = known[id(current)][step]
    return len(path)


def _items(holder: Any) -> dict[Any, Any]:
    """Return the items of a list by their numbers, the entries of an object, nothing of anything else."""
    if holder.__class__ is list:
        return dict(numbered(holder))
    return dict(holder) if isinstance(holder, dict) else {}
