"""Writing: a value in the text layout. Tables stand on lines of their own, everything else on one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.crusher.minified import dumps
from catalog.crusher.tables.columns import (
    DEEPEST,
    LEAST_ROWS,
    Columns,
    Inline,
    Place,
    columns_each,
    equal_tuples,
    joined,
    pays,
    tuple_columns,
)
from catalog.crusher.tables.interning import entry_lines, repeated
from catalog.crusher.tables.lexicon import CELL, INLINE, key_text, string_of, text_of
from catalog.crusher.tables.spacing import Spaced, spaced
from catalog.crusher.tables.trees import BELOW, tree_of

HEAD = "~"
"""First character of a crushed text; no JSON begins with it."""


def written(value: Any, *, hoist: bool = True, elide: bool = True) -> str:
    """Return a checked value in the text layout.

    Args:
        hoist: whether what rows have in common is said in the header.
        elide: whether null, the empty string and the usual value are left out where they can be told from the header.
    """
    return HEAD + _Writer(hoist, elide).block(value, 0)


class _Writer:
    """Writes values, with or without hoisting and elision."""

    def __init__(self, hoist: bool, elide: bool) -> None:
        self._hoist, self._elide = hoist, elide

    def block(self, value: Any, depth: int) -> str:
        """Return a value that may take several lines; one that ends in a table ends in a line break."""
        kind = value.__class__
        if depth < DEEPEST and value:
            if kind is dict:
                return self._object(value, depth)
            if kind is list or kind is tuple:
                return self._list(value, depth)
        return self.line(value, depth)

    def _object(self, value: dict[str, Any], depth: int) -> str:
        rows = list(value.values())
        if len(rows) > 1 and all(row.__class__ is dict for row in rows) and pays(rows):
            keys = sorted(value)
            names = [string_of(key, CELL) or '""' for key in keys]
            found = columns_each([value[key] for key in keys], self._place(len(keys), depth))
            if found:
                return f"{{{len(keys)}}}{{{_table(found, names)}"
        return "{" + _joined([self._entry(key, value[key], self.block, depth) for key in sorted(value)]) + "}"

    def _list(self, value: Sequence[Any], depth: int) -> str:
        kinds = {item.__class__ for item in value}
        if kinds == {dict}:
            table = self._tree(value, depth) or self._records(value, depth)
            if table:
                return table
        if len(value) > 2 and kinds <= {list, tuple} and equal_tuples(value):
            table = tuple_columns(value, self._place(len(value), depth))
            return f"[{len(value)}]({table.header})\n" + "".join(f"{row}\n" for row in _rows(table.texts))
        items = [self.block(item, depth + 1) for item in value]
        known = repeated(items) if self._hoist and len(items) >= LEAST_ROWS else {}
        if not known:
            return "[" + _joined(items) + "]"
        entries = "".join(f"{line}\n" for line in entry_lines((letter, item) for item, letter in known.items()))
        return f"[{entries}" + _joined([f"&{known[item]}" if item in known else item for item in items]) + "]"

    def _records(self, value: Sequence[dict[str, Any]], depth: int) -> str:
        """Return a list of objects as a table; '' where that does not pay."""
        found = columns_each(value, self._place(len(value), depth)) if len(value) > 1 and pays(value) else []
        return f"[{len(value)}]{{{_table(found)}" if found else ""

    def _tree(self, value: Sequence[dict[str, Any]], depth: int) -> str:
        """Return a list of objects that hold objects of their kind as a table; '' where they do not."""
        tree = tree_of(value, DEEPEST - depth)
        if tree is None or not pays(tree.rows):
            return ""
        found = columns_each(tree.rows, self._place(len(tree.rows), depth))
        texts = [text for columns in found for own in columns.texts for text in own]
        if not texts or any(text.startswith(BELOW) for text in texts):
            return ""
        below = Columns(f"^{key_text(tree.key)}" + ("[]" if tree.childless else ""), [])
        return f"[{len(tree.rows)}]{{{_table([below, *found], marks=[BELOW * depth for depth in tree.depths])}"

    def _place(self, count: int, depth: int) -> Place:
        return Place(depth + 2, self.line, range(count), self._hoist, self._elide)

    def line(self, value: Any, depth: int) -> str:
        """Return a value on one line; what lies too deep for recursion as minified JSON."""
        kind = value.__class__
        if kind is dict:
            if depth >= DEEPEST:
                return dumps(value)
            return "{" + ",".join([self._entry(key, value[key], self.line, depth) for key in sorted(value)]) + "}"
        if kind is list or kind is tuple:
            if depth >= DEEPEST:
                return dumps(value)
            return "[" + ",".join([self.line(item, depth + 1) for item in value]) + "]"
        return text_of(value, INLINE)

    def _entry(self, key: str, value: Any, write: Inline, depth: int) -> str:
        """Return an entry of an object; the value null is left out."""
        return f"{key_text(key)}:" + ("" if value is None and self._elide else write(value, depth + 1))


def _table(found: Sequence[Columns], names: Sequence[str] = (), marks: Sequence[str] = ()) -> str:
    """Return a header from its first column on, and its rows, the cells apart by spaces or by commas.

    Args:
        found: the columns.
        names: first cell of each row, for the objects of an object.
        marks: what stands before each row, for those of a tree.
    """
    apart = spaced(found, names)
    if apart is None:
        table = joined(found)
        apart = Spaced(table.header, table.lines, _rows([names, *table.texts] if names else table.texts))
    rows = map("".join, zip(marks, apart.rows, strict=True)) if marks else apart.rows
    return f"{apart.header}}}\n" + "".join(f"{line}\n" for line in (*apart.lines, *rows))


def _rows(texts: Sequence[Sequence[str]]) -> list[str]:
    """Return rows with commas between their cells; empty cells at the end are left out."""
    return [row.rstrip(",") for row in map(",".join, zip(*texts, strict=True))]


def _joined(parts: Sequence[str]) -> str:
    """Join items with commas; after a table its line break takes the comma's place."""
    text = [part if part.endswith("\n") else part + "," for part in parts[:-1]]
    return "".join(text) + parts[-1]
