"""Stable prefixes: the longest leading run, how large it is, where to mark it, and what would break the cache."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import CacheProfile, partition_stable_prefix
from catalog.crusher.conversation.sending import serialised
from tests.crusher.history.conversations import CONVERSATIONS

MARKED = CacheProfile(name="marked", minimum_tokens=50, breakpoints=4, look_back=5, read=0.1, write=1.25)
FOUND = CacheProfile(name="found", minimum_tokens=50, breakpoints=0, read=0.1, write=1.0)


def said(*texts: str) -> list[dict[str, Any]]:
    """Return messages of such texts, the first one the system's."""
    return [{"role": "user" if number else "system", "content": text} for number, text in enumerate(texts)]


@pytest.mark.parametrize(("stable", "boundary"), [([1, 1, 0, 0], 2), ([1, 0, 1], 1), ([1, 1], 2), ([0, 1], 0), ([], 0)])
def test_the_longest_leading_run_is_stable(stable: list[int], boundary: int) -> None:
    """What is stable behind the first volatile message counts as volatile; the caller is told the number."""
    messages = said(*map(str, stable))
    found = partition_stable_prefix(messages, lambda _, index: bool(stable[index]))
    assert found.boundary == boundary
    assert found.stable + found.volatile == tuple(messages)
    assert len(found.stable) == boundary


@settings(max_examples=200)
@given(CONVERSATIONS, st.integers(0, 20))
def test_the_hash_is_that_of_what_is_sent(messages: list[dict[str, Any]], boundary: int) -> None:
    """It changes with every byte of the prefix, and with nothing behind it."""
    before = deepcopy(messages)
    found = partition_stable_prefix(messages, lambda _, index: index < boundary)
    sent = ",".join(map(serialised, messages[:boundary]))
    assert messages == before
    assert (found.chars, found.sha256) == (len(sent), hashlib.sha256(sent.encode()).hexdigest())
    boundary = found.boundary
    other = [*messages[:boundary], {"role": "user", "content": "another question"}]
    assert partition_stable_prefix(other, lambda _, index: index < boundary).sha256 == found.sha256
    if found.boundary:
        changed = [{**messages[0], "content": "other"}, *messages[1:]]
        assert partition_stable_prefix(changed, lambda _, index: index < boundary).sha256 != found.sha256


def test_tokens_are_counted_by_whoever_can() -> None:
    """By the caller's counter, else by an estimate."""
    messages = said("a b c", "d")
    assert partition_stable_prefix(messages, lambda *_: True, count=len).tokens == sum(
        map(len, map(serialised, messages))
    )
    assert 10 < partition_stable_prefix(messages, lambda *_: True).tokens < 40


def test_marks_stand_at_the_end_behind_the_system_and_in_reach() -> None:
    """The last one first; of a prefix that is too short there is none, and where the cache needs none, none."""
    messages = said(*["some words of a text " * 10] * 14)
    found = partition_stable_prefix(messages, lambda _, index: index < 12, profile=MARKED)
    assert [own.index for own in found.breakpoints] == [11, 6, 1, 0]
    assert found.breakpoints[0].tokens == found.tokens
    assert partition_stable_prefix(messages, lambda *_: True, profile=FOUND).breakpoints == ()
    assert partition_stable_prefix(messages, lambda *_: True).breakpoints == ()
    assert partition_stable_prefix(said("a", "b"), lambda *_: True, profile=MARKED).breakpoints == ()
    assert partition_stable_prefix([], lambda *_: True, profile=MARKED).breakpoints == ()
    ours = [{"role": "developer", "content": "x " * 50}, {"role": "system", "content": "y"}, *messages[1:6]]
    whole = partition_stable_prefix(ours, lambda *_: True, profile=MARKED)
    assert [own.index for own in whole.breakpoints][-1] == 1
    exact = CacheProfile(name="exact", minimum_tokens=found.tokens, breakpoints=4, read=0.1, write=1.25)
    least = partition_stable_prefix(messages, lambda _, index: index < 12, profile=exact)
    assert [own.index for own in least.breakpoints] == [11]
    two = CacheProfile(name="two", minimum_tokens=0, breakpoints=2, read=0.1, write=1.25)
    assert [own.index for own in partition_stable_prefix(messages, lambda *_: True, profile=two).breakpoints] == [13, 0]


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("run 6ba7b810-9dad-11d1-80b4-00c04fd430c8", [("uuid", 4)]),
        ("now 2026-11-30T16:55:29Z, or 2026-11-30 16:55", [("time", 4), ("time", 29)]),
        (f"token {JWT}", [("jwt", 6)]),
        ("sha256:" + "0a" * 32, [("hash", 7)]),
        ('{"a":1,"b":[2, 3]}', [("reserialised-json", 0)]),
        ('{"b": 1, "a": 2}', [("unordered-keys", 0)]),
        ('{"a": 1, "b": 2}', []),
        ('{\n    "a": [\n        1e5\n    ]\n}\n', []),
        ('{"a":"x: y, z"}', []),
        ("on 2026-11-30, 12345678, deadbeef and 1.2.3", []),
    ],
)  # fmt: skip
def test_what_is_likely_to_change_is_found(text: str, found: list[tuple[str, int]]) -> None:
    """With its place in the text; a date alone, a short hash and a number are none."""
    parts = partition_stable_prefix(said(text), lambda *_: True).findings
    assert [(own.code, own.offset) for own in parts] == found
    assert all(own.path == "$[0].content" for own in parts)


def test_what_cannot_be_sent_is_refused() -> None:
    """Naming the role; a text that is no JSON however deep is only a text."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    for content, told in (
        ({"a": deep}, "nested too deeply"),
        ({"a": b"x"}, "holds no JSON: b'x' is of the kind bytes"),
    ):
        call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": content}}
        with pytest.raises(ValueError, match=f"a message of the role 'assistant' (is|holds).*{told[-20:]}"):
            partition_stable_prefix([{"role": "assistant", "tool_calls": [call]}], lambda *_: True)
    with pytest.raises(TypeError, match="messages are a generator, not a list"):
        partition_stable_prefix((own for own in said("a")), lambda *_: True)  # type: ignore[arg-type]
    assert partition_stable_prefix(said("[" * 100_000), lambda *_: True).findings == ()
    assert partition_stable_prefix(said("eyJ-" * 20_000), lambda *_: True).findings == ()


def test_findings_say_where() -> None:
    """In tool calls and blocks, too; of what is volatile nothing is said."""
    arguments = '{"b":1,"a":2}'
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": arguments}}
    used = {"type": "tool_use", "id": "d", "name": "look", "input": {"z": 1, "a": JWT}}
    chat = [{"role": "assistant", "tool_calls": [call]}, *said(JWT)]
    found = partition_stable_prefix(chat, lambda _, index: index < 1).findings
    assert [(own.code, own.path, own.text) for own in found] == [
        ("unordered-keys", "$[0].tool_calls[0].function.arguments", arguments),
    ]
    blocks = [*said(JWT), {"role": "assistant", "content": [used]}, *said(JWT)]
    found = partition_stable_prefix(blocks[1:], lambda _, index: index < 1).findings
    assert [(own.code, own.path, own.text) for own in found] == [
        ("unordered-keys", "$[0].content[0].input", "z, a"),
        ("jwt", "$[0].content[0].input.a", JWT[:40] + "…"),
    ]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"breakpoints": -1}, "breakpoints of the cache profile 'x' is -1: at least 0"),
        ({"read": 2.0}, "the cache profile 'x' reads at 2.0 and writes at 1.25"),
    ],
)
def test_a_profile_that_cannot_be_is_refused(wrong: dict[str, Any], told: str) -> None:
    """With its name and the number."""
    with pytest.raises(ValueError, match=told):
        CacheProfile(**{"name": "x", "minimum_tokens": 0, "breakpoints": 4, "read": 0.1, "write": 1.25, **wrong})
