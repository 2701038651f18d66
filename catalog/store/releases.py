"""Releases: each version of an external evaluation, registered before its scores can count."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.errors import UsageError
from catalog.log.line import Line
from catalog.store.book import Book
from catalog.store.rules import release_key
from catalog.store.values import one_of

TAKEN_OVER = (
    "type",
    "index_name",
    "publisher",
    "space",
    "setting",
    "direction",
    "minimum",
    "maximum",
    "standard_error",
    "role",
    "preference",
    "licence",
)
"""What a release has in common with the one before it of the same index."""


def register(book: Book, key: str, given: Mapping[str, object], *, like: str | None = None, reason: str) -> Line:
    """Register a release.

    Args:
        key: ``index@version``, such as ``aa@4.4``; its second half is the version unless one is given.
        given: what is known of it; None is left out.
        like: key of a release of the same index that lends what is not given.

    Raises:
        UsageError: when something is missing or malformed.
        ConflictError: when the release is registered already.
    """
    release_key(key)
    lent: dict[str, object] = {"direction": "higher", "role": "capability", "preference": 9}
    if like is not None:
        known = {str(row["key"]): row for row in book.all("release")}
        model = known[one_of(like, sorted(known), what="release key")]
        lent = {name: model[name] for name in TAKEN_OVER if name in model}
    row = {**lent, **{name: value for name, value in given.items() if value is not None}}
    missing = [name for name in ("type", "index_name", "publisher", "space") if name not in row]
    if missing:
        raise UsageError(
            f"{key} lacks: {', '.join(missing)}", hint="Give them, or take them from an older release with --like."
        )
    return book.add("release", {"version": key.partition("@")[2], **row, "key": key}, reason=reason)
