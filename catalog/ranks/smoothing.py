"""Local-quadratic smoothing with a Gaussian kernel (Fan and Gijbels 1996), and what it gives once a point is gone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

BANDWIDTH = 0.5
"""Standard deviation of the kernel as a share of the anchors' score range.

From 0.25 to 0.7 the error on real links is the same within one percent; choosing it per link fits their noise.
"""

_LEAST_SHARE = 1e-9
"""Share of a power's spread that must be its own before it takes part in a fit; less is rounding."""

_LEAST_KEPT = 1e-6
"""Share of a point's own say that the others must cover before it can be taken back out of a fit."""

Point = tuple[float, float]


class Group(NamedTuple):
    """The points of one distinct score: how many they are, and their mean rank."""

    score: float
    size: int
    rank: float


class Parabola(NamedTuple):
    """The weighted least-squares parabola around one score, in polynomials orthogonal under its weights.

    rank(t) = level + slope · d + bend · p with d = t − mean and p = d · (d − skew) − spread; `mass`, `linear` and
    `quadratic` are the inverse weighted sums of squares of 1, d and p, 0 where the points do not fix that term.
    `height` is the rank at the score itself, `across` and `along` its d and p times their inverse sums.
    """

    mean: float
    skew: float
    spread: float
    mass: float
    linear: float
    quadratic: float
    level: float
    slope: float
    bend: float
    height: float
    across: float
    along: float


class Smooth(NamedTuple):
    """Points smoothed: by distinct score its place on −1 … 1, the kernel around it, the parabola there."""

    groups: list[Group]
    places: list[float]
    kernel: list[list[float]]
    parabolas: list[Parabola]


def smooth(points: Sequence[Point]) -> Smooth:
    """Return points, in any order and at least one, smoothed at each of their scores."""
    groups = _grouped(points)
    places = _places([group.score for group in groups])
    kernel = _kernel(places)
    return Smooth(groups, places, kernel, _parabolas(groups, places, kernel))


def heights(smoothed: Smooth) -> list[float]:
    """Return the smoothed rank at each distinct score, ascending."""
    return [parabola.height for parabola in smoothed.parabolas]


def heights_without(smoothed: Smooth, number: int, rank: float) -> list[float]:
    """Return the heights once a point is taken out, or nothing where the others do not fix every term.

    Each parabola is corrected for the one point instead of fitted anew (Sherman and Morrison 1950).

    Args:
        number: of the group the point is in.
        rank: the point's own.
    """
    left, found = smoothed.places[number], []
    for parabola, weight in zip(smoothed.parabolas, smoothed.kernel[number], strict=True):
        mean, skew, spread, mass, linear, quadratic, level, slope, bend, height, across, along = parabola
        d = left - mean
        p = d * (d - skew) - spread
        kept = 1 - weight * (mass + linear * d * d + quadratic * p * p)
        if kept < _LEAST_KEPT:
            return []
        miss = rank - level - slope * d - bend * p
        found.append(height - weight * (mass + across * d + along * p) / kept * miss)
    return found


def _grouped(points: Sequence[Point]) -> list[Group]:
    """Return the points by distinct score, ascending."""
    ranks: dict[float, list[float]] = {}
    for score, rank in sorted(points):
        ranks.setdefault(score, []).append(rank)
    return [Group(score, len(found), sum(found) / len(found)) for score, found in ranks.items()]


def _places(scores: Sequence[float]) -> list[float]:
    """Return ascending scores moved to −1 … 1, where powers up to the fourth keep their digits."""
    half = (scores[-1] - scores[0]) / 2 or 1.0
    middle = (scores[0] + scores[-1]) / 2
    return [(score - middle) / half for score in scores]


def _kernel(places: Sequence[float]) -> list[list[float]]:
    """Return, by place, the weight of every place in the fit around it; the range of the places is 2."""
    scale, exp = -0.5 / (2 * BANDWIDTH) ** 2, math.exp
    return [[exp(scale * (place - around) ** 2) for place in places] for around in places]


def _parabolas(groups: Sequence[Group], places: Sequence[float], kernel: Sequence[Sequence[float]]) -> list[Parabola]:
    """Return the parabola around each place, from weighted sums of the places' powers, alone and times the ranks."""
    powers = [[group.size * place**power for group, place in zip(groups, places, strict=True)] for power in range(5)]
    ranked = [[own * group.rank for own, group in zip(power, groups, strict=True)] for power in powers[:3]]
    columns = (*powers, *ranked)
    return [
        _parabola(place, [sum(map(mul, weights, column)) for column in columns])
        for place, weights in zip(places, kernel, strict=True)
    ]


def _parabola(place: float, sums: Sequence[float]) -> Parabola:
    """Return the parabola around a place: its weighted sums are turned into central ones, term by term."""
    s0, s1, s2, s3, s4, r0, r1, r2 = sums
    mean, level = s1 / s0, r0 / s0
    m2 = s2 - mean * s1
    m3 = s3 - 3 * mean * s2 + 2 * mean**3 * s0
    m4 = s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * mean**4 * s0
    c1 = r1 - mean * r0
    c2 = r2 - 2 * mean * r1 + mean**2 * r0
    linear = 1 / m2 if m2 > _LEAST_SHARE * s2 else 0.0
    skew, spread, slope = m3 * linear, m2 / s0, c1 * linear
    own = m4 - m3 * skew - m2 * spread
    quadratic = 1 / own if linear and own > _LEAST_SHARE * m4 else 0.0
    bend = (c2 - skew * c1 - spread * r0) * quadratic
    d = place - mean
    p = d * (d - skew) - spread
    height = level + slope * d + bend * p
    return Parabola(
        mean, skew, spread, 1 / s0, linear, quadratic, level, slope, bend, height, linear * d, quadratic * p
    )
