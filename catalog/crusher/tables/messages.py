"""Messages: texts written from a few patterns, such as log lines; each pattern is said once, its slots in every row.

A pattern stands between header and rows, such as ``A GET /items/* took * ms``; the cell ``A 4211 37`` fills its slots.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from catalog.crusher.estimate import cell_tokens
from catalog.crusher.letters import letters
from catalog.crusher.tables.lexicon import string_text

SLOT = "*"
_WORD = re.compile(r"\w*[0-9]\w*(?:[.:-]\w*[0-9]\w*)*|\w+")
_UNFIT = re.compile(r'[*"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]|\s\Z')
_DIGIT = re.compile("[0-9]")
_MOST_PATTERNS = 26
_LEAST_ROWS = 3
"""Rows a pattern must have: with fewer, saying it costs more than it saves."""
_LEAST_SAVED = 8.0
"""Tokens that patterns must save to be worth the looking up."""
_SAMPLE = 24
_MOST_CHARS = 300
"""Characters beyond which a text is prose and no message."""


class Messages(NamedTuple):
    """A column of messages: letter → pattern, the cells, and the letter of each, '' where it has none."""

    entries: dict[str, str]
    texts: list[str]
    letters: list[str]


def messages(values: Sequence[str]) -> Messages | None:
    """Return a column as patterns and slots; None where that does not pay."""
    sample = values[:: max(1, len(values) // _SAMPLE)]
    if len(values) < 2 * _LEAST_ROWS or max(map(len, sample)) > _MOST_CHARS or 2 * len(set(values)) < len(values):
        return None
    if 2 * len({tuple(_WORD.split(value)) for value in sample}) > len(sample) or not all(" " in own for own in sample):
        return None
    patterns = _patterns(values)
    codes = letters()
    entries: dict[str, str] = {}
    texts, used = [string_text(value) for value in values], [""] * len(values)
    saved = 0.0
    for pattern, rows in patterns.items():
        code = next(codes)
        entries[code] = pattern
        saved -= cell_tokens(pattern) + 2
        for row, slots in rows:
            texts[row], used[row] = " ".join((code, *slots)), code
            saved += cell_tokens(values[row]) - cell_tokens(texts[row])
    saved -= sum(1 for text in texts if text[0] == '"')
    return Messages(entries, texts, used) if saved >= _LEAST_SAVED else None


_Rows = list[tuple[int, list[str]]]
"""Rows of a pattern and what fills its slots."""


def _patterns(values: Sequence[str]) -> dict[str, _Rows]:
    """Return the patterns that have rows enough, in the order in which they first occur, with their rows."""
    shapes: dict[tuple[str, ...], list[tuple[int, list[str]]]] = defaultdict(list)
    for row, value in enumerate(values):
        if not _UNFIT.search(value):
            shapes[tuple(_WORD.split(value))].append((row, _WORD.findall(value)))
    found: dict[str, _Rows] = {}
    for between, cut in shapes.items():
        if len(cut) >= _LEAST_ROWS:
            found |= _split(between, cut)
    first = sorted(found, key=lambda pattern: found[pattern][0][0])
    return {pattern: found[pattern] for pattern in first[:_MOST_PATTERNS]}


def _split(between: Sequence[str], cut: _Rows) -> dict[str, _Rows]:
    """Return the patterns of texts of one shape: words of few kinds tell patterns apart, the others are slots."""
    kinds = [len(set(words)) for words in zip(*(words for _, words in cut), strict=True)]
    fixed = [count == 1 or not _is_slot(count, place, cut) for place, count in enumerate(kinds)]
    found: dict[str, _Rows] = defaultdict(list)
    for row, words in cut:
        shown = [word if kept else SLOT for word, kept in zip(words, fixed, strict=True)]
        pattern = "".join(part for pair in zip(between, [*shown, ""], strict=True) for part in pair)
        found[pattern].append((row, [word for word, kept in zip(words, fixed, strict=True) if not kept]))
    return {pattern: rows for pattern, rows in found.items() if len(rows) >= _LEAST_ROWS}


def _is_slot(count: int, place: int, cut: _Rows) -> bool:
    """Return whether a word that differs is filled in: one with a digit, or one of many kinds."""
    return any(_DIGIT.search(words[place]) for _, words in cut) or count * _LEAST_ROWS > len(cut)
