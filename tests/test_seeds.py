"""The shipped catalog is what its log says, what a rebase computes, and what the evidence supports."""

from __future__ import annotations

import json
import sqlite3
from importlib.resources import files
from pathlib import Path
from typing import Any

import psycopg
import pytest

from catalog import snapshot
from catalog.connection import reading
from catalog.log.line import to_json
from catalog.log.replay import line_rows
from catalog.ranks import ledger
from catalog.settings import sqlite_path
from catalog.store import seeding, transfer
from catalog.store.book import writing
from tests.command_line import findings, head, ok, run

pytest_plugins = ["tests.seeded"]

SEEDS = Path(str(files("catalog.seeds")))
SHIPPED = [json.loads(line) for line in (SEEDS / "log.jsonl").read_text(encoding="utf-8").splitlines()]
BY_HAND = {"__init__.py", "ATTRIBUTION.md", "cache-profiles.yaml"}

GOLDEN = {
    "claude-opus-5-5": 576,
    "claude-sonnet-5-5": 560,
    "claude-fable-5-1": 534,
    "gpt-6-astra": 527,
    "claude-opus-5": 508,
    "claude-opus-5-fast": 508,
    "claude-fable-5": 496,
    "gpt-5-6-sol": 470,
    "grok-4-6": 442,  # xhigh, its highest effort; high alone would read 443
    "claude-opus-4-8": 418,
    "grok-4-5": 388,
    "claude-sonnet-5": 382,
    "gpt-5-6-luna": 373,
    "deepseek-v4-flash-0731": 343,
    "gemini-3-1-pro": 297,
    "claude-opus-4-5": 291,
    "qwen3-6-max-preview": 284,
    "qwen3-6-plus": 270,
    "deepseek-v4-flash-0420": 242,
    "kimi-k2-5": 235,
    "gpt-5": 230,
    "grok-4": 225,
    "claude-sonnet-4-5": 207,
    "mistral-medium-3-5": 142,
    "kimi-k2": 127,
    "gpt-4o": 84,
    "mistral-small-3-2": 82,
    "mixtral-8x7b": 51,
}
"""Ten times the reference score at the highest published effort, computed by hand from the published tables."""

ESTIMATED = {"mixtral-8x7b", "kimi-k2", "qwen3-6-plus", "grok-4", "qwen3-6-max-preview", "claude-opus-4-5", "gpt-4o"}


def test_init_ends_in_the_head_of_the_shipped_log(database_url: str) -> None:
    """A catalog made from the seeds has the same head on every machine and either database, and verifies."""
    created = seeding.create(database_url)
    assert (created.head, created.lines) == (SHIPPED[-1]["hash"], len(SHIPPED))
    assert head(database_url) == created.head
    assert findings(database_url) == ()


def test_legacy_is_the_beginning_of_the_shipped_log(legacy_url: str) -> None:
    """``init --legacy`` stops right before the first rebase: ordinals and scores, and no rank."""
    with reading(legacy_url) as reader:
        lines = [json.loads(to_json(row)) for row in line_rows(reader)]
    assert lines == SHIPPED[: len(lines)]
    assert SHIPPED[len(lines)]["action"] == "rebase-plan"
    assert all(model.power_rank is None for model in snapshot.load(legacy_url).models.values())


def test_the_shipped_ranks_are_what_rebase_computes(legacy_url: str, tmp_path: Path) -> None:
    """Rebasing the legacy catalog with the shipped log's clock, actor, version and reason gives its bytes again."""
    first = next(line for line in SHIPPED if line["action"] == "rebase-plan")
    said = {"actor": first["actor"], "at": first["at"], "tool_version": first["tool_version"]}
    with writing(legacy_url, **said) as book:
        ledger.apply_rebase(book, ledger.plans(book), reason=first["reason"])
    with reading(legacy_url) as reader:
        transfer.export(reader, tmp_path / "export")
    assert files_of(tmp_path / "export") == {
        name: data for name, data in files_of(SEEDS).items() if name not in BY_HAND
    }


def test_every_active_model_is_ranked_with_provenance_or_unranked_with_a_reason(ranked_sqlite: str) -> None:
    """Rank, interval, source, version and a full as-of date, or the sentence that says why not."""
    plan = {row["slug"]: row["reason"] for row in legacy_plan(ranked_sqlite)["unranked"]}
    for slug, model in snapshot.load(ranked_sqlite).models.items():
        if model.power_rank is None:
            assert plan[slug].strip(), slug
            assert ok(ranked_sqlite, "why --json", slug).data["reason"].strip(), slug
        else:
            assert model.low is not None and model.high is not None
            assert 1 <= model.low <= model.power_rank <= model.high
            assert model.source and model.index_version and len(str(model.as_of)) == 10


def test_only_language_models_reach_a_hundred(ranked_sqlite: str) -> None:
    """An unscoped ``>= 100`` can never be tripped by a reranker: every other type ends at 99."""
    models = snapshot.load(ranked_sqlite).models.values()
    assert {model.type for model in models if (model.power_rank or 0) > 99} == {"llm"}
    said = run(ranked_sqlite, "list reranker --min-power 100")
    assert (said.code, said.out) == (3, "")


def test_the_golden_run(ranked_sqlite: str) -> None:
    """Models with a reference score stand where the base map puts them, whatever their ordinal said."""
    models = snapshot.load(ranked_sqlite).models
    assert {slug: models[slug].power_rank for slug in GOLDEN} == GOLDEN


def test_evidence_beats_the_ordinal(ranked_sqlite: str) -> None:
    """Opus 4.8 stands above Grok 4.5 although its legacy ordinal stood below."""
    models = snapshot.load(ranked_sqlite).models
    opus, grok = models["claude-opus-4-8"], models["grok-4-5"]
    assert (opus.legacy_ordinal or 0) < (grok.legacy_ordinal or 0)
    assert (opus.power_rank, grok.power_rank) == (418, 388)


def test_deepseek_v4_flash_is_the_only_legacy_outlier(ranked_sqlite: str) -> None:
    """The build of April, whose ordinal beat every frontier model, and no other language model."""
    outliers = [slug for slug, found in rank_lines() if "outlier" in found["flags"] and type_of(slug) == "llm"]
    assert outliers == ["deepseek-v4-flash-0420"]
    assert ok(ranked_sqlite, "why --json deepseek-v4-flash-0420").data["power_rank"] == 242


def test_two_builds_of_one_name_are_two_models(ranked_sqlite: str) -> None:
    """The builds of April and July keep their own ranks and labels."""
    models = snapshot.load(ranked_sqlite).models
    assert "deepseek-v4-flash" not in models
    assert models["deepseek-v4-flash-0420"].legacy_ordinal == 30
    assert models["deepseek-v4-flash-0731"].legacy_ordinal is None


def test_estimated_rows_rank_with_a_flag_and_are_never_anchors() -> None:
    """A conversion published as a score may rank a model at the rebase, widened and flagged, and places nobody else."""
    lines = dict(rank_lines())
    estimated = {slug for slug, found in lines.items() if "estimated" in found["flags"]}
    assert estimated >= ESTIMATED
    assert not any(lines[slug]["measured"] for slug in estimated)
    anchors = {anchor for found in lines.values() for anchor in found["anchors"]}
    assert anchors and not anchors & estimated


def test_a_newcomer_has_no_estimated_anchor(ranked_sqlite: str) -> None:
    """Nor are they anchors afterwards, under the reference or any other release."""
    estimated = {slug for slug, found in rank_lines() if not found["measured"]}
    for score in ("aa@4.3=30", "aa@4.1.1=40", "aa@4.0=40", "eci@2026-05=145"):
        said = ok(
            ranked_sqlite,
            "add-model X --type llm --developer Example --as-of 2026-11-20 --dry-run --json --score",
            score,
        )
        assert said.data["anchors"] and not set(said.data["anchors"]) & estimated


def test_a_label_belongs_to_one_model(ranked_url: str) -> None:
    """Neither the tool nor a raw SQL shell gives a label away twice."""
    said = run(ranked_url, "alias add gpt-5 artificial-analysis:claude-opus-5-5")
    assert said.code == 1 and "belongs to claude-opus-5-5 (max) already" in said.err
    statement = (
        "INSERT INTO alias (id, space, label, scope, model, effort) "
        "VALUES (99999, 'artificial-analysis', 'claude-opus-5-5', '', 'gpt-5', 'max')"
    )
    path = sqlite_path(ranked_url)
    if path is not None:
        shell = sqlite3.connect(path)
        with pytest.raises(sqlite3.IntegrityError):
            shell.execute(statement)
        shell.close()
    else:
        with psycopg.connect(ranked_url) as connection, pytest.raises(psycopg.IntegrityError):
            connection.execute(statement.encode())


def test_no_label_is_written_twice_in_the_seeds() -> None:
    """Space, label and scope name one alias in the whole shipped log."""
    added = [line["after"] for line in SHIPPED if line["action"] == "alias.add"]
    keys = [(alias["space"], alias["label"], alias.get("scope", "")) for alias in added]
    assert len(keys) == len(set(keys)) > 200


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its path, compiled ones left out."""
    found = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def rank_lines() -> list[tuple[str, dict[str, Any]]]:
    """Return slug and explanation of every rank line of the shipped log."""
    return [(line["model"], line["after"]) for line in SHIPPED if "new_rank" in line]


def type_of(slug: str) -> str:
    """Return the type the shipped log gives a model."""
    added = (line["after"] for line in SHIPPED if line["action"] == "model.add" and line["model"] == slug)
    return str(next(added)["type"])


def legacy_plan(beside: str) -> dict[str, Any]:
    """Return the rebase plan of a new legacy catalog beside another one."""
    url = f"{beside}.legacy"
    seeding.create(url, fill="legacy")
    plan: dict[str, Any] = ok(url, "rebase --json").data
    return plan
