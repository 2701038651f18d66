"""catalog add-model: place a newcomer between ranked models and lock its rank."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.commands import options, output, placements, writes
from catalog.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from catalog.ranks.newcomer import Added, Newcomer
    from catalog.store.book import Book

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def add_model(
    ctx: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Such as 'Claude Opus 5.5'.")] = None,
    type_slug: Annotated[str | None, typer.Option("--type", help="Model type, such as llm.")] = None,
    developer: Annotated[str | None, typer.Option(help="Who makes it; slug or name.")] = None,
    score: Annotated[
        list[str] | None, typer.Option("--score", metavar="KEY=VALUE", help="A score, such as aa@4.3=57.6. Repeatable.")
    ] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="The day the release said so.")] = None,
    effort: Annotated[str | None, typer.Option(help="The effort that was measured.  [default: unstated]")] = None,
    url: Annotated[str | None, typer.Option(help="Where the score is published.")] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="SPACE:LABEL", help="Use the scores this label has in the catalog. Repeatable."
        ),
    ] = None,
    same_weights_as: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Same weights as this model: shares its rank.")
    ] = None,
    offer: Annotated[
        list[str] | None, typer.Option("--offer", metavar="VENDOR=API-NAME", help="Who serves it. Repeatable.")
    ] = None,
    released: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    context: Annotated[int | None, typer.Option(metavar="TOKENS", help="Context window.")] = None,
    max_output: Annotated[int | None, typer.Option(metavar="TOKENS", help="Most tokens of one answer.")] = None,
    prior: Annotated[str | None, typer.Option(metavar="MODEL", help="The model it succeeds.")] = None,
    build: Annotated[str | None, typer.Option(help="Build label, such as 0731.")] = None,
    slug: Annotated[str | None, typer.Option(help="Its slug.  [default: made of the name]")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="YAML or JSON with one or many models; - reads stdin.")
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Store the placement; catalog lock locks it later.")
    ] = False,
    extrapolate: Annotated[bool, typer.Option("--extrapolate", help="Accept anchors on one side only.")] = False,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
) -> None:
    """Add a model: place it between ranked ones, lock rank, source, version and as-of, and move no other rank."""
    said = {
        "name": name,
        "type": type_slug,
        "developer": developer,
        "slug": slug,
        "score": score,
        "as_of": as_of,
        "effort": effort,
        "url": url,
        "label": label,
        "offer": offer,
        "released": released,
        "context": context,
        "max_output": max_output,
        "prior": prior,
        "build": build,
        "same_weights_as": same_weights_as,
    }
    wanted = _from_file(from_, said) if from_ is not None else _from_options(said)
    usual = "Proposed from published scores" if propose else "Entered from published scores"
    how = {"propose": propose, "extrapolate": extrapolate, "reason": writes.reason(reason, usual)}
    seen = None
    if sys.stdin.isatty() and not (yes or dry_run or json or propose):
        seen = _looked_at(ctx, wanted, how)
    with writes.book(ctx, dry_run=dry_run) as opened:
        added = _added(opened, wanted, how)
        known, ranks = placements.names(opened), placements.ranks(opened)
        _still(seen, added)
    if seen is None and not json:
        _explain(ranks, added, ctx.obj.thresholds)
    data = [{**placements.as_data(one.placement, known, ctx.obj.thresholds), "notes": list(one.notes)} for one in added]
    result = data[0] if len(data) == 1 else {"rows": data}
    writes.report(opened, dry_run=dry_run, json=json, result={**result, "proposed": propose})


def _from_options(said: dict[str, Any]) -> list[Newcomer]:
    from catalog.ranks import description

    return [description.from_options(said)]


def _from_file(source: str, said: dict[str, Any]) -> list[Newcomer]:
    from catalog.ranks import description
    from catalog.sources import records

    also = ["NAME" if key == "name" else f"--{key.replace('_', '-')}" for key, value in said.items() if value]
    if also:
        raise UsageError(f"--from excludes {', '.join(also)}", hint="Put everything into the file.")
    return description.from_records(records.read(source))


def _added(opened: Book, wanted: list[Newcomer], how: dict[str, Any]) -> list[Added]:
    from catalog.ranks import newcomer

    return newcomer.add_all(opened, wanted, **how)


def _looked_at(ctx: typer.Context, wanted: list[Newcomer], how: dict[str, Any]) -> list[Added]:
    """Place without writing, show it and ask; nobody is kept waiting for the answer."""
    with writes.book(ctx, dry_run=True) as opened:
        added, ranks = _added(opened, wanted, how), placements.ranks(opened)
    _explain(ranks, added, ctx.obj.thresholds)
    sys.stdout.flush()
    if not typer.confirm("Lock this rank?" if len(added) == 1 else f"Lock these {len(added)} ranks?", err=True):
        output.note("nothing was written")
        raise typer.Exit(1)
    return added


def _still(seen: list[Added] | None, added: list[Added]) -> None:
    """Refuse to lock something else than what was shown before the question."""
    for before, now in zip(seen or (), added, strict=False):
        shown = [(one.placement.power_rank, one.placement.low, one.placement.high) for one in (before, now)]
        if shown[0] != shown[1]:
            raise ConflictError(
                f"the placement of {now.placement.slug} moved from {shown[0][0]} to {shown[1][0]} in the meantime",
                hint="Nothing was written. Run the command again and look at the new placement.",
            )


def _explain(ranks: dict[str, int | None], added: list[Added], thresholds: tuple[int, ...]) -> None:
    for one in added:
        placements.explain(one.placement, ranks, thresholds)
        for text in one.notes:
            output.fact("  note", text)
    output.fact("  proof", placements.PROOF)
