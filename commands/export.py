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
    ctx: typer.Context, directory: Annotated[Path, typer.Argument(metavar="DIR")], json: options.Json = False
) -> None:
    """Write the whole catalog into DIR as canonical text: log.jsonl is the truth, the other files its projection."""
    from catalog.store import transfer

    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        state = transfer.export(reader, directory)
    if json:
        output.as_json({"models": len(state.types), "ranked": len(state.ranks), "lines": state.seq, "head": state.head})
        return
    output.say(f"wrote {state.seq} log lines and {len(state.types)} models to {directory}")
    output.say(f"head {state.head}")
