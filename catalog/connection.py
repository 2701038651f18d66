"""The one place that opens a database: plain DB-API, sqlite3 or psycopg, with driver errors turned into ours.

The write side puts SQLAlchemy on top of these connections; everything that only reads uses them as they are.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from catalog.errors import CatalogError, ConflictError, DatabaseError, IntegrityError, LockedError, MissingExtraError
from catalog.settings import sqlite_path

SCHEMA_VERSION = "0001"
"""The migration this code reads and writes; a test compares it with the head of the migrations."""


class Rows(Protocol):
    """Anything that answers queries: a reader, or an open write transaction."""

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query; parameters are written ``?``."""


class Reader:
    """A read-only connection in one transaction: every query sees the same catalog."""

    def __init__(self, connection: Any, *, postgres: bool) -> None:
        self._connection = connection
        self._postgres = postgres
        self._streams = 0

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query; parameters are written ``?``."""
        if self._postgres:
            sql, parameters = sql.replace("%", "%%").replace("?", "%s"), tuple(parameters)
        found: list[tuple[Any, ...]] = self._connection.execute(sql, parameters).fetchall()
        return found

    def stream(self, sql: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query in batches, so that memory does not grow with their number."""
        if not self._postgres:
            for row in self._connection.execute(sql, parameters):  # noqa: UP028 - it would close a closed cursor
                yield row
            return
        self._streams += 1
        with self._connection.cursor(name=f"stream_{self._streams}") as cursor:
            cursor.itersize = 5000
            cursor.execute(sql.replace("%", "%%").replace("?", "%s"), tuple(parameters))
            yield from cursor

    def records(self, table: str, order: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table as column → value, ordered by a column."""
        names = self._connection.execute(f"SELECT * FROM {table} LIMIT 0").description
        columns = [column[0] for column in names]
        for row in self.stream(f"SELECT * FROM {table} ORDER BY {order}"):
            yield dict(zip(columns, row, strict=True))

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return "postgresql" if self._postgres else "sqlite"

    def foreign_keys_broken(self) -> int:
        """Return how many rows point to rows that do not exist; PostgreSQL never lets one in."""
        return 0 if self._postgres else len(self.rows("PRAGMA foreign_key_check"))


@contextmanager
def reading(url: str, *, lock_timeout: int = 60) -> Iterator[Reader]:
    """Open a catalog read-only.

    Args:
        url: as ``settings.database_url`` returns it.
        lock_timeout: seconds to wait while a writer commits.

    Raises:
        DatabaseError: when the database is missing, unreachable, not a catalog or of another version.
    """
    path = sqlite_path(url)
    with translated(url):
        connection = _sqlite(path, "ro", lock_timeout) if path is not None else _postgres(url, lock_timeout)
        try:
            if path is None:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            else:
                connection.execute("BEGIN")
            check_version(schema_version(connection, postgres=path is None), url)
            yield Reader(connection, postgres=path is None)
        finally:
            connection.close()


def writable(url: str, *, lock_timeout: int = 60, create: bool = False) -> Any:
    """Return an open DB-API connection for writing; on SQLite in autocommit, so that BEGIN is said explicitly.

    Raises:
        DatabaseError: when the database is missing (unless ``create``) or unreachable.
    """
    path = sqlite_path(url)
    with translated(url):
        if path is None:
            return _postgres(url, lock_timeout)
        connection = _sqlite(path, "rwc" if create else "rw", lock_timeout)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection


def schema_version(connection: Any, *, postgres: bool) -> str | None:
    """Return the migration a database stands at, None when it holds no catalog."""
    if postgres:
        (found,) = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
    else:
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    if not found:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else None


def check_version(version: str | None, url: str) -> None:
    """Raise DatabaseError unless a database stands at the migration this code knows."""
    if version == SCHEMA_VERSION:
        return
    if version is None:
        raise DatabaseError(f"{shown(url)} holds no catalog", hint=f"Create one: catalog --db {shown(url)} init")
    if version < SCHEMA_VERSION:
        raise DatabaseError(
            f"{shown(url)} stands at migration {version}, this catalog needs {SCHEMA_VERSION}",
            hint=f"Migrate it: catalog --db {shown(url)} upgrade",
        )
    raise DatabaseError(
        f"{shown(url)} was migrated by a newer catalog (migration {version}, this one knows {SCHEMA_VERSION})",
        hint="Install the newer model-catalog and try again.",
    )


def shown(url: str) -> str:
    """Return a database as messages show it: the bare path, or the URL without its password."""
    path = sqlite_path(url)
    return str(path) if path is not None else _SECRET.sub(r"\1\3***\2", url)


_SECRET = re.compile(r"(//[^:/@]*:).*(@)|([?&](?:ssl)?password=)[^&]*()")
"""The password of a URL between what stands before and after it."""


def _quoted_without_password(message: str, url: str) -> str:
    """Return a driver's message about a malformed URL, which quotes it or its password."""
    for found in _SECRET.finditer(url):
        secret = found[0].removeprefix(found[1] or found[3]).removesuffix(found[2] or "")
        message = message.replace(f'"{secret}"', '"***"')
    return message.replace(url, shown(url))


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn the drivers' errors into the catalog's, with the database named and a way out."""
    try:
        yield
    except CatalogError:
        raise
    except Exception as error:
        cause = getattr(error, "orig", None) or error
        ours = _ours(cause, url)
        if ours is None:
            raise
        raise ours from error


def _sqlite(path: Path, mode: str, lock_timeout: int) -> Any:
    if path.is_dir():
        raise DatabaseError(f"{path} is a folder", hint=f"Name a file in it: --db {path / 'catalog.db'}")
    if mode != "rwc" and not path.exists():
        raise DatabaseError(f"there is no database at {path}", hint=f"Create one: catalog --db {path} init")
    if mode == "rwc" and not path.absolute().parent.is_dir():
        raise DatabaseError(f"the folder of {path} does not exist", hint="Create the folder or name another path.")
    if mode == "ro" and Path(f"{path}-journal").exists() and os.access(path, os.W_OK):
        _undo_what_was_killed(path, lock_timeout)
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=lock_timeout, isolation_level=None)


def _undo_what_was_killed(path: Path, lock_timeout: int) -> None:
    """Let SQLite roll back a commit that was killed half-way, which a read-only connection may not."""
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=rw", uri=True, timeout=lock_timeout)
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    connection.close()


def _postgres(url: str, lock_timeout: int) -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError(
            "PostgreSQL needs the extra 'postgres'", hint="pip install 'model-catalog[postgres]'"
        ) from None
    options = f"-c lock_timeout={lock_timeout}s -c client_min_messages=warning"
    return psycopg.connect(url, connect_timeout=10, options=options, application_name="catalog")


_SQLITE_MESSAGES = (
    ("locked", "is locked by another process", "Try again when the other command has ended."),
    ("readonly", "is read-only", "Make the file and its folder writable, or name another with --db."),
    ("not a database", "is not a SQLite database", "Name another file with --db."),
    ("malformed", "is damaged", "Restore it from a backup, or import an export into a new one."),
    ("unable to open", "cannot be opened", "Check the path and its permissions."),
    ("disk is full", "could not be written: the disk is full", "Free some space and try again; nothing was changed."),
    ("disk i/o", "could not be read or written: disk I/O error", "Check the disk; nothing was changed."),
    ("no such table", "holds no catalog of this version", "Create one with catalog init."),
)


def _ours(error: BaseException, url: str) -> CatalogError | None:
    message = str(error).strip()
    if isinstance(error, sqlite3.Error):
        return _sqlite_error(error, message, url)
    if type(error).__module__.startswith("psycopg"):
        return _postgres_error(error, message, url)
    return None


def _sqlite_error(error: sqlite3.Error, message: str, url: str) -> CatalogError | None:
    if isinstance(error, sqlite3.IntegrityError):
        return _refused(message)
    for needle, what, hint in _SQLITE_MESSAGES:
        if needle in message.lower():
            return DatabaseError(f"{shown(url)} {what}", hint=hint)
    return DatabaseError(f"{shown(url)}: {message}") if isinstance(error, sqlite3.OperationalError) else None


_POSTGRES_STATES = (
    ("55P03", "is locked by another process", "Try again when it has ended."),
    ("53100", "could not be written: the disk is full", "Free some space; nothing was changed."),
    ("25006|42501", "refuses: {}", "Use a role that may do this; see docs/postgresql.md."),
    ("28...", "refuses this login: {}", "Check user and password of the URL."),
    ("3D...", "does not exist: {}", "Create the database first, with createdb."),
    ("08...|57...|", "cannot be reached: {}", "Check that the server runs and the URL."),
    (".*", "failed: {}", "Nothing was changed."),
)
_WITHOUT_STATE = (
    ("password authentication failed|role .* does not exist", "28000"),
    ("database .* does not exist", "3D000"),
)
"""A refused connection has no state, only a text."""


def _postgres_error(error: BaseException, message: str, url: str) -> CatalogError:
    first = _quoted_without_password(message.splitlines()[0] if message else type(error).__name__, url)
    guessed = next((state for text, state in _WITHOUT_STATE if re.search(text, first)), "")
    state = getattr(error, "sqlstate", None) or guessed
    if state[:2] in ("23", "P0"):
        return _refused(first)
    what, hint = next((what, hint) for states, what, hint in _POSTGRES_STATES if re.fullmatch(states, state))
    return DatabaseError(f"{shown(url)} {what.format(first)}", hint=hint)


def _refused(message: str) -> CatalogError:
    if message.startswith("locked: "):
        return LockedError(message.removeprefix("locked: "), hint="Use catalog audit correct for a deliberate change.")
    if message.startswith("log: "):
        return IntegrityError(message.removeprefix("log: "))
    return ConflictError(f"the database refused the change: {message}")
