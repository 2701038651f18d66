"""What is left of a value under a budget, checked against the value alone and not against how the text was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from catalog.crusher import Dropped, Kept
from catalog.crusher.checking import shown
from tests.crusher.values import same

Path = tuple[Any, ...]


def is_part_of(left: Kept, value: Any) -> bool:
    """Return whether what is left is the value without exactly what is said to be missing, in the places said."""
    known = {own.path: own for own in left.dropped}
    return len(known) == len(left.dropped) and _is_part(left.value, value, (), known)


def _is_part(left: Any, whole: Any, path: Path, dropped: dict[str, Dropped]) -> bool:
    own = dropped.get(shown((None, *path)), Dropped(path=""))
    if isinstance(whole, str) and isinstance(left, str):
        return whole.startswith(left) and len(whole) - len(left) == own.chars
    if isinstance(whole, dict) and isinstance(left, dict):
        gone = [(*path, key) for key in whole.keys() - left.keys()]
        return (
            left.keys() <= whole.keys()
            and len(gone) == own.rows
            and not any(_below(one, dropped) for one in gone)
            and all(_is_part(left[key], whole[key], (*path, key), dropped) for key in left)
        )
    if isinstance(whole, list) and isinstance(left, list):
        if len(whole) - len(left) == own.rows and _are_parts(left, whole, path, dropped):
            return True
        return own.rows > 0 and _is_forest(left, whole, own.rows)
    return own == Dropped(path="") and same(left, whole)


def _below(path: Path, dropped: dict[str, Dropped]) -> bool:
    """Return whether something is said to be missing at a path or below it."""
    start = shown((None, *path))
    return any(own == start or own.startswith((f"{start}.", f"{start}[")) for own in dropped)


def _are_parts(left: Sequence[Any], whole: Sequence[Any], path: Path, dropped: dict[str, Dropped]) -> bool:
    """Return whether each item left is what is left of an item, in the same order; nothing is said of the others."""
    matched = {0}
    for number, item in enumerate(whole):
        here = (*path, number)
        gone = not _below(here, dropped)
        matched = {count for count in matched if gone} | {
            count + 1 for count in matched if count < len(left) and _is_part(left[count], item, here, dropped)
        }
    return len(left) in matched


def _is_forest(left: list[Any], whole: list[Any], rows: int) -> bool:
    """Return whether objects are left of those of a tree, of all depths so many fewer, in the order of reading."""
    if not all(isinstance(item, dict) for item in (*left, *whole)):
        return False
    keys = {key for item in whole for key in item}
    return any(_is_subsequence(list(nodes(left, key)), list(nodes(whole, key)), rows) for key in keys)


Node = tuple[int, dict[str, Any]]


def nodes(trees: Any, key: str, depth: int = 0) -> Iterator[Node]:
    """Yield the objects of trees in the order of reading, without what they hold, each with its depth."""
    for tree in trees:
        below = tree.get(key)
        holds = isinstance(below, list) and all(isinstance(item, dict) for item in below)
        yield depth, {name: item for name, item in tree.items() if name != key or not holds}
        if holds:
            yield from nodes(below, key, depth + 1)


def _is_subsequence(left: list[Node], whole: list[Node], rows: int) -> bool:
    rest = iter(whole)
    return len(whole) - len(left) == rows and all(
        any(depth == other and _is_beginning(own, node) for other, node in rest) for depth, own in left
    )


def _is_beginning(left: Any, whole: Any) -> bool:
    """Return whether nothing is there that was not there before; what is missing inside a node is not looked at."""
    if isinstance(whole, str):
        return isinstance(left, str) and whole.startswith(left)
    if isinstance(whole, dict):
        return isinstance(left, dict) and all(key in whole and _is_beginning(left[key], whole[key]) for key in left)
    if isinstance(whole, list):
        rest = iter(whole)
        return isinstance(left, list) and all(any(_is_beginning(own, item) for item in rest) for own in left)
    return same(left, whole)
