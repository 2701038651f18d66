"""Replay gives a log its meaning: each line must follow from the ones before it."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.canonical import dumps
from catalog.errors import IntegrityError
from catalog.log.line import COLUMNS, GENESIS, digest
from catalog.log.replay import State, rank_of, replayed, step

Rows = list[tuple[Any, ...]]
TYPE = {"slug": "llm", "name": "Language model"}
RANK = {"low": 40, "new_rank": 50, "high": 60, "source": "s", "index_version": "1", "as_of": "2026-01-01"} | {
    "after": "{}"
}


def log(*lines: dict[str, Any]) -> Rows:
    """Return the rows of a log of these lines, chained and hashed."""
    rows: Rows = []
    for seq, given in enumerate(lines, 1):
        usual = {"seq": seq, "at": f"2026-11-{seq:02}T09:00:00Z", "actor": "a", "reason": "r", "tool_version": "0"}
        row = {**dict.fromkeys(COLUMNS), **usual, "prev_hash": rows[-1][-1] if rows else GENESIS, **given}
        rows.append((*list(row.values())[:-1], digest(tuple(row.values()))))
    return rows


def add(kind: str, **row: object) -> dict[str, Any]:
    """Return a line that adds a fact."""
    return {"action": f"{kind}.add", "after": dumps(row)}


def model(slug: str, kind: str = "llm") -> dict[str, Any]:
    """Return a line that adds a model."""
    return add("model", slug=slug, type=kind) | {"model": slug}


def rank(action: str, slug: str, **changes: object) -> dict[str, Any]:
    """Return a rank line."""
    return {"action": action, "model": slug, **RANK, **changes}


def plan(count: int, kind: str = "llm") -> dict[str, Any]:
    """Return the header of a rebase."""
    return {"action": "rebase-plan", "after": dumps({"type": kind, "plan": "abc", "count": count})}


START = (add("type", **TYPE), model("a"), model("b"))


def test_a_log_says_what_the_catalog_is() -> None:
    """Facts, ranks and head follow from the lines; an edit keeps a fact's id, a removal takes it out."""
    vendor = {"name": "N", "slug": "n"}
    edited = {"action": "vendor.edit", "before": dumps(vendor), "after": dumps({**vendor, "name": "M"})}
    removed = {"action": "model.remove", "model": "b", "before": dumps({"slug": "b", "type": "llm"})}
    rows = log(*START, add("vendor", **vendor), edited, rank("entry", "a"), removed)
    state = replayed(rows)
    assert list(state.rows("vendor")) == [{"id": 4, "name": "M", "slug": "n"}]
    assert [row["slug"] for row in state.rows("model")] == ["a"]
    assert state.ranks == {"a": (50, 40, 60, "s", "1", "2026-01-01")}
    assert (state.seq, state.head, state.rank_lines) == (7, rows[-1][-1], {"a": 6})
    assert rank_of(state.ranks["a"])["power_rank"] == 50
    assert set(rank_of(None).values()) == {None}


def test_a_log_is_replayed_up_to_a_day() -> None:
    """Lines of later days are left out; an open rebase on that day is no fault."""
    rows = log(*START, plan(2), rank("rebase", "a"), rank("rebase", "b"))
    assert replayed(rows, until="2026-11-05").ranks.keys() == {"a"}
    assert replayed(rows, until="2026-10-31").head == GENESIS
    assert replayed(rows).ranks.keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([rank("entry", "nobody")], "nobody is no model of the catalog"),
        ([rank("entry", "a", old_rank=5)], "old_rank 5 of a is not its rank unranked"),
        ([rank("entry", "a"), rank("entry", "a")], "old_rank None of a is not its rank 50"),
        ([rank("entry", "a"), rank("entry", "a", old_rank=50)], "entry of a with old_rank 50"),
        ([rank("correction", "a")], "correction of a with old_rank None"),
        ([rank("entry", "a", low=51)], "rank 50 of a lies outside 51-60"),
        ([rank("entry", "a", new_rank=0, low=0)], "rank 0 of a lies outside"),
        ([rank("rebase", "a")], "rebase line of a without a plan"),
        ([plan(1), rank("rebase", "a"), rank("rebase", "b")], "rebase line of b without a plan"),
        ([plan(1), rank("rebase", "a"), plan(1)], "llm was rebased before"),
        ([plan(2), rank("rebase", "a"), add("vendor", slug="n")], "the rebase of llm is not finished"),
        ([plan(2), rank("rebase", "a"), rank("entry", "b")], "the rebase of llm is not finished"),
        ([model("c", "tts"), plan(1), rank("rebase", "c")], "the rebase of llm is not finished"),
        ([plan(2), rank("rebase", "a")], "the rebase of llm is not finished: 1 lines are missing"),
        ([model("a")], "there is a model a already"),
        ([{"action": "vendor.edit", "before": "{}", "after": "{}"}], "vendor  was not as 'before' says"),
        ([{"action": "vendor.remove", "before": '{"slug":"n"}'}], "vendor n was not as 'before' says"),
        ([{"action": "score.remove", "before": "{}"}], "a score is never changed"),
        ([{"action": "vendor.add"}], "vendor.add does not state a fact this catalog knows"),
        ([{"action": "vendor.add", "after": "[]"}], "its after is not canonical JSON"),
        ([rank("entry", "a", after=None)], "the rank of a does not say how it was found"),
        ([rank("entry", "a", before="{}")], "the rank of a does not say how it was found"),
        ([rank("entry", "a", after="not json")], "its after is not canonical JSON"),
        ([rank("entry", "a", after='{"b":1,"a":2}')], "its after is not canonical JSON"),
        ([rank("entry", "a", scores="garbage")], "its scores is not canonical JSON"),
        ([rank("entry", "a", scores='["1"]')], "names scores that are no ids"),
        ([plan(3)], "a rebase of 3 models of llm, which has 2 unranked ones"),
        ([plan(0)], "a rebase of 0 models of llm"),
        ([add("score", release="r", label="l", value="NaN")], "value 'NaN' of the score is no canonical decimal"),
        ([add("score", release="r", label="l", value="1.0")], "value '1.0' of the score is no canonical decimal"),
        ([model("c") | {"model": "a"}], "it is filed under a, but its fact is about c"),
        (
            [
                plan(1),
                rank("rebase", "a"),
                {"action": "type.edit", "before": dumps(TYPE), "after": dumps({**TYPE, "max_rank": 1000})},
            ],
            "the scale of llm was changed after its rebase",
        ),
        ([{"action": "rebase-plan", "after": "{}"}], "rebase-plan does not state"),
        ([{"action": "lesson.add", "after": "{}"}], "lesson.add does not state"),
        ([add("vendor", slug="n") | {"seq": 9}], "seq 9 follows 3: lines are missing"),
        ([add("vendor", slug="n") | {"at": "2026-11-03T08:59:59Z"}], "lies before that of the line before"),
        ([add("vendor", slug="n") | {"actor": "\t"}], "it names no actor or no reason"),
        ([add("vendor", slug="n") | {"reason": " "}], "it names no actor or no reason"),
        ([add("vendor", slug="n") | {"prev_hash": "f" * 64}], "prev_hash is not the hash of the line before"),
    ],
)
def test_a_line_that_does_not_follow_is_refused(lines: list[dict[str, Any]], problem: str) -> None:
    """The first line that contradicts the ones before it is named with its reason."""
    with pytest.raises(IntegrityError) as caught:
        replayed(log(*START, *lines))
    assert problem in caught.value.message


def test_a_wrong_hash_is_a_problem_of_its_line_only() -> None:
    """A forged hash is reported at its line; the next line chains to what is stored."""
    rows = log(*START)
    rows[1] = (*rows[1][:-1], "a" * 64)
    state = State()
    assert [step(state, row) for row in rows] == [
        [],
        ["the hash does not fit the line: it was forged or changed"],
        ["prev_hash is not the hash of the line before"],
    ]


def test_scores_are_kept_only_when_asked_for() -> None:
    """Memory does not grow with the number of scores where they are not wanted."""
    rows = log(*START, add("score", release="r", label="l", value="1"))
    assert len(list(replayed(rows).rows("score"))) == 1
    assert list(replayed(rows, keep_scores=False).rows("score")) == []
