"""catalog add-model and catalog lock: a newcomer is placed, shown, proven and locked, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import findings, head, ok, ranks, run
from tests.commands.terminal import in_shell, on_terminal

pytest_plugins = ["tests.seeded"]

EXAMPLE = "add-model 'Example 1' --type llm --developer Example --as-of 2026-11-20 --effort max"
MEASURED = EXAMPLE + " --score aa@4.3=44.9"
PLACEMENT = [
    "type",
    "slug",
    "power_rank",
    "low",
    "high",
    "source",
    "index_version",
    "as_of",
    "method",
    "release",
    "flags",
    "neighbours",
    "anchors",
]


def test_a_newcomer_is_locked_with_its_provenance_and_moves_nobody(ranked_url: str) -> None:
    """Neighbours, point, interval and proof are printed; rank, source, version and as-of are locked."""
    before = ranks(ranked_url)
    said = ok(ranked_url, MEASURED + " --context 400000 --offer openai=example-1")
    for text in ("PowerRank 449 (440–458, 90 %)", "qwen3-8-max-0902 (454)", "glm-5-3 (448)", "no other model's rank"):
        assert text in said.out
    assert said.err.splitlines()[-1] == f"head {head(ranked_url)}"
    locked = (449, 440, 458, "Artificial Analysis Intelligence Index", "4.3", "2026-11-20")
    assert ranks(ranked_url) == {**before, "example-1": locked}
    assert findings(ranked_url) == ()
    shown = ok(ranked_url, "show --json example-1").data
    assert (shown["context_window"], shown["offers"][0]["api_name"]) == (400000, "example-1")


def test_the_json_names_of_a_placement_are_stable(ranked_sqlite: str) -> None:
    """Programs read these names; a write adds the lines it wrote and the new head."""
    data = ok(ranked_sqlite, MEASURED + " --json").data
    assert [name for name in data if name in PLACEMENT] == PLACEMENT
    assert data["neighbours"] == {"below": "glm-5-3", "above": "qwen3-8-max-0902"}
    assert len(data["anchors"]) > 50 and "glm-5-3" in data["anchors"]
    assert (data["head"], data["dry_run"]) == (head(ranked_sqlite), False)


def test_a_dry_run_prints_exactly_the_lines_the_write_writes(ranked_url: str) -> None:
    """Same placement, same lines, same head to come; the catalog stays as it is."""
    before = head(ranked_url)
    dry = ok(ranked_url, MEASURED + " --dry-run")
    assert head(ranked_url) == before
    done = ok(ranked_url, MEASURED)
    assert dry.out == done.out
    *planned, would_be = dry.err.splitlines()
    *written, became = done.err.splitlines()
    assert [line.removeprefix("would write") for line in planned] == [line.removeprefix("wrote") for line in written]
    assert would_be.split()[-1] == became.split()[-1] == head(ranked_url)


def test_thresholds_that_the_interval_straddles_are_named(
    ranked_sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 and 500 by default, those of catalog.toml where it names others, none where none is straddled."""
    monkeypatch.chdir(tmp_path)
    near = EXAMPLE + " --score aa@4.3=49.9 --dry-run"
    assert "straddles the threshold 500" in ok(ranked_sqlite, near).out
    assert ok(ranked_sqlite, near + " --json").data["straddles"] == [500]
    assert "straddles" not in ok(ranked_sqlite, MEASURED + " --dry-run").out
    (tmp_path / "catalog.toml").write_text("thresholds = [450, 700]\n")
    assert ok(ranked_sqlite, near + " --json").data["straddles"] == []
    assert "straddles the threshold 450" in ok(ranked_sqlite, MEASURED + " --dry-run").out


def test_an_equal_score_ties(ranked_sqlite: str) -> None:
    """A newcomer with a ranked model's own score gets its rank, and the tie is flagged."""
    data = ok(ranked_sqlite, EXAMPLE + " --score aa@4.3=50.8 --dry-run --json").data
    assert (data["power_rank"], data["flags"], data["neighbours"]["below"]) == (508, ["tie"], "claude-opus-5")


def test_beyond_the_anchors_nothing_is_placed_unless_asked(ranked_url: str) -> None:
    """A score above or below all anchors is refused with the numbers; --extrapolate places it, wide and flagged."""
    before = head(ranked_url)
    above, below = EXAMPLE + " --score aa@4.3=90", EXAMPLE + " --score aa@4.3=1"
    for command, sides in ((above, "92 anchors below and 0 above"), (below, "0 anchors below and 92 above")):
        said = run(ranked_url, command)
        assert said.code == 1 and sides in said.err and "--extrapolate" in said.err
    assert head(ranked_url) == before
    usual = ok(ranked_url, MEASURED + " --json --dry-run").data
    far = ok(ranked_url, above + " --extrapolate --json").data
    assert far["power_rank"] > 800 and far["flags"] == ["extrapolated"] and far["neighbours"]["above"] is None
    assert far["high"] - far["low"] > 2 * (usual["high"] - usual["low"])


def test_language_models_are_not_clamped_at_a_thousand(ranked_sqlite: str) -> None:
    """The scale has no upper end."""
    data = ok(ranked_sqlite, EXAMPLE + " --score aa@4.3=100 --extrapolate --json").data
    assert data["high"] > 1000


def test_other_types_end_at_99(ranked_url: str) -> None:
    """A reranker beyond 99 is refused and needs a correction by hand."""
    before = head(ranked_url)
    said = run(
        ranked_url,
        "add-model R --type reranker --developer E --score agentset@2025-11=2400 --as-of 2026-11-20 --extrapolate",
    )
    assert said.code == 1 and "end at 99" in said.err and "audit correct" in said.err
    assert head(ranked_url) == before


def test_lower_is_better_is_turned_round(ranked_sqlite: str) -> None:
    """Of two speech recognisers the one with the lower error rate ranks higher."""
    add = "--type stt --developer E --as-of 2026-11-20 --dry-run --json --score"
    good = ok(ranked_sqlite, f"add-model G {add} open-asr@2026-03-26=5.8").data
    bad = ok(ranked_sqlite, f"add-model B {add} open-asr@2026-03-26=7.4").data
    assert good["power_rank"] > bad["power_rank"]


def test_the_highest_effort_speaks(ranked_sqlite: str, tmp_path: Path) -> None:
    """Whatever order the scores are given in, and however the lower effort scored."""
    scores = [score("44.9", effort="max"), score("48.0", effort="low")]
    found = []
    for number, order in enumerate((scores, scores[::-1])):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(record("Example 1", scores=[{**one, "label": one["effort"]} for one in order])))
        found.append(ok(ranked_sqlite, f"add-model --from {path} --dry-run --json").data["power_rank"])
    assert found == [449, 449]


def test_same_weights_share_the_rank(ranked_url: str) -> None:
    """A fast variant needs no score and gets rank, interval and provenance of its sibling."""
    said = ok(ranked_url, "add-model 'Opus 5 Turbo' --type llm --developer anthropic --same-weights-as claude-opus-5")
    assert "same-weights" in said.out
    assert ranks(ranked_url)["opus-5-turbo"] == ranks(ranked_url)["claude-opus-5"]
    assert "claude-opus-5 (now 508)" in ok(ranked_url, "why opus-5-turbo").out


def test_a_label_brings_the_scores_the_catalog_has(ranked_url: str) -> None:
    """Scores imported earlier place the model that the label is given to; an unknown label is answered, not guessed."""
    ok(ranked_url, "score add aa@4.3=44.9 --label newcomer-x-max --as-of 2026-11-20")
    near = run(ranked_url, "add-model 'Newcomer X' --type llm --developer E --label artificial-analysis:newcomer-x")
    assert near.code == 3 and "newcomer-x-max" in near.err
    add = "add-model 'Newcomer X' --type llm --developer E --effort max --label artificial-analysis:newcomer-x-max"
    assert ok(ranked_url, add + " --json").data["power_rank"] == 449
    assert ok(ranked_url, "alias list newcomer-x --json").data[0]["label"] == "newcomer-x-max"


def test_scores_of_another_label_are_not_taken_over(ranked_sqlite: str) -> None:
    """A newcomer whose slug is somebody's label is refused: API names are re-pointed, ranks are not."""
    before = head(ranked_sqlite)
    said = run(
        ranked_sqlite,
        "add-model 'DeepSeek V4 Flash' --type llm --developer deepseek --as-of 2026-11-20 --score aa@4.3=40",
    )
    assert said.code == 1 and "belongs to deepseek-v4-flash-0731" in said.err
    assert head(ranked_sqlite) == before


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_one_model_comes_from_a_file_or_standard_input(ranked_sqlite: str, tmp_path: Path, form: str) -> None:
    """With several scores, dates and decimals as they are written."""
    text = json.dumps(record("Example 1", scores=[score("44.90"), score("61.2", release="aa@4.1.1")]))
    if form == "yaml":
        text = (
            "name: Example 1\ntype: llm\ndeveloper: Example\nscores:\n"
            "- {release: aa@4.3, value: 44.90, as_of: 2026-11-20}\n"
            "- {release: aa@4.1.1, value: 61.2, as_of: 2026-11-20}\n"
        )
    (tmp_path / f"one.{form}").write_text(text)
    from_file = ok(ranked_sqlite, f"add-model --from {tmp_path}/one.{form} --dry-run --json").data
    assert (from_file["slug"], from_file["power_rank"]) == ("example-1", 449)
    if form == "json":
        assert ok(ranked_sqlite, "add-model --from - --dry-run --json", stdin=text.encode()).data == from_file


def test_many_models_come_in_all_or_none(ranked_url: str, tmp_path: Path) -> None:
    """One bad record in a file of three and none of them is there; all good and all are."""
    three = [record(f"Example {number}", scores=[score(str(30 + number))]) for number in (1, 2, 3)]
    path, before = tmp_path / "three.json", (head(ranked_url), ranks(ranked_url))
    refused: list[dict[str, Any]] = [
        {"scores": []},
        {"scores": [score("99")]},
        {"developer": "Open AI"},
        {"name": "Example 1"},
    ]
    for bad in refused:
        path.write_text(json.dumps([*three[:2], {**three[2], **bad}]))
        said = run(ranked_url, f"add-model --from {path}")
        assert said.code in (1, 2) and len(said.err.splitlines()) <= 2, said
        assert (head(ranked_url), ranks(ranked_url)) == before
    path.write_text(json.dumps(three))
    data = ok(ranked_url, f"add-model --from {path} --json").data
    assert [row["slug"] for row in data["rows"]] == ["example-1", "example-2", "example-3"]
    assert data["head"] == head(ranked_url)
    after = ranks(ranked_url)
    assert {slug: after[slug] for slug in before[1]} == before[1] and len(after) == len(before[1]) + 3
    assert findings(ranked_url) == ()


def test_a_file_and_options_are_not_mixed(ranked_sqlite: str, tmp_path: Path) -> None:
    """Whatever would be ignored is refused by name."""
    (tmp_path / "one.json").write_text(json.dumps(record("Example 1", scores=[score("44.9")])))
    said = run(ranked_sqlite, f"add-model X --from {tmp_path}/one.json --type llm --context 5 --effort max --slug y")
    assert said.code == 2
    for flag in ("NAME", "--type", "--context-window", "--effort", "--slug"):
        assert flag.removesuffix("-window") in said.err


def test_a_proposal_waits_unranked_until_it_is_locked(ranked_url: str) -> None:
    """The model passes no threshold meanwhile; locking gives exactly what was proposed."""
    proposed = ok(ranked_url, MEASURED + " --propose --json").data
    assert ranks(ranked_url)["example-1"][0] is None
    assert "proposed" in ok(ranked_url, "why example-1").out
    assert "example-1" not in [row["slug"] for row in ok(ranked_url, "list llm --min-power 1 --json").data]
    dry, locked = ok(ranked_url, "lock example-1 --dry-run --json").data, ok(ranked_url, "lock example-1 --json").data
    assert {**dry, "dry_run": False} == locked
    assert {name: locked[name] for name in PLACEMENT} == {name: proposed[name] for name in PLACEMENT}
    assert ranks(ranked_url)["example-1"][0] == 449
    again = run(ranked_url, "lock example-1")
    assert again.code == 1 and "ranked 449 and locked" in again.err
    assert findings(ranked_url) == ()


def test_a_placement_that_moved_is_not_locked(ranked_url: str) -> None:
    """The refusal says what moved; withdrawn and placed anew the model gets its new rank."""
    below = ok(ranked_url, MEASURED + " --propose --json").data["neighbours"]["below"]
    ok(
        ranked_url,
        f"audit correct {below} --rank 300 --low 290 --high 310 --source Review --index-version 1"
        " --as-of 2026-11-29 --reason 'A mistake'",
    )
    before = head(ranked_url)
    said = run(ranked_url, "lock example-1")
    assert said.code == 1 and "moved" in said.err and "--withdraw" in said.err
    assert head(ranked_url) == before
    ok(ranked_url, "lock example-1 --withdraw")
    assert run(ranked_url, "lock example-1").code == 3
    assert ok(ranked_url, "lock example-1 --place --json").data["power_rank"] == ranks(ranked_url)["example-1"][0]
    assert findings(ranked_url) == ()


def test_a_person_is_asked_and_may_say_no(ranked_sqlite: str) -> None:
    """On a terminal the rank is locked after a yes; a no ends in 1, Ctrl-C in 130, and both leave nothing."""
    before = head(ranked_sqlite)
    for answer, ends, says in (("n\n", 1, "nothing was written"), ("^C", 130, "interrupted; nothing was changed")):
        code, shown = on_terminal(ranked_sqlite, MEASURED, until="Lock this rank?", answer=answer)
        assert code == ends and says in shown and "Traceback" not in shown
        assert head(ranked_sqlite) == before
    code, _ = on_terminal(ranked_sqlite, MEASURED, until="Lock this rank?", answer="y\n")
    assert (code, ranks(ranked_sqlite)["example-1"][0]) == (0, 449)


def test_a_name_that_is_nearly_another_is_told(ranked_sqlite: str) -> None:
    """A typing error makes a new model only with a note that names the one it is close to."""
    for name in ("Claude Opsu 5.5", "Clade Opus 5.5"):
        words = MEASURED.replace("'Example 1'", f"'{name}'") + " --dry-run"
        assert "names near to this one: claude-opus-5-5" in ok(ranked_sqlite, words).out
    assert "names near" not in ok(ranked_sqlite, MEASURED + " --dry-run").out


def test_nothing_is_told_before_it_is_written(ranked_sqlite: str) -> None:
    """A pipe that closes early costs the rest of the output, never the write."""
    ended = in_shell(ranked_sqlite, f"catalog {MEASURED} --yes | head -1")
    assert "PowerRank 449" in ended.stdout
    assert ranks(ranked_sqlite)["example-1"][0] == 449


def test_a_terminal_without_a_character_loses_nothing(ranked_sqlite: str) -> None:
    """In a locale of ASCII, and with stdout closed, the command does its work and ends as usual."""
    ascii_only = "export LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0"
    ended = in_shell(ranked_sqlite, f"{ascii_only}; catalog {MEASURED} --yes")
    assert ended.returncode == 0 and "PowerRank 449" in ended.stdout and "UTF-8" not in ended.stderr
    closed = in_shell(ranked_sqlite, "catalog show example-1 >&-")
    assert (closed.returncode, closed.stderr) == (0, "")


def test_the_effort_of_a_label_is_that_of_its_scores(ranked_sqlite: str) -> None:
    """Nothing said, the scores say it; something else said, it is refused."""
    ok(ranked_sqlite, "score add aa@4.3=30 --label eff --as-of 2026-11-20 --effort low")
    words = "add-model Eff --type llm --developer openai --label artificial-analysis:eff"
    said = run(ranked_sqlite, words + " --effort high")
    assert said.code == 1 and "measured at effort low, not high" in said.err
    ok(ranked_sqlite, words)
    assert [row["effort"] for row in ok(ranked_sqlite, "alias list eff --json").data] == ["low"]


def test_yes_asks_nothing(ranked_sqlite: str) -> None:
    """--yes on a terminal, and any run that is not on one."""
    code, shown = on_terminal(ranked_sqlite, MEASURED + " --yes")
    assert code == 0 and "Lock this rank?" not in shown


def record(name: str, **more: Any) -> dict[str, Any]:
    """Return a newcomer as a file holds it."""
    return {"name": name, "type": "llm", "developer": "Example", **more}


def score(value: str, **more: Any) -> dict[str, Any]:
    """Return a score as a file holds it."""
    return {"release": "aa@4.3", "value": value, "as_of": "2026-11-20", **more}
