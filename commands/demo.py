"""catalog demo: the tour on real data, in a temporary SQLite file."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import typer

from catalog.commands import output
from catalog.errors import CheckError

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_SHOWN = 24  # lines of one command's output that the tour shows; the rest is counted

_SCORE = "--score aa@4.3=44.9 --as-of 2026-11-20 --effort max"
_TOUR = (
    (
        "Create a catalog: models with legacy ordinals and published scores, nothing ranked yet.",
        "init --legacy",
    ),
    ("Plan the one-time move of the ordinals onto an absolute scale. Nothing is written.", "rebase"),
    ("Apply exactly that plan, named by its hash.", "rebase --apply {plan}"),
    ("The strongest language models; every rank has an interval and a source.", "list llm --min-power 450"),
    (
        "This week's newcomer is placed between models that are ranked already.",
        "add-model 'Example 1' --type llm --developer Example --context 400000 " + _SCORE,
    ),
    ("Why is it ranked there?", "why example-1"),
    ("And why is this one not at the top? Its legacy ordinal beat every frontier model.", "why deepseek-v4-flash-0420"),
    ("Prove that chain, replay, tables and guards agree.", "audit verify"),
)


@app.command()
def tour() -> None:
    """Show the main job on real data: init, rebase, add-model, why, audit verify."""
    with tempfile.TemporaryDirectory(prefix="catalog-demo-") as folder, _inside(folder):
        known: dict[str, str] = {}
        for text, command in _TOUR:
            said = _run(text, command.format(**known))
            plan = re.search(r"--apply ([0-9a-f]{64})", said)
            known |= {"plan": plan.group(1)} if plan else {}
    output.say("That was a temporary catalog. Make your own with: catalog init")


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before, kept = Path.cwd(), dict(os.environ)
    os.environ["CATALOG_DATABASE_URL"] = "demo.db"
    os.environ["CATALOG_ACTOR"] = "demo"
    os.environ["CATALOG_NOW"] = "2026-11-30T09:00:00Z"
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(kept)


def _run(text: str, command: str) -> str:
    from catalog.commands.main import main

    output.say(f"# {text}\n$ catalog {command}")
    sys.stdout.flush()
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            main(shlex.split(command))
    except SystemExit as ended:
        if ended.code:
            output.say(said.getvalue())
            raise CheckError(f"the tour stopped: catalog {command} ended with exit code {ended.code}") from None
    lines = said.getvalue().splitlines()
    for line in lines[:_SHOWN]:
        output.say(line)
    if len(lines) > _SHOWN:
        output.say(f"… {len(lines) - _SHOWN} more lines")
    output.say()
    return said.getvalue()
