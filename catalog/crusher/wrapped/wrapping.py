"""Wrapping: a value in the json layout, which is JSON itself: objects become rows under a heading, strings references.

``{"~crush":1,"legend":{"A":"a string that repeats"},"value":…}``, the legend only where something is referred to. A
table is ``{"~t":[columns],"~r":[rows]}``; the first column of an object of objects is ``~k``, its key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from catalog.crusher.minified import dumps, quote, scalar
from catalog.crusher.missing import more_chars, more_rows
from catalog.crusher.pieces import LONG, Coded, Explained, Glossary, LongText, Series, Written, chained
from catalog.crusher.renaming import renamed
from catalog.crusher.tables.place import ABSENT, DEEPEST, Style
from catalog.crusher.wrapped.headings import Column, Columns, cells_of, heading
from catalog.crusher.wrapped.legend import Legend, repeated
from catalog.crusher.wrapped.marks import (
    COLUMNS,
    CRUSHED,
    CUT,
    EMPTY,
    ENTRIES,
    KEY,
    LEGEND,
    ROWS,
    VALUE,
    VERSION,
    escaped,
)
from catalog.crusher.wrapped.tabulating import Place, table_of


def wrapped(value: Any, style: Style) -> Written:
    """Return a checked value in the json layout; strings that repeat stand in its legend where rows are hoisted."""
    legend = Legend(repeated(value) if style.hoist else frozenset())
    writer = _Writer(legend, style)
    body = chained([writer.value(value, 0), "}"], "")
    text = Explained(body, writer.glossary, partial(_opening, legend.entries))
    return Written(text if style.cuts is not None else str(text), [writer.glossary] if legend.entries else [])


def _opening(entries: Mapping[str, str], letters: Collection[str]) -> str:
    """Return what stands before a value that uses some letters of the legend."""
    told = ",".join(f"{quote(letter)}:{quote(escaped(own))}" for letter, own in entries.items() if letter in letters)
    legend = f"{quote(LEGEND)}:{{{told}}}," if told else ""
    return f"{{{quote(CRUSHED)}:{VERSION},{legend}{quote(VALUE)}:"


def _missing_items(first: int, end: int) -> str:
    return quote(EMPTY + more_rows(end - first))


def _missing_entries(first: int, end: int) -> str:
    return f"{quote(ENTRIES)}:{quote(more_rows(end - first))}"


def _no_items(count: int) -> str:
    return f"[{_missing_items(0, count)}]"


def _no_entries(count: int) -> str:
    return f"{{{_missing_entries(0, count)}}}"


def _beginning(kept: str, missing: int) -> str:
    return quote(CUT + kept + more_chars(missing))


class _Writer:
    """Writes values in the order of the text, which is the order of the legend."""

    def __init__(self, legend: Legend, style: Style) -> None:
        self._legend = legend
        self._style = style
        self.glossary = Glossary("", legend.entries)

    def value(self, value: Any, depth: int) -> str:
        """Return a value; what lies too deep for recursion without tables."""
        kind = value.__class__
        if kind is str:
            return self._string(value)
        if kind is not dict and kind is not list and kind is not tuple:
            return scalar(value)
        if depth >= DEEPEST:
            return dumps(renamed(value, escaped))
        table = table_of(value, Place(depth + 2, self._style.elide)) if self._style.tables else None
        if table:
            return self._table(value, table.columns, depth + 2)
        if kind is dict:
            return self._object(value, self._entries(value, depth + 1))
        return self._series("[", [self.value(item, depth + 1) for item in value], "]", value)

    def _string(self, value: str) -> str:
        """Return a string of the data, or the reference to it."""
        letter = self._legend.letter(value)
        text = quote(EMPTY + letter if letter else escaped(value))
        if self._style.cuts is None:
            return text
        if letter:
            return Coded(text, letter, self.glossary)
        return LongText(text, value, _beginning) if len(value) > LONG else text

    def _series(
        self, head: str, items: list[str], tail: str, held: Sequence[Any], stub: Callable[[int], str] = _no_items
    ) -> str:
        """Return a list, or a table, of which any number of items makes sense.

        Args:
            head: what stands before the items.
            items: their texts.
            tail: what stands after them.
            held: their values.
            stub: the whole where so many items are missing.
        """
        cuts = self._style.cuts
        if cuts is None or not items:
            return f"{head}{','.join(items)}{tail}"
        return Series(items, head=head, tail=tail, mark=_missing_items, stub=stub, spared=cuts.among(held))

    def _object(self, value: dict[str, Any], entries: list[str]) -> str:
        cuts = self._style.cuts
        if cuts is None or not entries:
            return f"{{{','.join(entries)}}}"
        spared = cuts.among([value[key] for key in sorted(value)])
        return Series(
            entries, head="{", tail="}", mark=_missing_entries, stub=_no_entries, spared=spared, is_object=True
        )

    def _entries(self, value: dict[str, Any], depth: int) -> list[str]:
        return [chained([quote(escaped(key)), self.value(value[key], depth)], ":") for key in sorted(value)]

    def _table(self, value: Any, columns: Columns, depth: int) -> str:
        mapped = value.__class__ is dict
        held = [value[key] for key in sorted(value)] if mapped else value
        firsts = [(quote(escaped(key)),) for key in sorted(value)] if mapped else [()] * len(held)
        rows = [self._row(row, columns, depth, first) for row, first in zip(held, firsts, strict=True)]
        named = heading(columns, (quote(KEY),) if mapped else ())
        head = f"{{{quote(COLUMNS)}:{named},{quote(ROWS)}:["
        return self._series(head, rows, "]}", held, _no_entries if mapped else _no_items)

    def _row(self, row: dict[str, Any], columns: Columns, depth: int, first: Sequence[str] = ()) -> str:
        cells = zip(cells_of(row, columns), columns, strict=False)
        texts = [*first, *[self._cell(cell, column, depth) for cell, column in cells]]
        return chained(["[", chained(texts, ","), "]"], "")

    def _cell(self, cell: Any, column: Column, depth: int) -> str:
        if cell is ABSENT:
            return quote(EMPTY)
        if column.kind == "further":
            return chained(["{", chained(self._entries(cell, depth + 1), ","), "}"], "")
        if column.kind == "object" and cell is not None:
            return self._row(cell, column.columns, depth + 1)
        if column.kind == "objects" and cell is not None:
            return self._series("[", [self._row(item, column.columns, depth + 2) for item in cell], "]", cell)
        return self.value(cell, depth)
