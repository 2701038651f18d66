"""Placing a newcomer: monotone, independent of what came before it, honest about its interval."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catalog.errors import GateError, NotFoundError
from catalog.ranks.evidence import Evidence, anchors, spoken_of
from catalog.ranks.placement import Placement, place
from tests.ranks import made

GOOD = [(10.0, 100), (20.0, 210), (30.0, 290), (40.0, 410), (50.0, 500), (55.0, 560)]
NEWCOMERS = st.lists(
    st.tuples(st.integers(50, 590).map(lambda tenths: tenths / 10), st.booleans()), min_size=1, max_size=5
)


def _placed(base: Evidence, value: float, *, extrapolate: bool = False) -> Placement | None:
    try:
        return place(made.with_newcomer(base, value), "new", extrapolate=extrapolate)
    except GateError:
        return None


def _entered(base: Evidence, slug: str, found: Placement) -> Evidence:
    """Return the evidence after a newcomer is locked."""
    entered = replace(
        base.models[slug],
        power_rank=found.power_rank,
        low=found.low,
        high=found.high,
        as_of=found.as_of,
        source=found.source,
        index_version=found.index_version,
        rank_release=found.release,
        rank_action="entry",
        rank_method=found.method,
        rank_measured=found.measured,
    )
    return replace(base, models={**base.models, slug: entered})


@given(made.points, st.lists(st.integers(-50, 650).map(lambda tenths: tenths / 10), min_size=2, max_size=8))
def test_a_higher_score_never_ranks_lower(pairs: list[tuple[float, int]], values: list[float]) -> None:
    """Placement is monotone in the score, between the anchors and beyond them."""
    found = [_placed(made.anchored(pairs), value, extrapolate=True) for value in sorted(values)]
    ranks = [one.power_rank for one in found if one is not None]
    assert all(low <= high for low, high in pairwise(ranks))


@settings(max_examples=5)  # each places seven newcomers among three hundred anchors
@given(st.integers(0, 2**32), st.integers(301, 420))
def test_it_stays_monotone_with_more_than_three_hundred_anchors(seed: int, count: int) -> None:
    """Thinning the anchors does not look at the newcomer, so placement stays monotone; the nearest five are kept."""
    dice = random.Random(seed)
    pairs = [
        (score, max(1, round(10 * score + dice.gauss(0, 40)))) for score in (dice.uniform(0, 60) for _ in range(count))
    ]
    base = made.anchored(pairs)
    values = sorted(dice.uniform(1, 59) for _ in range(4))
    close = sorted([values[0] + step / 1000 for step in range(3)])
    found = [place(made.with_newcomer(base, value), "new", extrapolate=True) for value in sorted([*values, *close])]
    assert all(low.power_rank <= high.power_rank for low, high in pairwise(found))
    assert all(len(one.anchors) <= 300 for one in found)
    near = sorted(base.scores, key=lambda score: score.value)
    below = [score.model for score in near if score.value < values[0]][-5:]
    above = [score.model for score in near if score.value >= values[0]][:5]
    assert {*below, *above} <= set(found[0].anchors)


@given(st.sets(st.integers(0, 600), min_size=6, max_size=25), st.integers(0, 600))
def test_between_its_neighbours(tenths: set[int], tenth: int) -> None:
    """Among anchors in clean order a newcomer lies strictly between its neighbours, or ties and says so."""
    pairs = [(own / 10, 1 + 3 * place + own // 2) for place, own in enumerate(sorted(tenths))]
    base = made.anchored(pairs)
    found = _placed(base, tenth / 10)
    assume(found is not None)
    assert found is not None
    below, above = (None if slug is None else base.models[slug].power_rank for slug in found.neighbours)
    assert below is not None
    if "tie" in found.flags:
        assert found.power_rank in (below, above)
    else:
        assert above is not None
        assert below < found.power_rank < above


def test_the_score_of_an_anchor_ties_with_it() -> None:
    """With an anchor's very score, in clean order, a newcomer takes its rank and the flag says tie."""
    found = place(made.with_newcomer(made.anchored(GOOD), 40.0), "new")
    assert found.power_rank == 410
    assert "tie" in found.flags
    assert found.neighbours == ("m-0003", "m-0004")


@given(NEWCOMERS, st.integers(50, 550).map(lambda tenths: tenths / 10), st.randoms())
def test_a_rank_does_not_depend_on_what_came_before_through_the_same_release(
    earlier: list[tuple[float, bool]], value: float, dice: random.Random
) -> None:
    """Whatever entered before through the same release, in whatever order, rank and interval are the same."""
    base = made.anchored(GOOD)
    base = replace(
        base,
        scores=(*base.scores, *(made.score(100 + n, "eci@1", slug, 100 + n) for n, slug in enumerate(base.models))),
    )
    for number, (own, also_eci) in enumerate(earlier):
        base = made.with_newcomer(base, own, slug=f"e-{number}")
        if also_eci:
            base = made.with_newcomer(base, 90 + own / 2, slug=f"e-{number}", release="eci@1")
    base = made.with_newcomer(made.with_newcomer(base, value), 103.0, release="eci@1")
    alone = place(base, "new", extrapolate=True)
    slugs = [f"e-{number}" for number in range(len(earlier))]
    expected = {slug: place(base, slug, extrapolate=True) for slug in slugs}
    dice.shuffle(slugs)
    for slug in slugs:
        assert place(base, slug, extrapolate=True) == expected[slug]
        base = _entered(base, slug, expected[slug])
    assert place(base, "new", extrapolate=True) == alone


def test_what_entered_through_another_release_is_an_anchor() -> None:
    """A model that entered through the reference anchors other releases, but not the reference itself."""
    base = made.with_newcomer(made.anchored(GOOD, release=made.REFERENCE), 35.0, slug="first", release=made.REFERENCE)
    base = _entered(base, "first", place(base, "first"))
    base = replace(base, scores=(*base.scores, made.score(99, made.LINK, "first", 44.0)))
    assert "first" in [anchor.slug for anchor in anchors(base, made.LINK)]
    assert "first" not in [anchor.slug for anchor in anchors(base, made.REFERENCE)]
    assert len(anchors(base, made.REFERENCE)) == len(GOOD)


@pytest.mark.parametrize(
    "change", [{"status": "retired"}, {"rank_measured": False}, {"power_rank": None}, {"rank_release": made.LINK}]
)
def test_who_is_no_anchor(change: dict[str, object]) -> None:
    """Retired, never measured, unranked, or ranked through the very release: none of these anchors it."""
    base = made.anchored(GOOD)
    changed = replace(base, models={**base.models, "m-0002": replace(base.models["m-0002"], **change)})  # type: ignore[arg-type]
    assert "m-0002" not in [anchor.slug for anchor in anchors(changed, made.LINK)]


def test_a_score_that_was_only_estimated_is_no_anchor() -> None:
    """A measured rank does not anchor a release that only estimated the model."""
    base = made.anchored(GOOD)
    base = replace(base, scores=tuple(replace(score, estimated=score.model == "m-0002") for score in base.scores))
    assert [anchor.slug for anchor in anchors(base, made.LINK)] == ["m-0000", "m-0001", "m-0003", "m-0004", "m-0005"]


def test_placing_a_ranked_model_again_asks_the_others_only() -> None:
    """A model whose locked rank is far off is placed by the other anchors alone, as if it were new."""
    right = [(float(score), 10 * score) for score in range(10, 60, 5)]
    wrong = made.anchored([(score, 900 if score == 30 else rank) for score, rank in right])
    without = made.anchored([pair for pair in right if pair[0] != 30])
    found = place(wrong, "m-0004")
    assert found.power_rank == place(made.with_newcomer(without, 30.0), "new").power_rank == 300
    assert "m-0004" not in found.anchors


def test_the_highest_measured_effort_speaks() -> None:
    """The highest measured effort speaks, the newest of it, and an estimate only where nothing is measured."""
    said = [
        made.score(1, made.LINK, "m", 30.0, effort="medium"),
        made.score(2, made.LINK, "m", 41.0, effort="max", as_of="2026-09-01"),
        made.score(3, made.LINK, "m", 42.0, effort="max"),
        made.score(4, made.LINK, "m", 50.0, effort="max", estimated=True, as_of="2026-11-01"),
    ]
    models = [made.model("m")]
    found = [spoken_of(made.evidence(models, own), "m").get(made.LINK) for own in (said, said[:1], said[3:], [])]
    assert [one and one.id for one in found] == [3, 1, 4, None]


def test_under_the_reference_a_newcomer_lands_on_the_base_map(locked: Mapping[str, Evidence]) -> None:
    """A newcomer with 45.0 under aa@4.3 ranks 450, give or take one, within ±8.2 rounded outwards."""
    base = locked["llm"]
    entered = replace(base, models={**base.models, "new": made.model("new")})
    score = made.score(10**6, made.REFERENCE, "new", 45.0)
    found = place(replace(entered, scores=(*base.scores, score)), "new")
    assert abs(found.power_rank - 450) <= 1
    assert (found.low, found.high) == (found.power_rank - 9, found.power_rank + 9)


def test_lower_is_better_is_turned_round_once() -> None:
    """Under a word error rate a lower value ranks higher, the neighbours included."""
    releases = {
        "wer@1": replace(made.RELEASES[made.LINK], key="wer@1", type="stt", higher_is_better=False, preference=1)
    }
    listed = [(f"m-{n}", 8.0 - n / 2, 15 + 8 * n) for n in range(6)]
    models = [made.model(slug, rank, type="stt", rank_release="wer@1") for slug, _, rank in listed]
    scores = [made.score(n, "wer@1", slug, value) for n, (slug, value, _) in enumerate(listed, start=1)]
    base = made.evidence(models, scores, ruler=made.SMALL, releases=releases)
    found = place(made.with_newcomer(base, 6.2, release="wer@1"), "new")
    assert 39 < found.power_rank < 47
    assert found.neighbours == ("m-3", "m-4")


def test_above_the_frontier_needs_a_word_and_is_never_clamped() -> None:
    """Above all anchors a placement is refused unless asked for; then it exceeds 1000 freely, wider and flagged."""
    base = made.anchored([(score, rank * 2) for score, rank in GOOD])
    assert _placed(base, 60.0) is None
    inside = place(made.with_newcomer(base, 50.0), "new")
    found = place(made.with_newcomer(base, 60.0), "new", extrapolate=True)
    far = place(made.with_newcomer(base, 90.0), "new", extrapolate=True)
    assert 1120 < found.power_rank < far.power_rank
    assert "extrapolated" in found.flags
    assert inside.high - inside.low < found.high - found.low < far.high - far.low


def test_below_all_anchors_the_floor_is_one() -> None:
    """However low the score, the rank is at least 1."""
    found = place(made.with_newcomer(made.anchored(GOOD), 0.0), "new", extrapolate=True)
    far = place(made.with_newcomer(made.anchored(GOOD), -500.0), "new", extrapolate=True)
    assert found.power_rank < 100
    assert (far.power_rank, far.low) == (1, 1)


def test_a_closed_scale_refuses_what_lies_beyond_it() -> None:
    """On a scale that ends at 99 a placement of 100 or more is refused; it needs a correction by hand."""
    ruler = replace(made.RULER, max_rank=99)
    base = replace(made.anchored([(score, rank // 6) for score, rank in GOOD]), scale=ruler)
    with pytest.raises(GateError) as caught:
        place(made.with_newcomer(base, 80.0), "new", extrapolate=True)
    assert caught.value.gate == "ceiling"
    assert place(made.with_newcomer(base, 54.0), "new").high <= 99


def test_the_same_weights_share_the_rank() -> None:
    """A model with another's weights takes its rank, interval and provenance; it is refused if that one has none."""
    base = made.anchored(GOOD)
    twin = made.model("twin", same_weights_as="m-0003")
    found = place(replace(base, models={**base.models, "twin": twin}), "twin")
    head = base.models["m-0003"]
    assert (found.power_rank, found.low, found.high, found.as_of) == (head.power_rank, head.low, head.high, head.as_of)
    assert found.method == "same-weights"
    alone = made.evidence([twin, made.model("m-0003")], [])
    with pytest.raises(GateError, match="not ranked"):
        place(alone, "twin")


def _judged(others: Sequence[tuple[str, float]]) -> Placement:
    """Return the placement of a newcomer at 35.0 that other publishers, on the same ruler, read elsewhere."""
    dice = random.Random(7)
    pairs = [(float(score), 10 * score + dice.randint(-4, 4)) for score in range(5, 60, 3)]
    base = made.anchored(pairs)
    for release, value in others:
        said = [made.score(1000 + len(base.scores) + n, release, f"m-{n:04}", own) for n, (own, _) in enumerate(pairs)]
        base = made.with_newcomer(replace(base, scores=(*base.scores, *said)), value, release=release)
    return place(made.with_newcomer(base, 35.0), "new")


def test_two_other_publishers_on_one_side_are_a_conflict() -> None:
    """Two publishers that read far higher leave the rank, widen the interval and raise the flag; one alone disputes."""
    alone, one, two = _judged([]), _judged([("eci@1", 55.0)]), _judged([("eci@1", 55.0), ("bench@1", 53.0)])
    assert alone.power_rank == one.power_rank == two.power_rank
    assert ("disputed" in one.flags, "conflict" in two.flags) == (True, True)
    assert alone.high - alone.low == one.high - one.low < two.high - two.low


def test_agreement_of_another_publisher_confirms() -> None:
    """Another publisher that reads the same confirms; a sanity release may say so too."""
    assert "confirmed" in _judged([("eci@1", 35.2)]).flags
    assert "confirmed" in _judged([("arena@on", 34.9)]).flags


def test_one_publisher_has_one_vote() -> None:
    """A second release of the publisher that placed the model says nothing more."""
    assert _judged([(made.REFERENCE, 34.0)]).working.votes == ()  # type: ignore[union-attr]


def test_a_release_that_cannot_link_is_passed_over() -> None:
    """With too few anchors under the preferred release the next one places, and the placement says why."""
    base = made.with_newcomer(made.with_newcomer(made.anchored(GOOD), 35.0), 33.0, release=made.REFERENCE)
    found = place(base, "new")
    assert found.release == made.LINK
    assert "fell-back" in found.flags
    assert found.working is not None
    assert found.working.passed_over == ((made.REFERENCE, "aa@4.3 has 0 anchors, 5 are needed"),)


def test_an_unknown_model_is_not_found() -> None:
    """Placing a model the evidence does not know raises."""
    with pytest.raises(NotFoundError):
        place(made.anchored(GOOD), "nobody")
