"""Catalogs filled from the seeds once in a run of the tests, and copied for each test that needs its own."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from catalog.settings import sqlite_path
from catalog.store import seeding
from catalog.store.seeding import Fill


class Templates:
    """One database of each kind and filling, made when first asked for."""

    def __init__(self, folder: Path, server: str) -> None:
        self._folder, self._server = folder, server
        self._made: dict[tuple[str, Fill], str] = {}

    def copy(self, url: str, fill: Fill) -> str:
        """Make the empty database of a URL a copy of the seeded one, and return the URL."""
        path = sqlite_path(url)
        if path is None:
            self._copy_on_server(url, fill)
        else:
            shutil.copyfile(self._sqlite(fill), path)
        return url

    def drop(self) -> None:
        """Remove the templates from the server, which may outlive the tests."""
        for (kind, _), name in self._made.items():
            if kind == "postgres":
                self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _sqlite(self, fill: Fill) -> str:
        if ("sqlite", fill) not in self._made:
            path = self._folder / f"{fill}.db"
            seeding.create(f"sqlite:///{path}", fill=fill)
            self._made["sqlite", fill] = str(path)
        return self._made["sqlite", fill]

    def _copy_on_server(self, url: str, fill: Fill) -> None:
        if ("postgres", fill) not in self._made:
            name = f"catalog_seeds_{secrets.token_hex(6)}"
            self._execute(f"CREATE DATABASE {name} TEMPLATE template0")
            self._made["postgres", fill] = name
            seeding.create(urlsplit(self._server)._replace(path=f"/{name}").geturl(), fill=fill)
        own = urlsplit(url).path.removeprefix("/")
        self._execute(f"DROP DATABASE {own} WITH (FORCE)")
        self._execute(f"CREATE DATABASE {own} TEMPLATE {self._made['postgres', fill]}")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Templates]:
    """The seeded databases of this run."""
    made = Templates(tmp_path_factory.mktemp("seeded"), postgres_url)
    yield made
    made.drop()


@pytest.fixture
def ranked_url(templates: Templates, database_url: str) -> str:
    """A catalog of this test's own as ``catalog init`` makes it; once on SQLite, once on PostgreSQL."""
    return templates.copy(database_url, "ranked")


@pytest.fixture
def legacy_url(templates: Templates, database_url: str) -> str:
    """A catalog of this test's own as ``catalog init --legacy`` makes it, on both databases."""
    return templates.copy(database_url, "legacy")


@pytest.fixture
def ranked_sqlite(templates: Templates, sqlite_database: str) -> str:
    """A ranked catalog of this test's own, on SQLite only: for what no database can change."""
    return templates.copy(sqlite_database, "ranked")


@pytest.fixture
def legacy_sqlite(templates: Templates, sqlite_database: str) -> str:
    """A legacy catalog of this test's own, on SQLite only."""
    return templates.copy(sqlite_database, "legacy")
