"""Tags: where the tags, expressions and comments of a file stand, found in one go, whatever a raw text looks like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_BEGIN = re.compile(r"\{[%{#]")
_INSIDE = re.compile(r"""(?:[^"'%}]++|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[%}](?!\})|["'])*+""", re.DOTALL)
"""What stands in a tag or an expression: texts in it end none."""
_WORD = re.compile(r"\{%[-+]?\s*(\w+)")
_END_OF_RAW = re.compile(r"\{%[-+]?\s*endraw\b[^%]*%\}")


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
        if kind == "#":
            close = text.find("#}", begin.end())
        else:
            inside = _INSIDE.match(text, begin.end())
            close = inside.end() if inside is not None else -1
        place = close + 2
        if close < 0 or place > len(text):
            return  # it is not closed
        word = _WORD.match(text, begin.start()) if kind == "%" else None
        yield Tag(kind, begin.start(), place, word[1] if word else "")
        if word is not None and word[1] == "raw":
            end = _END_OF_RAW.search(text, place)
            place = end.end() if end is not None else len(text)


def blanked(text: str, found: Iterable[Tag], begins: int = 0) -> str:
    """Return a text of the same length, with blanks in the place of some tags and of all lines before it begins."""
    parts, place = [" " * (begins - 1), "\n" * (begins > 0)], begins
    for tag in found:
        parts += [text[place : tag.start], " " * (tag.end - tag.start)]
        place = tag.end
    return "".join([*parts, text[place:]])
