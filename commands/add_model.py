"""catalog add-model: place a newcomer between ranked models and lock its rank."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from catalog.commands import options, output, placements, writes
from catalog.errors import UsageError

if TYPE_CHECKING:
    from catalog.ranks.newcomer import Newcomer
    from catalog.ranks.placement import Placement
    from catalog.store.book import Book

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_Texts = Annotated[list[str] | None, typer.Option(metavar="TEXT")]


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
    effort: Annotated[str, typer.Option(help="The effort that was measured.")] = "unstated",
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
    from catalog.ranks import newcomer

    facts = {
        "released": released,
        "context_window": context,
        "max_output": max_output,
        "prior": prior,
        "build": build,
        "same_weights_as": same_weights_as,
    }
    if from_ is not None:
        said = {
            "NAME": name,
            "--type": type_slug,
            "--developer": developer,
            "--score": score,
            "--as-of": as_of,
            "--url": url,
            "--label": label,
            "--offer": offer,
            "--slug": slug,
            **{f"--{key.replace('_', '-')}": value for key, value in facts.items()},
        }
        _only_the_file(said, effort)
        from catalog.sources import records

        wanted = [newcomer.from_record(record) for record in records.read(from_)]
    else:
        described = newcomer.from_options(
            name=name or "",
            type_slug=type_slug,
            developer=developer,
            slug=slug,
            facts={key: value for key, value in facts.items() if value is not None},
            offers=offer or (),
            scores=score or (),
            as_of=as_of,
            effort=effort,
            url=url,
            labels_=label or (),
        )
        wanted = [described]
    why = writes.reason(reason, "Proposed from published scores" if propose else "Entered from published scores")
    with writes.book(ctx, dry_run=dry_run) as opened:
        placed = [_add(opened, one, propose=propose, extrapolate=extrapolate, reason=why) for one in wanted]
        known = placements.names(opened)
        if not json:
            _explain(opened, placed, ctx.obj.thresholds)
        _agreed(yes or dry_run or json, propose)
    data = [placements.as_data(placement, known, ctx.obj.thresholds) for placement in placed]
    writes.report(opened, dry_run=dry_run, json=json, result=data[0] if len(data) == 1 else {"rows": data})


def _only_the_file(said: dict[str, Any], effort: str) -> None:
    also = [flag for flag, value in said.items() if value] + (["--effort"] if effort != "unstated" else [])
    if also:
        raise UsageError(f"--from excludes {', '.join(also)}", hint="Put everything into the file.")


def _add(opened: Book, one: Newcomer, **how: Any) -> Placement:
    from catalog.ranks import newcomer

    return newcomer.add(opened, one, **how)[1]


def _explain(opened: Book, placed: list[Placement], thresholds: tuple[int, ...]) -> None:
    ranks = dict(opened.rows("SELECT slug, power_rank FROM model"))
    for placement in placed:
        placements.explain(placement, ranks, thresholds)
    output.say("  proof   no other model's rank changed (checksum before = after)")


def _agreed(settled: bool, propose: bool) -> None:
    """Ask before a rank is locked, on a terminal only; scripts say what they mean by calling."""
    if settled or propose or not sys.stdin.isatty():
        return
    sys.stdout.flush()
    typer.confirm("Lock this rank?", abort=True, err=True)
