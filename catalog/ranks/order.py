"""The order the anchors agree on, and what it lets a newcomer's rank be.

Anchors *separate cleanly* at a score when every anchor scored above it outranks every anchor scored below it. There a
newcomer stays strictly between the two sides if an integer lies between, else it ties with the nearer one; with the
score of an anchor it takes that anchor's rank. Elsewhere the curve stands, but a bound found on cleanly separated
ground also holds further along: no lower at higher scores, no higher at lower ones. Both bounds therefore rise with the
score, and so does a rising curve that is held between them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from catalog.ranks.evidence import Anchor
from catalog.ranks.scale import FLOOR

NEAREST = 5
"""Anchors on each side of a newcomer that are always kept and named."""

MOST_ANCHORS = 300
"""Anchors that take part in a placement: a fit with its leave-one-out residuals costs O(n²)."""

_Stretch = tuple[int, int | None]


class _Group(NamedTuple):
    """The anchors of one score: their lowest and highest rank."""

    score: float
    lowest: int
    highest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the anchors' order allows along the scores.

    Scores fall into stretches, by turns the gap before a group of anchors with one score and that group itself; the gap
    above all comes last.

    Attributes:
        stretches: per stretch the least rank from there upwards and the greatest up to there, None where tangled.
        lows, highs: per stretch the bounds that hold there, taken over from cleanly separated ground on either side.
    """

    groups: tuple[_Group, ...]
    stretches: tuple[_Stretch | None, ...]
    lows: tuple[int, ...]
    highs: tuple[int | None, ...]


def neighbours(anchors: Sequence[Anchor], score: float) -> tuple[Anchor | None, Anchor | None]:
    """Return the anchor just below a score, or with it, and the one just above; None beyond the end.

    Of several anchors with one score it is the one whose rank lies nearest to the newcomer's side.

    Args:
        anchors: sorted by score, then rank.
    """
    place = bisect_right(anchors, score, key=lambda anchor: anchor.score)
    return anchors[place - 1] if place else None, anchors[place] if place < len(anchors) else None


def thinned(anchors: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """Return the anchors a curve is fitted to: all of up to 300, else 290 spread evenly over them by score.

    The choice does not look at the newcomer, so one curve serves every score and stays monotone in it. The places left
    are those of the five nearest on each side, which bind a placement through the order, not through the curve.
    """
    if len(anchors) <= MOST_ANCHORS:
        return tuple(anchors)
    kept = MOST_ANCHORS - 2 * NEAREST
    step = (len(anchors) - 1) / (kept - 1)
    return tuple(anchors[round(place * step)] for place in range(kept))


def involved(anchors: Sequence[Anchor], fitted: Sequence[Anchor], score: float) -> tuple[Anchor, ...]:
    """Return the anchors that take part in placing a score: those of the fit and the five nearest on each side."""
    place = bisect_left(anchors, score, key=lambda anchor: anchor.score)
    nearest = anchors[max(0, place - NEAREST) : place + NEAREST]
    return tuple(sorted({*fitted, *nearest}, key=lambda anchor: (anchor.score, anchor.rank, anchor.slug)))


def agreed(anchors: Sequence[Anchor]) -> Order:
    """Return the order all anchors of a link agree on; none is thinned out, so that none is overtaken unseen.

    Args:
        anchors: sorted by score, then rank.
    """
    groups = _groups(anchors)
    stretches = _stretches(groups)
    lows = accumulate((found[0] if found else FLOOR for found in stretches), max)
    highs = accumulate((found[1] if found else None for found in reversed(stretches)), _lower)
    return Order(groups=tuple(groups), stretches=tuple(stretches), lows=tuple(lows), highs=tuple(highs)[::-1])


def bounds(order: Order, score: float) -> tuple[int, int | None]:
    """Return the lowest and the highest rank the agreed order allows at a score; None where nothing bounds it above."""
    place = bisect_left(order.groups, score, key=lambda group: group.score)
    met = place < len(order.groups) and order.groups[place].score == score
    here = 2 * place + met
    own = order.stretches[here]
    if own is not None and own[1] is not None and own[0] > own[1]:
        tie = _tied(order.groups[place - 1], order.groups[place], own[1], own[0], score)
        return tie, tie
    return order.lows[here], order.highs[here]


def held(rank: int, low: int, high: int | None) -> int:
    """Return the rank, moved into its bounds."""
    return max(low, rank if high is None else min(rank, high))


def _groups(anchors: Sequence[Anchor]) -> list[_Group]:
    ranks: dict[float, list[int]] = {}
    for anchor in anchors:
        ranks.setdefault(anchor.score, []).append(anchor.rank)
    return [_Group(score, min(found), max(found)) for score, found in ranks.items()]


def _stretches(groups: Sequence[_Group]) -> list[_Stretch | None]:
    """Return the stretches; in a gap that holds no integer the first number exceeds the second: the newcomer ties."""
    below = list(accumulate((group.highest for group in groups), max))
    above = list(accumulate((group.lowest for group in reversed(groups)), min))[::-1]
    found: list[_Stretch | None] = []
    for place, group in enumerate(groups):
        beneath = below[place - 1] if place else None
        over = above[place + 1] if place + 1 < len(groups) else None
        found.append(_gap(beneath, above[place], group))
        found.append(_met(beneath, group, over))
    top = groups[-1].highest == below[-1] if groups else False
    found.append((below[-1] + 1, None) if top else None)
    return found


def _gap(beneath: int | None, over: int, group: _Group) -> _Stretch | None:
    """Return what the gap before a group allows, between the highest rank below it and the lowest above it."""
    if beneath is None:
        return (FLOOR, max(FLOOR, over - 1)) if group.lowest == over else None
    return (min(beneath + 1, over), max(over - 1, beneath)) if beneath <= over else None


def _met(beneath: int | None, group: _Group, over: int | None) -> _Stretch | None:
    """Return what the very score of a group allows."""
    clean = (beneath is None or beneath <= group.lowest) and (over is None or group.highest <= over)
    return (group.lowest, group.highest) if clean else None


def _lower(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _tied(before: _Group, after: _Group, low: int, high: int, score: float) -> int:
    """Return which side a newcomer ties with: the one that is not its neighbour's rank, or else the nearer.

    The sides come from all anchors, the neighbours are the next ones alone; where only one side is a neighbour's rank,
    the other still lies strictly between the neighbours.
    """
    if before.highest < low and after.lowest == high:
        return low
    if before.highest == low and high < after.lowest:
        return high
    return low if score - before.score <= after.score - score else high
