"""What holds for every catalog and every request."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from catalog.selector import Bound, Decision, Request, select, why_not
from catalog.snapshot import Model, Snapshot
from tests.selector.sample import model, offer, snapshot

VENDORS = ("a", "b", "c")
PRICES = st.sampled_from([None, "0", "0.5", "1", "2", "10"])
OFFERS = st.builds(
    offer,
    st.sampled_from(VENDORS),
    price_in=PRICES,
    price_out=PRICES,
    priority=st.sampled_from([None, 0, 1, 5]),
    status=st.sampled_from(["active", "active", "active", "inactive"]),
    max_input=st.sampled_from([None, None, 50_000]),
)
FACTS = st.fixed_dictionaries(
    {
        "power": st.one_of(st.none(), st.sampled_from([100, 200, 200, 300]), st.integers(1, 600)),
        "offers": st.lists(OFFERS, max_size=3, unique_by=lambda served: served.vendor),
        "context": st.sampled_from([None, 30_000, 200_000]),
        "status": st.sampled_from(["active", "active", "active", "preview", "retired"]),
        "speed_rank": st.one_of(st.none(), st.integers(1, 12)),
        "cost_rank": st.one_of(st.none(), st.integers(1, 12)),
        "inputs": st.sampled_from([None, "text", "image,text"]),
    }
)


def _model(slug: str, facts: Mapping[str, Any]) -> Model:
    named = {name: value for name, value in facts.items() if name not in ("power", "offers")}
    return model(slug, facts["power"], *facts["offers"], **named)


def _catalog(found: Sequence[Mapping[str, Any]]) -> Snapshot:
    return snapshot(*[_model(f"m{number}", facts) for number, facts in enumerate(found)], model("z", 1, *VENDORS))


CATALOGS = st.lists(FACTS, min_size=2, max_size=9).map(_catalog)
BOUND = st.lists(
    st.builds(Bound, st.sampled_from(["m0", "m1", "z"]), st.integers(0, 3), st.none()),
    min_size=1,
    max_size=3,
    unique_by=lambda bound: bound.model,
)
WISHES = st.fixed_dictionaries(
    {},
    optional={
        "prefer": st.sampled_from(["highest", "balanced", "lowest"]),
        "min_power": st.integers(0, 400),
        "bound": BOUND,
        "input_tokens": st.sampled_from([1_000, 40_000, 100_000]),
        "inputs": st.just(["image"]),
        "status": st.just(["active", "preview"]),
        "max_price_in": st.sampled_from(["0.5", "2"]),
        "never_vendors": st.just(["b"]),
        "vendor_order": st.permutations(VENDORS),
        "allow_unknown": st.booleans(),
    },
)


def _decided(catalog: Snapshot, wishes: Mapping[str, Any]) -> Decision:
    return select(catalog, Request(type="llm", **wishes))


def _with(catalog: Snapshot, models: Mapping[str, Model]) -> Snapshot:
    return replace(catalog, models=MappingProxyType(dict(models)))


@given(CATALOGS, WISHES, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(catalog: Snapshot, wishes: dict[str, Any], chance: random.Random) -> None:
    """Models and offers in any order give the same bytes."""
    models = [
        found._replace(offers=tuple(chance.sample(found.offers, len(found.offers))))
        for found in catalog.models.values()
    ]
    chance.shuffle(models)
    shuffled = _with(catalog, {found.slug: found for found in models})
    assert _decided(shuffled, wishes).to_json() == _decided(catalog, wishes).to_json()


@given(CATALOGS, WISHES)
def test_every_offer_is_a_candidate_or_rejected_once(catalog: Snapshot, wishes: dict[str, Any]) -> None:
    """Nothing is lost: each offer, and each model without one, has one place, and "why not" an answer."""
    decision = _decided(catalog, wishes)
    told = [candidate.route for candidate in decision.candidates]
    told += [rejection.candidate.route for rejection in decision.rejected]
    expected = [(found.slug, served.vendor) for found in catalog.models.values() for served in found.offers]
    expected += [(found.slug, "") for found in catalog.models.values() if not found.offers]
    assert sorted(told) == sorted(expected)
    for slug in catalog.models:
        assert slug in why_not(decision, slug).text


@given(CATALOGS, WISHES)
def test_a_rejected_model_has_no_say(catalog: Snapshot, wishes: dict[str, Any]) -> None:
    """Without a rejected candidate that is not bound, the same one is chosen."""
    decision = _decided(catalog, wishes)
    bound = {entry.model for entry in wishes.get("bound", ())}
    for rejection in decision.rejected:
        slug, vendor = rejection.candidate.route
        if slug in bound:
            continue
        found = catalog.models[slug]
        left = tuple(served for served in found.offers if served.vendor != vendor)
        models = {**catalog.models, slug: found._replace(offers=left)}
        if not left:
            del models[slug]
        again = _decided(_with(catalog, models), wishes)
        assert _route(again) == _route(decision)


@given(CATALOGS, WISHES, st.integers(1, 500))
def test_a_higher_rank_never_unchooses(catalog: Snapshot, wishes: dict[str, Any], more: int) -> None:
    """Under ``highest`` the chosen model stays chosen when its rank rises; only a power-match looks for nearness."""
    wishes = {**wishes, "prefer": "highest"}
    decision = _decided(catalog, wishes)
    chosen = decision.chosen
    if chosen is None or chosen.model.power_rank is None or (decision.rule.target and not decision.rule.bound):
        return
    raised = chosen.model._replace(power_rank=chosen.model.power_rank + more)
    again = _decided(_with(catalog, {**catalog.models, raised.slug: raised}), wishes)
    assert _route(again) == chosen.route


@given(CATALOGS, WISHES)
def test_a_stronger_model_never_stands_behind_a_weaker_one(catalog: Snapshot, wishes: dict[str, Any]) -> None:
    """Under ``highest`` powers never rise along the candidates, and a model's offers stand together."""
    wishes = {name: wish for name, wish in wishes.items() if name not in ("prefer", "bound")}
    candidates = _decided(catalog, wishes).candidates
    powers = [candidate.model.power_rank or 0 for candidate in candidates]
    assert powers == sorted(powers, reverse=True)
    changes = sum(left.model.slug != right.model.slug for left, right in pairwise(candidates))
    assert changes == max(len({candidate.model.slug for candidate in candidates}) - 1, 0)


@given(CATALOGS, WISHES)
def test_min_power_holds_for_every_candidate(catalog: Snapshot, wishes: dict[str, Any]) -> None:
    """Whatever else is asked, nothing weaker and nothing unranked is offered."""
    decision = _decided(catalog, {**wishes, "min_power": 150})
    assert all((candidate.model.power_rank or 0) >= 150 for candidate in decision.candidates)


def _route(decision: Decision) -> tuple[str, str] | None:
    return decision.chosen.route if decision.chosen else None
