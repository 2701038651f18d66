"""The database itself keeps the log append-only and the ranks locked: a raw SQL shell is refused too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from catalog.store import guards_postgres, guards_sqlite
from tests.store import sample
from tests.store.sample import Execute

KEPT = ("change_log", "score", "model")
KEY = {"change_log": "seq", "score": "id", "model": "id"}


@pytest.fixture
def url(database_url: str) -> str:
    """The URL of the small catalog."""
    return sample.create(database_url)


@pytest.fixture(params=[True, False], ids=["foreign-keys", "no-foreign-keys"])
def execute(url: str, request: pytest.FixtureRequest) -> Iterator[Execute]:
    """A raw SQL shell on the small catalog; the catalog must come out of the test as it went in."""
    before = sample.tables(url)
    with sample.shell(url, foreign_keys=request.param) as opened:
        yield opened
    assert sample.tables(url) == before
    assert sample.verified(url).findings == ()


def test_nothing_kept_is_changed_deleted_or_replaced(url: str, execute: Execute) -> None:
    """UPDATE, DELETE, UPSERT and their conflict clauses are refused on change_log, score and model."""
    attacks = [f"DELETE FROM {table}" for table in KEPT]
    attacks += [f"DELETE FROM {table} WHERE {KEY[table]} = (SELECT max({KEY[table]}) FROM {table})" for table in KEPT]
    attacks += [f"UPDATE {table} SET {KEY[table]} = {KEY[table]} + 1000" for table in KEPT]
    attacks += ["UPDATE change_log SET reason = 'another'", "UPDATE change_log SET hash = prev_hash WHERE seq = 2"]
    attacks += ["UPDATE score SET value = '99'", "UPDATE score SET estimated = 1 - estimated"]
    for table in KEPT:
        columns = ", ".join(f'"{name}"' for name in column_names(execute, table))
        row = f"SELECT {columns} FROM {table} WHERE {KEY[table]} = (SELECT max({KEY[table]}) FROM {table})"
        upsert = f"ON CONFLICT ({KEY[table]}) DO UPDATE SET {KEY[table]} = 7"
        attacks.append(f"INSERT INTO {table} ({columns}) {row} {upsert}")
        if url.startswith("sqlite"):
            attacks += [f"INSERT OR {word} INTO {table} {row}" for word in ("REPLACE", "IGNORE", "FAIL", "ROLLBACK")]
            attacks += [f"REPLACE INTO {table} {row}"]
            attacks += [f"UPDATE OR {word} {table} SET {KEY[table]} = 1" for word in ("REPLACE", "IGNORE")]
    assert sample.passed(execute, attacks) == []


def test_replace_is_refused_whatever_recursive_triggers_say(sqlite_database: str) -> None:
    """REPLACE finds its guard with recursive_triggers on and off: without it SQLite deletes the old row silently."""
    sample.create(sqlite_database)
    for setting in ("ON", "OFF"):
        with sample.shell(sqlite_database) as execute:
            execute(f"PRAGMA recursive_triggers = {setting}")
            attacks = [f"REPLACE INTO {table} SELECT * FROM {table} LIMIT 1" for table in KEPT]
            attacks += ["REPLACE INTO model (id, type, slug, name, status) VALUES (999, 'llm', 'alpha', 'A', 'active')"]
            assert sample.passed(execute, attacks) == []


def test_rank_columns_change_by_no_update(execute: Execute) -> None:
    """Each rank column of a ranked and of an unranked model refuses UPDATE, alone and together."""
    values = {"power_rank": 999, "low": 1, "high": 999, "source": "me", "index_version": "9", "as_of": "2026-01-01"}
    together = ", ".join(f"{name} = {sample.literal(value)}" for name, value in values.items())
    attacks = [f"UPDATE model SET {name} = {sample.literal(value)}" for name, value in values.items()]
    attacks += [f"UPDATE model SET {name} = NULL WHERE slug = 'alpha'" for name in values]
    attacks += [f"UPDATE model SET {together} WHERE slug = '{slug}'" for slug in ("alpha", "gamma")]
    attacks += [f"UPDATE model SET {', '.join(f'{name} = NULL' for name in values)} WHERE slug = 'alpha'"]
    assert sample.passed(execute, attacks) == []


def test_identity_never_changes(execute: Execute) -> None:
    """id, type and slug of a model refuse UPDATE, ranked or not."""
    attacks = [
        f"UPDATE model SET {change} WHERE slug = '{slug}'"
        for change in ("id = 999", "type = 'reranker'", "slug = 'other'")
        for slug in ("alpha", "gamma")
    ]
    assert sample.passed(execute, attacks) == []


def test_a_model_is_added_unranked(execute: Execute) -> None:
    """An INSERT that brings a rank, or only a piece of one, is refused."""
    start = "INSERT INTO model (id, type, slug, name, status"
    attacks = [
        f"{start}, power_rank, low, high, source, index_version, as_of) "
        "VALUES (1, 'llm', 'new', 'New', 'active', 9, 8, 10, 's', '1', '2026-01-01')",
        f"{start}, power_rank) VALUES (1, 'llm', 'new', 'New', 'active', 9)",
        f"{start}, source) VALUES (1, 'llm', 'new', 'New', 'active', 's')",
    ]
    assert sample.passed(execute, attacks) == []


def test_the_scale_of_a_rebased_type_is_frozen(database_url: str) -> None:
    """Whoever owns a raw SQL shell cannot bend a ruler that ranks rest on; before its rebase a type is free."""
    sample.create(database_url)
    changes = ("max_rank = 1000", "score_high = '50'", "rank_high = 9", "reference = NULL")
    with sample.shell(database_url) as execute:
        execute("UPDATE model_type SET note = 'free' WHERE slug = 'reranker'")
        execute(sample.line(execute, action="rebase-plan", after='{"count":1,"plan":"abc","type":"reranker"}'))
        execute(sample.rank_line(execute, "rebase", "narrow", new_rank=30, low=20, high=40))
        attacks = [f"UPDATE model_type SET {change} WHERE slug = 'reranker'" for change in changes]
        assert sample.passed(execute, attacks) == ["UPDATE model_type SET reference = NULL WHERE slug = 'reranker'"]
        execute("UPDATE model_type SET rank_high = 999 WHERE slug = 'llm'")


def test_a_score_comes_from_its_line(execute: Execute) -> None:
    """A row of the score table without a line of its own is refused: with a free id, or that of another line."""
    columns = "(id, release, label, value, as_of, estimated)"
    attacks = [
        f"INSERT INTO score {columns} VALUES ({number}, 'aa@4.3', 'alpha', '99', '2026-10-03', 0)"
        for number in (1, 7, 14, 17, 18, 900)
    ]
    assert sample.passed(execute, attacks) == []


def test_other_columns_of_a_ranked_model_are_free(url: str) -> None:
    """The lock covers the rank, not the name: the database lets it be edited, and verify tells."""
    with sample.shell(url) as execute:
        execute("UPDATE model SET name = 'Another' WHERE slug = 'alpha'")
    assert sample.verified(url).findings == ("model alpha differs from what the log says",)


def test_a_cascade_deletes_nothing_kept(url: str) -> None:
    """Even where an owner makes a foreign key cascade, deleting the parent is refused by the guard of the child."""
    with sample.shell(url) as owner:
        if url.startswith("sqlite"):
            owner("PRAGMA writable_schema = ON")
            points = 'REFERENCES index_release ("key")'
            owner(f"UPDATE sqlite_master SET sql = replace(sql, '{points}', '{points} ON DELETE CASCADE')")
        else:
            cascade = "FOREIGN KEY (release) REFERENCES index_release (key) ON DELETE CASCADE"
            owner(f"ALTER TABLE score DROP CONSTRAINT fk_score_release, ADD CONSTRAINT cascading {cascade}")
    with sample.shell(url) as execute:
        assert sample.refusal(execute, "DELETE FROM index_release").startswith("log: scores are append-only")
        assert execute("SELECT count(*) FROM score") == [(1,)]


def test_truncate_is_refused(postgres_database: str) -> None:
    """TRUNCATE is refused on every kept table: alone, together, with CASCADE, and for a replica."""
    sample.create(postgres_database)
    before = sample.tables(postgres_database)
    for foreign_keys in (True, False):
        with sample.shell(postgres_database, foreign_keys=foreign_keys) as execute:
            attacks = [f"TRUNCATE {table} CASCADE" for table in (*KEPT, "vendor", "model_type", "index_release")]
            attacks += ["TRUNCATE score", "TRUNCATE change_log, model, score, alias, offer, price, proposal CASCADE"]
            attacks += ["TRUNCATE change_log RESTART IDENTITY CASCADE"]
            assert sample.passed(execute, attacks) == []
    assert sample.tables(postgres_database) == before


def test_tables_of_the_same_name_elsewhere_do_not_fool_the_guards(postgres_database: str) -> None:
    """Temporary tables named like ours, or another search_path, do not make a guard read a false log."""
    sample.create(postgres_database)
    with sample.shell(postgres_database) as execute:
        execute("CREATE TEMP TABLE change_log AS SELECT * FROM public.change_log")
        execute("CREATE TEMP TABLE model AS SELECT * FROM public.model")
        execute("UPDATE pg_temp.change_log SET new_rank = 999, high = 999 WHERE model = 'alpha' AND new_rank > 0")
        attacks = ["UPDATE public.model SET power_rank = 999, high = 999 WHERE slug = 'alpha'"]
        assert sample.passed(execute, attacks) == []
        execute("DELETE FROM pg_temp.change_log")
        forged = sample.line(execute, action="vendor.remove", before="{}")
        assert sample.passed(execute, [forged.replace("INTO change_log", "INTO public.change_log")]) == []
    assert sample.verified(postgres_database).findings == ()


def test_guards_are_installed_again_over_anything(url: str) -> None:
    """Guards that are gone are found one by one, and installing them puts every one back."""
    sample.drop_guards(url)
    assert len(sample.verified(url).findings) == len(guard_names(url))
    sample.restore_guards(url)
    assert sample.verified(url).findings == ()


def guard_names(url: str) -> list[str]:
    """Return the names of the guards there should be."""
    return sorted(guards_sqlite.expected() if url.startswith("sqlite") else guards_postgres.expected("public"))


def column_names(execute: Execute, table: str) -> list[str]:
    """Return the columns of a table in their order."""
    try:
        return [row[0] for row in execute(f"SELECT name FROM pragma_table_info('{table}')")]
    except sample.Refusal:
        query = "SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = "
        return [row[0] for row in execute(f"{query}'{table}' ORDER BY ordinal_position")]
