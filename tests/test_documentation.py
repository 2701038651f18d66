"""The documentation is true: what it shows was run."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import catalog
from catalog.crusher import crush_json, uncrush, uncrush_text
from catalog.store import seeding
from tests import documentation
from tests.command_line import head, run

pytest_plugins = ["tests.seeded"]


def test_the_transcript_of_the_readme_is_what_the_commands_print() -> None:
    """A reader who types the session of README.md sees what README.md shows."""
    readme = documentation.README.read_text(encoding="utf-8")
    assert documentation.with_transcript(readme, documentation.transcript()) == readme


def test_the_command_reference_is_what_help_prints() -> None:
    """docs/commands.md holds the help of every verb, word for word."""
    assert documentation.reference() == documentation.REFERENCE.read_text(encoding="utf-8")


def test_the_public_face_is_sorted_and_complete() -> None:
    """Every name the package exports can be imported, and they are listed in order."""
    assert list(catalog.__all__) == sorted(catalog.__all__)
    for name in catalog.__all__:
        assert getattr(catalog, name).__name__ == name


def test_the_weekly_routine_of_the_readme_runs(ranked_sqlite: str, tmp_path: Path) -> None:
    """Every command of the routine ends well, with scores of a new version that are a point above the old ones."""
    readme = documentation.README.read_text(encoding="utf-8")
    block = readme.split("```console\n")[1].split("```")[0]
    scores = [json.loads(line) for line in run(ranked_sqlite, "score list --release aa@4.3 --jsonl").out.splitlines()]
    rows = [(score["label"], float(score["value"]) + 1) for score in scores if not score["estimated"]]
    lines = [f"aa@4.4,{label},{value:g},2026-11-29" for label, value in [*rows, ("gpt-9", 51.5)]]
    (tmp_path / "scores.csv").write_text("\n".join(["release,label,value,as_of", *lines, ""]))
    for command in block.splitlines():
        words = (
            command.removeprefix("$ catalog ").partition("  #")[0].replace("scores.csv", str(tmp_path / "scores.csv"))
        )
        said = run(ranked_sqlite, words)
        assert said.code == 0, (command, said)
    assert head(ranked_sqlite) in run(ranked_sqlite, "audit verify").out


@pytest.mark.parametrize(
    "page", ["README.md", "docs/selector.md", "docs/renderer.md", "docs/crush-format.md", "docs/context.md"]
)
def test_the_library_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of a page runs from top to bottom and prints what its comments say."""
    blocks = (documentation.ROOT / page).read_text(encoding="utf-8").split("```python\n")[1:]
    code = "\n".join(block.split("```")[0] for block in blocks)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").symlink_to(documentation.ROOT / "docs")
    seeding.create("sqlite:///catalog.db")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, {"client_of": lambda _: Client()})
    said = [line.split("# prints ")[1] for line in code.splitlines() if "# prints " in line]
    assert printed.getvalue().splitlines() == said


class Client:
    """What a reader of the failover example brings: something that answers."""

    def complete(self, *_: object, timeout: float) -> str:
        """Answer when there is time left."""
        assert timeout > 0
        return "answer"

    @property
    def messages(self) -> Client:
        """What requests are made of."""
        return self

    def create(self, *, system: object, messages: list[object], **_: object) -> str:
        """Answer what has a system prompt and ends with the state of the run."""
        assert system
        assert "<runtime-state>" in str(messages[-1])
        return "answer"


def test_the_choices_of_the_readme_run(ranked_sqlite: str) -> None:
    """Every command of "Choosing a model" ends well."""
    readme = documentation.README.read_text(encoding="utf-8")
    commands = readme.split("## Choosing a model")[1].split("```console\n")[1].split("```")[0].splitlines()
    assert len(commands) == 3
    for command in commands:
        said = run(ranked_sqlite, command.removeprefix("$ catalog "))
        assert said.code == 0, (command, said)


def test_the_worked_examples_of_the_crushed_form_are_what_is_written() -> None:
    """Each JSON of docs/crush-format.md is crushed to the text below it, and comes back."""
    page = (documentation.ROOT / "docs" / "crush-format.md").read_text(encoding="utf-8")
    examples = page.split("```json\n")[1:]
    assert len(examples) == 5
    for example in examples:
        value = json.loads(example.split("```")[0])
        shown = example.split("```text\n")[1].split("```")[0]
        assert crush_json(value).text.rstrip("\n") == shown.rstrip("\n")
        assert uncrush(shown) == value


def test_the_forms_of_the_crushed_text_read_as_what_stands_beside_them() -> None:
    """Each text in the tables of docs/crush-format.md reads as the JSON in the cell after it, numbers and all."""
    page = (documentation.ROOT / "docs" / "crush-format.md").read_text(encoding="utf-8")
    pairs = re.findall(r"\| `(~[^`]+)` \| `([^`]+)` \|\n", page)
    assert len(pairs) == 45
    for text, shown in pairs:
        plain = uncrush_text(text.replace("\\|", "|").replace("⏎", "\n"), strict=False)
        assert plain == uncrush_text(shown), text


def test_the_worked_example_of_crushed_code_is_what_is_printed() -> None:
    """The Python of docs/crush-code.md prints the text below it."""
    page = (documentation.ROOT / "docs" / "crush-code.md").read_text(encoding="utf-8")
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(page.split("```python\n")[1].split("```\n")[0], {})
    shown = page.split("```text\n")[1].split("```")[0]
    assert printed.getvalue() == shown
