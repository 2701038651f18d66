"""Selection: a request and a snapshot in, a decision out. Pure: no I/O, no clock, no chance.

Where the predecessor differs, it does so by defect: its minimum power held under one strategy only (here for every
candidate); *balanced* meant nearest to the mean power (here the composite of `order.balance`); its vendor boost mixed
models and offers in one number (here a model always stands before its vendors); a missing rank counted as 0 (here it is
a rejection).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import or_

from catalog.selector import order
from catalog.selector.candidates import Roster, positions_of, roster_of, set_of
from catalog.selector.decision import Decision, Rule
from catalog.selector.needs import Cut, Need, Same, Sides, in_service, needs_of, service_needs, sifted
from catalog.selector.order import Measure
from catalog.selector.request import Request, models_of
from catalog.snapshot import Model, Snapshot


def select(snapshot: Snapshot, request: Request) -> Decision:
    """Choose among the offers of a type.

    Candidates stand in a total order: bound models by priority, then by ``prefer`` or in the caller's order, then the
    fallback; within equal power by price (unknown last), then by slug; the offers of one model by vendor wish,
    priority, price, vendor.

    Returns:
        A decision; without any candidate when every one was rejected.

    Raises:
        UsageError: when the request contradicts itself or names what the snapshot does not hold.
    """
    bound = models_of(request, snapshot)
    roster = roster_of(snapshot, request.type, request.as_of or snapshot.at[:10])
    return _Selection(snapshot, request, roster, bound).decision()


@dataclass(slots=True)
class _Part:
    """Some of the candidates on their way, as sets: those still in, the needs they face, those that only cool down."""

    alive: int
    needs: tuple[Need, ...] = ()
    cooling: int = 0


_NOTHING = Same(None)


class _Selection:
    def __init__(self, snapshot: Snapshot, request: Request, roster: Roster, bound: Sequence[Model]) -> None:
        self._snapshot, self._request, self._roster, self._bound = snapshot, request, roster, bound
        self._served, cuts = in_service(roster, request.status)
        self._cuts = list(cuts)
        self._resting: list[tuple[int, float, str]] = []

    def decision(self) -> Decision:
        named, others = self._parts()
        for part in (named, others):
            part.alive, cuts = sifted(self._roster, part.alive, part.needs, allow_unknown=self._request.allow_unknown)
            self._cuts += cuts
        self._ask_for_credentials(named, others)
        self._leave_cooling(named, others)
        last_resort = self._last_resort(named, others)
        service = service_needs(self._request.status)
        positions, rule = self._ordered(named.alive, others.alive, last_resort)
        return Decision(
            request=self._request,
            candidates=tuple(map(self._roster.candidates.__getitem__, positions)),
            cuts=tuple(self._cuts),
            rule=rule,
            day=self._roster.day,
            head=self._snapshot.head,
            needs=(*service, *others.needs),
            bound_needs=(*service, *named.needs),
        )

    def _parts(self) -> tuple[_Part, _Part]:
        """Return the bound candidates and the others; without bound models all are others."""
        request = self._request
        compared = needs_of(request, self._snapshot.vendors, ranked=True)
        if request.bound is None:
            return _Part(0), _Part(self._served, compared)
        own_order = request.prefer is None and request.min_power is None
        needs = needs_of(request, self._snapshot.vendors, ranked=not own_order)
        named = self._served & self._bound_set()
        others = self._served & ~named
        if request.require_bound:
            self._cut(others, "not_bound")
            others = 0
        return _Part(named, needs), _Part(others, compared)

    def _bound_set(self) -> int:
        roster = self._roster
        return reduce(
            or_,
            (
                set_of(roster.spans[entry.model]) & (roster.served_by(entry.vendor) if entry.vendor else -1)
                for entry in self._request.bound or ()
            ),
            0,
        )

    def _ask_for_credentials(self, *parts: _Part) -> None:
        if self._request.credentials is None:
            return
        from catalog.selector import credentials

        everyone = reduce(or_, (part.alive for part in parts))
        asked = [vendor for vendor in self._snapshot.vendors if self._roster.served_by(vendor) & everyone]
        for vendor, wrong in credentials.ask(self._request.credentials, asked).items():
            if wrong is None:
                continue
            served = self._roster.served_by(vendor)
            self._cut(everyone & served, wrong.code, Same(vendor), Same(wrong.reason))
            for part in parts:
                part.alive &= ~served

    def _leave_cooling(self, *parts: _Part) -> None:
        roster = self._roster
        for place, (seconds, reason) in self._request.health.places.items() if self._request.health else ():
            span = set_of(roster.spans.get(place.model, range(0))) if place.model else -1
            resting = roster.served_by(place.vendor) & span
            for part in parts:
                part.cooling |= part.alive & resting
            if resting:
                self._resting.append((resting, seconds, reason))
        for part in parts:
            part.alive &= ~part.cooling

    def _last_resort(self, *parts: _Part) -> bool:
        """Take back what only cools down where the request says so and nothing else is left; reject it elsewhere."""
        if self._request.last_resort and not any(part.alive for part in parts):
            for part in parts:
                part.alive = part.cooling
            return any(part.alive for part in parts)
        cooling = reduce(or_, (part.cooling for part in parts))
        for members, seconds, reason in sorted(self._resting, key=lambda resting: -resting[1]):
            self._cut(cooling & members, "cooling", Same(seconds), Same(reason))
            cooling &= ~members
        return False

    def _cut(self, members: int, code: str, left: Sides = _NOTHING, right: Sides = _NOTHING) -> None:
        if members:
            self._cuts.append(Cut(self._roster, members, code, left, right))

    def _ordered(self, named: int, others: int, last_resort: bool) -> tuple[list[int], Rule]:
        request, roster = self._request, self._roster
        target = order.target_of(request.bound or (), self._bound)
        prefer = request.prefer or "highest"
        fallback = None
        if request.bound is not None and not request.require_bound:
            fallback = "power-match" if target else "type"
        balances = None
        if prefer == "balanced":
            compared = positions_of(named if fallback == "power-match" else named | others)
            models = {roster.slugs[i]: roster.candidates[i].model for i in compared}
            balances = order.balance(models.values()) if models else None
        measure = order.by_balance(roster, balances) if balances else order.by_power(roster, prefer)
        first = self._bound_in_order(named, measure if request.prefer else None)
        if fallback == "power-match" and target:
            measure = order.nearness(roster, target)
        if prefer == "highest" and fallback != "power-match" and not request.vendor_order:
            rest = order.strongest_first(roster, others)
        else:
            units = order.units_of(roster, positions_of(others), request.vendor_order)
            rest = order.in_order(roster, units, measure)
        caller = request.bound is not None and request.prefer is None
        rule = Rule(
            order="bound" if caller else prefer,
            bound=len(first),
            fallback=fallback,
            target=Fraction(*target) if fallback == "power-match" and target else None,
            balances=balances,
            last_resort=last_resort,
        )
        return [*first, *rest], rule

    def _bound_in_order(self, named: int, measure: Measure | None) -> list[int]:
        """Return the bound positions by priority, then by a measure, or else in the caller's order."""
        request, roster = self._request, self._roster
        units = order.bound_units(roster, request, order.units_of(roster, positions_of(named), request.vendor_order))
        if measure is None:  # entries come by priority and place already
            return [i for _, unit in units for i in unit]
        bound = request.bound or ()
        by_priority = groupby(units, lambda item: bound[item[0]].priority)
        return [i for _, same in by_priority for i in order.in_order(roster, [unit for _, unit in same], measure)]
