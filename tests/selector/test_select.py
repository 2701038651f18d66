"""Which model is chosen, and in which order the others follow."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from catalog.selector import Bound, Decision, Health
from tests.selector.sample import PRICE, decided, model, offer

ROUTES = list[tuple[str, str]]


def routes(decision: Decision) -> ROUTES:
    """Return model and vendor of the candidates, in order."""
    return [candidate.route for candidate in decision.candidates]


def slugs(decision: Decision) -> list[str]:
    """Return the models of the candidates, each once, in order."""
    return list(dict.fromkeys(candidate.model.slug for candidate in decision.candidates))


def codes(decision: Decision) -> dict[tuple[str, str], str]:
    """Return route → code of everything that is out."""
    return {rejection.candidate.route: rejection.code for rejection in decision.rejected}


def details(decision: Decision) -> dict[str, str]:
    """Return model → detail of everything that is out."""
    return {rejection.candidate.model.slug: rejection.detail for rejection in decision.rejected}


LADDER = (model("top", 500, "acme"), model("mid", 300, "acme"), model("low", 100, "acme"))


def test_the_strongest_active_model_is_chosen() -> None:
    """Without wishes the highest active model comes first; an inactive stronger one is out (as the predecessor)."""
    decision = decided(*LADDER, model("gone", 900, "acme", status="retired"))
    assert slugs(decision) == ["top", "mid", "low"]
    assert details(decision) == {"gone": "status retired, wanted active"}


def test_lowest_turns_the_ladder_over() -> None:
    """``lowest`` chooses the weakest active model that is ranked."""
    assert slugs(decided(*LADDER, model("new", None, "acme"), prefer="lowest")) == ["low", "mid", "top"]


def test_a_vendor_never_lifts_a_weaker_model() -> None:
    """A high vendor priority orders the offers of its model; in the predecessor it could lift the fifth best model."""
    models = [model(f"m{n}", 500 - n, offer("own", priority=1), offer("broker", priority=150)) for n in range(6)]
    assert routes(decided(*models)) == [(f"m{n}", vendor) for n in range(6) for vendor in ("broker", "own")]


def test_offers_stand_by_wish_priority_price_and_name() -> None:
    """Within a model: the vendors wished for, then higher priority (unknown last), then price, then vendor."""
    served = (
        offer("e", priority=None),
        offer("d", priority=1, price_in=None, price_out=None),
        offer("c", priority=1, price_in="2"),
        offer("b", priority=1, price_in="1"),
        offer("a", priority=1, price_in="1"),
        offer("z", priority=9),
    )
    one = model("one", 100, *served)
    assert [vendor for _, vendor in routes(decided(one))] == ["z", "a", "b", "c", "d", "e"]
    wished = decided(one, vendor_order=["e", "c"])
    assert [vendor for _, vendor in routes(wished)] == ["e", "c", "z", "a", "b", "d"]


def test_equal_power_goes_by_price_and_then_by_slug() -> None:
    """Ties end in the price of the offer that would be used, unknown last, and then in the slug."""
    models = (
        model("d", 100, offer("x", price_in=None, price_out=None)),
        model("c", 100, offer("x", price_in="1")),
        model("b", 100, offer("x", price_in="3"), offer("y", price_in="0", priority=0)),
        model("a", 100, offer("x", price_in="1")),
    )
    assert slugs(decided(*models)) == ["b", "a", "c", "d"]
    assert slugs(decided(*models, vendor_order=["x"])) == ["a", "c", "b", "d"]
    assert slugs(decided(*models, prefer="lowest")) == ["b", "a", "c", "d"]


def test_output_price_and_slug_end_a_tie() -> None:
    """Equal input prices go by output price; equal composites of different models by price and slug."""
    models = (
        model("a", 100, offer("x", price_out="3")),
        model("b", 100, offer("x", price_out="2")),
        model("d", 300, offer("x"), speed_rank=1, cost_rank=9),
        model("c", 200, offer("x"), speed_rank=5, cost_rank=9),
    )
    assert slugs(decided(*models[:2])) == ["b", "a"]
    assert slugs(decided(*models[2:], prefer="balanced")) == ["c", "d"]


def test_a_decision_never_crosses_types() -> None:
    """Models of another type are neither candidates nor rejected, however strong they are (as the predecessor)."""
    decision = decided(*LADDER, model("vector", 9999, "acme", type="embedding"))
    assert "vector" not in slugs(decision) + list(details(decision))


NEEDS: tuple[tuple[dict[str, Any], dict[str, Any], str, str], ...] = (
    ({"power": 180}, {"min_power": 200}, "min_power", "power 180 < 200"),
    ({"power": 180}, {"max_power": 100}, "max_power", "power 180 > 100"),
    ({"power": None}, {}, "unranked", "unranked: no power to compare"),
    ({"power": None}, {"allow_unknown": True}, "unranked", "unranked: no power to compare"),
    ({"context": 128_000}, {"input_tokens": 190_512}, "context", "context 128,000 < 190,512"),
    ({"context": None}, {"input_tokens": 1}, "unknown_context", "context unknown, 1 needed"),
    ({"context": None}, {"output_tokens": 1}, "unknown_context", "context unknown, 1 needed"),
    ({"context": 100_000}, {"input_tokens": 90_000, "output_tokens": 20_000}, "context", "context 100,000 < 110,000"),
    ({"max_output": 4_000}, {"output_tokens": 5_000}, "max_output", "output 4,000 < 5,000"),
    ({"max_output": None}, {"output_tokens": 5}, "unknown_max_output", "longest output unknown, 5 needed"),
    ({"inputs": "audio,text"}, {"inputs": ["image", "text"]}, "inputs", "takes audio, text, not image"),
    ({"inputs": None}, {"inputs": ["image"]}, "unknown_inputs", "inputs unknown, image needed"),
    ({"outputs": "text"}, {"outputs": ["audio"]}, "outputs", "gives text, not audio"),
    ({"outputs": None}, {"outputs": ["audio"]}, "unknown_outputs", "outputs unknown, audio needed"),
    ({"capabilities": "tools"}, {"capabilities": ["json", "tools"]}, "capabilities", "can tools, not json"),
    ({"capabilities": None}, {"capabilities": ["json"]}, "unknown_capabilities", "capabilities unknown, json needed"),
    ({"status": "preview"}, {}, "status", "status preview, wanted active"),
    ({"status": "retired"}, {"status": ["active", "preview"]}, "status", "status retired, wanted active, preview"),
)


@pytest.mark.parametrize(("facts", "wishes", "code", "detail"), NEEDS, ids=[detail for *_, detail in NEEDS])
def test_a_need_rejects_with_its_code_and_both_numbers(
    facts: dict[str, Any], wishes: dict[str, Any], code: str, detail: str
) -> None:
    """Every need has a code of its own, told with what is and what was wanted; unknown is a reason of its own."""
    decision = decided(model("x", facts.pop("power", 180), "acme", **facts), **wishes)
    assert [(rejection.code, rejection.detail) for rejection in decision.rejected] == [(code, detail)]
    assert decision.chosen is None


OFFERS: tuple[tuple[dict[str, Any], dict[str, Any], str, str], ...] = (
    ({"status": "inactive"}, {}, "offer_status", "offer inactive, wanted active"),
    ({"max_input": 50_000}, {"input_tokens": 60_000}, "context", "context 50,000 < 60,000"),
    ({"max_output": 500}, {"output_tokens": 600}, "max_output", "output 500 < 600"),
    ({"price_in": "5"}, {"max_price_in": "3"}, "price_in", "input 5 > 3 USD per 1M tokens"),
    ({"price_out": "5.25"}, {"max_price_out": 5}, "price_out", "output 5.25 > 5 USD per 1M tokens"),
    (
        {"price_in": None, "price_out": None},
        {"max_price_in": "3"},
        "unknown_price",
        "price per 1M tokens unknown, at most 3 USD wanted",
    ),
    ({}, {"never_vendors": ["acme"]}, "never_vendors", "vendor acme is ruled out"),
    ({}, {"only_vendors": ["other"]}, "only_vendors", "vendor acme is not other"),
    ({}, {"credentials": lambda vendor: vendor == "other"}, "credentials", "no credentials for acme"),
)


@pytest.mark.parametrize(("facts", "wishes", "code", "detail"), OFFERS, ids=[detail for *_, detail in OFFERS])
def test_a_need_of_an_offer_rejects_that_offer_only(
    facts: dict[str, Any], wishes: dict[str, Any], code: str, detail: str
) -> None:
    """A limit of one vendor leaves the other vendors of the model in."""
    decision = decided(model("x", 100, offer("acme", **facts), offer("other")), **wishes)
    assert [(rejection.code, rejection.detail) for rejection in decision.rejected] == [(code, detail)]
    assert routes(decision) == [("x", "other")]


def test_the_unknown_passes_where_it_is_allowed() -> None:
    """``allow_unknown`` lets every unknown fact pass, and no known one that falls short."""
    unknown = model("x", 100, offer("a", price_in=None, price_out=None), context=None, inputs=None, capabilities=None)
    needs: dict[str, Any] = {"input_tokens": 5, "inputs": ["image"], "capabilities": ["json"], "max_price_in": "1"}
    assert routes(decided(unknown, model("y", 200, "a"), allow_unknown=True, **needs)) == [("x", "a")]
    assert decided(unknown, **needs).chosen is None


def test_an_offers_input_limit_is_no_window() -> None:
    """Where the window is unknown and output is reserved, the window is unknown: a limit on the input says less."""
    nano = model("nano", 100, offer("azure", max_input=272_000, max_output=128_000), context=None)
    needs: dict[str, Any] = {"input_tokens": 272_000, "output_tokens": 32_000}
    assert [rejection.code for rejection in decided(nano, **needs).rejected] == ["unknown_context"]
    assert slugs(decided(nano, allow_unknown=True, **needs)) == ["nano"]
    assert decided(nano, allow_unknown=True, input_tokens=272_001).chosen is None


def test_zero_is_a_price_and_not_the_lack_of_one() -> None:
    """A free offer passes any limit; an unknown price passes none."""
    models = (
        model("free", 100, offer("a", price_in="0", price_out="0")),
        model("dark", 200, offer("a", price_in=None, price_out=None)),
    )
    assert slugs(decided(*models, max_price_in=0, max_price_out=0)) == ["free"]


def test_prices_are_those_of_the_day() -> None:
    """The standard tier's price that holds on the as-of date counts; outside every span the price is unknown."""
    early = PRICE._replace(input="9", valid_from="2026-01-01", valid_to="2026-06-01")
    late = PRICE._replace(input="1", valid_from="2026-06-01")
    batch = PRICE._replace(input="0.1", processing="batch")
    priority = PRICE._replace(input="0.2", tier="priority")
    one = model("x", 100, offer("a", prices=[early, late, batch, priority]))

    def price_on(day: str | None) -> object:
        chosen = decided(one, as_of=day).chosen
        assert chosen is not None
        return chosen.to_data()["price_in"]

    assert price_on("2026-05-31") == "9"
    assert price_on("2026-06-01") == "1"
    assert price_on("2025-12-31") is None
    assert price_on(None) == "1"


def test_tokens_and_dollars_come_before_other_prices() -> None:
    """An offer with several standard prices is read in USD per million tokens."""
    prices = [PRICE._replace(unit="image"), PRICE._replace(currency="EUR", input="7"), PRICE._replace(input="3")]
    decision = decided(model("x", 100, offer("a", prices=prices)), max_price_in="4")
    assert decision.chosen is not None
    assert decision.chosen.price_in == 3


def test_a_price_in_another_unit_or_currency_is_unknown_to_a_limit() -> None:
    """A limit is in USD per million tokens; what is charged by the minute or in euros cannot be held against it."""
    for change in ({"unit": "minute"}, {"currency": "EUR"}):
        one = model("x", 100, offer("a", prices=[PRICE._replace(**change)]))
        assert set(codes(decided(one, max_price_in="5")).values()) == {"unknown_price"}


def test_a_model_nobody_serves_is_out_with_that_reason() -> None:
    """A model without an offer cannot be called, and the decision says so."""
    assert details(decided(model("alone", 900), *LADDER)) == {"alone": "no vendor serves it"}


def test_nothing_left_is_a_result() -> None:
    """An empty decision has no chosen candidate and every rejection; it raises nothing (as the predecessor)."""
    decision = decided(*LADDER, credentials=lambda _: False)
    assert decision.chosen is None
    assert codes(decision) == {(slug, "acme"): "credentials" for slug in ("top", "mid", "low")}


def test_the_next_vendor_with_credentials_serves_the_same_model() -> None:
    """Credentials decide among vendors before a weaker model is taken (as the predecessor)."""
    opus = model("opus", 500, offer("anthropic", priority=1), offer("bedrock", priority=5))
    both = (opus, model("flash", 400, "google"))
    assert routes(decided(*both))[0] == ("opus", "bedrock")
    assert routes(decided(*both, credentials=lambda vendor: vendor != "bedrock"))[0] == ("opus", "anthropic")
    assert routes(decided(*both, credentials=lambda vendor: vendor == "google")) == [("flash", "google")]


class TestBound:
    """Bound models: these, in the caller's order, and what happens when they cannot be used."""

    def test_they_come_in_the_order_given(self) -> None:
        """Without a preference the caller's order holds, and power does not matter."""
        decision = decided(*LADDER, model("new", None, "acme"), bound=["low", "new", "top"], require_bound=True)
        assert slugs(decision) == ["low", "new", "top"]
        assert codes(decision) == {("mid", "acme"): "not_bound"}
        assert decision.rule.order == "bound"

    def test_higher_priority_comes_first(self) -> None:
        """Priority 99 stands before priority 1 (as the predecessor), equal ones in the order given."""
        bound = [Bound("top", 1), Bound("low", 99), Bound("mid", 99)]
        assert slugs(decided(*LADDER, bound=bound, require_bound=True)) == ["low", "mid", "top"]

    def test_a_preference_orders_equal_priorities(self) -> None:
        """``prefer`` chooses among the bound models, by power, after their priorities."""
        decision = decided(*LADDER, bound=["low", "top", Bound("mid", 5)], prefer="highest", require_bound=True)
        assert slugs(decision) == ["mid", "top", "low"]

    def test_a_vendor_may_be_pinned(self) -> None:
        """A pinned vendor comes first; the model's other vendors are a fallback like any other, nearest in power."""
        models = (model("x", 300, "a", "b"), model("y", 310, "a"))
        assert routes(decided(*models, bound=[Bound("x", 0, "b")])) == [("x", "b"), ("x", "a"), ("y", "a")]
        assert routes(decided(*models, bound=[Bound("x", 0, "b")], require_bound=True)) == [("x", "b")]

    def test_one_model_may_be_bound_once_a_vendor(self) -> None:
        """Entries stand as the caller put them, though they are of one model."""
        models = (model("x", 300, "a", "b"), model("y", 310, "a"))
        bound = [Bound("x", 3, "b"), Bound("y", 2), Bound("x", 1)]
        assert routes(decided(*models, bound=bound, require_bound=True)) == [("x", "b"), ("y", "a"), ("x", "a")]

    def test_the_fallback_is_the_nearest_in_power(self) -> None:
        """Bound models that are gone are replaced by those nearest to their weighted mean power."""
        pool = [model(f"m{power}", power, "acme") for power in (20, 25, 35, 95)]
        gone = [model("w3", 30, "acme", status="retired"), model("w1", 15, "acme", status="retired")]
        decision = decided(*pool, *gone, bound=[Bound("w3", 3), Bound("w1", 1)])
        assert slugs(decision) == ["m25", "m20", "m35", "m95"]
        assert decision.rule.to_data()["target"] == "26.25"
        assert decision.rule.fallback == "power-match"
        assert decision.rule.bound == 0

    @pytest.mark.parametrize(
        ("target", "order"),
        [(50, [50, 70, 30, 90, 10]), (0, [10, 30, 50, 70, 90]), (100, [90, 70, 50, 30, 10])],
    )
    def test_distance_decides_and_then_strength(self, target: int, order: list[int]) -> None:
        """Of two equally near ones the stronger comes first (as the predecessor)."""
        pool = [model(f"m{power}", power, "acme") for power in (10, 30, 50, 70, 90)]
        gone = model("gone", target, "acme", status="deprecated")
        assert slugs(decided(*pool, gone, bound=["gone"])) == [f"m{power}" for power in order]

    @pytest.mark.parametrize(
        ("bound", "target"),
        [
            ([(100, 7)], "100.00"),
            ([(5, 1), (100, 1)], "52.50"),
            ([(5, 1), (100, 10)], "91.36"),
            ([(5, 10), (100, 1)], "13.64"),
            ([(5, 0), (100, 0)], "52.50"),
            ([(5, 3), (50, 2), (100, 1)], "35.83"),
        ],
    )
    def test_the_target_is_the_weighted_mean(self, bound: list[tuple[int, int]], target: str) -> None:
        """Weights are priorities, 1 where they are 0 (as the predecessor), and nothing is rounded (unlike it)."""
        gone = [model(f"g{power}", power, "acme", status="retired") for power, _ in bound]
        entries = [Bound(f"g{power}", weight) for power, weight in bound]
        assert decided(*LADDER, *gone, bound=entries).rule.to_data()["target"] == target

    def test_the_fallback_follows_the_bound_ones(self) -> None:
        """Bound ones that are usable come first, then the others by distance to their mean (as the predecessor)."""
        pool = [model(f"m{power}", power, "acme") for power in (10, 40, 45, 60, 95)]
        assert slugs(decided(*pool, bound=["m40", "m60"])) == ["m40", "m60", "m45", "m10", "m95"]

    def test_a_bound_model_without_credentials_is_replaced(self) -> None:
        """What has no key is gone like what is retired (as the predecessor)."""
        models = (model("x", 300, "keyless"), model("y", 310, "acme"), model("z", 900, "acme"))
        assert routes(decided(*models, bound=["x"], credentials=lambda vendor: vendor == "acme"))[0] == ("y", "acme")

    def test_a_wished_vendor_serves_the_bound_model(self) -> None:
        """An explicit model with a preferred vendor is that pair (as the predecessor)."""
        opus = model("opus", 500, offer("bedrock", priority=1), offer("anthropic", priority=9))
        decision = decided(opus, *LADDER, bound=["opus"], vendor_order=["bedrock"])
        assert routes(decision)[:2] == [("opus", "bedrock"), ("opus", "anthropic")]

    def test_an_unranked_bound_model_does_not_pull_the_target_down(self) -> None:
        """Only ranked ones count: the predecessor read an unknown rank as 0 and chose the weakest model."""
        gone = [model("a", 400, "acme", status="retired"), model("b", None, "acme", status="retired")]
        assert slugs(decided(*LADDER, *gone, bound=["a", "b"]))[0] == "top"

    def test_without_a_ranked_one_the_whole_type_serves(self) -> None:
        """Where no bound model is ranked, the strongest of the type comes next."""
        new = model("new", None, "acme", status="preview")
        decision = decided(*LADDER, new, bound=["new"])
        assert slugs(decision) == ["top", "mid", "low"]
        assert decision.rule.fallback == "type"

    def test_usable_ones_come_before_any_fallback(self) -> None:
        """A bound model that passes comes first, whatever the power of the others."""
        decision = decided(*LADDER, bound=["low"])
        assert slugs(decision) == ["low", "mid", "top"]
        assert decision.rule.bound == 1

    def test_min_power_holds_for_all(self) -> None:
        """Bound and fallback alike must reach it; in the predecessor it held under one strategy only."""
        decision = decided(*LADDER, model("new", None, "acme"), bound=["low", "new"], min_power=200)
        assert slugs(decision) == ["mid", "top"]
        assert codes(decision) == {("low", "acme"): "min_power", ("new", "acme"): "unranked"}

    def test_required_ones_that_fail_leave_nothing(self) -> None:
        """``require_bound`` never falls back, and says why of every model (as the predecessor)."""
        decision = decided(*LADDER, bound=["low"], require_bound=True, input_tokens=10**9)
        assert decision.chosen is None
        assert codes(decision) == {
            ("low", "acme"): "context",
            ("mid", "acme"): "not_bound",
            ("top", "acme"): "not_bound",
        }


class TestBalanced:
    """The composite of power, speed and cost."""

    def test_cost_counts_against_a_model(self) -> None:
        """Equal in power and speed, the cheaper one comes first."""
        models = (
            model("dear", 300, "a", speed_rank=5, cost_rank=9),
            model("cheap", 300, "a", speed_rank=5, cost_rank=1),
        )
        assert slugs(decided(*models, prefer="balanced")) == ["cheap", "dear"]

    def test_it_is_the_mean_of_three_shares(self) -> None:
        """Each fact runs from the worst to the best among the candidates; the score is their mean."""
        models = (
            model("a", 100, "v", speed_rank=10, cost_rank=1),
            model("b", 300, "v", speed_rank=5, cost_rank=6),
            model("c", 500, "v", speed_rank=0, cost_rank=11),
        )
        balances = decided(*models, prefer="balanced").rule.balances
        assert balances is not None
        assert {slug: balances.score(slug) for slug in "abc"} == {"a": 2 / 3, "b": 1 / 2, "c": 1 / 3}

    def test_the_unknown_is_left_out_and_said_so(self) -> None:
        """A missing speed or cost is no 0 and not free: the mean is over what is known, and the rule names it."""
        models = (
            model("a", 400, "v", speed_rank=None, cost_rank=None),
            model("b", 100, "v", speed_rank=8, cost_rank=2),
            model("c", 500, "v", speed_rank=2, cost_rank=8),
        )
        rule = decided(*models, prefer="balanced").rule
        assert rule.to_data()["balances"] == {
            "c": {"score": "0.3333", "missing": []},
            "a": {"score": "0.7500", "missing": ["speed", "cost"]},
            "b": {"score": "0.6667", "missing": []},
        }

    def test_equal_values_count_a_half(self) -> None:
        """A fact in which all are equal favours nobody, also not those of which it is unknown."""
        models = (model("a", 100, "v", speed_rank=5), model("b", 300, "v", speed_rank=5), model("c", 200, "v"))
        balances = decided(*models, prefer="balanced").rule.balances
        assert balances is not None
        assert {slug: balances.score(slug) for slug in "abc"} == {"a": 1 / 4, "b": 3 / 4, "c": 1 / 2}

    def test_a_power_matched_fallback_is_not_measured(self) -> None:
        """Only bound models are balanced where the others are matched in power; where none is left, nothing is."""
        gone = model("gone", 300, "acme", status="retired")
        rule = decided(*LADDER, gone, bound=["gone", "low", "top"], prefer="balanced").rule
        assert rule.balances is not None
        assert set(rule.balances.points) == {"low", "top"}
        assert decided(*LADDER, gone, bound=["gone"], prefer="balanced").rule.balances is None

    def test_only_the_eligible_set_the_measure(self) -> None:
        """A rejected model stretches no span: with and without it the decision is the same."""
        models = [model(f"m{n}", 100 + 50 * n, "v", speed_rank=9 - n, cost_rank=n) for n in range(5)]
        huge = model("huge", 9000, "v", context=10, speed_rank=99, cost_rank=99)
        wishes: dict[str, Any] = {"prefer": "balanced", "input_tokens": 1000}
        assert slugs(decided(*models, huge, **wishes)) == slugs(decided(*models, **wishes))


class TestCooling:
    """A view of what is cooling down."""

    def test_a_cooling_route_is_out_with_time_and_reason(self) -> None:
        """The other vendor of the model serves; the rejection says for how long and why."""
        health = Health(clock=lambda: 0.0)
        health.failed("top", "a", whole_vendor=False, reason="status 503")
        models = (model("top", 500, "a", "b"), model("mid", 300, "b"))
        decision = decided(*models, health=health.cooling())
        assert routes(decision)[0] == ("top", "b")
        assert details(decision) == {"top": "cooling down for 30 s more: status 503"}

    def test_the_last_resort_is_asked_for(self) -> None:
        """When all is cooling down nothing is chosen, unless the request says so; then the rule says it too."""
        health = Health(clock=lambda: 0.0)
        health.failed("any", "acme", whole_vendor=True, reason="status 401")
        assert decided(*LADDER, health=health.cooling()).chosen is None
        decision = decided(*LADDER, health=health.cooling(), last_resort=True)
        assert slugs(decision) == ["top", "mid", "low"]
        assert decision.rule.last_resort

    def test_the_last_resort_is_last(self) -> None:
        """While anything else is left, what is cooling down stays out, and the longer of two cool-downs is told."""
        health = Health(clock=lambda: 0.0)
        health.failed("top", "acme", whole_vendor=False, reason="status 503")
        health.failed("any", "acme", whole_vendor=True, reason="status 401")
        health.failed("none", "nobody", whole_vendor=False, reason="status 503")
        decision = decided(*LADDER, model("weak", 1, "other"), health=health.cooling(), last_resort=True)
        assert routes(decision) == [("weak", "other")]
        assert details(decision)["top"] == "cooling down for 300 s more: status 401"
        assert not decision.rule.last_resort


class Mute(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


class TestCredentials:
    """A predicate is other people's code."""

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            (lambda _: 1 / 0, "the predicate raised ZeroDivisionError: division by zero"),
            (lambda _: (_ for _ in ()).throw(Mute), "the predicate raised Mute"),
            (lambda _: "yes", "the predicate answered 'yes', neither true nor false"),
            (lambda _: None, "the predicate answered None, neither true nor false"),
            (lambda _: sys.exit(3), "the predicate raised SystemExit: 3"),
        ],
    )
    def test_what_it_does_wrong_is_contained_and_told(self, answer: Any, told: str) -> None:
        """It leaves its vendor out with the reason; the vendor it can answer for is used."""
        decision = decided(
            model("x", 100, "bad", "good"), credentials=lambda vendor: vendor == "good" or answer(vendor)
        )
        assert routes(decision) == [("x", "good")]
        assert details(decision) == {"x": f"credentials for bad cannot be told: {told}"}

    def test_a_vendor_is_asked_once(self) -> None:
        """However many models a vendor serves, and only vendors that could still be chosen."""
        asked: list[str] = []
        models = [model(f"m{n}", 100 + n, "a", "b") for n in range(5)] + [model("weak", 1, "c")]

        def predicate(vendor: str) -> bool:
            asked.append(vendor)
            return True

        decided(*models, credentials=predicate, min_power=50)
        assert asked == ["a", "b"]
