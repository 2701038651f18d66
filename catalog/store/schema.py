"""The tables. Every fact row is the projection of one change-log line: its ``id`` is that line's ``seq``.

Decimals (scores, money), times and JSON are TEXT; natural keys are the foreign keys, so a row reads like the line that
made it. Unknown is NULL.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, Integer, MetaData, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from catalog.log.facts import STATUSES
from catalog.log.line import ACTIONS, RANK_ACTIONS

RANK_COLUMNS = {
    "power_rank": "PowerRank: capability on the type's scale. Integer >= 1, higher is more capable, 1-1000 by "
    "convention without upper limit. Absolute, anchored, locked: only a rank line of change_log moves it.",
    "low": "Lower end of the rank's 90 % interval. Locked with power_rank.",
    "high": "Upper end of the rank's 90 % interval. Locked with power_rank.",
    "source": "The index or catalog the rank was derived from. Locked with power_rank.",
    "index_version": "The version of that source, patch included. Locked with power_rank.",
    "as_of": "The date the source said so, YYYY-MM-DD. Locked with power_rank.",
    "speed_rank": "SpeedRank: relative, may be renormalised; higher is faster is better. Never gates prompt content.",
    "cost_rank": "CostRank: relative, may be renormalised; higher is dearer is WORSE. Never gates prompt content.",
}

OFFER_STATUSES = ("preview", "active", "deprecated", "inactive")
UNITS = ("1M tokens", "image", "minute", "hour", "request")
PROCESSING = ("realtime", "batch")

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=NAMING)


class Base(SQLModel):
    """What every table shares: the one metadata, and STRICT typing on SQLite."""

    metadata = metadata


def _text(**options: Any) -> Any:
    return Field(sa_type=Text, **options)


def _optional(**options: Any) -> Any:
    return Field(default=None, sa_type=Text, **options)


def _number(**options: Any) -> Any:
    return Field(default=None, sa_type=Integer, **options)


def _comment(name: str) -> dict[str, Any]:
    return {"sa_column_kwargs": {"comment": RANK_COLUMNS[name]}}


def _id() -> Any:
    return Field(sa_type=Integer, primary_key=True, sa_column_kwargs={"autoincrement": False})


def _table(*constraints: Any) -> Any:
    line = ForeignKeyConstraint(["id"], ["change_log.seq"])
    return (line, *constraints, {"sqlite_strict": True})


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _points_to(column: str, target: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], [target])


class ChangeLog(Base, table=True):
    """One line per fact, hash-chained; the only way to change a rank."""

    __tablename__ = "change_log"
    __table_args__ = (
        _one_of("action", ACTIONS),
        CheckConstraint("seq >= 1", name="seq"),
        CheckConstraint("trim(actor) <> ''", name="actor"),
        CheckConstraint("trim(reason) <> ''", name="reason"),
        CheckConstraint("length(hash) = 64 AND length(prev_hash) = 64", name="hash"),
        CheckConstraint(
            "CASE WHEN action IN ({}) THEN model IS NOT NULL AND new_rank IS NOT NULL AND low IS NOT NULL "
            "AND high IS NOT NULL AND source IS NOT NULL AND index_version IS NOT NULL AND as_of IS NOT NULL "
            "ELSE old_rank IS NULL AND new_rank IS NULL AND low IS NULL AND high IS NULL "
            "AND source IS NULL AND index_version IS NULL AND as_of IS NULL END".format(
                ", ".join(f"'{action}'" for action in RANK_ACTIONS)
            ),
            name="rank_line",
        ),
        CheckConstraint("new_rank >= 1 AND low <= new_rank AND new_rank <= high", name="interval"),
        CheckConstraint("trim(source) <> '' AND trim(index_version) <> ''", name="provenance"),
        CheckConstraint("validated IN (0, 1)", name="validated"),
        Index("ix_change_log_model_seq", "model", "seq"),
        Index(
            "ix_change_log_rank",
            "model",
            "seq",
            sqlite_where=text("new_rank IS NOT NULL"),
            postgresql_where=text("new_rank IS NOT NULL"),
        ),
        Index(
            "ix_change_log_plan",
            "seq",
            sqlite_where=text("action = 'rebase-plan'"),
            postgresql_where=text("action = 'rebase-plan'"),
        ),
        {"sqlite_strict": True},
    )

    seq: int = _id()
    at: str = _text()
    actor: str = _text()
    action: str = _text()
    model: str | None = _optional()
    old_rank: int | None = _number()
    new_rank: int | None = _number()
    low: int | None = _number()
    high: int | None = _number()
    source: str | None = _optional()
    index_version: str | None = _optional()
    as_of: str | None = _optional()
    before: str | None = _optional()
    after: str | None = _optional()
    reason: str = _text()
    scores: str | None = _optional()
    validated: int | None = _number()
    method: str | None = _optional()
    tool_version: str = _text()
    prev_hash: str = _text()
    hash: str = _text()


class ModelType(Base, table=True):
    """A kind of model and its ruler: the two (score, rank) points of the base map, frozen as numbers."""

    __tablename__ = "model_type"
    __table_args__ = _table(UniqueConstraint("slug"), CheckConstraint("rank_low < rank_high", name="ruler"))

    id: int = _id()
    slug: str = _text()
    name: str = _text()
    reference: str | None = _optional()
    score_low: str | None = _optional()
    score_high: str | None = _optional()
    rank_low: int = Field(sa_type=Integer)
    rank_high: int = Field(sa_type=Integer)
    max_rank: int | None = _number()
    effort_policy: str = _text()
    note: str | None = _optional()


class Vendor(Base, table=True):
    """An organisation that develops or serves models."""

    __table_args__ = _table(UniqueConstraint("slug"))

    id: int = _id()
    slug: str = _text()
    name: str = _text()
    note: str | None = _optional()


class Model(Base, table=True):
    """One build of one model. Its rank columns, id, type and slug are locked."""

    __table_args__ = _table(
        UniqueConstraint("slug"),
        _points_to("type", "model_type.slug"),
        _points_to("developer", "vendor.slug"),
        _points_to("prior", "model.slug"),
        _points_to("same_weights_as", "model.slug"),
        _one_of("status", STATUSES),
        CheckConstraint("power_rank >= 1 AND low <= power_rank AND power_rank <= high", name="rank"),
        CheckConstraint(
            "(power_rank IS NULL) = (low IS NULL) AND (power_rank IS NULL) = (high IS NULL) "
            "AND (power_rank IS NULL) = (source IS NULL) AND (power_rank IS NULL) = (index_version IS NULL) "
            "AND (power_rank IS NULL) = (as_of IS NULL)",
            name="provenance",
        ),
        CheckConstraint("context_window >= 0 AND max_output >= 0", name="limits"),
        Index("ix_model_type", "type"),
    )

    id: int = _id()
    type: str = _text()
    slug: str = _text()
    name: str = _text()
    developer: str | None = _optional()
    build: str | None = _optional()
    released: str | None = _optional()
    retired: str | None = _optional()
    status: str = _text()
    prior: str | None = _optional()
    same_weights_as: str | None = _optional()
    context_window: int | None = _number()
    max_output: int | None = _number()
    inputs: str | None = _optional()
    outputs: str | None = _optional()
    capabilities: str | None = _optional()
    tokenizer: str | None = _optional()
    speed_rank: int | None = _number(**_comment("speed_rank"))
    cost_rank: int | None = _number(**_comment("cost_rank"))
    legacy_ordinal: int | None = _number()
    note: str | None = _optional()
    power_rank: int | None = _number(**_comment("power_rank"))
    low: int | None = _number(**_comment("low"))
    high: int | None = _number(**_comment("high"))
    source: str | None = _optional(**_comment("source"))
    index_version: str | None = _optional(**_comment("index_version"))
    as_of: str | None = _optional(**_comment("as_of"))


class Alias(Base, table=True):
    """An exact label in a label space that belongs to one model and one effort; ``scope`` is a release key or ''."""

    __table_args__ = _table(
        UniqueConstraint("space", "label", "scope"),
        _points_to("model", "model.slug"),
        CheckConstraint("trim(label) <> ''", name="label"),
        Index("ix_alias_model", "model"),
    )

    id: int = _id()
    space: str = _text()
    label: str = _text()
    scope: str = _text(default="")
    model: str = _text()
    effort: str = _text()
    note: str | None = _optional()


class Offer(Base, table=True):
    """One vendor serving one model."""

    __table_args__ = _table(
        UniqueConstraint("model", "vendor"),
        _points_to("model", "model.slug"),
        _points_to("vendor", "vendor.slug"),
        _one_of("status", OFFER_STATUSES),
    )

    id: int = _id()
    model: str = _text()
    vendor: str = _text()
    api_name: str | None = _optional()
    driver: str | None = _optional()
    priority: int | None = _number()
    status: str = _text()
    max_input: int | None = _number()
    max_output: int | None = _number()


class Price(Base, table=True):
    """What an offer costs per unit, valid from (inclusive) to (exclusive); never overwritten."""

    __table_args__ = _table(
        ForeignKeyConstraint(["model", "vendor"], ["offer.model", "offer.vendor"]),
        _one_of("unit", UNITS),
        _one_of("processing", PROCESSING),
        CheckConstraint("valid_from < valid_to", name="period"),
        Index("ix_price_model_vendor", "model", "vendor"),
    )

    id: int = _id()
    model: str = _text()
    vendor: str = _text()
    unit: str = _text()
    currency: str = _text()
    tier: str = _text()
    processing: str = _text()
    input: str | None = _optional()
    output: str | None = _optional()
    cache_read: str | None = _optional()
    cache_write: str | None = _optional()
    valid_from: str | None = _optional()
    valid_to: str | None = _optional()
    source: str = _text()
    as_of: str = _text()


class IndexRelease(Base, table=True):
    """One version of an external evaluation, its patch and setting included."""

    __tablename__ = "index_release"
    __table_args__ = _table(
        UniqueConstraint("key"),
        UniqueConstraint("type", "index_name", "version"),
        _points_to("type", "model_type.slug"),
        _one_of("direction", ("higher", "lower")),
        _one_of("role", ("capability", "sanity")),
    )

    id: int = _id()
    key: str = _text()
    type: str = _text()
    index_name: str = _text()
    version: str = _text()
    setting: str | None = _optional()
    publisher: str = _text()
    space: str = _text()
    direction: str = _text()
    minimum: str | None = _optional()
    maximum: str | None = _optional()
    standard_error: str | None = _optional()
    role: str = _text()
    preference: int = Field(sa_type=Integer)
    published: str | None = _optional()
    licence: str | None = _optional()
    url: str | None = _optional()
    note: str | None = _optional()


class Score(Base, table=True):
    """What one release says of one label on one date. Append-only; a re-published score is a new row."""

    __table_args__ = _table(
        _points_to("release", "index_release.key"),
        CheckConstraint("estimated IN (0, 1)", name="estimated"),
        Index("ix_score_release_label", "release", "label"),
    )

    id: int = _id()
    release: str = _text()
    label: str = _text()
    value: str = _text()
    low: str | None = _optional()
    high: str | None = _optional()
    effort: str | None = _optional()
    as_of: str = _text()
    estimated: int = Field(sa_type=Integer)
    url: str | None = _optional()
    note: str | None = _optional()


class Proposal(Base, table=True):
    """A placement that waits for its lock; one open per model."""

    __table_args__ = _table(UniqueConstraint("model"), _points_to("model", "model.slug"))

    id: int = _id()
    model: str = _text()
    placement: str = _text()
