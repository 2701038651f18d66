"""The curve that links a release's scores to PowerRanks: smoothed, made monotone, drawn through strictly rising knots.

Local-linear smoothing with a Gaussian kernel (Fan 1992) takes the anchors' noise out, isotonic regression by pooling
adjacent violators (Ayer et al. 1955) makes it monotone, and a monotone cubic through the means of the pooled blocks
(PCHIP, Fritsch and Butland 1984) makes it smooth again. Outside the knots it goes on as a straight line. Bandwidth and
order of the steps were chosen on real links: see benchmarks/placement.py.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import lt

BANDWIDTH = 0.25
"""Standard deviation of the kernel as a share of the anchors' score range; choosing it per link fits their noise."""

COVERAGE = 0.9
"""Share of newcomers whose rank an interval is meant to hold."""

LEAST_HALF_WIDTH = 3.0
"""No rank is known better than this: an index rounds to a tenth of a point, and its reruns differ by more."""

SECANT_KNOTS = 4
"""Knots that fix the slope beyond the ends; the last two alone swing with one anchor's noise."""

Point = tuple[float, float]


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


_Group = tuple[float, int, float]  # a distinct score, how many points have it, their mean rank
_Sums = tuple[float, float, float, float, float]  # Σw, Σwd, Σwd², Σwy, Σwdy with d the distance to a score, y the rank


def fit(points: Sequence[Point]) -> Curve:
    """Return the curve through anchors.

    Args:
        points: (oriented score, rank) pairs in any order, at least one.
    """
    groups = _grouped(points)
    scores = [group[0] for group in groups]
    sums = [_sums(groups, row, score) for row, score in zip(_kernel(scores), scores, strict=True)]
    heights = [_level(*moments) for moments in sums]
    return Curve(knots=_knots(scores, heights, [g[1] for g in groups]), lowest=scores[0], highest=scores[-1])


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


def leave_one_out(points: Sequence[Point]) -> list[float]:
    """Return, in the order given, each point's rank minus what the curve without it reads at its score.

    The kernel sums are taken once and the left-out point is subtracted, so n points cost O(n²) in all. Leaving out the
    only point at an end changes the range and so the bandwidth: those two curves are fitted anew.
    """
    if len(points) < 2:
        return [0.0 for _ in points]
    groups = _grouped(points)
    scores = [group[0] for group in groups]
    kernel = _kernel(scores)
    sums = [_sums(groups, row, score) for row, score in zip(kernel, scores, strict=True)]
    place_of = {score: place for place, score in enumerate(scores)}
    found = []
    for number, (score, rank) in enumerate(points):
        place = place_of[score]
        alone = groups[place][1] == 1
        if alone and place in (0, len(scores) - 1):
            without = fit([*points[:number], *points[number + 1 :]])
        else:
            without = _without(groups, place, _heights_without(scores, kernel[place], sums, (score, rank)))
        found.append(rank - value(without, score))
    return found


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


def _grouped(points: Sequence[Point]) -> list[_Group]:
    """Return (score, number of points, mean rank) per distinct score, ascending."""
    ranks: dict[float, list[float]] = {}
    for score, rank in sorted(points):
        ranks.setdefault(score, []).append(rank)
    return [(score, len(found), sum(found) / len(found)) for score, found in ranks.items()]


def _kernel(scores: Sequence[float]) -> list[list[float]]:
    width = BANDWIDTH * (scores[-1] - scores[0]) or 1.0
    scale = -0.5 / (width * width)
    exp = math.exp
    return [[exp(scale * (score - other) ** 2) for score in scores] for other in scores]


def _sums(groups: Sequence[_Group], row: Sequence[float], at: float) -> _Sums:
    w = wd = wdd = wy = wdy = 0.0
    for (score, count, rank), weight in zip(groups, row, strict=True):
        mass, distance = count * weight, score - at
        w += mass
        wd += mass * distance
        wdd += mass * distance * distance
        wy += mass * rank
        wdy += mass * distance * rank
    return w, wd, wdd, wy, wdy


def _level(w: float, wd: float, wdd: float, wy: float, wdy: float) -> float:
    """Return the intercept of the weighted least-squares line, or the weighted mean where no line is fixed."""
    determinant = w * wdd - wd * wd
    if determinant <= 1e-12 * w * wdd:
        return wy / w
    return (wdd * wy - wd * wdy) / determinant


def _heights_without(scores: Sequence[float], row: Sequence[float], sums: Sequence[_Sums], point: Point) -> list[float]:
    """Return the smoothed heights after one point is subtracted from the kernel sums; `row` is the kernel around it."""
    score, rank = point
    return [
        _level(w - own, wd - (own_d := own * (d := score - at)), wdd - own_d * d, wy - own * rank, wdy - own_d * rank)
        for at, own, (w, wd, wdd, wy, wdy) in zip(scores, row, sums, strict=True)
    ]


def _without(groups: Sequence[_Group], place: int, heights: list[float]) -> Curve:
    """Return the curve when one point of a group is gone."""
    scores, counts = [group[0] for group in groups], [group[1] for group in groups]
    counts[place] -= 1
    if counts[place] == 0:
        del scores[place], counts[place], heights[place]
    return Curve(knots=_knots(scores, heights, counts), lowest=scores[0], highest=scores[-1])


def _knots(scores: Sequence[float], heights: Sequence[float], counts: Sequence[int]) -> tuple[Point, ...]:
    """Return one knot per isotonic block, at the mean score of its points: strictly increasing in both."""
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
