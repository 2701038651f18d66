"""Budgets: a text keeps to its room, what it leaves out is said, and what it keeps is part of the value."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catalog.crusher import BudgetError, CrushResult, Dropped, crush_json, crush_text, uncrush, uncrush_text
from tests.crusher.remains import is_part_of
from tests.crusher.test_round_trip import parses
from tests.crusher.values import FORMS, TREES, VALUES, same

Form = dict[str, Any]
FORM = st.sampled_from(FORMS)
SHARE = st.integers(0, 110)
"""Hundredths of the text that is not shortened."""


def count(text: str) -> int:
    """Return how many words and signs a text has."""
    return len(re.findall(r"\w+|\W", text))


def least(error: BudgetError) -> int:
    """Return how long the shortest text is said to be."""
    found = re.fullmatch(
        r"a budget of [\d,]+ (?:characters|tokens) is too small: the shortest text takes ([\d,]+)", str(error)
    )
    assert found, error
    return int(found.group(1).replace(",", ""))


def within(value: Any, form: Form, chars: int) -> CrushResult:
    """Return a value crushed into so many characters, or into the least that there can be."""
    try:
        return crush_json(value, **form, max_chars=chars)
    except BudgetError as error:
        return crush_json(value, **form, max_chars=least(error))


@settings(max_examples=300)
@given(VALUES, FORM, SHARE)
def test_a_text_keeps_to_its_characters(value: Any, form: Form, share: int) -> None:
    """No text is longer than asked for; where none is short enough, the error names the least, and that suffices."""
    whole = crush_json(value, **form)
    room = len(whole.text) * share // 100
    try:
        assert len(crush_json(value, **form, max_chars=room).text) <= room
    except BudgetError as error:
        smallest = least(error)
        assert room < smallest
        assert len(crush_json(value, **form, max_chars=smallest).text) == smallest
        with pytest.raises(BudgetError):
            crush_json(value, **form, max_chars=smallest - 1)


@settings(max_examples=300)
@given(VALUES, FORM, SHARE)
def test_a_text_keeps_to_its_tokens(value: Any, form: Form, share: int) -> None:
    """The same holds for tokens, whatever counts them."""
    whole = crush_json(value, **form)
    room = count(whole.text) * share // 100
    try:
        assert count(crush_json(value, **form, max_tokens=room, count=count).text) <= room
    except BudgetError as error:
        smallest = least(error)
        assert room < smallest
        assert count(crush_json(value, **form, max_tokens=smallest, count=count).text) <= smallest


@settings(max_examples=300)
@given(VALUES, FORM, SHARE, SHARE)
def test_a_text_keeps_to_both_budgets(value: Any, form: Form, chars: int, tokens: int) -> None:
    """Characters and tokens can be limited together; neither makes the other forgotten."""
    whole = crush_json(value, **form)
    max_chars, max_tokens = len(whole.text) * chars // 100, count(whole.text) * tokens // 100
    try:
        text = crush_json(value, **form, max_chars=max_chars, max_tokens=max_tokens, count=count).text
    except BudgetError as error:
        assert least(error) > min(max_chars, max_tokens)
    else:
        assert len(text) <= max_chars
        assert count(text) <= max_tokens


@settings(max_examples=800)
@given(VALUES, FORM, SHARE)
def test_what_is_kept_is_part_of_the_value(value: Any, form: Form, share: int) -> None:
    """Items keep their order and places, objects their keys, strings their beginnings; what is missing adds up."""
    whole = crush_json(value, **form)
    result = within(value, form, len(whole.text) * share // 100)
    left = uncrush(result.text, strict=False)
    assert left.dropped == result.dropped
    assert is_part_of(left, value)


@settings(max_examples=300)
@given(VALUES, FORM, SHARE)
def test_a_shortened_text_passes_for_nothing_else(value: Any, form: Form, share: int) -> None:
    """Read strictly it is an error, it is in the form that was asked for, and crushing leaves it as it is."""
    whole = crush_json(value, **form)
    result = within(value, form, len(whole.text) * share // 100)
    if not result.dropped:
        assert same(uncrush(result.text), value)
        return
    for read in (uncrush, uncrush_text):
        with pytest.raises(ValueError, match="the text was shortened"):
            read(result.text)
    assert result.crushed
    assert result.crushed_chars == len(result.text)
    assert parses(result.text) == (form["layout"] == "json")
    again = crush_text(result.text)
    assert (again.text, again.dropped) == (result.text, result.dropped)


@settings(max_examples=300)
@given(VALUES, FORM, st.integers(0, 3))
def test_a_budget_that_the_whole_keeps_to_changes_nothing(value: Any, form: Form, more: int) -> None:
    """Knowing how a text could be shortened does not make it another text."""
    whole = crush_json(value, **form)
    assert crush_json(value, **form, max_chars=len(whole.text) + more) == whole
    assert crush_json(value, **form, max_tokens=count(whole.text) + more, count=count) == whole


@settings(max_examples=200)
@given(TREES, SHARE)
def test_a_tree_says_level_by_level_what_is_missing(trees: list[dict[str, Any]], share: int) -> None:
    """A mark stands on the level on which objects are missing, and counts those of this level."""
    whole = crush_json(trees).text
    assume(re.match(r"~\[[0-9]+\]\{.*\^in", whole))
    assert is_part_of(uncrush(within(trees, {}, len(whole) * share // 100).text, strict=False), trees)


FOREST = [
    {"name": "src", "in": [{"name": f"app {n}", "in": [{"name": "main", "in": []}] * (n == 0)} for n in range(9)]},
    {"name": "docs", "in": []},
]


def test_a_tree_keeps_its_first_rows() -> None:
    """What goes are the last rows; each level says how many it lost."""
    result = crush_json(FOREST, max_chars=80)
    assert result.text == "~[2]{^in[],name}\nsrc\n>app 0\n>>main\n>app 1\n>…(+7 more rows)\n…(+1 more rows)\n"
    assert list(result.dropped) == [Dropped(path="$", rows=1), Dropped(path="$[0].in", rows=7)]


ROWS = [{"id": number**2, "name": f"part {number * 7 % 5}", "state": "open"} for number in range(12)]
LONG = "all the words of a text that is much too long for the room there is, and more"
TREE = [
    {"name": "src", "size": 3, "in": [{"name": "app", "size": 9, "in": [{"name": "main", "size": 4}]}]},
    {"name": "docs", "size": 2},
]
TEXTS: list[tuple[Any, Literal["text", "json"], int, str, list[Dropped]]] = [
    (
        ROWS,
        "text",
        75,
        "~[12]{id,name=part *,state=open}\n0,0\n1,2\n4,4\n9,1\n16,3\n25,0\n…(+6 more rows)\n",
        [Dropped(path="$", rows=6)],
    ),
    (
        ROWS,
        "json",
        140,
        '{"~crush":1,"value":{"~t":["id","name","state"],"~r":[[0,"part 0","open"],[1,"part 2","open"],'
        '[4,"part 4","open"],"~…(+9 more rows)"]}}',
        [Dropped(path="$", rows=9)],
    ),
    (
        {"text": LONG, "n": 1},
        "text",
        66,
        "~{n:1,text:all the words of a text that is much too l…(+35 chars)}",
        [Dropped(path="$.text", chars=35)],
    ),
    (
        {"text": LONG, "n": 1},
        "json",
        90,
        '{"~crush":1,"value":{"n":1,"text":"~…all the words of a text that is much t…(+39 chars)"}}',
        [Dropped(path="$.text", chars=39)],
    ),
    (
        {"first": "one two three", "second": "four five six", "third": [1, 2, 3]},
        "text",
        50,
        "~{first:one two three,…(+2 more rows)}",
        [Dropped(path="$", rows=2)],
    ),
    (TREE, "text", 55, "~[2]{^in,name,size}\nsrc,3\n>app,9\n>>main,4\ndocs,2\n", []),
]


@pytest.mark.parametrize(
    ("value", "layout", "room", "text", "dropped"), TEXTS, ids=[f"{len(text)}-{text[:20]}" for *_, text, _ in TEXTS]
)
def test_a_shortened_text_is_this(
    value: Any, layout: Literal["text", "json"], room: int, text: str, dropped: list[Dropped]
) -> None:
    """A mark says how much is missing where it is missing, and in the result the path does."""
    result = crush_json(value, layout=layout, max_chars=room)
    assert result.text == text
    assert list(result.dropped) == dropped


def test_steps_of_a_path_count_what_is_missing() -> None:
    """What is missing inside the eighth row is told of the eighth row, though those before it are missing, too."""
    rows = [{"n": number**2, "list": [{"a": row**2} for row in range(30)]} for number in range(9)]
    result = crush_json(rows, level="plain", max_chars=100, keep=lambda row, _: row.get("n") == 49)
    assert [own.path for own in result.dropped] == ["$", "$[7].list"]
    assert [(own.path, own.rows) for own in uncrush(result.text, strict=False).dropped] == [("$", 8), ("$[7].list", 30)]


@pytest.mark.parametrize("layout", ["text", "json"])
def test_the_largest_part_is_cut_first(layout: Literal["text", "json"]) -> None:
    """A small table beside a large one stays whole as long as more of the large one is there."""
    rows = [{"id": 100 + number, "name": f"part {number * 37 % 90 + 10}"} for number in range(60)]
    value = {"large": rows, "small": rows[:8], "text": "a short text"}
    whole = len(crush_json(value, layout=layout, level="plain").text)
    seen = set()
    for room in range(200, whole, 25):
        left = uncrush(crush_json(value, layout=layout, level="plain", max_chars=room).text, strict=False).value
        seen.add(len(left["large"]))
        if len(left["large"]) > 8:
            assert (left["small"], left["text"]) == (value["small"], value["text"])
        assert left["large"] == rows[: len(left["large"])]
    assert len(seen) > 20


def test_as_many_rows_as_fit_are_there() -> None:
    """Of a table the longest beginning is kept that fits together with the mark, by characters and by tokens."""
    rows = [{"id": number**2, "n": number * 7 % 10} for number in range(14)]
    head, *lines = crush_json(rows, level="plain").text.splitlines(keepends=True)
    texts = [head + "".join(lines[:kept]) + f"…(+{14 - kept} more rows)\n" for kept in range(1, 11)]
    for room in range(len(texts[0]), len(texts[-1])):
        fitting = [text for text in texts if len(text) <= room]
        assert crush_json(rows, level="plain", max_chars=room).text == fitting[-1]
    for room in range(count(texts[0]), count(texts[-1])):
        fitting = [text for text in texts if count(text) <= room]
        assert crush_json(rows, level="plain", max_tokens=room, count=count).text == fitting[-1]


def test_rows_go_before_entries() -> None:
    """As long as there are rows that can be left out, no entry of an object is, however many these are."""
    value = {"rows": ROWS, **{f"key {number}": f"text {number}" for number in range(30)}}
    whole = len(crush_json(value).text)
    for room in range(whole - 70, whole, 5):  # the table takes eighty
        left = uncrush(crush_json(value, max_chars=room).text, strict=False)
        assert left.value.keys() == value.keys()
        assert [own.path for own in left.dropped] == ["$.rows"]
    assert "$" in [own.path for own in crush_json(value, max_chars=whole - 90).dropped]


def test_tokens_never_cost_characters() -> None:
    """A text with few enough tokens and too many characters does not fit, although a shorter one has more tokens."""
    rows = [{"id": number**2, "n": number * 7 % 10} for number in range(14)]
    value = {"some": rows, "others": rows}
    whole = len(crush_json(value).text)

    def marks(text: str) -> int:
        return 0 if len(text) < 50 else 1 + text.count("…")

    assert crush_json(value, max_chars=whole, max_tokens=1, count=marks).dropped == ()
    assert len(crush_json(value, max_chars=whole - 1, max_tokens=1, count=marks).text) < 50


REPEATING = [
    *([{"who": "ann", "mail": "ann@example.com", "team": "platform team"}] * 2),
    *([{"who": "bob", "mail": "bob@example.com", "team": "the data team"}] * 9),
]
PEOPLE = [{"id": number**2, **own} for number, own in enumerate(REPEATING)]
CALLS = [
    {
        "n": number**2,
        "text": f"GET /items/{number * 37} took {number * 7 % 9} ms" if number < 4 else f"user {number * 77} left",
    }
    for number in range(12)
]
LISTS = [["waiting for a review", n // 3] if n < 9 else ["ready to be merged", n // 12] for n in range(20)]


@pytest.mark.parametrize(
    ("value", "first", "second", "room"),
    [(PEOPLE, "platform", "the data", 110), (CALLS, "GET", "user", 110), ([*LISTS, None], "waiting", "ready", 120)],
    ids=["dictionary", "messages", "list"],
)
def test_what_no_row_refers_to_is_not_explained(value: Any, first: str, second: str, room: int) -> None:
    """Entries of a dictionary that only missing rows use are missing, too, from the text and from the legend."""
    whole = crush_json(value)
    assert second in whole.text
    assert any(second in entry for entry in whole.legend.values())
    result = crush_json(value, max_chars=room)
    assert first in result.text
    assert second not in result.text
    assert len(result.legend) < len(whole.legend)
    assert not any(second in entry for entry in result.legend.values())


def test_the_legend_of_the_json_layout_says_what_is_left() -> None:
    """Strings that only missing rows refer to are not in the legend."""
    rows = [{"n": n, "state": "waiting for a review" if n < 4 else "ready to be merged"} for n in range(12)]
    assert crush_json(rows, layout="json").legend == {"A": "waiting for a review", "B": "ready to be merged"}
    result = crush_json(rows, layout="json", max_chars=140)
    assert result.legend == {"A": "waiting for a review"}
    assert "ready" not in result.text


def test_text_that_was_crushed_before_is_not_shortened() -> None:
    """It comes back where it fits; else the error says what to do."""
    text = crush_json(ROWS).text
    assert crush_text(text, max_chars=len(text)).text == text
    for budget in ({"max_chars": len(text) - 1}, {"max_tokens": count(text) - 1, "count": count}):
        with pytest.raises(BudgetError, match="crushed before and is too long: uncrush it"):
            crush_text(text, **budget)


def test_of_an_object_of_objects_the_missing_ones_are_counted() -> None:
    """However many there are, in a table of its own and inside a cell."""
    inside = {f"key {number}": {"a": number**2, "b": f"x{number * 7 % 5}"} for number in range(30)}
    for value, path in ((inside, "$"), ([{"in": inside, "n": 1}, {"in": {}, "n": 2}], "$[0].in")):
        result = crush_json(value, max_chars=110)
        left = uncrush(result.text, strict=False)
        (own,) = result.dropped
        assert (own.path, left.dropped) == (path, result.dropped)
        held = left.value if path == "$" else left.value[0]["in"]
        assert 20 < own.rows == 30 - len(held)


@pytest.mark.parametrize("layout", ["text", "json"])
def test_where_the_header_is_too_long_there_are_no_tables(layout: Literal["text", "json"]) -> None:
    """Most of the room is used all the same."""
    rows = [{f"a rather long name of column {n}": f"{row}-{n}" for n in range(40)} for row in range(30)]
    assert len(crush_json(rows, layout=layout, max_chars=1_000).text) > 800


def test_the_plain_json_is_taken_where_it_alone_fits() -> None:
    """Whatever counts the tokens: the error never names a size that was to be had."""
    value = {"hits": [{"b": "2"}, {"b": "4"}, {"b": "4"}], "n": 1}
    for room in (1, 2):
        assert crush_json(value, max_tokens=room, count=lambda text: len(text.split())).dropped == ()


def test_a_budget_of_nothing_names_the_least() -> None:
    """Nought and less are budgets that no text keeps to."""
    for room in (0, -3):
        with pytest.raises(BudgetError, match="the shortest text takes"):
            crush_json([1, 2], max_chars=room)
    with pytest.raises(BudgetError, match="the shortest text takes 1"):
        crush_json({"a": "x" * 99}, max_tokens=0, count=lambda text: 1 + len(text) // 30)
    assert crush_json({"a": "x" * 99}, max_tokens=0, count=lambda text: len(text) // 30).dropped
