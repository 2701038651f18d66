"""Rows: the lines of a table, their cells, and the items inside a cell, as the texts that stand there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import Any, Generic, NamedTuple, TypeVar

from catalog.crusher.missing import MARK, Missing, chars_missing_at, rows_missing
from catalog.crusher.tables.headers import Dictionary, Leaf

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')
_STRUCTURE = re.compile(r'["{\[]')

SINGLE = ("cell", "further", "message")
"""Kinds of columns whose cell is one value; in the others ``;`` and ``|`` separate."""


T = TypeVar("T")


class Kept(NamedTuple, Generic[T]):
    """Rows or items of which some may be missing.

    Attributes:
        items: those that are there.
        numbers: the number of each, counting those that are missing.
        gaps: how many are missing, by how many of those that are there stand before.
    """

    items: list[T]
    numbers: Sequence[int]
    gaps: dict[int, int]

    def filled(self, values: Iterable[Any]) -> list[Any]:
        """Return values of the items in a list, with `Missing` where some are missing."""
        made = list(values)
        for place in sorted(self.gaps, reverse=True):
            made.insert(place, Missing(rows=self.gaps[place]))
        return made


def kept(items: Sequence[T], missing: Callable[[T], int]) -> Kept[T]:
    """Return items without the marks among them.

    Args:
        items: items and marks.
        missing: gives how many items a mark says are missing, 0 for an item.
    """
    counts = list(map(missing, items))
    if not any(counts):
        return Kept(list(items), range(len(items)), {})
    there: list[T] = []
    numbers: list[int] = []
    gaps: dict[int, int] = {}
    number = 0
    for item, count in zip(items, counts, strict=True):
        if count:
            gaps[len(there)] = gaps.get(len(there), 0) + count
        else:
            there.append(item)
            numbers.append(number)
        number += count or 1
    return Kept(there, numbers, gaps)


def rows_at(text: str, place: int, count: int) -> tuple[Kept[str], int]:
    """Return so many rows from a place on, the missing ones counted, and the place after them.

    Raises:
        ValueError: when the text ends before, or more rows are said to be missing than there can be.
    """
    lines: list[str] = []
    left = count
    while left > 0:
        end = text.find("\n", place)
        if end < 0:
            raise ValueError(f"a table of {count} rows ends after {count - left}")
        lines.append(text[place:end])
        left -= rows_missing(lines[-1]) or 1
        place = end + 1
    if left < 0:
        raise ValueError(f"a table of {count} rows has {len(lines)} lines that stand for {count - left}")
    return kept(lines, rows_missing), place


def cells_of(row: str, columns: Sequence[Leaf | Dictionary]) -> list[str]:
    """Return the texts of a row's cells."""
    if not _STRUCTURE.search(row):
        return row.split(",")
    cells, place = [], 0
    for column in columns:
        end = _cell_end(row, place, ",") if column.kind in SINGLE else _list_end(row, place)
        cells.append(row[place:end])
        place = end + 1
        if end >= len(row):
            return cells
    raise ValueError(f"a row has more cells than columns: {row[:80]!r}")


def spaced_cells_of(row: str, names: Sequence[str]) -> list[str]:
    """Return the texts of the cells of a row in which spaces part them; a cell that is left out is empty.

    Args:
        row: the row.
        names: for each column the name before its cells where they may be left out, else ''.
    """
    cells, rest = [], row
    for name in names[:-1]:
        cell, rest = _spaced_cell(rest, name, " ")
        cells.append(cell)
    cell, rest = _spaced_cell(rest, names[-1], "\n")
    if rest:
        raise ValueError(f"a row goes on after its last cell: {row[:80]!r}")
    return [*cells, cell]


def _spaced_cell(rest: str, name: str, end: str) -> tuple[str, str]:
    """Return the first cell of what is left of a row, and what is left then; an optional one has a name."""
    if name and not rest.startswith(f"{name}="):
        return "", rest
    rest = rest[len(name) + bool(name) :]
    if MARK in rest and end == " ":  # the space in a mark parts nothing
        cell = _WITH_MARKS.match(rest).group()  # type: ignore[union-attr] # it matches nothing, too
        return cell, rest[len(cell) + 1 :]
    cell, _, rest = rest.partition(end)
    return cell, rest


_WITH_MARKS = re.compile(r"(?:…\(\+[0-9]+ (?:more rows|chars)\)|[^ ])*")


def _cell_end(text: str, place: int, stops: str) -> int:
    """Return where a cell or field ends: before one of the stops, or at the end of the text."""
    mark = text[place : place + 1]
    if mark == '"':
        found = _STRING.match(text, place)
        if found is None:
            raise ValueError(f"a string has no end: {text[place : place + 80]!r}")
        return chars_missing_at(text, found.end())[1]
    if mark in ("{", "["):
        return _closed(text, place)
    ends = [end for end in (text.find(stop, place) for stop in stops) if end >= 0]
    return min(ends, default=len(text))


def _list_end(text: str, place: int) -> int:
    if text[place : place + 1] in ("[", "{"):
        return _closed(text, place)
    while True:
        place = _cell_end(text, place, ",;|")
        if place >= len(text) or text[place] == ",":
            return place
        place += 1


def _closed(text: str, place: int) -> int:
    depth = 0
    for found in _BRACKET.finditer(text, place):
        if found.group() in ("{", "["):
            depth += 1
        elif found.group() in ("}", "]"):
            depth -= 1
            if depth == 0:
                return found.end()
    raise ValueError(f"brackets have no end: {text[place : place + 80]!r}")


def by_column(rows: Sequence[Sequence[str]], width: int) -> list[list[str]]:
    """Return the texts of each column; cells that were left out at the end of a row are empty."""
    full = []
    for row in rows:
        if len(row) > width:
            raise ValueError(f"a row has {len(row)} cells for {width} columns: {','.join(row)[:80]!r}")
        full.append(row if len(row) == width else [*row, *repeat("", width - len(row))])
    return [list(column) for column in zip(*full, strict=True)] if full else [[] for _ in range(width)]


def item_missing(item: Sequence[str]) -> int:
    """Return how many items of a list inside a cell the mark in their place says are missing, 0 for an item."""
    return rows_missing(item[0]) if len(item) == 1 else 0


def items_of(text: str) -> list[list[str]]:
    """Return the items of a list inside a cell and the marks among them, each as the texts of its fields."""
    if not _STRUCTURE.search(text):
        return [item.split("|") for item in text.split(";")]
    items: list[list[str]] = [[]]
    place = 0
    while True:
        end = _cell_end(text, place, ";|")
        items[-1].append(text[place:end])
        if end >= len(text):
            return items
        if text[end] == ";":
            items.append([])
        place = end + 1
