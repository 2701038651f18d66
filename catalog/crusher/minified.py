"""Canonical minified JSON: keys by code point, no spaces, characters as they are, any depth.

Numbers that came as text keep their lexemes (``1.0``, ``1e5``); those of Python are written as Python's ``json`` writes
them, the non-finite ones ``NaN``, ``Infinity`` and ``-Infinity``.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


class Lexeme(str):
    """A number as it stands in a JSON text."""

    __slots__ = ()


def quote(text: str) -> str:
    """Return a string as a JSON string; lone surrogates, which no UTF-8 text can hold, as escapes."""
    quoted = encode_basestring(text)
    return quoted if quoted.isascii() else _without_surrogates(quoted)


def _without_surrogates(text: str) -> str:
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def scalar(value: Any) -> str:
    """Return a scalar as JSON text.

    Raises:
        ValueError: for an int of more digits than Python turns into text (4,300).
    """
    kind = value.__class__
    if kind is str:
        return quote(value)
    if kind is int or kind is Lexeme:
        return str(value)
    if kind is float:
        return real(value)
    return _CONSTANTS[value]


_CONSTANTS = {None: "null", True: "true", False: "false"}


def real(value: float) -> str:
    """Return a float as JSON text, the shortest that reads back equal."""
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def dumps(value: Any) -> str:
    """Return canonical minified JSON of a checked value, see `checking.check`; no depth is too deep."""
    parts: list[str] = []
    stack: list[tuple[Iterator[Any], str]] = []
    current = value
    while True:
        kind = current.__class__
        if kind is dict and current:
            parts.append("{")
            stack.append((iter(sorted(current.items())), "}"))
            separator = ""
        elif (kind is list or kind is tuple) and current:
            parts.append("[")
            stack.append((iter(current), "]"))
            separator = ""
        else:
            parts.append("{}" if kind is dict else "[]" if kind is list or kind is tuple else scalar(current))
            separator = ","
        while stack:
            items, end = stack[-1]
            item = next(items, _END)
            if item is not _END:
                break
            parts.append(end)
            stack.pop()
            separator = ","
        else:
            return "".join(parts)
        parts.append(separator)
        if end == "}":
            parts.append(quote(item[0]) + ":")
            current = item[1]
        else:
            current = item


_END: Any = object()


def dumps_python(value: Any) -> str:
    """Return what `dumps` returns, faster, of a checked value of Python: one whose numbers are no `Lexeme`."""
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return dumps(value)
    return text if text.isascii() else _without_surrogates(text)
