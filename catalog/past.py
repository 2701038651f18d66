"""The catalog as it was at the end of a day, rebuilt from its change log."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from catalog.connection import Reader
from catalog.errors import NotFoundError
from catalog.log.facts import key_of
from catalog.log.replay import State, line_rows, rank_of, replayed
from catalog.snapshot import ALIAS, Model, Offer, Price, Snapshot


def at(reader: Reader, date: str) -> Snapshot:
    """Rebuild the snapshot a catalog had at the end of a day, see `replayed_to` and `of_state`."""
    return of_state(replayed_to(reader, date))


def replayed_to(reader: Reader, date: str) -> State:
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
    types, vendors = (tuple(row["slug"] for row in _ordered(state, kind)) for kind in ("type", "vendor"))
    return Snapshot(state.head, state.at, types, vendors, MappingProxyType(models))


def aliases_of(state: State, slug: str) -> list[dict[str, Any]]:
    """Return the aliases a model had in a replayed state, as `aliases` does."""
    found = [row for row in _ordered(state, "alias") if row["model"] == slug]
    return [{name: row[name] for name in ALIAS} for row in found]


def _ordered(state: State, kind: str) -> list[dict[str, Any]]:
    return sorted(state.rows(kind), key=lambda row: key_of(kind, row))


def _record(record: Any, row: Mapping[str, Any]) -> Any:
    return record._make(row.get(name) for name in record._fields)
