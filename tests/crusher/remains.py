"""What is left of a value under a budget, checked against the value alone and not against how the text was made."""

from __future__ import annotations

from collections.abc import Sequence
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
        return len(whole) - len(left) == own.rows and _are_parts(left, whole, path, dropped)
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
