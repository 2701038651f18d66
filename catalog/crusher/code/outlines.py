"""Outlines: what a source declares and where, whatever the language; the parsers fill them in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Span(NamedTuple):
    """Characters of a source, from one up to another."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Return whether another span lies inside."""
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: Span) -> bool:
        """Return whether some character lies in both."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
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
        count: how many go.
        what: of what: lines, rows or values.
    """

    span: Span
    before: str
    after: str
    count: int
    what: str = "lines"


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
        comments: comments that are no documentation.
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
    comments: Sequence[Span] = ()
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
