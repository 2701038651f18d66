"""catalog list, show, why and their kin: stable names, every format, any day, and a terminal's width."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.command_line import NOW, ok, ranks, run
from tests.commands.terminal import ANSI, in_shell, on_terminal

pytest_plugins = ["tests.seeded"]

MODEL = ["type", "slug", "name", "developer", "status", "power_rank", "low", "high", "source", "index_version", "as_of"]
ADD = "add-model 'Example 1' --type llm --developer Example --score aa@4.3=44.9 --as-of 2026-11-20"
ENDS_IN_A_HASH = re.compile(r"[0-9a-f]{64}$")
"""A hash is copied, so it is never folded; everything else is."""


def test_list_prints_the_same_models_in_every_format(ranked_url: str) -> None:
    """Stable names in a stable order, strongest first, unranked last, on either database."""
    rows = ok(ranked_url, "list llm --json").data
    assert all(list(row) == MODEL for row in rows)
    ranked = [row["power_rank"] for row in rows if row["power_rank"] is not None]
    assert [row["power_rank"] for row in rows][: len(ranked)] == sorted(ranked, reverse=True)
    assert rows[0]["slug"] == "claude-opus-5-5"
    assert [json.loads(line) for line in ok(ranked_url, "list llm --jsonl").out.splitlines()] == rows
    table = list(csv.DictReader(io.StringIO(ok(ranked_url, "list llm --csv").out)))
    assert list(table[0]) == MODEL
    assert [row["slug"] for row in table] == [row["slug"] for row in rows]
    assert len(ok(ranked_url, "list llm").out.splitlines()) == len(rows) + 1


def test_a_threshold_passes_ranked_models_only(ranked_sqlite: str) -> None:
    """At 1 every ranked model passes and no unranked one, at 500 the frontier, at 10,000 nobody with exit 3."""
    everyone, ranked = ok(ranked_sqlite, "list --json").data, ok(ranked_sqlite, "list --min-power 1 --json").data
    assert [row for row in everyone if row["power_rank"] is not None] == ranked
    assert len(ranked) < len(everyone)
    assert all(row["power_rank"] >= 500 for row in ok(ranked_sqlite, "list llm --min-power 500 --json").data)
    assert run(ranked_sqlite, "list llm --min-power 10000").code == 3


def test_a_status_chooses(ranked_sqlite: str) -> None:
    """A retired model keeps its rank and leaves the active ones."""
    ok(ranked_sqlite, "retire gpt-4o --on 2026-11-01")
    assert "gpt-4o" not in slugs(ranked_sqlite, "list llm --status active --json")
    assert "gpt-4o" in slugs(ranked_sqlite, "list llm --status retired --json")
    assert ranks(ranked_sqlite)["gpt-4o"][0] == 84


def test_any_day_can_be_asked_for(ranked_url: str) -> None:
    """The end of a day shows what was true then: before the model, before its correction, and after."""
    ok(ranked_url, ADD, CATALOG_NOW="2026-12-01T10:00:00Z")
    ok(
        ranked_url,
        "audit correct example-1 --rank 460 --low 450 --high 470 --source Review --index-version 1 --as-of 2026-12-02"
        " --reason Test",
        CATALOG_NOW="2026-12-03T10:00:00Z",
    )
    ok(ranked_url, "edit example-1 context_window=1000", CATALOG_NOW="2026-12-04T10:00:00Z")
    assert run(ranked_url, "show example-1 --as-of 2026-11-30").code == 3
    for day, rank, window in (("2026-12-01", 449, None), ("2026-12-03", 460, None), ("2026-12-04", 460, 1000)):
        shown = ok(ranked_url, f"show example-1 --json --as-of {day}").data
        assert (shown["power_rank"], shown["context_window"]) == (rank, window)
        assert "example-1" in slugs(ranked_url, f"list llm --min-power {rank} --json --as-of {day}")
    then, now = (ok(ranked_url, f"list --json {when}").data for when in ("--as-of 2026-12-04", ""))
    assert then == now
    assert "example-1" not in slugs(ranked_url, "list llm --json --as-of 2026-11-30")


def test_show_holds_everything_about_a_model(ranked_url: str) -> None:
    """The stable names first, then facts, aliases, offers with their prices; unknown is null, never 0."""
    data = ok(ranked_url, "show claude-opus-5 --json").data
    assert list(data)[: len(MODEL)] == MODEL
    assert {"space": "artificial-analysis", "label": "claude-opus-5", "scope": "", "effort": "max"} in data["aliases"]
    prices = [price for offer in data["offers"] for price in offer["prices"]]
    assert prices and all(isinstance(price["input"], str | None) for price in prices)
    text = ok(ranked_url, "show claude-opus-5").out
    assert "PowerRank 508 (499–517, 90 %)" in text and "offers" in text


def test_why_is_a_defensible_answer(ranked_sqlite: str) -> None:
    """Neighbours, evidence, interval, method, provenance and the line that locked it; also for the unranked."""
    data = ok(ranked_sqlite, "why deepseek-v4-flash-0420 --json").data
    assert (data["power_rank"], data["method"], data["legacy_ordinal"]) == (242, "base-map", 30)
    assert data["neighbours"] == {"below": "gpt-5-4-mini", "above": "gpt-5-1"}
    assert {"aa@4.3", "livebench@seen-2026-05-04"} & {score["release"] for score in data["evidence"]}
    text = ok(ranked_sqlite, "why deepseek-v4-flash-0420").out
    for words in ("242", "ordinal 30", "outlier", "gpt-5-1"):
        assert words in text
    unranked = ok(ranked_sqlite, "why betty").out
    assert "unranked" in unranked and "passes no threshold" in unranked


def test_why_after_a_correction_by_hand_invents_no_neighbours(ranked_sqlite: str) -> None:
    """A number set by hand stands between nobody; its reason is what there is to say."""
    ok(
        ranked_sqlite,
        "audit correct gpt-5 --rank 240 --low 230 --high 250 --source Review --index-version 1 --as-of 2026-11-20"
        " --reason 'The review of November'",
    )
    text = ok(ranked_sqlite, "why gpt-5").out
    assert "The review of November" in text and "set by hand" in text and "nothing of its type" not in text


@pytest.mark.parametrize("command", ["list llm", "show gpt-5", "why gpt-5", "history gpt-5", "audit check llm"])
def test_a_pipe_gets_plain_text(ranked_sqlite: str, command: str) -> None:
    """No escape codes and no ladder bars off a terminal, and no wrapping of a table to a width."""
    said = run(ranked_sqlite, command)
    assert "\x1b" not in said.out + said.err and "█" not in said.out


def test_nothing_is_wider_than_the_terminal(ranked_sqlite: str) -> None:
    """At 80 columns every table, fact and help page fits; only a line that ends in a hash may be longer."""
    commands = ("list", "show claude-opus-5", "why claude-opus-5", "audit log gpt-5", "score list --release aa@4.2")
    for command in (*commands, "audit check llm", "add-model --help", ADD + " --dry-run", "audit verify"):
        _, shown = on_terminal(ranked_sqlite, command)
        lines = [line.split("\r")[-1] for line in ANSI.sub("", shown).splitlines()]
        assert lines
        wide = [line for line in lines if len(line) > 80 and not ENDS_IN_A_HASH.search(line)]
        assert wide == [], command


def test_a_terminal_gets_a_ladder_and_no_color_is_honoured(ranked_sqlite: str) -> None:
    """The heading is underlined and each model has its bar; NO_COLOR leaves the bar and drops the codes."""
    code, shown = on_terminal(ranked_sqlite, "list llm --min-power 500")
    assert code == 0 and "\x1b[4m" in shown and "█" in shown
    code, plain = on_terminal(ranked_sqlite, "list llm --min-power 500", NO_COLOR="1")
    assert code == 0 and "\x1b" not in plain
    assert ANSI.sub("", shown) == plain


@pytest.mark.parametrize("command", ["list", "list --jsonl", "audit log", "audit log --jsonl", "score list"])
def test_a_broken_pipe_is_no_accident(ranked_sqlite: str, command: str) -> None:
    """``| head -1`` gets its line and nobody gets a traceback."""
    done = in_shell(ranked_sqlite, f"catalog {command} | head -1")
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


def test_the_demo_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tour runs in an empty folder, shows each command with its output, and keeps the folder empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    said = run("unused.db", "demo")
    assert said.code == 0, said
    for verb in ("init --legacy", "rebase --apply", "add-model", "why example-1", "audit verify"):
        assert f"$ catalog {verb}" in said.out
    assert "chain, replay, tables and guards agree" in said.out
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["tmp"]


def test_the_clock_can_be_fixed(ranked_sqlite: str) -> None:
    """Lines carry the time that CATALOG_NOW says."""
    ok(ranked_sqlite, "edit gpt-5 context_window=400001")
    assert ok(ranked_sqlite, "history gpt-5 --json").data[-1]["at"] == NOW


def slugs(url: str, command: str) -> list[str]:
    """Return the slugs a command lists."""
    return [row["slug"] for row in ok(url, command).data]
