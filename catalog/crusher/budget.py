"""The budget: a text is shortened until it fits, the largest part first, what is to be kept at the end.

One level is sought for the whole text, the characters that each string and each series of items may take for itself;
what lies inside its items has the level to itself. So a falling level cuts the largest first, wherever it lies, and
the text at the highest level that fits is the one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import NamedTuple

from catalog.crusher.missing import said
from catalog.crusher.pieces import Chain, Coded, Explained, Glossary, LongText, Series, joined, within

_DEEPEST = 128
"""Objects inside each other, beyond which none lie in a text."""
_CLOSER = 5
"""Characters by which a string may have been cut too short."""
_POOR = 0.5
"""Share of the budget below which objects inside rows are cut as well."""
_SHALLOW = (2, 1, 0)
"""Depths below which they are, one after the other."""
_NEAR = 0.995
"""Share of the budget that is near enough."""
_WHOLE = 1 << 62
"""A level at which nothing is cut."""


class BudgetError(ValueError):
    """A budget that even the shortest text does not keep to.

    Attributes:
        least: what the shortest text takes.
    """

    def __init__(self, told: str, least: int) -> None:
        super().__init__(told)
        self.least = least


class Fitted(NamedTuple):
    """A text that fits, and the letters that it uses."""

    text: str
    used: Mapping[Glossary, Collection[str]]


def fit(piece: str, budget: int, *, other: str) -> Fitted:
    """Return a piece, longer than that, in at most so many characters.

    Args:
        piece: a string or piece.
        budget: characters.
        other: another text that would do, were it short enough.

    Raises:
        BudgetError: when even the shortest text is longer, naming its length.
    """
    return _fitted(piece, other, budget, len, highest=budget, unit="characters", most=budget)


def fit_tokens(piece: str, budget: int, count: Callable[[str], int], *, other: str, most: int | None = None) -> Fitted:
    """Return a piece, longer than that, in at most so many tokens.

    Args:
        piece: a string or piece.
        budget: tokens.
        count: gives the tokens of a text.
        other: another text that would do, were it short enough.
        most: characters that the text may take.

    Raises:
        BudgetError: when even the shortest text has more, naming their number.
    """
    likely = 2 * budget * len(piece) // max(count(piece), 1)  # a level beyond it gives texts that are far too long
    highest = likely if most is None else min(likely, most)
    return _fitted(piece, other, budget, count, highest=highest, unit="tokens", most=most or _WHOLE)


def _fitted(
    piece: str, other: str, budget: int, size: Callable[[str], int], *, highest: int, unit: str, most: int
) -> Fitted:
    """Return the longest text found that fits, of those at different levels.

    Args:
        piece: a string or piece.
        other: another text that would do, were it short enough.
        budget: what the text may take, by `size`.
        size: measures a text.
        highest: a level beyond which nothing fits.
        unit: what is measured.
        most: characters the text may take.
    """

    def fits(found: Fitted | None) -> bool:
        return found is not None and len(found.text) <= most and size(found.text) <= budget

    tried = [other]
    for last in Last:
        depth = _WHOLE
        best = shortened(piece, 0, last)
        tried.append(best.text)
        if last is Last.SPARED and not fits(best) and fits(shortened(piece, 0, last, 0)):
            depth = bisect_left(range(_DEEPEST), True, key=lambda deep: not fits(shortened(piece, 0, last, deep))) - 1
            best = shortened(piece, 0, last, depth)
        if not fits(best):
            tried.append(best.text)
            continue
        for shallower in (depth, *(deep for deep in _SHALLOW if deep < depth and last is Last.SPARED)):
            low, high = 0, min(highest, len(piece))
            while low < high and size(best.text) < _NEAR * budget:
                level = (low + high + 1) // 2
                found = _at_most(piece, level, last, shallower, most)
                if found is None or not fits(found):
                    high = level - 1
                else:
                    low, best = level, max(found, best, key=lambda fitted: said(fitted.text))
            if size(best.text) >= _POOR * budget:
                break
        return best
    least = min(map(size, [text for text in tried if len(text) <= most] or tried))
    told = f"a budget of {budget:,} {unit} is too small: the shortest text takes {least:,}"
    raise BudgetError(told, least)


class Last(Enum):
    """What is cut last, when nothing else is left to cut."""

    SPARED = "items that are to be kept, and before these the entries of objects, the deepest first"
    HOLDERS = "entries of objects that hold such items; of these items, which are all there are, some are cut"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a text is cut.

    Attributes:
        level: characters each string and each series may take.
        last: what is not cut yet.
        depth: how many objects inside each other have all their entries.
        most: characters the whole text may take.
        used: the letters that the text uses.
    """

    level: int
    last: Last
    depth: int
    most: int
    used: dict[Glossary, set[str]] = field(default_factory=lambda: defaultdict(set))

    def none(self) -> _Cut:
        """Return the cut that leaves all."""
        return _Cut(_WHOLE, Last.SPARED, _WHOLE, self.most, self.used)


def shortened(piece: str, level: int, last: Last = Last.SPARED, depth: int = _WHOLE, most: int = _WHOLE) -> Fitted:
    """Return a piece at a level, the characters each string and each series may take; 0 for the shortest text.

    Args: see `_Cut`.

    Raises:
        _TooLong: as soon as the text is sure to take more characters than it may.
    """
    cut = _Cut(level, last, depth, most)
    return Fitted(_text(piece, cut, 0), cut.used)


def _at_most(piece: str, level: int, last: Last, depth: int, most: int) -> Fitted | None:
    """Return a piece at a level; None where it takes more characters than it may."""
    try:
        found = shortened(piece, level, last, depth, most)
    except _TooLong:
        return None
    return found if len(found.text) <= most else None


class _TooLong(Exception):
    """The text takes more characters than it may."""


def _text(piece: str, cut: _Cut, deep: int) -> str:
    if isinstance(piece, Series):
        return _series(piece, cut, deep)
    if isinstance(piece, Chain):
        return "".join([part if part.__class__ is str else _text(part, cut, deep) for part in piece.parts])
    if isinstance(piece, LongText):
        return piece if len(piece) <= cut.level else _beginning(piece, cut.level)
    if isinstance(piece, Explained):
        body = _text(piece.body, cut, deep)
        return piece.opening(cut.used[piece.glossary]) + body
    if isinstance(piece, Coded):
        cut.used[piece.glossary].add(piece.letter)
    return piece


def _beginning(piece: LongText, level: int) -> str:
    """Return a long beginning of a string that takes at most so many characters; none where none does."""
    kept = min(len(piece.value), max(level, 0))
    while True:
        text = piece.cut(piece.value[:kept], len(piece.value) - kept)
        if len(text) <= level or not kept:
            break
        kept -= min(kept, len(text) - level)
    for more in range(1, min(_CLOSER, len(piece.value) - kept)):  # the mark was longer, and some characters are two
        longer = piece.cut(piece.value[: kept + more], len(piece.value) - kept - more)
        text = longer if len(longer) <= level else text
    return text if len(text) < len(piece) else piece


def _series(piece: Series, cut: _Cut, deep: int) -> str:
    runs = _runs(piece, cut, deep)
    total = len(piece.items)
    spared = piece.spared.firm and cut.last is Last.SPARED
    if not runs and (total or (len(piece) > cut.level and not spared)):
        if piece.total and len(piece.stub(piece.total)) < len(piece):
            return piece.stub(piece.total)
        runs = [(0, total)]
    texts = _with_marks(piece, runs, cut, deep)
    _use_entries(piece, cut)
    lines = [glossary.lines(cut.used[glossary]) for glossary in piece.glossaries]
    return piece.head + "".join(lines) + joined(texts, piece.joint) + piece.tail


def _with_marks(piece: Series, runs: Sequence[Run], cut: _Cut, deep: int) -> list[str]:
    """Return the items that are there, and a mark in each gap; in an object, which has no order, one at the end."""
    texts: list[str] = []
    total = len(piece.items)
    place = 0
    for first, end in [*runs, (total, total)]:
        if place < first and not piece.is_object:
            texts.append(piece.mark(place, first))
        texts += _items(piece, first, end, cut, deep + piece.is_object)
        place = end
    missing = total - sum(end - first for first, end in runs)
    return [*texts, piece.mark(0, missing)] if missing and piece.is_object else texts


def _use_entries(piece: Series, cut: _Cut) -> None:
    """Note the letters in the entries that are used: each may use letters of the glossaries before its own."""
    for glossary in reversed(list(piece.glossaries)):
        for inner in chain.from_iterable(within(glossary.entries[letter]) for letter in cut.used[glossary] if letter):
            if isinstance(inner, Coded):
                cut.used[inner.glossary].add(inner.letter)


def _items(piece: Series, first: int, end: int, cut: _Cut, deep: int) -> list[str]:
    """Return the texts of items that follow each other."""
    for glossary, letters in piece.glossaries.items():
        cut.used[glossary].update(letters[first:end])
    inside = cut.none() if piece.spared.kept and cut.last is Last.SPARED else cut
    texts: list[str] = []
    taken = 0
    for place, item in enumerate(piece.items[first:end], first):
        own = inside if place in piece.spared.kept else cut
        texts.append(item if item.__class__ is str else _text(item, own, deep))
        taken += len(texts[-1])
        if taken > cut.most:
            raise _TooLong
    return texts


Run = tuple[int, int]
"""Items that follow each other: the place of the first, and the place after the last."""


def _runs(piece: Series, cut: _Cut, deep: int) -> list[Run]:
    """Return the items of a series that are there, in order."""
    places = _places(piece, cut, deep)
    runs = [(0, len(places))] if isinstance(places, range) else _grouped(places)
    return _closed(piece, runs) if places else []


def _places(piece: Series, cut: _Cut, deep: int) -> Sequence[int]:
    """Return the places of the items that are there: the firm ones, and from the first on what the level allows."""
    firm = piece.spared.firm if piece.items else ()
    if piece.is_object and cut.last is Last.SPARED and deep < cut.depth:
        return range(len(piece.items))
    if cut.last in (Last.HOLDERS, Last.NOTHING):
        if piece.is_object and cut.last is Last.HOLDERS:
            return firm
        return [place for place, taken in _taken(piece, firm) if taken <= cut.level]
    if not firm:
        return range(bisect_right(piece.sums, cut.level, lo=1) - 1)
    others = sorted(set(range(len(piece.items))).difference(firm))
    return sorted([*firm, *(place for place, taken in _taken(piece, others) if taken <= cut.level)])


def _taken(piece: Series, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield places, each with the characters that its item and those before take."""
    taken = 0
    for place in places:
        taken += piece.sums[place + 1] - piece.sums[place]
        yield place, taken


def _grouped(places: Sequence[int]) -> list[Run]:
    runs: list[Run] = []
    for place in places:
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _closed(piece: Series, runs: Sequence[Run]) -> list[Run]:
    """Return runs without gaps in whose place a mark would be no shorter."""
    total = len(piece.items)
    found: list[Run] = []
    place = 0
    for first, end in [*runs, (total, total)]:
        size = sum(map(len, piece.items[place:first])) + len(piece.joint) * (first - place)
        start = first if place < first and size > len(piece.mark(place, first)) else place
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        elif start < end:
            found.append((start, end))
        place = end
    return found
