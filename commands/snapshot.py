"""catalog snapshot: the catalog as one file that needs no database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog import snapshot, snapshot_file
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.errors import DatabaseError

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

_COLUMNS = (
    Column(key="type", title="type"),
    Column(key="models", title="models", right=True),
    Column(key="ranked", title="ranked", right=True),
    Column(key="offers", title="offers", right=True),
)
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The file.")]


@app.callback()
def snapshots() -> None:
    """Save the catalog to one file, for programs that only select, and look into such a file."""


@app.command()
def save(ctx: typer.Context, file: _File, json: options.Json = False) -> None:
    """Write the catalog to a file, wholly or not at all; an existing file is replaced."""
    current = snapshot.load(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout)
    digest = snapshot_file.save(current, file)
    if json:
        output.as_json({"file": str(file), "sha256": digest, "head": current.head})
    else:
        output.facts((("file", str(file)), ("sha256", digest), ("head", current.head)))


@app.command()
def show(ctx: typer.Context, file: _File, json: options.Json = False) -> None:
    """Say what a file holds, and whether the catalog has changed since."""
    saved = snapshot_file.load(file)
    current = _is_current(ctx, saved.snapshot.head)
    if json:
        facts = {"file": str(file), "sha256": saved.sha256, "head": saved.snapshot.head, "at": saved.snapshot.at}
        output.as_json({**facts, "current": current, "types": list(_types(saved.snapshot))})
        return
    told = {True: "yes", False: "no: the catalog has changed since", None: "unknown: there is no catalog here"}[current]
    output.facts(
        (
            ("sha256", saved.sha256),
            ("head", saved.snapshot.head),
            ("changed", saved.snapshot.at or "never"),
            ("current", told),
        )
    )
    output.say()
    output.table(_types(saved.snapshot), _COLUMNS)


def _is_current(ctx: typer.Context, head: str) -> bool | None:
    try:
        return snapshot.head_of(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) == head
    except DatabaseError:
        return None


def _types(saved: snapshot.Snapshot) -> Iterator[dict[str, Any]]:
    for type_slug in saved.types:
        models = saved.of_type(type_slug)
        yield {
            "type": type_slug,
            "models": len(models),
            "ranked": sum(model.power_rank is not None for model in models),
            "offers": sum(len(model.offers) for model in models),
        }
