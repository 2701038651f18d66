"""What a legacy ordinal is worth: the rank it predicts for a model without evidence, and how far it is off.

Legacy ordinals were given by hand over years and drift against measurements by about a hundred ranks, so they never
move a measured model. They are read through the isotonic regression, over the rungs of the legacy ladder, of the median
rank of the models in service with evidence on each rung, weighted by their number; linear between rungs, constant
beyond them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from catalog.ranks.curve import half_width, isotonic

LEAST_MODELS = 5
"""Models with evidence and ordinal before ordinals predict anything; as many as a link needs anchors."""

OUTLIER_SIGMAS = 2.5
"""Robust standard deviations from its ordinal's prediction at which a legacy rank is void (1.2 % by chance)."""

MOST_RUNGS = 300
"""Rungs of the ladder; leaving one out costs a pass over them, and more are pooled evenly."""

MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for normal errors."""

Levels = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """The legacy ladder read as ranks.

    Attributes:
        levels: (ordinal, rank), ordinals strictly increasing, ranks not decreasing.
        residuals: per model, its rank minus what its ordinal predicts without it.
        half_width: of the 90 % interval of a predicted rank.
        sigma: robust standard deviation of the residuals.
    """

    levels: Levels
    residuals: Mapping[str, float]
    half_width: float
    sigma: float


def ladder(known: Mapping[str, tuple[int, float, bool]]) -> Ladder | None:
    """Return the ladder that models with both ordinal and rank by evidence draw; None when fewer than five draw it.

    Args:
        known: by slug the ordinal, the rank, and whether the model is in service; retired ones are no anchors and draw
            no ladder, they are only compared with it.
    """
    drawing = {slug: (ordinal, rank) for slug, (ordinal, rank, in_service) in known.items() if in_service}
    if len(drawing) < LEAST_MODELS:
        return None
    rungs = _rungs(drawing.values())
    levels = _monotone([(rung.ordinal, median(rung.ranks), len(rung.ranks)) for rung in rungs])
    left_out = _leave_one_out(drawing, rungs)
    sizes = [abs(residual) for residual in left_out.values()]
    compared = {slug: rank - predicted(levels, ordinal) for slug, (ordinal, rank, _) in known.items()}
    return Ladder(
        levels=levels,
        residuals=compared | left_out,
        half_width=half_width(sizes),
        sigma=MAD_TO_SIGMA * median(sizes),
    )


def predicted(levels: Levels, ordinal: float) -> float:
    """Return the rank the ladder gives an ordinal: linear between its rungs, constant outside."""
    place = bisect_right(levels, (ordinal, math.inf))
    if place == 0:
        return levels[0][1]
    if place == len(levels):
        return levels[-1][1]
    (left, low), (right, high) = levels[place - 1], levels[place]
    return low + (high - low) * (ordinal - left) / (right - left)


def outliers(found: Ladder) -> tuple[str, ...]:
    """Return the models whose evidence contradicts their ordinal by more than 2.5 robust σ, by slug."""
    limit = OUTLIER_SIGMAS * found.sigma
    return tuple(sorted(slug for slug, residual in found.residuals.items() if abs(residual) > limit))


def moved(ordinals: Mapping[str, int], ranks: Mapping[str, int]) -> dict[str, float]:
    """Return how far each model moved along the ladder, in percent of the ladder, upwards positive.

    A model's place is the share of models below it, those level with it counted half; the move is its place by rank
    minus its place by ordinal, among all models that have both.
    """
    both = sorted(set(ordinals) & set(ranks))
    before = _places([ordinals[slug] for slug in both])
    after = _places([ranks[slug] for slug in both])
    return {slug: 100 * (after[ranks[slug]] - before[ordinals[slug]]) for slug in both}


class _Rung(NamedTuple):
    """The models of one ordinal, or of several pooled ones: the middle ordinal and all ranks, ascending."""

    ordinal: float
    ordinals: tuple[int, ...]
    ranks: list[float]


def _rungs(points: Collection[tuple[int, float]]) -> list[_Rung]:
    """Return the rungs of the ladder, upwards; more than 300 ordinals are pooled into 300 rungs of equally many."""
    by_ordinal: dict[int, list[float]] = {}
    for ordinal, rank in sorted(points):
        by_ordinal.setdefault(ordinal, []).append(rank)
    ordinals = list(by_ordinal)
    count = min(MOST_RUNGS, len(ordinals))
    cuts = [round(place * len(ordinals) / count) for place in range(count + 1)]
    pooled = [tuple(ordinals[start:end]) for start, end in pairwise(cuts)]
    return [_Rung(median(own), own, sorted(rank for one in own for rank in by_ordinal[one])) for own in pooled]


def _monotone(medians: Sequence[tuple[float, float, int]]) -> Levels:
    """Return (ordinal, level) per (ordinal, median, number of models)."""
    levels: list[float] = []
    for level, length in isotonic([height for _, height, _ in medians], [count for _, _, count in medians]):
        levels += [level] * length
    return tuple(zip([ordinal for ordinal, _, _ in medians], levels, strict=True))


def _leave_one_out(known: Mapping[str, tuple[int, float]], rungs: Sequence[_Rung]) -> dict[str, float]:
    """Return each model's rank minus its prediction without it; models that leave the same median share one fit."""
    medians = [(rung.ordinal, median(rung.ranks), len(rung.ranks)) for rung in rungs]
    place_of = {ordinal: place for place, rung in enumerate(rungs) for ordinal in rung.ordinals}
    fits: dict[tuple[int, float | None], Levels] = {}
    residuals = {}
    for slug, (ordinal, rank) in known.items():
        place = place_of[ordinal]
        left = _median_without(rungs[place].ranks, rank)
        if (place, left) not in fits:
            own = [] if left is None else [(rungs[place].ordinal, left, medians[place][2] - 1)]
            fits[place, left] = _monotone([*medians[:place], *own, *medians[place + 1 :]])
        residuals[slug] = rank - predicted(fits[place, left], ordinal)
    return residuals


def _median_without(ranks: list[float], rank: float) -> float | None:
    others = ranks.copy()
    others.remove(rank)
    return median(others) if others else None


def _places(values: Sequence[int]) -> dict[int, float]:
    """Return by value the share of values below it, those level with it counted half."""
    places, below = {}, 0
    for value, count in sorted(Counter(values).items()):
        places[value] = (below + count / 2) / len(values)
        below += count
    return places
