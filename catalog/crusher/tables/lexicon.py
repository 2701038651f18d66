"""The lexicon of the text layout: which strings stand bare, how the others are quoted, how a cell reads back.

A bare text reads as a number, ``null``, ``true``, ``false``, ``NaN``, ``Infinity`` or ``-Infinity`` where it looks like
one, and as a string everywhere else. Where a string may not stand bare it is a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from catalog.crusher.minified import Lexeme, quote, scalar
from catalog.crusher.missing import MARK, CutText, chars_missing_at, cut_text

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
CONSTANTS: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}

_CONTROL = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\ud800-\udfff\ufeff"
_LEAD = r'"{\[~&\s'
_MARK = re.escape(MARK)
CELL = re.compile(rf"[,{_CONTROL}]|^[{_LEAD}]|\s$|{_MARK}")
FIELD = re.compile(rf"[,;|{_CONTROL}]|^[{_LEAD}]|\s$|{_MARK}")
INLINE = re.compile(rf'[,{{}}\[\]"{_CONTROL}]|^[~&>\s]|\s$|{_MARK}')
HEADER = re.compile(rf'[,;|{{}}\[\]()*"{_CONTROL}]|^[~&\s]|\s$|{_MARK}')
"""Fences: in a cell, in a field inside a cell, in an object or list on one line, and of a constant in a header."""
PIECE = re.compile(rf'[^,;|{{}}\[\]()*"{_CONTROL}]+')
"""Text between the other pieces of a template."""
KEY = re.compile(r"[^\s,:;|{}\[\]()\"\\?!$=*&~#%^>]+")
_LOOKS = re.compile(rf"{NUMBER.pattern}|null|true|false|NaN|-?Infinity|")

NO_OBJECT, NULL_OBJECT = "~", "~n"
"""First cell of nested columns where the object itself is absent, or null."""

FURTHER = "*"
"""Heading of the column of keys too rare for columns of their own; a cell holds an object."""

Fence = re.Pattern[str]
"""What keeps a string from standing bare: it is searched for, and found where the string must be quoted."""


def string_text(value: str) -> str:
    """Return a JSON string on one line, whatever a reader takes for the end of one."""
    text = quote(value)
    return text if text.isascii() else _BREAK.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


_BREAK = re.compile("[\x85\u2028\u2029]")


def key_text(key: str) -> str:
    """Return a key of a header or of an object."""
    return key if KEY.fullmatch(key) and key.isprintable() else string_text(key)


def text_of(value: Any, fence: Fence) -> str:
    """Return a scalar as it stands alone: quoted where a bare string would end early or read as something else."""
    if value.__class__ is not str:
        return scalar(value)
    return string_text(value) if fence.search(value) or _LOOKS.fullmatch(value) else value


def string_of(value: str, fence: Fence) -> str:
    """Return a string where only strings stand: it may look like anything."""
    return string_text(value) if fence.search(value) else value


def looks_alike(values: Sequence[str]) -> int:
    """Return how many strings would read as something else if they stood bare."""
    return sum(1 for value in values if value and _LOOKS.fullmatch(value))


def value_of(text: str) -> Any:
    """Return what a bare text reads as; a number as its `Lexeme`."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    return Lexeme(text) if NUMBER.fullmatch(text) else bare(text)


def bare(text: str) -> str:
    """Return the string that stands bare; a `CutText` where a mark says that its end is missing."""
    cut = cut_text(text) if MARK in text else None
    return text if cut is None else cut


_SCAN = json.JSONDecoder().raw_decode


def quoted(text: str, start: int) -> tuple[str, int]:
    """Return the JSON string that begins at a place, and the place after it; a `CutText` where a mark follows.

    Raises:
        ValueError: when it is malformed.
    """
    value, end = _SCAN(text, start)
    if value.__class__ is not str:
        raise ValueError(f"no string at {start}")
    if text.startswith(MARK, end):
        missing, end = chars_missing_at(text, end)
        return CutText(value, missing=missing), end
    return value, end


def name_at(text: str, start: int) -> tuple[str, int]:
    """Return the key that begins at a place, quoted or bare, and the place after it; '' where there is none."""
    if text.startswith('"', start):
        name, place = quoted(text, start)
        if name.__class__ is CutText:
            raise ValueError(f"the key {str(name)!r} was cut, and no key can be")
        return name, place
    found = KEY.match(text, start)
    return (found.group(), found.end()) if found else ("", start)
