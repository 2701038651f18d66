"""What a decision says of itself: JSON, words, why not, and what nothing beats."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog.errors import NotFoundError
from catalog.selector import Health, explain, pareto, why_not
from tests.selector.sample import HEAD, decided, model, offer

LADDER = (model("top", 500, "acme", "broker"), model("mid", 300, "acme"), model("low", 100, "acme"))


def test_the_json_has_its_stable_names() -> None:
    """Request, chosen, candidates, rejected, rule and head; a rejected one adds code and detail."""
    decision = decided(*LADDER, min_power=200)
    data = json.loads(decision.to_json())
    assert list(data) == ["request", "chosen", "candidates", "rejected", "rule", "head"]
    candidate = {
        "model": "top",
        "vendor": "acme",
        "api_name": None,
        "power_rank": 500,
        "low": 500,
        "high": 500,
        "source": "Index",
        "index_version": "1",
        "as_of": "2026-11-30",
        "price_in": "1",
        "price_out": "2",
        "context": 200_000,
    }
    assert list(data["chosen"].items()) == list(candidate.items())
    assert data["candidates"][0] == candidate
    assert list(data["rejected"][0])[-2:] == ["code", "detail"]
    assert data["rejected"][0]["detail"] == "power 100 < 200"
    assert data["request"] == {"type": "llm", "min_power": 200, "status": ["active"], "as_of": "2026-11-30"}
    assert data["head"] == HEAD
    assert decision.to_data() == data


def test_an_empty_decision_has_no_chosen() -> None:
    """``chosen`` is null, and every model stands among the rejected."""
    data = decided(*LADDER, min_power=900).to_data()
    assert data["chosen"] is None
    assert len(data["rejected"]) == 4


def test_a_predicate_and_a_view_are_told_and_not_written_out() -> None:
    """The JSON says that credentials were asked for, and what was cooling down."""
    health = Health(clock=lambda: 0.0)
    health.failed("top", "acme", whole_vendor=False, reason="status 503")
    request = decided(*LADDER, credentials=lambda _: True, health=health.cooling()).to_data()["request"]
    assert request["credentials"] is True
    assert request["health"] == [{"model": "top", "vendor": "acme", "seconds": 30.0, "reason": "status 503"}]


WHY: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("top", {}, "top is chosen, by acme"),
    ("mid", {}, "mid is candidate 3 of 4, by acme: top stands first: power 300 < 500"),
    ("mid", {"prefer": "lowest"}, "mid is candidate 2 of 4, by acme: low stands first: power 300 > 100"),
    ("low", {"min_power": 200}, "low is no candidate\n  low by acme: power 100 < 200"),
    ("mid", {"bound": ["low"]}, "mid is candidate 2 of 4, by acme: low stands first, which is bound"),
    (
        "mid",
        {"bound": ["low", "mid"]},
        "mid is candidate 2 of 4, by acme: low stands first, which is bound with a higher priority or earlier",
    ),
    (
        "low",
        {"min_power": 200, "input_tokens": 10**6},
        "low is no candidate\n  low by acme: power 100 < 200\n  low by acme: context 200,000 < 1,000,000",
    ),
)


@pytest.mark.parametrize(("slug", "wishes", "text"), WHY, ids=[text.partition("\n")[0] for *_, text in WHY])
def test_why_not_is_answered(slug: str, wishes: dict[str, Any], text: str) -> None:
    """For a candidate: what stands before it and by which numbers; for a rejected one: every need it misses."""
    assert why_not(decided(*LADDER, **wishes), slug).text == text


def test_why_not_tells_the_distance_of_a_fallback_and_the_balance() -> None:
    """The numbers that ordered the candidates are in the answer."""
    gone = model("gone", 320, "acme", status="retired")
    matched = why_not(decided(*LADDER, gone, bound=["gone"]), "top").text
    assert matched.endswith("mid stands first, 20.0 ranks from the target 320.0 and not 180.0")
    balanced = why_not(decided(*LADDER, prefer="balanced"), "low").text
    assert balanced.endswith("top stands first, balance 1.0000 against 0.0000, speed and cost unknown")


def test_why_not_is_answerable_for_every_model_of_the_type_and_no_other() -> None:
    """A model of another type, or none, is a name not found, with the nearest one."""
    decision = decided(*LADDER, model("vector", 50, "acme", type="embedding"), model("alone", 70))
    for slug in ("top", "mid", "low", "alone"):
        assert slug in why_not(decision, slug).text
    with pytest.raises(NotFoundError, match="no model 'vector' of type llm"):
        why_not(decision, "vector")
    with pytest.raises(NotFoundError) as missing:
        why_not(decision, "topp")
    assert "top" in missing.value.hint


def test_an_explanation_tells_all() -> None:
    """Chosen, order, every candidate, every rejection, head."""
    assert explain(decided(*LADDER, model("alone", 70), min_power=200)).splitlines() == [
        "chosen    top by acme, power 500 (500–500), 1 / 2 USD per 1M tokens, context 200,000",
        "order     highest PowerRank first",
        "2         top by broker, power 500 (500–500), 1 / 2 USD per 1M tokens, context 200,000",
        "3         mid by acme, power 300 (300–300), 1 / 2 USD per 1M tokens, context 200,000",
        "rejected  2: no_offer 1, min_power 1",
        "  alone: no vendor serves it",
        "  low by acme: power 100 < 200",
        f"head      {HEAD}",
    ]


def test_the_front_is_what_nothing_beats() -> None:
    """A candidate stays when no other is as good in power, speed and both prices; equals stay together."""
    models = (
        model("strong", 500, offer("a", price_in="9", price_out="9"), speed_rank=3),
        model("fast", 300, offer("a", price_in="9", price_out="9"), speed_rank=9),
        model(
            "cheap", 200, offer("a", price_in="1", price_out="1"), offer("b", price_in="1", price_out="1"), speed_rank=3
        ),
        model("beaten", 200, offer("a", price_in="2", price_out="1"), speed_rank=3),
        model("dark", 100, offer("a", price_in=None, price_out=None)),
        model("free", 90, offer("a", price_in="0", price_out="0")),
    )
    front = [candidate.route for candidate in pareto(decided(*models))]
    assert front == [("strong", "a"), ("fast", "a"), ("cheap", "a"), ("cheap", "b"), ("free", "a")]
