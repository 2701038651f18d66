"""catalog show: everything the catalog holds about one model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from catalog import past, settings, snapshot
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.settings import iso_date
from catalog.snapshot import Model

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_FACTS = (
    "type",
    "developer",
    "build",
    "status",
    "released",
    "retired",
    "prior",
    "same_weights_as",
    "context_window",
    "max_output",
    "inputs",
    "outputs",
    "capabilities",
    "tokenizer",
    "speed_rank",
    "cost_rank",
    "legacy_ordinal",
    "note",
)
_OFFERS = (
    Column(key="vendor", title="vendor"),
    Column(key="api_name", title="api name"),
    Column(key="status", title="status"),
    Column(key="priority", title="priority", right=True),
    Column(key="price", title="in / out"),
    Column(key="unit", title="per"),
)
_ALIASES = (
    Column(key="space", title="label space"),
    Column(key="label", title="label"),
    Column(key="effort", title="effort"),
    Column(key="scope", title="only in"),
)


@app.command()
def show_model(
    ctx: typer.Context, model: options.ModelName, as_of: options.AsOf = None, json: options.Json = False
) -> None:
    """Show a model: rank and provenance, facts, aliases, offers and prices."""
    proposed = None
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        if as_of is None:
            found, aliases = snapshot.model(reader, model), snapshot.aliases(reader, model)
            proposed = snapshot.proposal(reader, model)
        else:
            state = past.replayed_to(reader, iso_date(as_of, what="--as-of"))
            found = snapshot.named(past.of_state(state).models, model)
            aliases = past.aliases_of(state, model)
    if json:
        output.as_json({**_as_data(found, aliases), "proposal": proposed})
        return
    output.say(f"{found.name} ({found.slug})")
    output.say(_rank(found))
    if proposed is not None:
        output.say(f"proposed: {proposed['power_rank']} ({proposed['low']}–{proposed['high']}), not locked")
    output.facts((name, getattr(found, name)) for name in _FACTS)
    if found.offers:
        today = as_of or settings.now().date().isoformat()
        output.say(f"\noffers (standard tier, price of {today})")
        output.table(_offer_rows(found, today), _OFFERS)
    if aliases:
        output.say("\naliases")
        output.table(aliases, _ALIASES)


def _rank(model: Model) -> str:
    if model.power_rank is None:
        return f"PowerRank: unranked{': ' + model.note if model.note else ''}"
    return (
        f"PowerRank {model.power_rank} ({model.low}–{model.high}, 90 %) on the scale of {model.type}\n"
        f"from {model.source} {model.index_version} as of {model.as_of}"
    )


def _as_data(model: Model, aliases: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        **snapshot.public(model),
        **{name: getattr(model, name) for name in _FACTS if name not in snapshot.PUBLIC},
        "aliases": aliases,
        "offers": [
            {**offer._asdict(), "prices": [price._asdict() for price in offer.prices]} for offer in model.offers
        ],
    }


def _offer_rows(model: Model, today: str) -> Iterator[dict[str, Any]]:
    for offer in model.offers:
        price = snapshot.standard_price(offer, today)
        yield {
            **offer._asdict(),
            "price": f"{price.input or '?'} / {price.output or '?'} {price.currency}" if price else None,
            "unit": price.unit if price else None,
        }
