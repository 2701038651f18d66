"""Retirement: a model goes out of service and keeps rank and history."""

from __future__ import annotations

from catalog.errors import ConflictError
from catalog.log.line import Line
from catalog.store.book import Book


def retire(book: Book, slug: str, *, on: str, reason: str) -> Line | None:
    """Take a model out of service; it is no anchor and no candidate any more.

    Args:
        on: full ISO date, not in the future.

    Raises:
        NotFoundError: when there is no such model.
        ConflictError: when it is retired already, or a placement of it is proposed.
    """
    model = book.get("model", (slug,)) or {}
    if model.get("status") == "retired":
        raise ConflictError(
            f"{slug} was retired on {model.get('retired', 'an unknown day')} already",
            hint=f"Correct the day with catalog edit {slug} retired={on}.",
        )
    if book.get("proposal", (slug,)) is not None:
        raise ConflictError(f"{slug} has an open proposal", hint=f"Withdraw it first: catalog lock {slug} --withdraw.")
    return book.edit("model", (slug,), {"status": "retired", "retired": on}, reason=reason)
