"""The log's own trigger refuses a line that does not follow from the ones before it, whoever inserts it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.store import sample
from tests.store.sample import Execute, line, rank_line

PLAN = '{"count":2,"plan":"abc","type":"reranker"}'


@pytest.fixture
def url(database_url: str) -> str:
    """The URL of the small catalog."""
    return sample.create(database_url)


@pytest.fixture(params=[True, False], ids=["foreign-keys", "no-foreign-keys"])
def execute(url: str, request: pytest.FixtureRequest) -> Iterator[Execute]:
    """A raw SQL shell on the small catalog."""
    with sample.shell(url, foreign_keys=request.param) as opened:
        yield opened


def test_a_forged_rank_line_is_refused(url: str, execute: Execute) -> None:
    """Wrong old_rank, entry of a ranked model, correction of an unranked one, bad interval, provenance or as-of."""
    ranked: dict[str, Any] = {"old_rank": 500}
    forged = {
        "correction from a rank it does not have": rank_line(execute, "correction", "alpha", old_rank=499),
        "correction that names no old rank": rank_line(execute, "correction", "alpha"),
        "entry of a ranked model": rank_line(execute, "entry", "alpha", **ranked),
        "entry of a ranked model said to be unranked": rank_line(execute, "entry", "alpha"),
        "entry with an old rank": rank_line(execute, "entry", "gamma", old_rank=1),
        "correction of an unranked model": rank_line(execute, "correction", "gamma"),
        "unknown model": rank_line(execute, "entry", "nobody"),
        "no model": rank_line(execute, "entry", "gamma", model=None),
        "low above the rank": rank_line(execute, "entry", "gamma", low=401),
        "high below the rank": rank_line(execute, "entry", "gamma", high=399),
        "rank 0": rank_line(execute, "entry", "gamma", new_rank=0, low=-1),
        "rank -1": rank_line(execute, "entry", "gamma", new_rank=-1, low=-1),
        "no rank": rank_line(execute, "entry", "gamma", new_rank=None),
        "no interval": rank_line(execute, "entry", "gamma", low=None, high=None),
        "blank source": rank_line(execute, "entry", "gamma", source=" "),
        "no source": rank_line(execute, "entry", "gamma", source=None),
        "blank version": rank_line(execute, "entry", "gamma", index_version=""),
        "no version": rank_line(execute, "entry", "gamma", index_version=None),
        "no as-of": rank_line(execute, "entry", "gamma", as_of=None),
        "blank reason": rank_line(execute, "entry", "gamma", reason="  "),
        "blank actor": rank_line(execute, "entry", "gamma", actor=""),
        "a tab for a reason": rank_line(execute, "entry", "gamma", reason="\t"),
        "a line break for an actor": rank_line(execute, "entry", "gamma", actor=" \n"),
        "a tab for a source": rank_line(execute, "entry", "gamma", source="\t"),
        "rebase without a plan": rank_line(execute, "rebase", "gamma"),
        "validated neither yes nor no": rank_line(execute, "entry", "gamma", validated=2),
    }
    forged |= {
        f"as-of {date}": rank_line(execute, "entry", "gamma", as_of=date)
        for date in ("2026-02", "2026-02-30", "2026-2-3", "20260203", "2026-02-03T00:00", " 2026-02-03", "now", "")
    }
    assert_refused(url, execute, forged)


def test_a_line_out_of_the_chain_is_refused(url: str, execute: Execute) -> None:
    """A gap in seq, a seq that is taken, a wrong prev_hash, a short hash, an unknown action, a rank on a fact line."""
    last = execute("SELECT max(seq) FROM change_log")[0][0]
    fact: dict[str, Any] = {"action": "vendor.add", "after": '{"name":"N","slug":"n"}'}
    forged = {f"seq {seq}": line(execute, **fact, seq=seq) for seq in (last + 2, last, 1, 0, -1)}
    forged |= {
        "wrong prev_hash": line(execute, **fact, prev_hash="f" * 64),
        "genesis prev_hash": line(execute, **fact, prev_hash="0" * 64),
        "short hash": line(execute, **fact, hash="abc"),
        "unknown action": line(execute, action="rank"),
        "rank on a fact line": line(execute, **fact, new_rank=900, low=900, high=900),
        "source on a fact line": line(execute, **fact, source="s"),
        "a fact for no reason": line(execute, **fact, reason=" \t"),
    }
    times = ("2026-11-30T08:59:59Z", "2026-12-01", "2026-12-01T09:00:00", "2026-13-01T09:00:00Z", "now", "")
    forged |= {f"at {time}": line(execute, **{**fact, "at": time}) for time in times}
    assert_refused(url, execute, forged)


def test_a_plan_is_complete_and_made_once_per_type(url: str, execute: Execute) -> None:
    """A plan without type, hash or count is refused, and so is the second plan of a type."""
    plans = {
        "nothing": None,
        "no JSON": "plan",
        "unknown type": '{"count":1,"plan":"abc","type":"nothing"}',
        "no type": '{"count":1,"plan":"abc"}',
        "no hash": '{"count":1,"type":"reranker"}',
        "no count": '{"plan":"abc","type":"reranker"}',
        "more than there are": '{"count":3,"plan":"abc","type":"reranker"}',
        "far more than there are": '{"count":99999999999,"plan":"abc","type":"reranker"}',
        "count 0": '{"count":0,"plan":"abc","type":"reranker"}',
        "count -1": '{"count":-1,"plan":"abc","type":"reranker"}',
        "count 1.5": '{"count":1.5,"plan":"abc","type":"reranker"}',
        "count as text": '{"count":"1","plan":"abc","type":"reranker"}',
    }
    forged = {name: line(execute, action="rebase-plan", after=after) for name, after in plans.items()}
    assert_refused(url, execute, forged)
    execute(line(execute, action="rebase-plan", after=PLAN))
    for slug in ("narrow", "wide"):
        execute(rank_line(execute, "rebase", slug, new_rank=30, low=20, high=40))
    assert sample.verified(url).findings == ()
    assert_refused(url, execute, {"second plan": line(execute, action="rebase-plan", after=PLAN)}, word="locked: ")


def test_a_rebase_holds_exactly_its_lines(url: str, execute: Execute) -> None:
    """Inside a rebase no fact, entry, second plan, other type or model twice fits, and no further line after it."""
    execute(line(execute, action="rebase-plan", after=PLAN))
    inside = {
        "fact": line(execute, action="vendor.add", after='{"name":"N","slug":"n"}'),
        "entry": rank_line(execute, "entry", "narrow"),
        "correction": rank_line(execute, "correction", "alpha", old_rank=500),
        "another type": rank_line(execute, "rebase", "gamma"),
        "another plan": line(execute, action="rebase-plan", after=PLAN.replace("reranker", "llm")),
        "old rank": rank_line(execute, "rebase", "narrow", old_rank=3),
    }
    assert_refused(url, execute, inside)
    execute(rank_line(execute, "rebase", "narrow", new_rank=30, low=20, high=40))
    assert sample.verified(url).findings == ("the rebase of reranker is not finished: 1 lines are missing",)
    assert_refused(url, execute, {"model twice": rank_line(execute, "rebase", "narrow")})
    execute(rank_line(execute, "rebase", "wide", new_rank=30, low=20, high=40))
    with sample.writing(url) as book:
        book.add("model", sample.model("late", type="reranker"), reason="after the rebase")
    assert_refused(url, execute, {"one line too many": rank_line(execute, "rebase", "late")})


def test_lines_of_one_statement_do_not_outrun_the_chain(url: str, execute: Execute) -> None:
    """Two lines in one INSERT are refused unless the second follows from the first."""
    first = rank_line(execute, "entry", "gamma")
    values = first.partition(" VALUES ")[2]
    assert_refused(url, execute, {"the same line twice": f"{first}, {values}"})


def test_a_sound_rank_line_applies_itself(url: str, execute: Execute) -> None:
    """A well-formed line moves exactly its model's rank; the database does it, not our code."""
    execute(rank_line(execute, "correction", "alpha", old_rank=500))
    columns = "power_rank, low, high, source, index_version, as_of"
    assert execute(f"SELECT {columns} FROM model WHERE slug = 'alpha'") == [(400, 380, 420, "Index", "1", "2026-10-03")]
    assert execute("SELECT power_rank FROM model WHERE slug = 'beta'") == [(300,)]
    assert sample.verified(url).findings == ()


def test_verify_finds_a_line_whose_hash_was_made_up(url: str, execute: Execute) -> None:
    """The database cannot hash: a well-formed line with a wrong hash passes it, and verify finds it."""
    execute(rank_line(execute, "entry", "gamma", hash="a" * 64))
    last = execute("SELECT max(seq) FROM change_log")[0][0]
    assert sample.verified(url).findings == (f"line {last}: the hash does not fit the line: it was forged or changed",)


def test_verify_finds_a_fact_line_without_its_fact(url: str) -> None:
    """A line with a fitting hash that states nothing, or what no table holds, is a finding and no traceback."""
    found = 0
    ghost = '{"name":"Ghost","slug":"ghost"}'
    for after in (None, "nothing", "[]", "{}", '{"slug":"x"}', ghost, '{"a":1,"a":2}', "[" * 9999):
        with sample.shell(url) as execute:
            execute(line(execute, action="vendor.add", after=after))
            execute(line(execute, action="model.edit", before=after, after=after))
            execute(line(execute, action="score.edit", before=after, after=after))
        before, found = found, told(sample.verified(url).findings)
        assert found >= before + 3


def told(findings: tuple[str, ...]) -> int:
    """Return how many findings there are, those that are only counted included."""
    rest = [re.match(r"… and ([0-9,]+) more", finding) for finding in findings]
    return sum(int(match[1].replace(",", "")) if match else 1 for match in rest)


def assert_refused(url: str, execute: Execute, forged: dict[str, str], *, word: str = "") -> None:
    """Assert that no INSERT passes, that each is refused by a guard or constraint, and that nothing changed."""
    before = sample.tables(url)
    refusals = {name: sample.refusal(execute, statement) for name, statement in forged.items()}
    assert [name for name, said in refusals.items() if not said or not said.startswith(word)] == []
    assert sample.tables(url) == before
