"""A line of the change log: its canonical JSON, its hash, and what is read back from a file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.canonical import dumps
from catalog.errors import IntegrityError
from catalog.log.line import COLUMNS, GENESIS, Line, as_data, digest, from_json, from_row, text, to_json, values

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
NUMBERS = st.none() | st.integers(1, 2000)
NESTED = st.none() | st.dictionaries(TEXTS, TEXTS | st.integers(), max_size=3).map(dumps)
BARE = Line(
    seq=1, at="2026-11-30T09:00:00Z", actor="a", action="entry", reason="r", tool_version="0.1", prev_hash=GENESIS
)
LINES = st.builds(
    Line,
    seq=st.integers(1, 10**9),
    at=TEXTS,
    actor=TEXTS,
    action=TEXTS,
    model=st.none() | TEXTS,
    old_rank=NUMBERS,
    new_rank=NUMBERS,
    low=NUMBERS,
    high=NUMBERS,
    source=st.none() | TEXTS,
    index_version=st.none() | TEXTS,
    as_of=st.none() | TEXTS,
    before=NESTED,
    after=NESTED,
    reason=TEXTS,
    scores=st.none() | st.lists(st.integers(), max_size=3).map(dumps),
    validated=st.none() | st.integers(0, 1),
    method=st.none() | TEXTS,
    tool_version=TEXTS,
    prev_hash=st.just(GENESIS),
)


def hashed(line: Line) -> Line:
    """Return a line with its hash."""
    return replace(line, hash=digest(values(line)))


def test_a_hash_is_pinned() -> None:
    """The same line has the same hash on every machine and in every version: the chain rests on it."""
    assert text(values(BARE)) == (
        '{"action":"entry","actor":"a","at":"2026-11-30T09:00:00Z","prev_hash":"' + GENESIS + '","reason":"r",'
        '"seq":1,"tool_version":"0.1"}'
    )
    assert digest(values(BARE)) == "5de36a123922b592698aa39d8f5f19928a7698f3ef4d12d95526c9beb673e48a"


@given(LINES)
def test_a_line_written_is_read_back(line: Line) -> None:
    """The text is canonical JSON with the columns' names, and a line survives the way through a file."""
    row = values(hashed(line))
    data = json.loads(text(row))
    assert list(data) == sorted(data)
    assert set(data) == {name for name in COLUMNS if getattr(line, name) is not None} - {"hash"}
    assert from_json(to_json(row), where="log.jsonl:1") == row
    assert from_row(row) == hashed(line)
    assert as_data(hashed(line))["seq"] == line.seq


@given(LINES, st.sampled_from([name for name in COLUMNS if name not in ("hash", "before", "after", "scores")]))
def test_every_column_is_under_the_hash(line: Line, name: str) -> None:
    """Another value in any column gives another hash."""
    old = getattr(line, name)
    number = isinstance(old, int) or name in ("old_rank", "new_rank", "low", "high", "validated")
    change: dict[str, Any] = {name: 3000 if number else (old or "") + "x"}
    assert digest(values(replace(line, **change))) != digest(values(line))


@pytest.mark.parametrize(
    "change",
    [
        lambda source: source.replace('"reason":"r"', '"reason":"s"'),
        lambda source: source.replace('"seq":1', '"seq": 1'),
        lambda source: source.replace('"seq":1', '"seq":1.0'),
        lambda source: source.replace('"seq":1', '"seq":"1"'),
        lambda source: source.replace('"seq":1', '"seq":true'),
        lambda source: source.replace('"seq":1,', ""),
        lambda source: source.replace('"seq":1', '"seq":1,"seq":1'),
        lambda source: source.replace('"seq":1', '"seq":1,"stars":5'),
        lambda source: source.replace('"reason":"r"', '"reason":"\\u0072"'),
        lambda source: source.replace('"reason":"r"', '"reason":"\\ud800"'),
        lambda source: source.replace('"seq":1', '"model":null,"seq":1'),
        lambda source: source[:-1],
        lambda source: source + " ",
        lambda _: "",
        lambda _: "[]",
        lambda _: "null",
        lambda _: "[" * 100_000,
    ],
)
def test_a_spoiled_line_is_refused(change: object) -> None:
    """Whatever is not byte for byte what was written is refused with the place where it stands."""
    assert callable(change)
    source = to_json(values(hashed(BARE)))
    assert from_json(source, where="x") == values(hashed(BARE))
    assert change(source) != source
    with pytest.raises(IntegrityError, match=r"^log\.jsonl:7 ") as caught:
        from_json(change(source), where="log.jsonl:7")
    assert "never edited by hand" in caught.value.hint
