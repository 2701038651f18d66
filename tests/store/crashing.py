"""What the processes of the crash tests do; they are forked from one server that has imported everything."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from catalog.store import seeding, transfer
from tests.store import sample

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload([__name__])
REBASED = 30
"""Models of the long write: enough to be killed in the middle of them."""


def create(url: str, ready: Connection) -> None:
    """Create an empty catalog."""
    ready.send("go")
    seeding.create(url, fill="empty")


def import_folder(url: str, folder: str, ready: Connection) -> None:
    """Import a folder."""
    ready.send("go")
    with sample.writing(url) as book:
        transfer.import_directory(book, Path(folder))


def rebase(url: str, ready: Connection) -> None:
    """Add a type with many models and rebase it, in one transaction."""
    ready.send("go")
    with sample.writing(url) as book:
        kind = f"t-{book.head[:12]}"
        book.add("type", {**sample.RERANKER, "slug": kind}, reason="many at once")
        slugs = [f"{kind}-{number}" for number in range(REBASED)]
        for slug in slugs:
            book.add("model", sample.model(slug, type=kind), reason="many at once")
        book.announce_rebase(kind, plan="abc", count=REBASED, reason="many at once")
        for slug in slugs:
            book.rank("rebase", slug, **{**sample.RANK, "rank": 30, "low": 20, "high": 40})


def command(url: str, words: str, ready: Any) -> None:
    """Run a command line; `ready` is told before, or waited for if it is a barrier."""
    from tests.command_line import run as run_command

    (ready.send if hasattr(ready, "send") else lambda _: ready.wait())("go")
    raise SystemExit(run_command(url, words).code)


def run(work: Callable[..., None], *arguments: object, kill_after: float | None = None) -> tuple[int | None, float]:
    """Run one piece of work in a process, killed after some seconds; return exit code and seconds of work."""
    here, there = FORKING.Pipe(duplex=False)
    process = FORKING.Process(target=work, args=(*arguments, there))
    process.start()
    there.close()
    here.recv()
    begun = time.monotonic()
    process.join(kill_after)
    seconds = time.monotonic() - begun
    process.kill()
    process.join()
    code = process.exitcode
    here.close()
    process.close()
    return code, seconds
