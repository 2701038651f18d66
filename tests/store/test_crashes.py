"""Whatever kills a command, the catalog holds everything it was to write or nothing, and the next command works."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from catalog.connection import reading
from catalog.errors import DatabaseError
from catalog.store import transfer
from tests.store import crashing, sample

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


def test_eight_processes_write_at_once(database_url: str) -> None:
    """Eight processes that add a model and its rank at the same moment all succeed, and no line is lost."""
    sample.create(database_url)
    barrier = crashing.FORKING.Barrier(WRITERS)
    writers = [
        crashing.FORKING.Process(target=crashing.add_one, args=(database_url, number, barrier))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    found = sample.verified(database_url)
    assert (found.lines, found.ranked, found.findings) == (17 + 2 * WRITERS, 2 + WRITERS, ())
    with sample.shell(database_url) as execute:
        assert execute("SELECT min(seq), max(seq), count(*) FROM change_log") == [(1, 33, 33)]
