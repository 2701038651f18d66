"""catalog release: the versions of external evaluations that scores may name."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.commands import options, output, writes
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, one_known

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_NAMES = (
    "key",
    "type",
    "index_name",
    "version",
    "publisher",
    "space",
    "direction",
    "role",
    "preference",
    "published",
    "minimum",
    "maximum",
    "standard_error",
)
_COLUMNS = (
    Column(key="key", title="key", fold=False),
    Column(key="type", title="type", fold=False),
    Column(key="role", title="role", fold=False),
    Column(key="preference", title="pref.", right=True),
    Column(key="published", title="published", fold=False),
    Column(key="standard_error", title="error", right=True),
)


@app.callback()
def release() -> None:
    """Register and list releases: one version of one index, patch and setting included."""


@app.command()
def add(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="Such as aa@4.4.")],
    like: Annotated[str | None, typer.Option(metavar="KEY", help="Take what is not given from this one.")] = None,
    type_slug: Annotated[str | None, typer.Option("--type", help="Model type, such as llm.")] = None,
    index: Annotated[str | None, typer.Option(help="Name of the index.")] = None,
    version: Annotated[str | None, typer.Option(help="Its version, patch included.  [default: from KEY]")] = None,
    setting: Annotated[str | None, typer.Option(help="Its setting, such as style control.")] = None,
    publisher: Annotated[str | None, typer.Option(help="Who publishes it; publishers have one vote each.")] = None,
    space: Annotated[str | None, typer.Option(help="The label space of its labels.")] = None,
    direction: Annotated[str | None, typer.Option(help="higher or lower is better.  [default: higher]")] = None,
    role: Annotated[
        str | None, typer.Option(help="capability places models, sanity only widens and flags.  [default: capability]")
    ] = None,
    preference: Annotated[
        int | None, typer.Option(metavar="N", help="Which places first, 1 before 2.  [default: 9]")
    ] = None,
    published: Annotated[str | None, typer.Option(metavar="DATE", help="YYYY-MM-DD, or YYYY-MM.")] = None,
    minimum: Annotated[str | None, typer.Option(metavar="SCORE", help="Lowest score there is.")] = None,
    maximum: Annotated[str | None, typer.Option(metavar="SCORE", help="Highest score there is.")] = None,
    standard_error: Annotated[
        str | None, typer.Option(metavar="POINTS", help="Of its scores, as the publisher states it.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where it is published.")] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Register a release: catalog release add aa@4.4 --like aa@4.3 --published 2026-12-01."""
    from catalog.store import releases

    given = {
        "type": type_slug,
        "index_name": index,
        "version": version,
        "setting": setting,
        "publisher": publisher,
        "space": space,
        "direction": direction,
        "role": role,
        "preference": preference,
        "published": published,
        "minimum": minimum,
        "maximum": maximum,
        "standard_error": standard_error,
        "url": url,
    }
    with writes.book(ctx, dry_run=dry_run) as opened:
        releases.register(opened, key, given, like=like, reason=writes.reason(reason, "Release registered"))
    writes.report(opened, dry_run=dry_run, json=json, result={"key": key})


@app.command("list")
def list_releases(
    ctx: typer.Context,
    type_slug: options.TypeName = None,
    json: options.Json = False,
    jsonl: options.Jsonl = False,
    csv: options.Csv = False,
) -> None:
    """List releases, the one that places first at the top of its type."""
    form = output.one_format(json=json, jsonl=jsonl, csv=csv)
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        rows = reader.rows(f"SELECT {', '.join(_NAMES)} FROM index_release")
    found = [dict(zip(_NAMES, row, strict=True)) for row in rows]
    found.sort(key=lambda row: (row["type"], row["role"] != "capability", row["preference"], row["key"]))
    one_known(type_slug, [row["type"] for row in found], what="release of type")
    chosen = [row for row in found if type_slug in (None, row["type"])]
    if not chosen:
        raise NotFoundError("there is no release yet", hint="Register one with catalog release add.")
    output.rows(chosen, columns=_COLUMNS, names=_NAMES, form=form)
