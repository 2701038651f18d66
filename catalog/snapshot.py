"""The read side: a frozen, in-memory picture of the catalog, loaded by plain DB-API without any ORM import."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from catalog import settings
from catalog.connection import Reader, reading


class Price(NamedTuple):
    """What an offer costs per unit, valid from (inclusive) to (exclusive); amounts are decimal text, None is unknown."""

    unit: str
    currency: str
    tier: str
    processing: str
    input: str | None
    output: str | None
    cache_read: str | None
    cache_write: str | None
    valid_from: str | None
    valid_to: str | None
    source: str
    as_of: str


class Offer(NamedTuple):
    """One vendor serving one model; limits in tokens, priority higher first, None is unknown."""

    model: str
    vendor: str
    api_name: str | None
    driver: str | None
    priority: int | None
    status: str
    max_input: int | None
    max_output: int | None
    prices: tuple[Price, ...]


class Model(NamedTuple):
    """One build of one model with its locked rank; an unranked model has None in all rank fields."""

    id: int
    type: str
    slug: str
    name: str
    developer: str | None
    build: str | None
    released: str | None
    retired: str | None
    status: str
    prior: str | None
    same_weights_as: str | None
    context_window: int | None
    max_output: int | None
    inputs: str | None
    outputs: str | None
    capabilities: str | None
    tokenizer: str | None
    speed_rank: int | None
    cost_rank: int | None
    legacy_ordinal: int | None
    note: str | None
    power_rank: int | None
    low: int | None
    high: int | None
    source: str | None
    index_version: str | None
    as_of: str | None
    offers: tuple[Offer, ...]


class Snapshot(NamedTuple):
    """The catalog at one head: slug → model in order of slug, and the types there are."""

    head: str
    types: tuple[str, ...]
    models: Mapping[str, Model]

    def of_type(self, type_slug: str) -> tuple[Model, ...]:
        """Return the models of a type, strongest first, unranked last, ties by slug."""
        chosen = [model for model in self.models.values() if model.type == type_slug]
        return tuple(sorted(chosen, key=lambda model: (-(model.power_rank or 0), model.slug)))


_PRICES = (
    "SELECT model, vendor, unit, currency, tier, processing, input, output, cache_read, cache_write,"
    " valid_from, valid_to, source, as_of FROM price ORDER BY model, vendor, unit, tier, processing, valid_from"
)
_OFFERS = (
    "SELECT model, vendor, api_name, driver, priority, status, max_input, max_output FROM offer ORDER BY model, vendor"
)
_MODELS = f"SELECT {', '.join(Model._fields[:-1])} FROM model ORDER BY slug"
_HEAD = "SELECT hash FROM change_log ORDER BY seq DESC LIMIT 1"


def load(database: str, *, lock_timeout: int = 60) -> Snapshot:
    """Load a snapshot from a database given as a path or URL.

    Raises:
        DatabaseError: when the database is missing, unreachable, not a catalog or of another version.
    """
    with reading(settings.database_url(database), lock_timeout=lock_timeout) as reader:
        return read(reader)


def read(reader: Reader) -> Snapshot:
    """Load a snapshot from an open reader."""
    prices: dict[tuple[str, str], list[Price]] = {}
    for row in reader.stream(_PRICES):
        prices.setdefault(row[:2], []).append(Price._make(row[2:]))
    offers: dict[str, list[Offer]] = {}
    for row in reader.stream(_OFFERS):
        offers.setdefault(row[0], []).append(Offer._make((*row, tuple(prices.get(row[:2], ())))))
    models = {row[2]: Model._make((*row, tuple(offers.get(row[2], ())))) for row in reader.stream(_MODELS)}
    head = reader.rows(_HEAD)
    types = tuple(row[0] for row in reader.rows("SELECT slug FROM model_type ORDER BY slug"))
    return Snapshot(head[0][0] if head else "0" * 64, types, MappingProxyType(models))


PUBLIC = ("type", "slug", "name", "developer", "status", "power_rank", "low", "high", "source", "index_version", "as_of")
"""The stable JSON names of a model, in the order they are printed."""


def public(model: Model) -> dict[str, Any]:
    """Return a model as ``list --json`` prints it."""
    return {name: getattr(model, name) for name in PUBLIC}
