"""catalog retire: take a model out of service; its rank and history stay."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog import settings
from catalog.commands import options, writes

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def retire(
    ctx: typer.Context,
    model: options.ModelName,
    on: Annotated[str | None, typer.Option("--on", metavar="DATE", help="Day of retirement.  [default: today]")] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Retire a model: it is kept with its rank, but is no anchor and no candidate any more."""
    from catalog.store.retirement import retire as take_out_of_service

    day = settings.iso_date(on or settings.now().date().isoformat(), what="--on")
    with writes.book(ctx, dry_run=dry_run) as opened:
        take_out_of_service(opened, model, on=day, reason=writes.reason(reason, "Retired"))
    writes.report(opened, dry_run=dry_run, json=json, result={"model": model, "retired": day})
