"""Labels: exact names in a label space, each belonging to one model and one effort."""

from __future__ import annotations

from collections.abc import Mapping

from catalog.errors import ConflictError
from catalog.log.line import Line
from catalog.store.book import Book

EXAMPLE = "artificial-analysis:claude-opus-5-5"


def give(book: Book, row: Mapping[str, object], *, reason: str, move: bool = False) -> Line | None:
    """Give a label to a model and an effort.

    Args:
        row: space, label, scope ('' or a release key), model, effort.
        move: re-point a label that belongs to another model or effort; a logged event that moves no rank.

    Raises:
        ConflictError: when the label belongs to another model or effort and ``move`` is not said.
    """
    book.existing("model", (str(row["model"]),))
    key = (str(row["space"]), str(row["label"]), str(row.get("scope") or ""))
    present = book.get("alias", key)
    if present is None:
        _not_anothers(book, row, key)
        return book.add("alias", row, reason=reason)
    if (present["model"], present["effort"]) == (row["model"], row["effort"]):
        return None
    if not move:
        raise ConflictError(
            f"{key[0]}:{key[1]} belongs to {present['model']} ({present['effort']}) already",
            hint=f"If its publisher re-pointed it, move it to a model that is there: catalog alias add {row['model']} "
            f"{key[0]}:{key[1]} --move. The rank stays with the build.",
        )
    return book.edit("alias", key, {"model": row["model"], "effort": row["effort"]}, reason=reason)


def _not_anothers(book: Book, row: Mapping[str, object], key: tuple[str, str, str]) -> None:
    """Refuse a label that another model owns everywhere, or a label everywhere that another model owns somewhere.

    Only a label that was re-pointed between two releases is told apart by its scope, and then both are scoped.
    """
    for other in book.all("alias", space=key[0], label=key[1]):
        if other["model"] != row["model"] and "" in (key[2], other["scope"]):
            raise ConflictError(
                f"{key[0]}:{key[1]} belongs to {other['model']} already",
                hint="Give the score another label, or re-point it.",
            )
