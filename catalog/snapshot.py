"""The read side: a frozen, in-memory picture of the catalog, loaded by plain DB-API without any ORM import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from catalog import settings
from catalog.connection import Reader, Rows, reading
from catalog.errors import NotFoundError, nearest
from catalog.log.line import GENESIS
from catalog.log.replay import line_rows, parsed


class Price(NamedTuple):
    """What an offer costs per unit, valid from (inclusive) to (exclusive); amounts in decimal text, None is unknown."""

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


class Score(NamedTuple):
    """What one release says of one label; the model its exact alias owns, None where the label belongs to none."""

    id: int
    release: str
    label: str
    model: str | None
    effort: str | None
    value: str
    low: str | None
    high: str | None
    as_of: str
    estimated: int
    url: str | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The catalog at one head.

    Attributes:
        head: hash of the last line of the change log; equal heads mean equal catalogs.
        at: UTC time of that line, '' for an empty log.
        types, vendors: the slugs there are, in order.
        models: slug → model, in order of slug.
        memo: what readers derived from this snapshot, so that it is made once; no part of its value.
    """

    head: str
    at: str
    types: tuple[str, ...]
    vendors: tuple[str, ...]
    models: Mapping[str, Model]
    memo: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of_type(self, type_slug: str) -> tuple[Model, ...]:
        """Return the models of a type, strongest first, unranked last, ties by slug."""
        chosen = [model for model in self.models.values() if model.type == type_slug]
        return tuple(sorted(chosen, key=lambda model: (-(model.power_rank or 0), model.slug)))


TOKEN_UNIT, CURRENCY = "1M tokens", "USD"
"""What limits on a price are stated in."""

_PRICES = (
    "SELECT model, vendor, unit, currency, tier, processing, input, output, cache_read, cache_write,"
    " valid_from, valid_to, source, as_of FROM price"
)
_OFFERS = "SELECT model, vendor, api_name, driver, priority, status, max_input, max_output FROM offer"
_MODELS = f"SELECT {', '.join(Model._fields[:-1])} FROM model"
_SCORES = (
    "SELECT s.id, s.release, s.label, a.model, coalesce(s.effort, a.effort), s.value, s.low, s.high, s.as_of,"
    " s.estimated, s.url, a.scope FROM score s JOIN index_release r ON r.key = s.release"
    " LEFT JOIN alias a ON a.space = r.space AND a.label = s.label AND a.scope IN ('', s.release)"
)
ALIAS = ("space", "label", "scope", "effort")
"""What an alias of a model is told by."""
_HEAD = "SELECT hash, at FROM change_log ORDER BY seq DESC LIMIT 1"


def load(database: str, *, lock_timeout: int = 60) -> Snapshot:
    """Load a snapshot from a database given as a path or URL.

    Raises:
        DatabaseError: when the database is missing, unreachable, not a catalog or of another version.
    """
    with reading(settings.database_url(database), lock_timeout=lock_timeout) as reader:
        return read(reader)


def read(reader: Reader) -> Snapshot:
    """Load a snapshot from an open reader.

    Rows are put in order here: a PostgreSQL server sorts text by its own locale.
    """
    prices: dict[tuple[str, str], list[Price]] = {}
    for row in reader.rows(_PRICES):
        prices.setdefault(row[:2], []).append(Price._make(row[2:]))
    for several in prices.values():
        if len(several) > 1:
            several.sort(key=lambda price: (*price[:4], price.valid_from or ""))
    offers: dict[str, list[Offer]] = {}
    for row in sorted(reader.rows(_OFFERS), key=itemgetter(0, 1)):
        offers.setdefault(row[0], []).append(Offer._make((*row, tuple(prices.get(row[:2], ())))))
    rows = sorted(reader.rows(_MODELS), key=itemgetter(2))
    models = {row[2]: Model._make((*row, tuple(offers.get(row[2], ())))) for row in rows}
    head, at = _last_line(reader)
    types, vendors = (_slugs(reader, table) for table in ("model_type", "vendor"))
    return Snapshot(head, at, types, vendors, MappingProxyType(models))


def head_of(database: str, *, lock_timeout: int = 60) -> str:
    """Return the head hash of a database: whether a snapshot is still current, for the price of one row.

    Raises:
        DatabaseError: as `load`.
    """
    with reading(settings.database_url(database), lock_timeout=lock_timeout) as reader:
        return _last_line(reader)[0]


def _last_line(reader: Reader) -> tuple[str, str]:
    found = reader.rows(_HEAD)
    return found[0] if found else (GENESIS, "")


def _slugs(reader: Reader, table: str) -> tuple[str, ...]:
    return tuple(sorted(row[0] for row in reader.rows(f"SELECT slug FROM {table}")))


def standard_price(offer: Offer, day: str) -> Price | None:
    """Return what an offer costs on a day: standard tier, realtime processing, tokens and dollars before all else.

    Args:
        day: ``YYYY-MM-DD``.

    Returns:
        None where the catalog knows no price of that day.
    """
    found = [price for price in offer.prices if _holds(price, day)]
    found.sort(key=lambda price: (price.unit != TOKEN_UNIT, price.currency != CURRENCY, price.unit, price.currency))
    return found[0] if found else None


def priced_offer(model: Model, day: str) -> tuple[Offer, Price] | None:
    """Return the active offer of a model whose price of input is known on a day, and that price; None without any.

    One whose price of cached input is known, too, comes first, then the one of highest priority, then by vendor.

    Args:
        model: the model.
        day: ``YYYY-MM-DD``.
    """
    found = [(offer, standard_price(offer, day)) for offer in model.offers if offer.status == "active"]
    priced = [(offer, price) for offer, price in found if price is not None and price.input is not None]
    priced.sort(key=lambda own: (own[1].cache_read is None, -(own[0].priority or 0), own[0].vendor))
    return priced[0] if priced else None


def _holds(price: Price, day: str) -> bool:
    standard = price.tier == "standard" and price.processing == "realtime"
    return standard and (price.valid_from or "") <= day < (price.valid_to or "9999")


def named(models: Mapping[str, Model], slug: str) -> Model:
    """Return the model of a slug.

    Raises:
        NotFoundError: with the nearest slugs as suggestions, never as a guess.
    """
    if slug in models:
        return models[slug]
    hint = nearest(slug.lower(), models, otherwise="catalog list shows the slugs.")
    raise NotFoundError(f"there is no model {slug!r}", hint=hint)


def model(reader: Reader, slug: str) -> Model:
    """Load one model.

    Raises:
        NotFoundError: with the nearest slugs as suggestions.
    """
    return named(read(reader).models, slug)


def scores(catalog: Rows, *, type_slug: str | None = None, release: str | None = None) -> list[Score]:
    """Return scores in the order they were added, each with its model; an alias scoped to the release wins.

    Args:
        type_slug: only of releases of this type.
        release: only of this release.
    """
    tests = [("r.type = ?", type_slug), ("s.release = ?", release)]
    chosen = [(test, value) for test, value in tests if value is not None]
    where = " WHERE " + " AND ".join(test for test, _ in chosen) if chosen else ""
    rows = catalog.rows(_SCORES + where, [value for _, value in chosen])
    rows.sort(key=lambda row: (row[0], row[-1] or ""))
    return list({row[0]: Score._make(row[:-1]) for row in rows}.values())


def lines_of(
    reader: Reader, slug: str, *, action: str | None = None, since: str | None = None
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the log about a model and about scores of its labels, see `log.replay.line_rows`.

    Raises:
        NotFoundError: when there is no such model.
    """
    model(reader, slug)
    own = [score.id for score in scores(reader) if score.model == slug]
    yield from line_rows(reader, model=slug, also=own, action=action, since=since)


def proposal(reader: Reader, slug: str) -> dict[str, Any] | None:
    """Return the open proposal of a model: its placement as plain data, None when there is none."""
    found = reader.rows("SELECT placement FROM proposal WHERE model = ?", (slug,))
    return parsed(found[0][0]) if found else None


def aliases(reader: Reader, slug: str) -> list[dict[str, Any]]:
    """Return the aliases of a model: label space, label, scope ('' is everywhere), effort."""
    found = sorted(reader.rows("SELECT space, label, scope, effort FROM alias WHERE model = ?", (slug,)))
    return [dict(zip(ALIAS, row, strict=True)) for row in found]


PUBLIC = (
    "type",
    "slug",
    "name",
    "developer",
    "status",
    "power_rank",
    "low",
    "high",
    "source",
    "index_version",
    "as_of",
)
"""The stable JSON names of a model, in the order they are printed."""


def public(model: Model) -> dict[str, Any]:
    """Return a model as ``list --json`` prints it."""
    return {name: getattr(model, name) for name in PUBLIC}
