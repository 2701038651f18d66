"""catalog apply: take over edits made by hand in the files of an export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catalog.commands import options, writes
from catalog.connection import reading

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def apply(
    ctx: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR")],
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Write the log lines that the edited files of DIR ask for, then bring the files up to date."""
    from catalog.store import transfer

    with writes.book(ctx, dry_run=dry_run) as opened:
        transfer.apply_directory(opened, directory, reason=writes.reason(reason, "Applied an edited file"))
    writes.report(opened, dry_run=dry_run, json=json)
    if not dry_run and opened.lines:
        with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
            transfer.export(reader, directory, overwrite=True)
