"""catalog crush: JSON in fewer characters, and nothing lost."""

from __future__ import annotations

import time
from typing import Annotated, cast, get_args

import typer

from catalog.commands import options, output, plain_text
from catalog.crusher import CrushResult, crush_text
from catalog.crusher.options import Level
from catalog.errors import UsageError
from catalog.sources import texts

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_LEVELS = get_args(Level)


@app.command()
def crush(
    file: options.TextFile = "-",
    level: Annotated[str, typer.Option("--level", metavar="LEVEL", help=f"{' or '.join(_LEVELS)}.")] = "standard",
    stats: Annotated[bool, typer.Option("--stats", help="Say on stderr what was saved.")] = False,
    json: options.Json = False,
) -> None:
    """Write JSON as tables that read back exactly. Needs no catalog.

    The same value gives the same text, whatever the order of its keys; where nothing is shorter it is minified JSON.
    Level plain writes tables, standard also says in headers what their rows have in common.
    """
    if level not in _LEVELS:
        raise UsageError(f"--level {level!r} is unknown", hint=f"Known: {', '.join(_LEVELS)}.")
    started = time.perf_counter()
    text = texts.read(file)
    with plain_text.understood(file, as_="JSON"):
        result = crush_text(text, level=cast("Level", level))
    if json:
        output.as_json(_as_data(result))
    else:
        plain_text.write(result.text)
    if stats:
        share = result.crushed_chars / result.original_chars
        output.note(
            f"{result.original_chars:,} characters of minified JSON, {result.crushed_chars:,} now ({share:.0%}), "
            f"{time.perf_counter() - started:.2f} s"
        )


def _as_data(result: CrushResult) -> dict[str, object]:
    return {
        "text": result.text,
        "crushed": result.crushed,
        "original_chars": result.original_chars,
        "crushed_chars": result.crushed_chars,
        "notes": [{"code": note.code, "path": note.path, "detail": note.detail} for note in result.notes],
    }
