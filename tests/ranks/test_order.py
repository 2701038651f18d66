"""The order anchors agree on: betweenness, ties, monotone bounds, thinning."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from catalog.ranks import order
from tests.ranks import made

scores = st.integers(-10, 610).map(lambda tenths: tenths / 10)


def _clean(pairs: list[tuple[float, int]], score: float) -> tuple[int, int] | None:
    """Return the highest rank below and the lowest above, where every anchor above outranks every one below."""
    below = [rank for own, rank in pairs if own < score]
    above = [rank for own, rank in pairs if own > score]
    if not below or not above or any(own == score for own, _ in pairs) or max(below) >= min(above):
        return None
    return max(below), min(above)


@given(made.points, st.lists(scores, min_size=2, max_size=30))
def test_bounds_rise_with_the_score(pairs: list[tuple[float, int]], at: list[float]) -> None:
    """Both bounds never fall as the score rises and never cross, whatever tangle the anchors are."""
    agreed = order.agreed(made.anchors(pairs))
    found = [order.bounds(agreed, score) for score in sorted(at)]
    ends = [(low, float("inf") if high is None else high) for low, high in found]
    assert all(low <= high for low, high in ends)
    assert all(left[0] <= right[0] and left[1] <= right[1] for left, right in itertools.pairwise(ends))


@given(made.points, scores, st.integers(-100, 2000))
def test_clean_separation_keeps_a_newcomer_strictly_between(
    pairs: list[tuple[float, int]], score: float, curve_says: int
) -> None:
    """Where all anchors above outrank all below, the rank lies strictly between if an integer does, else it ties."""
    sides = _clean(pairs, score)
    if sides is None:
        return
    rank = order.held(curve_says, *order.bounds(order.agreed(made.anchors(pairs)), score))
    low, high = sides
    assert low < rank < high if high - low >= 2 else rank in (low, high)


@given(st.sets(st.integers(0, 600), min_size=5, max_size=30), st.sets(st.integers(1, 900), min_size=30), st.data())
def test_the_score_of_an_anchor_takes_its_rank(tenths: set[int], ranks: set[int], data: st.DataObject) -> None:
    """With the very score of an anchor, where the anchors are in order, a newcomer takes that anchor's rank."""
    pairs = [(tenth / 10, rank) for tenth, rank in zip(sorted(tenths), sorted(ranks), strict=False)]
    score, rank = data.draw(st.sampled_from(pairs))
    assert order.bounds(order.agreed(made.anchors(pairs)), score) == (rank, rank)


def test_without_an_integer_between_it_ties_with_the_nearer() -> None:
    """Between ranks 100 and 101 a newcomer ties with the anchor whose score is nearer."""
    agreed = order.agreed(made.anchors([(10, 50), (20, 100), (30, 101), (40, 300)]))
    assert order.bounds(agreed, 22) == (100, 100)
    assert order.bounds(agreed, 28) == (101, 101)


def test_a_tie_is_with_the_side_that_is_not_the_neighbour() -> None:
    """If only one side of a full gap is a neighbour's rank, the other side still lies between the two neighbours."""
    agreed = order.agreed(made.anchors([(10, 100), (20, 90), (30, 101), (40, 300)]))
    assert order.bounds(agreed, 21) == (100, 100)


def test_tangled_anchors_leave_the_curve_alone() -> None:
    """Between anchors in the wrong order only what was agreed outside the tangle binds."""
    agreed = order.agreed(made.anchors([(10, 100), (20, 300), (30, 200), (40, 400)]))
    assert order.bounds(agreed, 25) == (101, 399)


def test_above_all_anchors_a_newcomer_outranks_the_best() -> None:
    """Above the top anchor, where that one is also ranked highest, the rank is higher; nothing bounds it above."""
    agreed = order.agreed(made.anchors([(10, 100), (20, 200)]))
    assert order.bounds(agreed, 21) == (201, None)
    assert order.bounds(agreed, 9) == (1, 99)


@given(st.integers(301, 2000), st.floats(-1, 2001))
def test_at_most_three_hundred_anchors_take_part_and_the_nearest_always_do(count: int, score: float) -> None:
    """Of any number of anchors at most 300 take part, spread to both ends, with the five nearest on each side."""
    anchors = made.anchors([(float(number), number + 1) for number in range(count)])
    fitted = order.thinned(anchors)
    chosen = order.involved(anchors, fitted, score)
    nearest = sorted(anchors, key=lambda anchor: abs(anchor.score - score))
    assert len(chosen) <= 300
    assert {anchors[0], anchors[-1]} <= set(fitted)
    for side in ([one for one in nearest if one.score < score], [one for one in nearest if one.score >= score]):
        assert set(side[:5]) <= set(chosen)
    gaps = [right.score - left.score for left, right in itertools.pairwise(fitted)]
    assert max(gaps) - min(gaps) <= 1
