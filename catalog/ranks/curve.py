"""The curve that links a release's scores to PowerRanks: smoothed, made monotone, drawn through strictly rising knots.

Local-quadratic smoothing takes the anchors' noise out, isotonic regression by pooling adjacent violators (Ayer et al.
1955) makes it monotone, and a monotone cubic through the means of the pooled blocks (PCHIP, Fritsch and Butland 1984)
makes it smooth again. Outside the knots it goes on as a straight line. Degree, bandwidth and order of the steps were
chosen on real links: see benchmarks/placement.py.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt

from catalog.ranks import smoothing
from catalog.ranks.smoothing import Group, Point, Smooth

COVERAGE = 0.9
"""Share of newcomers whose rank an interval is meant to hold."""

LEAST_HALF_WIDTH = 3.0
"""No rank is known better than this: an index rounds to a tenth of a point, and its reruns differ by more."""

SECANT_KNOTS = 4
"""Knots that fix the slope beyond the ends; the last two alone swing with one anchor's noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A monotone curve from scores to ranks.

    Attributes:
        knots: (score, rank) pairs, strictly increasing in both.
        lowest: lowest anchor score; below it the curve is extrapolated.
        highest: highest anchor score; above it the curve is extrapolated.
    """

    knots: tuple[Point, ...]
    lowest: float
    highest: float


def fit(points: Sequence[Point]) -> Curve:
    """Return the curve through anchors.

    Args:
        points: (oriented score, rank) pairs in any order, at least one.
    """
    return _drawn(smoothing.smooth(points))


def fit_and_leave_out(points: Sequence[Point]) -> tuple[Curve, list[float]]:
    """Return the curve, and in the order given each point's rank minus what the curve without it reads at its score.

    Points are smoothed once and each is taken back out, so n points cost O(n²) in all. Leaving out the only point at an
    end changes the range and so the bandwidth: those two curves are fitted anew.
    """
    smoothed = smoothing.smooth(points)
    return _drawn(smoothed), _left_out(smoothed, points)


def value(curve: Curve, score: float) -> float:
    """Return the rank the curve reads at a score; beyond the end knots along the secant of the outer four."""
    knots = curve.knots
    if score <= knots[0][0]:
        return knots[0][1] + slope_below(curve) * (score - knots[0][0])
    if score >= knots[-1][0]:
        return knots[-1][1] + slope_above(curve) * (score - knots[-1][0])
    return _cubic(knots, bisect_right(knots, (score, math.inf)) - 1, score)


def slope_above(curve: Curve) -> float:
    """Return the slope of the secant over the top four knots, in ranks per score point; 0 for a single knot."""
    return _secant(curve.knots[-SECANT_KNOTS:])


def slope_below(curve: Curve) -> float:
    """Return the slope of the secant over the lowest four knots, in ranks per score point; 0 for a single knot."""
    return _secant(curve.knots[:SECANT_KNOTS])


def extrapolation(curve: Curve, score: float) -> float:
    """Return by what factor an interval widens at a score: 1 between the anchors, √(1 + (distance / reach)²) beyond.

    Reach is the score range of the outer four knots, which is what fixes the secant's slope.
    """
    if curve.lowest <= score <= curve.highest:
        return 1.0
    outer = curve.knots[-SECANT_KNOTS:] if score > curve.highest else curve.knots[:SECANT_KNOTS]
    distance = max(score - curve.highest, curve.lowest - score)
    reach = outer[-1][0] - outer[0][0] or distance
    return math.sqrt(1 + (distance / reach) ** 2)


def half_width(residuals: Sequence[float]) -> float:
    """Return the half-width of the 90 % interval: the ⌈0.9 (n+1)⌉-th smallest absolute residual, at least 3.

    This is the split-conformal quantile (Vovk 2005; Lei et al. 2018), with k capped at n.
    """
    sizes = sorted(abs(residual) for residual in residuals)
    if not sizes:
        return LEAST_HALF_WIDTH
    k = min(math.ceil(COVERAGE * (len(sizes) + 1)), len(sizes))
    return max(LEAST_HALF_WIDTH, sizes[k - 1])


def isotonic(heights: Sequence[float], weights: Sequence[float]) -> list[tuple[float, int]]:
    """Return the weighted least-squares non-decreasing fit as (height, number of inputs pooled) blocks."""
    blocks: list[tuple[float, float, int]] = []
    for height, weight in zip(heights, weights, strict=True):
        level, mass, count = height, weight, 1
        while blocks and blocks[-1][0] >= level:
            before, its_mass, its_count = blocks.pop()
            level = (before * its_mass + level * mass) / (its_mass + mass)
            mass, count = mass + its_mass, count + its_count
        blocks.append((level, mass, count))
    return [(level, count) for level, _, count in blocks]


def _drawn(smoothed: Smooth) -> Curve:
    groups = smoothed.groups
    knots = _knots([group.score for group in groups], smoothing.heights(smoothed), [group.size for group in groups])
    return Curve(knots=knots, lowest=groups[0].score, highest=groups[-1].score)


def _left_out(smoothed: Smooth, points: Sequence[Point]) -> list[float]:
    if len(points) < 2:
        return [0.0 for _ in points]
    groups = smoothed.groups
    number_of = {group.score: number for number, group in enumerate(groups)}
    found = []
    for position, (score, rank) in enumerate(points):
        number = number_of[score]
        alone_at_an_end = groups[number].size == 1 and number in (0, len(groups) - 1)
        heights = [] if alone_at_an_end else smoothing.heights_without(smoothed, number, rank)
        others = [*points[:position], *points[position + 1 :]]
        without = _without(groups, number, heights) if heights else fit(others)
        found.append(rank - value(without, score))
    return found


def _without(groups: Sequence[Group], place: int, heights: list[float]) -> Curve:
    """Return the curve when one point of a group is gone."""
    scores, counts = [group.score for group in groups], [group.size for group in groups]
    counts[place] -= 1
    if counts[place] == 0:
        del scores[place], counts[place], heights[place]
    return Curve(knots=_knots(scores, heights, counts), lowest=scores[0], highest=scores[-1])


def _knots(scores: Sequence[float], heights: Sequence[float], counts: Sequence[int]) -> tuple[Point, ...]:
    """Return one knot per isotonic block, at the mean score of its points: strictly increasing in both.

    Heights that differ by less than a millionth of a rank are equal, so that no rounding decides what is pooled.
    """
    heights = [round(height, 6) for height in heights]
    if all(map(lt, heights, heights[1:])):
        return tuple(zip(scores, heights, strict=True))
    knots, start = [], 0
    for level, length in isotonic(heights, counts):
        block = range(start, start + length)
        mass = sum(counts[place] for place in block)
        knots.append((sum(scores[place] * counts[place] for place in block) / mass, level))
        start += length
    return tuple(knots)


def _secant(knots: Sequence[Point]) -> float:
    (left, low), (right, high) = knots[0], knots[-1]
    return (high - low) / (right - left) if right > left else 0.0


def _cubic(knots: Sequence[Point], place: int, score: float) -> float:
    """Return the cubic Hermite value in the interval that starts at a knot."""
    (left, low), (right, high) = knots[place], knots[place + 1]
    width = right - left
    t = (score - left) / width
    first, last = _tangent(knots, place), _tangent(knots, place + 1)
    rise = high - low
    bend = t * t * (3 - 2 * t)
    return low + bend * rise + width * t * (1 - t) * ((1 - t) * first - t * last)


def _tangent(knots: Sequence[Point], place: int) -> float:
    """Return the PCHIP slope at a knot: a weighted harmonic mean inside, a limited three-point formula at the ends."""
    last = len(knots) - 1
    if last == 1:
        return _secant(knots)
    if place in (0, last):
        near, far = ((0, 1), (1, 2)) if place == 0 else ((last - 1, last), (last - 2, last - 1))
        return _end_tangent(_step(knots, *near), _step(knots, *far))
    (before, left), (after, right) = _step(knots, place - 1, place), _step(knots, place, place + 1)
    weight_left, weight_right = 2 * after + before, after + 2 * before
    return (weight_left + weight_right) / (weight_left / left + weight_right / right)


def _end_tangent(near: tuple[float, float], far: tuple[float, float]) -> float:
    (width, slope), (next_width, next_slope) = near, far
    return max(0.0, ((2 * width + next_width) * slope - width * next_slope) / (width + next_width))


def _step(knots: Sequence[Point], left: int, right: int) -> tuple[float, float]:
    width = knots[right][0] - knots[left][0]
    return width, (knots[right][1] - knots[left][1]) / width
