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
    seen: dict[tuple[object, ...], tuple[int, object]] = {}
    for number, row in enumerate(rows, 1):
        try:
            score = _score(row)
            first, value = seen.setdefault(_point(score), (number, score.get("value")))
            if value != score.get("value"):
                raise UsageError(
                    f"it says {score.get('value')} where record {first} says {value}", hint="Give one of the two."
                )
            book.add("score", score, reason=reason)
            added += 1
        except ConflictError:
            present += 1
        except CatalogError as error:
            raise error.concerning(f"record {number}") from None
    return added, present


def contradicted(book: Book, row: Mapping[str, object]) -> list[str]:
    """Return other values that the same release gave the same label and effort on the same day, oldest first."""
    others = book.all("score", release=row["release"], label=row["label"])
    return [str(other["value"]) for other in others if _point(other) == _point(row) and other["value"] != row["value"]]


def _point(score: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(score.get(name) for name in ("release", "label", "effort", "as_of"))


def _score(row: Mapping[str, Any]) -> dict[str, object]:
    unknown = sorted(set(row) - set(_FIELDS))
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no column of a score", hint=f"Known: {', '.join(_FIELDS)}.")
    score = {name: str(row[name]) for name in _FIELDS if row.get(name) not in (None, "")}
    estimated = str(row.get("estimated") if row.get("estimated") is not None else "").lower()
    if estimated not in _YES_NO:
        raise UsageError(
            f"estimated {row['estimated']!r} is neither yes nor no", hint="Write yes or no, or leave it out."
        )
    return {**score, "estimated": _YES_NO[estimated]}
