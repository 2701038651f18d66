"""Templates: what a column's values have in common, said once in the header.

``name=EUR`` is a constant, ``name=(10001+1*row)`` counts with the row (from 0; inside a cell with the item), and
``name=https://x/(login)/repos`` is made of text and of another column; ``*`` stands for the cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from catalog.crusher.minified import Lexeme
from catalog.crusher.tables.lexicon import HEADER, PIECE, key_text, name_at, quoted, string_text, text_of, value_of

_COUNTER = re.compile(r"(-?[0-9]{1,310})([-+][0-9]{1,310})\*row")
_LEAD = re.compile(r"([0-9]+)\*(?=\))")
_LAST_DIGITS = re.compile(r"(.*?)([0-9]{1,15})([^0-9]*)", re.DOTALL)
_MOST_DIGITS = 300
"""Digits of a number that may be counted: so the start, which lies rows before it, stays below the 640 digits that
Python turns into text under any setting."""
_MOST = 10**_MOST_DIGITS
_LEAST_AFFIX = 3
_LEAST_DISTINCT = 3
"""Distinct values a column must have before another may be derived from it: two agree by chance."""


class Counter(NamedTuple):
    """start + step · row; `width` digits with leading zeros, 0 for none."""

    start: int
    step: int
    width: int = 0

    def at(self, row: int) -> int:
        """Return the value of a row."""
        return self.start + self.step * row

    def digits(self, row: int) -> str:
        """Return the value of a row as text."""
        return f"{self.at(row):0{self.width}d}"

    def written(self) -> str:
        """Return the counter as it stands in a header; where the start needs no leading zero, the step has them."""
        start = f"{self.start:0{self.width}d}"
        step = f"{abs(self.step):0{self.width}d}" if self.width and not _is_padded(start) else abs(self.step)
        return f"({start}{'-' if self.step < 0 else '+'}{step}*row)"

    @classmethod
    def read(cls, start: str, step: str) -> Counter:
        """Return a counter from its start and its signed step, as they stand in a header."""
        padded = next((digits for digits in (start.lstrip("-"), step[1:]) if _is_padded(digits)), "")
        return cls(int(start), int(step), len(padded))


def _is_padded(digits: str) -> bool:
    return len(digits) > 1 and digits.startswith("0")


class Reference(NamedTuple):
    """The value of another column of the same object."""

    name: str


class Lead(NamedTuple):
    """The digits that whole numbers begin with; the cell has the others."""

    digits: str

    def written(self) -> str:
        """Return the lead as it stands in a header."""
        return f"({self.digits}*)"


CELL = object()
Segment = Any
"""A piece of a template: text, `Counter`, `Reference`, `Lead` or `CELL`."""


def written(segments: Sequence[Segment]) -> str:
    """Return a template as it stands in a header."""
    return "".join(_segment(segment, segments) for segment in segments)


def _segment(segment: Segment, segments: Sequence[Segment]) -> str:
    if segment is CELL:
        return "*"
    if isinstance(segment, Counter | Lead):
        return segment.written()
    if isinstance(segment, Reference):
        return f"({key_text(segment.name)})"
    begins, ends = segment is segments[0], segment is segments[-1]
    loose = (begins and segment[:1].isspace()) or (ends and segment[-1:].isspace())
    return string_text(segment) if loose or not PIECE.fullmatch(segment) else segment


def counter_of(values: Sequence[Any], rows: Sequence[int]) -> Counter | None:
    """Return the counter that gives whole numbers, None where none does."""
    numbers = [integer_of(value) for value in values]
    return _counter(numbers, rows)


def _counter(numbers: Sequence[int | None], rows: Sequence[int], width: int = 0) -> Counter | None:
    if len(numbers) < 3 or None in numbers:
        return None
    first = next((place for place in range(1, len(rows)) if rows[place] != rows[0]), None)
    if first is None:
        return None
    step, rest = divmod(numbers[first] - numbers[0], rows[first] - rows[0])  # type: ignore[operator]
    if rest or step == 0:
        return None
    counter = Counter(numbers[0] - step * rows[0], step, width)  # type: ignore[operator]
    if width and (counter.start < 0 or counter != _again(counter)):
        return None
    return counter if all(counter.at(row) == number for row, number in zip(rows, numbers, strict=True)) else None


def _again(counter: Counter) -> Counter:
    """Return a counter as it reads back."""
    found = _COUNTER.match(counter.written(), 1)
    return Counter.read(*found.groups()) if found else counter


_LEAST_DIGITS = 8
"""Digits a number must have for its first ones to be said once."""


def lead_of(values: Sequence[Any]) -> Lead | None:
    """Return the first digits of long whole numbers, None where they differ; what is left are groups of three digits.

    Vocabularies have tokens of three digits, or of one.
    """
    texts = [str(value) for value in values if integer_of(value) is not None]
    length = len(texts[0]) if texts else 0
    if len(texts) < len(values) or length < _LEAST_DIGITS or {len(text) for text in texts} != {length}:
        return None
    common = _common(texts)
    left = -(-(length - len(common)) // 3) * 3
    return Lead(common[: length - left]) if 0 < left <= length - 3 and not common.startswith("-") else None


def integer_of(value: Any) -> int | None:
    """Return a whole number that has no other way of being written, None for anything else."""
    if value.__class__ is int and -_MOST < value < _MOST:
        return int(value)
    if value.__class__ is Lexeme and len(value) <= _MOST_DIGITS and re.fullmatch("0|-?[1-9][0-9]*", value):
        return int(value)
    return None


def counted(texts: Sequence[str], rows: Sequence[int]) -> list[Segment] | None:
    """Return the template of texts that differ in a number that counts with the row."""
    found = _LAST_DIGITS.fullmatch(texts[0])
    if found is None or len(texts) < 3:
        return None
    before, digits, after = found.groups()
    ends = len(after)
    numbers: list[int | None] = []
    widths = set()
    for text in texts:
        middle = text[len(before) : len(text) - ends]
        if not (text.startswith(before) and text.endswith(after) and middle.isascii() and middle.isdigit()):
            return None
        if len(middle) > _MOST_DIGITS:
            return None
        numbers.append(int(middle))
        widths.add(len(middle))
    padded = any(text[len(before)] == "0" and len(digits) > 1 for text in texts)
    if padded and len(widths) > 1:
        return None
    counter = _counter(numbers, rows, widths.pop() if padded else 0)
    if counter is None or not all(
        text == f"{before}{counter.digits(row)}{after}" for text, row in zip(texts, rows, strict=True)
    ):
        return None
    return [before, counter] if not after else [part for part in (before, counter, after) if part]


class Source(NamedTuple):
    """A column that others may be derived from: its values as text, and whether they are text."""

    texts: Sequence[str]
    is_text: bool


def derived(texts: Sequence[str], sources: dict[str, Source]) -> list[Segment] | None:
    """Return the template of texts that hold another column's; the longest such column is taken."""
    for name in reversed(sources):
        own, is_text = sources[name]
        place = texts[0].find(own[0]) if own[0] else -1
        if place < 0:
            continue
        before, after = texts[0][:place], texts[0][place + len(own[0]) :]
        if not (before or after or is_text):
            continue
        if all(text == f"{before}{part}{after}" for text, part in zip(texts, own, strict=True)):
            return [part for part in (before, Reference(name), after) if part]
    return None


def affixes(texts: Sequence[str]) -> tuple[str, str]:
    """Return what all texts begin and end with, cut so that no word is broken; '' where it is not worth a template."""
    before = _boundary(_common(texts))
    rest = min(map(len, texts)) - len(before)
    after = _boundary(_common([text[::-1] for text in texts])[:rest])[::-1]
    worth = (len(before) + len(after)) * (len(texts) - 1) > 8
    return (before, after) if worth and len(before) + len(after) >= _LEAST_AFFIX else ("", "")


def _common(texts: Sequence[str]) -> str:
    least, most = min(texts), max(texts)
    for place, (one, other) in enumerate(zip(least, most, strict=False)):
        if one != other:
            return least[:place]
    return least


def _boundary(common: str) -> str:
    end = len(common)
    while end and (common[end - 1].isalnum() or common[end - 1] == "_"):
        end -= 1
    return common[:end]


def distinct_enough(texts: Sequence[str]) -> bool:
    """Return whether a column may serve others as a source."""
    return len(set(texts)) >= min(_LEAST_DISTINCT, len(texts)) and any(a != b for a, b in pairwise(texts))


def constant(value: Any, inline: Callable[[Any], str]) -> str:
    """Return a constant as it stands in a header."""
    return inline(value) if value.__class__ in (dict, list, tuple) else text_of(value, HEADER)


def parsed(text: str, place: int) -> tuple[list[Segment], int]:
    """Return the segments of a template that begins at a place, and the place after it.

    Raises:
        ValueError: when it is malformed.
    """
    segments: list[Segment] = []
    while True:
        mark = text[place : place + 1]
        if mark == "*":
            segments.append(CELL)
            place += 1
        elif mark == '"':
            segment, place = quoted(text, place)
            segments.append(_Quoted(segment))
        elif mark == "(":
            segment, place = _expression(text, place + 1)
            segments.append(segment)
        else:
            found = PIECE.match(text, place)
            if found is None:
                if not segments:
                    raise ValueError(f"a template is empty at character {place}")
                return segments, place
            segments.append(found.group())
            place = found.end()


class _Quoted(str):
    """Text that stood in quotes: a string whatever it looks like."""

    __slots__ = ()


def _expression(text: str, place: int) -> tuple[Segment, int]:
    found = _COUNTER.match(text, place)
    leading = _LEAD.match(text, place)
    segment: Segment
    if leading:
        segment, place = Lead(leading.group(1)), leading.end()
    elif found:
        segment, place = Counter.read(*found.groups()), found.end()
    else:
        name, place = name_at(text, place)
        segment = Reference(name)
    if not text.startswith(")", place):
        raise ValueError(f"a template is broken at character {place}")
    return segment, place + 1


def constant_of(segment: str) -> Any:
    """Return the scalar a constant template stands for."""
    return str(segment) if isinstance(segment, _Quoted) else value_of(segment)
