"""The read side: a frozen, in-memory picture of the catalog, loaded by plain DB-API without any ORM import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from catalog import settings
from catalog.connection import Reader, Rows, reading
from catalog.errors import NotFoundError, nearest
from catalog.log.facts import key_of
from catalog.log.replay import State, line_rows, parsed, rank_of, replayed


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
    " valid_from, valid_to, source, as_of FROM price"
)
_OFFERS = "SELECT model, vendor, api_name, driver, priority, status, max_input, max_output FROM offer"
_MODELS = f"SELECT {', '.join(Model._fields[:-1])} FROM model"
_SCORES = (
    "SELECT s.id, s.release, s.label, a.model, coalesce(s.effort, a.effort), s.value, s.low, s.high, s.as_of,"
    " s.estimated, s.url, a.scope FROM score s JOIN index_release r ON r.key = s.release"
    " LEFT JOIN alias a ON a.space = r.space AND a.label = s.label AND a.scope IN ('', s.release)"
)
_ALIAS = ("space", "label", "scope", "effort")
_HEAD = "SELECT hash FROM change_log ORDER BY seq DESC LIMIT 1"


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
    head = reader.rows(_HEAD)
    types = tuple(sorted(row[0] for row in reader.rows("SELECT slug FROM model_type")))
    return Snapshot(head[0][0] if head else "0" * 64, types, MappingProxyType(models))


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
    return [dict(zip(_ALIAS, row, strict=True)) for row in found]


def at(reader: Reader, date: str) -> Snapshot:
    """Rebuild the snapshot a catalog had at the end of a day, see `past` and `of_state`."""
    return of_state(past(reader, date))


def past(reader: Reader, date: str) -> State:
    """Replay the change log up to the end of a day.

    Args:
        date: ``YYYY-MM-DD``; lines later than that day are left out.

    Raises:
        NotFoundError: when the log begins later.
    """
    state = replayed(line_rows(reader), keep_scores=False, until=date)
    if state.seq == 0:
        first = reader.rows("SELECT at FROM change_log WHERE seq = 1")
        begins = f"Its log begins on {first[0][0][:10]}." if first else "Its log is empty."
        raise NotFoundError(f"the catalog held nothing yet on {date}", hint=begins)
    return state


def of_state(state: State) -> Snapshot:
    """Return the snapshot of a replayed state."""
    prices: dict[tuple[str, str], list[Price]] = {}
    for row in _ordered(state, "price"):
        prices.setdefault((row["model"], row["vendor"]), []).append(_record(Price, row))
    offers: dict[str, list[Offer]] = {}
    for row in _ordered(state, "offer"):
        row["prices"] = tuple(prices.get((row["model"], row["vendor"]), ()))
        offers.setdefault(row["model"], []).append(_record(Offer, row))
    models = {}
    for row in _ordered(state, "model"):
        slug = row["slug"]
        models[slug] = _record(Model, {**row, **rank_of(state.ranks.get(slug)), "offers": tuple(offers.get(slug, ()))})
    types = tuple(row["slug"] for row in _ordered(state, "type"))
    return Snapshot(state.head, types, MappingProxyType(models))


def aliases_of(state: State, slug: str) -> list[dict[str, Any]]:
    """Return the aliases a model had in a replayed state, as `aliases` does."""
    found = [row for row in _ordered(state, "alias") if row["model"] == slug]
    return [{name: row[name] for name in _ALIAS} for row in found]


def _ordered(state: State, kind: str) -> list[dict[str, Any]]:
    return sorted(state.rows(kind), key=lambda row: key_of(kind, row))


def _record(record: Any, row: Mapping[str, Any]) -> Any:
    return record._make(row.get(name) for name in record._fields)


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
