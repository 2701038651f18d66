"""Migrations: the only order in which they are atomic on SQLite and never lose a guard.

Foreign keys off before BEGIN IMMEDIATE → drop all guards → migrate → recreate the guards → check the foreign keys →
COMMIT. A killed migration leaves the database as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from catalog.connection import SCHEMA_VERSION, check_version, shown
from catalog.errors import ConflictError, DatabaseError, IntegrityError
from catalog.store import database, guards

LEAST_POSTGRES = 16
"""The first PostgreSQL with pg_input_is_valid, which the guards use."""


@contextmanager
def creating(url: str, *, lock_timeout: int = 60, commit: bool = True) -> Iterator[Connection]:
    """Create the tables and guards of a new catalog and leave the transaction open, so that it can be filled.

    Args:
        commit: roll everything back at the end instead when False, for a dry run.

    Raises:
        ConflictError: when the database holds tables already.
    """
    with database.transaction(url, lock_timeout=lock_timeout, create=True, migrating=True, commit=commit) as connection:
        if database.version(connection) is not None:
            raise ConflictError(f"{shown(url)} holds a catalog already", hint="Name another database with --db.")
        if connection.dialect.name == "sqlite":
            _check_file_is_free(executor(connection), url)
        else:
            _check_server(connection)
        migrate(connection, SCHEMA_VERSION)
        yield connection
        _check_foreign_keys(connection)


def upgrade(url: str, *, lock_timeout: int = 60, dry_run: bool = False) -> tuple[str, str]:
    """Migrate a catalog to the version this code knows; return the versions before and after.

    Args:
        dry_run: migrate, then roll back.

    Raises:
        DatabaseError: when there is no catalog, or a newer one.
    """
    with database.transaction(url, lock_timeout=lock_timeout, migrating=True, commit=not dry_run) as connection:
        before = database.version(connection)
        if before is None or before > SCHEMA_VERSION:
            check_version(before, url)
        assert before is not None
        if before != SCHEMA_VERSION:
            migrate(connection, SCHEMA_VERSION)
    return before, SCHEMA_VERSION


def migrate(connection: Connection, target: str) -> None:
    """Move a database up or down to a migration inside an open ``migrating`` transaction.

    Args:
        target: a revision, or ``base``.
    """
    config = _config()
    config.attributes["connection"] = connection
    execute, dialect = executor(connection), connection.dialect.name
    guards.drop(execute, dialect)
    down = target == "base" or target < (database.version(connection) or "")
    (command.downgrade if down else command.upgrade)(config, target)
    if target != "base":
        guards.install(execute, dialect)
    _check_foreign_keys(connection)


def head() -> str:
    """Return the newest revision of the migrations."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


def executor(connection: Connection) -> guards.Execute:
    """Return a function that runs one statement on a connection and returns its rows."""

    def execute(statement: str) -> list[tuple[object, ...]]:
        result = connection.exec_driver_sql(statement)
        return [tuple(row) for row in result] if result.returns_rows else []

    return execute


def _check_server(connection: Connection) -> None:
    number = int(executor(connection)("SHOW server_version_num")[0][0])
    if number < LEAST_POSTGRES * 10_000:
        raise DatabaseError(
            f"the server is PostgreSQL {number // 10_000}; a catalog needs {LEAST_POSTGRES} or newer",
            hint="Its guards check dates and JSON with functions that older servers lack.",
        )


def _check_file_is_free(execute: guards.Execute, url: str) -> None:
    tables = execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'alembic_version' ORDER BY name")
    if tables:
        raise DatabaseError(
            f"{shown(url)} holds tables already, {tables[0][0]} among them",
            hint="Give the catalog its own file: --db PATH",
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "catalog.migrations:")
    return config


def _check_foreign_keys(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise IntegrityError(f"{len(broken)} rows point to rows that do not exist, first in table {broken[0][0]}")
