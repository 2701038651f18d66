"""Replay: rebuild the catalog from its change log, line by line.

This is the meaning of the log. Whatever the tables say, the catalog is what the replay says, and ``verify`` compares
the two. Needs no database and no SQLModel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from catalog.canonical import dumps, loads
from catalog.errors import IntegrityError
from catalog.log import facts
from catalog.log.facts import FACTS, Key
from catalog.log.line import COLUMNS, GENESIS, PLAN_ACTION, RANK_ACTIONS, digest

_AT = {name: position for position, name in enumerate(COLUMNS)}
_SEQ, _TIME, _ACTION, _MODEL = _AT["seq"], _AT["at"], _AT["action"], _AT["model"]
_ACTOR, _REASON = _AT["actor"], _AT["reason"]
_OLD, _NEW, _LOW, _HIGH = _AT["old_rank"], _AT["new_rank"], _AT["low"], _AT["high"]
_BEFORE, _AFTER, _PREV, _HASH = _AT["before"], _AT["after"], _AT["prev_hash"], _AT["hash"]
_SOURCE, _SCORES = _AT["source"], _AT["scores"]
_NESTED = ((_BEFORE, dict), (_AFTER, dict), (_SCORES, list))
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
_RANKS = frozenset(RANK_ACTIONS)


@dataclass(frozen=True, slots=True)
class Held:
    """A fact as the replay holds it: the seq of the line that added it and its canonical text."""

    id: int
    text: str


@dataclass(slots=True, kw_only=True)
class State:
    """What the log says up to a line.

    Attributes:
        seq, at, head: the last line's seq, time and hash.
        facts: kind → key → fact; scores are kept by their id, and only if ``keep_scores``.
        ranks: slug → (power_rank, low, high, source, index_version, as_of).
        rank_lines: slug → seq of its newest rank line.
        types: slug of a model → its type.
        rebased: types whose rebase was announced.
        plan: type of the last rebase announced, and the seq its lines reach to.
    """

    keep_scores: bool = True
    seq: int = 0
    at: str = ""
    head: str = GENESIS
    facts: dict[str, dict[Key, Held]] = field(default_factory=lambda: {kind: {} for kind in FACTS})
    ranks: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    rank_lines: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    rebased: set[str] = field(default_factory=set)
    plan: tuple[str, int] = ("", 0)

    def rows(self, kind: str) -> Iterator[dict[str, Any]]:
        """Yield the facts of a kind as dicts, oldest first, each with its ``id``."""
        for held in sorted(self.facts[kind].values(), key=lambda item: item.id):
            yield {**parsed(held.text), "id": held.id}


def replayed(rows: Iterable[Sequence[Any]], *, keep_scores: bool = True, until: str | None = None) -> State:
    """Replay log rows (column values in ``COLUMNS`` order) into a state.

    Args:
        until: stop before the first line later than this date, YYYY-MM-DD.

    Raises:
        IntegrityError: at the first line that does not follow from the ones before it.
    """
    state = State(keep_scores=keep_scores)
    for row in rows:
        if until is not None and row[_TIME][:10] > until:
            break
        for problem in step(state, row):
            raise IntegrityError(f"line {row[_SEQ]} of the change log: {problem}")
    if state.plan[1] > state.seq and until is None:
        raise IntegrityError(
            f"the rebase of {state.plan[0]} is not finished: {state.plan[1] - state.seq} lines are missing"
        )
    return state


def step(state: State, row: Sequence[Any]) -> list[str]:
    """Take one line into the state; return what is wrong with it, in sentences."""
    problems = _chain(state, row)
    state.seq, state.at, state.head = row[_SEQ], row[_TIME], row[_HASH]
    action = row[_ACTION]
    if state.plan[1] >= row[_SEQ] and (action != "rebase" or state.types.get(row[_MODEL]) != state.plan[0]):
        problems.append(f"the rebase of {state.plan[0]} is not finished")
    try:
        problems += _canonical(row)
        problems += _meaning(state, action, row)
    except (KeyError, TypeError, ValueError, RecursionError):
        problems.append(f"{action} does not state a fact this catalog knows")
    return problems


def parsed(text: str) -> dict[str, Any]:
    """Return the row a fact's canonical text holds."""
    value = loads(text)
    if not isinstance(value, dict):
        raise ValueError("a fact is a JSON object")
    return value


def _canonical(row: Sequence[Any]) -> list[str]:
    """Return which nested columns are not the canonical JSON they have to be."""
    return [
        f"its {COLUMNS[column]} is not canonical JSON of the shape it has to have"
        for column, shape in _NESTED
        if row[column] is not None and not _is_canonical(row[column], shape)
    ]


@lru_cache(maxsize=256)
def _is_canonical(text: str, shape: type) -> bool:
    try:
        value = loads(text)
        return isinstance(value, shape) and dumps(value) == text
    except (ValueError, RecursionError):
        return False


def _meaning(state: State, action: str, row: Sequence[Any]) -> list[str]:
    if action in _RANKS:
        return _rank(state, row)
    return _plan(state, row) if action == PLAN_ACTION else _fact(state, action, row)


def _chain(state: State, row: Sequence[Any]) -> list[str]:
    problems = []
    if row[_SEQ] != state.seq + 1:
        what = "lines are missing" if row[_SEQ] > state.seq else "a line is repeated"
        problems.append(f"seq {row[_SEQ]} follows {state.seq}: {what}")
    if row[_PREV] != state.head:
        problems.append("prev_hash is not the hash of the line before")
    if digest(row) != row[_HASH]:
        problems.append("the hash does not fit the line: it was forged or changed")
    if row[_TIME] < state.at:
        problems.append(f"its time {row[_TIME]} lies before that of the line before, {state.at}")
    if not row[_ACTOR].strip() or not row[_REASON].strip():
        problems.append("it names no actor or no reason")
    return problems


def _rank(state: State, row: Sequence[Any]) -> list[str]:
    slug, action, old = row[_MODEL], row[_ACTION], row[_OLD]
    problems = []
    current = state.ranks.get(slug)
    if slug not in state.types:
        problems.append(f"{slug} is no model of the catalog")
    if old != (current[0] if current else None):
        problems.append(f"old_rank {old} of {slug} is not its rank {current[0] if current else 'unranked'}")
    if (action == "correction") != (old is not None):
        problems.append(f"{action} of {slug} with old_rank {old}")
    if not row[_NEW] >= 1 or not row[_LOW] <= row[_NEW] <= row[_HIGH]:
        problems.append(f"rank {row[_NEW]} of {slug} lies outside {row[_LOW]}-{row[_HIGH]}")
    source, version, as_of = provenance = row[_SOURCE : _SOURCE + 3]
    if not (source and source.strip() and version and version.strip() and as_of and as_of.strip()):
        problems.append(f"the rank of {slug} names no source, version or date")
    if row[_BEFORE] is not None or row[_AFTER] is None:
        problems.append(f"the rank of {slug} does not say how it was found")
    if row[_SCORES] is not None and not all(type(number) is int for number in json.loads(row[_SCORES])):
        problems.append(f"the rank of {slug} names scores that are no ids")
    if action == "rebase" and row[_SEQ] > state.plan[1]:
        problems.append(f"rebase line of {slug} without a plan")
    state.ranks[slug] = (row[_NEW], row[_LOW], row[_HIGH], *provenance)
    state.rank_lines[slug] = row[_SEQ]
    return problems


def _plan(state: State, row: Sequence[Any]) -> list[str]:
    plan = parsed(row[_AFTER])
    problems = [f"{plan['type']} was rebased before"] if plan["type"] in state.rebased else []
    unranked = sum(kind == plan["type"] and slug not in state.ranks for slug, kind in state.types.items())
    if not 1 <= plan["count"] <= unranked:
        problems.append(f"a rebase of {plan['count']} models of {plan['type']}, which has {unranked} unranked ones")
    state.rebased.add(plan["type"])
    state.plan = (plan["type"], row[_SEQ] + plan["count"])
    return problems


def _fact(state: State, action: str, row: Sequence[Any]) -> list[str]:
    kind, verb = facts.split(action)
    stated = parsed(row[_BEFORE if verb == "remove" else _AFTER])
    problems = _stated(kind, stated, row[_MODEL])
    if kind == "score":
        if state.keep_scores:
            state.facts["score"][(str(row[_SEQ]),)] = Held(row[_SEQ], row[_AFTER])
        return problems if verb == "add" else ["a score is never changed"]
    known = state.facts[kind]
    if verb == "add":
        after = stated
        key = facts.key_of(kind, after)
        if key in known:
            problems.append(f"there is {facts.one(kind)} {' '.join(key)} already")
        known[key] = Held(row[_SEQ], row[_AFTER])
        if kind == "model":
            state.types[after["slug"]] = after["type"]
        return problems
    before = parsed(row[_BEFORE])
    key = facts.key_of(kind, before)
    held = known.get(key)
    if held is None or held.text != row[_BEFORE]:
        problems.append(f"{kind} {' '.join(key)} was not as 'before' says")
    if kind == "type" and key[0] in state.rebased and any(before.get(c) != stated.get(c) for c in facts.SCALE_COLUMNS):
        problems.append(f"the scale of {key[0]} was changed after its rebase")
    if verb == "remove":
        known.pop(key, None)
    else:
        known[key] = Held(held.id if held else row[_SEQ], row[_AFTER])
    return problems


def _stated(kind: str, fact: Mapping[str, Any], model: str | None) -> list[str]:
    """Return what is wrong with a fact by itself: decimals that are none, or a line filed under another model."""
    problems = [
        f"{column} {fact[column]!r} of the {kind} is no canonical decimal"
        for column in facts.DECIMALS.get(kind, ())
        if column in fact and not _DECIMAL.fullmatch(str(fact[column]))
    ]
    if model != facts.model_of(kind, fact):
        problems.append(f"it is filed under {model}, but its fact is about {facts.model_of(kind, fact)}")
    return problems


def line_rows(
    reader: Any,
    *,
    model: str | None = None,
    also: Sequence[int] = (),
    action: str | None = None,
    since: str | None = None,
) -> Iterator[tuple[Any, ...]]:
    """Yield the log's rows in ``COLUMNS`` order, optionally only some of them.

    Args:
        reader: an open reader; anything with ``stream(sql, parameters)``.
        model: only lines about this model's slug.
        also: seq of lines that belong to it as well: those of its scores, which name a label.
        action: only lines of this action, or of these facts (``alias``).
        since: only lines of this day or later, YYYY-MM-DD.
    """
    tests: list[str] = []
    parameters: list[object] = []
    if model is not None:
        tests.append(f"(model = ? OR seq IN ({', '.join('?' * len(also)) or 'NULL'}))")
        parameters += [model, *also]
    if action is not None:
        tests.append("(action = ? OR action LIKE ? || '.%')")
        parameters += [action, action]
    if since is not None:
        tests.append("at >= ?")
        parameters.append(since)
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    where = f" WHERE {' AND '.join(tests)}" if tests else ""
    yield from reader.stream(f"SELECT {columns} FROM change_log{where} ORDER BY seq", parameters)


def rank_of(values: Sequence[Any] | None) -> Mapping[str, Any]:
    """Return a rank's columns by name; all None for an unranked model."""
    return dict(zip(facts.RANK_COLUMNS, values or (None,) * len(facts.RANK_COLUMNS), strict=True))
