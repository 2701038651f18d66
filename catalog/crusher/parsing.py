"""Parsing: JSON text as a value, numbers as `Lexeme`. A key may not stand twice in an object; no depth is too deep."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from json import JSONDecodeError
from typing import Any

from catalog.crusher.checking import shown
from catalog.crusher.minified import Lexeme


def loads(text: str) -> Any:
    """Parse JSON with number lexemes kept as `Lexeme`.

    Raises:
        ValueError: for malformed JSON, naming line and column, or a key that stands twice in one object, naming its
            path.
    """
    text = text.removeprefix("\ufeff")
    with suppress(RecursionError, _Twice):
        return json.loads(
            text, object_pairs_hook=_unique, parse_int=Lexeme, parse_float=Lexeme, parse_constant=_constant
        )
    return deep(text)


class _Twice(Exception):
    """A key stands twice in one object; where, the hook cannot know."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Twice
    return found


def _constant(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


_SCALAR = json.JSONDecoder(parse_int=Lexeme, parse_float=Lexeme, parse_constant=_constant).raw_decode
_SPACE = re.compile(r"[ \t\n\r]*")
_HOLDERS: dict[str, type] = {"{": dict, "[": list}
_ENDS: dict[type, str] = {dict: "}", list: "]"}


def deep(text: str) -> Any:
    """Parse as `loads` does, without recursion and several times slower; the first fault in the text is told."""
    root: list[Any] = []
    around: list[Any] = [root]
    place = _after_space(text, 0)
    while True:
        key, place = _key(text, place, around) if around[-1].__class__ is dict else (None, place)
        holder = _HOLDERS.get(text[place : place + 1])
        value, place = (holder(), place + 1) if holder else _SCALAR(text, place)
        if key is None:
            around[-1].append(value)
        else:
            around[-1][key] = value
        place = _after_space(text, place)
        if holder:
            around.append(value)
            if not text.startswith(_ENDS[holder], place):
                continue
        place = _closed(text, place, around)
        if len(around) == 1:
            break
        place = _past(text, place, ",")
    if place != len(text):
        raise JSONDecodeError("Extra data", text, place)
    return root[0]


def _key(text: str, place: int, around: Sequence[Any]) -> tuple[str, int]:
    """Return the key that begins at a place, and where its value begins."""
    if not text.startswith('"', place):
        raise JSONDecodeError("Expecting property name enclosed in double quotes", text, place)
    key, end = _SCALAR(text, place)
    if key in around[-1]:
        raise ValueError(f"the key {key!r} stands twice in the object at {_path(around)}")
    return key, _past(text, _after_space(text, end), ":")


def _path(around: Sequence[Any]) -> str:
    """Return the path of the innermost of the open objects and lists: each is the last item of the one around it."""
    return shown([next(reversed(one)) if one.__class__ is dict else len(one) - 1 for one in around[:-1]])


def _closed(text: str, place: int, around: list[Any]) -> int:
    """Close the objects and lists that end at a place, and return the place after them."""
    while len(around) > 1 and text.startswith(_ENDS[around[-1].__class__], place):
        around.pop()
        place = _after_space(text, place + 1)
    return place


def _past(text: str, place: int, mark: str) -> int:
    """Return where the text goes on after a mark that must stand at a place."""
    if not text.startswith(mark, place):
        raise JSONDecodeError(f"Expecting '{mark}' delimiter", text, place)
    return _after_space(text, place + 1)


def _after_space(text: str, place: int) -> int:
    return _SPACE.match(text, place).end()  # type: ignore[union-attr] # it matches nothing, too
