"""Orders: model first, offer second, total in every case.

Units are the offers of one model (of one bound entry), best offer first. Units are ordered by a measure, then by the
price of their first offer (unknown last), then by slug. A vendor's priority orders the offers of one model and never
lifts a weaker model over a stronger one; in the predecessor an aggregator's copy of the fifth model could come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from catalog.selector.candidates import Field
from catalog.selector.fields import Bound
from catalog.selector.request import Request
from catalog.snapshot import Model

Unit = list[int]
Measure = Callable[[int], Any]
"""Position of a unit's first offer → what orders it, smaller first."""


class Balance(NamedTuple):
    """Composite of a model: the mean of what is known of it, 0 to 1, and which facts are not."""

    score: Fraction
    missing: tuple[str, ...]


class Target(NamedTuple):
    """The power a fallback is matched to: `weighted` / `weight`, kept as integers so that nothing is rounded."""

    weighted: int
    weight: int


def units_of(field: Field, positions: Sequence[int], vendor_order: Sequence[str]) -> list[Unit]:
    """Return positions grouped by model, the offers of each model in the order the request wishes."""
    slugs, units, last = field.slugs, list[Unit](), None
    for i in positions:
        if slugs[i] is last:
            units[-1].append(i)
        else:
            units.append([i])
            last = slugs[i]
    if vendor_order:
        wish = {vendor: place for place, vendor in enumerate(vendor_order)}
        for unit in units:
            unit.sort(key=lambda i: wish.get(field.candidates[i].vendor or "", len(wish)))
    return units


def in_order(field: Field, units: Sequence[Unit], measure: Measure) -> list[int]:
    """Return the positions of units in their total order."""
    keys = [measure(unit[0]) for unit in units]
    places = sorted(range(len(units)), key=keys.__getitem__)
    ordered: list[int] = []
    for _, run in groupby(places, keys.__getitem__):
        tied = list(run)
        if len(tied) > 1:
            tied.sort(key=lambda place: (field.price_keys[units[place][0]], field.slugs[units[place][0]]))
        for place in tied:
            ordered += units[place]
    return ordered


def measure_of(field: Field, prefer: str, balances: Mapping[str, Balance]) -> Measure:
    """Return the measure of a preference."""
    power, slugs = field.columns["power"], field.slugs
    if prefer == "balanced":
        return lambda i: -balances[slugs[i]].score
    return power.__getitem__ if prefer == "lowest" else lambda i: -power[i]


def nearness(field: Field, target: Target) -> Measure:
    """Return the measure of a power-match: distance to the target, the stronger of two equally near first."""
    power = field.columns["power"]
    return lambda i: (abs(power[i] * target.weight - target.weighted), -power[i])


def target_of(bound: Sequence[Bound], models: Sequence[Model]) -> Target | None:
    """Return the weighted mean power of the ranked bound models, weight priority (1 where it is 0); None without one.

    Unlike the predecessor's, an unranked model does not pull the mean down to 0, and the mean is not rounded.
    """
    known = [(entry.priority or 1, model.power_rank) for entry, model in zip(bound, models, strict=True)]
    ranked = [(weight, rank) for weight, rank in known if rank is not None]
    return Target(sum(weight * rank for weight, rank in ranked), sum(w for w, _ in ranked)) if ranked else None


def bound_units(field: Field, request: Request, units: Iterable[Unit]) -> list[tuple[int, Unit]]:
    """Return the units of the bound entries with the entry's place; a route belongs to its first entry in order."""
    by_slug = {field.slugs[unit[0]]: unit for unit in units}
    taken: set[int] = set()
    found = []
    for place, entry in sorted(enumerate(request.bound or ()), key=lambda item: -item[1].priority):
        served = [
            i
            for i in by_slug.get(entry.model, ())
            if i not in taken and entry.vendor in (None, field.candidates[i].vendor)
        ]
        taken.update(served)
        if served:
            found.append((place, served))
    return found


def balance(models: Iterable[Model]) -> dict[str, Balance]:
    """Return the composite of each model: the mean of power (up), SpeedRank (up) and CostRank (down), each from 0 to 1.

    A fact runs from its worst value among these models (0) to its best (1); where all have the same, it counts ½. What
    is unknown of a model is left out of that model's mean and named, never read as slow, dear or free.
    """
    found = {model.slug: (model.power_rank, model.speed_rank, model.cost_rank) for model in models}
    spans = [_span(column) for column in zip(*found.values(), strict=True)]
    return {slug: _balance(values, spans) for slug, values in found.items()}


_FACTS = ("power", "speed", "cost")
_DOWN = (False, False, True)


def _span(column: Iterable[int | None]) -> tuple[int, int]:
    known = [value for value in column if value is not None]
    return min(known, default=0), max(known, default=0)


def _balance(values: Sequence[int | None], spans: Sequence[tuple[int, int]]) -> Balance:
    shares = [
        _share(value, *span, down=down)
        for value, span, down in zip(values, spans, _DOWN, strict=True)
        if value is not None
    ]
    missing = tuple(fact for fact, value in zip(_FACTS, values, strict=True) if value is None)
    return Balance(sum(shares, Fraction(0)) / len(shares) if shares else Fraction(1, 2), missing)


def _share(value: int, low: int, high: int, *, down: bool) -> Fraction:
    if low == high:
        return Fraction(1, 2)
    return Fraction(high - value if down else value - low, high - low)
