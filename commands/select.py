"""catalog select: which model should run this, and why not the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog import settings, snapshot
from catalog.commands import options, output, wishes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, UsageError
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.request import Request
from catalog.selector.selection import select
from catalog.settings import iso_date

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_COLUMNS = (
    Column(key="place", title="", right=True),
    Column(key="model", title="model"),
    Column(key="vendor", title="vendor"),
    Column(key="power_rank", title="rank", right=True),
    Column(key="price_in", title="in", right=True),
    Column(key="price_out", title="out", right=True),
    Column(key="context", title="context", right=True),
    Column(key="per", title="price", fold=False),
)
_USUAL = f"{snapshot.CURRENCY} per {snapshot.TOKEN_UNIT}"
_SHOWN = 10
"""Candidates the short answer shows; --explain shows all."""


@app.command()
def select_model(
    ctx: typer.Context,
    type_slug: Annotated[str, typer.Option("--type", metavar="TYPE", help="Model type, such as llm.")],
    prefer: wishes.Prefer = None,
    min_power: wishes.MinPower = None,
    max_power: wishes.MaxPower = None,
    bound: wishes.BoundModels = None,
    require_bound: wishes.RequireBound = False,
    needs_context: wishes.NeedsContext = None,
    needs_output: wishes.NeedsOutput = None,
    inputs: wishes.Inputs = None,
    outputs: wishes.Outputs = None,
    capabilities: wishes.Capabilities = None,
    status: wishes.Status = None,
    max_price_in: wishes.MaxPriceIn = None,
    max_price_out: wishes.MaxPriceOut = None,
    only_vendors: wishes.OnlyVendors = None,
    never_vendors: wishes.NeverVendors = None,
    vendor_order: wishes.VendorOrder = None,
    allow_unknown: wishes.AllowUnknown = False,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="That day's catalog and prices; with --snapshot only prices."),
    ] = None,
    snapshot_: Annotated[
        Path | None, typer.Option("--snapshot", metavar="FILE", help="Read a saved snapshot, no database.")
    ] = None,
    why_not: Annotated[str | None, typer.Option(metavar="MODEL", help="Say only why not that model.")] = None,
    pareto: Annotated[bool, typer.Option("--pareto", help="List only what no other candidate beats.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Every candidate, every rejection.")] = False,
    json: options.Json = False,
) -> None:
    """Choose a model and its vendor, and explain the choice. Prices are those of the standard tier."""
    if sum((why_not is not None, pareto, explain)) > 1:
        raise UsageError("--why-not, --pareto and --explain exclude each other", hint="Choose one.")
    with wishes.named_as_typed():
        request = Request(**{"as_of": settings.now().date().isoformat(), **wishes.given(ctx.params)})
        decision = select(_snapshot(ctx, snapshot_, as_of), request)
    if why_not is not None:
        _print_why_not(decision, why_not, json=json)
    elif pareto:
        _print_pareto(decision, json=json)
    elif json:
        output.say(decision.to_json())
    elif explain:
        from catalog.selector import explanation

        output.say(explanation.explain(decision))
    else:
        _print(decision)
    if decision.chosen is None and why_not is None:
        raise NotFoundError("no candidate is left", hint=_how_to_relax(decision))


def _snapshot(ctx: typer.Context, file: Path | None, as_of: str | None) -> snapshot.Snapshot:
    if file is not None:
        from catalog import snapshot_file

        return snapshot_file.load(file).snapshot
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        if as_of is None:
            return snapshot.read(reader)
        from catalog import past

        return past.at(reader, iso_date(as_of, what="--as-of"))


def _print(decision: Decision) -> None:
    from catalog.selector import explanation

    chosen = decision.chosen
    if chosen is None:
        output.say("nothing can be chosen")
    else:
        output.say(f"{chosen.model.name} ({chosen.model.slug}) by {chosen.vendor}")
        output.fact("facts", explanation.facts(chosen))
    output.fact("order", explanation.ordering(decision))
    counts = Counter(rejection.code for rejection in decision.rejected)
    told = ", ".join(f"{code} {count:,}" for code, count in counts.most_common())
    output.fact("rejected", f"{len(decision.rejected):,}{': ' + told if told else ''}")
    if decision.candidates:
        more = len(decision.candidates) - _SHOWN
        output.say(f"\n{len(decision.candidates):,} candidates{f', the first {_SHOWN}' if more > 0 else ''}")
        _table(decision.candidates[:_SHOWN])


def _table(candidates: Sequence[Candidate]) -> None:
    rows = [_row(place, candidate) for place, candidate in enumerate(candidates, 1)]
    usual = all(row["per"] in (None, _USUAL) for row in rows)
    output.table(rows, _COLUMNS[:-1] if usual else _COLUMNS)


def _row(place: int, candidate: Candidate) -> dict[str, Any]:
    price = candidate.price
    return {
        **candidate.to_data(),
        "place": place,
        "price_in": price and price.input,
        "price_out": price and price.output,
        "per": price and f"{price.currency} per {price.unit}",
        "context": f"{candidate.context:,}" if candidate.context else None,
    }


def _print_pareto(decision: Decision, *, json: bool) -> None:
    from catalog.selector import explanation

    front = explanation.pareto(decision)
    if json:
        output.as_json([candidate.to_data() for candidate in front])
        return
    output.say(f"{len(front):,} of {len(decision.candidates):,} candidates: no other beats them")
    if front:
        _table(front)


def _print_why_not(decision: Decision, slug: str, *, json: bool) -> None:
    from catalog.selector import explanation

    answer = explanation.why_not(decision, slug)
    if not json:
        output.say(answer.text)
        return
    rejections = [
        {"vendor": rejection.candidate.vendor, "code": rejection.code, "detail": rejection.detail}
        for rejection in answer.rejections
    ]
    output.as_json(
        {
            "model": answer.model,
            "standing": answer.standing,
            "rejections": rejections,
            "text": answer.text,
            "head": decision.head,
        }
    )


def _how_to_relax(decision: Decision) -> str:
    told, first = wishes.hardest(decision.rejected, decision.request.type)
    return f"{told}{'; --explain lists every one' if first else ''}."
