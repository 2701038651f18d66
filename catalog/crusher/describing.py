"""Describing: a crushed text in a few words, for a model that sees the form for the first time."""

from __future__ import annotations

from collections.abc import Iterator

from catalog.crusher.result import CrushResult
from catalog.crusher.tables.headers import Dictionary, Group, Header, Leaf
from catalog.crusher.tables.reading import Heads, read
from catalog.crusher.tables.writing import HEAD, is_written

_EMPTY = {"?": "? absent", "!": "! null", ":": ":v v"}
_OTHERS = {
    "~": "~ no object, ~n null.",
    "=": "=v all rows: * cell, (b) its b, row from 0.",
    "list": "Cells: ; items | fields.",
    "^": "^a: > rows are in its a.",
    ":,": "{a:} null.",
    "[&": "&A: item A.",
}
"""What is said of each feature of a text, in this order."""
_SIGNS = {":,": (":,", ":}"), "[&": ("[&",)}
"""What shows that a feature is used that no header speaks of."""
_JSON = 'Rows "~r" under columns "~t"; "~" absent, "~A" in legend; "~?", "~!" may be left out: absent, null.'
_HANDLES = "A, B…: identifiers."


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
        used = {feature for header in heads for feature in _features(header)} | _between_rows(result.text)
        empty = ", ".join(words for feature, words in _EMPTY.items() if feature in used)
        others = [words for feature, words in _OTHERS.items() if feature in used]
        parts = [*([f"Empty cell: {empty}."] if empty else []), *others, *parts]
    return " ".join(parts)


def _between_rows(text: str) -> set[str]:
    """Return what a text seems to use beside its headers: entries without a value, letters for the items of a list."""
    return {feature for feature, signs in _SIGNS.items() if any(sign in text for sign in signs)}


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
