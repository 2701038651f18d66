"""catalog score: what external evaluations said, as evidence."""

from __future__ import annotations

from operator import itemgetter
from typing import Annotated, Any

import typer

from catalog.commands import options, output, writes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_NAMES = ("release", "label", "model", "value", "effort", "estimated", "as_of", "url")


@app.callback()
def score() -> None:
    """Add, import and list scores; a score never moves a locked rank."""


@app.command()
def add(
    ctx: typer.Context,
    score_: Annotated[str, typer.Argument(metavar="KEY=VALUE", help="Release and score, such as aa@4.3=57.6.")],
    label: Annotated[str, typer.Option(help="The label the release gives the model.")],
    as_of: Annotated[str, typer.Option("--as-of", metavar="DATE", help="The day the release said so.")],
    effort: Annotated[str | None, typer.Option(help="The effort that was measured.")] = None,
    estimated: Annotated[bool, typer.Option("--estimated", help="A conversion, not a measurement.")] = False,
    url: Annotated[str | None, typer.Option(help="Where it is published.")] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Add one score."""
    from catalog.store import rules, scores

    release, value = rules.pair(score_, "=", example=scores.EXAMPLE)
    row = {
        "release": release,
        "label": label,
        "value": value,
        "as_of": as_of,
        "effort": effort,
        "estimated": int(estimated),
        "url": url,
    }
    with writes.book(ctx, dry_run=dry_run) as opened:
        opened.add("score", row, reason=writes.reason(reason, "Score added"))
    writes.report(opened, dry_run=dry_run, json=json, result=row)


@app.command("import")
def import_file(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, JSON, JSONL or YAML; - reads CSV from stdin.")],
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Import scores, all or none: release, label, value, as_of and optionally effort, estimated, url, low, high."""
    from catalog.sources import records
    from catalog.store import scores

    found = records.read(file)
    with writes.book(ctx, dry_run=dry_run) as opened:
        added, present = scores.import_rows(opened, found, reason=writes.reason(reason, f"Imported from {file}"))
    if not json:
        output.say(f"{added} scores {'would be ' if dry_run else ''}added, {present} were there already")
    writes.report(opened, dry_run=dry_run, json=json, result={"added": added, "present": present})


@app.command("list")
def list_scores(
    ctx: typer.Context,
    release: Annotated[str | None, typer.Option(metavar="KEY", help="Only of this release.")] = None,
    model: Annotated[str | None, typer.Option(help="Only of this model.")] = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """List scores with the model their label belongs to."""
    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        found = _scores(reader)
    chosen = [row for row in found if release in (None, row["release"]) and model in (None, row["model"])]
    if not chosen:
        raise NotFoundError("no score matches", hint="Loosen --release or --model.")
    columns = [Column(key=name, title=name, right=name == "value") for name in _NAMES[:-1]]
    output.rows(chosen, columns=columns, names=_NAMES, form=form)


def _scores(reader: Any) -> list[dict[str, Any]]:
    rows = reader.rows(
        "SELECT s.release, s.label, (SELECT a.model FROM alias a JOIN index_release r ON r.space = a.space"
        " WHERE r.key = s.release AND a.label = s.label AND a.scope IN ('', s.release) ORDER BY a.scope DESC LIMIT 1),"
        " s.value, s.effort, s.estimated, s.as_of, s.url FROM score s ORDER BY s.id"
    )
    return [dict(zip(_NAMES, row, strict=True)) for row in sorted(rows, key=itemgetter(0))]
