"""The rebase: evidence first, ordinals where there is none, the same plan every time."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from catalog.ranks import legacy
from catalog.ranks.evidence import Evidence, Scale
from catalog.ranks.placement import Placement
from catalog.ranks.rebase import LEGACY_SOURCE, RebasePlan, plan
from tests.ranks import made

GOLDEN = {
    "mixtral-8x7b": 51,
    "mistral-small-3-2": 82,
    "gpt-5-6-luna": 373,
    "kimi-k2": 127,
    "mistral-medium-3-5": 142,
    "kimi-k2-5": 235,
    "qwen3-6-plus": 270,
    "claude-sonnet-4-5": 207,
    "grok-4": 225,
    "qwen3-6-max-preview": 284,
    "claude-sonnet-5": 382,
    "claude-opus-4-5": 291,
    "claude-opus-4-8": 418,
    "grok-4-5": 388,
    "claude-fable-5": 496,
    "claude-opus-5-fast": 508,
    "gemini-3-1-pro": 297,
    "deepseek-v4-flash-0420": 242,
}
"""Ranks worked out by hand from the index's published values, before there was any code."""


def _rows(found: RebasePlan) -> dict[str, Placement]:
    return {row.placement.slug: row.placement for row in found.rows}


@pytest.mark.parametrize("slug", GOLDEN)
def test_the_golden_run(plans: Mapping[str, RebasePlan], slug: str) -> None:
    """On the real data every model of the golden run gets the rank worked out by hand."""
    assert _rows(plans["llm"])[slug].power_rank == GOLDEN[slug]


def test_exactly_one_legacy_rank_is_void(plans: Mapping[str, RebasePlan]) -> None:
    """On the real data exactly DeepSeek V4 Flash contradicts its ordinal by more than 2.5 robust σ."""
    assert [slug for slug, found in _rows(plans["llm"]).items() if "outlier" in found.flags] == [
        "deepseek-v4-flash-0420"
    ]
    assert any(slug == "deepseek-v4-flash-0420" and "outlier" in why for slug, why in plans["llm"].signoff)


def test_three_publishers_against_one_are_a_conflict(plans: Mapping[str, RebasePlan]) -> None:
    """Gemini 3.1 Pro keeps the rank of its own evidence, with the widest interval of all that were measured."""
    rows = _rows(plans["llm"])
    assert "conflict" in rows["gemini-3-1-pro"].flags
    assert rows["gemini-3-1-pro"].high - rows["gemini-3-1-pro"].low > 80


def test_every_model_is_ranked_or_says_why_not(legacy: Mapping[str, Evidence], plans: Mapping[str, RebasePlan]) -> None:
    """Each model of each type is in exactly one of the two lists; ranks lie in their interval and on their scale."""
    for slug, evidence in legacy.items():
        ranked, unranked = set(_rows(plans[slug])), {name for name, why in plans[slug].unranked if why}
        assert ranked | unranked == set(evidence.models)
        assert not ranked & unranked
        for found in _rows(plans[slug]).values():
            assert 1 <= found.low <= found.power_rank <= found.high
            assert found.high <= (evidence.scale.max_rank or 10_000)
            assert found.source
            assert found.index_version
            assert found.as_of


def test_an_ordinal_never_moves_a_measured_model(
    legacy: Mapping[str, Evidence], plans: Mapping[str, RebasePlan]
) -> None:
    """Turning all ordinals upside down changes no rank that rests on evidence."""
    turned = {
        slug: replace(model, legacy_ordinal=model.legacy_ordinal and 99 - model.legacy_ordinal)
        for slug, model in legacy["llm"].models.items()
    }
    upside_down = _rows(plan(replace(legacy["llm"], models=turned)))
    for slug, found in _rows(plans["llm"]).items():
        if not found.method.startswith("legacy-"):
            assert upside_down[slug].power_rank == found.power_rank


def test_legacy_only_models_tie_with_a_wide_interval(plans: Mapping[str, RebasePlan]) -> None:
    """Models with one ordinal and no evidence share a rank, over a hundred ranks either way, and are no anchors."""
    found = [row for row in plans["llm"].rows if row.placement.method == "legacy-interpolated"]
    by_ordinal: dict[int | None, set[int]] = {}
    for row in found:
        by_ordinal.setdefault(row.legacy_ordinal, set()).add(row.placement.power_rank)
        assert row.placement.high - row.placement.power_rank > 100
        assert not row.placement.measured
        assert row.placement.source == LEGACY_SOURCE
    assert all(len(ranks) == 1 for ranks in by_ordinal.values())
    levels = [next(iter(by_ordinal[ordinal])) for ordinal in sorted(by_ordinal, key=lambda own: own or 0)]
    assert levels == sorted(levels)


def test_the_plan_does_not_depend_on_the_order_of_its_evidence(legacy: Mapping[str, Evidence]) -> None:
    """Shuffled models and scores give the same rows and the same hash."""
    for evidence in legacy.values():
        scores, models = list(evidence.scores), list(evidence.models.items())
        random.Random(3).shuffle(scores)
        random.Random(4).shuffle(models)
        assert plan(replace(evidence, scores=tuple(scores), models=dict(models))) == plan(evidence)


def test_another_score_is_another_plan(legacy: Mapping[str, Evidence]) -> None:
    """The hash names exactly one plan: a tenth of a point elsewhere changes it."""
    first, *rest = (score for score in legacy["stt"].scores)
    changed = replace(legacy["stt"], scores=(replace(first, value=first.value + 0.5), *rest))
    assert plan(changed).hash != plan(legacy["stt"]).hash


def test_special_types_use_fifteen_to_fifty_five(plans: Mapping[str, RebasePlan]) -> None:
    """The worst and best model of a reference release rank 15 and 55, also where lower is better."""
    for slug in ("embedding", "reranker", "image", "stt", "tts", "video"):
        ranks = [found.power_rank for found in _rows(plans[slug]).values() if found.method == "base-map"]
        assert (min(ranks), max(ranks)) == (15, 55)


def test_types_without_an_index_spread_their_ordinals(plans: Mapping[str, RebasePlan]) -> None:
    """Realtime and decision models rank by ordinal alone, lowest at 15 and highest at 55, and anchor nothing."""
    for slug in ("realtime", "decision"):
        rows = plans[slug].rows
        assert {row.placement.method for row in rows} <= {"legacy-ordinal", "same-weights"}
        assert (rows[-1].placement.power_rank, rows[0].placement.power_rank) == (15, 55)
        ordinals = [row.legacy_ordinal or 0 for row in rows]
        assert ordinals == sorted(ordinals, reverse=True)
        assert not any(row.placement.measured for row in rows)


def test_estimated_rows_rank_but_never_anchor(locked: Mapping[str, Evidence]) -> None:
    """A converted score ranks with a half-width of 33 or more and the flag estimated, and is not measured."""
    opus = locked["llm"].models["claude-opus-4-5"]
    assert (opus.power_rank, opus.rank_measured) == (291, False)
    assert (opus.high or 0) - 291 >= 33


def test_few_ordinals_predict_nothing() -> None:
    """With four models that have both evidence and an ordinal, a fifth with an ordinal alone stays unranked."""
    models = [made.model(f"m-{n}", legacy_ordinal=n) for n in range(5)]
    scores = [made.score(n, made.REFERENCE, f"m-{n}", 10.0 * n) for n in range(1, 5)]
    found = plan(made.evidence(models, scores))
    assert [slug for slug, _ in found.unranked] == ["m-0"]
    assert "fewer than 5" in found.unranked[0][1]


def test_a_sibling_takes_over_and_a_circle_stays_unranked() -> None:
    """Same-weights chains end in the head's rank; a circle has no head and says so."""
    models = [
        made.model("head"),
        made.model("fast", same_weights_as="head"),
        made.model("faster", same_weights_as="fast"),
        made.model("a", same_weights_as="b"),
        made.model("b", same_weights_as="a"),
    ]
    found = plan(made.evidence(models, [made.score(1, made.REFERENCE, "head", 45.0)]))
    assert {slug: row.power_rank for slug, row in _rows(found).items()} == {"head": 450, "fast": 450, "faster": 450}
    assert [slug for slug, _ in found.unranked] == ["a", "b"]


def test_moves_are_measured_in_places_on_the_ladder() -> None:
    """A model that goes from the bottom to the top of five moves 80 %; the others make room."""
    moves = legacy.moved({slug: n for n, slug in enumerate("abcde")}, {"a": 900, "b": 1, "c": 2, "d": 3, "e": 4})
    assert moves == pytest.approx({"a": 80, "b": -20, "c": -20, "d": -20, "e": -20})


def test_models_level_with_each_other_share_a_place() -> None:
    """Models on one rung stand in its middle: of two that parted, one moves up as far as the other moves down."""
    assert legacy.moved({"a": 7, "b": 7, "c": 9, "d": 9}, {"a": 1, "b": 2, "c": 5, "d": 5}) == {
        "a": -12.5,
        "b": 12.5,
        "c": 0,
        "d": 0,
    }


def test_an_estimated_row_moves_no_linked_model() -> None:
    """What links place is the same whether or not an estimated row of the reference has a score there, too."""
    models = [made.model(f"m-{n}") for n in range(8)] + [made.model("soft"), made.model("linked")]
    scores = [made.score(n, made.REFERENCE, f"m-{n}", 10.0 + 5 * n) for n in range(8)]
    scores += [made.score(10 + n, made.LINK, f"m-{n}", 20.0 + 6 * n) for n in range(8)]
    scores += [made.score(20, made.LINK, "linked", 41.0), made.score(21, made.REFERENCE, "soft", 90.0, estimated=True)]
    without = _rows(plan(made.evidence(models, scores)))["linked"]
    assert _rows(plan(made.evidence(models, [*scores, made.score(22, made.LINK, "soft", 41.0)])))["linked"] == without


def test_the_ladder_is_the_isotonic_regression_of_medians() -> None:
    """Each rung's median counts once per model; rungs in the wrong order are pooled; beyond the ends it is constant."""
    known = {
        "a": (1, 10.0, True),
        "b": (1, 20.0, True),
        "c": (1, 90.0, True),
        "d": (2, 5.0, True),
        "e": (4, 100.0, True),
    }
    found = legacy.ladder({**known, "gone": (2, 900.0, False)})
    assert found is not None
    assert found.levels == ((1.0, 16.25), (2.0, 16.25), (4.0, 100.0))
    assert [legacy.predicted(found.levels, ordinal) for ordinal in (0, 3, 9)] == [16.25, 58.125, 100.0]


def test_ten_thousand_models_in_ten_seconds() -> None:
    """Ten thousand models, a third of them linked and a third with an ordinal alone, are planned within ten seconds."""
    dice = random.Random(5)
    models = [made.model(f"m-{n:05}", legacy_ordinal=dice.randint(1, 5000)) for n in range(10_000)]
    scores = []
    for number, model in enumerate(models):
        truth = dice.uniform(1, 90)
        if number % 3 == 0:
            scores.append(made.score(2 * number, made.REFERENCE, model.slug, round(truth, 1)))
        if number % 3 <= 1:
            scores.append(made.score(2 * number + 1, made.LINK, model.slug, round(truth + dice.gauss(0, 2), 1)))
    start = time.perf_counter()
    found = plan(made.evidence(models, scores))
    assert len(found.rows) == 10_000
    assert time.perf_counter() - start < 10


def test_a_rank_beyond_a_closed_scale_is_not_given() -> None:
    """A reference score that would read more than 99 on a closed scale leaves its model unranked, with the reason."""
    ruler = Scale(
        type="llm", reference=made.REFERENCE, score_low=0, rank_low=15, score_high=10, rank_high=55, max_rank=99
    )
    found = plan(made.evidence([made.model("m")], [made.score(1, made.REFERENCE, "m", 50.0)], ruler=ruler))
    assert "end at 99" in found.unranked[0][1]
