"""What every writing verb does the same: open the book, say what was written, print the new head."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from catalog.commands import output

if TYPE_CHECKING:
    from catalog.store.book import Book


@contextmanager
def book(ctx: typer.Context, *, dry_run: bool = False) -> Iterator[Book]:
    """Open the book with the settings of this run."""
    from catalog.store.book import writing

    with writing(
        ctx.obj.database_url,
        actor=ctx.obj.actor,
        lock_timeout=ctx.obj.lock_timeout,
        dry_run=dry_run,
    ) as opened:
        yield opened


def report(opened: Book, *, dry_run: bool, json: bool, result: Mapping[str, Any] | None = None) -> None:
    """Print what was written; as JSON the result with ``head`` and the ``seq`` of its lines."""
    if json:
        output.as_json(
            {**(result or {}), "lines": [line.seq for line in opened.lines], "dry_run": dry_run, "head": opened.head}
        )
    else:
        output.written(opened.lines, opened.head, dry_run=dry_run)


def reason(given: str | None, usual: str) -> str:
    """Return the reason of a write: the one given, else the usual one of the verb."""
    return given if given is not None else usual
