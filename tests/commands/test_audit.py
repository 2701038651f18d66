"""catalog audit: it checks without changing anything, corrects deliberately, verifies, and reads the log."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from catalog.settings import sqlite_path
from tests.command_line import findings, head, ok, ranks, run
from tests.store import sample

pytest_plugins = ["tests.seeded"]

BY_HAND = "--rank 400 --low 390 --high 410 --source 'A review' --index-version 1 --as-of 2026-11-29"


def test_a_correction_by_hand_moves_only_that_rank(ranked_url: str) -> None:
    """With interval, provenance and reason; the log keeps the old rank beside the new one."""
    before = ranks(ranked_url)
    data = ok(ranked_url, f"audit correct grok-4-5 {BY_HAND} --reason 'A typing error' --json").data
    assert (data["slug"], data["power_rank"], data["head"]) == ("grok-4-5", 400, head(ranked_url))
    assert ranks(ranked_url) == {**before, "grok-4-5": (400, 390, 410, "A review", "1", "2026-11-29")}
    line = ok(ranked_url, "history grok-4-5 --json").data[-1]
    assert (line["action"], line["old_rank"], line["new_rank"]) == ("correction", 388, 400)
    assert (line["reason"], line["actor"]) == ("A typing error", "ann")
    assert ok(ranked_url, "why grok-4-5 --json").data["earlier_ranks"] == [388]
    assert findings(ranked_url) == ()


def test_a_correction_may_be_placed(ranked_url: str) -> None:
    """--place computes the number as add-model would, and moves only that rank."""
    ok(ranked_url, f"audit correct grok-4-5 {BY_HAND} --reason 'Set wrongly'")
    before = ranks(ranked_url)
    dry = ok(ranked_url, "audit correct grok-4-5 --place --reason 'Look again' --dry-run --json").data
    assert ranks(ranked_url) == before
    done = ok(ranked_url, "audit correct grok-4-5 --place --reason 'Look again' --json").data
    assert done == {**dry, "dry_run": False}
    after = ranks(ranked_url)
    assert {slug for slug in after if after[slug] != before[slug]} == {"grok-4-5"}
    assert abs(done["power_rank"] - 388) <= 8


def test_no_rank_of_a_closed_scale_reaches_100(ranked_sqlite: str) -> None:
    """By hand a rank goes where no placement may, up to the end of its scale and never beyond it."""
    high = BY_HAND.replace("400", "97").replace("390", "90").replace("410", "99")
    ok(ranked_sqlite, f"audit correct bge-reranker-v2-m3 {high} --reason 'Beyond all anchors'")
    assert ranks(ranked_sqlite)["bge-reranker-v2-m3"][:3] == (97, 90, 99)
    beyond = run(ranked_sqlite, f"audit correct bge-reranker-v2-m3 {high.replace('99', '100')} --reason R")
    assert beyond.code == 2 and "reranker ranks end at 99" in beyond.err


FORGED = {
    "no JSON": {"after": "not json"},
    "a list": {"after": "[1]"},
    "no scores": {"after": "{}", "scores": "garbage"},
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_line_is_answered_by_every_reader(ranked_url: str, name: str) -> None:
    """What a raw SQL shell can append with a fitting hash is told by verify and ends no command in a traceback."""
    with sample.shell(ranked_url) as execute:
        forged = {"old_rank": 230, "new_rank": 231, "low": 220, "high": 240, **FORGED[name]}
        execute(sample.rank_line(execute, "correction", "gpt-5", at="2026-11-30T00:00:01Z", **forged))
    assert run(ranked_url, "audit verify").code == 4
    placed = "add-model X --type llm --developer E --score aa@4.3=44.9 --as-of 2026-11-20 --dry-run"
    for command in ("why gpt-5", "audit check llm", "history gpt-5", placed):
        said = run(ranked_url, command)
        assert said.code in (0, 4) and "Traceback" not in said.err, (command, said)


def test_an_unranked_model_may_be_ranked_by_hand(ranked_url: str) -> None:
    """Where no placement is possible a person may give the first rank; it is an entry that nobody validated."""
    low = BY_HAND.replace("400", "60").replace("390", "50").replace("410", "70")
    ok(ranked_url, f"audit correct whisper-1 {low} --reason 'By a review'")
    assert ranks(ranked_url)["whisper-1"][:3] == (60, 50, 70)
    line = ok(ranked_url, "audit log whisper-1 --json").data[-1]
    assert (line["action"], line["method"], line["validated"]) == ("entry", "manual", 0)
    assert findings(ranked_url) == ()


def test_a_correction_needs_a_reason(ranked_sqlite: str) -> None:
    """Without one it is refused, blank or missing."""
    before = head(ranked_sqlite)
    for reason in ("", "--reason ''", "--reason '  '"):
        assert run(ranked_sqlite, f"audit correct grok-4-5 --place {reason}").code == 2
    assert head(ranked_sqlite) == before


def test_the_log_is_filtered_by_model_action_and_day(ranked_url: str) -> None:
    """Each filter alone and together; --jsonl prints lines as they are hashed."""
    ok(ranked_url, f"audit correct grok-4-5 {BY_HAND} --reason Test")
    ok(ranked_url, "edit grok-4-5 context_window=500001", CATALOG_NOW="2026-12-05T10:00:00Z")
    lines = ok(ranked_url, "audit log grok-4-5 --json").data
    assert [line["action"] for line in lines][-3:] == ["rebase", "correction", "model.edit"]
    for action, expected in (
        ("rank", {"rebase", "correction"}),
        ("correction", {"correction"}),
        ("model", {"model.add", "model.edit"}),
    ):
        found = ok(ranked_url, f"audit log grok-4-5 --action {action} --json").data
        assert {line["action"] for line in found} == expected
    since = ok(ranked_url, "audit log --since 2026-12-01 --jsonl").out.splitlines()
    assert [json.loads(line)["action"] for line in since] == ["model.edit"]
    assert json.loads(since[0])["hash"] == head(ranked_url)
    assert run(ranked_url, "audit log --since 2027-01-01").code == 3
    table = ok(ranked_url, "audit log grok-4-5").out.splitlines()
    assert "388 → 400 (390–410)" in table[-2]


def test_a_model_s_log_holds_its_scores(ranked_url: str) -> None:
    """A score names a label, not a model; the history of the model that owns the label tells it all the same."""
    ok(ranked_url, "score add aa@4.3=23.5 --label gpt-5 --as-of 2026-11-20 --effort high")
    for command in ("history gpt-5", "audit log gpt-5 --action score"):
        assert "aa@4.3 gpt-5 = 23.5" in ok(ranked_url, command).out.splitlines()[-1]
    assert ok(ranked_url, "history gpt-5 --json").data[-1]["action"] == "score.add"


def test_a_label_that_moved_is_told(ranked_url: str) -> None:
    """A re-pointed label is a finding, a warning where the rank of its former owner rests on its scores."""
    ok(ranked_url, "alias add deepseek-v4-flash-0420 artificial-analysis:deepseek-v4-flash --move --effort max")
    ok(ranked_url, "alias add gpt-5 artificial-analysis:new-label")
    ok(ranked_url, "alias add gpt-5-mini artificial-analysis:new-label --move")
    moved = [row for row in check(ranked_url) if row["code"] == "label-moved"]
    assert [(row["severity"], row["models"]) for row in moved] == [
        ("warning", ["deepseek-v4-flash-0420", "deepseek-v4-flash-0731"]),
        ("info", ["gpt-5-mini", "gpt-5"]),
    ]


def test_verify_counts_and_names_the_head(ranked_url: str) -> None:
    """A sound catalog verifies with 0, and an earlier head is found inside the log."""
    earlier = head(ranked_url)
    ok(ranked_url, "edit gpt-5 context_window=400000")
    data = ok(ranked_url, "audit verify --json --head", earlier).data
    assert (data["findings"], data["head"]) == ([], head(ranked_url))
    assert data["models"] == len(ranks(ranked_url))
    assert "chain, replay, tables and guards agree" in ok(ranked_url, "audit verify").out


def test_a_cut_tail_is_revealed_by_a_noted_head(ranked_sqlite: str) -> None:
    """Whoever may drop a trigger may cut the log; only a head noted elsewhere tells."""
    path = sqlite_path(ranked_sqlite)
    assert path is not None
    ok(ranked_sqlite, "score add aa@4.3=44.9 --label tail --as-of 2026-11-20")
    noted = head(ranked_sqlite)
    guards = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('change_log', 'score')"
    shell = sqlite3.connect(path)
    held = shell.execute(guards).fetchall()
    for name, _ in held:
        shell.execute(f"DROP TRIGGER {name}")
    shell.execute("DELETE FROM score WHERE id = (SELECT max(seq) FROM change_log)")
    shell.execute("DELETE FROM change_log WHERE seq = (SELECT max(seq) FROM change_log)")
    for _, sql in held:
        shell.execute(sql)
    shell.commit()
    shell.close()
    assert run(ranked_sqlite, "audit verify").code == 0
    said = run(ranked_sqlite, "audit verify --head", noted)
    assert said.code == 4 and "cut off" in said.out and len(said.err.splitlines()) <= 2


@pytest.mark.parametrize(("fail_on", "counted"), [("info", 3), ("warning", 2), ("error", 1), ("never", 0)])
def test_check_fails_at_or_above_a_severity(ranked_sqlite: str, fail_on: str, counted: int) -> None:
    """Exit 4 exactly where something of that severity or worse was found; the findings are printed either way."""
    said = run(ranked_sqlite, f"audit check llm --fail-on {fail_on} --json")
    names = ("error", "warning", "info")[:counted]
    assert said.code == (4 if any(row["severity"] in names for row in said.data) else 0)
    assert said.data and {"severity", "code", "models", "message"} <= set(said.data[0])


def test_check_grows_worse_when_a_rank_is_set_against_the_evidence(ranked_url: str) -> None:
    """A model moved 300 ranks above what three publishers say is an error that names it."""
    assert not [row for row in check(ranked_url) if row["severity"] == "error" and "grok-4-5" in row["models"]]
    ok(
        ranked_url,
        "audit correct deepseek-v4-flash-0420 --rank 590 --low 585 --high 595 --source Legacy --index-version 1"
        " --as-of 2026-01-01 --reason Test",
    )
    said = run(ranked_url, "audit check llm --json")
    named = [row for row in said.data if "deepseek-v4-flash-0420" in row["models"]]
    assert said.code == 4 and "error" in {row["severity"] for row in named}


def test_check_changes_nothing(ranked_sqlite: str) -> None:
    """Not a byte of the file, in any format."""
    path = Path(str(sqlite_path(ranked_sqlite)))
    before = path.read_bytes()
    for form in ("", "--json", "--jsonl", "--csv"):
        assert run(ranked_sqlite, f"audit check --fail-on never {form}").code == 0
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def check(url: str) -> list[dict[str, Any]]:
    """Return the findings about language models."""
    found: list[dict[str, Any]] = run(url, "audit check llm --json --fail-on never").data
    return found
