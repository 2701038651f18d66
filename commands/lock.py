"""catalog lock: turn a proposed placement into a locked rank."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.commands import options, output, placements, writes
from catalog.errors import UsageError

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def lock(
    ctx: typer.Context,
    model: options.ModelName,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Drop the proposal instead.")] = False,
    place: Annotated[bool, typer.Option("--place", help="Place an unranked model now, without a proposal.")] = False,
    extrapolate: Annotated[bool, typer.Option("--extrapolate", help="Accept anchors on one side only.")] = False,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Run the placement of a proposed model again; lock its rank, or refuse if the placement moved."""
    from catalog.ranks import ledger

    if place and withdraw:
        raise UsageError("--place and --withdraw exclude each other", hint="Withdraw first, then place.")
    if withdraw:
        with writes.book(ctx, dry_run=dry_run) as opened:
            opened.remove("proposal", (model,), reason=writes.reason(reason, "Proposal withdrawn"))
        writes.report(opened, dry_run=dry_run, json=json, result={"slug": model})
        return
    with writes.book(ctx, dry_run=dry_run) as opened:
        enter, usual = (ledger.enter, "Placed and locked") if place else (ledger.lock, "Locked as proposed")
        placement = enter(opened, model, extrapolate=extrapolate, reason=writes.reason(reason, usual))
        known, ranks = placements.names(opened), placements.ranks(opened)
    if not json:
        placements.explain(placement, ranks, ctx.obj.thresholds)
        output.fact("  proof", placements.PROOF)
    writes.report(opened, dry_run=dry_run, json=json, result=placements.as_data(placement, known, ctx.obj.thresholds))
