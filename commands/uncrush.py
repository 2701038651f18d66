"""catalog uncrush: the JSON that was crushed."""

from __future__ import annotations

from typing import Annotated

import typer

from catalog.commands import options, output, plain_text
from catalog.crusher import uncrush_text
from catalog.crusher.missing import resolved
from catalog.crusher.uncrushing import read_marked
from catalog.sources import texts

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(name="uncrush")
def uncrush_(
    file: options.TextFile = "-",
    partial: Annotated[
        bool, typer.Option("--partial", help="Take a shortened text, too, and say on stderr what is missing.")
    ] = False,
) -> None:
    """Write the JSON that was crushed, minified, its keys in order and its numbers as they were. Needs no catalog."""
    text = texts.read(file)
    with plain_text.understood(file, as_="crushed text"):
        plain = uncrush_text(text, strict=not partial)
        gaps = resolved(read_marked(text))[1] if partial else ()
    plain_text.write(plain)
    for own in (gap.dropped() for gap in gaps):
        output.note(f"{own.told} at {own.path}")
