"""catalog score: what external evaluations said, as evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog import snapshot
from catalog.commands import options, output, writes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, one_known
from catalog.log.replay import parsed

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
    from catalog.ranks import load
    from catalog.store import scores, values

    release, value = values.pair(score_, "=", example=scores.EXAMPLE)
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
        line = opened.add("score", row, reason=writes.reason(reason, "Score added"))
        other = scores.contradicted(opened, parsed(line.after or ""))
        unmatched = load.unowned(opened, [line.seq for line in opened.lines])
    writes.report(opened, dry_run=dry_run, json=json, result={**row, "unmatched": unmatched, "contradicts": other})
    _say_unmatched(unmatched)
    if other:
        output.note(f"{release} said {', '.join(other)} of {label} on {as_of} before; the newest row speaks")


@app.command("import")
def import_file(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, JSON, JSONL or YAML; - reads stdin.")],
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Import scores, all or none: release, label, value, as_of and optionally effort, estimated, url, low, high."""
    from catalog.ranks import load
    from catalog.sources import records
    from catalog.store import scores

    found = records.read(file)
    with writes.book(ctx, dry_run=dry_run) as opened:
        added, present = scores.import_rows(opened, found, reason=writes.reason(reason, f"Imported from {file}"))
        unmatched = load.unowned(opened, [line.seq for line in opened.lines])
    if not json:
        output.say(f"scores {'to be ' if dry_run else ''}added: {added}; there already: {present}")
    writes.report(
        opened, dry_run=dry_run, json=json, result={"added": added, "present": present, "unmatched": unmatched}
    )
    _say_unmatched(unmatched)


def _say_unmatched(found: list[str]) -> None:
    """Name the labels that belong to no model, on stderr: their scores count for nothing until they do."""
    if found:
        more = f" and {len(found) - 10} more" if len(found) > 10 else ""
        output.note(f"no model owns {', '.join(found[:10])}{more}; give them with catalog alias add MODEL SPACE:LABEL")


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
        one_known(release, [row[0] for row in reader.rows("SELECT key FROM index_release")], what="release")
        one_known(model, [row[0] for row in reader.rows("SELECT slug FROM model")], what="model")
        found = snapshot.scores(reader, release=release)
    found.sort(key=lambda score: score.release)
    chosen = [score._asdict() for score in found if model in (None, score.model)]
    if not chosen:
        raise NotFoundError("no score matches", hint="Loosen --release or --model.")
    columns = [Column(key=name, title=name, right=name == "value") for name in _NAMES[:-1]]
    output.rows(chosen, columns=columns, names=_NAMES, form=form)
