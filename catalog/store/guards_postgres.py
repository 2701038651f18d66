"""The guards on PostgreSQL: one function per table and event, enabled ALWAYS so that a replica role is refused too.

The first word of a refusal says what it guards: ``log:`` or ``locked:``. Every function has a fixed search_path with
pg_temp last, so that a temporary table named like ours is never read in its place. ``catalog_apply_rank`` runs with its
owner's rights, so that an application role needs no right to update a rank column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_LINE = """
DECLARE
  last record;
  plan_until integer;
  plan_type text;
  ranked_type text;
  ranked_power integer;
  fields jsonb;
BEGIN
  SELECT seq, hash, at INTO last FROM change_log ORDER BY seq DESC LIMIT 1;
  IF NEW.seq IS DISTINCT FROM coalesce(last.seq, 0) + 1 THEN
    RAISE EXCEPTION 'log: seq must be the last seq + 1';
  END IF;
  IF NEW.prev_hash IS DISTINCT FROM coalesce(last.hash, repeat('0', 64)) THEN
    RAISE EXCEPTION 'log: prev_hash must be the hash of the last line';
  END IF;
  IF NOT coalesce(NEW.at ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$', false)
     OR NOT pg_input_is_valid(NEW.at, 'timestamptz') OR NEW.at COLLATE "C" < last.at COLLATE "C" THEN
    RAISE EXCEPTION 'log: at must be a UTC time, not before that of the last line';
  END IF;
  IF coalesce(NEW.actor, '') !~ '[^[:space:]]' OR coalesce(NEW.reason, '') !~ '[^[:space:]]' THEN
    RAISE EXCEPTION 'log: a line names an actor and a reason';
  END IF;
  SELECT seq + (after::jsonb ->> 'count')::int, after::jsonb ->> 'type' INTO plan_until, plan_type
    FROM change_log WHERE action = 'rebase-plan' ORDER BY seq DESC LIMIT 1;
  IF NEW.action IN ('entry', 'rebase', 'correction') THEN
    SELECT power_rank, type INTO ranked_power, ranked_type FROM model WHERE slug = NEW.model;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'log: a rank line must name a model of the catalog';
    END IF;
    IF NEW.old_rank IS DISTINCT FROM ranked_power THEN
      RAISE EXCEPTION 'log: a rank line must name the current rank of its model as old_rank';
    END IF;
    IF NEW.action <> 'correction' AND NEW.old_rank IS NOT NULL THEN
      RAISE EXCEPTION 'locked: the model is ranked already; only a correction changes a rank';
    END IF;
    IF NEW.action = 'correction' AND NEW.old_rank IS NULL THEN
      RAISE EXCEPTION 'log: there is no rank to correct; an entry gives the first one';
    END IF;
    IF NOT coalesce(1 <= NEW.low AND NEW.low <= NEW.new_rank AND NEW.new_rank <= NEW.high, false)
       OR coalesce(NEW.source, '') !~ '[^[:space:]]' OR coalesce(NEW.index_version, '') !~ '[^[:space:]]' THEN
      RAISE EXCEPTION 'log: a rank line needs 1 <= low <= rank <= high, a source and a version';
    END IF;
    IF NEW.as_of !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' OR NOT pg_input_is_valid(NEW.as_of, 'date') THEN
      RAISE EXCEPTION 'log: as_of must be a full ISO date';
    END IF;
    IF NEW.action = 'rebase' AND (plan_until IS NULL OR NEW.seq > plan_until) THEN
      RAISE EXCEPTION 'log: a rebase line must follow its plan';
    END IF;
  END IF;
  IF NEW.seq <= plan_until AND (NEW.action <> 'rebase' OR ranked_type IS DISTINCT FROM plan_type) THEN
    RAISE EXCEPTION 'log: a rebase is not finished: its plan announces more lines of its type';
  END IF;
  IF NEW.action = 'rebase-plan' THEN
    IF NEW.after IS NULL OR NOT pg_input_is_valid(NEW.after, 'jsonb') THEN
      RAISE EXCEPTION 'log: a rebase plan names a type, the hash of the plan and a count';
    END IF;
    fields := NEW.after::jsonb;
    IF coalesce(jsonb_typeof(fields -> 'count'), '') <> 'number' OR coalesce(fields ->> 'count', '') !~ '^-?[0-9]+$'
       OR coalesce(jsonb_typeof(fields -> 'plan'), '') <> 'string'
       OR NOT EXISTS (SELECT 1 FROM model_type WHERE slug = fields ->> 'type') THEN
      RAISE EXCEPTION 'log: a rebase plan names a type, the hash of the plan and a count';
    END IF;
    IF EXISTS (SELECT 1 FROM change_log WHERE action = 'rebase-plan' AND after::jsonb ->> 'type' = fields ->> 'type') THEN
      RAISE EXCEPTION 'locked: this type was rebased already; a rebase happens once';
    END IF;
    IF (fields ->> 'count')::numeric NOT BETWEEN 1 AND
       (SELECT count(*) FROM model WHERE power_rank IS NULL AND type = fields ->> 'type') THEN
      RAISE EXCEPTION 'log: a rebase plan counts from 1 to the unranked models of its type';
    END IF;
  END IF;
  RETURN NEW;
END
"""

_APPLY = """
BEGIN
  IF NEW.new_rank IS NOT NULL THEN
    UPDATE model SET power_rank = NEW.new_rank, low = NEW.low, high = NEW.high, source = NEW.source,
      index_version = NEW.index_version, as_of = NEW.as_of WHERE slug = NEW.model;
  END IF;
  RETURN NULL;
END
"""

_MODEL = """
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.power_rank IS NOT NULL OR NEW.low IS NOT NULL OR NEW.high IS NOT NULL OR NEW.source IS NOT NULL
       OR NEW.index_version IS NOT NULL OR NEW.as_of IS NOT NULL THEN
      RAISE EXCEPTION 'locked: a model is added unranked; its rank comes from a line of the change log';
    END IF;
    RETURN NEW;
  END IF;
  IF NEW.id IS DISTINCT FROM OLD.id OR NEW.type IS DISTINCT FROM OLD.type OR NEW.slug IS DISTINCT FROM OLD.slug THEN
    RAISE EXCEPTION 'locked: id, type and slug of a model never change';
  END IF;
  IF (NEW.power_rank, NEW.low, NEW.high, NEW.source, NEW.index_version, NEW.as_of)
     IS DISTINCT FROM (OLD.power_rank, OLD.low, OLD.high, OLD.source, OLD.index_version, OLD.as_of)
     AND NOT EXISTS (
       SELECT 1 FROM (SELECT * FROM change_log WHERE model = NEW.slug AND new_rank IS NOT NULL ORDER BY seq DESC LIMIT 1) l
       WHERE (l.new_rank, l.low, l.high, l.source, l.index_version, l.as_of)
         IS NOT DISTINCT FROM (NEW.power_rank, NEW.low, NEW.high, NEW.source, NEW.index_version, NEW.as_of)) THEN
    RAISE EXCEPTION 'locked: a rank changes only by a line of the change log';
  END IF;
  RETURN NEW;
END
"""


_TYPE = """
BEGIN
  IF (NEW.reference, NEW.score_low, NEW.score_high, NEW.rank_low, NEW.rank_high, NEW.max_rank, NEW.effort_policy)
     IS DISTINCT FROM
     (OLD.reference, OLD.score_low, OLD.score_high, OLD.rank_low, OLD.rank_high, OLD.max_rank, OLD.effort_policy)
     AND EXISTS (SELECT 1 FROM change_log WHERE action = 'rebase-plan' AND after::jsonb ->> 'type' = OLD.slug) THEN
    RAISE EXCEPTION 'locked: the scale of a type is frozen by its rebase';
  END IF;
  RETURN NEW;
END
"""

_SCORE = """
BEGIN
  IF NOT EXISTS (SELECT 1 FROM change_log WHERE seq = NEW.id AND action = 'score.add')
     OR NEW.id IS DISTINCT FROM (SELECT max(seq) FROM change_log) THEN
    RAISE EXCEPTION 'log: a score comes from its line of the change log';
  END IF;
  RETURN NEW;
END
"""


def _refusal(message: str) -> str:
    return f"\nBEGIN\n  RAISE EXCEPTION '{message}';\nEND\n"


_BODIES = {
    "catalog_log_line": (_LINE, False),
    "catalog_apply_rank": (_APPLY, True),
    "catalog_log_keep": (_refusal("log: the change log is append-only: a line is never changed or deleted"), False),
    "catalog_model_lock": (_MODEL, False),
    "catalog_model_keep": (_refusal("locked: a model is never deleted; retire it"), False),
    "catalog_type_lock": (_TYPE, False),
    "catalog_score_line": (_SCORE, False),
    "catalog_score_keep": (_refusal("log: scores are append-only: a score is never changed or deleted"), False),
}

_TRIGGERS = {
    "change_log_line": ("change_log", "BEFORE INSERT", "ROW", "catalog_log_line"),
    "change_log_apply": ("change_log", "AFTER INSERT", "ROW", "catalog_apply_rank"),
    "change_log_keep": ("change_log", "BEFORE UPDATE OR DELETE", "ROW", "catalog_log_keep"),
    "change_log_truncate": ("change_log", "BEFORE TRUNCATE", "STATEMENT", "catalog_log_keep"),
    "model_lock": ("model", "BEFORE INSERT OR UPDATE", "ROW", "catalog_model_lock"),
    "model_keep": ("model", "BEFORE DELETE", "ROW", "catalog_model_keep"),
    "model_truncate": ("model", "BEFORE TRUNCATE", "STATEMENT", "catalog_model_keep"),
    "model_type_lock": ("model_type", "BEFORE UPDATE", "ROW", "catalog_type_lock"),
    "score_line": ("score", "BEFORE INSERT", "ROW", "catalog_score_line"),
    "score_keep": ("score", "BEFORE UPDATE OR DELETE", "ROW", "catalog_score_keep"),
    "score_truncate": ("score", "BEFORE TRUNCATE", "STATEMENT", "catalog_score_keep"),
}


def _function(name: str, schema: str) -> str:
    body, definer = _BODIES[name]
    rights = f'SECURITY {"DEFINER" if definer else "INVOKER"} SET search_path = "{schema}", pg_temp'
    return f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql {rights} AS $guard${body}$guard$"


def create(schema: str) -> Sequence[str]:
    """Return the statements that create every guard in a schema."""
    statements = [_function(name, schema) for name in _BODIES]
    for name, (table, event, level, function) in _TRIGGERS.items():
        statements.append(f"CREATE TRIGGER {name} {event} ON {table} FOR EACH {level} EXECUTE FUNCTION {function}()")
        statements.append(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")
    return statements


_OURS = "t.tgrelid IN (SELECT c.oid FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace)"
TRIGGER_NAMES = (
    "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
    f"WHERE NOT t.tgisinternal AND {_OURS} ORDER BY c.relname, t.tgname"
)
_STANDING = (
    "SELECT t.tgname, c.relname, t.tgtype::int, t.tgqual IS NULL AND t.tgattr::text = '', t.tgenabled::text, p.proname, p.prosrc, p.prosecdef, coalesce(array_to_string(p.proconfig, ';'), '') "
    "FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
    f"WHERE NOT t.tgisinternal AND {_OURS}"
)
RULES = (
    "SELECT r.rulename, c.relname FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class "
    "WHERE r.rulename <> '_RETURN' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname, r.rulename"
)
_EVENT_BITS = {"ROW": 1, "BEFORE": 2, "INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}


def expected(schema: str) -> Mapping[str, object]:
    """Return name → (table, event bits, unconditional, enabled, function, its text, definer's rights, settings)."""
    return {
        name: (table, _bits(f"{event} {level}"), True, "A", function, *_definition(function, schema))
        for name, (table, event, level, function) in _TRIGGERS.items()
    }


def standing(execute: Callable[[str], Sequence[tuple[Any, ...]]]) -> Mapping[str, object]:
    """Return the same for every trigger in the database; one of a guard's name on another table keeps both apart."""
    return {_called(row[0], row[1]): tuple(row[1:]) for row in execute(_STANDING)}


def _called(name: str, table: str) -> str:
    return name if _TRIGGERS.get(name, (table,))[0] == table else f"{name} on {table}"


def _bits(words: str) -> int:
    return sum(bit for word, bit in _EVENT_BITS.items() if word in words.split())


def _definition(function: str, schema: str) -> tuple[str, bool, str]:
    body, definer = _BODIES[function]
    return body, definer, f"search_path={schema}, pg_temp"
