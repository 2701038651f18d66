"""What the documentation shows, made by running it. ``python -m tests.documentation`` writes it anew.

The transcript of README.md and docs/commands.md are outputs; tests/test_documentation.py compares them with a new run.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from catalog.commands.main import VERBS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "commands.md"
BEGIN, END = "<!-- transcript -->\n", "<!-- /transcript -->\n"

SESSION = (
    "catalog init",
    "catalog list llm --min-power 500",
    "catalog add-model 'Example 1' --type llm --developer Example --score aa@4.3=44.9 --as-of 2026-11-20 --effort max",
    "catalog why example-1",
    "catalog audit verify",
)
NESTED = {
    "prompts": ("check", "report", "explain", "interface"),
    "snapshot": ("save", "show"),
    "alias": ("add", "list"),
    "score": ("add", "import", "list"),
    "release": ("add", "list"),
    "price": ("add", "list"),
    "audit": ("check", "correct", "verify", "log"),
}
INTRODUCTION = """# Commands

What `--help` prints, verb by verb. Global options (`--db`, `--actor`) stand before the verb.
"""


def transcript() -> str:
    """Run the session of README.md in an empty folder and return what a terminal shows, as an indented block."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CATALOG_NOW": "2026-11-30T09:00:00Z", "CATALOG_ACTOR": "ann"}
        shown = [f"$ {command}\n{_run(command, folder, environment)}" for command in SESSION]
    lines = "\n".join(shown).splitlines()
    return "".join(f"    {line}\n" if line else "\n" for line in lines)


def reference() -> str:
    """Return docs/commands.md."""
    pages = [f"\n## catalog {' '.join(words)}\n\n```text\n{_help(words)}```\n" for words in _commands()]
    return INTRODUCTION + "".join(pages)


def with_transcript(readme: str, shown: str) -> str:
    """Return README.md with its transcript replaced."""
    before, rest = readme.split(BEGIN)
    return before + BEGIN + "\n" + shown + "\n" + END + rest.split(END)[1]


def _commands() -> Iterator[tuple[str, ...]]:
    yield ()
    for verb in VERBS:
        yield from ((verb, name) for name in NESTED[verb]) if verb in NESTED else ((verb,),)


def _help(words: tuple[str, ...]) -> str:
    return _run(shlex.join(["catalog", *words, "--help"]), str(ROOT), {**os.environ, "COLUMNS": "80"})


def _run(command: str, folder: str, environment: dict[str, str]) -> str:
    words = [sys.executable, "-m", "catalog.commands.main", *shlex.split(command)[1:]]
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    README.write_text(with_transcript(README.read_text(encoding="utf-8"), transcript()), encoding="utf-8")
    REFERENCE.write_text(reference(), encoding="utf-8")
