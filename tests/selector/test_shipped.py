"""The selector on the shipped catalog: what must never happen again."""

from __future__ import annotations

from itertools import pairwise

import pytest

from catalog import snapshot
from catalog.selector import Request, select
from catalog.snapshot import Snapshot

pytest_plugins = ["tests.seeded"]

DAY = "2026-11-30"


@pytest.fixture
def shipped(ranked_sqlite: str) -> Snapshot:
    """The catalog as it is shipped."""
    return snapshot.load(ranked_sqlite)


def test_the_strongest_active_llm_is_chosen_by_its_own_vendors_in_order(shipped: Snapshot) -> None:
    """Nothing bound: the highest-ranked active model that is served, all its vendors by priority, then the next."""
    decision = select(shipped, Request(type="llm", as_of=DAY))
    served = [
        model
        for model in shipped.of_type("llm")
        if model.power_rank and model.status == "active" and any(offer.status == "active" for offer in model.offers)
    ]
    assert decision.chosen is not None
    assert decision.chosen.model is served[0]
    own = [candidate for candidate in decision.candidates if candidate.model is served[0]]
    assert list(decision.candidates[: len(own)]) == own
    priorities = [candidate.offer.priority or 0 for candidate in own if candidate.offer]
    assert priorities == sorted(priorities, reverse=True)
    assert len(own) == sum(offer.status == "active" for offer in served[0].offers)


def test_no_broker_lifts_a_weaker_model(shipped: Snapshot) -> None:
    """Powers never rise along the candidates, though brokers carry priorities from 50 to 150."""
    candidates = select(shipped, Request(type="llm", as_of=DAY)).candidates
    powers = [candidate.model.power_rank or 0 for candidate in candidates]
    assert all(left >= right for left, right in pairwise(powers))
    assert any(((candidate.offer and candidate.offer.priority) or 0) >= 50 for candidate in candidates)


def test_every_type_has_a_decision_and_every_model_a_place(shipped: Snapshot) -> None:
    """Each model of each type is a candidate or rejected with a reason."""
    for type_slug in shipped.types:
        decision = select(shipped, Request(type=type_slug, as_of=DAY))
        told = {candidate.model.slug for candidate in decision.candidates}
        told |= {rejection.candidate.model.slug for rejection in decision.rejected}
        assert told == {model.slug for model in shipped.of_type(type_slug)}


def test_a_price_holds_on_its_days(shipped: Snapshot) -> None:
    """gpt-5-6-sol became cheaper at openai on 2026-08-21: a limit between the two prices tells the days apart."""

    def admitted(day: str) -> bool:
        request = Request(type="llm", max_price_in="4.5", only_vendors=("openai",), as_of=day)
        return any(candidate.model.slug == "gpt-5-6-sol" for candidate in select(shipped, request).candidates)

    assert [admitted(day) for day in ("2026-08-20", "2026-08-21")] == [False, True]
