"""catalog history: every line of the change log about one model."""

from __future__ import annotations

import typer

from catalog import snapshot
from catalog.commands import options, output
from catalog.connection import reading
from catalog.log.line import from_row

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def show_history(
    ctx: typer.Context, model: options.ModelName, json: options.Json = False, jsonl: options.Jsonl = False
) -> None:
    """Show what the change log says about a model, oldest first."""
    form = output.one_format(json=json, jsonl=jsonl)
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        output.log_lines([from_row(row) for row in snapshot.lines_of(reader, model)], form)
