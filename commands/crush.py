"""catalog crush: JSON in fewer tokens, and nothing lost unless a budget asks for it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import typer

from catalog.commands import code_text, crush_results, json_lines, keeping, options, output, plain_text
from catalog.crusher import CrushResult, crush_text, describe_crush, uncrush_text
from catalog.crusher.code.languages import LANGUAGES
from catalog.crusher.options import Layout, Level
from catalog.crusher.tables.writing import is_written
from catalog.errors import CheckError, UsageError
from catalog.sources import texts

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_LEVELS, _LAYOUTS = get_args(Level), get_args(Layout)


@app.command()
def crush(
    file: options.TextFile = "-",
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help=f"{' or '.join(_LEVELS)}.")] = "standard",
    layout: Annotated[str, typer.Option("--layout", metavar="LAYOUT", help=f"{' or '.join(_LAYOUTS)}.")] = "text",
    max_chars: Annotated[
        int | None, typer.Option("--max-chars", metavar="N", min=1, help="Leave out rows until so many are left.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", metavar="N", min=1, help="The same in tokens, estimated.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COND", help="Rows to leave out last: COL=VALUE, COL!=VALUE, COL~REGEX."),
    ] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read JSON Lines, as one list.")] = False,
    code: Annotated[
        str | None, typer.Option("--code", metavar="LANG", help=f"It is code: {', '.join(LANGUAGES)}.")
    ] = None,
    focal: Annotated[
        list[str] | None,
        typer.Option("--focal", metavar="WHAT", help="Code to leave as it is: a name, lines 12-40, or text of it."),
    ] = None,
    drop_comments: Annotated[
        bool, typer.Option("--drop-comments", help="Comments of code go, too, but for documentation.")
    ] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Say on stderr what was saved.")] = False,
    json: options.Json = False,
) -> None:
    """Write JSON as tables that read back exactly, or code without the bodies that nobody looks at.

    Needs no catalog.

    The same value gives the same text, whatever the order of its keys; where nothing is shorter it is minified JSON.
    Level plain writes tables, standard also says before the rows what they have in common. Layout json is valid JSON.
    """
    if code is not None:
        _one_kind(
            {
                "--level": level != "standard",
                "--layout": layout != "text",
                "--max-chars": max_chars,
                "--max-tokens": max_tokens,
                "--keep": keep,
                "--jsonl": jsonl,
            },
            "JSON, and --code says it is code",
        )
        code_text.crush(file, code, focal or [], drop_comments=drop_comments, stats=stats, json=json)
        return
    _one_kind({"--focal": focal, "--drop-comments": drop_comments}, "code: say its language with --code")
    for name, given, known in (("--level", level, _LEVELS), ("--layout", layout, _LAYOUTS)):
        if given not in known:
            raise UsageError(f"{name} {given!r} is unknown", hint=f"Known: {', '.join(known)}.")
    how = {"level": level, "layout": layout, "max_chars": max_chars, "max_tokens": max_tokens}
    _crush_json(file, how, keep, jsonl=jsonl, stats=stats, json=json)


def _crush_json(
    file: str, how: Mapping[str, Any], keep: list[str] | None, *, jsonl: bool, stats: bool, json: bool
) -> None:
    """Write JSON crushed as the options say, and what is to be said of it."""
    max_tokens = how["max_tokens"]
    keeper = keeping.Keeper(keep) if keep else None
    if keeper is not None and how["max_chars"] is None and max_tokens is None:
        raise UsageError("--keep says what a budget spares", hint="Give --max-chars or --max-tokens, too.")
    started = time.perf_counter()
    text, broken = _text(file, jsonl=jsonl)
    as_ = "crushed text" if is_written(text.lstrip()) else "JSON"
    with plain_text.understood(file, as_=as_, lines="" if jsonl else "For JSON Lines give --jsonl."):
        count = None if max_tokens is None else crush_results.tokens
        result = crush_text(text, **how, count=count, keep=keeper)
    if any(note.code == "already-crushed" for note in result.notes):
        output.note(f"{texts.name_of(file)} was crushed before and is left as it is")
    for condition in keeper.unmet() if keeper and result.dropped else ():
        output.note(f"no row meets --keep {condition!r}: columns of the row itself, values as in JSON")
    if json:
        output.as_json(crush_results.as_data(result))
    else:
        plain_text.write(result.text)
    if stats:
        _tell(text, result, time.perf_counter() - started)
    if broken:
        lines = "1 line is" if len(broken) == 1 else f"{len(broken):,} lines are"
        hint = "The others were crushed." if text != "[]" else "No line is left."
        raise CheckError(f"{lines} no JSON and left out", hint=hint)


def _one_kind(given: Mapping[str, object], of: str) -> None:
    """Refuse options that belong to another kind of text."""
    wrong = next((name for name, value in given.items() if value), None)
    if wrong is not None:
        raise UsageError(f"{wrong} is an option for {of}", hint="See catalog crush --help.")


def _text(file: str, *, jsonl: bool) -> tuple[str, dict[int, str]]:
    """Return the JSON to crush, and what is wrong with lines that are none."""
    if not jsonl:
        return texts.read(file), {}
    text = texts.read(file, as_far_as_possible=True)
    with output.progress("reading lines") as show:
        lines = json_lines.as_list(text, show)
    for number, why in lines.broken.items():
        output.note(f"line {number:,} is no JSON: {why}")
    return lines.text, lines.broken


def _tell(text: str, result: CrushResult, seconds: float) -> None:
    plain = uncrush_text(text, strict=False)
    output.note(crush_results.saved(plain, result.text, of="minified JSON", seconds=seconds))
    output.note(f"{result.original_chars:,} characters of minified JSON, {result.crushed_chars:,} now")
    for own in result.dropped:
        lost = f"; rows to be kept that are gone or cut: {own.protected:,}" if own.protected else ""
        output.note(f"{own.told} at {own.path}{lost}")
    described = describe_crush(result)
    if described:
        output.note(f"how to read it: {described}")
