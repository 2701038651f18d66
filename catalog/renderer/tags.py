"""Tags: where the tags, expressions and comments of a file stand, found in one go, whatever a raw text looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of a file that can be read, in order, but for what stands in raw texts."""
    place = 0
    while (begin := _BEGIN.search(text, place)) is not None:
        kind = begin.group()[1]
        if kind == "#":
            close = text.find("#}", begin.end())
        else:
            inside = _INSIDE.match(text, begin.end())
            close = inside.end() if inside is not None else -1
        if close < 0:
            return
        place = close + 2
        word = _WORD.match(text, begin.start()) if kind == "%" else None
        yield Tag(kind, begin.start(), place, word[1] if word else "")
        if word is not None and word[1] == "raw":
            end = _END_OF_RAW.search(text, place)
            place = end.end() if end is not None else len(text)


def without(text: str, kinds: str, put: Callable[[str], str]) -> str:
    """Return a text with something else in the place of its tags of some kinds."""
    parts, place = [], 0
    for tag in tags(text):
        if tag.kind in kinds:
            parts += [text[place : tag.start], put(text[tag.start : tag.end])]
            place = tag.end
    return "".join([*parts, text[place:]])
