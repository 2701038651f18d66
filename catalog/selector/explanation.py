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


def explain(decision: Decision, *, rejected: int | None = None) -> str:
    """Return a decision in words: what was chosen, by which rule, what follows and what is out.

    Args:
        rejected: how many rejections to write out; None is all, 0 only counts them.
    """
    return "\n".join(_explained(decision, rejected))


def _explained(decision: Decision, rejected: int | None) -> Iterator[str]:
    chosen = decision.chosen
    yield f"chosen    {_route(chosen)}, {facts(chosen)}" if chosen else "chosen    nothing: no candidate is left"
    yield f"order     {ordering(decision)}"
    for place, candidate in enumerate(decision.candidates[1:], 2):
        yield f"{place:<9} {_route(candidate)}, {facts(candidate)}"
    counts = Counter(rejection.code for rejection in decision.rejected)
    yield f"rejected  {sum(counts.values()):,}: {', '.join(f'{code} {n:,}' for code, n in counts.most_common()) or '–'}"
    for rejection in decision.rejected[:rejected]:
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
        told += "; no bound model is ranked, so then the whole type by power"
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
            hint=nearest(slug, sorted(known), otherwise=f"catalog list {decision.request.type} shows them."),
        )
    found = tuple(every for rejection in out for every in _every_reason(decision, rejection))
    lines = [_standing(decision, slug, places[0])] if places else [f"{slug} is no candidate"]
    lines += [f"  {_route(rejection.candidate)}: {rejection.detail}" for rejection in found]
    return WhyNot(model=slug, standing=places[0] if places else None, rejections=found, text="\n".join(lines))


def _every_reason(decision: Decision, rejection: Rejection) -> list[Rejection]:
    """Return the recorded rejection and every further need the candidate misses."""
    further = missed(rejection.candidate, decision.needs, allow_unknown=decision.request.allow_unknown)
    first = {other.code: other for other in reversed(further)} | {rejection.code: rejection}
    return [rejection, *(other for other in further if first[other.code] is other)]


def _standing(decision: Decision, slug: str, place: int) -> str:
    own, best = decision.candidates[place - 1], decision.candidates[0]
    if place == 1:
        return f"{slug} is chosen, by {own.vendor}"
    return f"{slug} is candidate {place} of {len(decision.candidates)}, by {own.vendor}: {_behind(decision, own, best)}"


def _behind(decision: Decision, own: Candidate, best: Candidate) -> str:
    rule, place = decision.rule, decision.candidates.index(own)
    first = f"{best.model.slug} stands first"
    if place >= rule.bound > 0:
        return f"{first}, which is bound"
    if place < rule.bound and rule.order == "bound":
        return f"{first}, which is bound with a higher priority or earlier"
    if rule.fallback == "power-match" and rule.target is not None:
        distances = (abs((other.model.power_rank or 0) - rule.target) for other in (own, best))
        away, nearer = (f"{float(distance):.1f}" for distance in distances)
        return f"{first}, {nearer} ranks from the target {float(rule.target):.1f} and not {away}"
    if rule.balances is not None:
        mine, theirs = (rule.balances.score(other.model.slug) for other in (own, best))
        missing = rule.balances.missing.get(own.model.slug, ())
        without = f", {' and '.join(missing)} unknown" if missing else ""
        return f"{first}, balance {theirs:.4f} against {mine:.4f}{without}"
    if own.model.power_rank == best.model.power_rank:
        return f"{first} with the same power: ties go by price, then by slug"
    sign = "<" if rule.order == "highest" else ">"
    return f"{first}: power {own.model.power_rank} {sign} {best.model.power_rank}"


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
