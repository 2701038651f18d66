"""Faults of the world around a catalog end in one clear message with exit code 5, and the catalog is as it was."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from catalog import snapshot
from catalog.connection import reading
from catalog.errors import CatalogError, DatabaseError
from catalog.store import migrate, seeding
from tests.store import sample

NOBODY = 65534


@contextmanager
def unprivileged() -> Iterator[None]:
    """Act as a user whom file permissions bind; root is bound by none."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder with a catalog that every user may write."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o777)
    sample.create(f"sqlite:///{folder / 'catalog.db'}")
    (folder / "catalog.db").chmod(0o666)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def failure(url: str, *, write: bool = True, lock_timeout: int = 1) -> CatalogError:
    """Return the error that a write or a read of a catalog ends in."""
    with pytest.raises(CatalogError) as caught:
        if write:
            with sample.writing(url, lock_timeout=lock_timeout) as book:
                book.add("vendor", {"slug": "n", "name": "N"}, reason="r")
        else:
            snapshot.load(url, lock_timeout=lock_timeout)
    assert isinstance(caught.value, DatabaseError)
    assert caught.value.exit_code == 5
    assert caught.value.hint
    return caught.value


def test_a_locked_catalog_says_so_and_can_be_read(database_url: str) -> None:
    """A second writer waits as long as it was told, then names the lock; readers read meanwhile."""
    sample.create(database_url)
    with sample.writing(database_url) as first:
        first.add("vendor", {"slug": "first", "name": "First"}, reason="r")
        assert "is locked by another process" in failure(database_url).message
        assert snapshot.load(database_url).models["alpha"].power_rank == 500
    assert sample.verified(database_url).lines == 18


@pytest.mark.parametrize("write", [True, False])
def test_a_missing_catalog_names_init(tmp_path: Path, write: bool) -> None:
    """A path without a database says how to create one, and creates nothing itself."""
    error = failure(f"sqlite:///{tmp_path / 'none.db'}", write=write)
    assert error.message.startswith("there is no database at")
    assert error.hint.endswith("init")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [True, False])
def test_an_empty_database_names_init(postgres_database: str, tmp_path: Path, write: bool) -> None:
    """A database without tables, on PostgreSQL or as a file of no bytes, holds no catalog."""
    (tmp_path / "empty.db").touch()
    for url in (postgres_database, f"sqlite:///{tmp_path / 'empty.db'}"):
        error = failure(url, write=write)
        assert "holds no catalog" in error.message
        assert error.hint.endswith("init")


@pytest.mark.parametrize("content", [b"this is no database, only a text that is long enough" * 99, b"\x00\xff" * 4000])
@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path, content: bytes, write: bool) -> None:
    """Another file in the place of the catalog is named and not touched, not even by init."""
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert "is not a SQLite database" in failure(f"sqlite:///{path}", write=write).message
    with pytest.raises(DatabaseError, match="is not a SQLite database"):
        seeding.create(f"sqlite:///{path}", fill="empty")
    assert path.read_bytes() == content


def test_another_programs_tables_are_left_alone(database_url: str) -> None:
    """A database that holds another program's table of one of our names is not filled and not changed."""
    with sample.shell(database_url) as execute:
        execute("CREATE TABLE model (id integer)")
    with pytest.raises(CatalogError, match=r"tables already, model among them|\"model\" already exists"):
        seeding.create(database_url, fill="empty")
    with sample.shell(database_url) as execute:
        assert execute("SELECT count(*) FROM model") == [(0,)]
        with pytest.raises(sample.Refusal):
            execute("SELECT count(*) FROM change_log")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    """A folder in the place of the file, or a folder that does not exist, is named."""
    assert "is a folder" in failure(f"sqlite:///{tmp_path}").message
    with pytest.raises(DatabaseError, match="does not exist") as caught:
        seeding.create(f"sqlite:///{tmp_path / 'no/catalog.db'}", fill="empty")
    assert "Create the folder" in caught.value.hint


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """A catalog whose pages were overwritten says that it is damaged, on reading and writing."""
    path = tmp_path / "catalog.db"
    sample.create(f"sqlite:///{path}")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    for write in (True, False):
        assert "is damaged" in failure(f"sqlite:///{path}", write=write).message


def test_a_read_only_file_can_be_read(shared: Path) -> None:
    """A file without the right to write is read, and a write says that it is read-only."""
    (shared / "catalog.db").chmod(0o444)
    url = f"sqlite:///{shared / 'catalog.db'}"
    with unprivileged():
        assert snapshot.load(url).models["alpha"].power_rank == 500
        assert "is read-only" in failure(url).message
    assert sample.verified(url).lines == 17


def test_a_catalog_in_a_read_only_folder_can_be_read(shared: Path) -> None:
    """A folder without the right to write is enough to read and verify; a write fails and changes nothing."""
    shared.chmod(0o555)
    url = f"sqlite:///{shared / 'catalog.db'}"
    with unprivileged():
        assert sample.verified(url).findings == ()
        failure(url)
    assert sample.verified(url).lines == 17


def test_an_unreadable_file_is_named(shared: Path) -> None:
    """A file that may not be read at all says so."""
    (shared / "catalog.db").chmod(0)
    with unprivileged():
        for write in (True, False):
            assert "cannot be opened" in failure(f"sqlite:///{shared / 'catalog.db'}", write=write).message


def test_a_full_disk_changes_nothing(sqlite_database: str) -> None:
    """When the pages run out in the middle of a write, the message says so and the catalog is as it was."""
    sample.create(sqlite_database)
    before = sample.tables(sqlite_database)
    with pytest.raises(DatabaseError, match="the disk is full") as caught, sample.writing(sqlite_database) as book:
        book.connection.exec_driver_sql("PRAGMA max_page_count = 1")
        for number in range(1000):
            book.add("vendor", {"slug": f"v-{number}", "name": "N" * 900}, reason="until it is full")
    assert caught.value.exit_code == 5
    assert sample.tables(sqlite_database) == before
    assert sample.verified(sqlite_database).findings == ()


def test_a_server_that_ends_the_connection_changes_nothing(postgres_database: str, postgres_url: str) -> None:
    """PostgreSQL gone in mid-command: one message without the password, nothing written, the next one works."""
    sample.create(postgres_database)
    before = sample.tables(postgres_database)
    with pytest.raises(DatabaseError, match="cannot be reached") as caught, sample.writing(postgres_database) as book:
        book.add("vendor", {"slug": "lost", "name": "Lost"}, reason="r")
        with psycopg.connect(postgres_url, autocommit=True) as other:
            name = urlsplit(postgres_database).path[1:]
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        book.add("vendor", {"slug": "later", "name": "Later"}, reason="r")
    assert_safe(caught.value, postgres_database)
    assert sample.tables(postgres_database) == before
    with sample.writing(postgres_database) as book:
        book.add("vendor", {"slug": "next", "name": "Next"}, reason="r")


def test_a_reader_whose_connection_ends_is_told(postgres_database: str, postgres_url: str) -> None:
    """A read that loses its server ends in the same message."""
    sample.create(postgres_database)
    with pytest.raises(DatabaseError, match="cannot be reached") as caught, reading(postgres_database) as reader:
        with psycopg.connect(postgres_url, autocommit=True) as other:
            name = urlsplit(postgres_database).path[1:]
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        reader.rows("SELECT 1")
    assert_safe(caught.value, postgres_database)


def test_an_unreachable_server_is_named(postgres_url: str) -> None:
    """A wrong port, password, database or host: exit code 5, one line, no password."""
    parts, unreachable = urlsplit(postgres_url), "cannot be reached"
    wrong = [
        (parts._replace(netloc=f"postgres:{parts.password}@127.0.0.1:1"), unreachable),
        (parts._replace(netloc=f"postgres:not-the-secret@{parts.hostname}:{parts.port}"), "refuses this login"),
        (parts._replace(path="/no_such_database"), "does not exist"),
        (parts._replace(netloc=f"postgres:{parts.password}@{parts.hostname}:port"), unreachable),
        (parts._replace(netloc=f"postgres:{parts.password}%zz@{parts.hostname}:{parts.port}"), unreachable),
        (parts._replace(netloc=f"postgres:{parts.password}@[::1]x:{parts.port}"), unreachable),
        (parts._replace(netloc=f"{parts.hostname}:1", query=f"user=postgres&password={parts.password}"), unreachable),
    ]
    for part, says in wrong:
        url = part.geturl()
        for write in (True, False):
            error = failure(url, write=write)
            assert says in error.message
            assert_safe(error, postgres_url)
            assert "not-the-secret" not in error.message


def test_a_failure_inside_a_write_leaves_no_trace(database_url: str) -> None:
    """Whatever the caller raises inside a write takes back all of its lines; a dry run does the same on purpose."""
    sample.create(database_url)
    before = sample.tables(database_url)
    with pytest.raises(ZeroDivisionError), sample.writing(database_url) as book:
        book.add("vendor", {"slug": "n", "name": "N"}, reason="r")
        raise ZeroDivisionError
    with sample.writing(database_url, dry_run=True) as book:
        book.rank("entry", "gamma", **sample.RANK)
        assert len(book.lines) == 1
    assert sample.tables(database_url) == before


def test_a_migration_needs_a_catalog(database_url: str) -> None:
    """An upgrade of nothing names init; it creates nothing."""
    if database_url.startswith("sqlite"):
        with pytest.raises(DatabaseError, match="there is no database"):
            migrate.upgrade(database_url)
        return
    with pytest.raises(DatabaseError, match="holds no catalog"):
        migrate.upgrade(database_url)


def assert_safe(error: CatalogError, url: str) -> None:
    """Assert that an error is one line each and does not tell a URL's password."""
    password = str(urlsplit(url).password)
    assert password not in error.message + error.hint
    assert "\n" not in error.message + error.hint
