"""Crushing and its way back: JSON in fewer characters, losslessly and canonically.

The idea of writing repeated objects as a table was Headroom's (Apache-2.0); format and code are our own.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Literal, get_args

from catalog.crusher.checking import check, refused_at
from catalog.crusher.estimate import whole
from catalog.crusher.minified import Lexeme, dumps, scalar
from catalog.crusher.parsing import loads
from catalog.crusher.result import CrushResult, Note
from catalog.crusher.tables.place import Style
from catalog.crusher.tables.reading import read
from catalog.crusher.tables.writing import HEAD, written

Level = Literal["plain", "standard"]
"""``plain``: tables. ``standard``: also constants, counters and columns made of others, said in the header."""


def crush_json(value: Any, *, level: Level = "standard") -> CrushResult:
    """Return a JSON value in the fewest characters that read back exactly.

    The same value gives the same text, whatever the order of its keys. The text is never longer than the canonical
    minified JSON: where nothing is gained it is that, and the result says so.

    Args:
        value: dict with text keys, list, tuple (reads back as a list), str, int, float, bool or None.
        level: how much is said in headers, see `Level`.

    Raises:
        TypeError: for anything else inside the value, naming the path.
        ValueError: for a value that contains itself or an int of more digits than Python writes (4,300), naming the
            path, or an unknown level.
    """
    check(value)
    return _crushed(value, level)


def crush_text(text: str, *, level: Level = "standard") -> CrushResult:
    """Return a JSON text crushed; numbers keep their lexemes. Crushed text comes back as it is.

    Raises:
        ValueError: for malformed JSON, naming the place, a key that stands twice in one object, naming the path, or an
            unknown level.
    """
    if text.startswith(HEAD):
        original = len(dumps(read(text, len(HEAD))))
        note = Note(code="already-crushed", path="$", detail="the text was crushed before")
        return CrushResult(text=text, original_chars=original, crushed_chars=len(text), crushed=True, notes=(note,))
    value = loads(text)
    check(value)
    return _crushed(value, level)


def _crushed(value: Any, level: Level) -> CrushResult:
    if level not in get_args(Level):
        raise ValueError(f"{level!r} is no level: {' or '.join(get_args(Level))}")
    plain = _minified(value)
    text = written(value, Style(hoist=level == "standard"))
    if len(text) < len(plain) and _is_shorter(text, plain):
        return CrushResult(text=text, original_chars=len(plain), crushed_chars=len(text), crushed=True)
    note = Note(code="verbatim", path="$", detail="nothing is shorter than the minified JSON")
    return CrushResult(text=plain, original_chars=len(plain), crushed_chars=len(plain), crushed=False, notes=(note,))


_SURE = 0.8
"""Share of the characters below which the tokens are fewer, too."""


def _is_shorter(text: str, plain: str) -> bool:
    """Return whether a text of fewer characters has no more tokens, as far as can be told without a vocabulary."""
    return len(text) < _SURE * len(plain) or whole(text) <= whole(plain)


def _minified(value: Any) -> str:
    try:
        return dumps(value)
    except ValueError:
        path = refused_at(value, scalar)
        raise ValueError(f"the number at {path} {_too_long()}; Python does not write it as text") from None


def _too_long() -> str:
    return f"has more than {sys.get_int_max_str_digits():,} digits"


def uncrush(text: str) -> Any:
    """Return the value of a crushed text; of plain JSON its value.

    Raises:
        ValueError: when the text is malformed, or holds a whole number of more digits than Python reads (4,300), naming
            its path.
    """
    return _as_python(read(text, len(HEAD)) if text.startswith(HEAD) else loads(text))


def uncrush_text(text: str) -> str:
    """Return the canonical minified JSON of a crushed text, number lexemes kept; plain JSON is minified.

    Raises:
        ValueError: when the text is malformed.
    """
    return dumps(read(text, len(HEAD)) if text.startswith(HEAD) else loads(text))


def _as_python(value: Any) -> Any:
    """Return a value with its number lexemes as numbers, in place; needs no recursion."""
    root = [value]
    try:
        _convert(root)
    except ValueError:
        path = refused_at(root[0], _number)
        raise ValueError(
            f"the number at {path} {_too_long()}; uncrush_text keeps it, Python does not read it"
        ) from None
    return root[0]


def _convert(root: list[Any]) -> None:
    work: list[Any] = [root]
    while work:
        holder = work.pop()
        items = holder.items() if holder.__class__ is dict else enumerate(holder)
        for key, item in items:
            kind = item.__class__
            if kind is Lexeme:
                holder[key] = json.loads(item)
            elif kind is dict or kind is list:
                work.append(item)


def _number(item: Any) -> Any:
    return json.loads(item) if item.__class__ is Lexeme else item
