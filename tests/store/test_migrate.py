"""Migrations are atomic, lose no guard and no row, and models and migrations say the same."""

from __future__ import annotations

from typing import Literal

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations

from catalog.connection import SCHEMA_VERSION, reading
from catalog.errors import ConflictError, DatabaseError, IntegrityError
from catalog.store import database, guards, migrate, seeding
from tests.store import sample


def test_the_schema_version_is_the_head() -> None:
    """The migration that the light read side knows is the newest one."""
    assert migrate.head() == SCHEMA_VERSION


def test_up_check_down_up(database_url: str) -> None:
    """Upgrade leaves no difference to the models, downgrade leaves nothing behind, and upgrade works again."""
    sample.create_empty(database_url)
    for _ in range(2):
        with database.transaction(database_url, migrating=True) as connection:
            command.check(_alembic(connection))
            assert guards.findings(migrate.executor(connection), connection.dialect.name) == []
            migrate.migrate(connection, "base")
            assert sa.inspect(connection).get_table_names() == ["alembic_version"]
            assert database.version(connection) is None
            migrate.migrate(connection, SCHEMA_VERSION)
    assert sample.verified(database_url).findings == ()


def test_a_table_that_the_models_do_not_know_is_found(database_url: str) -> None:
    """The check of models against migrations would say if a column were missing."""
    with migrate.creating(database_url) as connection:
        connection.exec_driver_sql("ALTER TABLE vendor DROP COLUMN note")
        with pytest.raises(Exception, match="add_column"):
            command.check(_alembic(connection))


def test_a_newer_database_is_refused(database_url: str) -> None:
    """A database stamped by a newer catalog is neither read, nor written, nor migrated."""
    sample.create(database_url)
    with sample.shell(database_url) as execute:
        execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseError, match="newer") as read, reading(database_url):
        pass
    with pytest.raises(DatabaseError, match="newer"), sample.writing(database_url):
        pass
    with pytest.raises(DatabaseError, match="newer"):
        migrate.upgrade(database_url)
    assert read.value.exit_code == 5
    assert "Install the newer" in read.value.hint


def test_an_older_database_asks_for_an_upgrade(database_url: str) -> None:
    """A database of an earlier migration names the command that brings it forward."""
    sample.create(database_url)
    with sample.shell(database_url) as execute:
        execute("UPDATE alembic_version SET version_num = '0000'")
    with pytest.raises(DatabaseError, match="stands at migration 0000") as caught, reading(database_url):
        pass
    assert caught.value.hint.endswith("upgrade")


def test_upgrade_of_a_current_catalog_changes_nothing(database_url: str) -> None:
    """Upgrade says from where to where; at the head it is a no-op."""
    sample.create(database_url)
    before = sample.tables(database_url)
    assert migrate.upgrade(database_url) == (SCHEMA_VERSION, SCHEMA_VERSION)
    assert sample.tables(database_url) == before


def test_what_was_created_is_not_created_again(database_url: str) -> None:
    """A second creation refuses and leaves the first catalog as it is."""
    sample.create(database_url)
    before = sample.tables(database_url)
    with pytest.raises(ConflictError, match="holds a catalog already"):
        seeding.create(database_url, fill="empty")
    assert sample.tables(database_url) == before


def test_a_failed_creation_leaves_no_tables(database_url: str) -> None:
    """Whatever is raised while a new catalog is filled, no table stays, and the next attempt works."""
    with pytest.raises(ZeroDivisionError), migrate.creating(database_url):
        raise ZeroDivisionError
    with pytest.raises(DatabaseError, match="holds no catalog"), reading(database_url):
        pass
    sample.create(database_url)
    assert sample.verified(database_url).findings == ()


@pytest.mark.parametrize("table", ["model", "change_log", "score"])
def test_guards_survive_a_rebuilt_table(database_url: str, table: str) -> None:
    """A batch migration that copies a table silently drops its triggers; afterwards every guard stands and refuses."""
    sample.create(database_url)
    before = sample.tables(database_url)
    with database.transaction(database_url, migrating=True) as connection:
        execute, dialect = migrate.executor(connection), connection.dialect.name
        guards.drop(execute, dialect)
        _rebuild(connection, table)
        migrate.migrate(connection, SCHEMA_VERSION)
    assert sample.tables(database_url) == before
    assert sample.verified(database_url).findings == ()
    with sample.shell(database_url) as execute:
        attacks = ["UPDATE model SET power_rank = 999, high = 999 WHERE slug = 'alpha'", "DELETE FROM change_log"]
        assert sample.passed(execute, [*attacks, "DELETE FROM score", "DELETE FROM model"]) == []


def test_a_rebuilt_table_without_new_guards_is_found(sqlite_database: str) -> None:
    """Verify names every trigger that a batch migration lost."""
    sample.create(sqlite_database)
    with database.transaction(sqlite_database, migrating=True) as connection:
        _rebuild(connection, "score")
    lost = [f"the guard score_{event} is missing" for event in ("delete", "insert", "update")]
    assert list(sample.verified(sqlite_database).findings) == lost


def test_a_rebuilt_parent_keeps_its_children(sqlite_database: str) -> None:
    """Foreign keys are off while a table is rebuilt, whatever the connection did before, and on again afterwards."""
    sample.create(sqlite_database)
    with database.transaction(sqlite_database, migrating=True) as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 0
        guards.drop(migrate.executor(connection), "sqlite")
        _rebuild(connection, "vendor")
        migrate.migrate(connection, SCHEMA_VERSION)
    with database.transaction(sqlite_database) as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    assert sample.verified(sqlite_database).findings == ()


def test_a_migration_that_breaks_a_foreign_key_is_undone(sqlite_database: str) -> None:
    """With foreign keys off a migration could orphan rows; it is checked before it is committed."""
    sample.create(sqlite_database)
    before = sample.tables(sqlite_database)
    with (
        pytest.raises(IntegrityError, match="point to rows that do not exist"),
        database.transaction(sqlite_database, migrating=True) as connection,
    ):
        connection.exec_driver_sql("DELETE FROM vendor WHERE slug = 'acme'")
        migrate.migrate(connection, SCHEMA_VERSION)
    assert sample.tables(sqlite_database) == before


def _rebuild(connection: sa.Connection, table: str) -> None:
    operations = Operations(MigrationContext.configure(connection))
    recreate: Literal["always", "never"] = "always" if connection.dialect.name == "sqlite" else "never"
    with operations.batch_alter_table(table, recreate=recreate, table_kwargs={"sqlite_strict": True}) as batch:
        batch.alter_column("method" if table == "change_log" else "note", existing_type=sa.Text(), nullable=True)


def _alembic(connection: sa.Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", "catalog.migrations:")
    config.attributes["connection"] = connection
    return config
