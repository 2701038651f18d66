"""catalog prompts: what breaks a rule, why it is one, and types as prompts show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import ok, run
from tests.renderer.estates import folder

NOWHERE = "nowhere.db"
ROOT = Path(__file__).parents[2]
BAD = "---\ntype: llm\n---\n{{ title }}\n{% if _MODEL_POWER_RANK < 9 %}a{% endif %}\n"


def test_findings_have_their_place_and_errors_their_code(tmp_path: Path) -> None:
    """As editors read them; 4 where there are errors, 0 where there are none."""
    folder(tmp_path, {"p.md": BAD})
    said = run(NOWHERE, f"prompts check {tmp_path}")
    assert (said.code, said.out.splitlines()) == (4, [
        "p.md:4:4: error P301: nobody declares 'title'",
        "p.md:5:7: error P204: nothing is claimed beside _MODEL_POWER_RANK < 9",
    ])  # fmt: skip
    assert "1 file, 1 prompt: 2 errors, 0 warnings\n" in said.err
    found = json.loads(run(NOWHERE, f"prompts check {tmp_path} --json").out)
    assert found["findings"][0] == {
        "code": "P301", "severity": "error", "file": "p.md", "line": 4, "column": 4,
        "message": "nobody declares 'title'", "hint": "", "rule": "a variable that nobody declares",
    }  # fmt: skip
    assert (found["errors"], found["warnings"], found["files"]) == (2, 0, 1)
    good = ok(NOWHERE, f"prompts check {ROOT}/docs/examples/agents --evals {ROOT}/docs/examples/agents/evals.json")
    assert (good.out, good.err) == ("", "9 files, 5 prompts: 0 errors, 0 warnings\n")


def test_an_old_estate_is_adopted_by_a_baseline(tmp_path: Path) -> None:
    """What stands there now is forgiven, and counted; what comes later is not."""
    folder(tmp_path / "prompts", {"p.md": BAD})
    file = tmp_path / "baseline.json"
    assert (
        "forgives 2 findings from now on" in ok(NOWHERE, f"prompts check {tmp_path}/prompts --save-baseline {file}").err
    )
    said = ok(NOWHERE, f"prompts check {tmp_path}/prompts --baseline {file}")
    assert "0 errors, 0 warnings, 2 forgiven" in said.err
    folder(tmp_path / "prompts", {"p.md": BAD + "{{ more }}\n"})
    assert run(NOWHERE, f"prompts check {tmp_path}/prompts --baseline {file}").out == (
        "p.md:6:4: error P301: nobody declares 'more'\n"
    )


def test_rules_are_explained() -> None:
    """One with its examples, all as a table or as JSON."""
    said = ok(NOWHERE, "prompts explain p204").out
    assert said.startswith("P204 (error): a threshold without claim\n")
    assert "instead of\n    {% if _MODEL_POWER_RANK < 100 %}\nwrite\n" in said
    table = ok(NOWHERE, "prompts explain").out.splitlines()
    assert len(table) == 24
    assert len(ok(NOWHERE, "prompts explain --json").data) == 23
    assert run(NOWHERE, "prompts explain P999").code == 3


def test_a_type_is_shown_as_in_a_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a module that Python finds."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "answer_types.py").write_text(
        "from pydantic import BaseModel\nclass Answer(BaseModel):\n    done: bool\n"
    )
    said = ok(NOWHERE, "prompts interface Answer --interfaces answer_types")
    assert said.out == "interface Answer {\n  done: boolean\n}\n"
    assert "answer_types has no type 'Answr'" in run(NOWHERE, "prompts interface Answr --interfaces answer_types").err


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ("check no/such/folder", 2, "there is no prompt folder 'no/such/folder'"),
        ("check {root} --evals {root}/no.json", 2, "no.json cannot be read"),
        ("check {root} --evals {root}/list.json", 2, "holds something else"),
        ("check {root} --baseline {root}/list.json", 2, "holds something else"),
        ("check {root} --interfaces no.such", 2, "--interfaces 'no.such' cannot be imported"),
        ("check {root} --placeholder team", 2, "placeholder 'team' is no name"),
        ("check {root}", 4, "there is no placeholder _TEAM"),
        ("check {root} --placeholder _TEAM", 0, ""),
    ],
)
def test_what_cannot_be_checked_is_told(tmp_path: Path, options: str, code: int, told: str) -> None:
    """In one message."""
    folder(tmp_path, {"p.md": "---\ntype: llm\n---\n{{ _TEAM }}", "list.json": "[1]"})
    said = run(NOWHERE, f"prompts {options.format(root=tmp_path)}")
    assert said.code == code
    assert told in said.out + said.err


def test_a_report_says_what_each_prompt_takes_and_why(tmp_path: Path) -> None:
    """Per interval of ranks, by section, against what it took before: at least 30 % fewer in the shipped estate."""
    examples = ROOT / "docs/examples"
    before = ok(NOWHERE, f"prompts report {examples}/agents-before --save {tmp_path}/before.json").out.splitlines()
    assert before[0].split()[:3] == ["prompt", "ranks", "o200k"]
    assert len(before) == 11
    said = ok(NOWHERE, f"prompts report {examples}/agents --against {tmp_path}/before.json").out
    assert all(len(line) <= 80 for line in said.splitlines())
    found = ok(NOWHERE, f"prompts report {examples}/agents --against {tmp_path}/before.json --json").data
    assert found["compared"] < 0.7 * found["before"]
    assert said.endswith(f"{1 - found['compared'] / found['before']:.0%} fewer\n")
    rows = {(row["prompt"], row["low"]): row for row in found["prompts"]}
    assert [key for key in rows if key[0] == "researcher.md"] == [
        ("researcher.md", 200), ("researcher.md", 250), ("researcher.md", 300),
    ]  # fmt: skip
    weak, strong = rows["researcher.md", 200]["tokens"]["o200k"], rows["researcher.md", 300]["tokens"]["o200k"]
    assert weak["n"] > strong["n"]
    assert (weak["exact"], weak["counted_with"]) == (True, "o200k")
    assert rows["researcher.md", 200]["sections"]["foreach"] > 0
    assert rows["clerk.md", 50]["sections"] == {"foreach": 0, "while": 0, "scratchpad": 0, "commands": 0}


def test_an_estimate_says_that_it_is_one(tmp_path: Path) -> None:
    """Beside an exact count, or alone; samples of data count, and what is not said is empty."""
    folder(tmp_path, {"p.md": "---\ntype: llm\ndata: {x: text}\n---\n{{ x }} {{ y }}"})
    (tmp_path / "data.json").write_text(json.dumps({"p": {"x": "words " * 50}}))
    given = f"prompts report {tmp_path} --tokenizer estimate --tokenizer o200k"
    said = ok(NOWHERE, given)
    assert said.err == "estimate: off by up to 40% of the true count\n"
    more = ok(NOWHERE, f"{given} --data {tmp_path}/data.json --json").data
    assert more["prompts"][0]["tokens"]["o200k"]["n"] > 50
    assert more["prompts"][0]["tokens"]["estimate"]["error"] == 0.4


def test_a_report_needs_no_samples(tmp_path: Path) -> None:
    """Fields of objects, state, and placeholders that a program registers are empty; more tokens are told as more."""
    text = "---\ntype: llm\ndata: {order: object}\n---\n{{ order.who.name }} {{ order['id'] }} {{ _TEAM }}{{ z.a }}"
    folder(tmp_path, {"p.md": text + "{% state %}{{ state.a.b }}{% for own in state.rows %}{{ own.x }}{% endfor %}"
                                     "{% endstate %}"})  # fmt: skip
    given = f"prompts report {tmp_path} --placeholder _TEAM"
    first = ok(NOWHERE, f"{given} --save {tmp_path}/before.json")
    assert first.err == ""
    (tmp_path / "p.md").write_text(text + "words " * 99)
    assert ok(NOWHERE, f"{given} --against {tmp_path}/before.json").out.endswith("% more\n")


def test_what_cannot_be_measured_is_named(tmp_path: Path) -> None:
    """A text may be another for each rank where it reads the rank itself."""
    folder(tmp_path, {"p.md": "---\ntype: llm\n---\n{% for i in range(_MODEL_POWER_RANK) %}a {% endfor %}"})
    found = ok(NOWHERE, f"prompts report {tmp_path} --json").data
    assert found["prompts"] == []
    assert found["skipped"]["p.md"].startswith("p.md:4: _MODEL_POWER_RANK is read otherwise than compared")


def test_like_is_held_to_like(tmp_path: Path) -> None:
    """Where intervals have changed they are parted, and ranks that a prompt never asks for are left out."""
    head = "---\ntype: llm\nrequest: {{min_power: {}, max_power: 900}}\n---\n"
    text = "{{% if _MODEL_POWER_RANK < {} %}}weak words and more{{% else %}}strong{{% endif %}}"
    prompts = folder(tmp_path / "prompts", {"p.md": head.format(20) + text.format(100), "q.md": "q"})
    ok(NOWHERE, f"prompts report {prompts} --save {tmp_path}/before.json")
    folder(prompts, {"p.md": head.format(50) + text.format(300), "q.md": "q", "r.md": ""})
    found = ok(NOWHERE, f"prompts report {prompts} --against {tmp_path}/before.json --json").data["prompts"]
    sizes = [(row["low"], row["high"], row["before"], row["tokens"]["o200k"]["n"]) for row in found]
    assert sizes == [(50, 99, 4, 4), (100, 299, 1, 4), (300, 900, 1, 1), (1, None, 1, 1), (1, None, None, 0)]
    said = ok(NOWHERE, f"prompts report {prompts} --against {tmp_path}/before.json").out.splitlines()
    assert [line.split()[3] for line in said[1:5]] == ["same", "+300%", "same", "same"]
    assert "█" not in said[5]
    assert said[-1] == "7 tokens before, 10 now, in the same intervals: 43% more"
    folder(prompts, {"p.md": head.format(50).replace("900", "300") + text.format(300)})
    (prompts / "q.md").unlink()
    again = ok(NOWHERE, f"prompts report {prompts} --against {tmp_path}/before.json --json").data
    assert [(row["low"], row["high"]) for row in again["prompts"]] == [(50, 99), (100, 299), (300, 300), (1, None)]
    assert again["gone"] == ["q.md"]
    folder(prompts, {"p.md": head.format(50).replace(", max_power: 900", "") + text.format(300)})
    more = ok(NOWHERE, f"prompts report {prompts} --against {tmp_path}/before.json")
    assert [line.split()[1:4] for line in more.out.splitlines()[3:5]] == [["300–900", "1", "same"], ["901–", "1", "–"]]
    assert "q.md is in the report before, and not compared\n" in more.err
    told = run(NOWHERE, f"prompts report {prompts} --against {tmp_path}/before.json --tokenizer estimate")
    assert (told.code, told.out) == (2, "")
    assert "was counted with o200k, and this one with estimate" in told.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--tokenizer o200", "--tokenizer 'o200' is unknown"),
        ("--against {root}/p.md", "p.md is no JSON"),
        ("--against {root}/list.json", "list.json holds something else"),
        ("--data {root}/list.json", "holds something else"),
        ("--data {root}/of-q.json", "there are samples for 'q', which is no prompt that is rendered"),
        ("--against {root}/of-q.json", "of-q.json holds something else"),
        ("--data {root}/no.json", "no.json cannot be read"),
        ("--save {root}/no/such.json", "cannot be written: No such file"),
    ],
)
def test_what_is_no_report_is_told(tmp_path: Path, options: str, told: str) -> None:
    """And what is no tokenizer, and no sample."""
    folder(tmp_path, {"p.md": "x", "list.json": "[1]", "of-q.json": '{"q": {}}'})
    said = run(NOWHERE, f"prompts report {tmp_path} {options.format(root=tmp_path)}")
    assert said.code == 2
    assert told in said.err
