"""The book: every write goes through it, as one line of the change log and the row that follows from it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Integer, Table, and_, bindparam, func, insert, select, update

from catalog import __version__, settings
from catalog.canonical import dumps, sha256
from catalog.connection import Reader
from catalog.errors import ConflictError, IntegrityError, LockedError, NotFoundError, UsageError, nearest
from catalog.log import facts
from catalog.log.facts import FACTS, Key, Row
from catalog.log.line import COLUMNS, GENESIS, PLAN_ACTION, RANK_ACTIONS, Line, digest, from_row, values
from catalog.log.replay import parsed
from catalog.store import database, rules
from catalog.store.schema import metadata
from catalog.store.values import is_plain

CLOCKS_APART = dt.timedelta(minutes=5)
"""By how much the clocks of two writers may differ; a later line then takes the time of the one before it."""

_CHANGED_BY = {
    "model": "Change its facts with catalog edit; another build needs another slug.",
    "offer": "Change it with catalog edit MODEL --offer VENDOR FACT=VALUE.",
    "alias": "Re-point it with catalog alias add --move.",
    "proposal": "Lock or withdraw it with catalog lock.",
}

_LOG = metadata.tables["change_log"]
_INSERT_LINE = insert(_LOG)
_LAST_LINE = select(_LOG.c.seq, _LOG.c.hash, _LOG.c.at).order_by(_LOG.c.seq.desc()).limit(1)
_MODEL = metadata.tables["model"]
_CURRENT_RANK = select(_MODEL.c.power_rank).where(_MODEL.c.slug == bindparam("slug"))


@contextmanager
def writing(
    catalog: str,
    *,
    actor: str,
    at: str | None = None,
    lock_timeout: int = 60,
    dry_run: bool = False,
    tool_version: str = __version__,
) -> Iterator[Book]:
    """Open the book for one write transaction.

    Args:
        catalog: path or URL of the database.
        actor: who is named in the lines.
        at: the lines' time, ``2026-11-30T09:00:00Z``; now by default.
        lock_timeout: seconds to wait for another writer.
        dry_run: do everything, then roll back.

    Raises:
        CatalogError: see ``database.transaction``; whatever is raised inside leaves no trace.
    """
    url, moment = settings.database_url(catalog), at or settings.stamp(settings.now())
    with database.transaction(url, lock_timeout=lock_timeout, commit=not dry_run) as connection:
        yield Book(connection, actor=actor, at=moment, tool_version=tool_version)


class Book:
    """An open write transaction on one catalog.

    Attributes:
        lines: the lines written so far, in order.
        head: hash of the log's last line.
        today: the date of the lines, which no as-of may lie after.
    """

    def __init__(self, connection: Connection, *, actor: str, at: str, tool_version: str = __version__) -> None:
        self.connection = connection
        driver = connection.connection.driver_connection
        self._reader = Reader(driver, postgres=connection.dialect.name != "sqlite")
        self.lines: list[Line] = []
        self._actor, self._tool_version = actor, tool_version
        last = connection.execute(_LAST_LINE).first()
        self._seq: int = last[0] if last else 0
        self.head: str = last[1] if last else GENESIS
        self._at = _not_before(at, last[2] if last else "")
        self.today = at[:10]

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query inside the transaction; parameters are written ``?``."""
        return self._reader.rows(sql, parameters)

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query one by one."""
        return self._reader.stream(sql, parameters)

    def get(self, kind: str, key: Key) -> dict[str, object] | None:
        """Return a fact's row as a line states it, None when there is none."""
        row = self.connection.execute(select(_table(kind)).where(_matches(kind, key))).mappings().first()
        return None if row is None else _stated(kind, dict(row))

    def existing(self, kind: str, key: Key) -> dict[str, object]:
        """Return a fact's row.

        Raises:
            NotFoundError: with the nearest names, when there is none.
        """
        if not FACTS[kind].key:
            raise LockedError(
                f"{facts.one(kind)} is never changed or removed", hint="Add what was published since as new."
            )
        row = self.get(kind, key)
        if row is None:
            known = [facts.key_of(kind, other)[0] for other in self.all(kind)]
            hint = nearest(key[0], known, otherwise="catalog list shows the models.")
            raise NotFoundError(f"there is no {kind} {' '.join(part for part in key if part)!r}", hint=hint)
        return row

    def all(self, kind: str, **where: object) -> list[dict[str, object]]:
        """Return the facts of a kind that have these values, oldest first, each with its ``id``."""
        table = _table(kind)
        query = select(table).order_by(table.c.id)
        for column, value in where.items():
            query = query.where(table.c[column] == value)
        return [{**_stated(kind, dict(row)), "id": row["id"]} for row in self.connection.execute(query).mappings()]

    def add(self, kind: str, row: Row, *, reason: str) -> Line:
        """State a new fact.

        Raises:
            UsageError: when a value of the row is malformed.
            ConflictError: when the catalog holds such a fact already or the row contradicts it.
        """
        checked = rules.checked(self, kind, row)
        if FACTS[kind].key and self.get(kind, facts.key_of(kind, checked)) is not None:
            raise ConflictError(
                f"there is {facts.one(kind)} {_name(kind, checked)} already",
                hint=_CHANGED_BY.get(kind, "Change it in the files: catalog export DIR, edit, catalog apply DIR."),
            )
        line = self._append(f"{kind}.add", model=facts.model_of(kind, checked), after=dumps(checked), reason=reason)
        self.connection.execute(insert(_table(kind)), {"id": line.seq, **checked})
        return line

    def edit(self, kind: str, key: Key, changes: Row, *, reason: str) -> Line | None:
        """Change values of a fact; None erases one. Returns None when nothing would change."""
        before = self.existing(kind, key)
        after = rules.checked(self, kind, {**before, **changes}, before=before)
        if after == before:
            return None
        if facts.key_of(kind, after) != key:
            raise ConflictError(
                f"the {kind} {_name(kind, before)} keeps its {', '.join(FACTS[kind].key)}",
                hint=f"State {facts.one(kind)} of its own instead.",
            )
        line = self._append(
            f"{kind}.edit",
            model=facts.model_of(kind, after),
            before=dumps(before),
            after=dumps(after),
            reason=reason,
        )
        row = {column: after.get(column) for column in {*before, *after}}
        self.connection.execute(update(_table(kind)).where(_matches(kind, key)).values(row))
        return line

    def remove(self, kind: str, key: Key, *, reason: str) -> Line:
        """Withdraw a fact. Models, types and scores are never removed."""
        before = self.existing(kind, key)
        if kind in ("model", "type", "score"):
            raise LockedError(
                f"the {kind} {_name(kind, before)} cannot be removed", hint="Retire a model with catalog retire."
            )
        line = self._append(f"{kind}.remove", model=facts.model_of(kind, before), before=dumps(before), reason=reason)
        self.connection.execute(_table(kind).delete().where(_matches(kind, key)))
        return line

    def rank(
        self,
        action: str,
        model: str,
        *,
        rank: int,
        low: int,
        high: int,
        source: str,
        index_version: str,
        as_of: str,
        reason: str,
        method: str,
        found: Mapping[str, object],
        scores: Sequence[int] = (),
        validated: bool | None = None,
    ) -> Line:
        """Write a rank line; the database applies it to the model.

        Args:
            action: ``entry``, ``rebase`` or ``correction``.
            found: how the rank was found: flags, neighbours, anchors, release.
            scores: ids of the scores it rests on.
            validated: whether a second publisher confirmed an entry.
        """
        old = self.connection.execute(_CURRENT_RANK, {"slug": model}).first()
        if old is None:
            raise NotFoundError(f"there is no model {model!r}")
        return self._append(
            action,
            model=model,
            old_rank=old[0],
            new_rank=rank,
            low=low,
            high=high,
            source=source,
            index_version=index_version,
            as_of=as_of,
            after=dumps(found),
            scores=dumps(list(scores)) if scores else None,
            validated=None if validated is None else int(validated),
            method=method,
            reason=reason,
        )

    def announce_rebase(self, type_slug: str, *, plan: str, count: int, reason: str) -> Line:
        """Write the header of a rebase; exactly ``count`` rebase lines of the type must follow."""
        return self._append(PLAN_ACTION, after=dumps({"type": type_slug, "plan": plan, "count": count}), reason=reason)

    def replay(self, row: Sequence[Any]) -> None:
        """Append a line of another catalog's log, given as its column values, and the row that follows from it."""
        line = dict(zip(COLUMNS, row, strict=True))
        self.connection.execute(_INSERT_LINE, line)
        self._seq, self.head = line["seq"], line["hash"]
        if line["action"] not in RANK_ACTIONS and line["action"] != PLAN_ACTION:
            self._project(*facts.split(line["action"]), line)

    def rank_checksum(self, *, without: str) -> str:
        """Return a checksum over slug and rank columns of every model but one."""
        columns = ", ".join(("slug", *facts.RANK_COLUMNS))
        return sha256(repr(self.rows(f"SELECT {columns} FROM model WHERE slug <> ? ORDER BY id", (without,))))

    def _append(self, action: str, *, reason: str, **columns: Any) -> Line:
        line = Line(
            seq=self._seq + 1,
            at=self._at,
            actor=_said(self._actor, "an actor", "--actor"),
            action=action,
            reason=_said(reason, "a reason", "--reason"),
            tool_version=self._tool_version,
            prev_hash=self.head,
            **columns,
        )
        row = values(line)
        row = (*row[:-1], digest(row))
        line = from_row(row)
        self.connection.execute(_INSERT_LINE, dict(zip(COLUMNS, row, strict=True)))
        self._seq, self.head = line.seq, line.hash
        self.lines.append(line)
        return line

    def _project(self, kind: str, verb: str, line: Mapping[str, Any]) -> None:
        table = _table(kind)
        for text in (line["before"], line["after"]):
            for column, value in (parsed(text) if text else {}).items():
                if _TYPES[kind].get(column) is not value.__class__:
                    raise IntegrityError(
                        f"line {line['seq']} states {facts.one(kind)} with {column} {value!r}, "
                        "which this catalog does not know",
                        hint="Was the log written by a newer model-catalog? Install that one.",
                    )
        if verb == "add":
            self.connection.execute(insert(table), {"id": line["seq"], **parsed(line["after"])})
            return
        before = parsed(line["before"])
        where = _matches(kind, facts.key_of(kind, before))
        if verb == "remove":
            self.connection.execute(table.delete().where(where))
            return
        after = parsed(line["after"])
        self.connection.execute(update(table).where(where).values({c: after.get(c) for c in {*before, *after}}))


def _table(kind: str) -> Table:
    return metadata.tables[FACTS[kind].table]


def _types(kind: str) -> dict[str, type]:
    hidden = {"id", *(facts.RANK_COLUMNS if kind == "model" else ())}
    columns = [column for column in _table(kind).columns if column.name not in hidden]
    return {column.name: int if isinstance(column.type, Integer) else str for column in columns}


_TYPES = {kind: _types(kind) for kind in FACTS}


def _matches(kind: str, key: Key) -> Any:
    table = _table(kind)
    return and_(*(func.coalesce(table.c[c], "") == part for c, part in zip(FACTS[kind].key, key, strict=True)))


def _stated(kind: str, row: Mapping[str, Any]) -> dict[str, object]:
    hidden = facts.RANK_COLUMNS if kind == "model" else ()
    return facts.stated({column: value for column, value in row.items() if column not in hidden})


def _name(kind: str, row: Row) -> str:
    return repr(" ".join(part for part in facts.key_of(kind, row) if part))


def _not_before(at: str, last: str) -> str:
    """Return the time of new lines; the clocks of several machines may differ, and the log's never runs backwards."""
    if at >= last:
        return at
    behind = dt.datetime.fromisoformat(last) - dt.datetime.fromisoformat(at)
    if behind > CLOCKS_APART:
        raise ConflictError(
            f"it is {at} here, but the last line of the log was written at {last}",
            hint="Set the clock right (CATALOG_NOW too), or go back to an export from before that line was written.",
        )
    return last


def _said(value: str, what: str, flag: str) -> str:
    if not value.strip():
        raise UsageError(f"{what} is missing", hint=f"Every line of the log names one: {flag} TEXT.")
    if not is_plain(value):
        raise UsageError(f"{what} {value!r} is not one line of plain text", hint=f"Write plain text: {flag} TEXT.")
    return value.strip()
