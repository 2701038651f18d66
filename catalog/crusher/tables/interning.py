"""Interning: columns whose cells repeat together are written once, each combination under a letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from catalog.crusher.estimate import cell_tokens
from catalog.crusher.letters import letters
from catalog.crusher.pieces import chained
from catalog.crusher.tables.lexicon import NUMBER
from catalog.crusher.tables.place import without_end

_MOST = 3
"""Dictionaries of one table; more would have to be looked up more often than they save."""
_LEAST_SAVED = 6.0
"""Tokens a dictionary must save to be worth the looking up."""
_CODE = 1.0
_ENTRY = 2.0
_HEADER = 4.0


def repeated(items: Sequence[str]) -> dict[str, str]:
    """Return the letters of those items of a list that repeat and are long enough for it to pay: item → letter."""
    names = letters()
    counts = Counter(item for item in items if not NUMBER.fullmatch(item))
    taken = {item: cell_tokens(item) for item, count in counts.items() if count > 1}
    own = {item: counts[item] * (each - _REFERENCE) - each - _ENTRY for item, each in taken.items()}
    worth = {item: next(names) for item, saved in own.items() if saved > 0 and "\n" not in item}
    return worth if sum(own[item] for item in worth) >= _LEAST_SAVED else {}


_REFERENCE = 2.0  # tokens of a letter and its mark


class Interned(NamedTuple):
    """Columns that were interned.

    Attributes:
        places: theirs.
        codes: the letter of each row; '' where all are empty.
        entries: letter → cells, with commas between them.
    """

    places: tuple[int, ...]
    codes: list[str]
    entries: dict[str, str]


def interned(columns: Sequence[Sequence[str]], candidates: Sequence[int]) -> list[Interned]:
    """Return the dictionaries that pay, the one that saves most first. Numbers alone stay where they can be compared.

    Args:
        columns: the texts of all columns, row by row.
        candidates: the places of those that may be interned.
    """
    found: list[Interned] = []
    counted = {place: Counter(columns[place]) for place in candidates}
    left = {
        place: sum(count * cell_tokens(text) for text, count in counts.items())
        for place, counts in counted.items()
        if 2 * len(counts) <= len(columns[place])
    }
    first = {place for place in left if not all(map(NUMBER.fullmatch, filter(None, counted[place])))}
    while len(found) < _MOST:
        seeds = sorted(first & left.keys(), key=lambda place: (-left[place], place))[:_SEEDS]
        if not seeds:
            break
        options = [_together(columns, seed, left) for seed in seeds]
        saved, places = max(((_saved(columns, places, left), places) for places in options), key=itemgetter(0))
        if saved < _LEAST_SAVED:
            break
        found.append(_coded(columns, places))
        left = {place: taken for place, taken in left.items() if place not in places}
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


def _saved(columns: Sequence[Sequence[str]], places: Sequence[int], taken: Mapping[int, float]) -> float:
    """Return the tokens that interning columns saves, estimated."""
    filled = max(_filled(columns[place]) for place in places)
    codes = _CODE * filled + cell_tokens("") * (len(columns[places[0]]) - filled)
    most = sum(taken[place] for place in places) - codes - _HEADER
    if most < _LEAST_SAVED:
        return 0.0
    entries = set(zip(*(columns[place] for place in places), strict=True))
    return most - sum(cell_tokens(text) for entry in entries for text in entry) - _ENTRY * len(entries)


def _filled(texts: Sequence[str]) -> int:
    return len(texts) - texts.count("")


def _coded(columns: Sequence[Sequence[str]], places: tuple[int, ...]) -> Interned:
    known: dict[tuple[str, ...], str] = {("",) * len(places): ""}
    names = letters()
    codes = []
    for row in zip(*(columns[place] for place in places), strict=True):
        if row not in known:
            known[row] = next(names)
        codes.append(known[row])
    entries = {code: chained(without_end(row), ",") for row, code in known.items() if code}
    return Interned(places, codes, entries)
