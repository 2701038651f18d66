"""catalog audit: check ranks, correct one deliberately, verify the catalog, read the log."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import closing
from itertools import chain
from typing import Annotated, Any

import typer

from catalog import settings, snapshot
from catalog.commands import options, output, placements, writes
from catalog.commands.output import Column
from catalog.connection import Reader, reading
from catalog.errors import CheckError, NotFoundError, UsageError, one_known
from catalog.log.line import ACTIONS, FACT_TABLES, RANK_ACTIONS, Line, from_row
from catalog.log.replay import line_rows

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_SEVERITIES = ("info", "warning", "error")
_FINDINGS = (
    Column(key="severity", title="severity"),
    Column(key="code", title="finding"),
    Column(key="message", title="what"),
)


@app.callback()
def audit() -> None:
    """Check ranks against newer evidence, correct mistakes, verify the log. Only `correct` writes."""


@app.command()
def check(
    ctx: typer.Context,
    type_slug: options.TypeName = None,
    fail_on: Annotated[str, typer.Option(metavar="SEVERITY", help="info, warning, error or never.")] = "error",
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """Say which ranks deserve a second look, and why. Changes nothing; exit 4 at or above --fail-on."""
    from catalog.ranks import findings

    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    if fail_on not in (*_SEVERITIES, "never"):
        raise UsageError(f"{fail_on!r} is no severity", hint="Say info, warning, error or never.")
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        found = findings.of(
            reader,
            type_slug,
            today=settings.now().date().isoformat(),
            stale_days=ctx.obj.stale_days,
            thresholds=ctx.obj.thresholds,
        )
    rows = [findings.as_data(finding) for finding in found]
    output.rows(rows, columns=_FINDINGS, names=("severity", "code", "models", "message"), form=form)
    counts = {name: sum(row["severity"] == name for row in rows) for name in _SEVERITIES}
    output.note(", ".join(f"{count} {name}" for name, count in counts.items()))
    failing = [] if fail_on == "never" else _SEVERITIES[_SEVERITIES.index(fail_on) :]
    if any(counts[name] for name in failing):
        raise CheckError(
            f"the audit found something at or above {fail_on}", hint="See above; correct with audit correct."
        )


@app.command()
def correct(
    ctx: typer.Context,
    model: options.ModelName,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; stands in the change log.")],
    place: Annotated[bool, typer.Option("--place", help="Compute the number by the placement path.")] = False,
    rank: Annotated[str | None, typer.Option("--rank", metavar="N")] = None,
    low: Annotated[str | None, typer.Option("--low", metavar="N")] = None,
    high: Annotated[str | None, typer.Option("--high", metavar="N")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="TEXT")] = None,
    index_version: Annotated[str | None, typer.Option("--index-version", metavar="TEXT")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE")] = None,
    extrapolate: Annotated[bool, typer.Option("--extrapolate", help="Accept anchors on one side only.")] = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Correct a locked rank deliberately: --place, or --rank with --low --high --source --index-version --as-of."""
    from catalog.ranks import ledger

    given = {"rank": rank, "low": low, "high": high, "source": source, "index_version": index_version, "as_of": as_of}
    by_hand = None if place else _by_hand(given)
    if place and any(value is not None for value in given.values()):
        raise UsageError("--place computes the rank; it excludes --rank and its companions", hint="Choose one.")
    with writes.book(ctx, dry_run=dry_run) as opened:
        if by_hand is None:
            placement = ledger.correct(opened, model, reason=reason, extrapolate=extrapolate)
            result = placements.as_data(placement, placements.names(opened), ctx.obj.thresholds)
        else:
            ledger.correct_by_hand(opened, model, reason=reason, **by_hand)
            result = {"slug": model, "power_rank": by_hand["rank"], **by_hand, "method": "manual", "flags": ["manual"]}
            result.pop("rank")
    writes.report(opened, dry_run=dry_run, json=json, result=result)


@app.command()
def verify(
    ctx: typer.Context,
    head: Annotated[str | None, typer.Option("--head", metavar="HASH", help="A head hash noted earlier.")] = None,
    json: options.Json = False,
) -> None:
    """Check chain, replay, tables and guards; with --head also that nothing was cut off. Exit 4 on findings."""
    from catalog.store.verify import verify as verify_catalog

    if head is not None and not re.fullmatch("[0-9a-f]{64}", head):
        raise UsageError(f"{head!r} is not a head hash", hint="A head has 64 hex digits; every write prints one.")
    with (
        reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader,
        output.working("verifying") as show,
    ):
        found = verify_catalog(reader, expected_head=head, progress=lambda lines: show(f"verified {lines:,} lines"))
    if json:
        names = ("lines", "models", "ranked", "head", "since_head")
        output.as_json({**{name: getattr(found, name) for name in names}, "findings": list(found.findings)})
    else:
        for finding in found.findings:
            output.say(f"found  {finding}")
        if not found.findings:
            output.say(f"verified {found.lines:,} lines: chain, replay, tables and guards agree")
        if found.since_head:
            output.say(f"{found.since_head:,} lines were added since that head, see catalog audit log")
        output.say(f"{found.models} models, {found.ranked} ranked, head {found.head}")
    if found.findings:
        raise CheckError(
            f"{len(found.findings)} finding{'s' if len(found.findings) > 1 else ''}",
            hint="Restore from an export or backup whose head you trust.",
        )


@app.command()
def log(
    ctx: typer.Context,
    model: Annotated[str | None, typer.Argument(metavar="[MODEL]")] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE", help="Only that day and later.")] = None,
    action: Annotated[
        str | None, typer.Option(help="Only entry, rebase, correction, rank (all three), or a fact such as alias.")
    ] = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
) -> None:
    """List lines of the change log; --jsonl prints them as they are hashed."""
    form = output.one_format(json=json, jsonl=jsonl)
    one_known(action, ("rank", *ACTIONS, *FACT_TABLES), what="action")
    day = None if since is None else settings.iso_date(since, what="--since")
    with (
        reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader,
        closing(_lines(reader, model, action, day)) as chosen,  # before the connection is, should a pipe break
    ):
        first = next(chosen, None)
        if first is None:
            raise NotFoundError("no line of the log matches", hint="Loosen MODEL, --since or --action.")
        output.log_lines(chain([first], chosen), form)


def _lines(reader: Reader, model: str | None, action: str | None, since: str | None) -> Generator[Line, None, None]:
    chosen = None if action == "rank" else action
    if model is None:
        rows = line_rows(reader, action=chosen, since=since)
    else:
        rows = snapshot.lines_of(reader, model, action=chosen, since=since)
    for row in rows:
        line = from_row(row)
        if action != "rank" or line.action in RANK_ACTIONS:
            yield line


def _by_hand(given: dict[str, str | None]) -> dict[str, Any]:
    missing = [f"--{name.replace('_', '-')}" for name, value in given.items() if not value]
    if missing:
        raise UsageError(f"the correction lacks {' '.join(missing)}", hint="Give all of them, or --place.")
    return {
        name: _rank(name, str(value)) if name in ("rank", "low", "high") else str(value)
        for name, value in given.items()
    }


def _rank(name: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,6}", text) or int(text) == 0:
        raise UsageError(f"--{name} {text!r} is not a rank", hint="A rank is a whole number from 1 to 999,999.")
    return int(text)
