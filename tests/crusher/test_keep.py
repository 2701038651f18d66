"""Rows to keep: a budget leaves them out last, and says how many of them it has left out."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import BudgetError, CrushResult, crush_json, crush_text, uncrush
from tests.crusher.remains import is_part_of
from tests.crusher.values import FORMS


def is_error(row: dict[str, Any], _: str) -> bool:
    """Return whether a row is one to keep."""
    return row.get("level") == "error"


def asked_about(value: Any, crush: Callable[..., CrushResult]) -> list[tuple[Any, str]]:
    """Return the rows that a caller is asked about, and their paths, in order."""
    seen: list[tuple[Any, str]] = []

    def keep(row: dict[str, Any], path: str) -> bool:
        seen.append((row, path))
        return False

    crush(value, max_chars=10**6, keep=keep)
    return seen


def asked(value: Any) -> list[str]:
    """Return the paths of the rows that a caller is asked about, in order."""
    return [path for _, path in asked_about(value, crush_json)]


ROWS: list[tuple[Any, list[str]]] = [
    ([{"a": 1}, {"a": 2}], ["$[0]", "$[1]"]),
    ({"data": [{"a": 1}, [{"b": 2}], 3]}, ["$.data[0]", "$.data[1][0]"]),
    ({"eu": {"a": 1}, "first name": {"a": 2}}, ["$.eu", '$["first name"]']),
    ({"only": {"a": 1}}, []),
    ({"one": {"a": 1}, "two": 2}, []),
    ([{"list": [{"a": 1}], "map": {"k": {}, "l": {}}}], ["$[0]", "$[0].list[0]", "$[0].map.k", "$[0].map.l"]),
    ({"a": [1, "x", None, []]}, []),
]


@pytest.mark.parametrize(("value", "paths"), ROWS, ids=[str(value) for value, _ in ROWS])
def test_rows_are_objects_in_lists_and_in_objects_of_objects(value: Any, paths: list[str]) -> None:
    """A caller is asked about each of them once, and about nothing else."""
    assert asked(value) == paths


def test_a_caller_sees_the_row_itself() -> None:
    """Of a value that is the value, of a text the numbers are as they stand there."""
    rows = [{"n": 1.50, "text": "x", "list": [1]}]
    assert asked_about(rows, crush_json) == [(rows[0], "$[0]")]
    assert asked_about('[{"n":1.50}]', crush_text) == [({"n": "1.50"}, "$[0]")]


LOG = [{"at": 100 + n, "level": "error" if n in (7, 31) else "info", "text": f"line {n * 37 % 50}"} for n in range(40)]


@pytest.mark.parametrize(("layout", "room"), [("text", 150), ("json", 260)])
def test_rows_to_keep_outlast_the_others(layout: Any, room: int) -> None:
    """Wherever they stand they are there, with marks before, between and behind; the other room is for the first."""
    result = crush_json(LOG, layout=layout, level="plain", max_chars=room, keep=is_error)
    left = uncrush(result.text, strict=False).value
    assert [row for row in left if row["level"] == "error"] == [LOG[7], LOG[31]]
    others = [row for row in left if row["level"] != "error"]
    assert others
    assert all(LOG.index(row) < 7 or row in (LOG[30], LOG[32]) for row in others)
    assert [own.protected for own in result.dropped] == [0]


def test_rows_to_keep_stand_between_marks() -> None:
    """A gap of rows is one mark, and rows keep what follows from their number."""
    rows = [{"id": 500 + n, "who": f"name {n * 37 % 50}", "level": "error" if n == 20 else "info"} for n in range(40)]
    result = crush_json(rows, max_chars=90, keep=is_error)
    assert result.text == (
        "~[40]{id=(500+1*row),who=name *,level:info}\n0\n…(+19 more rows)\n40,error\n…(+19 more rows)\n"
    )
    assert uncrush(result.text, strict=False).value == [rows[0], rows[20]]


@pytest.mark.parametrize(
    ("layout", "room", "lost"),
    [("text", 108, 0), ("text", 96, 1), ("text", 30, 2), ("json", 168, 0), ("json", 150, 1), ("json", 100, 2)],
)
def test_what_was_to_be_kept_and_is_not_is_counted(layout: Any, room: int, lost: int) -> None:
    """Where not even they all fit, the first stay, and the result says how many are missing."""
    result = crush_json(LOG, layout=layout, level="plain", max_chars=room, keep=is_error)
    left = uncrush(result.text, strict=False).value
    assert 2 - sum(row.get("level") == "error" for row in left) == lost
    assert sum(own.protected for own in result.dropped) == lost


def test_a_row_inside_a_row_is_kept_with_the_rows_around_it() -> None:
    """The rows that hold it stay as well, without the others that they hold."""
    orders = [
        {
            "order": 100 + n,
            "lines": [
                {"sku": f"sku{line * n}", "level": "error" if (n, line) == (9, 5) else "info"} for line in range(8)
            ],
        }
        for n in range(12)
    ]
    result = crush_json(orders, level="plain", max_chars=170, keep=is_error)
    left = uncrush(result.text, strict=False).value
    kept = next(order for order in left if order["order"] == 109)
    assert {"sku": "sku45", "level": "error"} in kept["lines"]
    assert len(kept["lines"]) < 8
    assert all(own.protected == 0 for own in result.dropped)


def test_a_row_to_keep_stays_whole() -> None:
    """Neither its long texts nor the lists inside it are cut as long as other rows can go."""
    rows = [
        {"n": n, "text": f"{n} " * 30, "list": list(range(20)), "level": "error" if n == 5 else "info"}
        for n in range(9)
    ]
    text = crush_json(rows, level="plain", max_chars=300, keep=is_error).text
    assert rows[5] in uncrush(text, strict=False).value


@pytest.mark.parametrize("layout", ["text", "json"])
def test_a_row_to_keep_that_is_cut_is_lost(layout: Any) -> None:
    """It is there, but without entries, or without the end of a text: whoever asked for it does not have it."""
    rows = [{"level": "error", "list": [1, 2, 3] * (9 - 8 * n), "n": n} for n in range(2)]
    value = {"first": rows[0], "second": rows[1]}
    seen = set()
    for room in range(60, 400, 4):
        result = crush_json(value, layout=layout, max_chars=room, keep=is_error)
        left = uncrush(result.text, strict=False).value
        whole = [row for key, row in value.items() if left.get(key) == row]
        seen.add(len(whole))
        assert sum(own.protected for own in result.dropped) == 2 - len(whole)
    assert seen > {2}


@settings(max_examples=300)
@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=16), st.sets(st.integers(0, 15)), st.integers(0, 400))
def test_they_are_all_there_wherever_they_alone_fit(numbers: list[int], marked: set[int], room: int) -> None:
    """The text of their lines and of marks for the others is short enough: none is missing. Else that is told."""
    rows = [{"n": number, "row": place**2} for place, number in enumerate(numbers)]
    places = {place for place in marked if place < len(rows)}
    whole = crush_json(rows, level="plain")
    if not whole.crushed:
        return
    head, *lines = whole.text.splitlines(keepends=True)
    try:
        result = crush_json(rows, level="plain", max_chars=room, keep=lambda row, _: row["row"] ** 0.5 in places)
    except BudgetError:
        assert room < len(alone(head, lines, places)) or not places
        return
    missing = places - {int(row["row"] ** 0.5) for row in uncrush(result.text, strict=False).value}
    assert sum(own.protected for own in result.dropped) == len(missing)
    if missing:
        assert room < len(alone(head, lines, places))


def alone(head: str, lines: Sequence[str], places: set[int]) -> str:
    """Return the text of a table of which only some lines are left, and those no longer than the mark for them."""
    parts, gap = [head], ""
    for place, line in enumerate([*lines, ""]):
        if place in places or place == len(lines):
            mark = f"…(+{gap.count(chr(10))} more rows)\n"
            parts += [min(gap, mark, key=len), line]
            gap = ""
        else:
            gap += line
    return "".join(parts)


def numbered(count: int, chance: Random, numbers: Iterator[int]) -> list[dict[str, Any]]:
    """Return rows of which no two are alike, some with rare keys, long texts, and rows inside."""
    rows: list[dict[str, Any]] = []
    for _ in range(count):
        row: dict[str, Any] = {"n": next(numbers), "text": "some words " * chance.randrange(6)}
        row |= {f"rare {chance.randrange(99)}": [1, 2, 3] * chance.randrange(4)} if chance.random() < 0.2 else {}
        row |= {"in": numbered(chance.randrange(3), chance, numbers)} if chance.random() < 0.3 else {}
        rows.append(row)
    return rows


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return all objects of a value, in order."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [*([value] if isinstance(value, dict) else []), *(own for item in inside for own in objects_in(item))]


@settings(max_examples=250)
@given(st.integers(2, 9), st.randoms(use_true_random=False), st.integers(5, 99), st.sampled_from(FORMS), st.booleans())
def test_losses_are_the_rows_that_are_not_whole(
    count: int, chance: Random, share: int, form: dict[str, Any], mapped: bool
) -> None:
    """In lists, trees and objects of objects: each row that was to be kept and is not there whole counts once."""
    rows = numbered(count, chance, itertools.count(chance.randrange(3)))
    value: Any = {f"key {row['n']}": row for row in rows} if mapped else rows
    wanted = [row for row in objects_in(rows) if row["n"] % 3 == 0]
    room = len(crush_json(value, **form).text) * share // 100
    try:
        result = crush_json(value, **form, max_chars=room, keep=lambda row, _: row["n"] % 3 == 0)
    except BudgetError:
        return
    left = uncrush(result.text, strict=False)
    assert is_part_of(left, value)
    whole = objects_in(left.value)
    assert sum(own.protected for own in result.dropped) == sum(row not in whole for row in wanted)


def test_what_a_kept_row_of_a_tree_holds_stays_with_it() -> None:
    """Rows that nobody asked for go before rows inside one that was asked for."""
    a, b, c = (sign * 40 for sign in "abc")
    inside = [{"n": 3, "t": f"{c}3", "in": [{"n": 4, "t": f"{c}4"}, {"n": 5, "t": f"{c}5"}]}]
    tree = [{"n": 1, "t": f"{a}1"}, {"n": 2, "t": f"{b}2", "in": inside}]
    room = len(crush_json(tree).text) - 10
    result = crush_json(tree, max_chars=room, keep=lambda row, _: row["n"] == 2)
    assert tree[1] in uncrush(result.text, strict=False).value
    assert [own.protected for own in result.dropped] == [0]


def test_a_row_counts_in_the_first_place_where_it_is_cut() -> None:
    """Two lists of one row are shortened, and the row is told of once."""
    row = {"level": "error", "a": list(range(60)), "b": list(range(60))}
    result = crush_json({"x": row, "y": {**row, "level": "info"}}, max_chars=90, keep=is_error)
    assert [(own.path, own.protected) for own in result.dropped] == [("$", 0), ("$.x.a", 1), ("$.x.b", 0)]


def test_below_the_depth_of_tables_nobody_is_asked() -> None:
    """What lies deeper is kept or goes as one."""
    value: Any = [{"deep": 1}, {"deep": 2}]
    for _ in range(70):
        value = [value]
    assert asked(value) == []
    assert asked(value[0][0][0][0][0][0][0][0][0][0]) == ["$" + "[0]" * 60 + f"[{n}]" for n in (0, 1)]
