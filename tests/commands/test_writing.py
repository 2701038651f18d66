"""The smaller verbs: rebase, score, alias, edit, retire, export, import, apply. Each prints the head."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from catalog.settings import sqlite_path
from tests.command_line import findings, head, ok, ranks, run

pytest_plugins = ["tests.seeded"]

ROW = ["type", "slug", "legacy_ordinal", "power_rank", "low", "high", "source", "index_version", "as_of"]


def test_rebase_plans_without_writing_and_applies_exactly_the_plan(legacy_url: str) -> None:
    """The plan's hash is asked for; another plan is refused, a second rebase too."""
    before = head(legacy_url)
    plan = ok(legacy_url, "rebase --json").data
    assert head(legacy_url) == before
    assert f"--apply {plan['plan']}" in ok(legacy_url, "rebase").out
    refused = run(legacy_url, f"rebase --apply {'0' * 64}")
    assert refused.code == 1 and plan["plan"][:12] in refused.err and head(legacy_url) == before
    applied = ok(legacy_url, f"rebase --apply {plan['plan']} --json").data
    assert applied["rows"] == plan["rows"] and applied["head"] == head(legacy_url)
    held = {slug: rank[0] for slug, rank in ranks(legacy_url).items() if rank[0] is not None}
    assert held == {row["slug"]: row["power_rank"] for row in plan["rows"]}
    assert run(legacy_url, f"rebase --apply {plan['plan']}").code == 3
    assert findings(legacy_url) == ()


def test_the_json_names_of_a_plan_are_stable(legacy_sqlite: str) -> None:
    """A row is a placement with its ordinal; the unranked have a reason, the surprising ones stand for sign-off."""
    plan = ok(legacy_sqlite, "rebase --type llm --json").data
    row = plan["rows"][0]
    assert [name for name in row if name in ROW] == ROW
    assert {"method", "flags", "neighbours", "anchors"} <= set(row)
    assert set(row["neighbours"]) == {"below", "above"}
    assert all(item["reason"] for item in plan["unranked"] + plan["signoff"])
    outliers = [item["slug"] for item in plan["signoff"] if item["reason"].startswith("outlier")]
    assert outliers == ["deepseek-v4-flash-0420"]
    legacy = [row for row in plan["rows"] if row["method"].startswith("legacy")]
    assert legacy and {(row["source"], row["index_version"], row["as_of"]) for row in legacy} == {
        ("MemberJunction legacy ordinal", "25bb295e", "2026-10-05")
    }


def test_a_changed_catalog_makes_another_plan(legacy_sqlite: str) -> None:
    """What was signed off is what is applied, or nothing."""
    plan = ok(legacy_sqlite, "rebase --type llm --json").data["plan"]
    ok(legacy_sqlite, "score add aa@4.3=10 --label claude-opus-5 --as-of 2026-11-20 --effort max")
    said = run(legacy_sqlite, f"rebase --type llm --apply {plan}")
    assert said.code == 1 and "nothing was written" in said.err
    assert not any(rank[0] for rank in ranks(legacy_sqlite).values())


@pytest.mark.parametrize(
    "command",
    [
        "score add aa@4.3=44.9 --label x-max --as-of 2026-11-20 --effort max",
        "alias add gpt-5 artificial-analysis:gpt-5-another --effort low",
        "alias add gpt-5 artificial-analysis:claude-opus-5-5 --move --effort max",
        "edit gpt-5 context_window=410,000 note='Two facts at once'",
        "edit gpt-5 --offer openai api_name=gpt-5-2026",
        "edit gpt-5 --offer groq api_name=gpt-5 priority=3",
        "retire gpt-5 --on 2026-11-29",
        "audit correct gpt-5 --rank 231 --low 220 --high 240 --source Review --index-version 1 --as-of 2026-11-20 "
        "--reason 'Look again'",
        "release add aa@4.4 --like aa@4.3 --published 2026-11-29",
        "price add gpt-5 openai --input 1 --output 9 --source openai.com --as-of 2026-11-30",
        "add-model X --type llm --developer Example --score aa@4.3=44.9 --as-of 2026-11-20",
    ],
)
def test_every_write_has_a_dry_run_a_line_and_a_head(ranked_sqlite: str, command: str) -> None:
    """--dry-run tells the same lines and the head to come; the write prints its head as text and as JSON."""
    before, held = head(ranked_sqlite), ranks(ranked_sqlite)
    dry = ok(ranked_sqlite, command + " --dry-run --json").data
    assert head(ranked_sqlite) == before and dry["dry_run"] is True and dry["lines"]
    done = ok(ranked_sqlite, command + " --json").data
    assert {**dry, "dry_run": False} == done
    assert done["head"] == head(ranked_sqlite) != before
    after = ranks(ranked_sqlite)
    assert {slug for slug in held if after[slug] != held[slug]} <= {"gpt-5"}
    assert findings(ranked_sqlite) == ()


def test_a_new_release_takes_over_what_it_has_in_common(ranked_url: str) -> None:
    """--like lends index, publisher, space, bounds and error; the version comes from the key."""
    ok(ranked_url, "release add aa@4.4 --like aa@4.3 --published 2026-11-29")
    old, new = (
        next(row for row in ok(ranked_url, "release list llm --json").data if row["key"] == key)
        for key in ("aa@4.3", "aa@4.4")
    )
    assert new == {**old, "key": "aa@4.4", "version": "4.4", "published": "2026-11-29"}
    assert old["standard_error"] == "0.5"


def test_a_new_price_ends_the_one_before(ranked_url: str) -> None:
    """No day has two prices, and none is overwritten."""
    ok(ranked_url, "price add gpt-5 openai --input 1.00 --output 9 --source openai.com --as-of 2026-11-30")
    prices = ok(ranked_url, "price list gpt-5 --vendor openai --json").data
    assert [(row["input"], row["valid_from"], row["valid_to"]) for row in prices] == [
        ("1.25", "2026-01-08", "2026-11-30"),
        ("1", "2026-11-30", None),
    ]
    assert findings(ranked_url) == ()


def test_a_price_is_never_overwritten(ranked_sqlite: str, tmp_path: Path) -> None:
    """An amount edited in a file is refused; a new price is the way."""
    ok(ranked_sqlite, "export", str(tmp_path / "files"))
    path = tmp_path / "files" / "models" / "llm" / "gpt-5.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"input": "1.25"', '"input": "1"'), encoding="utf-8")
    said = run(ranked_sqlite, "apply", str(tmp_path / "files"))
    assert said.code == 1 and "never overwritten" in said.err and "catalog price add gpt-5" in said.err


def test_a_price_of_the_future_is_not_shown_as_todays(ranked_sqlite: str) -> None:
    """A price that was announced holds from its day on."""
    announced = "price add gpt-5 openai --input 7 --source S --as-of 2026-11-20 --valid-from 2027-01-01"
    ok(ranked_sqlite, announced)
    shown = [line for line in ok(ranked_sqlite, "show gpt-5").out.splitlines() if line.startswith("openai ")]
    assert "1.25 / 10 USD" in shown[0]


def test_labels_without_a_model_are_named(ranked_sqlite: str) -> None:
    """A score nobody owns counts for nothing, so it is said, as text and as data."""
    command = "score add aa@4.3=12 --label nobody-9 --as-of 2026-11-20"
    assert ok(ranked_sqlite, command + " --json --dry-run").data["unmatched"] == ["artificial-analysis:nobody-9"]
    assert "no model owns artificial-analysis:nobody-9" in ok(ranked_sqlite, command).err


def test_a_retired_model_is_retired_once_and_never_while_proposed(ranked_sqlite: str) -> None:
    """The second retirement and that of a proposed model are refused with the way out."""
    ok(ranked_sqlite, "retire gpt-5")
    assert "was retired on 2026-11-30 already" in run(ranked_sqlite, "retire gpt-5").err
    ok(ranked_sqlite, "add-model X --type llm --developer E --score aa@4.3=44.9 --as-of 2026-11-20 --propose")
    said = run(ranked_sqlite, "retire x")
    assert said.code == 1 and "catalog lock x --withdraw" in said.err


def test_a_write_that_changes_nothing_says_so(ranked_sqlite: str) -> None:
    """Nothing is written and the head stays."""
    before = head(ranked_sqlite)
    said = ok(ranked_sqlite, "edit gpt-5 status=active")
    assert said.err == f"nothing to change; head {before}\n"


def test_a_moved_label_moves_no_rank(ranked_url: str) -> None:
    """A vendor re-points a label to another build: the label follows, ranks stay with the builds."""
    before = ranks(ranked_url)
    ok(ranked_url, "alias add deepseek-v4-flash-0420 artificial-analysis:deepseek-v4-flash --move --effort max")
    assert ranks(ranked_url) == before
    assert "deepseek-v4-flash" in [
        row["label"] for row in ok(ranked_url, "alias list deepseek-v4-flash-0420 --json").data
    ]


def test_scores_are_imported_once(ranked_url: str, tmp_path: Path) -> None:
    """What is there already is counted, not doubled; no rank moves."""
    before = ranks(ranked_url)
    (tmp_path / "scores.csv").write_text(
        "release,label,value,as_of,effort,estimated\n"
        "aa@4.3,gpt-5,23.1,2026-11-20,high,no\naa@4.3,nobody,12,2026-11-20,,yes\n"
    )
    first = ok(ranked_url, f"score import {tmp_path}/scores.csv --json").data
    again = ok(ranked_url, f"score import {tmp_path}/scores.csv --json").data
    assert (first["added"], first["present"], again["added"], again["present"]) == (2, 0, 0, 2)
    assert again["head"] == first["head"] == head(ranked_url)
    rows = ok(ranked_url, "score list --release aa@4.3 --json").data
    assert [row["model"] for row in rows if row["as_of"] == "2026-11-20"] == ["gpt-5", None]
    assert ranks(ranked_url) == before


def test_a_retired_model_anchors_nobody(ranked_sqlite: str) -> None:
    """It keeps its rank, and the next newcomer is placed without it."""
    add = "add-model X --type llm --developer E --score aa@4.3=44.9 --as-of 2026-11-20 --dry-run --json"
    below = ok(ranked_sqlite, add).data["neighbours"]["below"]
    rank = ranks(ranked_sqlite)[below]
    ok(ranked_sqlite, f"retire {below}")
    after = ok(ranked_sqlite, add).data
    assert below not in after["anchors"] and after["neighbours"]["below"] != below
    assert ranks(ranked_sqlite)[below] == rank


def test_an_export_comes_back_byte_for_byte(ranked_url: str, sqlite_database: str, tmp_path: Path) -> None:
    """Either database exports the same files, and an import of them exports them again."""
    ok(ranked_url, "add-model X --type llm --developer Example --score aa@4.3=44.9 --as-of 2026-11-20")
    ok(ranked_url, "export", str(tmp_path / "one"))
    copy = f"{sqlite_database}.copy"
    ok(copy, "init --empty")
    ok(copy, "import", str(tmp_path / "one"))
    ok(copy, "export", str(tmp_path / "two"))
    one, two = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert one == two and len(one) > 300
    assert head(copy) == head(ranked_url) and ranks(copy) == ranks(ranked_url)


def test_an_import_goes_forward_or_nowhere(ranked_sqlite: str, tmp_path: Path) -> None:
    """A log that begins with the catalog's lines is followed; one that differs is refused at the first line."""
    started = f"{ranked_sqlite}.started"
    shutil.copyfile(str(sqlite_path(ranked_sqlite)), str(sqlite_path(started)))
    ok(ranked_sqlite, "edit gpt-5 note=First")
    ok(ranked_sqlite, "export", str(tmp_path / "files"))
    ok(started, "import", str(tmp_path / "files"))
    assert head(started) == head(ranked_sqlite)
    ok(started, "edit gpt-5 note=Ours")
    ok(ranked_sqlite, "edit gpt-5 note=Theirs")
    ok(ranked_sqlite, "export", str(tmp_path / "files"))
    before = head(started)
    said = run(started, "import", str(tmp_path / "files"))
    assert said.code == 1 and "differ from line" in said.err and head(started) == before


def test_an_export_does_not_write_over_edits(ranked_sqlite: str, tmp_path: Path) -> None:
    """An edit that was never applied is refused, whether changed or deleted; a half-written export is repaired."""
    files = tmp_path / "files"
    ok(ranked_sqlite, "export", str(files))
    path = files / "models" / "llm" / "gpt-5.json"
    text = path.read_text(encoding="utf-8")
    for edited in (text.replace('"GPT-5"', '"GPT 5"'), None):
        path.write_text(edited, encoding="utf-8") if edited else path.unlink()
        said = run(ranked_sqlite, "export", str(files))
        assert said.code == 1 and "gpt-5.json was edited and never applied" in said.err
    path.write_text(text, encoding="utf-8")
    ok(ranked_sqlite, "edit gpt-5 note=New")
    dry = ok(ranked_sqlite, "export --dry-run --json", str(files)).data
    assert dry["written"] == ["models/llm/gpt-5.json"] and dry["removed"] == []
    assert path.read_text(encoding="utf-8") == text
    other = tmp_path / "other"
    ok(ranked_sqlite, "export", str(other))
    shutil.copyfile(other / "models" / "llm" / "gpt-5.json", path)  # killed before the log was put in place
    ok(ranked_sqlite, "export", str(files))
    assert (files / "log.jsonl").read_bytes() == (other / "log.jsonl").read_bytes()


def test_hand_made_edits_are_applied_and_ranks_in_files_are_not(ranked_sqlite: str, tmp_path: Path) -> None:
    """A fact edited in a file becomes a line; a rank edited in a file is refused and names the deliberate way."""
    files = tmp_path / "files"
    ok(ranked_sqlite, "export", str(files))
    path = files / "models" / "llm" / "gpt-5.json"
    text = path.read_text(encoding="utf-8")
    before = head(ranked_sqlite)
    path.write_text(text.replace('"power_rank": 230', '"power_rank": 600'), encoding="utf-8")
    said = run(ranked_sqlite, "apply", str(files))
    assert said.code == 1 and "audit correct gpt-5" in said.err and head(ranked_sqlite) == before
    data = json.loads(text)
    data["note"] = "Edited by hand"
    path.write_text(json.dumps(data), encoding="utf-8")
    ok(ranked_sqlite, "apply", str(files))
    assert ok(ranked_sqlite, "show gpt-5 --json").data["note"] == "Edited by hand"
    assert ok(ranked_sqlite, "apply --json", str(files)).data["lines"] == []
    assert findings(ranked_sqlite) == ()
