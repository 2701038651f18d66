"""The GRANT script for PostgreSQL: an application role works with the catalog day by day and can do nothing else."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from catalog import snapshot
from catalog.connection import reading
from catalog.errors import DatabaseError
from catalog.log import facts
from catalog.store import migrate, transfer
from catalog.store.schema import metadata
from tests.store import sample

SCRIPT = files("catalog.migrations").joinpath("application_role.sql").read_text(encoding="utf-8")


@pytest.fixture
def role_url(postgres_database: str) -> Iterator[str]:
    """The small catalog as an application role of this test's own sees it."""
    sample.create(postgres_database)
    role, password = f"catalog_app_{secrets.token_hex(4)}", secrets.token_hex(8)
    parts = urlsplit(postgres_database)
    with psycopg.connect(postgres_database, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{password}'")
        try:
            for _ in range(2):
                run_script(owner, role)
            yield parts._replace(netloc=f"{role}:{password}@{parts.hostname}:{parts.port}").geturl()
        finally:
            owner.execute(f"DROP OWNED BY {role}")
            owner.execute(f"DROP ROLE {role}")


def run_script(owner: psycopg.Connection, role: str) -> None:
    """Run the script as psql does: variables put in, commands of psql left out."""
    statements = re.sub(r"^\\.*$", "", SCRIPT, flags=re.MULTILINE).replace(':"role"', f'"{role}"')
    owner.execute(statements.encode())


def test_the_role_does_the_daily_work(role_url: str, tmp_path: Path) -> None:
    """Every kind of fact is added, edited and withdrawn, a rank is given and corrected, and all of it verifies."""
    with sample.writing(role_url) as book:
        book.add("vendor", {"slug": "other", "name": "Other"}, reason="daily work")
        book.add("model", sample.model("delta", developer="other"), reason="daily work")
        book.edit("model", ("delta",), {"context_window": 1000, "status": "preview"}, reason="daily work")
        book.edit("model", ("alpha",), {"name": "Alpha One"}, reason="daily work")
        book.edit("type", ("reranker",), {"note": "Small."}, reason="daily work")
        book.edit("release", ("aa@4.3",), {"note": "The reference."}, reason="daily work")
        book.add("score", {**sample.SCORE, "label": "delta"}, reason="daily work")
        for kind, row in (("alias", sample.ALIAS), ("price", sample.PRICE), ("offer", sample.OFFER)):
            book.edit(kind, facts.key_of(kind, row), {"note": "x"} if kind == "alias" else {}, reason="daily work")
            book.remove(kind, facts.key_of(kind, row), reason="daily work")
        book.remove("proposal", ("gamma",), reason="daily work")
        book.rank("entry", "delta", **sample.RANK)
        book.rank("correction", "alpha", **{**sample.RANK, "rank": 490})
        book.announce_rebase("reranker", plan="abc", count=1, reason="daily work")
        book.rank("rebase", "narrow", **{**sample.RANK, "rank": 30, "low": 20, "high": 40})
    assert sample.verified(role_url).findings == ()
    assert snapshot.load(role_url).models["alpha"].power_rank == 490
    with reading(role_url) as reader:
        transfer.export(reader, tmp_path)


def test_the_role_changes_nothing_that_is_kept(role_url: str) -> None:
    """The server itself denies the role what the guards refuse, and the ways around the guards."""
    denied = [
        "UPDATE change_log SET reason = 'x'",
        "DELETE FROM change_log",
        "TRUNCATE change_log CASCADE",
        "UPDATE score SET value = '1'",
        "DELETE FROM score",
        "TRUNCATE score",
        "DELETE FROM model",
        "TRUNCATE model CASCADE",
        "UPDATE model SET id = 1",
        "ALTER TABLE model DISABLE TRIGGER ALL",
        "ALTER TABLE model DISABLE TRIGGER model_lock",
        "DROP TRIGGER model_lock ON model",
        "DROP TABLE score",
        "CREATE TABLE mine (id integer)",
        "CREATE TRIGGER mine AFTER INSERT ON vendor FOR EACH ROW EXECUTE FUNCTION catalog_score_keep()",
        "CREATE OR REPLACE FUNCTION catalog_model_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END'",
        "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
        "UPDATE alembic_version SET version_num = '9999'",
        "DELETE FROM model_type",
        "SET session_replication_role = replica",
        *(f"UPDATE model SET {column} = NULL" for column in facts.RANK_COLUMNS),
    ]
    assert [statement for statement in denied if not is_denied(role_url, statement)] == []
    assert sample.verified(role_url).findings == ()


def test_a_temporary_table_does_not_steal_the_definers_rights(role_url: str) -> None:
    """The trigger that applies ranks has a fixed search_path: a temporary table is not written in its place."""
    with sample.shell(role_url) as execute:
        execute("CREATE TEMP TABLE model AS SELECT * FROM public.model")
        forged = sample.rank_line(execute, "entry", "gamma").replace("INTO change_log", "INTO public.change_log")
        execute(forged)
        assert execute("SELECT power_rank FROM pg_temp.model WHERE slug = 'gamma'") == [(None,)]
        assert execute("SELECT power_rank FROM public.model WHERE slug = 'gamma'") == [(400,)]


def test_a_denied_command_says_where_to_look(role_url: str) -> None:
    """A migration by the application role ends in one message that names the documentation, without the password."""
    with (
        pytest.raises(DatabaseError, match=r"must be owner|permission denied") as caught,
        sample.migrating(role_url) as c,
    ):
        migrate.migrate(c, "base")
    assert caught.value.exit_code == 5
    assert "docs/postgresql.md" in caught.value.hint
    assert str(urlsplit(role_url).password) not in caught.value.message + caught.value.hint


def test_every_table_and_column_is_granted_on_purpose() -> None:
    """A new table or a new column of model must be named in the script, a rank column never."""
    assert {name for name in metadata.tables if not re.search(rf"\b{name}\b", SCRIPT)} == set()
    listed = re.search(r"GRANT UPDATE \((.*?)\) ON model", SCRIPT, re.DOTALL)
    assert listed is not None
    columns = {column.strip() for column in listed[1].split(",")}
    assert columns == set(metadata.tables["model"].columns.keys()) - {"id", *facts.RANK_COLUMNS}


def is_denied(url: str, statement: str) -> bool:
    """Return whether the server denies a statement for want of a right."""
    try:
        with sample.shell(url) as execute:
            execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False
