"""One place opens a database and turns what drivers say into the catalog's own errors."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.connection import reading, shown, writable
from catalog.errors import CatalogError, ConflictError, DatabaseError, IntegrityError, LockedError
from catalog.store import database
from tests.store import sample


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("sqlite:///catalog.db", "catalog.db"),
        ("sqlite:////data/a b.db", "/data/a b.db"),
        ("postgresql://h/db", "postgresql://h/db"),
        ("postgresql://u@h:5432/db", "postgresql://u@h:5432/db"),
        ("postgresql://u:secret@h:5432/db", "postgresql://u:***@h:5432/db"),
        ("postgresql://u:s:e/c@ret@h/db", "postgresql://u:***@h/db"),
        (
            "postgresql://h/db?user=u&password=secret&sslmode=require",
            "postgresql://h/db?user=u&password=***&sslmode=require",
        ),
        ("postgresql://h/db?sslpassword=secret", "postgresql://h/db?sslpassword=***"),
    ],
)
def test_a_database_is_shown_without_its_password(url: str, text: str) -> None:
    """Messages name the database; wherever the password stands in the URL, it is not in them."""
    assert shown(url) == text


def test_a_reader_sees_one_catalog(postgres_database: str) -> None:
    """Queries of one reader agree with each other although a writer commits between them."""
    sample.create(postgres_database)
    with reading(postgres_database) as reader:
        before = reader.rows("SELECT count(*) FROM vendor")
        with sample.writing(postgres_database) as book:
            book.add("vendor", {"slug": "new", "name": "New"}, reason="r")
        assert reader.rows("SELECT count(*) FROM vendor") == before
    with reading(postgres_database) as reader:
        assert reader.rows("SELECT count(*) FROM vendor") == [(before[0][0] + 1,)]


def test_a_reader_cannot_write(database_url: str) -> None:
    """A connection for reading refuses to write, on the database's side."""
    sample.create(database_url)
    with pytest.raises(DatabaseError, match="read-only"), reading(database_url) as reader:
        reader.rows("INSERT INTO vendor (id, slug, name) VALUES (99, 'n', 'N') RETURNING id")
    assert sample.verified(database_url).findings == ()


def test_rows_and_records(database_url: str) -> None:
    """Parameters are written ?, a percent sign is only a percent sign, records are named by column."""
    sample.create(database_url)
    with reading(database_url) as reader:
        assert reader.rows("SELECT slug FROM model WHERE slug = ? AND name LIKE 'A%'", ("alpha",)) == [("alpha",)]
        assert [row["slug"] for row in reader.records("vendor", "slug")] == ["acme", "unused"]
        assert reader.dialect == ("sqlite" if database_url.startswith("sqlite") else "postgresql")
        slugs, ids = (reader.stream(f"SELECT {column} FROM model ORDER BY id") for column in ("slug", "id"))
        assert [slug for (slug,), _ in zip(slugs, ids, strict=True)] == list(sample.MODELS)


def test_a_path_may_hold_any_character(tmp_path: Path) -> None:
    """Spaces, question marks, hashes, percent signs and umlauts in a path are the path."""
    for name in ("a b.db", "what?.db", "c#.db", "100%25.db", "ü.db", "mode=ro&x.db"):
        url = f"sqlite:///{tmp_path / name}"
        sample.create_empty(url)
        assert sample.verified(url).findings == ()
    assert len(list(tmp_path.iterdir())) == 6


def test_a_commit_that_was_killed_half_way_is_rolled_back_by_the_next_reader(tmp_path: Path) -> None:
    """A hot journal is no reason to call the database read-only: the reader sees the catalog of before."""
    sample.create(f"sqlite:///{tmp_path / 'whole.db'}")
    before = sample.tables(f"sqlite:///{tmp_path / 'whole.db'}")
    writer = sqlite3.connect(tmp_path / "whole.db", isolation_level=None)
    writer.execute("PRAGMA cache_size = 2")  # pages spill into the file long before the commit
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE vendor SET note = hex(randomblob(200000))")
    for name in ("whole.db", "whole.db-journal"):  # what a kill leaves behind
        shutil.copyfile(tmp_path / name, tmp_path / name.replace("whole", "killed"))
    writer.execute("ROLLBACK")
    writer.close()
    killed = f"sqlite:///{tmp_path / 'killed.db'}"
    with reading(killed) as reader:
        assert reader.rows("SELECT count(*) FROM vendor") == [(2,)]
    assert sample.tables(killed) == before
    assert sample.verified(killed).findings == ()


def test_the_journal_is_deleted(sqlite_database: str) -> None:
    """journal_mode is DELETE, so that a read-only folder can be read, and foreign keys are on."""
    sample.create(sqlite_database)
    with sample.shell(sqlite_database) as execute:
        execute("PRAGMA journal_mode = WAL")
    connection = writable(sqlite_database)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    connection.close()
    assert [path.name for path in Path(sqlite_database.removeprefix("sqlite:///")).parent.iterdir()] == ["catalog.db"]


@pytest.mark.parametrize(
    ("statement", "error", "code"),
    [
        ("DELETE FROM model", LockedError, 1),
        ("DELETE FROM change_log", IntegrityError, 4),
        ("INSERT INTO vendor (id, slug, name) VALUES (1, 'acme', 'Again')", ConflictError, 1),
        ("INSERT INTO offer (id, model, vendor, status) VALUES (1, 'nobody', 'acme', 'active')", ConflictError, 1),
        ("SELECT * FROM nothing", DatabaseError, 5),
        ("SELEC 1", DatabaseError, 5),
    ],
)
def test_what_the_database_refuses_is_the_catalogs_error(
    database_url: str, statement: str, error: type[CatalogError], code: int
) -> None:
    """A guard, a constraint and a broken query each end in one error of the tree, in one line, on both databases."""
    sample.create(database_url)
    with pytest.raises(error) as caught, database.transaction(database_url) as connection:
        connection.exec_driver_sql(statement)
    assert caught.value.exit_code == code
    assert "\n" not in caught.value.message
    assert not re.match(r"locked: |log: ", caught.value.message)


def test_an_error_of_the_caller_passes_through(sqlite_database: str) -> None:
    """What is no driver's error is not dressed up as one."""
    sample.create(sqlite_database)
    with pytest.raises(KeyError), reading(sqlite_database):
        raise KeyError("mine")


def test_a_missing_driver_names_the_install_line() -> None:
    """Without the extra, a PostgreSQL URL answers with the exact pip line."""
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from catalog.connection import reading\n"
        "from catalog.errors import MissingExtraError\n"
        "try:\n    reading('postgresql://h/db').__enter__()\n"
        "except MissingExtraError as error: print(error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "pip install 'model-catalog[postgres]'\n"
