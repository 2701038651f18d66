"""Tags: where the tags, expressions and comments of a file stand, found in one go, whatever a raw text looks like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_BEGIN = re.compile(r"\{[%{#]")
_SIGN = re.compile(r"""[(\[{}\])]|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'""", re.DOTALL)
"""What tells where a tag or an expression ends: brackets, and texts, in which brackets say nothing."""
_WORD = re.compile(r"\{%[-+]?\s*(\w+)")
_END_OF_RAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")


class Tag(NamedTuple):
    """A tag, an expression or a comment.

    Attributes:
        kind: ``%``, ``{`` or ``#``.
        start, end: where it stands in the text.
        word: the first of a tag; '' of the others.
    """

    kind: str
    start: int
    end: int
    word: str


def tags(text: str, begins: int = 0) -> Iterator[Tag]:
    """Yield the tags of a body that can be read, in order, but for what stands in raw texts.

    Args:
        text: what it is the end of.
        begins: where it begins.
    """
    place = begins
    while (begin := _BEGIN.search(text, place)) is not None:
        kind = begin.group()[1]
        place = text.find("#}", begin.end()) + 2 if kind == "#" else _end(text, begin.end(), kind)
        if place < begin.end() + 2:
            return  # it is not closed
        word = _WORD.match(text, begin.start()) if kind == "%" else None
        yield Tag(kind, begin.start(), place, word[1] if word else "")
        if word is not None and word[1] == "raw":
            end = _END_OF_RAW.search(text, place)
            place = end.end() if end is not None else len(text)


def comments(text: str) -> Iterator[Tag]:
    """Yield the comments of a text that is no body, such as front matter, whatever stands between them."""
    place = 0
    while (begin := text.find("{#", place)) >= 0 and (close := text.find("#}", begin + 2)) >= 0:
        place = close + 2
        yield Tag("#", begin, place, "")


def _end(text: str, place: int, kind: str) -> int:
    """Return where a tag or an expression ends: at its sign, outside of all brackets; 0 where it does not."""
    depth = 0
    for own in _SIGN.finditer(text, place):
        sign = own.group()
        if sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign == "}" and kind == "{":
            return own.end() + 1 if text.startswith("}", own.end()) else 0
        elif sign == "}":
            return own.end() if text[own.start() - 1] == "%" else 0
    return 0


def blanked(text: str, found: Iterable[Tag], begins: int = 0) -> str:
    """Return a text of the same length, with blanks in the place of some tags and of all lines before it begins."""
    parts, place = [" " * (begins - 1), "\n" * (begins > 0)], begins
    for tag in found:
        parts += [text[place : tag.start], " " * (tag.end - tag.start)]
        place = tag.end
    return "".join([*parts, text[place:]])
