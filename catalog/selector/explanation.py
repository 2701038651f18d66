"""Explanations: a decision in words, why not another model, and what no other candidate beats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from catalog.errors import NotFoundError, nearest
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.needs import Rejection, missed
from catalog.selector.order import entry_of

_ORDERS = {
    "highest": "highest PowerRank first",
    "lowest": "lowest PowerRank first",
    "balanced": "best balance of power, speed and cost first",
    "bound": "the bound models in the order given",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a model of the type was not chosen, or that it was.

    Attributes:
        model: its slug.
        standing: place of its best candidate, 1 is chosen; None when it is no candidate.
        rejections: why each of its offers is out, every need it misses and not only the first.
        text: the answer in sentences, one a line.
    """

    model: str
    standing: int | None
    rejections: tuple[Rejection, ...]
    text: str


def explain(decision: Decision) -> str:
    """Return a decision in words: what was chosen, by which rule, what follows and what is out."""
    return "\n".join(_explained(decision))


def _explained(decision: Decision) -> Iterator[str]:
    chosen = decision.chosen
    yield f"chosen    {_route(chosen)}, {facts(chosen)}" if chosen else "chosen    nothing: no candidate is left"
    yield f"order     {ordering(decision)}"
    for place, candidate in enumerate(decision.candidates[1:], 2):
        yield f"{place:<9} {_route(candidate)}, {facts(candidate)}"
    counts = Counter(rejection.code for rejection in decision.rejected)
    yield f"rejected  {sum(counts.values()):,}: {', '.join(f'{code} {n:,}' for code, n in counts.most_common()) or '–'}"
    for rejection in decision.rejected:
        yield f"  {_route(rejection.candidate)}: {rejection.detail}"
    yield f"head      {decision.head}"


def ordering(decision: Decision) -> str:
    """Return the rule of a decision in words."""
    rule = decision.rule
    told = _ORDERS[rule.order]
    if decision.request.bound is not None and rule.order != "bound":
        told = f"bound models by priority, then {told}"
    if rule.fallback == "power-match" and rule.target is not None:
        told += f"; then other models, nearest to power {float(rule.target):.1f} first"
    elif rule.fallback == "type":
        told += f"; no bound model is ranked, so then the whole type, {_ORDERS[decision.request.prefer or 'highest']}"
    if rule.last_resort:
        told += "; all of them are cooling down and offered as the last resort"
    return told


def facts(candidate: Candidate) -> str:
    """Return what a decision rests on, of one candidate."""
    model = candidate.model
    power = "unranked" if model.power_rank is None else f"power {model.power_rank} ({model.low}–{model.high})"
    price = "price unknown"
    if candidate.price is not None:
        amounts = f"{candidate.price.input or '?'} / {candidate.price.output or '?'} {candidate.price.currency}"
        price = f"{amounts} per {candidate.price.unit}"
    context = "context unknown" if candidate.context is None else f"context {candidate.context:,}"
    return f"{power}, {price}, {context}"


def why_not(decision: Decision, slug: str) -> WhyNot:
    """Return why a model of the type was not chosen.

    Raises:
        NotFoundError: for a model that is not of the request's type.
    """
    places = [place for place, candidate in enumerate(decision.candidates, 1) if candidate.model.slug == slug]
    out = [rejection for rejection in decision.rejected if rejection.candidate.model.slug == slug]
    if not places and not out:
        known = {candidate.model.slug for candidate in decision.candidates}
        known |= {rejection.candidate.model.slug for rejection in decision.rejected}
        raise NotFoundError(
            f"there is no model {slug!r} of type {decision.request.type}",
            hint=nearest(slug.lower(), sorted(known), otherwise=f"catalog list {decision.request.type} shows them."),
        )
    found = tuple(every for rejection in out for every in _every_reason(decision, rejection))
    lines = [_standing(decision, slug, places[0])] if places else [f"{slug} is no candidate"]
    lines += [f"  {_route(rejection.candidate)}: {rejection.detail}" for rejection in found]
    return WhyNot(model=slug, standing=places[0] if places else None, rejections=found, text="\n".join(lines))


def _every_reason(decision: Decision, rejection: Rejection) -> list[Rejection]:
    """Return the recorded rejection and every further need the candidate misses."""
    candidate, request = rejection.candidate, decision.request
    bound = entry_of(request, candidate.model.slug, candidate.vendor)
    needs = decision.bound_needs if bound else decision.needs
    further = missed(candidate, needs, allow_unknown=request.allow_unknown)
    first = {other.code: other for other in reversed(further)} | {rejection.code: rejection}
    return [rejection, *(other for other in further if first[other.code] is other)]


def _standing(decision: Decision, slug: str, place: int) -> str:
    own, best = decision.candidates[place - 1], decision.candidates[0]
    if place == 1:
        return f"{slug} is chosen, by {own.vendor}"
    return f"{slug} is candidate {place} of {len(decision.candidates)}, by {own.vendor}: {_behind(decision, own, best)}"


def _behind(decision: Decision, own: Candidate, best: Candidate) -> str:
    """Return what put another candidate first, with the numbers that were compared."""
    rule, first = decision.rule, f"{best.model.slug} stands first"
    if rule.bound:
        return f"{first}{_bound_before(decision, own, best)}"
    if rule.target is not None:
        own_distance, distance = (abs((other.model.power_rank or 0) - rule.target) for other in (own, best))
        if own_distance != distance:
            near, far = f"{float(distance):.1f}", f"{float(own_distance):.1f}"
            return f"{first}, {near} ranks from the target {float(rule.target):.1f} and not {far}"
        if own.model.power_rank != best.model.power_rank:
            return f"{first}: of two equally near the target the stronger, {_powers(own, best)}"
    return f"{first}{_measured_before(decision, own, best)}"


def _bound_before(decision: Decision, own: Candidate, best: Candidate) -> str:
    found, first = (entry_of(decision.request, other.model.slug, other.vendor) for other in (own, best))
    if found is None or first is None:
        return ", which is bound"
    (_, mine), (_, theirs) = found, first
    if mine.priority != theirs.priority:
        return f": bound with priority {theirs.priority}, not {mine.priority}"
    return ", which is bound earlier" if decision.rule.order == "bound" else _measured_before(decision, own, best)


def _measured_before(decision: Decision, own: Candidate, best: Candidate) -> str:
    balances = decision.rule.balances
    if balances is not None and balances.points[own.model.slug] != balances.points[best.model.slug]:
        mine, theirs = (f"{balances.score(other.model.slug):.4f}" for other in (own, best))
        missing = balances.missing.get(own.model.slug, ())
        return f", balance {theirs} against {mine}{', ' + ' and '.join(missing) + ' unknown' if missing else ''}"
    if balances is None and own.model.power_rank != best.model.power_rank:
        return f": {_powers(own, best)}"
    return " and measures the same: ties go by price, then by slug"


def _powers(own: Candidate, best: Candidate) -> str:
    mine, theirs = own.model.power_rank or 0, best.model.power_rank or 0
    return f"power {mine} {'<' if mine < theirs else '>'} {theirs}"


def _route(candidate: Candidate) -> str:
    return f"{candidate.model.slug} by {candidate.vendor}" if candidate.offer else candidate.model.slug


def pareto(decision: Decision) -> tuple[Candidate, ...]:
    """Return the candidates that no other beats: as good in power, speed and both prices, and better in one.

    What is unknown counts as the worst value there is, so that a candidate is never kept for what nobody knows of it.
    Prices count in the unit that most candidates are charged in.
    """
    units = Counter(_unit(candidate) for candidate in decision.candidates if candidate.price)
    unit = min(units, key=lambda found: (-units[found], found), default=("", ""))
    measured = sorted(
        ((_axes(candidate, unit), place) for place, candidate in enumerate(decision.candidates)),
        key=lambda pair: (tuple(-value for value in pair[0]), pair[1]),
    )
    front: list[tuple[tuple[Any, ...], int]] = []
    for axes, place in measured:
        if not any(_beats(other, axes) for other, _ in front):
            front.append((axes, place))
    return tuple(decision.candidates[place] for place in sorted(place for _, place in front))


def _unit(candidate: Candidate) -> tuple[str, str]:
    return (candidate.price.unit, candidate.price.currency) if candidate.price else ("", "")


def _axes(candidate: Candidate, unit: tuple[str, str]) -> tuple[Any, ...]:
    price = candidate.price if _unit(candidate) == unit else None
    power, speed = candidate.model.power_rank, candidate.model.speed_rank
    costs = (price and price.input, price and price.output)
    return (
        _WORST if power is None else power,
        _WORST if speed is None else speed,
        *(_WORST if cost is None else -Decimal(cost) for cost in costs),
    )


_WORST = Decimal("-Infinity")


def _beats(other: tuple[Any, ...], own: tuple[Any, ...]) -> bool:
    return other != own and all(mine <= theirs for mine, theirs in zip(own, other, strict=True))
