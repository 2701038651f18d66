"""Equal values have equal bytes."""

from __future__ import annotations

import hashlib
import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import canonical
from catalog.errors import UsageError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def normal(value: Any) -> Any:
    """Return a value with its texts in NFC."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, list):
        return [normal(item) for item in value]
    return {normal(key): normal(item) for key, item in value.items()} if isinstance(value, dict) else value


@given(VALUES)
def test_canonical_json_comes_back(value: Any) -> None:
    """What was written is read back, normalised; writing it again gives the same bytes, compact or pretty."""
    text = canonical.dumps(value)
    assert canonical.loads(text) == normal(value)
    assert canonical.dumps(canonical.loads(text)) == text
    assert canonical.loads(canonical.pretty(value)) == normal(value)


@given(st.dictionaries(TEXTS.map(lambda text: unicodedata.normalize("NFC", text)), st.integers()))
def test_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    """A mapping built in another order has the same bytes."""
    assert canonical.dumps(dict(reversed(value.items()))) == canonical.dumps(value)


def test_the_form_is_pinned() -> None:
    """Sorted keys, no spaces, text as it is in NFC, and a hash over UTF-8."""
    value = {"b": [1, None, True], "a": "Cafe\u0301 \u201c\n\u201d", "é": ()}
    text = '{"a":"Café “\\n”","b":[1,null,true],"é":[]}'
    assert canonical.dumps(value) == text
    assert canonical.pretty({"b": 1, "a": []}) == '{\n  "a": [],\n  "b": 1\n}\n'
    assert canonical.sha256(text) == hashlib.sha256(text.encode("utf-8")).hexdigest()


@pytest.mark.parametrize("value", [1.0, {"a": [0.1]}, {1: 2}, {None: 2}, b"x", {1}, Decimal(1), object()])
def test_what_has_no_canonical_text_is_refused(value: object) -> None:
    """A float, bytes, a set or a key that is no text cannot get into a hash."""
    with pytest.raises(TypeError):
        canonical.dumps(value)


@pytest.mark.parametrize("text", ["1.0", "1e3", "NaN", "-Infinity", '{"a":1,"a":2}', "{", "", "[1,]", "'a'", "[1] [2]"])
def test_json_is_read_strictly(text: str) -> None:
    """A float, a duplicate key, NaN, or damaged JSON is refused."""
    with pytest.raises(ValueError, match=r".+"):
        canonical.loads(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("57.60", "57.6"),
        ("5.76E1", "57.6"),
        (" 057.6 ", "57.6"),
        ("+1", "1"),
        ("-0.0", "0"),
        ("0.000", "0"),
        ("1e3", "1000"),
        ("1000", "1000"),
        ("1E-7", "0.0000001"),
        (Decimal("2.50"), "2.5"),
        (7, "7"),
    ],
)
def test_a_number_has_one_decimal_text(value: str | int | Decimal, text: str) -> None:
    """Zeros, signs and exponents that say nothing go."""
    assert canonical.decimal_text(value) == text


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**12), max_value=10**12))
def test_decimal_text_keeps_the_value(number: Decimal) -> None:
    """No digit is lost, and the text of the text is the same text."""
    text = canonical.decimal_text(number)
    assert Decimal(text) == number
    assert canonical.decimal_text(text) == text


@pytest.mark.parametrize("value", ["", "many", "57,6", "NaN", "inf", "1e99", "1e-99", "1 2", "0x10"])
def test_what_is_no_decimal_is_named(value: str) -> None:
    """The message quotes the value, the hint shows a number."""
    with pytest.raises(UsageError) as caught:
        canonical.decimal_text(value)
    assert repr(value) in caught.value.message
    assert "57.6" in caught.value.hint
