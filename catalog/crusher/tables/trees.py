"""Trees: objects that hold objects of their own kind, as rows in the order of reading, each as deep as its marks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from catalog.crusher.missing import Missing, more_rows, rows_missing
from catalog.crusher.pieces import Spared

BELOW = ">"
"""Stands before a row once for each level that it lies below the first."""


class Tree(NamedTuple):
    """Objects and, below each, those that it holds under one key.

    Attributes:
        key: that key.
        nodes: the objects in the order of reading.
        rows: they without what they hold there.
        depths: how deep each lies, 0 for the first level.
        childless: whether a row with nothing below it holds an empty list; else it holds what its row says.
    """

    key: str
    nodes: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    depths: list[int]
    childless: bool


def tree_of(rows: Sequence[dict[str, Any]], deepest: int) -> Tree | None:
    """Return a list of objects as a tree; None where no key holds objects that hold objects under it again.

    Args:
        rows: the objects.
        deepest: levels beyond which a tree would be written with too many marks.
    """
    lists = {name for row in rows for name, held in row.items() if held.__class__ in (list, tuple)}
    key = next((name for name in sorted(lists) if _recurs(rows, name)), None)
    if key is None:
        return None
    nodes: list[dict[str, Any]] = []
    flat: list[dict[str, Any]] = []
    depths: list[int] = []
    work = [(row, 0) for row in reversed(rows)]
    while work:
        row, depth = work.pop()
        below = row.get(key)
        if depth >= deepest:
            return None
        nodes.append(row)
        if _holds_objects(below):
            work += [(child, depth + 1) for child in reversed(below)]
            row = {name: value for name, value in row.items() if name != key}
        flat.append(row)
        depths.append(depth)
    held = [row[key] for row in flat if key in row]
    parents = sum(after > before for before, after in pairwise(depths))
    childless = all(value.__class__ in (list, tuple) and not value for value in held) and len(held) + parents == len(
        flat
    )
    if childless:
        flat = [{name: value for name, value in row.items() if name != key} for row in flat]
    return Tree(key, nodes, flat, depths, childless)


def _recurs(rows: Sequence[dict[str, Any]], key: str) -> bool:
    below = [row[key] for row in rows if _holds_objects(row.get(key))]
    return any(_holds_objects(child.get(key)) for children in below for child in children)


def _holds_objects(value: Any) -> bool:
    return value.__class__ in (list, tuple) and bool(value) and all(item.__class__ is dict for item in value)


def with_branches(spared: Spared, depths: Sequence[int]) -> Spared:
    """Return which rows of a tree a budget is to spare: those it is to keep, with all that they hold."""
    kept = set(spared.kept)
    for place in sorted(spared.kept):
        end = place + 1
        while end < len(depths) and depths[end] > depths[place] and end not in kept:
            kept.add(end)
            end += 1
    return Spared(frozenset(kept), sorted(kept.union(spared.firm)))


def marks(depths: Sequence[int], first: int, end: int) -> str:
    """Return what stands in place of the rows of a tree from one to another: a mark for each level that misses some.

    A mark counts the rows of its level; what lies below these is not counted.
    """
    lines: list[str] = []
    level, count = depths[first], 0
    for depth in depths[first:end]:
        if depth < level:
            lines.append(BELOW * level + more_rows(count))
            level, count = depth, 0
        count += depth == level
    return "\n".join([*lines, BELOW * level + more_rows(count)])


class Line(NamedTuple):
    """A row of a tree: how deep it lies, and its cells; or how many rows are missing there."""

    depth: int
    cells: str
    missing: int


def lines_of(text: str, place: int, count: int) -> tuple[list[Line], int]:
    """Return the rows of a tree with so many on the first level, and the place after them.

    Raises:
        ValueError: when the text ends before, or more rows are said to be missing than there can be.
    """
    lines: list[Line] = []
    left = count
    while True:
        end = text.find("\n", place)
        depth = len(text[place:end]) - len(text[place:end].lstrip(BELOW))
        if end < 0 or (left <= 0 and not depth):
            break
        cells = text[place + depth : end]
        lines.append(Line(depth, cells, rows_missing(cells)))
        left -= 0 if depth else lines[-1].missing or 1
        place = end + 1
    if left:
        raise ValueError(f"a tree of {count} rows on its first level has {count - left}")
    return lines, place


def grown(lines: Sequence[Line], rows: Sequence[dict[str, Any]], key: str, childless: bool) -> list[Any]:
    """Return the objects of the first level with what they hold, `Missing` where some are missing.

    Args:
        lines: the rows in the order of reading.
        rows: the objects of those that are there.
        key: under which an object holds others.
        childless: whether one that holds none has an empty list there.

    Raises:
        ValueError: when a row lies more than one level below the one before.
    """
    first: list[Any] = []
    around: list[dict[str, Any]] = []
    following = iter(rows)
    for line in lines:
        if line.depth > len(around):
            raise ValueError(f"a row lies {line.depth} levels deep, below none")
        del around[line.depth :]
        holder = around[-1].setdefault(key, []) if around else first
        if holder.__class__ is not list:
            raise ValueError(f"a row lies below one whose {key!r} is no list")
        if line.missing:
            holder.append(Missing(rows=line.missing))
        else:
            row = next(following)
            if childless:
                row[key] = []
            around.append(row)
            holder.append(row)
    return first
