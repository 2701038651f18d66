"""One change-log line: its columns, its canonical JSON, its hash.

A line's hash is the SHA-256 of its canonical JSON without the hash itself; ``prev_hash`` chains it to the line before.
Columns that are NULL are left out of the JSON, and ``before``, ``after`` and ``scores`` are nested as they are stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from json.encoder import encode_basestring as quote
from typing import Any

from catalog.canonical import Json, dumps, loads
from catalog.errors import IntegrityError
from catalog.log.facts import FACTS

GENESIS = "0" * 64
VERIFY = "Run catalog audit verify: it names what the log cannot hold."
"""What to do about a catalog that holds something no catalog writes."""
RANK_ACTIONS = ("entry", "rebase", "correction")
PLAN_ACTION = "rebase-plan"
FACT_TABLES = tuple(FACTS)
FACT_ACTIONS = tuple(f"{table}.{verb}" for table in FACT_TABLES for verb in ("add", "edit", "remove"))
ACTIONS = (*RANK_ACTIONS, PLAN_ACTION, *FACT_ACTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the change log.

    Attributes:
        seq: position, contiguous from 1.
        at: UTC time, ``2026-11-30T09:00:00Z``.
        action: ``entry``, ``rebase`` and ``correction`` are rank lines; ``rebase-plan`` announces a rebase;
            ``<table>.add|edit|remove`` states a fact.
        model: slug of the model concerned, if any.
        before, after: canonical JSON of the fact; of a rank line, how the rank was found.
        scores: canonical JSON list of the score ids (their seq) a rank rests on.
        validated: 1 when a second publisher confirmed an entry, 0 when none could, None elsewhere.
        hash: SHA-256 of the line's canonical JSON, see ``text``.
    """

    seq: int
    at: str
    actor: str
    action: str
    model: str | None = None
    old_rank: int | None = None
    new_rank: int | None = None
    low: int | None = None
    high: int | None = None
    source: str | None = None
    index_version: str | None = None
    as_of: str | None = None
    before: str | None = None
    after: str | None = None
    reason: str
    scores: str | None = None
    validated: int | None = None
    method: str | None = None
    tool_version: str
    prev_hash: str
    hash: str = ""


COLUMNS = tuple(field.name for field in fields(Line))
_NESTED = frozenset({"before", "after", "scores"})


def text(row: Sequence[Any]) -> str:
    """Return the canonical JSON of a line given as its column values in ``COLUMNS`` order, without the hash.

    Written out column by column in the order of the keys, as one f-string: verifying a million lines spends most of its
    time here, a loop over the columns takes twice as long, and a chain of ``+`` a third longer.
    """
    (seq, at, actor, action, model, old_rank, new_rank, low, high, source, index_version, as_of) = row[:12]
    (before, after, reason, scores, validated, method, tool_version, prev_hash, _) = row[12:]
    after = "" if after is None else f',"after":{after}'
    as_of = "" if as_of is None else f',"as_of":{quote(as_of)}'
    before = "" if before is None else f',"before":{before}'
    high = "" if high is None else f',"high":{high}'
    index_version = "" if index_version is None else f',"index_version":{quote(index_version)}'
    low = "" if low is None else f',"low":{low}'
    method = "" if method is None else f',"method":{quote(method)}'
    model = "" if model is None else f',"model":{quote(model)}'
    new_rank = "" if new_rank is None else f',"new_rank":{new_rank}'
    old_rank = "" if old_rank is None else f',"old_rank":{old_rank}'
    scores = "" if scores is None else f',"scores":{scores}'
    source = "" if source is None else f',"source":{quote(source)}'
    validated = "" if validated is None else f',"validated":{validated}'
    return (
        f'{{"action":{quote(action)},"actor":{quote(actor)}{after}{as_of},"at":{quote(at)}{before}{high}{index_version}'
        f'{low}{method}{model}{new_rank}{old_rank},"prev_hash":{quote(prev_hash)},"reason":{quote(reason)}{scores}'
        f',"seq":{seq}{source},"tool_version":{quote(tool_version)}{validated}}}'
    )


def digest(row: Sequence[Any]) -> str:
    """Return the hash the chain demands for a line given as its column values."""
    return hashlib.sha256(text(row).encode()).hexdigest()


def values(line: Line) -> tuple[object, ...]:
    """Return a line's column values in ``COLUMNS`` order."""
    return tuple(getattr(line, name) for name in COLUMNS)


def to_json(row: Sequence[Any]) -> str:
    """Return a line of ``log.jsonl``: the canonical JSON, the hash at its end."""
    return f'{text(row)[:-1]},"hash":{quote(row[-1])}}}'


def from_json(source: str, *, where: str) -> tuple[object, ...]:
    """Parse one line of ``log.jsonl`` into its column values and check its hash.

    Args:
        source: one line of text.
        where: name of the place, for the error, such as ``log.jsonl:17``.

    Raises:
        IntegrityError: when the line is not valid, not canonical or its hash does not fit.
    """
    try:
        data = loads(source)
        if not isinstance(data, dict) or not data.keys() <= set(COLUMNS):
            raise IntegrityError(f"{where} has columns that a change log does not know", hint=_REPAIR)
        row = tuple(_column(data, name) for name in COLUMNS)
        if not _typed(row) or digest(row) != row[-1] or to_json(row) != source:
            raise IntegrityError(f"{where} does not fit its hash: the line was changed", hint=_REPAIR)
    except (ValueError, RecursionError) as error:
        raise IntegrityError(f"{where} is not a line of a change log: {error}", hint=_REPAIR) from None
    return row


_REPAIR = "Take the file from its origin again; the change log is never edited by hand."
_INTEGERS = frozenset({"seq", "old_rank", "new_rank", "low", "high", "validated"})
_REQUIRED = frozenset({"seq", "at", "actor", "action", "reason", "tool_version", "prev_hash", "hash"})


def _column(data: Mapping[str, Json], name: str) -> object:
    value = data.get(name)
    return dumps(value) if name in _NESTED and value is not None else value


def _typed(row: Sequence[Any]) -> bool:
    return all(
        (value is None and name not in _REQUIRED) or value.__class__ is (int if name in _INTEGERS else str)
        for name, value in zip(COLUMNS, row, strict=True)
    )


def from_row(row: Sequence[Any]) -> Line:
    """Return the line of column values in ``COLUMNS`` order."""
    return Line(**dict(zip(COLUMNS, row, strict=True)))


def as_data(line: Line) -> dict[str, object]:
    """Return a line as plain data: NULL columns left out, ``before``, ``after`` and ``scores`` nested.

    Raises:
        IntegrityError: when a nested column is no JSON, which nothing but a forger writes.
    """
    pairs = ((name, getattr(line, name)) for name in COLUMNS)
    try:
        return {name: loads(value) if name in _NESTED else value for name, value in pairs if value is not None}
    except (ValueError, RecursionError) as error:
        raise IntegrityError(f"line {line.seq} of the log is damaged or forged: {error}", hint=VERIFY) from None
