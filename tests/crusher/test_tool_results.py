"""What a tool has returned: crushed where that pays, else left alone, and a note says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from catalog.crusher import crush_json, crush_text, crush_value, describe_crush, uncrush

ROWS = [{"id": number**2, "name": f"part {number * 7 % 30}", "state": "open"} for number in range(30)]
TEXT = json.dumps(ROWS, indent=1)
PROSE = "Nothing in this text is JSON, and it goes on for a while. " * 20
DISTINCT = [number**2 for number in range(200)]


def why(value: Any, **options: Any) -> str:
    """Return why a value is left alone."""
    result = crush_value(value, **options)
    assert [note.code for note in result.notes] == ["left-alone"]
    assert not result.crushed
    assert result.crushed_chars == result.original_chars == len(result.text)
    assert result.notes[0].path == "$"
    return result.notes[0].detail


def test_a_value_is_crushed_as_crush_json_does() -> None:
    """A list, object or tuple that is long enough."""
    assert crush_value(ROWS) == crush_json(ROWS)
    assert uncrush(crush_value({"data": tuple(ROWS)}).text) == {"data": ROWS}


def test_json_in_a_string_is_crushed_as_crush_text_does() -> None:
    """Spaces before it do no harm, and numbers keep their lexemes."""
    assert crush_value(f" \n{TEXT}") == crush_text(TEXT)
    text = json.dumps({"rows": ROWS}).replace("30", "30.0")
    assert crush_value(text) == crush_text(text)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (ROWS[:3], "it has fewer than 600 characters"),
        (json.dumps(ROWS[:3]), "it has fewer than 600 characters"),
        ("x" * 599, "it has fewer than 600 characters"),
        ("x" * 600, "it is no JSON: Expecting value"),
        (PROSE, "it is no JSON: Expecting value"),
        (json.dumps(PROSE), "nothing is shorter"),
        ("[see below] " + PROSE, "it is no JSON: Expecting value: line 1 column 2 (char 1)"),
        (TEXT[:-1], "it is no JSON: Expecting ',' delimiter"),
        ('{"a":1,"a":2}' + " " * 600, "it is no JSON: the key 'a' stands twice in the object at $"),
        (DISTINCT, "nothing is shorter"),
        (json.dumps(DISTINCT), "nothing is shorter"),
    ],
)
def test_what_is_left_alone_says_why(value: Any, told: str) -> None:
    """A short result, one that is no JSON, and one that no form makes shorter; a string stays as it is."""
    assert why(value).startswith(told)
    if isinstance(value, str):
        assert crush_value(value).text == value
    else:
        assert crush_value(value).text == json.dumps(value, separators=(",", ":"), sort_keys=True)


def test_a_caller_can_skip_results() -> None:
    """The predicate is asked first, and sees the value as the tool has returned it."""
    seen: list[Any] = []

    def skip(value: Any) -> bool:
        seen.append(value)
        return True

    for value in (ROWS, TEXT, "short"):
        assert why(value, skip=skip) == "the caller wants it so"
    assert seen == [ROWS, TEXT, "short"]
    assert crush_value(ROWS, skip=lambda value: value is not ROWS) == crush_json(ROWS)


def test_the_description_counts() -> None:
    """Where the text together with how to read it is no shorter, the result stays as it is."""
    found = {}
    for more in range(1, 40):
        value = {"numbers": DISTINCT, "rows": [{"n": number**2, "same": 1} for number in range(2, 2 + more)]}
        result = crush_json(value)
        gain = result.original_chars - result.crushed_chars - len(describe_crush(result))
        found[more] = gain > 0
        assert crush_value(value) == result if gain > 0 else why(value) == "nothing is shorter"
    assert set(found.values()) == {False, True}


@pytest.mark.parametrize(
    ("value", "told"), [({"a": {1}}, r"set at \$.a is no JSON value"), (b"x" * 700, r"bytes at \$ is no JSON value")]
)
def test_what_is_neither_text_nor_json_is_refused(value: Any, told: str) -> None:
    """The message names the type and the place."""
    with pytest.raises(TypeError, match=told):
        crush_value(value)
