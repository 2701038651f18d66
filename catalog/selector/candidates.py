"""Candidates: the models of a type with each of their offers, prepared once per snapshot and day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import chain, compress, count, groupby
from json.encoder import encode_basestring as quote
from typing import Any, NamedTuple

from catalog.snapshot import CURRENCY, TOKEN_UNIT, Model, Offer, Price, Snapshot, standard_price


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidate:
    """One way to run one model: the snapshot's own records, nothing copied. Two candidates are equal if they are one.

    Attributes:
        model, offer: the records; ``offer`` is None only in a rejection, for a model nobody serves.
        price: what the offer costs on the day asked for, None where the catalog does not know.
    """

    model: Model
    offer: Offer | None
    price: Price | None
    _json: list[str] = field(default_factory=list, init=False)

    def __repr__(self) -> str:
        """Return model and vendor; the records are long."""
        return f"Candidate({self.model.slug} by {self.vendor})"

    @property
    def vendor(self) -> str | None:
        """Slug of the vendor."""
        return self.offer.vendor if self.offer else None

    @property
    def api_name(self) -> str | None:
        """The vendor's own name of the model, None where the catalog does not know it."""
        return self.offer.api_name if self.offer else None

    @property
    def route(self) -> tuple[str, str]:
        """Model and vendor."""
        return self.model.slug, self.vendor or ""

    @property
    def context(self) -> int | None:
        """Tokens of input this offer takes: its own limit or the model's window, the smaller one that is known."""
        window, limit = self.model.context_window, self.offer.max_input if self.offer else None
        return min(window, limit) if window and limit else window or limit

    @property
    def price_in(self) -> Decimal | None:
        """USD per million tokens of input; None when unknown or charged in another unit."""
        return _per_million(self.price, self.price and self.price.input)

    @property
    def price_out(self) -> Decimal | None:
        """USD per million tokens of output; None when unknown or charged in another unit."""
        return _per_million(self.price, self.price and self.price.output)

    def to_json(self) -> str:
        """Return the candidate as JSON under its stable names; it stands in many decisions, so it is written once."""
        if not self._json:
            self._json.append(_json_of(self.model, self.offer, self.price, self.context))
        return self._json[0]

    def to_data(self) -> dict[str, Any]:
        """Return the same as plain data."""
        data: dict[str, Any] = json.loads(self.to_json())
        return data


def _json_of(model: Model, offer: Offer | None, price: Price | None, context: int | None) -> str:
    """Return a candidate's JSON, written in one piece: a decision has a thousand."""
    if price is not None and (price.unit != TOKEN_UNIT or price.currency != CURRENCY):
        price = None
    vendor, api_name = (None, None) if offer is None else (offer.vendor, offer.api_name)
    price_in, price_out = (None, None) if price is None else (price.input, price.output)
    return (
        f'{{"model":{quote(model.slug)},"vendor":{_text(vendor)},"api_name":{_text(api_name)}'
        f',"power_rank":{_text(model.power_rank)},"low":{_text(model.low)},"high":{_text(model.high)}'
        f',"source":{_text(model.source)},"index_version":{_text(model.index_version)},"as_of":{_text(model.as_of)}'
        f',"price_in":{_text(price_in)},"price_out":{_text(price_out)},"context":{_text(context)}}}'
    )


def _text(value: Any) -> str:
    if value is None:
        return "null"
    return quote(value) if value.__class__ is str else str(value)


def to_json(value: object) -> str:
    """Return plain data as the selector's JSON: names in the order given, no spaces, characters as they are."""
    return _encode(value)


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

PriceKey = tuple[bool, str, str, bool, Decimal, bool, Decimal]


class Column(NamedTuple):
    """One fact of every candidate: its value by position, and the set of positions of each distinct value.

    A set of positions is a whole number, bit i standing for position i: a test runs once per distinct value, and sets
    are met and joined by single operations, however many candidates there are.
    """

    values: tuple[Any, ...]
    sets: Mapping[Any, int]


def positions_of(members: int) -> list[int]:
    """Return the positions in a set, ascending."""
    return list(compress(count(), bin(members)[:1:-1].encode().translate(_BITS)))


_BITS = bytes.maketrans(b"01", b"\0\1")


def set_of(positions: Iterable[int]) -> int:
    """Return the set of some positions."""
    if isinstance(positions, range):
        return ((1 << len(positions)) - 1) << positions.start
    return sum(1 << position for position in positions)


class Tied(NamedTuple):
    """A run of models of equal power; only when one of their further offers is in may their order depend on it."""

    positions: range
    further: int


@dataclass(frozen=True, slots=True, eq=False)
class Roster:
    """The candidates of a type on a day, strongest model first, and one column per fact a need can test.

    Positions are shared by all attributes; a model's offers stand together.

    Attributes:
        day: of the prices.
        candidates: strongest model first, then by the price of its first offer and by slug; a model's offers by
            priority, price and vendor.
        columns: fact → its column.
        power, weakness: PowerRank by position, and its negative: what orders the weakest or the strongest first.
        ties: place of each position by price (unknown last) and slug: what ends a tie of models.
        tied: runs of models of equal power, of which some have several offers.
        slugs: the models', by position.
        spans: slug → where its offers stand.
        memo: what was derived from the roster, so that it is made once.
    """

    day: str
    candidates: tuple[Candidate, ...]
    columns: Mapping[str, Column]
    power: tuple[int | None, ...]
    weakness: tuple[int, ...]
    ties: tuple[int, ...]
    tied: tuple[Tied, ...]
    slugs: tuple[str, ...]
    spans: Mapping[str, range]
    memo: dict[object, Any] = field(default_factory=dict, init=False, repr=False)

    def served_by(self, vendor: str) -> int:
        """Return the set of candidates a vendor serves."""
        return self.columns["vendor"].sets.get(frozenset({vendor}), 0)


def roster_of(snapshot: Snapshot, type_slug: str, day: str) -> Roster:
    """Return the prepared candidates of a type; the snapshot remembers those of the last few days asked for."""
    known: dict[str, Roster] = snapshot.memo.setdefault(("selector.roster", type_slug), {})
    roster = known.get(day)
    if roster is None:
        roster = known[day] = _prepared(snapshot, type_slug, day)
        for other in list(known)[:-_DAYS]:
            known.pop(other, None)
    return roster


_DAYS = 4
"""Days whose prices are kept: a process that asks for yesterday and today prepares each once."""


def _prepared(snapshot: Snapshot, type_slug: str, day: str) -> Roster:
    models = [tuple(_of_model(model, day)) for model in snapshot.of_type(type_slug)]
    models.sort(key=lambda offers: (-(offers[0].model.power_rank or 0), *_tie(offers[0])))
    found = tuple(chain.from_iterable(models))
    slugs = tuple(candidate.model.slug for candidate in found)
    places = {i: place for place, i in enumerate(sorted(range(len(found)), key=lambda i: _tie(found[i])))}
    runs = [list(run) for _, run in groupby(range(len(found)), slugs.__getitem__)]
    return Roster(
        day=day,
        candidates=found,
        columns={name: _column(map(read, found)) for name, read in _COLUMNS.items()},
        power=tuple(candidate.model.power_rank for candidate in found),
        weakness=tuple(-(candidate.model.power_rank or 0) for candidate in found),
        ties=tuple(places[i] for i in range(len(found))),
        tied=tuple(_tied(found)),
        slugs=slugs,
        spans={slugs[run[0]]: range(run[0], run[-1] + 1) for run in runs},
    )


def _tied(found: Sequence[Candidate]) -> Iterator[Tied]:
    for _, run in groupby(range(len(found)), lambda i: found[i].model.power_rank):
        positions = list(run)
        further = set_of(i for i in positions[1:] if found[i].model is found[i - 1].model)
        if further and found[positions[0]].model is not found[positions[-1]].model:
            yield Tied(range(positions[0], positions[-1] + 1), further)


def _tie(candidate: Candidate) -> tuple[PriceKey, str]:
    return price_key(candidate.price), candidate.model.slug


def _column(found: Iterable[Any]) -> Column:
    values = tuple(found)
    places: dict[Any, list[int]] = {}
    for position, value in enumerate(values):
        places.setdefault(value, []).append(position)
    return Column(values, {value: set_of(positions) for value, positions in places.items()})


def _of_model(model: Model, day: str) -> Iterator[Candidate]:
    if not model.offers:
        yield Candidate(model, None, None)
    found = [Candidate(model, offer, standard_price(offer, day)) for offer in model.offers]
    yield from sorted(found, key=_within_model)


def _within_model(candidate: Candidate) -> tuple[int, PriceKey, str]:
    """Order the offers of one model: higher priority first, unknown last, then price, then vendor."""
    priority = candidate.offer.priority if candidate.offer and candidate.offer.priority is not None else -1
    return -priority, price_key(candidate.price), candidate.vendor or ""


def price_key(price: Price | None) -> PriceKey:
    """Return what orders prices: unknown last, then unit and currency (never compared), then input, then output."""
    if price is None:
        return True, "", "", True, _ZERO, True, _ZERO
    amounts = (price.input is None, Decimal(price.input or 0), price.output is None, Decimal(price.output or 0))
    return False, price.unit, price.currency, *amounts


_ZERO = Decimal(0)


def _per_million(price: Price | None, amount: str | None) -> Decimal | None:
    if price is None or amount is None or (price.unit, price.currency) != (TOKEN_UNIT, CURRENCY):
        return None
    return Decimal(amount)


def _set(text: str | None) -> frozenset[str] | None:
    return None if text is None else frozenset(text.split(","))


def _max_output(candidate: Candidate) -> int | None:
    known = [limit for limit in (candidate.model.max_output, candidate.offer and candidate.offer.max_output) if limit]
    return min(known, default=None)


_COLUMNS: Mapping[str, Any] = {
    "status": lambda candidate: frozenset({candidate.model.status}),
    "offers": lambda candidate: int(candidate.offer is not None),
    "offer_status": lambda candidate: frozenset({candidate.offer.status}) if candidate.offer else frozenset(),
    "vendor": lambda candidate: frozenset({candidate.vendor}),
    "power": lambda candidate: candidate.model.power_rank,
    "inputs": lambda candidate: _set(candidate.model.inputs),
    "outputs": lambda candidate: _set(candidate.model.outputs),
    "capabilities": lambda candidate: _set(candidate.model.capabilities),
    "input_limit": lambda candidate: candidate.context,
    "context": lambda candidate: candidate.model.context_window,
    "max_output": _max_output,
    "price_in": lambda candidate: candidate.price_in,
    "price_out": lambda candidate: candidate.price_out,
}

OF_OFFER = frozenset({"offer_status", "vendor", "input_limit", "context", "max_output", "price_in", "price_out"})
"""Columns that say nothing of a model without an offer."""


def read(candidate: Candidate, column: str) -> Any:
    """Return one fact of one candidate, None when it is unknown."""
    return _COLUMNS[column](candidate)
