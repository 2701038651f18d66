"""What is said about a newcomer is read whole, checked once, and nothing in it is guessed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from catalog.errors import CatalogError, ConflictError, NotFoundError, UsageError
from catalog.ranks import newcomer
from catalog.ranks.description import from_record
from catalog.ranks.newcomer import Newcomer, NewScore
from catalog.store.book import Book, writing
from tests.command_line import NOW, ranks

pytest_plugins = ["tests.seeded"]

SCORE = {"release": "aa@4.3", "value": "44.9", "as_of": "2026-11-20"}
RECORD: Mapping[str, Any] = {"name": "Example 1", "type": "llm", "developer": "Example", "scores": [SCORE]}


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Claude Opus 5.5", "claude-opus-5-5"),
        ("  GPT—5 (mini) ", "gpt-5-mini"),
        ("Command A", "command-a"),
        ("Command A+", "command-a-plus"),
        ("Élan 2", "elan-2"),
        ("qwen3:32b", "qwen3-32b"),
    ],
)
def test_a_slug_is_made_of_the_name(name: str, slug: str) -> None:
    """Lower-case letters and digits joined by hyphens; a plus is a word, so A and A+ stay apart."""
    assert newcomer.slug_of(name) == slug


@pytest.mark.parametrize("name", ["", "!!!", "模型"])
def test_a_name_without_a_slug_is_refused(name: str) -> None:
    """A slug is asked for instead of made up."""
    with pytest.raises(UsageError, match="no slug can be made of"):
        newcomer.slug_of(name)


def test_everything_missing_is_listed_at_once() -> None:
    """Nobody has to try four times to learn of four missing facts."""
    with pytest.raises(UsageError) as refused:
        from_record({"slug": "x"})
    for name in ("name", "type", "developer", "scores (or labels, or same_weights_as)"):
        assert name in refused.value.message


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"developr": "Example"}, "'developr'"),
        ({"power_rank": 600}, "'power_rank'"),
        ({"name": True}, "name True"),
        ({"developer": {"slug": "example"}}, "developer {'slug': 'example'}"),
        ({"context_window": "400k"}, "context_window '400k'"),
        ({"context_window": -5}, "context_window -5"),
        ({"context_window": True}, "context_window True"),
        ({"max_output": 1.5}, "max_output 1.5"),
        ({"scores": "aa@4.3=44.9"}, "scores 'aa@4.3=44.9'"),
        ({"scores": ["aa@4.3=44.9"]}, "'aa@4.3=44.9'"),
        ({"scores": [{}]}, "release, value, as_of"),
        ({"scores": [{**SCORE, "as_of": ""}]}, "as_of"),
        ({"scores": [{**SCORE, "value": None}]}, "value"),
        ({"scores": [{**SCORE, "value": True}]}, "value True"),
        ({"scores": [{**SCORE, "valeu": "1"}]}, "'valeu'"),
        ({"scores": [{**SCORE, "estimated": "maybe"}]}, "estimated 'maybe'"),
        ({"scores": [{**SCORE, "estimated": "yes"}]}, "estimated 'yes'"),
        ({"offers": [{"api_name": "x"}]}, "{'api_name': 'x'}"),
        ({"offers": ["=x"]}, "'=x'"),
        ({"offers": [{"vendor": "openai", "price": "5"}]}, "'price'"),
        ({"labels": [{"name": "x"}]}, "'name'"),
    ],
)
def test_a_malformed_record_is_refused(change: Mapping[str, Any], says: str) -> None:
    """An unknown key, a wrong type or an unclear yes is named, never dropped and never read as no."""
    with pytest.raises(UsageError) as refused:
        from_record({**RECORD, **change})
    assert says in refused.value.message


def test_a_record_is_read_whole() -> None:
    """Every key of a file reaches the model: facts, offers with and without API name, scores, labels with effort."""
    found = from_record(
        {
            **RECORD,
            "slug": "example-one",
            "context_window": "400,000",
            "capabilities": ["tools", "vision"],
            "offers": ["openai=ex-1", {"vendor": "groq"}, "example"],
            "scores": [{**SCORE, "effort": "max", "estimated": True, "url": "https://example.com"}],
            "labels": ["artificial-analysis:ex-1", {"label": "arena-text:ex-1", "effort": "high"}],
        }
    )
    assert found == Newcomer(
        name="Example 1",
        type="llm",
        developer="Example",
        slug="example-one",
        facts={"context_window": 400000, "capabilities": "tools,vision"},
        offers=[("openai", "ex-1"), ("groq", None), ("example", None)],
        scores=[NewScore(**SCORE, effort="max", estimated=True, url="https://example.com")],
        labels=[("artificial-analysis:ex-1", "unstated"), ("arena-text:ex-1", "high")],
    )


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"type": "lm"}, UsageError, "'lm' is no model type"),
        ({"name": "Claude Opus 5"}, ConflictError, "there is a model claude-opus-5 already"),
        ({"name": "ClaudeOpus5"}, ConflictError, "nearly the model claude-opus-5"),
        ({"name": "claude opus-5"}, ConflictError, "claude-opus-5"),
        ({"name": "Claude 5 Opus"}, ConflictError, "nearly the model claude-opus-5"),
        ({"name": "Claude 5 Opus", "slug": "claude-x"}, ConflictError, "nearly the model claude-opus-5"),
        ({"slug": "claude-opus-5"}, ConflictError, "claude-opus-5"),
        ({"slug": "Claude Opus"}, UsageError, "'Claude Opus' is not a slug"),
        ({"developer": "Open-AI"}, ConflictError, "nearly the vendor openai"),
        ({"prior": "gpt-five"}, UsageError, "'gpt-five'"),
        ({"same_weights_as": "whisper-1"}, UsageError, "whisper-1 is of type stt"),
        ({"scores": [{**SCORE, "release": "aa@4.9"}]}, UsageError, "'aa@4.9' is no release key"),
        ({"type": "realtime"}, UsageError, "aa@4.3 measures llm models, example-1 is of type realtime"),
        ({"labels": ["artificial-analysis:opus-9"]}, NotFoundError, "'opus-9'"),
        ({"labels": ["nowhere:opus-9"]}, UsageError, "'nowhere' is no label space"),
        ({"labels": ["artificial-analysis:claude-opus-5-5"]}, ConflictError, "belongs to claude-opus-5-5"),
        ({"name": "DeepSeek V4 Flash"}, ConflictError, "belongs to deepseek-v4-flash-0731"),
        (
            {"scores": [{**SCORE, "label": "claude-opus-5-5", "effort": "max"}]},
            ConflictError,
            "belongs to claude-opus-5-5",
        ),
    ],
)
def test_what_contradicts_the_catalog_is_refused(
    ranked_sqlite: str, change: Mapping[str, Any], kind: type[CatalogError], says: str
) -> None:
    """Duplicates, near-duplicates and unknown names are answered with a suggestion, never with a guess."""
    with pytest.raises(kind) as refused, book(ranked_sqlite) as opened:
        add(opened, {**RECORD, **change})
    assert says in refused.value.message


def test_another_build_of_a_known_name_needs_its_own_slug(ranked_url: str) -> None:
    """A slug that is said settles what a name alone leaves open."""
    with book(ranked_url) as opened:
        add(opened, {**RECORD, "name": "Claude Opus 5", "slug": "claude-opus-5-november", "build": "1120"})
    assert ranks(ranked_url)["claude-opus-5-november"][0] == 449


def test_known_vendors_are_found_by_slug_or_name_and_new_ones_added(ranked_sqlite: str) -> None:
    """``OpenAI``, ``openai`` and ``OPENAI`` are one vendor."""
    with book(ranked_sqlite) as opened:
        assert {newcomer.vendor(opened, name, reason="Test") for name in ("OpenAI", "openai", "OPENAI")} == {"openai"}
        assert opened.lines == []
        assert newcomer.vendor(opened, "Brand New Lab", reason="Test") == "brand-new-lab"
        assert [line.action for line in opened.lines] == ["vendor.add"]


def test_same_weights_share_the_rank_whatever_was_scored(ranked_url: str) -> None:
    """A variant inherits rank, interval and provenance; an effort or a speed is no other model."""
    with book(ranked_url) as opened:
        placed = add(opened, {**RECORD, "same_weights_as": "claude-opus-5"})
    held = ranks(ranked_url)
    assert held["example-1"] == held["claude-opus-5"]
    assert (placed.method, placed.flags) == ("same-weights", ("same-weights",))


def test_an_unranked_sibling_lends_no_rank(ranked_sqlite: str) -> None:
    """Weights shared with a placeholder prove nothing."""
    with (
        pytest.raises(CatalogError, match="has the weights of betty, which is not ranked"),
        book(ranked_sqlite) as opened,
    ):
        add(opened, {**RECORD, "scores": [], "same_weights_as": "betty"})


def book(url: str) -> Any:
    """Open a write transaction."""
    return writing(url, actor="test", at=NOW)


def add(opened: Book, record: Mapping[str, Any]) -> Any:
    """Add the newcomer of a record."""
    return newcomer.add(opened, from_record(record), reason="Test").placement
