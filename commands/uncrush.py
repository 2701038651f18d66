"""catalog uncrush: the JSON that was crushed."""

from __future__ import annotations

import typer

from catalog.commands import options, texts
from catalog.crusher import uncrush_text

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def uncrush(file: options.TextFile = "-") -> None:
    """Write the JSON that was crushed, minified, its keys in order and its numbers as they were. Needs no catalog."""
    text = texts.read(file)
    with texts.refused(file, "crushed text"):
        plain = uncrush_text(text)
    texts.write(plain)
