"""catalog uncrush: the JSON that was crushed."""

from __future__ import annotations

import typer

from catalog.commands import options, plain_text
from catalog.crusher import uncrush_text
from catalog.sources import texts

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def uncrush(file: options.TextFile = "-") -> None:
    """Write the JSON that was crushed, minified, its keys in order and its numbers as they were. Needs no catalog."""
    text = texts.read(file)
    with plain_text.understood(file, as_="crushed text"):
        plain = uncrush_text(text)
    plain_text.write(plain)
