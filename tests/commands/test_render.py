"""catalog render: a model is chosen first, then the prompt is written for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import ok, run
from tests.renderer.estates import ESTATE, folder

pytest_plugins = ["tests.seeded"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of prompts, with data beside it."""
    folder(
        tmp_path, {**ESTATE, "data.json": '{"rows": [{"id": 1, "status": "open"}]}', "state.json": '{"payload": [1]}'}
    )
    return tmp_path


def test_the_prompt_is_written_for_the_model_that_is_chosen(ranked_sqlite: str, root: Path) -> None:
    """Messages on stdout; whom they are for, and what they depend on, beside."""
    given = f"--root {root} --data {root}/data.json --state {root}/state.json"
    said = ok(ranked_sqlite, f"render clerk {given}")
    assert said.out.startswith("You are Claude Opus 5.5.\nUse forEach.\nYou look after Orders.\n- 1: open\n")
    assert "Payload: [1]\n" in said.out
    assert "clerk.md for claude-opus-5-5 by" in said.err
    assert "loop.md:11: _MODEL_POWER_RANK < 100 is false: follows the protocol without a worked example" in said.err
    weak = ok(ranked_sqlite, f"render clerk {given} --model gpt-4o")
    assert "A worked example." in weak.out
    assert "is true: follows the protocol" in weak.err


def test_a_request_of_a_vendors_form_is_printed(ranked_sqlite: str, root: Path) -> None:
    """From a history, with the sections that are asked for; data from stdin."""
    (root / "history.json").write_text(json.dumps([{"role": "user", "content": "hello"}]))
    given = f"--root {root} --data - --state {root}/state.json --history {root}/history.json"
    for form, key in (("anthropic", "system"), ("openai", "messages"), ("gemini", "systemInstruction")):
        said = ok(ranked_sqlite, f"render clerk {given} --for {form} --section foreach=false", stdin=b'{"rows": []}')
        assert key in said.data
        assert "hello" in said.out
        assert "forEach" not in said.out


def test_all_of_a_rendering_is_told_as_json(ranked_sqlite: str, root: Path) -> None:
    """Segments with their lines and hashes, thresholds with their claims, the head of the catalog."""
    found = ok(
        ranked_sqlite, f"render clerk --root {root} --data {root}/data.json --state {root}/state.json --json"
    ).data
    assert (found["prompt"], found["model"], found["power_rank"]) == ("clerk.md", "claude-opus-5-5", 576)
    assert len(found["head"]) == len(found["memo_key"]) == len(found["sha256"]) == 64
    assert found["segments"][0] == {
        "stability": "static", "file": "loop.md", "line": 8,
        "chars": found["segments"][0]["chars"], "sha256": found["segments"][0]["sha256"],
    }  # fmt: skip
    assert found["thresholds"][0]["eval"] == "protocol/terse"
    assert [own["is_state"] for own in found["messages"]] == [False, True]


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        ("clerk --data {root}/data.json --for claude", 2, "--for 'claude' is unknown"),
        ("clerk --data {root}/no.json", 2, "no.json"),
        ("clerk --data {root}/loop.md", 2, "is no JSON"),
        ("clerk --history {root}/data.json", 2, "--history"),
        ("clerk --section foreach", 2, "--section 'foreach' is not understood"),
        ("clerk --section foreach=yes", 2, "--section 'foreach=yes' is not understood"),
        ("clerk --data {root}/data.json --section x=true", 2, "there is no section 'x'"),
        ("clerk", 2, "clerk.md:6: data has no 'rows', a list"),
        ("cler", 2, "there is no prompt file 'cler.md'"),
        ("clerk --model no-such", 2, "--model: there is no model 'no-such'"),
        ("clerk --model a@@", 2, "--model 'a@@' is not understood"),
        ("clerk --prefer power", 2, "--prefer 'power' is no preference"),
        ("clerk --min-power 5000", 3, "no candidate is left for clerk\n  Most were rejected by min_power"),
        ("clerk --interfaces no.such.module", 2, "--interfaces 'no.such.module' cannot be imported: Module"),
    ],
)  # fmt: skip
def test_what_cannot_be_rendered_ends_in_one_message(
    ranked_sqlite: str, root: Path, options: str, code: int, told: str
) -> None:
    """That names the value, the file and the line."""
    said = run(ranked_sqlite, f"render {options.format(root=root)} --root {root}")
    assert (said.code, said.out) == (code, "")
    assert told in said.err


def test_what_a_file_asks_for_is_named_as_the_file_does(ranked_sqlite: str, tmp_path: Path) -> None:
    """And not as an option of the command, which nobody gave."""
    for asked, told in (("{foo: 1}", "there is no field 'foo'"), ("{max_price_in: 3.5}", "max_price_in 3.5 is")):
        folder(tmp_path, {"p.md": f"---\ntype: llm\nrequest: {asked}\n---\nx"})
        said = run(ranked_sqlite, f"render p --root {tmp_path}")
        assert said.code == 2
        assert f"p.md:3: request: {told}" in said.err
        assert "--" not in said.err


def test_a_prompt_without_a_type_is_written_for_a_model_that_is_named(ranked_sqlite: str, tmp_path: Path) -> None:
    """Whose type it is of; what keeps a named model out is told, and not what keeps out all others."""
    folder(tmp_path, {"p.md": "For {{ _MODEL_TYPE }}."})
    assert ok(ranked_sqlite, f"render p --root {tmp_path} --model gpt-4o").out == "For llm.\n"
    assert "no model type is named" in run(ranked_sqlite, f"render p --root {tmp_path}").err
    said = run(ranked_sqlite, f"render p --root {tmp_path} --model gpt-4o --min-power 900")
    assert said.code == 3
    assert "Most were rejected by min_power" in said.err
    assert "such as gpt-4o by " in said.err
    by_azure = f"render p --root {tmp_path} --model gpt-4o@azure --min-power 900"
    assert "by azure: power" in run(ranked_sqlite, by_azure).err
    none = run(ranked_sqlite, f"render p --root {tmp_path} --model nope")
    assert (none.code, "--model: there is no model 'nope'" in none.err) == (2, True)


def test_types_of_a_module_are_shown(ranked_sqlite: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pydantic models by their names."""
    monkeypatch.syspath_prepend(root)
    (root / "shown_types.py").write_text("from pydantic import BaseModel\nclass Reply(BaseModel):\n    done: bool\n")
    (root / "p.md").write_text("---\ntype: llm\n---\n{{ interface('Reply') }}\n")
    said = ok(ranked_sqlite, f"render p --root {root} --interfaces shown_types")
    assert said.out == "interface Reply {\n  done: boolean\n}\n"


def test_a_text_that_no_window_takes_is_refused(ranked_sqlite: str, root: Path) -> None:
    """Naming tokens and window, and the option that finds a larger one."""
    (root / "long.json").write_text(json.dumps({"rows": [{"id": 1, "status": "word " * 300_000}]}))
    given = f"render clerk --root {root} --data {root}/long.json --state {root}/state.json --model gpt-4o"
    said = run(ranked_sqlite, given)
    assert (said.code, said.out) == (2, "")
    assert "clerk.md takes 300," in said.err
    assert "tokens, and gpt-4o by" in said.err
    assert "--needs-context 300" in said.err
    assert run(ranked_sqlite, f"{given} --needs-context 300100").code == 3


def test_tool_calls_of_a_history_are_shown(ranked_sqlite: str, root: Path) -> None:
    """Beside the texts, on the terminal and as JSON; the other options of select hold here, too."""
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history = [{"role": "assistant", "content": None, "tool_calls": [call]},
               {"role": "tool", "tool_call_id": "c", "content": "seen"}]  # fmt: skip
    (root / "history.json").write_text(json.dumps(history))
    given = (
        f"render clerk --root {root} --data {root}/data.json --state {root}/state.json --history {root}/history.json"
    )
    said = ok(ranked_sqlite, f"{given} --bound gpt-5-2 --require-bound --vendor-order openai")
    assert "[calls look {}]\n" in said.out
    assert "[result of c: seen]\n" in said.out
    assert "clerk.md for gpt-5-2 by openai" in said.err
    found = ok(ranked_sqlite, f"{given} --json").data
    assert [own["beside"] for own in found["messages"]][1:3] == [["calls look {}"], ["result of c: seen"]]
