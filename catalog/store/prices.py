"""Prices: what an offer costs, dated and never overwritten; a new price ends the one before it."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.log.facts import key_of
from catalog.log.line import Line
from catalog.store.book import Book

_SAME = ("model", "vendor", "unit", "currency", "tier", "processing")


def state(book: Book, row: Mapping[str, object], *, reason: str) -> Line:
    """State a price; an open one of the same offer, unit, currency, tier and processing ends where it begins.

    Args:
        row: ``valid_from`` is the first day it holds.

    Raises:
        UsageError: when there is no such offer or a value is malformed.
        ConflictError: when it overlaps a price that was stated for that time.
    """
    for other in book.all("price", **{name: row[name] for name in _SAME}):
        if "valid_to" not in other and str(other.get("valid_from", "")) < str(row["valid_from"]):
            book.edit("price", key_of("price", other), {"valid_to": row["valid_from"]}, reason=reason)
    return book.add("price", row, reason=reason)
