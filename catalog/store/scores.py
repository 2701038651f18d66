"""Scores: what one release says of one label on one date; evidence, append-only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from catalog.errors import CatalogError, ConflictError, UsageError
from catalog.store.book import Book

EXAMPLE = "aa@4.3=57.6"

_FIELDS = ("release", "label", "value", "as_of", "effort", "estimated", "url", "low", "high", "note")
_YES_NO = {"": 0, "0": 0, "no": 0, "false": 0, "1": 1, "yes": 1, "true": 1}


def import_rows(book: Book, rows: Iterable[Mapping[str, Any]], *, reason: str) -> tuple[int, int]:
    """Add scores; return how many were added and how many were there already.

    Raises:
        UsageError: naming the record and what is wrong with it; nothing of the transaction is kept.
    """
    added = present = 0
    for number, row in enumerate(rows, 1):
        try:
            book.add("score", _score(row), reason=reason)
            added += 1
        except ConflictError:
            present += 1
        except CatalogError as error:
            raise error.concerning(f"record {number}") from None
    return added, present


def _score(row: Mapping[str, Any]) -> dict[str, object]:
    unknown = sorted(set(row) - set(_FIELDS))
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no column of a score", hint=f"Known: {', '.join(_FIELDS)}.")
    score = {name: str(row[name]) for name in _FIELDS if row.get(name) not in (None, "")}
    estimated = str(row.get("estimated") if row.get("estimated") is not None else "").lower()
    if estimated not in _YES_NO:
        raise UsageError(f"estimated {row['estimated']!r} is neither yes nor no")
    return {**score, "estimated": _YES_NO[estimated]}
