"""Tables: header, glossaries and rows put together, with commas between cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from catalog.crusher.pieces import Coded, Glossary, Mark, Series, Spared, chained
from catalog.crusher.tables.place import Columns, joined, without_end


class Rows(NamedTuple):
    """Rows under a header.

    Attributes:
        header: the columns, as the header has them.
        glossaries: what the letters in cells stand for.
        texts: the rows.
        columns: the cells, column by column.
    """

    header: str
    glossaries: tuple[Glossary, ...]
    texts: list[str]
    columns: list[list[str]]


def with_commas(found: Sequence[Columns], names: Sequence[str] = ()) -> Rows:
    """Return rows with commas between their cells; empty cells at the end are left out.

    Args:
        found: the columns.
        names: first cell of each row, for the objects of an object.
    """
    own = joined(found)
    cells = [names, *own.texts] if names else own.texts
    rows = [row_of(without_end(row), ",") for row in zip(*cells, strict=True)]
    return Rows(own.header, own.glossaries, rows, own.texts)


def row_of(cells: Sequence[str], joint: str) -> str:
    """Return a row of cells; a piece only where there is one in it that can be cut."""
    return joint.join(cells) if _WHOLE.issuperset(map(type, cells)) else chained(cells, joint)


_WHOLE = frozenset({str, Coded})


def assembled(
    head: str, rows: Rows, count: int, *, stub: Callable[[int], str], mark: Mark, spared: Spared | None
) -> str:
    """Return a table.

    Args:
        head: its first line.
        rows: the rows.
        count: how many rows there are.
        stub: the whole where so many rows are missing.
        mark: what stands in place of the rows from one to another.
        spared: the rows that a budget is to spare; None where the table will not be shortened.
    """
    start = f"{head}\n"
    if spared is None:
        return start + "".join(glossary.lines() for glossary in rows.glossaries) + "".join(map(_line, rows.texts))
    glossaries: dict[Glossary, Sequence[str]] = dict.fromkeys(rows.glossaries, ())
    for texts in rows.columns:
        for glossary in {text.glossary for text in texts if isinstance(text, Coded)}:
            glossaries[glossary] = [text.letter if isinstance(text, Coded) else "" for text in texts]
    tail = "\n" if rows.texts else ""
    return Series(
        rows.texts,
        head=start,
        joint="\n",
        tail=tail,
        mark=mark,
        stub=stub,
        glossaries=glossaries,
        spared=spared,
        unwritten=count,
    )


def _line(row: str) -> str:
    return f"{row}\n"
