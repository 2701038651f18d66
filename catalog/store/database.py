"""Write transactions: one at a time, wholly or not at all.

SQLite says ``BEGIN IMMEDIATE`` and PostgreSQL takes an advisory lock as its first statement, before anything is read,
so two writers never work from the same picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, NullPool, create_engine, event

from catalog import connection as dbapi
from catalog.settings import sqlite_path

WRITER_LOCK = 0x_0CA7_A106
"""The advisory lock every writer of a PostgreSQL catalog takes; an arbitrary constant of this project."""


@contextmanager
def transaction(
    url: str, *, lock_timeout: int = 60, create: bool = False, migrating: bool = False, commit: bool = True
) -> Iterator[Connection]:
    """Open one serialised write transaction and commit it at the end; any exception leaves no trace.

    Args:
        url: as ``settings.database_url`` returns it.
        lock_timeout: seconds to wait for another writer.
        create: allow a SQLite file to be created.
        migrating: switch SQLite's foreign keys off before the transaction begins and skip the version check.
        commit: roll back at the end instead when False, for a dry run.

    Raises:
        DatabaseError: when the database is missing, unreachable, locked, read-only or of another version.
    """
    with dbapi.translated(url):
        engine = create_engine(
            "sqlite://" if sqlite_path(url) is not None else "postgresql+psycopg://",
            creator=lambda: dbapi.writable(url, lock_timeout=lock_timeout, create=create),
            poolclass=NullPool,
        )
        _begin_explicitly(engine, migrating)
        with engine.connect() as connection, connection.begin() as work:
            if not migrating:
                dbapi.check_version(version(connection), url)
            yield connection
            if not commit:
                work.rollback()


def version(connection: Connection) -> str | None:
    """Return the migration the database stands at, None when it holds no catalog."""
    driver = connection.connection.driver_connection
    return dbapi.schema_version(driver, postgres=connection.dialect.name != "sqlite")


def _begin_explicitly(engine: object, migrating: bool) -> None:
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.dialect.name == "sqlite":
            if migrating:
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
