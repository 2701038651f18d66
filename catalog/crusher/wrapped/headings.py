"""Headings of the json layout: the columns of a table, how they are written and what a row holds in them.

A column is written as its key. ``{"key":[columns]}`` holds objects, each as a row in the cell, and
``{"key":[[columns]]}`` lists of objects, each as a list of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from catalog.crusher.minified import quote
from catalog.crusher.tables.place import ABSENT, DEEPEST
from catalog.crusher.wrapped.marks import FURTHER, LEFT_ABSENT, LEFT_NULL, escaped, unescaped

Kind = Literal["cell", "object", "objects", "further"]


class Column(NamedTuple):
    """A column.

    Attributes:
        key: of the objects; '' for the further ones.
        kind: ``cell`` holds any value, ``object`` a row, ``objects`` a list of rows, ``further`` an object of the keys
            that have no column.
        left: what its cell is where a row ends before it, `LEFT_ABSENT` or `LEFT_NULL`; '' where no row may.
        columns: of the rows inside its cells.
        rare: the further keys, known to the writer.
    """

    key: str
    kind: Kind = "cell"
    left: str = ""
    columns: Columns = ()
    rare: frozenset[str] = frozenset()

    def further(self, row: dict[str, Any]) -> Any:
        """Return the further keys of an object with their values, `ABSENT` where it has none."""
        return {key: row[key] for key in row.keys() & self.rare} or ABSENT

    @property
    def name(self) -> str:
        """The mark or key, as JSON."""
        if self.kind == "further":
            return quote(FURTHER)
        return quote(self.left + self.key if self.left else escaped(self.key))


Columns: TypeAlias = tuple[Column, ...]

LEFT: dict[str, Any] = {LEFT_ABSENT: ABSENT, LEFT_NULL: None}
"""What a cell is that was left out at the end of a row."""


def cells_of(row: dict[str, Any], columns: Columns) -> list[Any]:
    """Return the cells of an object, without those at its end that may be left out."""
    cells = [row.get(own.key, ABSENT) if own.kind != "further" else own.further(row) for own in columns]
    for column in reversed(columns):
        if not column.left or cells[-1] is not LEFT[column.left]:
            break
        cells.pop()
    return cells


def heading(columns: Columns, first: Sequence[str] = ()) -> str:
    """Return a heading as JSON.

    Args:
        first: what stands before the columns.
    """
    return f"[{','.join((*first, *map(_written, columns)))}]"


def _written(column: Column) -> str:
    if not column.columns:
        return column.name
    inner = heading(column.columns)
    return f"{{{column.name}:{inner}}}" if column.kind == "object" else f"{{{column.name}:[{inner}]}}"


def columns_at(parsed: Any, depth: int = 0) -> Columns:
    """Return the columns of a heading.

    Raises:
        ValueError: when it is malformed.
    """
    if parsed.__class__ is not list or depth > DEEPEST:
        raise ValueError(f"{parsed!r:.80} is no heading")
    return tuple(_column(column, depth) for column in parsed)


def _column(parsed: Any, depth: int) -> Column:
    if parsed.__class__ is dict and len(parsed) == 1:
        ((name, inner),) = parsed.items()
        if inner.__class__ is list and inner and inner[0].__class__ is list:
            if len(inner) > 1:
                raise ValueError(f"{parsed!r:.80} is no column")
            return _named(name)._replace(kind="objects", columns=columns_at(inner[0], depth + 1))
        return _named(name)._replace(kind="object", columns=columns_at(inner, depth + 1))
    if parsed == FURTHER:
        return Column("", "further", LEFT_ABSENT)
    return _named(parsed)


def _named(name: Any) -> Column:
    if name.__class__ is not str:
        raise ValueError(f"{name!r:.80} is no column")
    for left in LEFT:
        if name.startswith(left):
            return Column(name.removeprefix(left), left=left)
    return Column(unescaped(name))
