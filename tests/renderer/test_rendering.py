"""Renderings: what they are counted as, where two of them part, and what their hashes say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog import tokens
from catalog.renderer.rendering import count, diff
from tests.renderer.estates import candidate, renderer


@pytest.mark.parametrize(
    ("one", "other", "offset", "before"),
    [
        ("abc", "abd", 2, "c"),
        ("äö", "äü", 3, "ö"),  # ö and ü begin with the same byte
        ("ä€", "ä", 2, "€"),
        ("a\U0001f600", "a\U0001f601", 4, "\U0001f600"),
        ("a", "ab", 1, ""),
    ],
)
def test_the_first_byte_that_differs_is_named(tmp_path: Path, one: str, other: str, offset: int, before: str) -> None:
    """As it is sent, in UTF-8."""
    made = renderer(tmp_path, {"p.md": "{{ x }}"})
    texts = [made.render("p", candidate(), data={"x": own}) for own in (one, other)]
    found = diff(*texts)
    assert found is not None
    assert (found.message, found.offset, found.before, str(found.place)) == (0, offset, before, "p.md:1")
    assert one.encode()[:offset] == other.encode()[:offset]
    assert one.encode()[offset : offset + 1] != other.encode()[offset : offset + 1]


def test_a_message_of_another_role_is_another(tmp_path: Path) -> None:
    """Whatever it says; and so are other tools."""
    made = renderer(tmp_path, {"p.md": "x"})
    one, other = (made.render("p", candidate(), history=[{"role": role, "content": "hi"}])
                  for role in ("user", "assistant"))  # fmt: skip
    found = diff(one, other)
    assert found is not None
    assert (found.message, found.offset, found.place) == (1, 2, None)
    assert one.sha256 != other.sha256
    tools: list[dict[str, Any]] = [{"name": "a", "description": "b"}]
    more = made.render("p", candidate(), tools=tools)
    assert more.sha256 != made.render("p", candidate()).sha256
    assert more.memo_key == made.render("p", candidate()).memo_key


def test_tools_and_history_are_counted(tmp_path: Path) -> None:
    """With what counts the model's vocabulary, or what a caller says."""
    made = renderer(tmp_path, {"p.md": "some words"})
    gpt = candidate(slug="gpt-5-2", vendor="openai")
    plain = count(made.render("p", gpt))
    assert (plain.n, plain.exact, plain.counted_with) == (2, True, "o200k")
    assert count(made.render("p", gpt, tools=[{"name": "a", "description": "words " * 50}])).n > 50
    assert count(made.render("p", gpt, history=[{"role": "user", "content": "words " * 50}])).n > 50
    about = count(made.render("p", gpt), tokens.Estimate())
    assert (about.exact, about.error > 0) == (False, True)
