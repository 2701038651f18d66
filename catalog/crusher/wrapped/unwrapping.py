"""Unwrapping: the value that a text in the json layout holds. No depth is too deep, and what is damaged is an error.

Where something was cut off, what stands for it is left in the value, see `missing`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from catalog.crusher.minified import Lexeme
from catalog.crusher.missing import Missing, Shortened, cut_text, rows_missing
from catalog.crusher.wrapped.headings import LEFT, Column, Columns, columns_at
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
    unescaped,
)

_LETTERS = re.compile("[A-Z]+")


def is_wrapped(parsed: Any) -> bool:
    """Return whether parsed JSON is a value in the json layout; data that looks like it is wrapped when written."""
    return parsed.__class__ is dict and {CRUSHED, VALUE} <= parsed.keys() <= {CRUSHED, LEGEND, VALUE}


def unwrapped(parsed: Any) -> Any:
    """Return the value of parsed JSON in the json layout; numbers stay as they are.

    Raises:
        ValueError: when it is malformed, or of a version that is not known.
    """
    if not is_wrapped(parsed):
        raise ValueError("this is no crushed JSON")
    version = parsed[CRUSHED]
    if version.__class__ not in (int, Lexeme) or str(version) != str(VERSION):
        raise ValueError(f"crushed JSON of version {version!r:.80}, known is {VERSION}")
    return _Reader(_references(parsed.get(LEGEND, {}))).read(parsed[VALUE])


def _references(legend: Any) -> dict[str, str]:
    if legend.__class__ is not dict:
        raise ValueError("the legend is no object")
    for letter, text in legend.items():
        if not _LETTERS.fullmatch(letter) or text.__class__ is not str:
            raise ValueError(f"{letter!r} is no entry of a legend")
    plain = _Reader({})
    return {EMPTY + letter: plain.string(text) for letter, text in legend.items()}


class _Reader:
    """Reads values level by level: a list or object is made empty, and waits to be filled."""

    def __init__(self, references: dict[str, str]) -> None:
        self._references = references
        self._waiting: list[Callable[[], None]] = []

    def read(self, parsed: Any) -> Any:
        """Return a whole value."""
        value = self._value(parsed)
        while self._waiting:
            self._waiting.pop()()
        return value

    def string(self, text: str) -> str:
        """Return what a string of the text stands for."""
        if not text.startswith(EMPTY):
            return text
        if text in self._references:
            return self._references[text]
        cut = cut_text(text.removeprefix(CUT)) if text.startswith(CUT) else None
        return unescaped(text) if cut is None else cut

    def _value(self, parsed: Any) -> Any:
        kind = parsed.__class__
        if kind is str:
            return self.string(parsed)
        if kind is list:
            return self._list(parsed, None)
        if kind is dict:
            return self._table(parsed) if COLUMNS in parsed else self._object(parsed)
        return parsed

    def _list(self, parsed: list[Any], columns: Columns | None) -> list[Any]:
        """Return a list that will be filled with values or, where there are columns, with the objects of rows."""
        made: list[Any] = []
        self._waiting.append(partial(self._fill_list, made, parsed, columns))
        return made

    def _fill_list(self, made: list[Any], parsed: list[Any], columns: Columns | None) -> None:
        for item in parsed:
            rows = rows_missing(item[len(EMPTY) :]) if item.__class__ is str and item.startswith(EMPTY) else 0
            if rows:
                made.append(Missing(rows=rows))
            else:
                made.append(self._value(item) if columns is None else self._row(item, columns))

    def _object(self, parsed: dict[str, Any]) -> dict[str, Any]:
        entries = dict(parsed)
        made = _shortened(str(entries.pop(ENTRIES))) if ENTRIES in entries else {}
        self._waiting.append(partial(self._fill_object, made, entries))
        return made

    def _fill_object(self, made: dict[str, Any], parsed: dict[str, Any]) -> None:
        for key, item in parsed.items():
            _put(made, unescaped(key), self._value(item))

    def _table(self, parsed: dict[str, Any]) -> Any:
        names, rows = parsed[COLUMNS], parsed.get(ROWS)
        if len(parsed) != 2 or names.__class__ is not list or rows.__class__ is not list:
            raise ValueError(f"{parsed!r:.80} is no table")
        if names[:1] != [KEY]:
            return self._list(rows, columns_at(names))
        marks = [row for row in rows if row.__class__ is str]
        made = _shortened(*marks) if marks else {}
        kept = [row for row in rows if row.__class__ is not str]
        self._waiting.append(partial(self._fill_entries, made, kept, columns_at(names[1:])))
        return made

    def _fill_entries(self, made: dict[str, Any], rows: list[Any], columns: Columns) -> None:
        for row in rows:
            if row.__class__ is not list or not row or row[0].__class__ is not str:
                raise ValueError(f"{row!r:.80} is no row that begins with a key")
            _put(made, unescaped(row[0]), self._row(row[1:], columns))

    def _row(self, row: Any, columns: Columns) -> dict[str, Any]:
        """Return the object that a row stands for."""
        own: dict[str, Any] = {}
        self._waiting.append(partial(self._fill_row, own, row, columns))
        return own

    def _fill_row(self, made: dict[str, Any], row: Any, columns: Columns) -> None:
        if row.__class__ is not list or len(row) > len(columns):
            raise ValueError(f"{row!r:.80} is no row of {len(columns)} columns")
        for cell, column in zip(row, columns, strict=False):
            if cell.__class__ is not str or cell != EMPTY:
                self._fill_cell(made, cell, column)
        for column in columns[len(row) :]:
            if not column.left:
                raise ValueError(f"{row!r:.80} ends before its column {column.key!r}")
            if LEFT[column.left] is None:
                _put(made, column.key, None)

    def _fill_cell(self, made: dict[str, Any], cell: Any, column: Column) -> None:
        if column.kind == "cell" or (cell is None and column.kind != "further"):
            _put(made, column.key, self._value(cell))
        elif column.kind == "further" and cell.__class__ is dict:
            self._fill_object(made, cell)
        elif column.kind == "object":
            _put(made, column.key, self._row(cell, column.columns))
        elif cell.__class__ is list:
            _put(made, column.key, self._list(cell, column.columns))
        else:
            raise ValueError(f"{cell!r:.80} is no cell of its column {column.key!r}")


def _put(made: dict[str, Any], key: str, value: Any) -> None:
    if key in made:
        raise ValueError(f"the key {key!r} stands twice in one object")
    made[key] = value


def _shortened(*marks: str) -> Shortened:
    counts = [rows_missing(mark.removeprefix(EMPTY)) for mark in marks]
    if not all(counts):
        raise ValueError(f"{marks!r:.80} does not say how many rows are missing")
    return Shortened(missing=sum(counts))
