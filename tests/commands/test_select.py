"""catalog select and catalog snapshot, as a person and as a program use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import NOW, ok, run
from tests.commands import terminal

pytest_plugins = ["tests.seeded"]


def test_the_choice_is_told_with_its_order_and_what_is_out(ranked_url: str) -> None:
    """The short answer: what, by which vendor, on which facts, in which order, and how many are out for what."""
    lines = ok(ranked_url, "select --type llm --min-power 500").out.splitlines()
    assert lines[0] == "Claude Opus 5.5 (claude-opus-5-5) by openrouter"
    assert lines[1] == "facts      power 576 (567–585), 4 / 20 USD per 1M tokens, context 1,000,000"
    assert lines[2] == "order      highest PowerRank first"
    assert lines[3].startswith("rejected   ")
    assert "min_power" in lines[3]


def test_the_json_is_the_decision(ranked_url: str) -> None:
    """Stable names, the day of the prices, the head; the same bytes each time."""
    said = ok(
        ranked_url, "select --type llm --min-power 300 --prefer balanced --needs-context 200000 --max-price-in 3 --json"
    )
    assert list(said.data) == ["request", "chosen", "candidates", "rejected", "rule", "head"]
    assert said.data["request"] == {
        "type": "llm",
        "prefer": "balanced",
        "min_power": 300,
        "input_tokens": 200000,
        "status": ["active"],
        "max_price_in": "3",
        "as_of": NOW[:10],
    }
    assert said.data["chosen"] == said.data["candidates"][0]
    assert (
        said.out
        == ok(
            ranked_url,
            "select --max-price-in 3.00 --needs-context 200000 --prefer balanced --min-power 300 --type llm --json",
        ).out
    )


def test_bound_models_are_understood(ranked_sqlite: str) -> None:
    """MODEL, MODEL@VENDOR and MODEL=PRIORITY; without a fallback nothing else is a candidate."""
    said = ok(ranked_sqlite, "select --type llm --bound gpt-6-sol,claude-fable-5@anthropic=7 --require-bound --json")
    routes = [(candidate["model"], candidate["vendor"]) for candidate in said.data["candidates"]]
    assert routes[0] == ("claude-fable-5", "anthropic")
    assert {model for model, _ in routes[1:]} == {"gpt-6-sol"}
    refused = run(ranked_sqlite, "select --type llm --bound gpt-6-sol=high")
    assert (refused.code, "'gpt-6-sol=high' is not understood" in refused.err) == (2, True)


def test_an_empty_decision_ends_in_3_and_says_why(ranked_sqlite: str) -> None:
    """The decision is printed all the same, and the message names what rejected most."""
    said = run(ranked_sqlite, "select --type llm --min-power 900 --json")
    assert said.code == 3
    assert said.data["chosen"] is None
    assert "no candidate is left" in said.err
    assert "min_power" in said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--type lml", "--type: there is no type 'lml'"),
        ("--type llm --min-power 500 --max-power 200", "--min-power 500 is above --max-power 200"),
        ("--type llm --bound gpt-6-sool", "--bound: there is no model 'gpt-6-sool'"),
        ("--type llm --bound qwen3-embedding-8b", "--bound: qwen3-embedding-8b is of type embedding"),
        ("--type llm --only-vendors openai --never-vendors openai", "in --only-vendors and in --never-vendors"),
        ("--type llm --needs-context -5", "--needs-context -5"),
        ("--type llm --prefer best", "--prefer 'best' is no preference"),
        ("--type llm --max-price-in cheap", "--max-price-in: 'cheap' is not a number"),
        ("--type llm --as-of 2026-02", "--as-of '2026-02'"),
        ("--type llm --inputs ,", "',' names nothing"),
        ("--type llm --why-not gpt-5 --pareto", "exclude each other"),
        ("", "Missing option '--type'"),
    ],
)
def test_a_request_that_cannot_be_meant_ends_in_2(ranked_sqlite: str, words: str, told: str) -> None:
    """The field and the value are named, and nothing is printed as a result."""
    said = run(ranked_sqlite, f"select {words}")
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_why_not_answers_for_every_model_of_the_type(ranked_sqlite: str) -> None:
    """A rejected one: every reason of every offer; a candidate: its place; a name of no model: 3."""
    out = ok(ranked_sqlite, "select --type llm --min-power 300 --needs-context 500000 --why-not gpt-5").out
    assert out.splitlines()[:3] == [
        "gpt-5 is no candidate",
        "  gpt-5 by openrouter: power 230 < 300",
        "  gpt-5 by openrouter: context 272,000 < 500,000",
    ]
    said = ok(ranked_sqlite, "select --type llm --why-not claude-fable-5-1 --json")
    assert said.data["standing"] == 7
    assert said.data["rejections"] == []
    missing = run(ranked_sqlite, "select --type llm --why-not gpt-55")
    assert (missing.code, "there is no model 'gpt-55' of type llm" in missing.err) == (3, True)


def test_the_front_and_the_whole_explanation_are_printed(ranked_sqlite: str) -> None:
    """--pareto lists what nothing beats; --explain writes out every candidate and every rejection."""
    front = ok(ranked_sqlite, "select --type llm --pareto --json").data
    assert front[0]["model"] == "claude-opus-5-5"
    assert len(front) < 60
    out = ok(ranked_sqlite, "select --type reranker --explain").out
    decision = ok(ranked_sqlite, "select --type reranker --json").data
    assert len(out.splitlines()) == len(decision["candidates"]) + len(decision["rejected"]) + 3


def test_an_earlier_day_has_its_own_catalog_and_prices(ranked_sqlite: str) -> None:
    """--as-of reads the catalog as it was, and the prices of that day."""
    ok(ranked_sqlite, "retire claude-opus-5-5 --on 2026-12-01 --reason test", CATALOG_NOW="2026-12-02T00:00:00Z")
    later = {"CATALOG_NOW": "2026-12-03T00:00:00Z"}
    assert ok(ranked_sqlite, "select --type llm --json", **later).data["chosen"]["model"] == "claude-sonnet-5-5"
    then = ok(ranked_sqlite, "select --type llm --as-of 2026-11-30 --json", **later).data
    assert then["chosen"]["model"] == "claude-opus-5-5"
    assert then["request"]["as_of"] == "2026-11-30"


def test_a_table_fits_the_terminal(ranked_sqlite: str) -> None:
    """At 80 columns no line of the short answer is longer."""
    code, shown = terminal.on_terminal(ranked_sqlite, "select --type llm --prefer balanced")
    assert code == 0
    assert max(len(terminal.ANSI.sub("", line)) for line in shown.splitlines()) <= 80


class TestSnapshot:
    """The catalog as one file."""

    def test_a_program_selects_without_a_database(self, ranked_url: str, tmp_path: Path) -> None:
        """The decision from the file is the decision from the database."""
        file = str(tmp_path / "catalog.snapshot")
        ok(ranked_url, "snapshot save", file)
        words = "select --type llm --min-power 300 --json --snapshot"
        assert ok("nowhere.db", words, file).out == ok(ranked_url, words.removesuffix(" --snapshot")).out

    def test_show_says_whether_it_is_current(self, ranked_sqlite: str, tmp_path: Path) -> None:
        """Yes while the head is the catalog's; no after a write; unknown without a catalog."""
        file = str(tmp_path / "catalog.snapshot")
        saved = ok(ranked_sqlite, "snapshot save --json", file).data
        shown = ok(ranked_sqlite, "snapshot show --json", file).data
        assert (shown["current"], shown["sha256"], shown["head"]) == (True, saved["sha256"], saved["head"])
        assert {"type": "reranker", "models": 17, "ranked": 8, "offers": 5} in shown["types"]
        ok(ranked_sqlite, "edit gpt-5 note=seen --reason test")
        assert "no: the catalog has changed since" in ok(ranked_sqlite, "snapshot show", file).out
        assert "unknown" in ok(str(tmp_path / "none.db"), "snapshot show", file).out

    def test_bad_files_end_in_their_codes(self, ranked_sqlite: str, tmp_path: Path) -> None:
        """5 for what is missing or no snapshot, 4 for what was changed, 1 for a folder that cannot be written."""
        file = tmp_path / "catalog.snapshot"
        ok(ranked_sqlite, "snapshot save", str(file))
        file.write_text(file.read_text().replace("openai", "openax", 1))
        assert run(ranked_sqlite, "snapshot show", str(file)).code == 4
        assert run(ranked_sqlite, "select --type llm --snapshot", str(file)).code == 4
        assert run(ranked_sqlite, "snapshot show", str(tmp_path / "none")).code == 5
        said = run(ranked_sqlite, "snapshot save", str(tmp_path / "none" / "x"))
        assert said.code == 1
        assert "cannot be written" in said.err
