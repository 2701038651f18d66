"""Describing: a crushed text in a few words, for a model that sees the form for the first time."""

from __future__ import annotations

import re
from collections.abc import Iterator

from catalog.crusher.result import CrushResult
from catalog.crusher.tables.headers import Dictionary, Group, Header, Leaf
from catalog.crusher.tables.reading import Heads, read
from catalog.crusher.tables.writing import HEAD, is_written

_NULL = {"!": "!", ":,": "{a:}"}
_OTHERS = {
    "~": "~ absent, ~n null.",
    "=": "=v all rows: * cell, (b) b, row from 0.",
    "list": "; items | fields.",
    "^": "^a holds > rows.",
}
"""What is said of each feature of a text, in this order; all of it is no more than may be said."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"(?!:)')
_NO_VALUE = re.compile(r"[{,][^\s,{}]*:[,}]")
"""An entry of an object without value, which no header speaks of, where strings are left out."""
_JSON = 'Rows "~r" under columns "~t"; "~" absent, "~A" in legend; "~?", "~!" may be left out: absent, null.'
_HANDLES = "A, B… ids."


def describe_crush(result: CrushResult) -> str:
    """Return how to read a crushed text, in at most 60 tokens; '' for plain JSON.

    Of the text layout only what the headers use is said, of the json layout always the same.

    Headers explain themselves, as do letters, which are said under the names of their columns, and the marks of what
    was cut; this is for callers who want to be sure.
    """
    parts = [_HANDLES] if result.handles else []
    if result.crushed and not is_written(result.text):
        parts.insert(0, _JSON)
    elif result.crushed:
        heads: Heads = []
        read(result.text, len(HEAD), heads)
        used = {feature for header in heads for feature in _features(header)}
        if _NO_VALUE.search(_QUOTED.sub("", result.text)):
            used.add(":,")
        parts = [*_empty(used), *(words for feature, words in _OTHERS.items() if feature in used), *parts]
    return " ".join(parts)


def _empty(used: set[str]) -> list[str]:
    """Return what stands for nothing, as one sentence; none where nothing does."""
    null = " ".join(sign for feature, sign in _NULL.items() if feature in used)
    said = ["? absent"] * ("?" in used) + [f"{null} null"] * bool(null) + [":v v"] * (":" in used)
    return [f"Empty: {', '.join(said)}."] if said else []


def _features(header: Header) -> Iterator[str]:
    """Yield what a header uses."""
    for column in header:
        if isinstance(column, Dictionary):
            yield from _features(column.columns)
        elif isinstance(column, Group):
            yield from ["~"] if column.missing else []
            yield from _features(column.columns)
        elif column.kind == "branch":
            yield "^"
        else:
            yield from _of_leaf(column)


def _of_leaf(leaf: Leaf) -> Iterator[str]:
    yield from [leaf.missing] if leaf.missing else []
    yield from ["="] if leaf.template else []
    yield from ["list", *_features(leaf.fields)] if leaf.fields else []
