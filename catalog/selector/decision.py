"""The decision: what was chosen, in which order the others follow, and why every other candidate is out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from catalog.selector.candidates import Candidate, to_json
from catalog.selector.needs import Cut, Need, Rejection
from catalog.selector.order import Balances
from catalog.selector.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What ordered the candidates.

    Attributes:
        order: ``highest``, ``lowest`` or ``balanced``; ``bound`` is the caller's own order. Bound models come by
            priority first in any case.
        bound: how many candidates at the front are bound ones; 0 where nothing was bound, or none of it is usable.
        fallback: what ordered the candidates after the bound ones: ``power-match``, or ``type`` where no bound model
            is ranked; None without a fallback.
        target: the power the fallback was matched to.
        balances: composite of each model, under ``balanced``, and what was unknown of it.
        last_resort: the candidates are cooling down, and were offered because nothing else is left.
    """

    order: str
    bound: int = 0
    fallback: str | None = None
    target: Fraction | None = None
    balances: Balances | None = None
    last_resort: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the rule as plain data; numbers that are no integers as decimal text."""
        return {
            "order": self.order,
            "bound": self.bound,
            "fallback": self.fallback,
            "target": None if self.target is None else f"{float(self.target):.2f}",
            "balances": None if self.balances is None else _plain(self.balances),
            "last_resort": self.last_resort,
        }


def _plain(balances: Balances) -> dict[str, Any]:
    return {
        slug: {"score": f"{balances.score(slug):.4f}", "missing": list(balances.missing.get(slug, ()))}
        for slug in balances.points
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The full answer to a request; empty when nothing is left, which is a result and no error.

    Attributes:
        request: what was asked.
        candidates: what may be used, best first.
        cuts: every other offer of the type, and every model without one, by its first reason; see `rejected`.
        rule: what ordered the candidates.
        day: of the prices.
        head: head hash of the snapshot.
        needs, bound_needs: the needs that were tested, in order; of the bound candidates some may differ.
    """

    request: Request
    candidates: tuple[Candidate, ...]
    cuts: tuple[Cut, ...] = field(repr=False)
    rule: Rule
    day: str
    head: str
    needs: tuple[Need, ...] = field(default=(), repr=False)
    bound_needs: tuple[Need, ...] = field(default=(), repr=False)

    @property
    def chosen(self) -> Candidate | None:
        """The first candidate, None when there is none."""
        return self.candidates[0] if self.candidates else None

    @property
    def rejected(self) -> tuple[Rejection, ...]:
        """Every candidate that is out, with its first reason."""
        return tuple(rejection for cut in self.cuts for rejection in cut.rejections())

    def to_json(self) -> str:
        """Return the decision as JSON under its stable names, the same bytes for the same decision."""
        request = self.request.to_data() | {"as_of": self.day}
        chosen = self.chosen.to_json() if self.chosen else "null"
        candidates = ",".join([candidate.to_json() for candidate in self.candidates])
        rejected = ",".join([text for cut in self.cuts for text in cut.to_json()])
        return (
            f'{{"request":{to_json(request)},"chosen":{chosen},"candidates":[{candidates}],'
            f'"rejected":[{rejected}],"rule":{to_json(self.rule.to_data())},"head":"{self.head}"}}'
        )

    def to_data(self) -> dict[str, Any]:
        """Return the same as plain data."""
        data: dict[str, Any] = json.loads(self.to_json())
        return data
