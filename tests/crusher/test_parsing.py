"""JSON is parsed as Python's json parses it, at any depth, and what is wrong is told with its place."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_text, uncrush, uncrush_text
from catalog.crusher.minified import Lexeme, dumps
from catalog.crusher.parsing import deep, loads
from tests.crusher.values import VALUES

DEPTH = 200_000
OF_ITS_OWN = re.compile("Illegal trailing comma|Unexpected UTF-8 BOM")
"""What json says of a comma only from Python 3.13 on, and of a text before it begins to parse."""


def known(text: str) -> Any:
    """Parse with json alone; a key that stands twice is an error without a place."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("stands twice")
        return dict(pairs)

    return json.loads(
        text,
        object_pairs_hook=unique,
        parse_int=Lexeme,
        parse_float=Lexeme,
        parse_constant=lambda name: float(name.replace("Infinity", "inf")),
    )


def outcome(parse: Callable[[str], Any], text: str) -> tuple[str, str]:
    """Return what a parser makes of a text: the value with its types and its order of keys, or the error."""
    try:
        value = parse(text)
    except ValueError as error:
        return type(error).__name__, str(error)
    return dumps(value), repr(value)


def alike(text: str) -> None:
    """Assert that the parser without recursion does as json does."""
    expected, found = outcome(known, text), outcome(deep, text)
    if "stands twice" in found[1] and found[0] == "ValueError":
        assert expected[0] in ("ValueError", "JSONDecodeError")
    elif not OF_ITS_OWN.match(expected[1]):
        assert found == expected
    else:
        assert found[0] == expected[0]


LITERALS = [
    *("NaN", "Infinity", "-Infinity", "-", "-0", "01", "1.", ".5", "1.0", "1e5", "1E+5", "1e", "1e+", "-1.5e-7", "+1"),
    *("1" * 5000, "٣", "1_0", "0x1", "nul", "nulls", "true", "True", "-NaN", "-Infinit", "Inf", "'a'", "a", "", "//"),
    *('"', '"\\', '"\\u12"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\x"', '"\x00"', '"\t"', '"\x7f"', '"\u2028"', '"é'),
    *("\u00a0", "\ufeff", "\f", "\v", "\x00", " \t\r\n", "[", "]", "{", "}", ",", ":", "[]", "{}", '{"":', "[,", ",]"),
]
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", "\t:\r")])
PIECES = st.lists(st.sampled_from([*LITERALS, '"a"', '"a":', '{"a":1', ',"b":', "1", "null"]), max_size=12).map("".join)


def changed(text: str, chance: random.Random) -> str:
    """Return a text with one piece cut out, doubled, put elsewhere, or replaced by a literal."""
    start, end, place = sorted(chance.randint(0, len(text)) for _ in range(3))
    middle = chance.choice(["", text[start:end] * 2, chance.choice(LITERALS)])
    return chance.choice(
        [text[:start] + middle + text[end:], text[:place] + text[start:end] + text[place:], text[:end]]
    )


@settings(max_examples=300)
@given(VALUES, SEPARATORS, st.booleans(), st.sampled_from([None, 0, 2]))
def test_json_is_read_as_json_reads_it(
    value: Any, separators: tuple[str, str], ascii_: bool, indent: int | None
) -> None:
    """Whatever Python's json writes is the same value for both parsers, with the same types, lexemes and order."""
    text = json.dumps(value, separators=separators, ensure_ascii=ascii_, indent=indent)
    assert outcome(deep, text) == outcome(known, text) == outcome(loads, text)


@settings(max_examples=300)
@given(VALUES, SEPARATORS, st.integers(1, 3), st.randoms(use_true_random=False))
def test_what_is_nearly_json_is_refused_where_json_refuses_it(
    value: Any, separators: tuple[str, str], times: int, chance: random.Random
) -> None:
    """A text that was cut, doubled or mixed up is the same value or the same error for both."""
    text = json.dumps(value, separators=separators, ensure_ascii=False)
    for _ in range(times):
        text = changed(text, chance)
    alike(text)


@settings(max_examples=300)
@given(PIECES)
def test_pieces_of_json_are_the_same_for_both(text: str) -> None:
    """Numbers, constants, strings, spaces and brackets in any order are the same value or the same error for both."""
    alike(text)


@pytest.mark.parametrize("literal", LITERALS)
@pytest.mark.parametrize("frame", ["%s", " %s ", "[%s]", "[1,%s]", '{"a":%s}', '{"a":1%s}', "{%s:1}", "[%s"])
def test_a_literal_in_its_place_is_the_same_for_both(frame: str, literal: str) -> None:
    """Each literal, alone and in lists and objects, is the same value or the same error for both."""
    alike(frame % literal)


TWICE = [
    ('{"a":1,"a":2}', "the key 'a' stands twice in the object at $"),
    ('{"data":[1,[],{},{"a":1,"b":{"a":2},"a":3}]}', "the key 'a' stands twice in the object at $.data[3]"),
    ('[[0],{"x":0,"a.b":[null,{"":[],"":1}]}]', "the key '' stands twice in the object at $[1][\"a.b\"][1]"),
    ('{"b":{"x":1},"c":{"__proto__":1,"__proto__":1}}', "the key '__proto__' stands twice in the object at $.c"),
    ('[{"a":{"k":1,"k":1}},{"l":1,"l":1}]', "the key 'k' stands twice in the object at $[0].a"),
    ('{"a":1,"\\u0061":2}', "the key 'a' stands twice in the object at $"),
]


@pytest.mark.parametrize(("text", "told"), TWICE, ids=[told for _, told in TWICE])
def test_a_key_that_stands_twice_is_told_with_its_path(text: str, told: str) -> None:
    """The message names the key and the object, the first in the text, for every function that reads JSON."""
    for read in (loads, deep, crush_text, uncrush, uncrush_text):
        with pytest.raises(ValueError) as caught:
            read(text)
        assert str(caught.value) == told


@pytest.mark.parametrize(
    ("start", "end"), [("[", "]"), ('{"k":', "}"), ('[1,{"k":', "}]")], ids=["lists", "objects", "both"]
)
def test_no_depth_is_too_deep(start: str, end: str) -> None:
    """Two hundred thousand levels come back as they were, number lexemes kept."""
    text = start * DEPTH + "1.0" + end * DEPTH
    assert dumps(loads(text)) == text


def test_deep_json_is_crushed_and_comes_back() -> None:
    """What only the parser without recursion reads is crushed like anything else."""
    text = '{"a":[1e5,' * 5000 + "null" + "]}" * 5000
    assert uncrush_text(crush_text(text).text) == uncrush_text(text) == text


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("", f"Expecting value: line 2 column {DEPTH + 1} (char {DEPTH + 1})"),
        ("]" * (DEPTH + 1), f"Extra data: line 2 column {2 * DEPTH + 1} (char {2 * DEPTH + 1})"),
        ("1" + "}" * DEPTH, f"Expecting ',' delimiter: line 2 column {DEPTH + 2} (char {DEPTH + 2})"),
    ],
    ids=["open", "closed twice", "closed wrongly"],
)
def test_what_is_wrong_in_deep_json_is_told_with_its_place(end: str, told: str) -> None:
    """Line, column and character are told as json tells them."""
    with pytest.raises(json.JSONDecodeError) as caught:
        loads("\n" + "[" * DEPTH + end)
    assert str(caught.value) == told


def test_a_key_that_stands_twice_deep_down_is_told_with_its_path() -> None:
    """Each level has its step in the path."""
    text = '[0,{"k":' * DEPTH + '{"a":1,"a":2}' + "}]" * DEPTH
    with pytest.raises(ValueError) as caught:
        loads(text)
    assert str(caught.value) == "the key 'a' stands twice in the object at $" + "[1].k" * DEPTH
