"""The json layout: a crushed value that is JSON itself, and reads back exactly."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher.minified import dumps
from catalog.crusher.missing import CutText, Missing, Shortened, more_chars, more_rows
from catalog.crusher.parsing import loads
from catalog.crusher.renaming import renamed
from catalog.crusher.tables.place import Style
from catalog.crusher.wrapped.marks import escaped
from catalog.crusher.wrapped.unwrapping import is_wrapped, unwrapped
from catalog.crusher.wrapped.wrapping import wrapped
from tests.crusher.values import MARKED, VALUES, shuffled

SWITCHES = [(intern, elide) for intern in (False, True) for elide in (False, True)]


def text_of(value: Any, intern: bool = True, elide: bool = True) -> str:
    """Return a value in the json layout."""
    return wrapped(value, Style(hoist=intern, elide=elide)).text


def value_of(text: str) -> Any:
    """Return the value of a text in the json layout, with number lexemes."""
    return unwrapped(loads(text))


@settings(max_examples=300)
@given(st.one_of(VALUES, MARKED), st.booleans(), st.booleans())
def test_what_is_wrapped_reads_back(value: Any, intern: bool, elide: bool) -> None:
    """The text is JSON and loses nothing; tables and references never make it longer."""
    text = text_of(value, intern, elide)
    assert is_wrapped(json.loads(text))
    assert dumps(value_of(text)) == dumps(value)
    assert len(text) <= len('{"~crush":1,"value":}') + len(dumps(renamed(value, escaped)))


@settings(max_examples=100)
@given(st.one_of(VALUES, MARKED), st.sampled_from(SWITCHES), st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: Any, switches: tuple[bool, bool], chance: random.Random) -> None:
    """Equal values give equal bytes."""
    assert text_of(shuffled(value, chance), *switches) == text_of(value, *switches)


@settings(max_examples=200)
@given(MARKED, MARKED, st.sampled_from(SWITCHES))
def test_different_values_have_different_texts(one: Any, other: Any, switches: tuple[bool, bool]) -> None:
    """No two values are wrapped to the same text."""
    assert (text_of(one, *switches) == text_of(other, *switches)) == (dumps(one) == dumps(other))


MARKS = ["~", "~~", "~A", "~t", "~r", "~k", "~*", "~?x", "~!x", "~…", "~…(+5 more rows)", "~…a…(+1 chars)", "~crush"]
ROWS = [{"id": number, "name": f"item number {number}", "note": "x"} for number in range(9)]
CELLS: list[Any] = [*MARKS, None, [], {}, ""]
LOOK_ALIKES: list[Any] = [
    *MARKS,
    *({mark: 1} for mark in MARKS),
    *([mark, "x"] for mark in MARKS),
    {"~crush": 1, "value": [1]},
    {"~crush": 1, "legend": {"A": "x"}, "value": "~A"},
    {"~t": ["a"], "~r": [[1], [2]]},
    {"~t": ["~k", "a"], "~r": [["x", 1], ["y", 2]]},
    {"~…": "…(+5 more rows)"},
    *([{**row, "note": cell} if row["id"] in (3, 7) else row for row in ROWS] for cell in CELLS),
    *([{**row, mark: None} if row["id"] in (3, 7) else row for row in ROWS] for mark in MARKS),
    *([{**row, mark: 1} for row in ROWS] for mark in MARKS),
    *({f"{mark}{row['id']}": row for row in ROWS} for mark in MARKS),
    ROWS,
    [{"id": row["id"], "name": row["name"]} for row in ROWS],
]


@pytest.mark.parametrize(("intern", "elide"), SWITCHES)
def test_look_alikes_never_collide(intern: bool, elide: bool) -> None:
    """Data that looks like the wrapper or like any mark comes back, and no two such values share a text."""
    texts = [text_of(value, intern, elide) for value in LOOK_ALIKES]
    assert len(set(texts)) == len(texts)
    assert [value_of(text) for text in texts] == [loads(dumps(value)) for value in LOOK_ALIKES]


REVIEW = "waiting for a review"
TEXTS: list[tuple[Any, str]] = [
    ({"~crush": [1.0, "~"]}, '{"~crush":1,"value":{"~~crush":[1.0,"~~"]}}'),
    (
        [
            *({"closed": None, "id": 1, "note": "x"}, {"closed": "May", "id": 2}),
            *({"closed": None, "id": 3}, {"closed": None, "id": 4, "note": None}),
        ]
        * 2,
        '{"~crush":1,"value":{"~t":["id","~?note","~!closed"],"~r":[[1,"x"],[2,"~","May"],[3],[4,null],'
        '[1,"x"],[2,"~","May"],[3],[4,null]]}}',
    ),
    (
        {"az": {"port": 9}} | {key: {"hostname": f"{key}.example", "port": 80} for key in ("eu", "~us", "za", "ch")},
        '{"~crush":1,"value":{"~t":["~k","hostname","port"],"~r":[["az","~",9],["ch","ch.example",80],'
        '["eu","eu.example",80],["za","za.example",80],["~~us","~~us.example",80]]}}',
    ),
    (
        {"data": [{"by": {"login": name, "admin": False}, "lines": [{"q": 1, "p": 2.5}] * 2} for name in "abc"]},
        '{"~crush":1,"value":{"data":{"~t":[{"by":["admin","login"]},{"lines":[["p","q"]]}],"~r":['
        '[[false,"a"],[[2.5,1],[2.5,1]]],[[false,"b"],[[2.5,1],[2.5,1]]],[[false,"c"],[[2.5,1],[2.5,1]]]]}}}',
    ),
    (
        [{"number": n, "state": REVIEW} | ({"exceptional": REVIEW} if n == 2 else {}) for n in range(8)],
        '{"~crush":1,"legend":{"A":"waiting for a review"},"value":{"~t":["number","state","~*"],"~r":[[0,"~A"],'
        '[1,"~A"],[2,"~A",{"exceptional":"~A"}],[3,"~A"],[4,"~A"],[5,"~A"],[6,"~A"],[7,"~A"]]}}',
    ),
]


@pytest.mark.parametrize(("value", "text"), TEXTS, ids=[text[:40] for _, text in TEXTS])
def test_the_form_is_this(value: Any, text: str) -> None:
    """Keys stand once, rows end where nothing follows, strings that repeat stand in the legend."""
    assert text_of(value) == text
    assert value_of(text) == loads(dumps(value))


def test_without_elision_every_cell_is_written() -> None:
    """Rows are as long as the heading, and no column says what is left out."""
    rows: list[Any] = [{"a": number, "some key": None} if number % 3 else {"a": number} for number in range(9)]
    table = json.loads(text_of(rows, elide=False))["value"]
    assert table["~t"] == ["a", "some key"]
    assert {tuple(map(type, row)) for row in table["~r"]} == {(int, str), (int, type(None))}


def test_the_legend_follows_the_text() -> None:
    """Letters are given in the order in which the strings appear, however deep these lie, as far as
    tables are sought."""
    strings = [f"string number {number:02}" for number in range(30)]
    deep: Any = {f"{number:02}": strings[number] for number in reversed(range(20, 30))}
    for _ in range(40):
        deep = [deep]
    value = {"z": strings[::-1], "b": deep, "a": [{"some key": text, "number": 1} for text in strings[:20]]}
    text = text_of(value)
    legend = json.loads(text)["legend"]
    assert list(legend) == [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "AA", "AB", "AC", "AD"]
    assert list(legend.values()) == strings
    assert value_of(text) == loads(dumps(value))


def test_numbers_keep_their_lexemes() -> None:
    """1.0, 1e5 and 1E+5 are not made alike, and what no JSON number can be is written as Python writes it."""
    row = '{"a":1.0,"b":1e5,"c":1E+5,"d":-0,"e":-0.0,"f":12345678901234567890,"g":0.10,"h":NaN,"i":-Infinity}'
    text = f"[{','.join([row] * 9)}]"
    assert dumps(value_of(text_of(loads(text)))) == text


@pytest.mark.parametrize(("intern", "elide"), SWITCHES)
def test_no_depth_is_too_deep(intern: bool, elide: bool) -> None:
    """Three thousand levels come back, alone, in rows and in tables in tables, marks at the bottom too."""
    deep: Any = ["~", "~A", "a text that repeats"] * 9
    for level in range(3_000):
        deep = [deep] if level % 2 else {"~k": deep}
    rows = [{"number": number, "some name": number, "deep": deep} for number in range(4)]
    tables: Any = rows
    for level in range(200):
        tables = [{"number": number, "some name": tables if number == 2 else [], "~": level} for number in range(4)]
    for value in (deep, rows, tables):
        assert dumps(value_of(text_of(value, intern, elide))) == dumps(value)


def test_what_was_cut_off_is_known() -> None:
    """The marks of missing rows, entries and characters come back as what stands for them, data like them as data."""
    rows, chars = f'"~{more_rows(5)}"', f'"~…abc{more_chars(120)}"'
    found = value_of(f'{{"~crush":1,"value":[1,{chars},"~{chars[1:]},{rows}]}}')
    assert found == ["1", "abc", "~…abc…(+120 chars)", Missing(rows=5)]
    assert [item.missing for item in found if isinstance(item, CutText)] == [120]
    assert value_of(f'{{"~crush":1,"value":{{"~t":["a"],"~r":[["x"],{rows}]}}}}') == [{"a": "x"}, Missing(rows=5)]
    assert value_of(f'{{"~crush":1,"legend":{{"A":{chars}}},"value":["~A"]}}')[0].missing == 120
    for value in (f'{{"~t":["~k","a"],"~r":[["k",1],{rows}]}}', '{"k":{"a":1},"~…":"…(+5 more rows)"}'):
        found = value_of(f'{{"~crush":1,"value":{value}}}')
        assert isinstance(found, Shortened)
        assert (found, found.missing) == ({"k": {"a": "1"}}, 5)
    inside = value_of(f'{{"~crush":1,"value":{{"~t":["b",{{"a":[["x"]]}}],"~r":[[1,[[2],{rows}]]]}}}}')
    assert inside == [{"b": "1", "a": [{"x": "2"}, Missing(rows=5)]}]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"value":1}', "no crushed JSON"),
        ('{"~crush":1}', "no crushed JSON"),
        ('{"~crush":1,"value":1,"more":2}', "no crushed JSON"),
        ('{"~crush":2,"value":1}', "version '2', known is 1"),
        ('{"~crush":"1","value":1}', "version '1', known is 1"),
        ('{"~crush":1,"legend":{"A":1},"value":1}', "'A' is no entry"),
        ('{"~crush":1,"legend":{"~":"x"},"value":1}', "'~' is no entry"),
        ('{"~crush":1,"legend":[],"value":1}', "legend is no object"),
        ('{"~crush":1,"value":"~"}', "'~' is no mark"),
        ('{"~crush":1,"legend":{"A":"x"},"value":"~B"}', "'~B' is no mark"),
        ('{"~crush":1,"legend":{"A":"x"},"value":{"~A":1}}', "'~A' is no mark"),
        ('{"~crush":1,"value":{"~…":"(+0 more rows)"}}', "how many rows"),
        ('{"~crush":1,"value":{"~t":["a"]}}', "no table"),
        ('{"~crush":1,"value":{"~t":"a","~r":[]}}', "no table"),
        ('{"~crush":1,"value":{"~t":["a","a"],"~r":[[1,1]]}}', "'a' stands twice"),
        ('{"~crush":1,"value":{"~t":["a","~k"],"~r":[]}}', "'~k' is no mark"),
        ('{"~crush":1,"value":{"~t":[1],"~r":[]}}', "no column"),
        ('{"~crush":1,"value":{"~t":[{"a":[["b"],["c"]]}],"~r":[]}}', "no column"),
        ('{"~crush":1,"value":{"~t":["a","b"],"~r":[[1]]}}', "ends before its column 'b'"),
        ('{"~crush":1,"value":{"~t":["a"],"~r":[[1,2]]}}', "no row of 1 columns"),
        ('{"~crush":1,"value":{"~t":["a"],"~r":["x"]}}', "no row of 1 columns"),
        ('{"~crush":1,"value":{"~t":[{"a":[["b"]]}],"~r":[[1]]}}', "no cell of its column 'a'"),
        ('{"~crush":1,"value":{"~t":["a","~*"],"~r":[[1,{"a":2}]]}}', "'a' stands twice"),
        ('{"~crush":1,"value":{"~t":["~k","a"],"~r":[["x",1],["x",2]]}}', "'x' stands twice"),
        ('{"~crush":1,"value":{"~t":["~k","a"],"~r":[[1,1]]}}', "begins with a key"),
    ],
)
def test_damaged_text_is_refused(text: str, told: str) -> None:
    """What was changed is an error that says what is wrong, and not another value."""
    with pytest.raises(ValueError, match=told):
        value_of(text)
