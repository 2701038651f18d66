"""Cells: the texts of columns of single values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from catalog.crusher.checking import SCALARS
from catalog.crusher.estimate import cell_tokens
from catalog.crusher.missing import more_chars
from catalog.crusher.pieces import LONG, LongText
from catalog.crusher.tables.lexicon import HEADER, Fence, key_text, looks_alike, string_of, text_of
from catalog.crusher.tables.place import ABSENT, Columns, Place, Style

_USUAL = 2.0
"""Tokens that saying a usual value costs beside the value."""


def plain(name: str, values: list[Any], kinds: set[type], missing: str, place: Place) -> Columns:
    """Return a column of values as they are.

    Args:
        name: what stands in the header.
        values: one a row, `ABSENT` where there is none.
        kinds: their types, but for absent and null.
        missing: what an empty cell says, as in the header.
        place: where the column stands.
    """
    if kinds == {str} and place.style.elide:
        return _strings(name, values, missing, place)
    texts = [
        empty(value, missing)
        if value is ABSENT or value is None
        else place.inline(value, place.depth)
        if value.__class__ in (dict, list, tuple)
        else text_of(value, place.fence)
        for value in values
    ]
    return Columns(name, [cuttable(values, texts, place.fence, place.style)])


def _strings(name: str, values: list[Any], missing: str, place: Place) -> Columns:
    """Return a column of strings, some of them absent or null."""
    sure = looks_alike([value for value in values if value.__class__ is str]) > 0
    write = string_of if sure else text_of
    texts = [empty(value, missing) if value.__class__ is not str else write(value, place.fence) for value in values]
    if missing:
        told = {"": '""', "null": '"null"'}
        texts = [
            told.get(value, text) if value.__class__ is str else text for value, text in zip(values, texts, strict=True)
        ]
    elif not sure:
        texts = ["" if text == '""' else text for text in texts]
    return Columns(name + ("$" if sure else ""), [cuttable(values, texts, place.fence, place.style)])


def usual(key: str, values: list[Any], place: Place) -> Columns | None:
    """Return a column whose header says the usual value, for which cells are empty; None where there is none."""
    if ABSENT in values or not {value.__class__ for value in values} <= SCALARS:
        return None
    texts = [text_of(value, place.fence) for value in values]
    most, count = Counter(texts).most_common(1)[0]
    if count == len(texts) or 2 * count < len(texts) or count * cell_tokens(most) < cell_tokens(most) + _USUAL:
        return None
    value = values[texts.index(most)]
    if value is None:
        return None
    texts = cuttable(values, ["" if text == most else text for text in texts], place.fence, place.style)
    return Columns(f"{key_text(key)}:{text_of(value, HEADER)}", [texts])


def empty(value: Any, missing: str) -> str:
    """Return the cell of a value that is absent or null."""
    return "null" if value is None and missing != "!" else ""


def cuttable(values: Sequence[Any], texts: list[str], fence: Fence, style: Style) -> list[str]:
    """Return the texts of values, those of long strings such that a beginning can be kept."""
    if style.cuts is None:
        return texts
    return [long_text(value, text, fence) for value, text in zip(values, texts, strict=True)]


def long_text(value: Any, text: str, fence: Fence) -> str:
    """Return the text of a value; that of a long string such that a beginning can be kept."""
    if value.__class__ is not str or len(value) <= LONG or not text:
        return text
    return LongText(text, value, partial(_beginning, fence))


def _beginning(fence: Fence, kept: str, missing: int) -> str:
    return string_of(kept, fence) + more_chars(missing)
