"""How to read a crushed text, in a few words, of what the text uses."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_json, crush_text, describe_crush
from catalog.crusher.estimate import text_tokens
from tests.crusher.values import FORMS, VALUES

NAMES = ["north", "south", "east", "west", "here", "there"]
FEATURES: list[tuple[Any, str]] = [
    ([{"code": name, "kind": name[::-1], "name": f"{number} {name}"} for number, name in enumerate(NAMES)], ""),
    (
        [{"n": n**2, "name": name, **({"opt": 1} if n % 2 else {})} for n, name in enumerate(NAMES)],
        "Empty: ? absent.",
    ),
    (
        [{"n": n**2, "name": name, "opt": n**3 if n % 2 else None} for n, name in enumerate(NAMES)],
        "Empty: ! null.",
    ),
    ([{"n": n**2, "state": "done" if n == 2 else "open"} for n in range(6)], "Empty: :v v."),
    ([{"n": n**2, "state": "open"} for n in range(6)], "=v all rows: * cell, (b) b, row from 0."),
    ([{"n": n**2, "list": [f"x{n}", f"y{n**2}"]} for n in range(5)], "; items | fields."),
    (
        [{"id": n**2, "who": {"name": name, "age": n**3} if n % 3 else None} for n, name in enumerate(NAMES)],
        "~ absent, ~n null.",
    ),
    ([{"name": "a", "in": [{"name": "b", "in": [{"name": "c"}]}]}], "^a holds > rows."),
    ({"name": "some text", "other": None, "more": {"a": None, "b": "text"}}, "Empty: {a:} null."),
]


@pytest.mark.parametrize(
    ("value", "told"), FEATURES, ids=[f"{told} {number}" for number, (_, told) in enumerate(FEATURES)]
)
def test_a_feature_is_described_where_it_is_used(value: Any, told: str) -> None:
    """Each form has its words, and a text that uses one of them has no others."""
    result = crush_json(value)
    assert result.crushed
    assert describe_crush(result) == told


def test_several_features_are_described_together() -> None:
    """What empty cells mean stands in one sentence, before the rest."""
    rows = [
        {"n": n**2, "same": 1, "state": "done" if n == 2 else "open", **({"opt": n**3} if n % 2 else {})}
        for n in range(8)
    ]
    told = "Empty: ? absent, :v v. =v all rows: * cell, (b) b, row from 0."
    assert describe_crush(crush_json({"deep": {"rows": rows}})) == told


@pytest.mark.parametrize("value", [0, True, None, [], "~x", [1, 2, 3], {}])
def test_plain_json_needs_no_description(value: Any) -> None:
    """Nor does a text that was left as it was."""
    result = crush_json(value)
    assert not result.crushed
    assert describe_crush(result) == ""


def test_the_json_layout_is_described() -> None:
    """Its marks are explained."""
    rows = [{"number": n, "state": "waiting for a review"} for n in range(9)]
    told = describe_crush(crush_json(rows, layout="json"))
    assert told.startswith('Rows "~r" under columns "~t"')
    assert "Letters" not in told


def test_handles_are_described() -> None:
    """That letters are identifiers is nowhere in the text, so it is said here."""
    value = {"0f8fad5b-d9cb-469f-a165-70867728950e": "a text, no identifier"}
    assert describe_crush(crush_json(value, handles=True)).endswith("A, B… ids.")
    assert "identifiers" not in describe_crush(crush_json(value))


@settings(max_examples=200)
@given(VALUES, st.sampled_from(FORMS))
def test_a_description_is_short_and_one_of_the_text(value: Any, form: dict[str, Any]) -> None:
    """It takes at most 60 tokens, and the text that was crushed before has the same."""
    result = crush_json(value, **form)
    told = describe_crush(result)
    assert text_tokens(told) <= 60
    assert bool(told) <= result.crushed
    if result.crushed:
        assert describe_crush(crush_text(result.text)) == told


def test_all_that_can_be_said_is_short_enough() -> None:
    """A value that uses every form there is."""
    value = {f"part {number}": own for number, (own, _) in enumerate(FEATURES)}
    said = describe_crush(crush_json(value | {"id": "0b8f4e1c9d2a7f36"}, handles=True))
    for _, told in FEATURES:
        assert all(word in said for word in re.findall(r"[a-z|*{}^~]+", told))
    assert len(said) <= 140  # sixty tokens of o200k, cl100k, llama3 and qwen3


def test_what_only_looks_like_an_entry_without_value_is_not_described() -> None:
    """In a string it is none."""
    rows = [{"n": n**2, "t": f"a:,b {name}"} for n, name in enumerate(NAMES)]
    assert describe_crush(crush_json(rows, level="plain")) == ""
