"""Lines of a source: which line a character is on, and where lines begin and end."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from catalog.crusher.code.outlines import Span

_BREAK = re.compile(r"\r\n|\r|\n")


class Lines:
    """The lines of a source, numbered from 1; they are counted when they are first asked for."""

    def __init__(self, source: str) -> None:
        self._source, self._size = source, len(source)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        if "\r" in self._source:
            return [0, *(found.end() for found in _BREAK.finditer(self._source))]
        lengths = [len(line) + 1 for line in self._source.split("\n")]
        return list(accumulate(lengths[:-1], initial=0))

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
