"""Missing: how a text says that rows, entries or characters were cut off, and what stands for them in a value.

``…(+5 more rows)`` stands where rows, items or entries are missing, and ``the beginning…(+120 chars)`` for a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from catalog.crusher.checking import shown
from catalog.crusher.positions import Path, Position
from catalog.crusher.result import Dropped

MARK = "…(+"
"""What every mark begins with."""
_ROWS = re.compile(r"…\(\+([1-9][0-9]{0,17}) more rows\)")
_CHARS = re.compile(r"…\(\+([1-9][0-9]{0,17}) chars\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Stands in a list where rows were cut off.

    Attributes:
        rows: how many.
    """

    rows: int


class CutText(str):
    """What is left of a string that was cut.

    Attributes:
        missing: how many characters were cut off its end.
    """

    __slots__ = ("missing",)
    missing: int

    def __new__(cls, text: str, *, missing: int) -> CutText:
        """Return the text that is left."""
        own = super().__new__(cls, text)
        own.missing = missing
        return own


class Shortened(dict[str, Any]):
    """What is left of an object whose entries were cut.

    Attributes:
        missing: how many entries were cut off.
    """

    __slots__ = ("missing",)

    def __init__(self, *, missing: int) -> None:
        super().__init__()
        self.missing = missing


def more_rows(count: int) -> str:
    """Return what stands in place of so many rows or entries."""
    return f"…(+{count} more rows)"


def rows_between(first: int, end: int) -> str:
    """Return what stands in place of the rows or entries from one to another."""
    return more_rows(end - first)


def no_items(count: int) -> str:
    """Return what stands in place of a list of which all of so many items are missing."""
    return f"[{more_rows(count)}]"


def no_entries(count: int) -> str:
    """Return what stands in place of an object of which all of so many entries are missing."""
    return f"{{{more_rows(count)}}}"


def more_chars(count: int) -> str:
    """Return what stands in place of so many characters at the end of a string."""
    return f"…(+{count} chars)"


def rows_missing(mark: str) -> int:
    """Return how many rows a mark in their place says are missing, 0 where it is no such mark."""
    found = _ROWS.fullmatch(mark) if mark.startswith(MARK) else None
    return int(found.group(1)) if found else 0


def rows_missing_at(text: str, place: int) -> tuple[int, int]:
    """Return how many rows a mark at a place of a text says are missing, 0 where there is none, and where it ends."""
    found = _ROWS.match(text, place)
    return (int(found.group(1)), found.end()) if found else (0, place)


def cut_text(text: str) -> CutText | None:
    """Return what is left of a string that ends in the mark of one that was cut, None where it does not."""
    kept, mark, count = text.rpartition(MARK)
    found = _CHARS.fullmatch(mark + count)
    return CutText(kept, missing=int(found.group(1))) if found else None


def chars_missing_at(text: str, place: int) -> tuple[int, int]:
    """Return how many characters a mark at a place of a text says are missing, 0 where there is none, and its end."""
    found = _CHARS.match(text, place)
    return (int(found.group(1)), found.end()) if found else (0, place)


def said(text: str) -> int:
    """Return how many characters of a text are no marks."""
    return len(_CHARS.sub("", _ROWS.sub("", text)))


class Gap(NamedTuple):
    """What is missing in one place.

    Attributes:
        path: of the list, object or string; its steps count rows that are missing, too.
        rows: how many rows, items or entries are missing.
        chars: how many characters are missing at the end of the string.
    """

    path: Path
    rows: int = 0
    chars: int = 0

    def dropped(self, protected: int = 0) -> Dropped:
        """Return it as the result has it.

        Args:
            protected: rows that were to be kept and are lost by it.
        """
        return Dropped(path=shown(("", *self.path)), rows=self.rows, protected=protected, chars=self.chars)


def resolved(value: Any) -> tuple[Any, tuple[Gap, ...]]:
    """Return a value as what was kept, and what is missing in it, in the order of the value.

    The value is changed in place; no depth is too deep.
    """
    root = [value]
    found: list[Gap] = []
    work = [Position(root, 0, None, None)]
    while work:
        place = work.pop()
        current = place.holder[place.key]
        kind = current.__class__
        if kind is CutText:
            found.append(Gap(place.path(), chars=current.missing))
            place.holder[place.key] = str(current)
        elif kind is list:
            items = list(numbered(current))
            rows = sum(item.rows for item in current if item.__class__ is Missing)
            if rows:
                found.append(Gap(place.path(), rows=rows))
                current[:] = [item for _, item in items]
            work += [Position(current, key, number, place) for key, (number, _) in reversed(list(enumerate(items)))]
        elif kind is dict or kind is Shortened:
            if kind is Shortened:
                found.append(Gap(place.path(), rows=current.missing))
                current = place.holder[place.key] = dict(current)
            work += [Position(current, key, key, place) for key in reversed(current)]
    return root[0], tuple(found)


def numbered(items: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the items of a list, each with the number it has when the missing ones are counted."""
    number = 0
    for item in items:
        if item.__class__ is Missing:
            number += item.rows
        else:
            yield number, item
            number += 1
