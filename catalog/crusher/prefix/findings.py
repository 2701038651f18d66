"""Findings: what in a message is likely to differ the next time it is made, and would break the cache."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.crusher.checking import shown
from catalog.crusher.conversation.texts import Message

_PATTERNS = (
    ("jwt", re.compile(r"\beyJ[\w-]{8,1000}+\.[\w-]{8,8000}+\.[\w-]{,2000}")),
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("time", re.compile(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")),
    ("hash", re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,128}\b")),
)
_SHOWN = 40
"""Characters of what was found that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in a stable message that is likely to differ the next time.

    Attributes:
        code: ``uuid``, ``time``, ``jwt``, ``hash``, ``unordered-keys`` or ``reserialised-json``.
        path: where, such as ``$[0].content``.
        offset: characters before it in the text; 0 for what is no text.
        text: what it is, shortened.
    """

    code: str
    path: str
    offset: int
    text: str


def findings(message: Message, number: int) -> Iterator[Finding]:
    """Yield what in a message is likely to differ the next time it is made."""
    work: list[tuple[tuple[Any, ...], Any]] = [((number,), message)]
    while work:
        path, value = work.pop()
        if isinstance(value, str):
            yield from _in_text(value, path)
        elif isinstance(value, Mapping):
            if len(path) > 1 and not _is_block(value) and list(value) != sorted(value):
                yield _finding("unordered-keys", path, 0, ", ".join(map(str, value)))
            work += [((*path, key), item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, list | tuple):
            work += [((*path, step), item) for step, item in reversed(list(enumerate(value)))]


def _is_block(value: Mapping[str, Any]) -> bool:
    """Return whether an object is part of the message itself, whose keys the vendor's client puts in order."""
    return bool({"type", "role", "function"} & value.keys()) or {"name", "arguments"} == value.keys()


def _in_text(text: str, path: tuple[Any, ...]) -> Iterator[Finding]:
    found = [_finding(code, path, own.start(), own.group()) for code, sign in _PATTERNS for own in sign.finditer(text)]
    yield from sorted(found, key=lambda one: one.offset)
    begins = text.lstrip()[:1]
    if begins in ("{", "["):
        yield from _in_json(text, path)


def _in_json(text: str, path: tuple[Any, ...]) -> Iterator[Finding]:
    """Yield what in a text that is JSON is as only one serializer, or one order of keys, writes it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    signs = _STRING.sub("", text)
    if any(len({bool(own.group(1)) for own in sign.finditer(signs)}) > 1 for sign in _SEPARATORS):
        yield _finding("reserialised-json", path, 0, text)
    if json.dumps(value) != json.dumps(value, sort_keys=True):
        yield _finding("unordered-keys", path, 0, text)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SEPARATORS = (re.compile(r":(\s*)"), re.compile(r",(\s*)"))
"""A serializer writes each of them in one way."""


def _finding(code: str, path: tuple[Any, ...], offset: int, text: str) -> Finding:
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return Finding(code=code, path=shown(("", *path)), offset=offset, text=short)
