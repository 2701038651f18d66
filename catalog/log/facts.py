"""Facts: what a change-log line states besides ranks, and how rows are identified.

A fact line holds the whole row, NULLs left out, as canonical JSON: ``after`` of an add, both sides of an edit,
``before`` of a removal. The tables are nothing but the projection of these lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from catalog.canonical import dumps

RANK_COLUMNS = ("power_rank", "low", "high", "source", "index_version", "as_of")
"""The locked columns of a model; they follow from rank lines and are no facts."""

EFFORTS = (
    "none",
    "minimal",
    "low",
    "medium",
    "default",
    "reasoning",
    "unstated",
    "high",
    "xhigh",
    "max",
    "max-over-efforts",
)
"""Efforts an alias may name, weakest first; of several labels of one model the last of these speaks for it."""

STATUSES = ("preview", "active", "deprecated", "retired")
"""Statuses of a model; a retired one is kept with its rank, but is no anchor and no candidate."""

SCALE_COLUMNS = ("reference", "score_low", "score_high", "rank_low", "rank_high", "max_rank", "effort_policy")
"""Columns of a type that its ranks rest on; they are frozen by its rebase."""

DECIMALS = {
    "type": ("score_low", "score_high"),
    "release": ("minimum", "maximum", "standard_error"),
    "price": ("input", "output", "cache_read", "cache_write"),
    "score": ("value", "low", "high"),
}
"""Columns that hold canonical decimal text, by kind of fact."""

_UNSTATED = re.compile(r"|unstated|unknown|latest|none|seen-.*", re.IGNORECASE)

Row = Mapping[str, object]
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One kind of fact: its table and the columns that identify a row (none for scores, which are append-only)."""

    table: str
    key: tuple[str, ...]


FACTS: Mapping[str, Fact] = {
    "type": Fact(table="model_type", key=("slug",)),
    "vendor": Fact(table="vendor", key=("slug",)),
    "release": Fact(table="index_release", key=("key",)),
    "model": Fact(table="model", key=("slug",)),
    "alias": Fact(table="alias", key=("space", "label", "scope")),
    "offer": Fact(table="offer", key=("model", "vendor")),
    "price": Fact(table="price", key=("model", "vendor", "unit", "currency", "tier", "processing", "valid_from")),
    "score": Fact(table="score", key=()),
    "proposal": Fact(table="proposal", key=("model",)),
}


def key_of(kind: str, row: Row) -> Key:
    """Return the values that identify a row; an unknown value is ''."""
    return tuple(str(row.get(column) or "") for column in FACTS[kind].key)


def stated(row: Row) -> dict[str, object]:
    """Return a row as a line states it: without NULLs, without the id."""
    return {column: value for column, value in row.items() if value is not None and column != "id"}


def text_of(row: Row) -> str:
    """Return the canonical JSON of a row as a line states it."""
    return dumps(stated(row))


def version_stated(version: str) -> bool:
    """Return whether a version says which one it is; ``seen-DATE`` only says when someone looked."""
    return _UNSTATED.fullmatch(version.strip()) is None


def one(kind: str) -> str:
    """Return a kind with its article: ``a model``, ``an alias``."""
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def split(action: str) -> tuple[str, str]:
    """Return the kind and the verb of a fact action: ``alias.add`` → ``("alias", "add")``."""
    kind, _, verb = action.partition(".")
    return kind, verb


def model_of(kind: str, row: Row) -> str | None:
    """Return the slug of the model a fact is about, None where it is about no single one."""
    slug = row.get("slug") if kind == "model" else row.get("model")
    return str(slug) if slug is not None else None
