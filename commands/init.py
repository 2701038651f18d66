"""catalog init: create a catalog."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.commands import options, output
from catalog.connection import shown
from catalog.errors import UsageError

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def create(
    ctx: typer.Context,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Unranked models with legacy ordinals and scores, ready for a rebase.")
    ] = False,
    empty: Annotated[bool, typer.Option("--empty", help="No types, models or scores at all.")] = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Create a catalog and fill it from the seeds: models with locked, rebased ranks."""
    from catalog.store import seeding

    if legacy and empty:
        raise UsageError("--legacy and --empty exclude each other", hint="Choose one.")
    fill: seeding.Fill = "empty" if empty else "legacy" if legacy else "ranked"
    with output.working("filling the catalog from the seeds"):
        created = seeding.create(ctx.obj.database_url, fill=fill, lock_timeout=ctx.obj.lock_timeout, dry_run=dry_run)
    if json:
        counted = {name: getattr(created, name) for name in ("models", "ranked", "lines")}
        output.as_json({**counted, "dry_run": dry_run, "head": created.head})
        return
    counts = f"{created.models} models, {created.ranked} ranked, {created.lines} log lines"
    output.say(f"{'would create' if dry_run else 'created'} {shown(ctx.obj.database_url)}: {counts}")
    output.say(f"head {created.head}")
