"""The curve: smoothing, isotonic regression, monotone cubic, leave-one-out residuals, intervals, extrapolation."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator
from scipy.optimize import isotonic_regression

from catalog.ranks import curve
from tests.ranks import made


@given(made.points, st.lists(st.floats(-20, 90), min_size=2, max_size=20))
def test_the_curve_never_falls(points: list[tuple[float, int]], scores: list[float]) -> None:
    """A higher score never reads a lower rank, between the anchors and beyond them, however the anchors lie."""
    fitted = curve.fit(points)
    values = [curve.value(fitted, score) for score in sorted(scores)]
    assert all(low <= high + 1e-9 for low, high in itertools.pairwise(values))


@given(made.points)
def test_knots_rise_strictly(points: list[tuple[float, int]]) -> None:
    """Knots rise strictly in score and rank, so a cubic can go through them."""
    knots = curve.fit(points).knots
    assert all(left[0] < right[0] and left[1] < right[1] for left, right in itertools.pairwise(knots))


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=30), st.data())
def test_isotonic_regression_is_scipys(heights: list[float], data: st.DataObject) -> None:
    """Pooling adjacent violators gives the weighted least-squares fit that scipy gives."""
    count = len(heights)
    weights = data.draw(st.lists(st.integers(1, 5), min_size=count, max_size=count))
    ours = [level for level, length in curve.isotonic(heights, weights) for _ in range(length)]
    assert ours == pytest.approx(isotonic_regression(heights, weights=weights).x, abs=1e-6)


@given(made.points, st.floats(0, 1))
def test_between_the_knots_it_is_scipys_pchip(points: list[tuple[float, int]], share: float) -> None:
    """Between its knots the curve is the monotone cubic that scipy draws."""
    fitted = curve.fit(points)
    if len(fitted.knots) < 2:
        return
    scores, ranks = zip(*fitted.knots, strict=True)
    at = min(max(scores[0] + share * (scores[-1] - scores[0]), scores[0]), scores[-1])
    assert curve.value(fitted, at) == pytest.approx(float(PchipInterpolator(scores, ranks)(at)), abs=1e-6)


def test_smoothing_is_the_weighted_least_squares_parabola() -> None:
    """At an anchor the smoothed rank is the constant numpy fits with Gaussian weights of half the range."""
    points = [(0.0, 10.0), (1.0, 25.0), (2.5, 30.0), (4.0, 60.0), (7.0, 75.0), (10.0, 120.0)]
    scores, ranks = (np.array(column) for column in zip(*points, strict=True))
    for score, rank in curve.fit(points).knots:
        weights = np.exp(-0.5 * ((scores - score) / 5.0) ** 2)
        parabola = np.polyfit(scores - score, ranks, 2, w=np.sqrt(weights))
        assert rank == pytest.approx(parabola[2])


@given(
    st.floats(0.5, 20), st.floats(-50, 50), st.sets(st.integers(0, 600), min_size=5, max_size=30), st.floats(-20, 90)
)
def test_anchors_on_a_line_give_that_line(slope: float, start: float, tenths: set[int], score: float) -> None:
    """Where the anchors lie on one straight line, as under the reference release, the curve is that line everywhere."""
    points = [(tenth / 10, start + slope * tenth / 10) for tenth in tenths]
    assert curve.value(curve.fit(points), score) == pytest.approx(start + slope * score, abs=1e-4)


@given(made.points)
def test_leave_one_out_is_a_refit_without_the_point(points: list[tuple[float, int]]) -> None:
    """Residuals found by taking a point back out of the smoothing equal those of fitting every curve anew."""
    _, quick = curve.fit_and_leave_out(points)
    for number, (score, rank) in enumerate(points):
        without = curve.fit([*points[:number], *points[number + 1 :]])
        assert quick[number] == pytest.approx(rank - curve.value(without, score), abs=1e-3)


@pytest.mark.parametrize(("count", "k"), [(5, 5), (9, 9), (10, 10), (19, 18), (49, 45), (100, 91)])
def test_half_width_is_the_conformal_quantile(count: int, k: int) -> None:
    """The half-width is the ⌈0.9 (n + 1)⌉-th smallest absolute residual, k capped at n."""
    residuals = [(-1) ** size * 10.0 * size for size in range(1, count + 1)]
    random.Random(1).shuffle(residuals)
    assert curve.half_width(residuals) == 10.0 * k


def test_no_interval_is_narrower_than_three_ranks() -> None:
    """Residuals of nearly nothing still give a half-width of 3."""
    assert curve.half_width([0.1] * 20) == 3.0


def test_beyond_the_anchors_it_goes_on_along_the_top_four_knots() -> None:
    """Above the highest anchor the rank follows the secant over the top four knots, not the last two."""
    fitted = curve.Curve(knots=((0, 0), (10, 100), (20, 210), (30, 280), (40, 400)), lowest=0, highest=40)
    assert curve.value(fitted, 50) == pytest.approx(400 + 10 * (400 - 100) / 30)
    assert curve.value(fitted, -10) == pytest.approx(0 - 10 * 280 / 30)


def test_intervals_widen_beyond_the_anchors() -> None:
    """The factor is 1 between the anchors and √(1 + (distance / reach)²) beyond them."""
    fitted = curve.Curve(knots=((0, 0), (10, 100), (20, 210), (30, 280), (40, 400)), lowest=0, highest=40)
    assert curve.extrapolation(fitted, 40) == 1.0
    assert curve.extrapolation(fitted, 70) == pytest.approx(math.sqrt(2))
    assert curve.extrapolation(fitted, -15) == pytest.approx(math.sqrt(1.25))
