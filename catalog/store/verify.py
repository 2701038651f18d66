"""Verification: does the log chain hold, and do the tables say what the log says?

Streams the log once. Memory grows with the number of models and other facts, not with the number of lines: scores are
compared in step with the lines that added them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from catalog.connection import Reader
from catalog.log import facts, replay
from catalog.log.facts import FACTS
from catalog.log.line import COLUMNS, GENESIS
from catalog.store import guards

_ACTION, _SEQ, _AFTER = COLUMNS.index("action"), COLUMNS.index("seq"), COLUMNS.index("after")
_LIMIT = 20
"""Findings of one kind that are told; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome of a verification.

    Attributes:
        lines: how many lines the log has.
        head: hash of the last line; compare it with one noted elsewhere to reveal a cut tail.
        since_head: how many lines came after the one whose hash was expected; None when none was.
        models, ranked: how many models there are and how many of them are ranked.
        findings: what is wrong, in sentences; empty when all is well.
    """

    lines: int
    head: str
    since_head: int | None
    models: int
    ranked: int
    findings: tuple[str, ...]


def verify(
    reader: Reader, *, expected_head: str | None = None, progress: Callable[[int], None] | None = None
) -> Verification:
    """Check chain, replay, projections, guards and foreign keys of a catalog.

    Args:
        expected_head: a hash noted earlier; it must be the head or the hash of an earlier line.
        progress: called with the number of lines read, every 50,000 lines.
    """
    findings = _Findings()
    state = replay.State(keep_scores=False)
    scores = _Scores(reader)
    noted = 0 if expected_head in (None, GENESIS) else None
    for row in replay.line_rows(reader):
        problems = replay.step(state, row)
        if problems:
            findings.add("lines", [f"line {row[_SEQ]}: {problem}" for problem in problems])
        if row[_ACTION] == "score.add":
            findings.add("scores", scores.compared(row))
        if row[-1] == expected_head:
            noted = row[_SEQ]
        if progress is not None and row[_SEQ] % 50_000 == 0:
            progress(row[_SEQ])
    if state.plan[1] > state.seq:
        open_lines = state.plan[1] - state.seq
        findings.add("rebase", [f"the rebase of {state.plan[0]} is not finished: {open_lines} lines are missing"])
    if noted is None:
        findings.add("head", [f"the hash {expected_head} is not in the log: lines were cut off or rewritten"])
    findings.add("scores", scores.left())
    for kind in FACTS:
        if kind != "score":
            findings.add(f"{kind} rows", _projection(reader, state, kind))
    findings.add("guards", guards.findings(reader.rows, reader.dialect))
    broken = reader.foreign_keys_broken()
    if broken:
        findings.add("foreign keys", [f"{broken} rows point to rows that do not exist"])
    return Verification(
        lines=state.seq,
        head=state.head,
        since_head=None if expected_head is None or noted is None else state.seq - noted,
        models=len(state.types),
        ranked=len(state.ranks),
        findings=findings.told(),
    )


class _Findings:
    """Findings by kind: the first of each are kept, the rest is counted, so that none hides those of another kind."""

    def __init__(self) -> None:
        self._kept: dict[str, list[str]] = {}
        self._more: Counter[str] = Counter()

    def add(self, kind: str, found: Iterable[str]) -> None:
        """Take findings of a kind."""
        kept = self._kept.setdefault(kind, [])
        for finding in found:
            if len(kept) < _LIMIT:
                kept.append(finding)
            else:
                self._more[kind] += 1

    def told(self) -> tuple[str, ...]:
        """Return all that is kept, kind by kind, and how much more there is of each."""
        rest = {kind: [f"… and {count:,} more about {kind}"] for kind, count in self._more.items()}
        return tuple(text for kind, kept in self._kept.items() for text in (*kept, *rest.get(kind, [])))


class _Scores:
    """The rows of the score table in step with the lines that added them, so that one wrong row is one finding."""

    def __init__(self, reader: Reader) -> None:
        self._rows = reader.records("score", "id")
        self._next = next(self._rows, None)

    def compared(self, line: Any) -> list[str]:
        """Return what is wrong with the table up to the row of a ``score.add`` line."""
        problems = []
        while self._next is not None and self._next["id"] < line[_SEQ]:
            problems.append(self._taken())
        if self._next is None or self._next["id"] != line[_SEQ]:
            return [*problems, f"line {line[_SEQ]}: its score is not in the table"]
        if facts.text_of(self._next) != line[_AFTER]:
            problems.append(f"line {line[_SEQ]}: the score in the table differs")
        self._next = next(self._rows, None)
        return problems

    def left(self) -> list[str]:
        """Return what is wrong with the rows after the last line."""
        problems = []
        while self._next is not None:
            problems.append(self._taken())
        return problems

    def _taken(self) -> str:
        assert self._next is not None
        number, self._next = self._next["id"], next(self._rows, None)
        return f"score {number} has no line in the log"


def _projection(reader: Reader, state: replay.State, kind: str) -> Iterator[str]:
    expected = dict(state.facts[kind])
    for row in reader.records(FACTS[kind].table, "id"):
        rank = tuple(row.pop(column) for column in facts.RANK_COLUMNS) if kind == "model" else None
        key = facts.key_of(kind, row)
        held = expected.pop(key, None)
        name = f"{kind} {' '.join(part for part in key if part)}"
        if held is None:
            yield f"{name} is in the table but not in the log"
        elif held != replay.Held(row["id"], facts.text_of(row)):
            yield f"{name} differs from what the log says"
        if kind == "model" and rank != state.ranks.get(key[0], (None,) * len(facts.RANK_COLUMNS)):
            yield f"{name} has rank {rank[0] if rank else None}, the log says {state.ranks.get(key[0], (None,))[0]}"
    for key in sorted(expected):
        yield f"{kind} {' '.join(part for part in key if part)} is in the log but not in the table"
