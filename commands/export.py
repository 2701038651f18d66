"""catalog export: the whole catalog as files that git and people can diff."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from catalog.commands import options, output
from catalog.connection import reading

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def export(
    ctx: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR")],
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Write the whole catalog into DIR as canonical text: log.jsonl is the truth, the other files its projection."""
    from catalog.store import transfer

    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        done = transfer.export(reader, directory, dry_run=dry_run)
    state, files = done.state, {"written": list(done.written), "removed": list(done.removed)}
    if json:
        counts = {"models": len(state.types), "ranked": len(state.ranks), "lines": state.seq}
        output.as_json({**counts, **files, "dry_run": dry_run, "head": state.head})
        return
    would = "would write" if dry_run else "wrote"
    changed = f"{len(done.written)} files changed, {len(done.removed)} removed"
    output.say(f"{would} {state.seq} log lines and {len(state.types)} models to {directory}; {changed}")
    output.say(f"head {state.head}")
