"""A new catalog, filled from the seeds shipped with the package or left empty."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import as_file, files
from tempfile import TemporaryDirectory
from typing import Literal

from catalog import settings
from catalog.log.line import GENESIS, PLAN_ACTION
from catalog.store import migrate, transfer
from catalog.store.book import Book

Fill = Literal["ranked", "legacy", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """What a new catalog holds."""

    models: int
    ranked: int
    lines: int
    head: str


def create(url: str, *, fill: Fill = "ranked", lock_timeout: int = 60, dry_run: bool = False) -> Created:
    """Create a catalog in one transaction.

    Args:
        url: as ``settings.database_url`` returns it.
        fill: ``ranked`` ends in the shipped log's head; ``legacy`` stops before its first rebase, so that the models
            have ordinals and scores but no ranks; ``empty`` writes nothing.
        dry_run: do everything, then roll back; a SQLite file that is not there yet is not made.

    Raises:
        ConflictError: when the database holds a catalog already.
    """
    with ExitStack() as stack:
        path = settings.sqlite_path(url)
        if dry_run and path is not None and not path.exists() and path.absolute().parent.is_dir():
            url = f"sqlite:///{stack.enter_context(TemporaryDirectory())}/{path.name}"
        connection = stack.enter_context(migrate.creating(url, lock_timeout=lock_timeout, commit=not dry_run))
        seeds = stack.enter_context(as_file(files("catalog.seeds")))
        book = Book(connection, actor="catalog", at=settings.stamp(settings.now()))
        if fill == "empty":
            return Created(models=0, ranked=0, lines=0, head=GENESIS)
        until = PLAN_ACTION if fill == "legacy" else None
        done = transfer.import_directory(book, seeds, until=until)
        models, ranked = book.rows("SELECT count(*), count(power_rank) FROM model")[0]
        return Created(models=models, ranked=ranked, lines=done.written, head=done.head)
