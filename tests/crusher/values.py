"""JSON values of every kind, and an equality that knows 1 from 1.0 and from true.

The values of rows are picked from a small pool by the bytes of one string: so columns repeat, leave cells empty and
agree with each other as those of real tables do, and hundreds of rows take no longer to draw than a few numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any, get_args

from hypothesis import strategies as st

from catalog.crusher.options import Layout, Level

LEVELS, LAYOUTS = get_args(Level), get_args(Layout)
FORMS: list[dict[str, Any]] = [
    {"level": level, "layout": layout, "elide": elide}
    for level, layout, elide in product(LEVELS, LAYOUTS, (True, False))
]
"""Every form that a crushed text can have, as options."""
MARKS = [
    *("~", "~n", "~1", "~~", "~A", "~B", "~t", "~r", "~k", "~*", "~?x", "~!x", "~…", "~crush", "value", "legend"),
    *("…", "…(+", "…(+5 more rows)", "x…(+3 chars)", "~…(+5 more rows)", "~…x…(+5 chars)", "[…(+5 more rows)]"),
    *("{…(+5 more rows)}", "…(+0 more rows)", "…(+5 more rows)x", "(+5 more rows)", "x…(+3 chars)y"),
    *("&", "&A", "&x", "&3", "&3\n", "&{a}", "^", "^a", "^a[]", ">", ">x", ">>", "%", "a%", "A", "B", "A 1", "AA"),
    *("*", "a*b", "=", "a=b", "a=", "$", "?", "!", "#", ":", "a:b", "a:", "(id)", "(1+1*row)", "[]", "{}", "(x)"),
    *("a,b", "a;b", "a|b", "[x", "{x", "]", "}", "[3]{a}", '"', '"x"', "\\", "\\n", "\n0:", "a b"),
]
"""Strings that mean something in one of the layouts."""
NASTY = [
    *MARKS,
    *("", "null", "true", "NaN", "-Infinity", "1", "01", "-0", "1.0", "1e5", "1E+5", "0x1", " x", "x ", "x \n", "a\nb"),
    *("a\tb", "\x00", "\x1f", "é", "\u2028", "\u200b", "\ufeff", "\ud800", "\udfffx", "😀", "@1"),
    *("__proto__", "constructor", "a.b", "$ref"),
]
LONG = [
    "a longer text, with a comma, and long enough to be cut",
    "another; longer|text of which a beginning can be kept",
    "~ a third text of some length that begins as a mark does",
    "…(+5 more rows) and more words after that than there need be",
    "a text that ends as if it had been cut off already…(+3 chars)",
    "a text\nof several lines, the second of which is the longer one",
    '"quoted", and then \\ and \x00: escapes take more room than characters',
]
TEXTS = st.one_of(st.sampled_from(NASTY), st.sampled_from(NASTY), st.text(max_size=6), st.sampled_from(LONG))
KEYS = st.one_of(st.sampled_from(NASTY), st.sampled_from(list("abcde")), st.text(max_size=3))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.integers(),
    st.floats(),
    TEXTS,
    TEXTS,
    st.sampled_from([1e21, -0.0, 2**64]),
)
COUNTED = st.tuples(st.integers(-50, 50), st.integers(-3, 3), st.sampled_from(["", "id-", "x/"]))
FEW, MANY = st.binary(min_size=4, max_size=24), st.binary(min_size=12, max_size=60)
"""Picks: each byte chooses from a pool."""


def _pool(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(inner, min_size=1, max_size=4)


def _picked(pool: Sequence[Any], picks: bytes) -> list[Any]:
    return [pool[pick % len(pool)] for pick in picks]


def _listed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Lists in which the same few items come again and again."""
    return st.builds(_picked, _pool(inner), FEW)


def _rows(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Rows of a few keys and few distinct values; some keys are absent, and some rows have a number of their own."""
    return st.builds(_rows_of, st.lists(KEYS, min_size=1, max_size=4, unique=True), _pool(inner), FEW, st.booleans())


def _rows_of(keys: list[str], pool: list[Any], picks: bytes, numbered: bool) -> list[dict[str, Any]]:
    cut = [picks[start : start + len(keys)] for start in range(0, len(picks), len(keys))]
    rows = [{key: pool[pick % len(pool)] for key, pick in zip(keys, own, strict=False) if pick % 8 != 7} for own in cut]
    rows[-1] |= {"rare": pool[0]} if numbered else {}
    return [{**row, "id": number * number} for number, row in enumerate(rows)] if numbered else rows


def _tuples(_: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda size, pool, picks: [_picked(pool, picks[at : at + size]) for at in range(0, len(picks) // size, size)],
        st.integers(2, 3),
        _pool(SCALARS),
        FEW,
    )


def _maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects of objects."""
    return st.builds(
        lambda keys, rows: dict(zip(keys, rows * len(keys), strict=False)),
        st.lists(KEYS, min_size=2, max_size=5, unique=True),
        _rows(inner),
    )


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
    texts = st.sampled_from([*LONG, ""])
    pool = st.lists(
        st.dictionaries(st.sampled_from("pqr"), st.one_of(inner, texts), max_size=3), min_size=1, max_size=3
    )
    return st.builds(_repeating_rows, pool, FEW, st.integers(0, 4))


def _repeating_rows(pool: list[dict[str, Any]], picks: bytes, form: int) -> list[Any]:
    chosen = _picked(pool, picks)
    if form == 0:
        return [{"id": number * number, **own} for number, own in enumerate(chosen)]
    if form == 1:
        return [{"id": number * number, "own": own if number % 4 else None} for number, own in enumerate(chosen)]
    if form == 2:
        return [{"id": number, "own": own} if number % 3 else {"id": number} for number, own in enumerate(chosen)]
    if form == 3:
        return [{"id": number, "list": chosen[: number % 4]} for number in range(len(chosen))]
    return [
        {"id": number, "map": {f"k{key}": chosen[key] for key in range(number % 4)}} for number in range(len(chosen))
    ]


WORDS = [
    "parish",
    "state",
    "region",
    "city",
    "a;b",
    "x=1",
    "name=",
    "opt=2",
    "7",
    "null",
    ">",
    ">x",
    "é",
    "AB",
    "~",
    "",
]


def _wordy_rows(picks: bytes, more: list[Any]) -> list[dict[str, Any]]:
    """Rows of words, one text with spaces among them, and words that only some rows have."""
    rows = []
    for number in range(0, len(picks) - 4, 5):
        code, kind, name, opt, last = picks[number : number + 5]
        row: dict[str, Any] = {"code": WORDS[code % 16], "kind": WORDS[kind % 15]}
        row["name"] = " ".join(WORDS[(name * word) % 15] for word in range(1, 1 + name % 4))
        row |= {"opt": WORDS[opt % 15]} if opt % 4 else {"opt": None} if opt % 8 else {}
        row |= {"more": more[last % len(more)]} if last % 3 == 0 else {"name2": WORDS[last % 16]}
        rows.append(row)
    return rows


WORDY = st.builds(_wordy_rows, MANY, _pool(SCALARS))


def _logged_rows(picks: bytes, others: list[str]) -> list[dict[str, Any]]:
    """Rows whose texts were made from a few patterns."""
    fills = [*WORDS[:-1], "10.0.0.1", "4211", "37", 'a"b', "a*b", "a\nb", "a ", '"', "…(+1 chars)"]
    rows = []
    for number in range(0, len(picks) - 2, 3):
        kind, one, two = picks[number : number + 3]
        own, other = fills[one % len(fills)], str(two + 10 * number)
        texts = [f"GET /v2/{own}/items took {other} ms, or so", f"user {other} logged in from {own}"]
        texts += [f"retry after {other} s", others[kind % len(others)]]
        rows.append({"text": texts[kind % 4 if kind % 32 == 3 else kind % 3], "n": two % 4})
    return rows


LOGGED = st.builds(_logged_rows, st.binary(min_size=24, max_size=60), _pool(TEXTS))


def _grown(picks: bytes, names: list[Any], leaves: int) -> list[dict[str, Any]]:
    """Objects that hold objects of their kind, to any depth; those that hold none hold [], nothing or a name there."""
    path: list[dict[str, Any]] = [{"in": []}]
    for pick in picks:
        del path[1 + pick % 5 :]
        node: dict[str, Any] = {"name": names[pick // 5 % len(names)], "in": []}
        node |= {"size": pick % 7} if pick % 3 == 0 else {}
        node |= {f"rare {pick}": pick, f"odd {pick}": "a text"} if pick % 17 == 0 else {}
        path[-1]["in"].append(node)
        path.append(node)
    roots: list[dict[str, Any]] = path[0]["in"]
    work = roots[:] if leaves else []
    while work:
        node = work.pop()
        work += node["in"]
        if not node["in"] and leaves == 1:
            del node["in"]
        elif not node["in"] and leaves == 2 and node["name"] in WORDS[:8]:
            node["in"] = node["name"]
    return roots


TREES = st.builds(
    _grown, FEW, st.one_of(st.just(WORDS[:14]), _pool(SCALARS), st.just(["a name", "b"])), st.integers(0, 2)
)


def shaped(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects, lists and tables of every kind that hold such values."""
    return st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4),
        _listed(inner),
        _listed(_rows(inner)),
        _rows(inner),
        _rows(_listed(inner)),
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


_SHAPES = shaped(SCALARS)
VALUES = st.one_of(
    SCALARS,
    _SHAPES,
    _SHAPES,
    shaped(st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(KEYS, SCALARS, max_size=3))),
    st.lists(_SHAPES, max_size=3),
    st.dictionaries(KEYS, _SHAPES, max_size=3),
)
"""Values of all shapes that the crusher treats in a way of their own."""


MARKED = shaped(st.sampled_from([*MARKS, *LONG]))
"""Values made of everything that means something in one of the layouts."""


@st.composite
def twins(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw a value and the same value with one of its scalars or keys changed, perhaps to one that is equal."""
    value = draw(VALUES)
    return value, _changed(value, draw(FEW), draw(SCALARS))


def _changed(value: Any, steps: bytes, other: Any) -> Any:
    """Return a value with what lies at the end of some steps replaced."""
    if not steps or not value or not isinstance(value, dict | list):
        return other
    if isinstance(value, list):
        at = steps[0] % len(value)
        return [*value[:at], _changed(value[at], steps[1:], other), *value[at + 1 :]]
    key = sorted(value)[steps[0] % len(value)]
    if steps[0] < 64 and isinstance(other, str):
        return {other if name == key else name: item for name, item in value.items()}
    return value | {key: _changed(value[key], steps[1:], other)}


def shuffled(value: Any, chance: Random) -> Any:
    """Return a value with its keys in another order."""
    if isinstance(value, dict):
        keys = chance.sample(list(value), len(value))
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


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
