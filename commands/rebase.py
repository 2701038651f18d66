"""catalog rebase: the one-time move of a type onto its absolute scale."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.commands import options, output, placements, writes
from catalog.connection import reading
from catalog.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from catalog.ranks.rebase import RebasePlan

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def rebase(
    ctx: typer.Context,
    type_slug: Annotated[
        str | None, typer.Option("--type", help="Only this type.  [default: all not yet rebased]")
    ] = None,
    apply: Annotated[
        str | None, typer.Option("--apply", metavar="HASH", help="Apply exactly the plan of that hash.")
    ] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Plan the rebase of legacy ordinals onto the absolute scale; --apply HASH writes it, once and for all."""
    from catalog.ranks import ledger

    if apply is None:
        with output.working("planning"), reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
            plans, known = ledger.plans(reader, type_slug), placements.names(reader)
        _show(ctx, plans, known, type_slug, json)
        return
    with output.working("rebasing"), writes.book(ctx, dry_run=dry_run) as opened:
        plans, known = ledger.plans(opened, type_slug), placements.names(opened)
        _same_plan(ledger.plan_hash(plans), apply)
        ledger.apply_rebase(opened, plans, reason=writes.reason(reason, "One-time rebase onto the absolute scale"))
    if not json:
        for plan in plans:
            output.say(f"{plan.type}: {len(plan.rows)} models ranked, {len(plan.unranked)} unranked")
    writes.report(opened, dry_run=dry_run, json=json, result=_as_data(plans, apply, known, ctx.obj.thresholds))


def _same_plan(current: str, wanted: str) -> None:
    if not re.fullmatch("[0-9a-f]{64}", wanted):
        raise UsageError(f"{wanted!r} is not the hash of a plan", hint="Give all 64 digits that catalog rebase prints.")
    if current != wanted:
        raise ConflictError(
            f"the plan is {current[:12]}… now, not {wanted[:12]}…; nothing was written",
            hint="The catalog or the choice of types changed. Run catalog rebase again and read the new plan.",
        )


def _as_data(
    plans: list[RebasePlan], plan_hash: str, known: placements.Names, thresholds: tuple[int, ...]
) -> dict[str, Any]:
    return {
        "plan": plan_hash,
        "rows": [
            placements.as_data(row.placement, known, thresholds, legacy_ordinal=row.legacy_ordinal)
            for plan in plans
            for row in plan.rows
        ],
        "unranked": [
            {"type": plan.type, "slug": slug, "reason": reason} for plan in plans for slug, reason in plan.unranked
        ],
        "signoff": [
            {"type": plan.type, "slug": slug, "reason": reason} for plan in plans for slug, reason in plan.signoff
        ],
    }


def _show(
    ctx: typer.Context, plans: list[RebasePlan], known: placements.Names, type_slug: str | None, json: bool
) -> None:
    from catalog.ranks import ledger

    plan_hash = ledger.plan_hash(plans)
    data = _as_data(plans, plan_hash, known, ctx.obj.thresholds)
    if json:
        output.as_json(data)
        return
    for plan in plans:
        output.say(f"{plan.type}: {len(plan.rows)} models to rank, {len(plan.unranked)} stay unranked")
        rows = [row for row in data["rows"] if row["type"] == plan.type]
        output.table([placements.row(row) for row in rows], placements.COLUMNS)
        sources = {row["release"]: f"{row['source']} {row['index_version']}" for row in rows if row["release"]}
        output.say("\n".join(("", *(f"{key} is {source}" for key, source in sorted(sources.items())))))
        for heading, found in (("for sign-off", plan.signoff), ("unranked", plan.unranked)):
            if found:
                output.say(f"\n{heading}")
                output.table([{"slug": slug, "reason": why} for slug, why in found], _REASONS)
        output.say()
    chosen = f"--type {type_slug} " if type_slug else ""
    output.say(f"nothing was written; apply this plan with\n  catalog rebase {chosen}--apply {plan_hash}")


_REASONS = (output.Column(key="slug", title="model"), output.Column(key="reason", title="why"))
