"""A small catalog with one fact of every kind, a ranked pair, and a raw SQL shell to attack it with."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg
from sqlalchemy import Connection

from catalog.connection import reading
from catalog.log.line import COLUMNS, GENESIS, digest
from catalog.settings import sqlite_path
from catalog.store import book, database, guards, migrate
from catalog.store.book import Book
from catalog.store.verify import Verification, verify

AT = "2026-11-30T09:00:00Z"
LLM: dict[str, object] = {
    "slug": "llm",
    "name": "Language model",
    "reference": "aa@4.3",
    "score_low": "0",
    "score_high": "100",
    "rank_low": 0,
    "rank_high": 1000,
    "effort_policy": "highest-measured",
}
RERANKER: dict[str, object] = {
    **LLM,
    "slug": "reranker",
    "name": "Reranker",
    "reference": None,
    "rank_low": 15,
    "rank_high": 55,
}
RELEASE: dict[str, object] = {
    "key": "aa@4.3",
    "type": "llm",
    "index_name": "Artificial Analysis Intelligence Index",
    "version": "4.3",
    "publisher": "Artificial Analysis",
    "space": "artificial-analysis",
    "direction": "higher",
    "minimum": "0",
    "maximum": "100",
    "role": "capability",
    "preference": 1,
    "published": "2026-09",
}
MODELS = ("alpha", "beta", "gamma", "narrow", "wide")
ALIAS: dict[str, object] = {"space": "artificial-analysis", "label": "gamma-max", "model": "gamma", "effort": "max"}
OFFER: dict[str, object] = {"model": "gamma", "vendor": "acme", "status": "active", "api_name": "gamma-2026"}
PRICE: dict[str, object] = {
    "model": "gamma",
    "vendor": "acme",
    "unit": "1M tokens",
    "currency": "USD",
    "tier": "standard",
    "processing": "realtime",
    "input": "5",
    "valid_from": "2026-01-01",
    "source": "acme.example",
    "as_of": "2026-02-01",
}
SCORE: dict[str, object] = {
    "release": "aa@4.3",
    "label": "gamma-max",
    "value": "57.6",
    "as_of": "2026-10-03",
    "estimated": 0,
}
RANK: dict[str, Any] = {
    "rank": 500,
    "low": 480,
    "high": 520,
    "source": "Artificial Analysis Intelligence Index",
    "index_version": "4.3",
    "as_of": "2026-10-03",
    "reason": "It was measured.",
    "method": "link",
    "found": {"flags": []},
}

Execute = Callable[[str], list[tuple[Any, ...]]]
Refusal = (sqlite3.DatabaseError, psycopg.DatabaseError)


def model(slug: str, **changes: object) -> dict[str, object]:
    """Return the row of a language model."""
    return {"slug": slug, "type": "llm", "name": slug.title(), "developer": "acme", "status": "active", **changes}


def fill(opened: Book) -> None:
    """State one fact of every kind; alpha and beta are ranked, narrow and wide are rerankers."""
    for row in (LLM, RERANKER):
        opened.add("type", row, reason="start")
    opened.add("vendor", {"slug": "acme", "name": "Acme"}, reason="start")
    opened.add("vendor", {"slug": "unused", "name": "Nobody's"}, reason="start")
    opened.add("release", RELEASE, reason="start")
    for slug in MODELS:
        kind = "reranker" if slug in ("narrow", "wide") else "llm"
        opened.add("model", model(slug, type=kind), reason="start")
    for kind, row in (("alias", ALIAS), ("offer", OFFER), ("price", PRICE), ("score", SCORE)):
        opened.add(kind, row, reason="start")
    opened.add("proposal", {"model": "gamma", "placement": '{"rank":510}'}, reason="start")
    opened.rank("entry", "alpha", **RANK)
    opened.rank("entry", "beta", **{**RANK, "rank": 300, "low": 280, "high": 320})


def create(url: str) -> str:
    """Create the small catalog and return its URL."""
    with migrate.creating(url) as connection:
        fill(Book(connection, actor="tester", at=AT))
    return url


def create_empty(url: str) -> str:
    """Create a catalog without a line and return its URL."""
    with migrate.creating(url):
        return url


def remove(url: str) -> None:
    """Migrate a catalog down to nothing, so that another can be created in its place."""
    with database.transaction(url, migrating=True) as connection:
        migrate.migrate(connection, "base")
        connection.exec_driver_sql("DROP TABLE alembic_version")


def writing(url: str, **options: Any) -> AbstractContextManager[Book]:
    """Open the book for a write of the tester's."""
    return book.writing(url, **{"actor": "tester", "at": AT, **options})


def migrating(url: str) -> AbstractContextManager[Connection]:
    """Open a transaction in which tables may be rebuilt."""
    return database.transaction(url, migrating=True)


def verified(url: str, **options: Any) -> Verification:
    """Verify a catalog."""
    with reading(url) as reader:
        return verify(reader, **options)


def tables(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, read without our code."""
    names = ["change_log", "model_type", "vendor", "model", "alias", "offer", "price", "index_release", "score"]
    with shell(url) as execute:
        return {name: sorted(execute(f"SELECT * FROM {name}"), key=str) for name in (*names, "proposal")}


@contextmanager
def shell(url: str, *, foreign_keys: bool = True) -> Iterator[Execute]:
    """Open a raw SQL shell, every statement its own transaction.

    Args:
        foreign_keys: False switches foreign keys off; on PostgreSQL by pretending to be a replica, which also
            switches ordinary triggers off.
    """
    path = sqlite_path(url)
    connection: Any
    if path is not None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
    else:
        connection = psycopg.connect(url, autocommit=True)
        if not foreign_keys:
            connection.execute("SET session_replication_role = replica")

    def execute(statement: str) -> list[tuple[Any, ...]]:
        cursor = connection.execute(statement)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []

    try:
        yield execute
    finally:
        connection.close()


def passed(execute: Execute, statements: Sequence[str]) -> list[str]:
    """Return the statements that were not refused by a guard or a constraint."""
    return [statement for statement in statements if not refusal(execute, statement)]


def refusal(execute: Execute, statement: str) -> str:
    """Return with what words a guard or constraint refused a statement, '' when it passed or was no valid SQL."""
    try:
        execute(statement)
    except Refusal as error:
        said = str(error)
        return said if said.startswith(("locked: ", "log: ")) or "constraint" in said.lower() else ""
    return ""


def drop_guards(url: str) -> None:
    """Do what only an owner can: drop every guard."""
    with database.transaction(url) as connection:
        guards.drop(migrate.executor(connection), connection.dialect.name)


def restore_guards(url: str) -> None:
    """Put every guard back, as a careful intruder would."""
    with database.transaction(url) as connection:
        guards.install(migrate.executor(connection), connection.dialect.name)


def line(execute: Execute, **changes: Any) -> str:
    """Return the INSERT of a well-formed next line, with some columns changed; its hash fits unless given."""
    last = execute("SELECT seq, hash FROM change_log ORDER BY seq DESC LIMIT 1")
    seq, head = last[0] if last else (0, GENESIS)
    usual = {"seq": seq + 1, "at": AT, "actor": "x", "reason": "r", "tool_version": "0", "prev_hash": head}
    row = {**dict.fromkeys(COLUMNS), **usual, **changes}
    row["hash"] = changes.get("hash") or digest(tuple(row.values()))
    names = ", ".join(f'"{name}"' for name in row)
    return f"INSERT INTO change_log ({names}) VALUES ({', '.join(map(literal, row.values()))})"


def rank_line(execute: Execute, action: str, slug: str, **changes: Any) -> str:
    """Return the INSERT of a well-formed rank line, with some columns changed."""
    usual = {"action": action, "model": slug, "new_rank": 400, "low": 380, "high": 420, "source": "Index"}
    return line(execute, **{**usual, "index_version": "1", "as_of": "2026-10-03", "after": "{}", **changes})


def literal(value: object) -> str:
    """Return a value as SQL writes it."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"
