"""Interning: columns whose cells repeat together are written once, each combination under a letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

_MOST = 3
"""Dictionaries of one table; more would have to be looked up more often than they save."""
_LEAST_SAVED = 6.0
"""Tokens a dictionary must save to be worth the looking up."""
_CODE = 1.0
_ENTRY = 2.0
_HEADER = 4.0


class Interned(NamedTuple):
    """Columns that were interned: their places, the letter of each row, and the entries as rows of cells."""

    places: tuple[int, ...]
    codes: list[str]
    entries: list[tuple[str, ...]]


def interned(columns: Sequence[Sequence[str]], candidates: Sequence[int]) -> list[Interned]:
    """Return the dictionaries that pay, the one that saves most first.

    Args:
        columns: the texts of all columns, row by row.
        candidates: the places of those that may be interned.
    """
    found: list[Interned] = []
    counted = {place: Counter(columns[place]) for place in candidates}
    left = {
        place: sum(count * _tokens(text) for text, count in counts.items())
        for place, counts in counted.items()
        if 2 * len(counts) <= len(columns[place])
    }
    while left and len(found) < _MOST:
        seeds = sorted(left, key=lambda place: (-left[place], place))[:_SEEDS]
        options = [_together(columns, seed, left) for seed in seeds]
        saved, places = max(((_saved(columns, places, left), places) for places in options), key=itemgetter(0))
        if saved < _LEAST_SAVED:
            break
        found.append(_coded(columns, places))
        left = {place: tokens for place, tokens in left.items() if place not in places}
    return found


_SEEDS = 8
"""Columns that are tried as the first of a dictionary, those with the most to save."""


def _together(columns: Sequence[Sequence[str]], seed: int, candidates: Iterable[int]) -> tuple[int, ...]:
    """Return the seed and every column that it determines."""
    own = columns[seed]
    return tuple(place for place in candidates if place == seed or _determines(own, columns[place]))


def _determines(own: Sequence[str], other: Sequence[str]) -> bool:
    known: dict[str, str] = {}
    return all(known.setdefault(one, two) == two for one, two in zip(own, other, strict=True))


def _saved(columns: Sequence[Sequence[str]], places: Sequence[int], tokens: Mapping[int, float]) -> float:
    """Return the tokens that interning columns saves, estimated."""
    most = sum(tokens[place] for place in places) - _CODE * len(columns[places[0]]) - _HEADER
    if most < _LEAST_SAVED:
        return 0.0
    entries = set(zip(*(columns[place] for place in places), strict=True))
    return most - sum(_tokens(text) for entry in entries for text in entry) - _ENTRY * len(entries)


@lru_cache(maxsize=4096)
def _tokens(text: str) -> float:
    """Return about how many tokens a cell and its comma take: words are few, digits and signs many."""
    if not text:
        return 0.3
    letters = sum(map(str.isalpha, text))
    return 0.5 + letters / 5 + (len(text) - letters) / 2.5


def _coded(columns: Sequence[Sequence[str]], places: tuple[int, ...]) -> Interned:
    entries: dict[tuple[str, ...], str] = {}
    names = letters()
    codes = []
    for row in zip(*(columns[place] for place in places), strict=True):
        if row not in entries:
            entries[row] = next(names)
        codes.append(entries[row])
    return Interned(places, codes, list(entries))


def letters() -> Iterator[str]:
    """Yield A, B, … Z, AA, AB, …"""
    number = 0
    while True:
        number += 1
        name, rest = "", number
        while rest:
            rest, digit = divmod(rest - 1, 26)
            name = chr(65 + digit) + name
        yield name


def entry_lines(found: Interned) -> list[str]:
    """Return the lines of a dictionary: letter and cells, with commas between them."""
    codes = list(dict.fromkeys(found.codes))
    return [",".join((code, *entry)).rstrip(",") for code, entry in zip(codes, found.entries, strict=True)]
