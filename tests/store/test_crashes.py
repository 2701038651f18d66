"""Whatever kills a command, the catalog holds everything it was to write or nothing, and the next command works."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from catalog.connection import reading
from catalog.errors import DatabaseError
from catalog.store import transfer
from tests.command_line import ok, ranks
from tests.store import crashing, sample

pytest_plugins = ["tests.seeded"]

POINTS = 16
"""Moments of a kill, spread evenly from the start of the work to a little after its usual end."""

WRITERS = 8


def kills(work: Callable[..., None], *arguments: object) -> Iterator[int | None]:
    """Run a piece of work undisturbed, then once per point with a kill; yield after each run."""
    code, usual = crashing.run(work, *arguments)
    assert code == 0
    yield code
    codes = []
    for point in range(POINTS):
        code, _ = crashing.run(work, *arguments, kill_after=usual * 1.1 * point / POINTS)
        codes.append(code)
        yield code
    assert -signal.SIGKILL in codes


def lines(url: str) -> int | None:
    """Return the lines of a sound catalog, None where there is none; waits until a killed writer's lock is free."""
    with sample.migrating(url):
        pass
    try:
        with reading(url):
            found = sample.verified(url)
    except DatabaseError as error:
        assert "holds no catalog" in error.message
        return None
    assert found.findings == ()
    return found.lines


def test_a_killed_creation_leaves_a_catalog_or_none(database_url: str) -> None:
    """init and its migration, killed at any moment, leave no tables or all with their guards; init works again."""
    seen = set()
    for _ in kills(crashing.create, database_url):
        found = lines(database_url)
        seen.add(found)
        if found is not None:
            sample.remove(database_url)
    assert seen == {None, 0}
    sample.create(database_url)
    assert lines(database_url) == 17


def test_a_killed_import_leaves_all_lines_or_none(database_url: str, tmp_path: Path) -> None:
    """An import killed at any moment has imported everything or nothing; the next one does the rest."""
    origin = sample.create(f"sqlite:///{tmp_path / 'origin.db'}")
    with reading(origin) as reader:
        transfer.export(reader, tmp_path / "out")
    sample.create_empty(database_url)
    seen = set()
    for _ in kills(crashing.import_folder, database_url, str(tmp_path / "out")):
        found = lines(database_url)
        seen.add(found)
        if found:
            sample.remove(database_url)
            sample.create_empty(database_url)
    assert seen == {0, 17}
    with sample.writing(database_url) as book:
        transfer.import_directory(book, tmp_path / "out")
    assert lines(database_url) == 17


def test_a_killed_rebase_leaves_all_its_lines_or_none(database_url: str) -> None:
    """A rebase and the models it ranks, killed at any moment, come wholly or not at all; a plan never stands alone."""
    sample.create(database_url)
    before = 17
    seen = set()
    for _ in kills(crashing.rebase, database_url):
        after = lines(database_url)
        assert after is not None
        seen.add(after - before)
        before = after
    assert seen == {0, 2 + 2 * crashing.REBASED}
    with sample.writing(database_url) as book:
        book.rank("entry", "gamma", **sample.RANK)
    assert lines(database_url) == before + 1


def test_a_killed_rebase_command_ranks_all_or_nobody(legacy_url: str) -> None:
    """catalog rebase --apply on the shipped rerankers, killed at any moment, ranks every row of its plan or none."""
    plan = ok(legacy_url, "rebase --type reranker --json").data
    words = f"rebase --type reranker --apply {plan['plan']}"
    seen, usual = set(), 1.0
    for point in range(POINTS):
        code, _ = crashing.run(crashing.command, legacy_url, words, kill_after=usual * point / POINTS)
        with sample.migrating(legacy_url):
            pass
        ranked = sample.verified(legacy_url)
        assert ranked.findings == ()
        seen.add((code == 0, ranked.ranked))
        if ranked.ranked:
            break
    else:
        assert ok(legacy_url, words).code == 0
    assert seen <= {(False, 0), (False, len(plan["rows"])), (True, len(plan["rows"]))} and (False, 0) in seen
    assert sample.verified(legacy_url).ranked == len(plan["rows"])


def test_eight_processes_write_at_once(ranked_url: str) -> None:
    """Eight times catalog add-model at the same moment: all succeed, seq stays contiguous, nobody else is moved."""
    before = ranks(ranked_url)
    newcomer = "add-model 'Newcomer No {}' --type llm --developer Example --score aa@4.3=4{}.5 --as-of 2026-11-20"
    barrier = crashing.FORKING.Barrier(WRITERS)
    writers = [
        crashing.FORKING.Process(target=crashing.command, args=(ranked_url, newcomer.format(number, number), barrier))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    found, after = sample.verified(ranked_url), ranks(ranked_url)
    assert found.findings == ()
    assert {slug: after[slug] for slug in before} == before
    assert len(after) == len(before) + WRITERS and found.ranked == sum(rank[0] is not None for rank in after.values())
    with sample.shell(ranked_url) as execute:
        assert execute("SELECT min(seq), max(seq), count(*) FROM change_log") == [(1, found.lines, found.lines)]
