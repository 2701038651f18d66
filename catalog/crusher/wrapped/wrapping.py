"""Wrapping: a value in the json layout, which is JSON itself: objects become rows under a heading, strings references.

``{"~crush":1,"legend":{"A":"a string that repeats"},"value":…}``, the legend only where something is referred to. A
table is ``{"~t":[columns],"~r":[rows]}``; the first column of an object of objects is ``~k``, its key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.crusher.minified import dumps, quote, scalar
from catalog.crusher.tables.place import ABSENT, DEEPEST
from catalog.crusher.wrapped.headings import Column, Columns, cells_of, heading
from catalog.crusher.wrapped.legend import Legend, repeated
from catalog.crusher.wrapped.marks import COLUMNS, CRUSHED, EMPTY, KEY, LEGEND, ROWS, VALUE, VERSION, escaped
from catalog.crusher.wrapped.tabulating import Place, table_of


def wrapped(value: Any, *, intern: bool, elide: bool) -> tuple[str, dict[str, str]]:
    """Return a checked value in the json layout, and its legend: letter → string.

    Args:
        intern: whether strings that repeat are written once, in the legend.
        elide: whether rows may end before cells that are empty.
    """
    legend = Legend(repeated(value) if intern else frozenset())
    writer = _Writer(legend, elide=elide)
    text = writer.value(value, 0)
    entries = [f"{quote(letter)}:{_string(escaped(own))}" for letter, own in legend.entries.items()]
    told = f"{quote(LEGEND)}:{{{','.join(entries)}}}," if entries else ""
    return f"{{{quote(CRUSHED)}:{VERSION},{told}{quote(VALUE)}:{text}}}", legend.entries


class _Writer:
    """Writes values in the order of the text, which is the order of the legend."""

    def __init__(self, legend: Legend, *, elide: bool) -> None:
        self._legend = legend
        self._elide = elide

    def value(self, value: Any, depth: int) -> str:
        """Return a value; what lies too deep for recursion without tables."""
        kind = value.__class__
        if kind is str:
            return _string(self._legend.text(value))
        if kind is not dict and kind is not list and kind is not tuple:
            return scalar(value)
        if depth >= DEEPEST:
            return dumps(self._legend.copy(value))
        table = table_of(value, Place(depth + 2, self._elide))
        if table:
            return self._table(value, table.columns, depth + 2)
        if kind is dict:
            return _joined("{", self._entries(value, depth + 1), "}")
        return _joined("[", [self.value(item, depth + 1) for item in value], "]")

    def _entries(self, value: dict[str, Any], depth: int) -> list[str]:
        return [f"{quote(escaped(key))}:{self.value(value[key], depth)}" for key in sorted(value)]

    def _table(self, value: Any, columns: Columns, depth: int) -> str:
        if value.__class__ is dict:
            rows = [self._row(value[key], columns, depth, (quote(escaped(key)),)) for key in sorted(value)]
            named = heading(columns, (quote(KEY),))
        else:
            rows = [self._row(row, columns, depth) for row in value]
            named = heading(columns)
        return _joined(f"{{{quote(COLUMNS)}:{named},{quote(ROWS)}:[", rows, "]}")

    def _row(self, row: dict[str, Any], columns: Columns, depth: int, first: Sequence[str] = ()) -> str:
        cells = zip(cells_of(row, columns), columns, strict=False)
        return f"[{','.join((*first, *[self._cell(cell, column, depth) for cell, column in cells]))}]"

    def _cell(self, cell: Any, column: Column, depth: int) -> str:
        if cell is ABSENT:
            return quote(EMPTY)
        if column.kind == "further":
            return f"{{{','.join(self._entries(cell, depth + 1))}}}"
        if column.kind == "object" and cell is not None:
            return self._row(cell, column.columns, depth + 1)
        if column.kind == "objects" and cell is not None:
            return _joined("[", [self._row(item, column.columns, depth + 2) for item in cell], "]")
        return self.value(cell, depth)


def _joined(head: str, items: Sequence[str], tail: str) -> str:
    """Return a list, an object or a table, of which any number of items makes sense; rows and headings are whole."""
    return f"{head}{','.join(items)}{tail}"


def _string(text: str) -> str:
    """Return a string of the data as JSON."""
    return quote(text)
