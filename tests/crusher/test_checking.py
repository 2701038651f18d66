"""Paths in messages: readable, and never two of them alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.crusher.checking import shown
from tests.crusher.values import KEYS

PATHS: list[tuple[list[object], str]] = [
    ([None], "$"),
    ([None, "data", 3, "name"], "$.data[3].name"),
    ([None, "a.b", 3], '$["a.b"][3]'),
    ([None, "", "3", 3], '$[""]["3"][3]'),
    ([None, "größe", "__proto__", "class"], "$.größe.__proto__.class"),
    ([None, "eu-west-1", "first name", "1a"], '$["eu-west-1"]["first name"]["1a"]'),
    ([None, '"][0]["', "\\"], r'$["\"][0][\""]["\\"]'),
    ([None, "é!", "\n", "\x7f", "\u200b", "\ud800"], r'$["é!"]["\n"]["\u007f"]["\u200b"]["\ud800"]'),
]


@pytest.mark.parametrize(("path", "told"), PATHS, ids=[ascii(told) for _, told in PATHS])
def test_a_path_reads_like_this(path: list[object], told: str) -> None:
    """Names stand after a dot, every other key as a JSON string, what cannot be seen as its escape."""
    assert shown(path) == told


STEPS = st.lists(st.one_of(KEYS, st.integers(0, 12)), max_size=4)


@given(STEPS, STEPS)
def test_different_paths_read_differently(one: list[object], other: list[object]) -> None:
    """No key can pass for another, for an index or for two steps."""
    assert (shown([None, *one]) == shown([None, *other])) == (one == other)
