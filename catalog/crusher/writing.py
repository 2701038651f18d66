"""Writing: a value in the text layout. Tables stand on lines of their own, everything else on one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.crusher.columns import DEEPEST, Columns, Place, columns_of, equal_tuples, pays, tuple_columns
from catalog.crusher.lexicon import CELL, INLINE, key_text, string_of, text_of
from catalog.crusher.minified import dumps

HEAD = "~"
"""First character of a crushed text; no JSON begins with it."""


def written(value: Any, *, hoist: bool = True) -> str:
    """Return a checked value in the text layout.

    Args:
        hoist: whether columns that follow from header, row number or another column are said in the header.
    """
    return HEAD + _Writer(hoist).block(value, 0)


class _Writer:
    """Writes values, with or without hoisting."""

    def __init__(self, hoist: bool) -> None:
        self._hoist = hoist

    def block(self, value: Any, depth: int) -> str:
        """Return a value that may take several lines; one that ends in a table ends in a line break."""
        kind = value.__class__
        if depth < DEEPEST and value:
            if kind is dict:
                return self._object(value, depth)
            if kind is list or kind is tuple:
                return self._list(value, depth)
        return one_line(value, depth)

    def _object(self, value: dict[str, Any], depth: int) -> str:
        rows = list(value.values())
        if len(rows) > 1 and all(row.__class__ is dict for row in rows) and pays(rows):
            keys = sorted(value)
            table = columns_of([value[key] for key in keys], self._place(len(keys), depth))
            if table.header:
                names = [string_of(key, CELL) or '""' for key in keys]
                return f"{{{len(keys)}}}{{{table.header}}}\n{_lines(table)}{_rows([names, *table.texts])}"
        return "{" + _joined([f"{key_text(key)}:{self.block(value[key], depth + 1)}" for key in sorted(value)]) + "}"

    def _list(self, value: Sequence[Any], depth: int) -> str:
        kinds = {item.__class__ for item in value}
        if len(value) > 1 and kinds == {dict} and pays(value):
            table = columns_of(value, self._place(len(value), depth))
            if table.header:
                return f"[{len(value)}]{{{table.header}}}\n{_lines(table)}{_rows(table.texts)}"
        if len(value) > 2 and kinds <= {list, tuple} and equal_tuples(value):
            table = tuple_columns(value, self._place(len(value), depth))
            return f"[{len(value)}]({table.header})\n{_rows(table.texts)}"
        return "[" + _joined([self.block(item, depth + 1) for item in value]) + "]"

    def _place(self, count: int, depth: int) -> Place:
        return Place(depth + 2, one_line, range(count), self._hoist)


def _lines(table: Columns) -> str:
    return "".join(f"{line}\n" for line in table.lines)


def _rows(texts: Sequence[Sequence[str]]) -> str:
    """Return rows, one a line; empty cells at the end of a row are left out. Without a cell there is no row."""
    if not texts:
        return ""
    return "\n".join([row.rstrip(",") for row in map(",".join, zip(*texts, strict=True))]) + "\n"


def _joined(parts: Sequence[str]) -> str:
    """Join items with commas; after a table its line break takes the comma's place."""
    text = [part if part.endswith("\n") else part + "," for part in parts[:-1]]
    return "".join(text) + parts[-1]


def one_line(value: Any, depth: int) -> str:
    """Return a value on one line; what lies too deep for recursion as minified JSON."""
    kind = value.__class__
    if kind is dict:
        if depth >= DEEPEST:
            return dumps(value)
        return "{" + ",".join([f"{key_text(key)}:{one_line(value[key], depth + 1)}" for key in sorted(value)]) + "}"
    if kind is list or kind is tuple:
        if depth >= DEEPEST:
            return dumps(value)
        return "[" + ",".join([one_line(item, depth + 1) for item in value]) + "]"
    return text_of(value, INLINE)
