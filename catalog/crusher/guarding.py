"""Guarding: which rows a caller wants to be kept when a budget makes others go, and which of these are lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from catalog.crusher.checking import shown
from catalog.crusher.missing import Missing
from catalog.crusher.pieces import Cuts
from catalog.crusher.result import Dropped
from catalog.crusher.tables.place import DEEPEST

Keep = Callable[[dict[str, Any], str], bool]
"""Says of a row and its path, such as ``$.data[3]``, whether it is to be kept."""

Path = tuple[Any, ...]
"""Keys and numbers from the root down."""


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


class _Place(NamedTuple):
    """Where a value stands: in which copy, under which step, and where that stands."""

    holder: Any
    step: Any
    around: _Place | None

    def path(self) -> Path:
        """Return the steps from the root, which itself is none."""
        steps = []
        place: _Place | None = self
        while place is not None and place.around is not None:
            steps.append(place.step)
            place = place.around
        return tuple(reversed(steps))


def guarded(value: Any, keep: Keep) -> Guarded:
    """Ask which rows of a checked value are to be kept: objects in a list, or in an object that holds nothing else.

    What lies deeper than tables is not asked about: it is kept or goes as one.
    """
    root: list[Any] = [None]
    kept: set[int] = set()
    holding: set[int] = set()
    paths: list[Path] = []
    work = [(_Place(root, 0, None), value, False, 0)]
    while work:
        place, current, is_row, depth = work.pop()
        kind = current.__class__
        if kind is not dict and kind is not list and kind is not tuple:
            place.holder[place.step] = current
            continue
        items = current.items() if kind is dict else enumerate(current)
        copy: Any = dict.fromkeys(current) if kind is dict else [None] * len(current)
        place.holder[place.step] = copy
        if is_row and kind is dict and depth <= DEEPEST and keep(current, shown(("", *place.path()))):
            kept.add(id(copy))
            paths.append(place.path())
            around: _Place | None = place
            while around is not None:
                holding.add(id(around.holder))
                around = around.around
        rows = kind is not dict or (len(current) > 1 and all(item.__class__ is dict for item in current.values()))
        work += [(_Place(copy, step, place), item, rows, depth + 1) for step, item in reversed(list(items))]
    return Guarded(root[0], Cuts(frozenset(kept), frozenset(holding)), paths)


def with_losses(dropped: Sequence[Dropped], left: Any, paths: Sequence[Path]) -> tuple[Dropped, ...]:
    """Return what was dropped with how many rows that were to be kept are among it.

    Args:
        dropped: what was dropped.
        left: the value that is left, `Missing` where something is missing.
        paths: of the rows that were to be kept.
    """
    if not paths:
        return tuple(dropped)
    known: dict[int, dict[Any, Any]] = {}
    lost = Counter(shown(("", *path[:depth])) for path in paths for depth in _lost_at(left, path, known))
    return tuple(
        Dropped(path=own.path, rows=own.rows, protected=lost[own.path], chars=own.chars) if own.rows else own
        for own in dropped
    )


def _lost_at(left: Any, path: Path, known: dict[int, dict[Any, Any]]) -> Sequence[int]:
    """Return after how many steps a path ends in what is left; none where it does not."""
    current = left
    for depth, step in enumerate(path):
        if id(current) not in known:
            known[id(current)] = _numbered(current)
        if step not in known[id(current)]:
            return (depth,)
        current = known[id(current)][step]
    return ()


def _numbered(holder: Any) -> dict[Any, Any]:
    """Return the items of a list by their numbers, counting those that are missing; the entries of an object."""
    if holder.__class__ is not list:
        return dict(holder) if isinstance(holder, dict) else {}
    found: dict[Any, Any] = {}
    number = 0
    for item in holder:
        if item.__class__ is Missing:
            number += item.rows
        else:
            found[number] = item
            number += 1
    return found
