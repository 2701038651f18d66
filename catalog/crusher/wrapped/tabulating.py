"""Tabulating: which objects the json layout writes as a table, with which columns, and what that saves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from catalog.crusher.minified import quote
from catalog.crusher.tables.place import ABSENT, DEEPEST
from catalog.crusher.wrapped.headings import Column, Columns, Kind, cells_of
from catalog.crusher.wrapped.marks import LEFT_ABSENT, LEFT_NULL, escaped

Rows = Sequence[dict[str, Any]]

_TABLE = len('{"~t":[],"~r":}')
_KEYS = len('"~k",')
_FRAME: dict[Kind, int] = {"object": len("{:[]}"), "objects": len("{:[[]]}")}
_EMPTY = len('"~",')
_NULL = len("null")
_BRACES = len("{}")
_LEAST_SAVED = 24
"""Characters a table must save: its marks are many tokens for their characters."""
_WRITTEN = 0.75
"""About the share of a sparse column's empty cells that are written where rows may end early; measured."""


class Place(NamedTuple):
    """Where a table stands.

    Attributes:
        depth: how deep its cells lie.
        elide: whether rows may end early.
        nest: whether cells may hold rows.
    """

    depth: int
    elide: bool
    nest: bool = True


class Table(NamedTuple):
    """Columns, and how many characters they save; less than 0 when they cost."""

    columns: Columns
    saved: int


class _Planned(NamedTuple):
    """A column, how many of its cells are empty, and how many characters the rows inside its cells save."""

    column: Column
    empty: int
    saved: int = 0


def table_of(value: Any, place: Place) -> Table | None:
    """Return the table of a list of objects, or of an object of objects; None where it does not pay."""
    mapped = value.__class__ is dict
    rows = list(value.values()) if mapped else value
    if not _are_objects(rows):
        return None
    found = _tabulated(rows, place)
    saved = found.saved - _TABLE - (_KEYS if mapped else 0)
    return Table(found.columns, saved) if saved > _LEAST_SAVED else None


def _are_objects(rows: Sequence[Any]) -> bool:
    return len(rows) > 1 and all(row.__class__ is dict for row in rows)


def _tabulated(rows: Rows, place: Place) -> Table:
    """Return the columns of objects: those that are mostly filled in the order of their keys, then the others."""
    counts = Counter(chain.from_iterable(rows))
    rare = frozenset(key for key, count in counts.items() if _is_rare(key, count, len(rows), place))
    planned = [_column(key, [row.get(key, ABSENT) for row in rows], place) for key in counts.keys() - rare]
    if rare:
        planned.append(_further(rare, rows, place))
    planned.sort(key=lambda own: (_emptiness(own.empty, len(rows)), own.column.key))
    columns = tuple(own.column for own in planned)
    cells = [cells_of(row, columns) for row in rows]
    least = min(map(len, cells))
    columns = tuple(column._replace(left="") for column in columns[:least]) + columns[least:]
    saved = _saved_by_names(columns, counts) + _saved_by_cells(rows, cells)
    return Table(columns, saved + sum(own.saved for own in planned))


def _is_rare(key: str, count: int, rows: int, place: Place) -> bool:
    """Return whether naming a key where it occurs is shorter than an empty cell in the other rows."""
    return count * (len(key) + 4) < (rows - count) * _EMPTY * (_WRITTEN if place.elide else 1)


def _emptiness(empty: int, rows: int) -> int:
    """Return what puts columns in order: the full ones first, then the emptier the later, so that rows end early."""
    return 0 if 2 * empty < rows else empty


def _further(rare: frozenset[str], rows: Rows, place: Place) -> _Planned:
    sizes = [len(rare & row.keys()) for row in rows]
    column = Column("", "further", LEFT_ABSENT if place.elide else "", rare=rare)
    return _Planned(column, sizes.count(0), -sum(size - 1 + _BRACES for size in sizes if size))


def _column(key: str, values: Sequence[Any], place: Place) -> _Planned:
    kinds = Counter(value.__class__ for value in values)
    absent, null = kinds.pop(object, 0), kinds.pop(type(None), 0)
    left = LEFT_NULL if null > absent else LEFT_ABSENT if absent else ""
    planned = _Planned(Column(key, left=left if place.elide else ""), max(absent, null))
    if not place.nest or place.depth >= DEEPEST or not kinds or not kinds.keys() <= {dict, list, tuple}:
        return planned
    return _nested(planned, [value for value in values if value.__class__ in kinds], place)


def _nested(planned: _Planned, values: Sequence[Any], place: Place) -> _Planned:
    """Return a column with rows inside its cells, or as it was where these are not shorter than tables of their own."""
    kinds = {value.__class__ for value in values}
    kind: Kind = "object" if kinds == {dict} else "objects"
    rows = values if kind == "object" else list(chain.from_iterable(values))
    if (kind == "objects" and dict in kinds) or not _are_objects(rows):
        return planned
    inner = place._replace(depth=place.depth + (1 if kind == "object" else 2))
    found = _tabulated(rows, inner)
    alone = (table_of(value, inner._replace(nest=False)) for value in values)
    saved = found.saved - _FRAME[kind] - sum(table.saved for table in alone if table)
    if saved <= 0:
        return planned
    return planned._replace(column=planned.column._replace(kind=kind, columns=found.columns), saved=saved)


def _saved_by_names(columns: Columns, counts: Counter[str]) -> int:
    """Return the characters saved by naming keys once, in the heading, instead of in each object."""
    named = (column for column in columns if column.kind != "further")
    repeated = sum(counts[column.key] * (len(quote(escaped(column.key))) + 1) for column in named)
    return repeated - sum(len(column.name) + 1 for column in columns)


def _saved_by_cells(rows: Rows, cells: Iterable[list[Any]]) -> int:
    """Return the characters saved by nulls that are left out, less those that empty cells cost."""
    saved = 0
    for row, own in zip(rows, cells, strict=True):
        saved += max(len(row), 1) - max(len(own), 1) - (_EMPTY - 1) * own.count(ABSENT)
        saved += _NULL * (list(row.values()).count(None) - own.count(None))
    return saved
