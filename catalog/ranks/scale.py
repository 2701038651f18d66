"""A type's ruler: the base map used once by the rebase, whole ranks, intervals, and the ceiling of a closed scale."""

from __future__ import annotations

import math

from catalog.errors import GateError
from catalog.ranks.curve import LEAST_HALF_WIDTH
from catalog.ranks.evidence import Model, Release, Scale

FLOOR = 1
"""The lowest PowerRank there is."""

Z90 = 1.645
"""Standard deviations on each side of a normal 90 % interval."""

UNSTATED_ERROR = 0.05
"""Standard error of a reference that states none, as a share of the scores its base map spans.

Twenty such errors between worst and best; boards that state theirs have six (reranker Elo) to two hundred (AA).
"""

ESTIMATED_FACTOR = 4
"""By how much a score that the reference converted from an older release errs more than a measured one.

Links between releases of Artificial Analysis miss by about 2.0 points where its measurements miss by 0.5.
"""

ORDINAL_ERROR = 0.31
"""What legacy ordinals miss by, as a share of the ranks in use: ±164 of 525 where language models were measured."""


def base_map(scale: Scale, value: float) -> float:
    """Return the rank the frozen base map reads at a raw score of the reference release.

    rank = rank_low + (value − score_low) · (rank_high − rank_low) / (score_high − score_low)

    Raises:
        GateError: when the type has no reference release.
    """
    low, high = _ends(scale)
    return scale.rank_low + (value - low) * (scale.rank_high - scale.rank_low) / (high - low)


def steepness(scale: Scale) -> float:
    """Return ranks per score point of the base map, without its sign."""
    low, high = _ends(scale)
    return abs((scale.rank_high - scale.rank_low) / (high - low))


def reference_half_width(scale: Scale, reference: Release, *, estimated: bool = False) -> float:
    """Return the half-width of the 90 % interval of a rank read off the base map, in ranks."""
    low, high = _ends(scale)
    sigma = UNSTATED_ERROR * abs(high - low) if reference.standard_error is None else reference.standard_error
    return max(LEAST_HALF_WIDTH, Z90 * sigma * (ESTIMATED_FACTOR if estimated else 1) * steepness(scale))


def error_unstated(scale: Scale, release: Release) -> bool:
    """Return whether intervals rest on an assumed error: the reference of the type states none of its own."""
    return release.key == scale.reference and release.standard_error is None


def ordinal_map(scale: Scale, ordinal: int, lowest: int, highest: int) -> float:
    """Return the rank of a legacy ordinal where a type has no index: lowest → rank_low, highest → rank_high."""
    if lowest == highest:
        return (scale.rank_low + scale.rank_high) / 2
    return scale.rank_low + (ordinal - lowest) * (scale.rank_high - scale.rank_low) / (highest - lowest)


def ordinal_half_width(scale: Scale) -> float:
    """Return the half-width of the 90 % interval of such a rank."""
    return max(LEAST_HALF_WIDTH, ORDINAL_ERROR * (scale.rank_high - scale.rank_low))


def whole(rank: float) -> int:
    """Return a rank as the integer it is locked at: rounded half up, never below the floor.

    A millionth is dropped first, so that the last bit of a float does not decide between two ranks.
    """
    return max(FLOOR, math.floor(round(rank, 6) + 0.5))


def interval(scale: Scale, rank: int, half_width: float) -> tuple[int, int]:
    """Return the (low, high) that go with a rank, rounded outwards; both stay on the scale."""
    reach = math.ceil(round(half_width, 6))
    high = rank + reach if scale.max_rank is None else min(rank + reach, max(scale.max_rank, rank))
    return max(FLOOR, rank - reach), high


def sigma_of(model: Model) -> float:
    """Return the standard error of a locked rank, from the longer side of its interval: the floor cuts the other."""
    rank = model.power_rank or 0
    return max((model.high or rank) - rank, rank - (model.low or rank)) / Z90


def on_scale(scale: Scale, rank: int) -> int:
    """Return a rank unchanged if the scale reaches that far.

    Raises:
        GateError: gate ``ceiling``, when a closed scale ends below the rank.
    """
    if scale.max_rank is not None and rank > scale.max_rank:
        raise GateError(
            f"{scale.type} ranks end at {scale.max_rank}, this placement is {rank}",
            gate="ceiling",
            hint="Add it unranked (see docs/files.md), then rank it by hand: catalog audit correct MODEL --rank N.",
            data={"rank": rank, "max_rank": scale.max_rank},
        )
    return rank


def _ends(scale: Scale) -> tuple[float, float]:
    if scale.score_low is None or scale.score_high is None or scale.score_low == scale.score_high:
        raise GateError(
            f"{scale.type} has no reference release",
            gate="reference",
            hint="Register a release of an index for the type first: catalog release add.",
            data={"type": scale.type},
        )
    return scale.score_low, scale.score_high
