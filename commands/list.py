"""catalog list: the models of a type, strongest first."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from catalog import past, snapshot
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, UsageError
from catalog.log.facts import STATUSES
from catalog.settings import iso_date
from catalog.snapshot import Model

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_BAR_CELLS = 10
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@app.command()
def list_models(
    ctx: typer.Context,
    type_slug: options.TypeName = None,
    status: Annotated[str | None, typer.Option(help="Only models of that status.")] = None,
    min_power: Annotated[int | None, typer.Option(metavar="RANK", help="Only models ranked at least so.")] = None,
    as_of: options.AsOf = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """List models with rank, interval and provenance, strongest first; unranked ones last."""
    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    if status not in (None, *STATUSES):
        raise UsageError(f"{status!r} is no status", hint=f"Known: {', '.join(STATUSES)}.")
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        found = snapshot.read(reader) if as_of is None else past.at(reader, iso_date(as_of, what="--as-of"))
    models = [
        model
        for type_ in _types(found, type_slug)
        for model in found.of_type(type_)
        if (status is None or model.status == status) and (min_power is None or (model.power_rank or 0) >= min_power)
    ]
    if not models:
        raise NotFoundError("no model matches", hint=f"Types: {', '.join(found.types) or 'none yet'}.")
    output.rows(
        [snapshot.public(model) | _bar(model, models, form) for model in models],
        columns=_columns(type_slug is None),
        names=snapshot.PUBLIC,
        form=form,
    )


def _types(found: snapshot.Snapshot, type_slug: str | None) -> Sequence[str]:
    if type_slug is None:
        return found.types
    if type_slug not in found.types:
        raise NotFoundError(f"there is no type {type_slug!r}", hint=f"Types: {', '.join(found.types) or 'none yet'}.")
    return (type_slug,)


def _bar(model: Model, models: Sequence[Model], form: str) -> dict[str, str]:
    """Return the ladder bar of a model, its length the rank relative to the strongest of its type; tables only."""
    if form != "table":
        return {}
    top = max((other.power_rank or 0 for other in models if other.type == model.type), default=0)
    eighths = round(_BAR_CELLS * 8 * (model.power_rank or 0) / top) if top else 0
    return {"bar": _EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()}


def _columns(with_type: bool) -> tuple[Column, ...]:
    columns = (
        Column(key="type", title="type", fold=False),
        Column(key="slug", title="model"),
        Column(key="power_rank", title="rank", right=True),
        Column(key="low", title="low", right=True),
        Column(key="high", title="high", right=True),
        Column(key="bar", title="ladder", fold=False),
        Column(key="status", title="status", fold=False),
        Column(key="index_version", title="version"),
    )
    kept = columns if with_type else columns[1:]
    return kept if sys.stdout.isatty() else tuple(column for column in kept if column.key != "bar")
