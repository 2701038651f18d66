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

from catalog.selector import credentials, order
from catalog.selector.candidates import Field, field_of
from catalog.selector.decision import Decision, Rule
from catalog.selector.needs import Need, Rejection, in_service, needs_of, service_needs, sifted
from catalog.selector.order import Balance, Measure
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
    field = field_of(snapshot, request.type, request.as_of or snapshot.at[:10])
    return _Selection(snapshot, request, field, bound).decision()


@dataclass(slots=True)
class _Part:
    """Some of the candidates on their way: positions still in, the needs they face, those that only cool down."""

    alive: list[int]
    needs: tuple[Need, ...]
    cooling: list[int]


class _Selection:
    def __init__(self, snapshot: Snapshot, request: Request, field: Field, bound: Sequence[Model]) -> None:
        self._snapshot, self._request, self._field, self._bound = snapshot, request, field, bound
        self._served, out = in_service(field, request.status)
        self._rejected = list(out)

    def decision(self) -> Decision:
        named, others = self._parts()
        for part in (named, others):
            self._sift(part)
        self._ask_for_credentials(named, others)
        self._leave_cooling(named, others)
        last_resort = self._last_resort(named, others)
        positions, rule = self._ordered(named.alive, others.alive, last_resort)
        return Decision(
            request=self._request,
            candidates=tuple([self._field.candidates[i] for i in positions]),
            rejected=tuple(self._rejected),
            rule=rule,
            head=self._snapshot.head,
            needs=(*service_needs(self._request.status), *others.needs),
        )

    def _parts(self) -> tuple[_Part, _Part]:
        """Return the bound candidates and the others; without bound models all are others."""
        request, field = self._request, self._field
        compared = needs_of(request, self._snapshot.vendors, ranked=True)
        if request.bound is None:
            return _Part([], (), []), _Part(self._served, compared, [])
        own_order = request.prefer is None and request.min_power is None
        needs = needs_of(request, self._snapshot.vendors, ranked=not own_order)
        named = [i for i in self._served if self._is_bound(i)]
        inside = set(named)
        others = [i for i in self._served if i not in inside]
        if request.require_bound:
            self._rejected += [Rejection(field.candidates[i], "not_bound", None, None) for i in others]
            others = []
        return _Part(named, needs, []), _Part(others, compared, [])

    def _is_bound(self, position: int) -> bool:
        candidate = self._field.candidates[position]
        return any(
            entry.model == candidate.model.slug and entry.vendor in (None, candidate.vendor)
            for entry in self._request.bound or ()
        )

    def _sift(self, part: _Part) -> None:
        for need in part.needs:
            part.alive, out = sifted(self._field, part.alive, need, allow_unknown=self._request.allow_unknown)
            self._rejected += out

    def _ask_for_credentials(self, *parts: _Part) -> None:
        if self._request.credentials is None:
            return
        candidates = self._field.candidates
        vendors = sorted({candidates[i].vendor or "" for part in parts for i in part.alive})
        wrong = credentials.ask(self._request.credentials, vendors)
        for part in parts:
            for i in part.alive:
                vendor = candidates[i].vendor or ""
                reason = wrong[vendor]
                if reason is not None:
                    code = "credentials_error" if reason else "credentials"
                    self._rejected.append(Rejection(candidates[i], code, vendor, reason))
            part.alive = [i for i in part.alive if wrong[candidates[i].vendor or ""] is None]

    def _leave_cooling(self, *parts: _Part) -> None:
        view = self._request.health
        if view is None or not view.places:
            return
        candidates = self._field.candidates
        for part in parts:
            part.cooling = [i for i in part.alive if view.of(*candidates[i].route)]
            cooling = set(part.cooling)
            part.alive = [i for i in part.alive if i not in cooling]

    def _last_resort(self, *parts: _Part) -> bool:
        """Take back what only cools down where the request says so and nothing else is left; reject it elsewhere."""
        if self._request.last_resort and not any(part.alive for part in parts):
            for part in parts:
                part.alive = part.cooling
            return any(part.alive for part in parts)
        view = self._request.health
        for part in parts:
            for i in part.cooling:
                candidate = self._field.candidates[i]
                seconds, reason = (view and view.of(*candidate.route)) or (0.0, "")
                self._rejected.append(Rejection(candidate, "cooling", seconds, reason))
        return False

    def _ordered(self, named: Sequence[int], others: Sequence[int], last_resort: bool) -> tuple[list[int], Rule]:
        request, field = self._request, self._field
        target = order.target_of(request.bound or (), self._bound)
        prefer = request.prefer or "highest"
        fallback = None
        if request.bound is not None and not request.require_bound:
            fallback = "power-match" if target else "type"
        first = self._bound_in_order(named)
        measure, balances = self._measure(others, prefer)
        if fallback == "power-match" and target:
            measure = order.nearness(field, target)
        rest = order.in_order(field, order.units_of(field, others, request.vendor_order), measure)
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

    def _bound_in_order(self, named: Sequence[int]) -> list[int]:
        if not named:
            return []
        request, field = self._request, self._field
        units = order.bound_units(field, request, order.units_of(field, named, request.vendor_order))
        places = {unit[0]: place for place, unit in units}
        priority = {unit[0]: -(request.bound or ())[place].priority for place, unit in units}
        if request.prefer is None:
            return order.in_order(field, [unit for _, unit in units], lambda i: (priority[i], places[i]))
        measure, _ = self._measure(named, request.prefer)
        return order.in_order(field, [unit for _, unit in units], lambda i: (priority[i], measure(i)))

    def _measure(self, positions: Sequence[int], prefer: str) -> tuple[Measure, dict[str, Balance]]:
        models = {self._field.slugs[i]: self._field.candidates[i].model for i in positions}
        balances = order.balance(models.values()) if prefer == "balanced" else {}
        return order.measure_of(self._field, prefer, balances), balances
