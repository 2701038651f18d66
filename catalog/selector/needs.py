"""Needs: what a candidate must satisfy, each an `at least` or an `at most` on one fact, tested in a fixed order.

The first need a candidate misses is its rejection. Sets compare by inclusion, so modalities, capabilities, statuses and
vendors need no rule of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import or_
from typing import Any, Literal, NamedTuple, Protocol

from catalog.selector.candidates import OF_OFFER, Candidate, Roster, positions_of, read, to_json
from catalog.selector.request import Request

Direction = Literal["at_least", "at_most"]


class Rejection(NamedTuple):
    """Why a candidate is not chosen from: a code and the two values compared, put into words only on demand."""

    candidate: Candidate
    code: str
    left: Any
    right: Any

    @property
    def detail(self) -> str:
        """The rejection in words, such as ``power 180 < 200``."""
        return detail(self.code, self.left, self.right)


class Sides(Protocol):
    """One side of the comparison of each candidate that was cut, by its position."""

    def __getitem__(self, position: int, /) -> Any:
        """Return the value of a position."""


@dataclass(frozen=True, slots=True)
class Same:
    """A side that is the same for every position."""

    value: Any

    def __getitem__(self, position: int, /) -> Any:
        """Return the value."""
        return self.value


@dataclass(frozen=True, slots=True)
class Cut:
    """Some candidates that one test took out, as a set of positions; their rejections are made when they are read."""

    roster: Roster
    members: int
    code: str
    left: Sides
    right: Sides

    def rejections(self) -> Iterator[Rejection]:
        """Yield the rejection of each candidate."""
        for i in positions_of(self.members):
            yield Rejection(self.roster.candidates[i], self.code, self.left[i], self.right[i])

    def to_json(self) -> Iterator[str]:
        """Yield each candidate's JSON with ``code`` and ``detail`` added; equal comparisons are put into words once."""
        told: dict[tuple[Any, Any], str] = {}
        for i in positions_of(self.members):
            sides = self.left[i], self.right[i]
            if sides not in told:
                told[sides] = f',"code":"{self.code}","detail":{to_json(detail(self.code, *sides))}}}'
            yield self.roster.candidates[i].to_json()[:-1] + told[sides]


class Need(NamedTuple):
    """One test of one column; ``unknown`` is the code for candidates whose fact the catalog does not know."""

    code: str
    column: str
    direction: Direction
    limit: Any
    unknown: str


def service_needs(status: Sequence[str]) -> tuple[Need, ...]:
    """Return what every candidate must satisfy: it is served, and model and offer have one of these statuses."""
    wanted = frozenset(status)
    return (
        Need("status", "status", "at_most", wanted, "status"),
        Need("no_offer", "offers", "at_least", 1, "no_offer"),
        Need("offer_status", "offer_status", "at_most", wanted, "offer_status"),
    )


def in_service(roster: Roster, status: tuple[str, ...]) -> tuple[int, tuple[Cut, ...]]:
    """Return the set in service and the cuts of the others; the roster remembers them."""
    known: tuple[int, tuple[Cut, ...]] | None = roster.memo.get(status)
    if known is None:
        everything = (1 << len(roster.candidates)) - 1
        alive, cuts = sifted(roster, everything, service_needs(status), allow_unknown=False)
        known = roster.memo[status] = (alive, tuple(cuts))
    return known


def needs_of(request: Request, vendors: Sequence[str], *, ranked: bool) -> tuple[Need, ...]:
    """Return the further needs of a request in the order they are tested.

    Args:
        vendors: every vendor there is.
        ranked: whether power matters, so that an unranked model cannot be compared.
    """
    return tuple(_needs(request, vendors, ranked=ranked))


def _needs(request: Request, vendors: Sequence[str], *, ranked: bool) -> Iterator[Need]:
    if request.only_vendors is not None:
        yield Need("only_vendors", "vendor", "at_most", frozenset(request.only_vendors), "only_vendors")
    if request.never_vendors:
        allowed = frozenset(vendors) - frozenset(request.never_vendors)
        yield Need("never_vendors", "vendor", "at_most", allowed, "never_vendors")
    if ranked:
        yield Need("min_power", "power", "at_least", request.min_power or 0, "unranked")
    if request.max_power is not None:
        yield Need("max_power", "power", "at_most", request.max_power, "unranked")
    for name in ("inputs", "outputs", "capabilities"):
        if wanted := getattr(request, name):
            yield Need(name, name, "at_least", frozenset(wanted), f"unknown_{name}")
    if request.input_tokens is not None:
        yield Need("context", "input_limit", "at_least", request.input_tokens, "unknown_context")
    if request.output_tokens is not None:
        yield Need("max_output", "max_output", "at_least", request.output_tokens, "unknown_max_output")
        both = request.output_tokens + (request.input_tokens or 0)
        yield Need("context", "context", "at_least", both, "unknown_context")
    if request.max_price_in is not None:
        yield Need("price_in", "price_in", "at_most", request.max_price_in, "unknown_price")
    if request.max_price_out is not None:
        yield Need("price_out", "price_out", "at_most", request.max_price_out, "unknown_price")


def sifted(roster: Roster, alive: int, needs: Iterable[Need], *, allow_unknown: bool) -> tuple[int, list[Cut]]:
    """Return the set that satisfies every need, and the others cut by the first they miss."""
    cuts = []
    for need in needs:
        column, limit = roster.columns[need.column], need.limit
        unknown = column.sets.get(None, 0)
        if need.direction == "at_least":
            holds = [members for value, members in column.sets.items() if value is not None and value >= limit]
        else:
            holds = [members for value, members in column.sets.items() if value is not None and value <= limit]
        kept = reduce(or_, holds, unknown if _lenient(need, allow_unknown) else 0)
        out = alive & ~kept
        for members, code in ((out & ~unknown, need.code), (out & unknown, need.unknown)):
            if members:
                cuts.append(Cut(roster, members, code, column.values, Same(limit)))
        alive &= kept
    return alive, cuts


def _lenient(need: Need, allow_unknown: bool) -> bool:
    """Return whether the unknown passes a need; an unranked model never does."""
    return allow_unknown and need.unknown.startswith("unknown_")


_WORDS = {
    "status": "status {left}, wanted {right}",
    "offer_status": "offer {left}, wanted {right}",
    "no_offer": "no vendor serves it",
    "only_vendors": "vendor {left} is not {right}",
    "never_vendors": "vendor {left} is ruled out",
    "min_power": "power {left} < {right}",
    "max_power": "power {left} > {right}",
    "unranked": "unranked: no power to compare",
    "inputs": "takes {left}, not {missing}",
    "outputs": "gives {left}, not {missing}",
    "capabilities": "can {left}, not {missing}",
    "context": "context {left} < {right}",
    "max_output": "output {left} < {right}",
    "price_in": "input {left} > {right} USD per 1M tokens",
    "price_out": "output {left} > {right} USD per 1M tokens",
    "unknown_inputs": "inputs unknown, {right} needed",
    "unknown_outputs": "outputs unknown, {right} needed",
    "unknown_capabilities": "capabilities unknown, {right} needed",
    "unknown_context": "context unknown, {right} needed",
    "unknown_max_output": "longest output unknown, {right} needed",
    "unknown_price": "price per 1M tokens unknown, at most {right} USD wanted",
    "not_bound": "not among the bound models",
    "credentials": "no credentials for {left}",
    "credentials_error": "credentials for {left} cannot be told: {right}",
    "cooling": "cooling down for {left} s more: {right}",
}

CODES = tuple(_WORDS)
"""Every rejection code there is; stable, for programs."""


def detail(code: str, left: Any, right: Any) -> str:
    """Return a rejection in words."""
    if code in _LISTED:
        return _WORDS[code].format(left=_told(left), missing=_told(right - left))
    return _WORDS[code].format(left=_told(left), right=_told(right))


_LISTED = frozenset({"inputs", "outputs", "capabilities"})


def _told(value: Any) -> str:
    if isinstance(value, int | Decimal):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.0f}"
    return (", ".join(sorted(value)) or "nothing") if isinstance(value, frozenset) else str(value)


def missed(candidate: Candidate, needs: Sequence[Need], *, allow_unknown: bool) -> list[Rejection]:
    """Return every need one candidate misses, in order; a model that nobody serves misses no need of an offer."""
    found = []
    for need in needs:
        value = read(candidate, need.column)
        lenient = allow_unknown and need.unknown.startswith("unknown_")
        holds = (
            lenient if value is None else value >= need.limit if need.direction == "at_least" else value <= need.limit
        )
        if not holds and (candidate.offer is not None or need.column not in OF_OFFER):
            found.append(Rejection(candidate, need.unknown if value is None else need.code, value, need.limit))
    return found
