"""catalog import: bring a catalog forward along the log of an export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catalog.commands import options, output

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def import_directory(
    ctx: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR")],
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Replay the log of DIR into the catalog: fill an empty one, fast-forward a filled one, refuse a diverged one."""
    from catalog.store import book, transfer

    with (
        output.working("replaying the log"),
        book.writing(
            ctx.obj.database_url,
            actor=ctx.obj.actor,
            lock_timeout=ctx.obj.lock_timeout,
            dry_run=dry_run,
        ) as opened,
    ):
        done = transfer.import_directory(opened, directory)
    if json:
        output.as_json({"written": done.written, "present": done.present, "dry_run": dry_run, "head": done.head})
        return
    output.say(f"{'would import' if dry_run else 'imported'} {done.written} lines, {done.present} were there already")
    output.say(f"head {done.head}")
