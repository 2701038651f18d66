"""The guards on SQLite. The first word of a refusal says what it guards: ``log:`` or ``locked:``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.log.facts import RANK_COLUMNS, SCALE_COLUMNS

_RANK = "('entry', 'rebase', 'correction')"
_LAST_PLAN = "(SELECT max(seq) FROM change_log WHERE action = 'rebase-plan')"


def _refuse(message: str, condition: str = "") -> str:
    where = f" WHERE {condition}" if condition else ""
    return f"  SELECT RAISE(ABORT, '{message}'){where};\n"


def _blank(text: str) -> str:
    spaces = "char(9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160)"
    return f"coalesce(trim({text}, {spaces}), '') = ''"


def _never(name: str, table: str, event: str, message: str) -> str:
    return f"CREATE TRIGGER {name} BEFORE {event} ON {table}\nBEGIN\n{_refuse(message)}END"


def _differs(left: str, right: str, columns: Sequence[str]) -> str:
    return " OR ".join(f"{left}.{column} IS NOT {right}.{column}" for column in columns)


_LINE = (
    "CREATE TRIGGER change_log_line BEFORE INSERT ON change_log\nBEGIN\n"
    + _refuse(
        "log: the change log is append-only: this seq is taken", "EXISTS (SELECT 1 FROM change_log WHERE seq = NEW.seq)"
    )
    + _refuse("log: seq must be the last seq + 1", "NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM change_log)")
    + _refuse(
        "log: prev_hash must be the hash of the last line",
        "NEW.prev_hash IS NOT coalesce((SELECT hash FROM change_log ORDER BY seq DESC LIMIT 1), printf('%064d', 0))",
    )
    + _refuse(
        "log: at must be a UTC time, not before that of the last line",
        "strftime('%Y-%m-%dT%H:%M:%SZ', NEW.at) IS NOT NEW.at"
        " OR NEW.at < (SELECT at FROM change_log ORDER BY seq DESC LIMIT 1)",
    )
    + _refuse(
        "log: a line names an actor and a reason",
        f"{_blank('NEW.actor')} OR {_blank('NEW.reason')}",
    )
    + _refuse(
        "log: a rebase is not finished: its plan announces more lines of its type",
        f"EXISTS (SELECT 1 FROM change_log p WHERE p.seq = {_LAST_PLAN} AND NEW.seq <= p.seq + json_extract(p.after, '$.count') "
        "AND (NEW.action <> 'rebase' OR json_extract(p.after, '$.type') IS NOT (SELECT type FROM model WHERE slug = NEW.model)))",
    )
    + "END"
)

_RANK_LINE = (
    f"CREATE TRIGGER change_log_rank_line BEFORE INSERT ON change_log WHEN NEW.action IN {_RANK}\nBEGIN\n"
    + _refuse(
        "log: a rank line must name a model of the catalog", "NOT EXISTS (SELECT 1 FROM model WHERE slug = NEW.model)"
    )
    + _refuse(
        "log: a rank line must name the current rank of its model as old_rank",
        "NEW.old_rank IS NOT (SELECT power_rank FROM model WHERE slug = NEW.model)",
    )
    + _refuse(
        "locked: the model is ranked already; only a correction changes a rank",
        "NEW.action <> 'correction' AND NEW.old_rank IS NOT NULL",
    )
    + _refuse(
        "log: there is no rank to correct; an entry gives the first one",
        "NEW.action = 'correction' AND NEW.old_rank IS NULL",
    )
    + _refuse(
        "log: a rank line needs 1 <= low <= rank <= high, a source and a version",
        "coalesce(1 <= NEW.low AND NEW.low <= NEW.new_rank AND NEW.new_rank <= NEW.high, 0) = 0 "
        f"OR {_blank('NEW.source')} OR {_blank('NEW.index_version')}",
    )
    + _refuse("log: as_of must be a full ISO date", "date(NEW.as_of, '+0 days') IS NOT NEW.as_of")
    + _refuse(
        "log: a rebase line must follow its plan",
        f"NEW.action = 'rebase' AND NOT EXISTS (SELECT 1 FROM change_log p WHERE p.seq = {_LAST_PLAN} "
        "AND NEW.seq <= p.seq + json_extract(p.after, '$.count'))",
    )
    + "END"
)

_PLAN = (
    "CREATE TRIGGER change_log_plan BEFORE INSERT ON change_log WHEN NEW.action = 'rebase-plan'\nBEGIN\n"
    + _refuse(
        "log: a rebase plan names a type, the hash of the plan and a count",
        "NEW.after IS NULL OR NOT json_valid(NEW.after) OR coalesce(json_type(NEW.after, '$.count'), '') <> 'integer' "
        "OR coalesce(json_type(NEW.after, '$.plan'), '') <> 'text' "
        "OR NOT EXISTS (SELECT 1 FROM model_type WHERE slug = json_extract(NEW.after, '$.type'))",
    )
    + _refuse(
        "locked: this type was rebased already; a rebase happens once",
        "EXISTS (SELECT 1 FROM change_log p WHERE p.action = 'rebase-plan' "
        "AND json_extract(p.after, '$.type') = json_extract(NEW.after, '$.type'))",
    )
    + _refuse(
        "log: a rebase plan counts from 1 to the unranked models of its type",
        "json_extract(NEW.after, '$.count') NOT BETWEEN 1 AND "
        "(SELECT count(*) FROM model WHERE power_rank IS NULL AND type = json_extract(NEW.after, '$.type'))",
    )
    + "END"
)

_APPLY = (
    f"CREATE TRIGGER change_log_apply AFTER INSERT ON change_log WHEN NEW.action IN {_RANK}\nBEGIN\n"
    "  UPDATE model SET power_rank = NEW.new_rank, low = NEW.low, high = NEW.high, source = NEW.source,"
    " index_version = NEW.index_version, as_of = NEW.as_of WHERE slug = NEW.model;\nEND"
)

_MODEL_INSERT = (
    "CREATE TRIGGER model_insert BEFORE INSERT ON model\nBEGIN\n"
    + _refuse(
        "locked: this model exists; a model is edited, never replaced",
        "EXISTS (SELECT 1 FROM model WHERE slug = NEW.slug OR id = NEW.id)",
    )
    + _refuse(
        "locked: a model is added unranked; its rank comes from a line of the change log",
        " OR ".join(f"NEW.{column} IS NOT NULL" for column in RANK_COLUMNS),
    )
    + "END"
)

_MODEL_UPDATE = (
    "CREATE TRIGGER model_update BEFORE UPDATE ON model\nBEGIN\n"
    + _refuse(
        "locked: id, type and slug of a model never change",
        "NEW.id IS NOT OLD.id OR NEW.type IS NOT OLD.type OR NEW.slug IS NOT OLD.slug",
    )
    + _refuse(
        "locked: a rank changes only by a line of the change log",
        f"({_differs('NEW', 'OLD', RANK_COLUMNS)}) AND NOT EXISTS (SELECT 1 FROM change_log l WHERE l.seq = (SELECT max(seq) FROM change_log "
        "WHERE model = NEW.slug AND new_rank IS NOT NULL) AND l.new_rank IS NEW.power_rank AND l.low IS NEW.low AND l.high IS NEW.high "
        "AND l.source IS NEW.source AND l.index_version IS NEW.index_version AND l.as_of IS NEW.as_of)",
    )
    + "END"
)

CREATE: Sequence[str] = (
    _LINE,
    _RANK_LINE,
    _PLAN,
    _APPLY,
    _never("change_log_update", "change_log", "UPDATE", "log: the change log is append-only: a line is never changed"),
    _never("change_log_delete", "change_log", "DELETE", "log: the change log is append-only: a line is never deleted"),
    _MODEL_INSERT,
    _MODEL_UPDATE,
    _never("model_delete", "model", "DELETE", "locked: a model is never deleted; retire it"),
    "CREATE TRIGGER model_type_update BEFORE UPDATE ON model_type\nBEGIN\n"
    + _refuse(
        "locked: the scale of a type is frozen by its rebase",
        f"({_differs('NEW', 'OLD', SCALE_COLUMNS)}) AND EXISTS (SELECT 1 FROM change_log p "
        "WHERE p.action = 'rebase-plan' AND json_extract(p.after, '$.type') = OLD.slug)",
    )
    + "END",
    "CREATE TRIGGER score_insert BEFORE INSERT ON score\nBEGIN\n"
    + _refuse("log: scores are append-only: this id is taken", "EXISTS (SELECT 1 FROM score WHERE id = NEW.id)")
    + _refuse(
        "log: a score comes from its line of the change log",
        "NEW.id IS NOT (SELECT max(seq) FROM change_log)"
        " OR (SELECT action FROM change_log WHERE seq = NEW.id) IS NOT 'score.add'",
    )
    + "END",
    _never("score_update", "score", "UPDATE", "log: scores are append-only: a re-published score is a new row"),
    _never("score_delete", "score", "DELETE", "log: scores are append-only: a score is never deleted"),
)


def expected() -> Mapping[str, object]:
    """Return name → text of every guard."""
    return {re.split(r"\s+", statement)[2]: statement for statement in CREATE}


def standing(execute: Callable[[str], Sequence[tuple[Any, ...]]]) -> Mapping[str, object]:
    """Return name → text of every trigger in the database."""
    return dict(execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
