"""Lines of a source: which line a character is on, and where lines begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from catalog.crusher.code.outlines import Span

_BREAK = re.compile(r"\r\n|\r|\n")


def _starts(source: str) -> list[int]:
    return [0, *(found.end() for found in _BREAK.finditer(source))]


class Lines:
    """The lines of a source, numbered from 1.

    Attributes:
        starts: where each line begins.
    """

    __slots__ = ("_size", "starts")

    def __init__(self, source: str) -> None:
        lengths = [len(line) + 1 for line in source.split("\n")] if "\r" not in source else []
        self.starts = list(accumulate(lengths[:-1], initial=0)) if lengths else _starts(source)
        self._size = len(source)

    def __len__(self) -> int:
        """How many lines there are; behind the last line break there is none."""
        return len(self.starts) - (self.starts[-1] == self._size > 0)

    def number(self, place: int) -> int:
        """Return the number of the line that a character is on."""
        return bisect_right(self.starts, place)

    def span(self, first: int, last: int) -> Span:
        """Return the characters of some lines, the last one's break included."""
        return Span(self.starts[first - 1], self.starts[last] if last < len(self.starts) else self._size)

    def count(self, span: Span) -> int:
        """Return on how many lines a span lies."""
        return self.number(max(span.start, span.end - 1)) - self.number(span.start) + 1
