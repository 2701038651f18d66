"""What is crushed comes back: every value, every level, as value and as text."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_json, crush_text, uncrush, uncrush_text
from catalog.crusher.minified import dumps
from catalog.crusher.tables.place import Style
from catalog.crusher.tables.reading import read
from catalog.crusher.tables.writing import HEAD, written
from catalog.crusher.wrapped.unwrapping import is_wrapped
from tests.crusher.values import FORMS, MARKED, SCALARS, VALUES, same, shuffled, twins

ANY = st.one_of(VALUES, VALUES, MARKED)


@settings(max_examples=300)
@given(ANY, st.booleans(), st.booleans())
def test_what_is_written_reads_back(value: Any, hoist: bool, elide: bool) -> None:
    """The text layout itself loses nothing, also where the minified JSON would be shorter."""
    text = written(value, Style(hoist=hoist, elide=elide)).text
    assert dumps(read(text, len(HEAD))) == dumps(value)


@settings(max_examples=900)
@given(ANY)
def test_a_value_comes_back_with_its_types(value: Any) -> None:
    """1 is not 1.0 and not true, -0.0 is not 0.0, absent is not null and not the empty string."""
    original = len(dumps(value))
    for form in FORMS:
        result = crush_json(value, **form)
        assert same(value, uncrush(result.text)), form
        assert (result.original_chars, result.crushed_chars) == (original, len(result.text))


@settings(max_examples=150)
@given(ANY)
def test_json_text_comes_back_and_is_never_longer(value: Any) -> None:
    """Numbers keep their lexemes; where nothing is shorter, the text is the minified JSON."""
    assume(not is_wrapped(value))  # it would be taken for crushed JSON, see `test_data_that_looks_crushed_comes_back`
    plain = dumps(value)
    for form in FORMS:
        result = crush_text(plain, **form)
        assert uncrush_text(result.text) == plain, form
        assert len(result.text) <= len(plain), form
        assert result.crushed or result.text == plain


@settings(max_examples=150)
@given(ANY)
def test_what_was_crushed_is_crushed_once(value: Any) -> None:
    """A text comes back as it is, and what is left of it is the whole."""
    for form in FORMS:
        text = crush_json(value, **form).text
        assert crush_text(text, **form).text == text
        left = uncrush(text, strict=False)
        assert left.dropped == (), form
        assert same(left.value, value), form


@settings(max_examples=150)
@given(ANY)
def test_the_layout_tells_whether_a_text_is_json(value: Any) -> None:
    """The json layout always parses; a crushed text in the text layout never does, so no tool takes it for JSON."""
    for form in FORMS:
        result = crush_json(value, **form)
        assert parses(result.text) == (form["layout"] == "json" or not result.crushed), form


def parses(text: str) -> bool:
    """Return whether Python's json takes a text."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@settings(max_examples=300)
@given(ANY, st.sampled_from([None, 0, 2]), st.booleans())
def test_plain_json_passes_through_unchanged(value: Any, indent: int | None, ascii_: bool) -> None:
    """JSON that nobody crushed reads as what it says, however it is spaced."""
    if not is_wrapped(value):
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_)
        assert same(value, uncrush(text))
        assert uncrush_text(text) == dumps(value)


@settings(max_examples=130)
@given(ANY, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: Any, chance: Random) -> None:
    """Equal values give equal bytes; rows stay where they are."""
    other = shuffled(value, chance)
    for form in FORMS:
        assert crush_json(other, **form).text == crush_json(value, **form).text, form


@settings(max_examples=200)
@given(twins())
def test_different_values_have_different_texts(values: tuple[Any, Any]) -> None:
    """Two values that differ in one scalar or key never share a text."""
    one, other = values
    for form in FORMS:
        equal = crush_json(one, **form).text == crush_json(other, **form).text
        assert equal == (dumps(one) == dumps(other)), form


@given(st.lists(SCALARS, min_size=1, max_size=3))
def test_scalars_hold_in_a_column_of_their_own(values: list[Any]) -> None:
    """Every scalar survives as a cell, as a constant and as an item of a list in a cell."""
    rows = [
        {"id": number, "cell": value, "items": [value, value], "same": values[0]}
        for number, value in enumerate(values * 4)
    ]
    assert same(rows, uncrush(written(rows).text))


LEXEMES = '{"a":1.0,"b":1e5,"c":1E+5,"d":-0,"e":-0.0,"f":12345678901234567890,"g":0.10,"h":NaN,"i":-Infinity}'


@settings(max_examples=400)
@given(
    st.integers(0, 1_200),
    st.integers(-120, 120),
    st.integers(0, 4),
    st.tuples(st.sampled_from(["", "a", "-", "2026-03-", "a0", "1.", "x "]), st.sampled_from(["", "Z", ".5", " 0"])),
    st.sampled_from([[0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 1, 2], [3, 2, 1]]),
)
def test_what_counts_keeps_its_leading_zeros(
    start: int, step: int, width: int, around: tuple[str, str], rows: list[int]
) -> None:
    """Up or down through a power of ten, alone, in text, and in lists inside cells."""
    texts = [f"{start + step * row:0{width}d}".join(around) for row in rows]
    objects = [{"a": text, "b": "x"} for text in texts]
    for value in (texts, objects, [[text, 1] for text in texts], [{"in": objects}, {"in": objects[::-1]}]):
        assert uncrush(crush_json(value).text) == value
        assert uncrush(str(written(value).text)) == value


@pytest.mark.parametrize("rows", [1, 40])
def test_numbers_keep_their_lexemes(rows: int) -> None:
    """As text, a number comes back as it was written: 1.0, 1e5 and 1E+5 are not made alike."""
    text = "[" + ",".join([LEXEMES] * rows) + "]"
    assert uncrush_text(crush_text(text).text) == text


def test_a_number_of_many_digits_survives_as_text() -> None:
    """5,000 digits come back; as a value Python would not read them."""
    digits = "9" * 5000
    text = f'[{{"n":{digits}}},{{"n":{digits}}},{{"n":1}}]'
    crushed = crush_text(text).text
    assert uncrush_text(crushed) == text
    for given_text, path in (
        (crushed, r"\$\[0\].n"),
        (f'[1,{{"a b":[2,{digits}]}}]', r'\$\[1\]\["a b"\]\[1\]'),
        (digits, r"\$"),
    ):
        with pytest.raises(ValueError, match=f"the number at {path} has more than 4,300 digits; uncrush_text keeps it"):
            uncrush(given_text)


LONG_NUMBERS = [
    [{"t": text, "n": number * number} for number, text in enumerate(["1", "9" * 5000, "3", "4"])],
    [{"a": row**3, "own": {"n": 10**4300 - 10 * row, "b": row * row}} if row else {"a": 0} for row in range(9)],
]


@pytest.mark.parametrize("value", LONG_NUMBERS, ids=["text", "number"])
def test_a_column_of_long_numbers_comes_back(value: Any) -> None:
    """Numbers that count with the row are said in the header only as far as Python turns them into text."""
    assert uncrush(crush_json(value).text) == value


def test_no_depth_is_too_deep() -> None:
    """Ten thousand levels of lists and objects come back, alone and in rows."""
    deep: Any = "end"
    for level in range(10_000):
        deep = [deep] if level % 2 else {"k": deep}
    for value in (deep, [{"a": number, "deep": deep} for number in range(4)]):
        text = crush_json(value).text
        assert uncrush_text(text) == dumps(value)


def test_a_tuple_comes_back_as_a_list() -> None:
    """JSON has no tuples."""
    rows = tuple({"a": (number, "x"), "b": ()} for number in range(9))
    assert uncrush(crush_json(rows).text) == json.loads(json.dumps(rows))
