"""Reading: what a text in the text layout says. Numbers come as `Lexeme`; no depth is too deep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from catalog.crusher.tables.decoding import columns_of, expanded, map_of, objects_of
from catalog.crusher.tables.headers import (
    Dictionary,
    Header,
    Leaf,
    Patterns,
    dictionaries,
    leaves,
    opened,
    optional_name,
    table_header_at,
    tuple_header_at,
)
from catalog.crusher.tables.messages import SLOT
from catalog.crusher.tables.place import MOST_UNWRITTEN
from catalog.crusher.tables.rows import Kept, by_column, cells_of, rows_at, spaced_cells_of
from catalog.crusher.tables.trees import grown, lines_of
from catalog.crusher.tables.values import entries_at, value_at

Heads = list[Header]
"""Headers that were read."""


def read(text: str, start: int = 0, heads: Heads | None = None) -> Any:
    """Return the value that a text holds from a place to its end.

    Args:
        text: the text.
        start: the place.
        heads: takes the headers of all tables.

    Raises:
        ValueError: when it is malformed, naming the place.
    """
    value, end = value_at(text, start, partial(_table, heads))
    if text[end:].strip("\n"):
        raise ValueError(f"something follows the value at character {end}")
    return value


def _table(heads: Heads | None, text: str, found: re.Match[str]) -> tuple[Any, int]:
    listed, bracket, mapped = found.groups()
    header, spaced, place = _header(text, found)
    if heads is not None:
        heads.append(header)
    place = _entries(text, place, header)
    count = int(listed or mapped)
    if mapped is not None and any(isinstance(own, Leaf) and own.kind == "branch" for own in header):
        raise ValueError(f"an object of objects is no tree at character {found.start()}")
    branch = next((own for own in header if isinstance(own, Leaf) and own.kind == "branch"), None)
    if branch is not None:
        header = tuple(own for own in header if own is not branch)
        tree, place = lines_of(text, place, count)
        lines = [line.cells for line in tree if not line.missing]
        values = _columns(header, spaced, Kept(lines, range(len(lines)), {}))
        return grown(tree, objects_of(opened(header), values, len(lines)), branch.name, bool(branch.missing)), place
    rows, place = _rows(text, place, count, leaves(header))
    values = _columns(header, spaced, rows)
    if bracket == "(":
        return rows.filled([list(row) for row in zip(*values, strict=True)]), place
    if mapped is not None:
        objects = objects_of(opened(header)[1:], values[1:], len(rows.items))
        return map_of(values[0], objects, sum(rows.gaps.values())), place
    return rows.filled(objects_of(opened(header), values, len(rows.items))), place


def _header(text: str, found: re.Match[str]) -> tuple[Header, bool, int]:
    """Return the header of a table, whether spaces part the cells, and the place after it."""
    _, bracket, mapped = found.groups()
    if bracket == "(":
        header, place = tuple_header_at(text, found.end())
        return header, False, place
    header, spaced, place = table_header_at(text, found.end())
    return (header if mapped is None else (Leaf("", strings=True), *header)), spaced, place


def _rows(text: str, place: int, count: int, cells: Sequence[Leaf | Dictionary]) -> tuple[Kept[str], int]:
    """Return the lines of so many rows and the place after them; where the header says all, there are none."""
    if cells:
        return rows_at(text, place, count)
    if count > MOST_UNWRITTEN:
        raise ValueError(f"a header says all of {count:,} rows; more than {MOST_UNWRITTEN:,} are not believed")
    return Kept([""] * count, range(count), {}), place


def _columns(header: Header, spaced: bool, rows: Kept[str]) -> list[list[Any]]:
    """Return the values of each column of rows that were read."""
    cells = leaves(header)
    if spaced and not cells:
        raise ValueError("a header whose columns have no cells parts them by spaces")
    if spaced:
        names = [optional_name(own) for own in cells]
        parts = [spaced_cells_of(line, names) for line in rows.items]
    else:
        parts = [cells_of(line, cells) for line in rows.items if cells]
    columns = expanded(cells, by_column(parts, len(cells)))
    return columns_of(opened(header), iter(columns), rows.numbers)


def _entries(text: str, place: int, header: Header) -> int:
    """Read the entries of a header's dictionaries and patterns, and return the place after them."""
    if not text.startswith("\n", place):
        raise ValueError(f"a table has no rows at character {place}")
    place += 1
    for own in dictionaries(header):
        entries, place = entries_at(text, place)
        if isinstance(own, Patterns):
            own.entries = {code: pattern.split(SLOT) for code, pattern in entries.items()}
            continue
        cells = leaves(own.columns)
        texts = by_column([cells_of(entry, cells) for entry in entries.values()], len(cells))
        own.entries = {code: list(entry) for code, entry in zip(entries, zip(*texts, strict=True), strict=True)}
    return place
