"""Handles: identifiers under short names that mean nothing but what the result says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_json, crush_text, uncrush
from catalog.crusher.minified import dumps
from tests.crusher.values import FORMS, VALUES, same, shuffled

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
HASH = "9f86d081884c7d659a2feaa0c55ad015"
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
IDENTIFIERS = [
    *(UUID, UUID.upper(), HASH, "9f86d081884c7d65", HASH * 4, HASH[:20] * 2, ULID, ULID.lower()),
    *(f"sha256:{HASH * 2}", f"msg_{ULID}", f"req-{UUID}", f"a:{HASH}"),
]
OTHERS = [
    *("", "A", "deadbeef", "9f86d081884c7d6", "1234567890123456", "20240101120000000", "abcdefabcdefabcdef", "0" * 32),
    *("international-organization", "antidisestablishmentarianism", "a-word-and-another-word-and-more", "GPT-4-turbo"),
    *(f" {UUID}", f"{UUID} ", f"the id {UUID}", f"{UUID}-1", f"{UUID},{OTHER}", UUID[:-1], UUID.replace("-", "_")),
    *(f"https://example.com/{UUID}", f"a.b:{HASH}", f"1a:{HASH}", f"{'a' * 17}:{HASH}", f"sha256::{HASH}"),
    *("81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI", HASH * 4 + "a"),
]


@pytest.mark.parametrize("text", IDENTIFIERS)
def test_an_identifier_has_a_handle(text: str) -> None:
    """UUIDs, hashes and ULIDs, with a word before them or not: as a value and as a key."""
    for value in ([text, "x"], {text: "x"}):
        result = crush_json(value, handles=True)
        assert result.handles == {"A": text}
        assert text not in result.text
        assert uncrush(result.text, handles=result.handles) == value


@pytest.mark.parametrize("text", OTHERS)
def test_no_other_text_has_a_handle(text: str) -> None:
    """Words, decimal numbers, and texts that only hold an identifier, stay as they are."""
    assert crush_json([text], handles=True).handles == {}
    assert crush_json([text], handles=True) == crush_json([text])


def test_numbers_have_no_handles() -> None:
    """Nor have those of a JSON text, however long."""
    text = '[{"n":12345678901234567890123456789012},{"n":1.2345678901234567e300}]'
    assert crush_text(text, handles=True) == crush_text(text)


def test_handles_are_given_in_the_order_of_the_text() -> None:
    """A, B, …; an identifier that repeats keeps its handle, and a name that occurs in the data is no handle."""
    value = {"b": {ULID: 1, "D": UUID}, "a": [HASH, UUID], "A": "C"}
    result = crush_json(value, handles=True)
    assert result.handles == {"B": HASH, "E": UUID, "F": ULID}
    assert uncrush(result.text, handles=result.handles) == value


def test_after_z_comes_aa() -> None:
    """There are handles enough."""
    value = [f"{number:016x}a" for number in range(40)]
    handles = crush_json(value, handles=True).handles
    assert list(handles)[24:29] == ["Y", "Z", "AA", "AB", "AC"]
    assert list(handles.values()) == value


def test_without_asking_there_are_no_handles() -> None:
    """Identifiers are part of the text unless the caller wants it otherwise."""
    result = crush_json([{"id": UUID}, {"id": OTHER}])
    assert result.handles == {}
    assert UUID in result.text


def test_the_gain_is_measured_against_the_original() -> None:
    """The minified JSON with its identifiers is what the lengths in the result are told against."""
    rows = [{"id": UUID, "n": 1}, {"id": OTHER, "n": 2}]
    assert crush_json(rows, handles=True).original_chars == len(dumps(rows))


MIXED = st.recursive(
    st.one_of(st.sampled_from([*IDENTIFIERS, *OTHERS]), st.sampled_from("ABC"), st.integers(0, 3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from([*IDENTIFIERS[:4], "A", "B", "x"]), inner, max_size=4),
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.one_of(MIXED, VALUES), st.sampled_from(FORMS), st.randoms(use_true_random=False))
def test_identifiers_come_back(value: Any, form: dict[str, Any], chance: Random) -> None:
    """The value is the same, with every identifier in its place, and the order of keys changes nothing."""
    result = crush_json(value, **form, handles=True)
    assert same(uncrush(result.text, handles=result.handles), value)
    assert crush_json(shuffled(value, chance), **form, handles=True) == result


def test_keep_sees_the_identifiers() -> None:
    """A caller that looks for a row by its identifier finds it, and sees no handles."""
    rows = [{"id": f"{number * 7919:016x}a", "n": number**2, "text": f"row {number * 7 % 40}"} for number in range(30)]
    seen: list[Any] = []

    def keep(row: dict[str, Any], _: str) -> bool:
        seen.append(row)
        return bool(row["id"] == rows[20]["id"])

    result = crush_json(rows, handles=True, max_chars=100, keep=keep)
    assert seen == rows
    left = uncrush(result.text, strict=False, handles=result.handles)
    assert rows[20] in left.value
    assert len(left.value) < len(rows)


def test_keys_that_are_identifiers_are_kept_and_renamed() -> None:
    """Under a budget the text has their handles, and what is to be kept is found and counted."""
    rows = {f"{number * 7919:016x}a": {"n": number**2, "text": f"row {number * 7 % 40}"} for number in range(30)}
    wanted = list(rows)[20]
    result = crush_json(rows, handles=True, max_chars=100, keep=lambda _, path: wanted in path)
    assert wanted not in result.text
    left = uncrush(result.text, strict=False, handles=result.handles)
    assert left.value[wanted] == rows[wanted]
    assert sum(own.protected for own in result.dropped) == 0
    none = crush_json(rows, handles=True, max_chars=20, keep=lambda _, path: wanted in path)
    assert sum(own.protected for own in none.dropped) == 1


def test_an_identifier_alone_has_a_handle() -> None:
    """With and without rows to keep, of which there are none."""
    for keep in (None, lambda *_: True):
        assert crush_json(UUID, handles=True, max_chars=9, keep=keep).text == '"A"'


def test_two_handles_for_one_key_are_refused() -> None:
    """One of the two entries would be lost."""
    with pytest.raises(ValueError, match="with handles the key 'x' would stand twice"):
        uncrush("~{A:1,B:2}", handles={"A": "x", "B": "x"})
