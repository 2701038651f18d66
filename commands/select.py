"""catalog select: which model should run this, and why not the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from catalog import settings, snapshot
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.errors import NotFoundError, UsageError
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.fields import PREFERENCES, SERVED, Bound, Prefer
from catalog.selector.request import Request
from catalog.selector.selection import select
from catalog.settings import iso_date

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_COLUMNS = (
    Column(key="place", title="", right=True),
    Column(key="model", title="model"),
    Column(key="vendor", title="vendor"),
    Column(key="power_rank", title="rank", right=True),
    Column(key="price_in", title="in", right=True),
    Column(key="price_out", title="out", right=True),
    Column(key="context", title="context", right=True),
    Column(key="per", title="price", fold=False),
)
_USUAL = f"{snapshot.CURRENCY} per {snapshot.TOKEN_UNIT}"
_SHOWN = 10
"""Candidates the short answer shows; --explain shows all."""

Names = list[str] | None
"""Names with commas between them; an option that is given twice adds up."""


@app.command()
def select_model(
    ctx: typer.Context,
    type_slug: Annotated[str, typer.Option("--type", metavar="TYPE", help="Model type, such as llm.")],
    prefer: Annotated[
        str | None, typer.Option(metavar="ORDER", help=f"{', '.join(PREFERENCES)}.  [default: highest, or as bound]")
    ] = None,
    min_power: Annotated[int | None, typer.Option(metavar="RANK", help="PowerRank at least so, fallbacks too.")] = None,
    max_power: Annotated[int | None, typer.Option(metavar="RANK", help="PowerRank at most so.")] = None,
    bound: Annotated[Names, typer.Option(metavar="MODEL,…", help="These first: MODEL[@VENDOR][=PRIORITY].")] = None,
    require_bound: Annotated[bool, typer.Option("--require-bound", help="No other model than the bound ones.")] = False,
    needs_context: Annotated[int | None, typer.Option(metavar="TOKENS", help="Input it must take.")] = None,
    needs_output: Annotated[
        int | None, typer.Option(metavar="TOKENS", help="Output it must give, inside the same window.")
    ] = None,
    inputs: Annotated[Names, typer.Option(metavar="NAME,…", help="Modalities it must take: image, …")] = None,
    outputs: Annotated[Names, typer.Option(metavar="NAME,…", help="Modalities it must give.")] = None,
    capabilities: Annotated[Names, typer.Option(metavar="NAME,…", help="Capability flags it must have.")] = None,
    status: Annotated[
        Names, typer.Option(metavar="NAME,…", help=f"Any of {', '.join(SERVED)}.  [default: active]")
    ] = None,
    max_price_in: Annotated[str | None, typer.Option(metavar="USD", help="Per million tokens of input.")] = None,
    max_price_out: Annotated[str | None, typer.Option(metavar="USD", help="Per million tokens of output.")] = None,
    only_vendors: Annotated[Names, typer.Option(metavar="NAME,…", help="Only by these vendors.")] = None,
    never_vendors: Annotated[Names, typer.Option(metavar="NAME,…", help="Never by these vendors.")] = None,
    vendor_order: Annotated[Names, typer.Option(metavar="NAME,…", help="By these first, for one model.")] = None,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Let pass what the catalog does not know.")
    ] = False,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="That day's catalog and prices; with --snapshot only prices."),
    ] = None,
    snapshot_: Annotated[
        Path | None, typer.Option("--snapshot", metavar="FILE", help="Read a saved snapshot, no database.")
    ] = None,
    why_not: Annotated[str | None, typer.Option(metavar="MODEL", help="Say only why not that model.")] = None,
    pareto: Annotated[bool, typer.Option("--pareto", help="List only what no other candidate beats.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Every candidate, every rejection.")] = False,
    json: options.Json = False,
) -> None:
    """Choose a model and its vendor, and explain the choice. Prices are those of the standard tier."""
    if sum((why_not is not None, pareto, explain)) > 1:
        raise UsageError("--why-not, --pareto and --explain exclude each other", hint="Choose one.")
    with _named_as_typed():
        request = Request(
            type=type_slug,
            prefer=cast("Prefer | None", prefer),
            min_power=min_power,
            max_power=max_power,
            bound=None if bound is None else tuple(_bound(text) for text in _names(bound)),
            require_bound=require_bound,
            input_tokens=needs_context,
            output_tokens=needs_output,
            inputs=_names(inputs),
            outputs=_names(outputs),
            capabilities=_names(capabilities),
            status=_names(status) or ("active",),
            max_price_in=max_price_in,
            max_price_out=max_price_out,
            only_vendors=None if only_vendors is None else _names(only_vendors),
            never_vendors=_names(never_vendors),
            vendor_order=_names(vendor_order),
            allow_unknown=allow_unknown,
            as_of=as_of or settings.now().date().isoformat(),
        )
        decision = select(_snapshot(ctx, snapshot_, as_of), request)
    if why_not is not None:
        _print_why_not(decision, why_not, json=json)
    elif pareto:
        _print_pareto(decision, json=json)
    elif json:
        output.say(decision.to_json())
    elif explain:
        from catalog.selector import explanation

        output.say(explanation.explain(decision))
    else:
        _print(decision)
    if decision.chosen is None and why_not is None:
        raise NotFoundError("no candidate is left", hint=_how_to_relax(decision))


def _snapshot(ctx: typer.Context, file: Path | None, as_of: str | None) -> snapshot.Snapshot:
    if file is not None:
        from catalog import snapshot_file

        return snapshot_file.load(file).snapshot
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        if as_of is None:
            return snapshot.read(reader)
        from catalog import past

        return past.at(reader, iso_date(as_of, what="--as-of"))


_FLAGS = {field.name: "--" + field.name.replace("_", "-") for field in fields(Request)}
_FLAGS |= {"input_tokens": "--needs-context", "output_tokens": "--needs-output"}


@contextmanager
def _named_as_typed() -> Iterator[None]:
    """Let a refused request name its fields as the command line does."""
    try:
        yield
    except UsageError as error:
        error.message, error.hint = map(_in_flags, (error.message, error.hint))
        raise


def _in_flags(text: str) -> str:
    """Return a message with fields as flags: the one it begins with, and those that are no word of the language."""
    unmistakable = "|".join(name for name in _FLAGS if "_" in name)
    return re.sub(rf"^({'|'.join(_FLAGS)})\b|\b({unmistakable})\b", lambda found: _FLAGS[found.group()], text)


def _names(texts: Sequence[str] | None) -> tuple[str, ...]:
    names = tuple(part.strip() for text in texts or () for part in text.split(",") if part.strip())
    if texts and not names:
        raise UsageError(f"{','.join(texts)!r} names nothing", hint="Write names with commas between them.")
    return names


def _bound(text: str) -> Bound:
    found = re.fullmatch(r"([^@=]+)(?:@([^@=]+))?(?:=([0-9]{1,9}))?", text)
    if found is None:
        raise UsageError(f"--bound {text!r} is not understood", hint="Write MODEL, MODEL@VENDOR or MODEL=PRIORITY.")
    return Bound(found[1].strip(), int(found[3] or 0), found[2])


def _print(decision: Decision) -> None:
    from catalog.selector import explanation

    chosen = decision.chosen
    if chosen is None:
        output.say("nothing can be chosen")
    else:
        output.say(f"{chosen.model.name} ({chosen.model.slug}) by {chosen.vendor}")
        output.fact("facts", explanation.facts(chosen))
    output.fact("order", explanation.ordering(decision))
    counts = Counter(rejection.code for rejection in decision.rejected)
    told = ", ".join(f"{code} {count:,}" for code, count in counts.most_common())
    output.fact("rejected", f"{len(decision.rejected):,}{': ' + told if told else ''}")
    if decision.candidates:
        more = len(decision.candidates) - _SHOWN
        output.say(f"\n{len(decision.candidates):,} candidates{f', the first {_SHOWN}' if more > 0 else ''}")
        _table(decision.candidates[:_SHOWN])


def _table(candidates: Sequence[Candidate]) -> None:
    rows = [_row(place, candidate) for place, candidate in enumerate(candidates, 1)]
    usual = all(row["per"] in (None, _USUAL) for row in rows)
    output.table(rows, _COLUMNS[:-1] if usual else _COLUMNS)


def _row(place: int, candidate: Candidate) -> dict[str, Any]:
    price = candidate.price
    return {
        **candidate.to_data(),
        "place": place,
        "price_in": price and price.input,
        "price_out": price and price.output,
        "per": price and f"{price.currency} per {price.unit}",
        "context": f"{candidate.context:,}" if candidate.context else None,
    }


def _print_pareto(decision: Decision, *, json: bool) -> None:
    from catalog.selector import explanation

    front = explanation.pareto(decision)
    if json:
        output.as_json([candidate.to_data() for candidate in front])
        return
    output.say(f"{len(front):,} of {len(decision.candidates):,} candidates: no other beats them")
    if front:
        _table(front)


def _print_why_not(decision: Decision, slug: str, *, json: bool) -> None:
    from catalog.selector import explanation

    answer = explanation.why_not(decision, slug)
    if not json:
        output.say(answer.text)
        return
    rejections = [
        {"vendor": rejection.candidate.vendor, "code": rejection.code, "detail": rejection.detail}
        for rejection in answer.rejections
    ]
    output.as_json(
        {
            "model": answer.model,
            "standing": answer.standing,
            "rejections": rejections,
            "text": answer.text,
            "head": decision.head,
        }
    )


def _how_to_relax(decision: Decision) -> str:
    if not decision.rejected:
        return f"The catalog holds no model of type {decision.request.type}."
    code, count = Counter(rejection.code for rejection in decision.rejected).most_common(1)[0]
    return f"Most were rejected by {code} ({count} of {len(decision.rejected)}); --explain lists every one."
