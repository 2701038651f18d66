"""catalog alias: exact labels and the models they belong to."""

from __future__ import annotations

from operator import itemgetter
from typing import Annotated

import typer

from catalog.commands import options, output, writes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, one_known

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_NAMES = ("space", "label", "scope", "model", "effort")


@app.callback()
def alias() -> None:
    """Give exact labels to models, re-point and list them."""


@app.command()
def add(
    ctx: typer.Context,
    model: options.ModelName,
    label: Annotated[str, typer.Argument(metavar="SPACE:LABEL", help="Such as artificial-analysis:claude-opus-5-5.")],
    effort: Annotated[str, typer.Option(help="The effort the label stands for.")] = "unstated",
    scope: Annotated[str, typer.Option(metavar="KEY", help="Only in this release.")] = "",
    move: Annotated[bool, typer.Option("--move", help="Re-point a label that belongs to another model.")] = False,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Give a label to a model; it moves no rank."""
    from catalog.store import labels, values

    space, name = values.pair(label, ":", example=labels.EXAMPLE)
    row = {"space": space, "label": name, "scope": scope, "model": model, "effort": effort}
    with writes.book(ctx, dry_run=dry_run) as opened:
        labels.give(opened, row, move=move, reason=writes.reason(reason, "Alias given"))
    writes.report(opened, dry_run=dry_run, json=json, result=row)


@app.command("list")
def list_aliases(
    ctx: typer.Context,
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]")] = None,
    space: Annotated[str | None, typer.Option(help="Only of this label space.")] = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """List labels with the model and effort they belong to."""
    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        rows = reader.rows(f"SELECT {', '.join(_NAMES)} FROM alias")
        one_known(model, [row[0] for row in reader.rows("SELECT slug FROM model")], what="model")
        one_known(space, [row[0] for row in rows], what="label space with labels")
    found = [dict(zip(_NAMES, row, strict=True)) for row in sorted(rows, key=itemgetter(3, 0, 1, 2))]
    chosen = [row for row in found if model in (None, row["model"]) and space in (None, row["space"])]
    if not chosen:
        raise NotFoundError("no label matches", hint="Loosen MODEL or --space.")
    output.rows(chosen, columns=[Column(key=name, title=name) for name in _NAMES], names=_NAMES, form=form)
