"""What a decision says of itself: JSON, words, why not, and what nothing beats."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, get_args

import pytest

from catalog.errors import NotFoundError
from catalog.selector import Bound, Health, Request, explain, pareto, select, why_not
from catalog.selector.fields import Prefer
from catalog.selector.needs import CODES
from catalog.snapshot import Model
from tests.documentation import ROOT
from tests.selector.sample import HEAD, PRICE, decided, model, offer, snapshot

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
        "mid is candidate 2 of 4, by acme: low stands first, which is bound earlier",
    ),
    (
        "top",
        {"bound": [Bound("low", 5), Bound("top", 1)], "prefer": "highest"},
        "top is candidate 2 of 4, by acme: low stands first: bound with priority 5, not 1",
    ),
    (
        "mid",
        {"bound": ["mid", "top"], "prefer": "highest"},
        "mid is candidate 3 of 4, by acme: top stands first: power 300 < 500",
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
    """The numbers that ordered the candidates are in the answer, and the tie rule where they are equal."""
    gone = model("gone", 320, "acme", status="retired")
    even = model("even", 300, "acme", status="retired")
    new = model("new", None, "acme", status="preview")
    twins = [model(slug, 200, "acme") for slug in ("a", "b")]

    def told(*models: Model, of: str, **wishes: Any) -> str:
        return why_not(decided(*models, **wishes), of).text.partition(" by acme: ")[2]

    assert (
        told(*LADDER, gone, of="top", bound=["gone"])
        == "mid stands first, 20.0 ranks from the target 320.0 and not 180.0"
    )
    assert (
        told(LADDER[0], LADDER[2], even, of="low", bound=["even"])
        == "top stands first: of two equally near the target the stronger, power 100 < 500"
    )
    assert told(*LADDER, new, of="mid", bound=["new"]) == "top stands first: power 300 < 500"
    assert (
        told(*LADDER, of="low", prefer="balanced")
        == "top stands first, balance 1.0000 against 0.0000, speed and cost unknown"
    )
    for wishes in ({}, {"prefer": "balanced"}, {"prefer": "lowest"}):
        assert told(*twins, of="b", **wishes) == "a stands first and measures the same: ties go by price, then by slug"


def test_why_not_holds_a_bound_model_to_its_own_needs() -> None:
    """In the caller's own order power does not matter; a fallback must be ranked."""
    new, other = model("new", None, "bad"), model("other", None, "bad")
    decision = decided(*LADDER, new, other, bound=["new"], never_vendors=["bad"])
    assert why_not(decision, "new").text == "new is no candidate\n  new by bad: vendor bad is ruled out"
    assert why_not(decision, "other").text.endswith("\n  other by bad: unranked: no power to compare")


def test_the_order_is_told_as_it_is() -> None:
    """Where no bound model is ranked, the explanation names the order that the type follows in."""
    new = model("new", None, "acme", status="preview")
    for wishes, told in (({}, "highest"), ({"prefer": "lowest"}, "lowest")):
        explained = explain(decided(*LADDER, new, bound=["new"], **wishes))
        assert f"so then the whole type, {told} PowerRank first" in explained


def test_why_not_is_answerable_for_every_model_of_the_type_and_no_other() -> None:
    """A model of another type, or none, is a name not found, with the nearest one."""
    decision = decided(*LADDER, model("vector", 50, "acme", type="embedding"), model("alone", 70))
    for slug in ("top", "mid", "low", "alone"):
        assert slug in why_not(decision, slug).text
    with pytest.raises(NotFoundError, match="no model 'vector' of type llm"):
        why_not(decision, "vector")
    for typed in ("topp", "TOP"):
        with pytest.raises(NotFoundError) as missing:
            why_not(decision, typed)
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


def test_prices_of_different_units_are_not_compared() -> None:
    """The front counts in the unit most candidates are charged in; any other price is as good as unknown."""
    by_minute = PRICE._replace(unit="minute", input="0.001", output="0.001")
    models = (model("a", 300, "v"), model("b", 200, "v"), model("c", 100, offer("v", prices=[by_minute])))
    assert [candidate.model.slug for candidate in pareto(decided(*models))] == ["a"]


def test_a_decision_is_a_value() -> None:
    """Equal requests give equal decisions, and a decision may be sent to another process."""
    catalog = snapshot(*LADDER)
    request = Request(type="llm", min_power=200, max_price_in="5")
    assert select(catalog, request) == select(catalog, request)
    assert pickle.loads(pickle.dumps(select(catalog, request))).to_json() == select(catalog, request).to_json()


def test_the_bytes_do_not_depend_on_the_hash_seed() -> None:
    """Sets are ordered before they are told, and characters stand as they are."""
    code = """if True:
        from tests.selector.sample import decided, model
        models = [model("größe", 300, "a", "b"), model("m", 100, "c", capabilities="x,y,z", inputs="text,image,audio")]
        wishes = {"capabilities": {"u", "v", "w"}, "only_vendors": {"a", "b", "c"}, "inputs": {"image"}}
        print(decided(*models, **wishes).to_json())
    """
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1
    assert "größe" in texts.pop()


def test_threads_share_a_snapshot() -> None:
    """Eight threads that ask for several days at once get what one alone gets."""
    prices = [
        PRICE._replace(input=str(month), valid_from=f"2026-0{month}-01", valid_to=f"2026-0{month + 1}-01")
        for month in range(1, 9)
    ]
    models = [model(f"m{number}", 100 + number % 7, offer("v", prices=prices), "w") for number in range(40)]
    requests = [
        Request(type="llm", as_of=f"2026-0{month}-15", max_price_in="4", prefer=prefer)
        for month in range(1, 9)
        for prefer in get_args(Prefer)
    ]
    alone = [select(snapshot(*models), request).to_json() for request in requests]
    shared = snapshot(*models)

    def work(start: int) -> list[str]:
        turned = requests[start:] + requests[:start]
        texts = [select(shared, request).to_json() for request in turned]
        return texts[len(requests) - start :] + texts[: len(requests) - start]

    with ThreadPoolExecutor(8) as pool:
        assert all(texts == alone for texts in pool.map(work, range(8)))


def test_every_code_is_documented() -> None:
    """docs/selector.md names each rejection code."""
    page = (ROOT / "docs" / "selector.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in page] == []
