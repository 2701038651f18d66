"""Fixtures of every test: fresh databases of both kinds, and bounded property tests."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hypothesis
import psycopg
import pytest

from tests import postgres_server

GIVEN_SERVER = "CATALOG_TEST_POSTGRES_URL"
SHARED_SERVER = pytest.StashKey[dict[str, str]]()

hypothesis.settings.register_profile("local", max_examples=25, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=25, deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Hand every xdist worker the one server that the controlling process starts and, at its own end, stops."""
    config: pytest.Config = node.config
    if SHARED_SERVER not in config.stash:
        stack = ExitStack()
        config.add_cleanup(stack.close)
        config.stash[SHARED_SERVER] = _server(stack)
    node.workerinput.update(config.stash[SHARED_SERVER])


def _server(stack: ExitStack) -> dict[str, str]:
    """Return the URL of the given server or of one that runs until the stack closes, or why there is none."""
    try:
        return {"postgres_url": os.environ.get(GIVEN_SERVER) or stack.enter_context(postgres_server.running())}
    except postgres_server.ServerError as error:
        return {"postgres_error": str(error)}


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The maintenance database of a PostgreSQL server; without one the test fails, it is never skipped."""
    with ExitStack() as stack:
        server = getattr(request.config, "workerinput", None) or _server(stack)
        if "postgres_url" not in server:
            pytest.fail(f"no PostgreSQL: {server['postgres_error']}\nOr name a server: {GIVEN_SERVER}=postgresql://…")
        yield server["postgres_url"]


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of this test's own."""
    name = f"catalog_test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def sqlite_database(tmp_path: Path) -> str:
    """The URL of a SQLite file that does not exist yet, in a folder of this test's own."""
    return f"sqlite:///{tmp_path / 'catalog.db'}"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database of this test's own: the test runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_database"))
