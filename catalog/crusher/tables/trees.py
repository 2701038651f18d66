"""Trees: objects that hold objects of their own kind, as rows in the order of reading, each as deep as its marks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from catalog.crusher.missing import Missing

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
    childless = all(value == [] for value in held) and len(held) + parents == len(flat)
    if childless:
        flat = [{name: value for name, value in row.items() if name != key} for row in flat]
    return Tree(key, nodes, flat, depths, childless)


def _recurs(rows: Sequence[dict[str, Any]], key: str) -> bool:
    below = [row[key] for row in rows if _holds_objects(row.get(key))]
    return any(_holds_objects(child.get(key)) for children in below for child in children)


def _holds_objects(value: Any) -> bool:
    return value.__class__ in (list, tuple) and bool(value) and all(item.__class__ is dict for item in value)


def grown(rows: Sequence[Any], depths: Sequence[Any], key: str, childless: bool) -> list[Any]:
    """Return the objects of the first level with what they hold.

    Args:
        rows: the objects in the order of reading, `Missing` where some are missing.
        depths: how deep each lies; what is missing stands on the first level.
        key: under which an object holds others.
        childless: whether one that holds none has an empty list there.

    Raises:
        ValueError: when a row lies more than one level below the one before.
    """
    levels: list[list[Any]] = [[]]
    for row, depth in zip(rows, depths, strict=True):
        if row.__class__ is Missing:
            levels[0].append(row)
            continue
        if depth >= len(levels):
            if depth > len(levels) or not levels[-1]:
                raise ValueError(f"a row lies {depth} levels deep, below none")
            levels.append([])
            levels[depth - 1][-1][key] = levels[depth]
        del levels[depth + 1 :]
        levels[depth].append({**row, key: []} if childless else row)
    return levels[0]
