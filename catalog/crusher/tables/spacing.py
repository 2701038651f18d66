"""Spacing: rows whose cells stand apart by spaces, which merge with the words that follow into single tokens.

A row ends in its only cell that may hold spaces. Cells that are empty in some rows stand before it under their name,
``name=cell``, where they are not empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from catalog.crusher.estimate import cell_tokens
from catalog.crusher.pieces import chained
from catalog.crusher.tables.headers import header_at, optional_name
from catalog.crusher.tables.lexicon import name_at
from catalog.crusher.tables.place import Columns
from catalog.crusher.tables.table import Rows, row_of

_MERGED = 0.6
"""Tokens that a space instead of a comma saves before a word."""


class _Sorted(NamedTuple):
    """Columns by what they may hold: no space and no empty cell, empty cells, spaces."""

    full: list[Columns]
    optional: list[tuple[str, Columns]]
    free: list[Columns]


def spaced(found: Sequence[Columns], names: Sequence[str] = ()) -> Rows | None:
    """Return rows with spaces between their cells; None where that is impossible or does not pay.

    Args:
        found: the columns.
        names: first cell of each row, for the objects of an object.
    """
    kinds = _sorted([columns for columns in found if columns.texts])
    if kinds is None or not _worth(kinds, bool(names)) or (names and not _fits(names)):
        return None
    starts = tuple(f"{quote}{name}=" for name, _ in kinds.optional for quote in ("", '"'))  # cut, it may stand bare
    if any(text.startswith(starts) for own in kinds.free for text in own.texts[0]):
        return None
    order = [*kinds.full, *(own for _, own in kinds.optional), *kinds.free]
    header = _header([*order, *(columns for columns in found if not columns.texts)])
    if header is None:
        return None
    marked = [[_marked(name, text) for text in own.texts[0]] for name, own in kinds.optional]
    cells = [*([names] if names else []), *_texts(kinds.full), *marked, *_texts(kinds.free)]
    rows = [row_of(list(filter(None, row)), " ") for row in zip(*cells, strict=True)]
    return Rows(header, tuple(chain(*(own.glossaries for own in order))), rows, _texts(order))


def _marked(name: str, text: str) -> str:
    """Return an optional cell under its name, '' where it is empty."""
    return chained([name, text], "=") if text else ""


def _texts(found: Sequence[Columns]) -> list[list[str]]:
    return [texts for columns in found for texts in columns.texts]


def _sorted(found: Sequence[Columns]) -> _Sorted | None:
    """Return columns by what they may hold; None where some fit nowhere."""
    kinds = _Sorted([], [], [])
    for columns in found:
        single = len(columns.texts) == 1
        if any(map(_has_empty, columns.texts)):
            name = _optional_name(columns) if single else ""
            if not name or not _fits([name, *columns.texts[0]]):
                return None
            kinds.optional.append((name, columns))
        elif all(map(_fits, columns.texts)):
            kinds.full.append(columns)
        elif single and not kinds.free:
            kinds.free.append(columns)
        else:
            return None
    return kinds if kinds.full else None


def _has_empty(texts: Sequence[str]) -> bool:
    return not all(texts)


def _fits(texts: Sequence[str]) -> bool:
    return " " not in "".join(texts)


def _optional_name(columns: Columns) -> str:
    """Return the name under which a column's cells may stand; '' where they cannot."""
    return optional_name(header_at(columns.header + "}", 0, "}")[0][0])


def _worth(kinds: _Sorted, named: bool) -> bool:
    """Return whether words that merge with the space before them save more than the names of optional cells cost."""
    texts = _texts([*kinds.full, *kinds.free])
    words = sum(text[:1].isalpha() for own in (texts if named else texts[1:]) for text in own)
    names = sum(cell_tokens(name) * sum(map(bool, own.texts[0])) for name, own in kinds.optional)
    return words * _MERGED > names


def _header(found: Sequence[Columns]) -> str | None:
    """Return a header with a space after each column that ends before one; None where there is none."""
    parts = []
    for columns in found[:-1]:
        parts += [columns.header, "," if _goes_on(columns.header) else " "]
    return "".join([*parts, found[-1].header]) if " " in parts else None


def _goes_on(header: str) -> bool:
    """Return whether a space after a header would belong to it: it ends in a text."""
    _, place = name_at(header, 0)
    place += header[place : place + 1] in ("?", "!", "~")
    return header[place : place + 1] in ("=", ":") and not header.startswith(":{", place)
