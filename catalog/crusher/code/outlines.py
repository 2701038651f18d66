"""Outlines: what a source declares and where, whatever the language; the parsers fill them in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Characters of a source, from one up to another."""

    start: int
    end: int


class Spans:
    """Spans of which it is asked whether they share a character with another."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touch(self, span: Span) -> bool:
        """Return whether some character lies in both."""
        place = bisect_left(self._starts, span.end)
        return place > 0 and self._ends[place - 1] > span.start


class Declaration(NamedTuple):
    """Something that has a name.

    Attributes:
        name: the name, such as ``send`` or, of a method, ``Session.send``.
        span: all of it, with decorators.
    """

    name: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What can be left out: the body of a function, or the rest of a long list.

    Attributes:
        span: what goes.
        before: what stands in its place, before the marker.
        after: what stands behind the marker.
        inside: gives the names of what is declared in it.
        count: how many go.
        what: of what: lines, rows or values.
    """

    span: Span
    before: str
    after: str
    count: int
    what: str = "lines"
    inside: Callable[[], Iterable[str]] = tuple


class Statement(NamedTuple):
    """A statement of a language whose statements are parsed one by one.

    Attributes:
        text: the text.
        shape: the kinds of its tokens: of two statements of one shape both parse or neither.
    """

    text: str
    shape: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a parser says of a source.

    Attributes:
        parts: what can be left out, in order of their beginnings, the outer before the inner; to be read once.
        declarations: what has a name, in order.
        comments: comments that are no documentation, of a parser that meets them on its way; to be read once.
        errors: how many errors the parser met.
        broken: what is to be left alone, since the parser did not understand it.
        again: reads a text made of this source as it was read; None for the way any is read.
        grammar: what it was read by, of a language that has several.
        told: what was guessed; '' where nothing was.
        statements: those of a language whose statements are parsed one by one.
        parses: says whether one of them parses.
    """

    parts: Iterable[Part] = ()
    declarations: Sequence[Declaration] = ()
    comments: Iterable[Span] = ()
    errors: int = 0
    broken: Sequence[Span] = ()
    again: Callable[[str], Outline] | None = None
    grammar: str = ""
    told: str = ""
    statements: Sequence[Statement] = ()
    parses: Callable[[str], bool] | None = None


Outliner = Callable[[str], Outline]
"""Reads a source; raises `UnreadableError` where that is impossible."""


class UnreadableError(Exception):
    """A parser gave up; the message says why."""
