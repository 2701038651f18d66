"""catalog price: what offers cost, dated."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog import snapshot
from catalog.commands import options, output, writes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, one_known

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_COLUMNS = (
    Column(key="model", title="model"),
    Column(key="vendor", title="vendor"),
    Column(key="input", title="in", right=True),
    Column(key="output", title="out", right=True),
    Column(key="currency", title="cur.", fold=False),
    Column(key="unit", title="per"),
    Column(key="tier", title="tier"),
    Column(key="valid_from", title="from", fold=False),
    Column(key="valid_to", title="to", fold=False),
)
_NAMES = ("model", "vendor", *snapshot.Price._fields)

_Amount = Annotated[str | None, typer.Option(metavar="AMOUNT")]


@app.callback()
def price() -> None:
    """State and list prices; unknown is left out, 0 is free."""


@app.command()
def add(
    ctx: typer.Context,
    model: options.ModelName,
    vendor: Annotated[str, typer.Argument(metavar="VENDOR", help="Whose offer it is.")],
    source: Annotated[str, typer.Option(help="Where the price is published.")],
    as_of: Annotated[str, typer.Option("--as-of", metavar="DATE", help="The day it was read.")],
    input_: Annotated[str | None, typer.Option("--input", metavar="AMOUNT")] = None,
    output_: Annotated[str | None, typer.Option("--output", metavar="AMOUNT")] = None,
    cache_read: _Amount = None,
    cache_write: _Amount = None,
    unit: Annotated[str, typer.Option(help="What the amounts are for.")] = "1M tokens",
    currency: Annotated[str, typer.Option(help="Three capitals.")] = "USD",
    tier: Annotated[str, typer.Option(help="Such as standard or priority.")] = "standard",
    processing: Annotated[str, typer.Option(help="realtime or batch.")] = "realtime",
    valid_from: Annotated[
        str | None, typer.Option(metavar="DATE", help="First day it holds.  [default: --as-of]")
    ] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """State a price; the open one of the same offer and tier ends where it begins."""
    from catalog.store import prices

    row = {
        "model": model,
        "vendor": vendor,
        "unit": unit,
        "currency": currency,
        "tier": tier,
        "processing": processing,
        "input": input_,
        "output": output_,
        "cache_read": cache_read,
        "cache_write": cache_write,
        "valid_from": valid_from or as_of,
        "source": source,
        "as_of": as_of,
    }
    with writes.book(ctx, dry_run=dry_run) as opened:
        prices.state(opened, row, reason=writes.reason(reason, "Price stated"))
    writes.report(opened, dry_run=dry_run, json=json, result=row)


@app.command("list")
def list_prices(
    ctx: typer.Context,
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]")] = None,
    vendor: Annotated[str | None, typer.Option(help="Only of this vendor.")] = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """List prices, older ones too."""
    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        models = snapshot.read(reader).models
        one_known(vendor, [row[0] for row in reader.rows("SELECT slug FROM vendor")], what="vendor")
    chosen = [snapshot.named(models, model)] if model else models.values()
    found = [
        {"model": offer.model, "vendor": offer.vendor, **one._asdict()}
        for each in chosen
        for offer in each.offers
        if vendor in (None, offer.vendor)
        for one in offer.prices
    ]
    if not found:
        raise NotFoundError("no price matches", hint="Loosen MODEL or --vendor, or state one with catalog price add.")
    output.rows(found, columns=_COLUMNS, names=_NAMES, form=form)
