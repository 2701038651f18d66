"""Places: where values stand and how they are written there, and the columns that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from catalog.crusher.pieces import Cuts, Glossary
from catalog.crusher.tables.lexicon import CELL, Fence

ABSENT: Any = object()
"""Stands where an object has no such key."""

Inline = Callable[[Any, int], str]
"""Writes a value on one line; the number is how deep it lies."""

DEEPEST = 64
"""Levels in which tables are sought."""

MOST_UNWRITTEN = 100_000
"""Rows of which a header may say all: a few characters must not become a value without end."""

EMPTY = 0.4
"""Characters an empty cell counts: runs of commas are few tokens."""


class Style(NamedTuple):
    """How a value is written.

    Attributes:
        hoist: whether what rows have in common is said in the header.
        elide: whether null, the empty string and the usual value are empty cells.
        tables: whether objects are written as rows.
        cuts: what a budget is to spare; None where the text will not be shortened, and needs no pieces.
    """

    hoist: bool = True
    elide: bool = True
    tables: bool = True
    cuts: Cuts | None = None


class Place(NamedTuple):
    """Where columns stand.

    Attributes:
        depth: how deep the values lie.
        inline: writes a value on one line.
        rows: the numbers of the rows.
        style: how values are written.
        fence: what a bare string may not hold.
    """

    depth: int
    inline: Inline
    rows: Sequence[int]
    style: Style
    fence: Fence = CELL

    def below(self, rows: Sequence[int], fence: Fence | None = None) -> Place:
        """Return the place one level deeper, of these rows."""
        return self._replace(depth=self.depth + 1, rows=rows, fence=fence or self.fence)

    def without_hoisting(self) -> Place:
        """Return the place with every value in its cell."""
        return self._replace(style=self.style._replace(hoist=False))


class Columns(NamedTuple):
    """Some columns.

    Attributes:
        header: what stands before the rows.
        texts: a list for each column that has cells.
        marked: whether the first holds the marks of a nested object.
        glossaries: what the letters in cells stand for.
        coded: whether the first holds such letters.
    """

    header: str
    texts: list[list[str]]
    marked: bool = False
    glossaries: tuple[Glossary, ...] = ()
    coded: bool = False

    @property
    def size(self) -> float:
        """How many characters the columns take, an empty cell being little more than none."""
        filled = sum(len(text) + 1 for texts in self.texts for text in texts if text)
        said = sum(len(glossary.lines()) for glossary in self.glossaries)
        return len(self.header) + filled + said + sum(map(len, self.texts)) * EMPTY


def joined(found: Sequence[Columns]) -> Columns:
    """Return columns side by side as one."""
    first = next((columns for columns in found if columns.texts), None)
    return Columns(
        ",".join(columns.header for columns in found),
        [texts for columns in found for texts in columns.texts],
        first is not None and first.marked,
        tuple(glossary for columns in found for glossary in columns.glossaries),
        first is not None and first.coded,
    )


def without_end(row: Sequence[str]) -> Sequence[str]:
    """Return a row without the empty cells at its end."""
    end = len(row)
    while end and not row[end - 1]:
        end -= 1
    return row[:end]
