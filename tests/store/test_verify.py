"""Verify finds whatever an owner of the database did behind the catalog's back."""

from __future__ import annotations

import pytest

from catalog.connection import reading
from catalog.log.line import COLUMNS, digest
from catalog.store.verify import verify
from tests.store import sample

FACTS = {
    "model_type": ("type reranker", "slug = 'reranker'", "name"),
    "vendor": ("vendor unused", "slug = 'unused'", "name"),
    "index_release": ("release aa@4.3", "key = 'aa@4.3'", "publisher"),
    "model": ("model narrow", "slug = 'narrow'", "name"),
    "alias": ("alias artificial-analysis gamma-max", "label = 'gamma-max'", "effort"),
    "offer": ("offer gamma acme", "model = 'gamma'", "driver"),
    "price": ("price gamma acme 1M tokens USD standard realtime 2026-01-01", "model = 'gamma'", "source"),
    "proposal": ("proposal gamma", "model = 'gamma'", "placement"),
}
"""Table → the name verify gives one of its rows, how SQL finds that row, and a column to change."""


@pytest.fixture
def url(database_url: str) -> str:
    """The URL of the small catalog."""
    return sample.create(database_url)


def tampered(url: str, *statements: str) -> tuple[str, ...]:
    """Do as an owner can: drop the guards, run statements without foreign keys, put the guards back; then verify."""
    sample.drop_guards(url)
    with sample.shell(url, foreign_keys=False) as execute:
        for statement in statements:
            execute(statement)
    sample.restore_guards(url)
    return sample.verified(url).findings


def test_a_sound_catalog_has_no_findings(url: str) -> None:
    """A catalog that was written by its own tool verifies clean, and says how much it holds."""
    found = sample.verified(url)
    assert (found.lines, found.models, found.ranked, found.findings) == (17, 5, 2, ())


def test_progress_is_told(url: str) -> None:
    """Progress is told per 50,000 lines, so a short log tells none."""
    told: list[int] = []
    with reading(url) as reader:
        verify(reader, progress=told.append)
    assert told == []


def test_a_cut_tail_shows_against_a_noted_head(url: str) -> None:
    """Cutting the newest lines and undoing what they did leaves a sound chain; only a head noted elsewhere tells."""
    noted = sample.verified(url).head
    ranks = "power_rank = NULL, low = NULL, high = NULL, source = NULL, index_version = NULL, as_of = NULL"
    cut = f"UPDATE model SET {ranks} WHERE slug = 'beta'"
    assert tampered(url, "DELETE FROM change_log WHERE seq = 17", cut) == ()
    found = sample.verified(url, expected_head=noted).findings
    assert found == (f"the hash {noted} is not in the log: lines were cut off or rewritten",)


def test_a_noted_head_may_be_older(url: str) -> None:
    """The hash of any earlier line is as good a witness as the head."""
    noted = sample.verified(url).head
    with sample.writing(url) as book:
        book.add("vendor", {"slug": "later", "name": "Later"}, reason="later")
    assert sample.verified(url, expected_head=noted).findings == ()


def test_a_removed_line_is_found(url: str) -> None:
    """A line taken out of the middle leaves a gap in seq and a chain that does not fit."""
    found = tampered(url, "DELETE FROM change_log WHERE seq = 5")
    assert found[0] == "line 6: seq 6 follows 4: lines are missing"
    assert found[1] == "line 6: prev_hash is not the hash of the line before"


def test_a_changed_line_is_found(url: str) -> None:
    """Every column of a line is under its hash."""
    columns = ("reason", "actor", "at", "tool_version", "source", "as_of", "method", "validated", "scores", "after")
    for column in columns:
        value = 1 if column == "validated" else "[1]"
        with sample.shell(url) as execute:
            ((original,),) = execute(f"SELECT {column} FROM change_log WHERE seq = 16")
        found = tampered(url, f"UPDATE change_log SET {column} = {sample.literal(value)} WHERE seq = 16")
        assert "line 16: the hash does not fit the line: it was forged or changed" in found, column
        assert tampered(url, f"UPDATE change_log SET {column} = {sample.literal(original)} WHERE seq = 16") == ()


def test_rewritten_history_is_found_by_a_noted_head(url: str) -> None:
    """Whoever rewrites a line and all hashes after it has a sound chain but another head."""
    noted = sample.verified(url).head
    rewrite = "UPDATE change_log SET reason = 'another', hash = '{}' WHERE seq = 17"
    with sample.shell(url) as execute:
        columns = ", ".join(f'"{name}"' for name in COLUMNS)
        (row,) = execute(f"SELECT {columns} FROM change_log WHERE seq = 17")
    changed = dict(zip(COLUMNS, row, strict=True)) | {"reason": "another"}
    assert tampered(url, rewrite.format(digest(tuple(changed.values())))) == ()
    assert len(sample.verified(url, expected_head=noted).findings) == 1


def test_a_rank_changed_behind_the_log_is_found(url: str) -> None:
    """A direct change of any rank column shows against the replay, even when the guards stand again."""
    for column, value in {"power_rank": 510, "low": 1, "high": 900, "source": "me", "as_of": "2026-01-01"}.items():
        with sample.shell(url) as execute:
            ((original,),) = execute(f"SELECT {column} FROM model WHERE slug = 'alpha'")
        shown = value if column == "power_rank" else 500
        found = tampered(url, f"UPDATE model SET {column} = {sample.literal(value)} WHERE slug = 'alpha'")
        assert found == (f"model alpha has rank {shown}, the log says 500",)
        assert tampered(url, f"UPDATE model SET {column} = {sample.literal(original)} WHERE slug = 'alpha'") == ()
    given = "power_rank = 9, low = 9, high = 9, source = 's', index_version = '1', as_of = '2026-01-01'"
    found = tampered(url, f"UPDATE model SET {given} WHERE slug = 'gamma'")
    assert found == ("model gamma has rank 9, the log says None",)


def test_many_findings_of_one_kind_hide_none_of_another(url: str) -> None:
    """Of each kind the first are told and the rest is counted."""
    with sample.writing(url) as book:
        for number in range(25):
            book.add("vendor", {"slug": f"v-{number}", "name": "V"}, reason="r")
    found = tampered(url, "UPDATE vendor SET name = 'x' WHERE slug LIKE 'v-%'", "UPDATE price SET input = '9'")
    assert len([finding for finding in found if finding.startswith("vendor v-")]) == 20
    assert "… and 5 more about vendor rows" in found
    assert found[-1].startswith("price gamma acme")


def test_lines_since_a_noted_head_are_counted(url: str) -> None:
    """A line appended with its right hash looks like any other; how many there are since is told."""
    noted = sample.verified(url).head
    assert sample.verified(url, expected_head=noted).since_head == 0
    with sample.shell(url) as execute:
        execute(sample.rank_line(execute, "correction", "alpha", old_rank=500))
    found = sample.verified(url, expected_head=noted)
    assert (found.findings, found.since_head) == ((), 1)


def test_a_changed_fact_is_found(url: str) -> None:
    """A row of any table that says something else than its line is named."""
    changes = [f"UPDATE {table} SET {column} = 'x' WHERE {where}" for table, (_, where, column) in FACTS.items()]
    assert sorted(tampered(url, *changes)) == sorted(
        f"{name} differs from what the log says" for name, *_ in FACTS.values()
    )


def test_a_renumbered_fact_is_found(url: str) -> None:
    """A row of any table that points to another line than the one that made it is named."""
    found = tampered(url, *(f"UPDATE {table} SET id = 1000 WHERE {where}" for table, (_, where, _) in FACTS.items()))
    assert {f"{name} differs from what the log says" for name, *_ in FACTS.values()} <= set(found)


def test_a_removed_fact_is_found(url: str) -> None:
    """A row that is gone from any table is named."""
    found = tampered(url, *(f"DELETE FROM {table} WHERE {where}" for table, (_, where, _) in FACTS.items()))
    assert {f"{name} is in the log but not in the table" for name, *_ in FACTS.values()} <= set(found)


def test_one_wrong_score_is_one_finding(url: str) -> None:
    """A forged row, and one that is gone, are told as what they are; the rows after them still fit their lines."""
    with sample.writing(url) as book:
        for day in ("01", "02", "03"):
            book.add("score", {**sample.SCORE, "as_of": f"2026-11-{day}"}, reason="r")
        book.add("vendor", {"slug": "last", "name": "Last"}, reason="r")
    forged = "INSERT INTO score (id, release, label, value, as_of, estimated) VALUES ({}, 'aa@4.3', 'x', '9', 'd', 0)"
    assert tampered(url, forged.format(1), "DELETE FROM score WHERE id = 19", forged.format(21)) == (
        "score 1 has no line in the log",
        "line 19: its score is not in the table",
        "score 21 has no line in the log",
    )


def test_a_rule_that_rewrites_statements_is_found(postgres_database: str) -> None:
    """A rule is no trigger, but it can swallow what the catalog writes."""
    sample.create(postgres_database)
    with sample.shell(postgres_database) as owner:
        owner("CREATE RULE quiet AS ON UPDATE TO model DO INSTEAD NOTHING")
    assert sample.verified(postgres_database).findings == ("the rule quiet on model rewrites statements",)


def test_an_added_fact_is_found(url: str) -> None:
    """A row without a line in any table is named."""
    added = {
        "type x": "model_type (id, slug, name, rank_low, rank_high, effort_policy) VALUES (2000, 'x', 'X', 1, 2, 'e')",
        "vendor x": "vendor (id, slug, name) VALUES (2000, 'x', 'X')",
        "model x": "model (id, type, slug, name, status) VALUES (2000, 'llm', 'x', 'X', 'active')",
        "alias s x": "alias (id, space, label, scope, model, effort) VALUES (2000, 's', 'x', '', 'gamma', 'max')",
        "offer gamma unused": "offer (id, model, vendor, status) VALUES (2000, 'gamma', 'unused', 'active')",
        "proposal beta": "proposal (id, model, placement) VALUES (2000, 'beta', '{}')",
    }
    found = tampered(url, *(f"INSERT INTO {row}" for row in added.values()))
    assert {f"{name} is in the table but not in the log" for name in added} <= set(found)


def test_scores_are_compared_with_their_lines(url: str) -> None:
    """A score changed, removed or added behind the log is found, although scores are not held in memory."""
    row = "SELECT {id}, release, label, value, as_of, estimated FROM score"
    add = "INSERT INTO score (id, release, label, value, as_of, estimated) " + row.format(id=3000)
    assert tampered(url, "UPDATE score SET value = '99'") == ("line 14: the score in the table differs",)
    assert tampered(url, "UPDATE score SET value = '57.6'", add)[0] == "score 3000 has no line in the log"
    assert "line 14: its score is not in the table" in tampered(url, "DELETE FROM score WHERE id < 3000")


def test_an_orphan_is_found(sqlite_database: str) -> None:
    """foreign_keys is per connection: an orphan that a raw shell left behind is found."""
    sample.create(sqlite_database)
    found = tampered(sqlite_database, "DELETE FROM vendor WHERE slug = 'acme'")
    assert "6 rows point to rows that do not exist" in found


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (["DROP TRIGGER model_update"], "the guard model_update is missing"),
        (
            ["DROP TRIGGER score_delete", "CREATE TRIGGER score_delete BEFORE DELETE ON score BEGIN SELECT 1; END"],
            "the guard score_delete is changed or switched off",
        ),
        (
            ["CREATE TRIGGER helpful AFTER INSERT ON vendor BEGIN SELECT 1; END"],
            "the trigger helpful is not one of the catalog's",
        ),
    ],
)
def test_guards_that_were_touched_are_found_on_sqlite(sqlite_database: str, statements: list[str], found: str) -> None:
    """A dropped, changed or foreign trigger is named."""
    sample.create(sqlite_database)
    with sample.shell(sqlite_database) as execute:
        for statement in statements:
            execute(statement)
    assert sample.verified(sqlite_database).findings == (found,)


TOUCHED = [
    ("DROP TRIGGER model_lock ON model", "the guard model_lock is missing"),
    ("ALTER TABLE score DISABLE TRIGGER score_keep", "the guard score_keep is changed or switched off"),
    ("ALTER TABLE score DISABLE TRIGGER ALL", "the guard score_truncate is changed or switched off"),
    ("ALTER TABLE score ENABLE TRIGGER score_keep", "the guard score_keep is changed or switched off"),
    (
        "CREATE OR REPLACE FUNCTION catalog_model_keep() RETURNS trigger LANGUAGE plpgsql "
        "SET search_path = public, pg_temp AS 'BEGIN RETURN OLD; END'",
        "the guard model_keep is changed or switched off",
    ),
    ("ALTER FUNCTION catalog_model_lock() RESET ALL", "the guard model_lock is changed or switched off"),
    ("ALTER FUNCTION catalog_model_lock() SECURITY DEFINER", "the guard model_lock is changed or switched off"),
    (
        "DROP TRIGGER score_keep ON score; CREATE TRIGGER score_keep BEFORE UPDATE OR DELETE ON score FOR EACH ROW "
        "WHEN (false) EXECUTE FUNCTION catalog_score_keep(); ALTER TABLE score ENABLE ALWAYS TRIGGER score_keep",
        "the guard score_keep is changed or switched off",
    ),
    (
        "DROP TRIGGER model_lock ON model; CREATE TRIGGER model_lock BEFORE INSERT OR UPDATE OF name ON model FOR "
        "EACH ROW EXECUTE FUNCTION catalog_model_lock(); ALTER TABLE model ENABLE ALWAYS TRIGGER model_lock",
        "the guard model_lock is changed or switched off",
    ),
    (
        "CREATE TRIGGER helpful BEFORE UPDATE ON vendor FOR EACH ROW EXECUTE FUNCTION catalog_score_keep()",
        "the trigger helpful is not one of the catalog's",
    ),
    (
        "CREATE TRIGGER model_keep BEFORE UPDATE ON vendor FOR EACH ROW EXECUTE FUNCTION catalog_score_keep()",
        "the trigger model_keep on vendor is not one of the catalog's",
    ),
]


def test_guards_that_were_touched_are_found_on_postgres(postgres_database: str) -> None:
    """A dropped, disabled, weakened, conditional, changed or foreign trigger is named, and put right by an install."""
    sample.create(postgres_database)
    for statement, found in TOUCHED:
        with sample.shell(postgres_database) as execute:
            execute(statement)
        assert found in sample.verified(postgres_database).findings
        sample.restore_guards(postgres_database)
        assert sample.verified(postgres_database).findings == ()
