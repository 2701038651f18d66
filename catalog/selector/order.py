"""Orders: model first, offer second, total in every case.

Units are the offers of one model (of one bound entry), best offer first. Units are ordered by a measure, then by the
price of their first offer (unknown last), then by slug. A vendor's priority orders the offers of one model and never
lifts a weaker model over a stronger one; in the predecessor an aggregator's copy of the fifth model could come first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, groupby
from math import prod
from typing import NamedTuple

from catalog.selector.candidates import Roster, positions_of
from catalog.selector.fields import Bound
from catalog.selector.request import Request
from catalog.snapshot import Model

Unit = list[int]
Measure = Callable[[int], int]
"""Position of a unit's first offer → what orders it, smaller first."""


class Balances(NamedTuple):
    """Composite of each model, `points` of `most`; and which facts of a model are unknown, where some are."""

    points: Mapping[str, int]
    most: int
    missing: Mapping[str, tuple[str, ...]]

    def score(self, slug: str) -> float:
        """Return the composite of a model, from 0 to 1."""
        return self.points[slug] / self.most


class Target(NamedTuple):
    """The power a fallback is matched to: `weighted` / `weight`, kept as integers so that nothing is rounded."""

    weighted: int
    weight: int


def units_of(roster: Roster, positions: Sequence[int], vendor_order: Sequence[str]) -> list[Unit]:
    """Return positions grouped by model, the offers of each model in the order the request wishes."""
    units = [list(unit) for _, unit in groupby(positions, roster.slugs.__getitem__)]
    if vendor_order:
        wish = {vendor: place for place, vendor in enumerate(vendor_order)}
        for unit in units:
            unit.sort(key=lambda i: wish.get(roster.candidates[i].vendor or "", len(wish)))
    return units


def in_order(roster: Roster, units: Sequence[Unit], measure: Measure) -> list[int]:
    """Return the positions of units in their total order: measure, then price and slug, as one number each."""
    ties, most = roster.ties, len(roster.ties)
    keys = [measure(unit[0]) * most + ties[unit[0]] for unit in units]
    places = sorted(range(len(units)), key=keys.__getitem__)
    return list(chain.from_iterable(map(units.__getitem__, places)))


def strongest_first(roster: Roster, alive: int) -> list[int]:
    """Return the positions of a set, strongest model first, ties by price and slug.

    A roster stands in this order as a whole; only where a model of equal power may have lost its first offer, and with
    it the price that decides, is the order made anew.
    """
    positions = positions_of(alive)
    for run, further in roster.tied:
        if alive & further:
            start = bisect_left(positions, run.start)
            stop = bisect_left(positions, run.stop, start)
            units = units_of(roster, positions[start:stop], ())
            positions[start:stop] = in_order(roster, units, lambda _: 0)
    return positions


def by_power(roster: Roster, prefer: str) -> Measure:
    """Return the measure of ``highest`` or ``lowest``."""
    weakness = roster.weakness
    return (lambda i: -weakness[i]) if prefer == "lowest" else weakness.__getitem__


def by_balance(roster: Roster, balances: Balances) -> Measure:
    """Return the measure of ``balanced``: the most points first."""
    points, slugs = balances.points, roster.slugs
    return lambda i: -points[slugs[i]]


def nearness(roster: Roster, target: Target) -> Measure:
    """Return the measure of a power-match: distance to the target, the stronger of two equally near first."""
    power, weight, weighted = roster.power, target.weight, target.weighted
    most = max((rank for rank in power if rank), default=0) + 1

    def distance(i: int) -> int:
        rank = power[i] or 0
        return abs(rank * weight - weighted) * most - rank

    return distance


def target_of(bound: Sequence[Bound], models: Sequence[Model]) -> Target | None:
    """Return the weighted mean power of the ranked bound models, weight priority (1 where it is 0); None without one.

    Unlike the predecessor's, an unranked model does not pull the mean down to 0, and the mean is not rounded.
    """
    known = [(entry.priority or 1, model.power_rank) for entry, model in zip(bound, models, strict=True)]
    ranked = [(weight, rank) for weight, rank in known if rank is not None]
    return Target(sum(weight * rank for weight, rank in ranked), sum(w for w, _ in ranked)) if ranked else None


def entry_of(request: Request, model: str, vendor: str | None) -> tuple[int, Bound] | None:
    """Return the bound entry a route belongs to and its place: the first by priority and place; None without one."""
    for place, entry in in_priority(request.bound or ()):
        if entry.model == model and entry.vendor in (None, vendor):
            return place, entry
    return None


def in_priority(bound: Sequence[Bound]) -> list[tuple[int, Bound]]:
    """Return bound entries with their places, higher priority first, equal ones in the order given."""
    return sorted(enumerate(bound), key=lambda item: -item[1].priority)


def bound_units(roster: Roster, request: Request, units: Iterable[Unit]) -> list[tuple[int, Unit]]:
    """Return the units of the bound entries with the entry's place; a route belongs to its first entry in order."""
    by_slug = {roster.slugs[unit[0]]: unit for unit in units}
    found = []
    for place, entry in in_priority(request.bound or ()):
        unit = by_slug.get(entry.model, [])
        served = [i for i in unit if entry.vendor in (None, roster.candidates[i].vendor)]
        if served:
            by_slug[entry.model] = [i for i in unit if i not in served]
            found.append((place, served))
    return found


def balance(models: Iterable[Model]) -> Balances:
    """Return the composite of each model: the mean of power (up), SpeedRank (up) and CostRank (down), each from 0 to 1.

    A fact runs from its worst value among these models (0) to its best (1); where all have the same, it counts ½. What
    is unknown of a model is left out of that model's mean and named, never read as slow, dear or free.
    """
    found = list(models)
    facts = [[getattr(model, name) for model in found] for name in _FACTS.values()]
    spans = [_span(column) for column in facts]
    unit = 2 * prod(high - low or 1 for low, high in spans)
    power, speed, cost = (_shares(column, *span, unit) for column, span in zip(facts, spans, strict=True))
    shares = [
        (power[model.power_rank], speed[model.speed_rank], _inverted(cost[model.cost_rank], unit)) for model in found
    ]
    points = {
        model.slug: 2 * sum(own) if None not in own else _mean(own, unit)  # type: ignore[arg-type]
        for model, own in zip(found, shares, strict=True)
    }
    missing = {model.slug: _missing(own) for model, own in zip(found, shares, strict=True) if None in own}
    return Balances(points, 6 * unit, missing)


_FACTS = {"power": "power_rank", "speed": "speed_rank", "cost": "cost_rank"}


def _span(column: Iterable[int | None]) -> tuple[int, int]:
    known = [value for value in column if value is not None]
    return min(known, default=0), max(known, default=0)


def _shares(column: Iterable[int | None], low: int, high: int, unit: int) -> dict[int | None, int | None]:
    """Return the share of each value in whole numbers: `unit`, which all spans divide, at the high end."""
    values = [value for value in set(column) if value is not None]
    return {None: None} | {v: (v - low) * unit // (high - low) if high > low else unit // 2 for v in values}


def _inverted(share: int | None, unit: int) -> int | None:
    return None if share is None else unit - share


def _mean(shares: tuple[int | None, ...], unit: int) -> int:
    """Return the mean of what is known, of 6 units; ½ where nothing is."""
    known = [share for share in shares if share is not None]
    return sum(known) * (6 // len(known)) if known else 3 * unit


def _missing(shares: tuple[int | None, ...]) -> tuple[str, ...]:
    return tuple(fact for fact, share in zip(_FACTS, shares, strict=True) if share is None)
