"""JSON values of every kind, and an equality that knows 1 from 1.0 and from true."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NASTY = [
    *("", "null", "true", "NaN", "-Infinity", "1", "01", "-0", "1.0", "1e5", "1E+5", "0x1", "~", "~n", "~1"),
    *(
        "a,b",
        "a;b",
        "a|b",
        "a:b",
        "[x",
        "{x",
        "]",
        "}",
        "(x)",
        '"',
        '"x"',
        "\\",
        "\\n",
        "\n0:",
        "x \n",
        "a\nb",
        "a\tb",
        "\x00",
        "\x1f",
    ),
    *(" x", "x ", "a b", "*", "a*b", "=", "a=b", "$", "?", "!", "&x", "#", "%n", "@1", "(id)", "(1+1*row)", "[]", "{}"),
    *("é", "\u2028", "\u200b", "\ufeff", "\ud800", "\udfffx", "😀", "__proto__", "constructor", "a.b", "$ref"),
]
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(max_size=6))
KEYS = st.one_of(st.sampled_from(NASTY), st.sampled_from(list("abcde")), st.text(max_size=3))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.integers(),
    st.floats(),
    TEXTS,
    st.sampled_from([1e21, -0.0, 2**64]),
)
COUNTED = st.tuples(st.integers(-50, 50), st.integers(-3, 3), st.sampled_from(["", "id-", "x/"]))


def _rows(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "c", "", "x,y"]), inner, max_size=5), min_size=2, max_size=6
    )


def _tuples(_: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(2, 3).flatmap(
        lambda size: st.lists(st.lists(SCALARS, min_size=size, max_size=size), min_size=1, max_size=5)
    )


def _maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(KEYS, st.dictionaries(st.sampled_from("abc"), inner, max_size=3), min_size=2, max_size=4)


def _alike(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Rows that have something in common: a constant, a counter, a text made of another."""
    return st.builds(_alike_rows, st.integers(2, 6), COUNTED, TEXTS, inner)


def _alike_rows(count: int, counted: tuple[int, int, str], text: str, same: Any) -> list[dict[str, Any]]:
    start, step, lead = counted
    numbers = [start + step * row for row in range(count)]
    return [
        {"n": number, "id": f"{lead}{number}{text}", "url": f"{text}/{lead}{number}{text}/x", "same": same, "t": text}
        for number in numbers
    ]


def _repeating(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Rows in which the same few objects come again and again, whole or beside what is new in each row."""
    pool = st.lists(st.dictionaries(st.sampled_from("pqr"), st.one_of(inner, LONG), max_size=3), min_size=1, max_size=3)
    return st.builds(_repeating_rows, pool, st.lists(st.integers(0, 9), min_size=6, max_size=12), st.integers(0, 3))


LONG = st.sampled_from(["a longer text, with a comma", "another; longer|text", "~ a third text of some length", ""])


def _repeating_rows(pool: list[dict[str, Any]], picks: list[int], form: int) -> list[Any]:
    chosen = [pool[pick % len(pool)] for pick in picks]
    if form == 0:
        return [{"id": number * number, **own} for number, own in enumerate(chosen)]
    if form == 1:
        return [{"id": number * number, "own": own if number % 4 else None} for number, own in enumerate(chosen)]
    if form == 2:
        return [{"id": number, "own": own} if number % 3 else {"id": number} for number, own in enumerate(chosen)]
    return [{"id": number, "list": chosen[: number % 4]} for number in range(len(chosen))]


WORDS = st.sampled_from(
    ["parish", "state", "region", "city", "a;b", "x=1", "name=", "opt=2", "7", "null", ">", ">x", "é", "AB"]
)


WORDY = st.lists(
    st.fixed_dictionaries(
        {"code": WORDS, "kind": WORDS, "name": st.lists(WORDS, max_size=4).map(" ".join)},
        optional={"opt": st.one_of(WORDS, st.none()), "name2": WORDS, "more": SCALARS},
    ),
    min_size=2,
    max_size=8,
)
"""Rows of words, one text with spaces among them, and words that only some rows have."""

FILLS = st.one_of(st.integers(0, 999).map(str), WORDS, st.just("10.0.0.1"))
MESSAGES = st.one_of(
    st.builds("GET /v2/{}/items took {} ms, or so".format, FILLS, FILLS),
    st.builds("user {} logged in from {}".format, FILLS, FILLS),
    st.builds("retry after {} s".format, FILLS),
    TEXTS,
)
LOGGED = st.lists(st.fixed_dictionaries({"text": MESSAGES, "n": st.integers(0, 3)}), min_size=6, max_size=14)
"""Rows whose texts were made from a few patterns."""

NODES = st.fixed_dictionaries({"name": WORDS}, optional={"size": st.integers(0, 3), "in": SCALARS})


def _with_branches(node: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    below = st.one_of(st.lists(node, max_size=3), st.none())
    return st.builds(lambda own, children: {**own, "in": children}, node, below)


TREES = st.lists(st.recursive(NODES, _with_branches, max_leaves=12), min_size=1, max_size=4)
"""Objects that hold objects of their kind, to any depth."""


def _deeper(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4),
        _rows(inner),
        _rows(st.lists(inner, max_size=3)),
        _rows(_rows(inner)),
        _rows(_maps(inner)),
        _tuples(inner),
        _maps(inner),
        _alike(inner),
        _repeating(inner),
        WORDY,
        LOGGED,
        TREES,
    )


VALUES = st.recursive(SCALARS, _deeper, max_leaves=25)
"""Values of all shapes that the crusher treats in a way of their own."""


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in type as well, a tuple being a list."""
    one = list(one) if isinstance(one, tuple) else one
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)
