"""Values: what stands on lines as objects, lists and scalars. Numbers come as `Lexeme`; no depth is too deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from catalog.crusher.missing import Missing, Shortened, rows_missing_at
from catalog.crusher.tables.lexicon import name_at, quoted, value_of

_TABLE = re.compile(r"\[([0-9]{1,18})\]([{(])|\{([0-9]{1,18})\}\{")
ENTRIES = re.compile(r"&([0-9]{1,18})(?: [^\n]*)?\n")
_LETTER = re.compile("&([A-Z]+)")
_BARE = re.compile(r"[^,{}\[\]\n]*")

Table = Callable[[str, re.Match[str]], tuple[Any, int]]
"""Reads the table that a match begins, and returns the place after it."""


def value_on_line(text: str) -> Any:
    """Return the value on one line that a text is.

    Raises:
        ValueError: when it is malformed, or something follows.
    """
    value, end = value_at(text, 0)
    if end != len(text):
        raise ValueError(f"something follows a value: {text[:80]!r}")
    return value


def lines_at(text: str, place: int, count: int) -> tuple[list[str], int]:
    """Return so many lines from a place on, and the place after them.

    Raises:
        ValueError: when the text ends before.
    """
    lines: list[str] = []
    for _ in range(count):
        end = text.find("\n", place)
        if end < 0:
            raise ValueError(f"a dictionary of {count} entries ends after {len(lines)}")
        lines.append(text[place:end])
        place = end + 1
    return lines, place


def entries_at(text: str, place: int) -> tuple[dict[str, str], int]:
    """Return what letters stand for, said on the lines that begin at a place, and the place after them."""
    found = ENTRIES.match(text, place)
    if found is None:
        raise ValueError(f"there is no dictionary at character {place}")
    lines, place = lines_at(text, found.end(), int(found.group(1)))
    return {letter: entry for letter, _, entry in (line.partition(" ") for line in lines)}, place


def value_at(text: str, start: int, table: Table | None = None) -> tuple[Any, int]:
    """Return the value that begins at a place and the place after it, without recursion into objects and lists.

    Args:
        text: the text.
        start: the place.
        table: reads a table; None on one line, where there is none.

    Raises:
        ValueError: when it is malformed, naming the place.
    """
    stack: list[_Holder] = []
    place = start
    while True:
        around = stack[-1] if stack else None
        missing, place = rows_missing_at(text, place) if around else (0, place)
        broke = False
        if around and missing:
            around.lose(missing)
        else:
            key, place = _key(text, place) if around and around.value.__class__ is not list else ("", place)
            value, place, broke = _opened(text, place, around, table)
            if value is _OBJECT or value is _LIST:
                listed = value is _LIST and ENTRIES.match(text, place)
                entries, place = entries_at(text, place) if listed else ({}, place)
                stack.append(_Holder({} if value is _OBJECT else [], key, entries))
                continue
            if around is None:
                return value, place
            around.put(key, value)
        place, whole = _after(text, place, stack, broke=broke)
        if whole is not None:
            return whole.value, place


class _Holder:
    """An object or list that is being read, the key it will stand under, and what its letters stand for."""

    __slots__ = ("entries", "key", "value")

    def __init__(self, value: Any, key: str, entries: Mapping[str, str]) -> None:
        self.value, self.key, self.entries = value, key, entries

    def put(self, key: str, value: Any) -> None:
        """Take an item or entry."""
        if self.value.__class__ is list:
            self.value.append(value)
            return
        if key in self.value:
            raise ValueError(f"the key {key!r} stands twice in one object")
        self.value[key] = value

    def lose(self, missing: int) -> None:
        """Remember that so many items or entries are missing."""
        if self.value.__class__ is list:
            self.value.append(Missing(rows=missing))
            return
        shortened = Shortened(missing=missing + getattr(self.value, "missing", 0))
        shortened.update(self.value)
        self.value = shortened


_OBJECT, _LIST = object(), object()


def _after(text: str, place: int, stack: list[_Holder], *, broke: bool) -> tuple[int, _Holder | None]:
    """Close what ends after an item, and return the place of the next one; the outermost where that is closed, too.

    Args:
        broke: whether the item is a table, whose line break takes the comma's place.
    """
    while text[place : place + 1] in ("}", "]"):
        closed = stack.pop()
        place += 1
        if not stack:
            return place, closed
        stack[-1].put(closed.key, closed.value)
        broke = False
    if not broke and not text.startswith(",", place):
        raise ValueError(f"an object or list is broken at character {place}")
    return place + (not broke), None


def _opened(text: str, place: int, around: _Holder | None, table: Table | None) -> tuple[Any, int, bool]:
    """Return a whole scalar, empty container or table; or what begins here. The flag says that a table ended a line."""
    mark = text[place : place + 1]
    if mark == '"':
        return (*quoted(text, place), False)
    if mark in ("{", "["):
        return _structure(text, place, mark, table)
    if mark == "&" and around:
        return _repeated(text, place, around.entries)
    found = _BARE.match(text, place)
    if found and found.group():
        return value_of(found.group()), found.end(), False
    if around and around.value.__class__ is not list and mark in (",", "}"):
        return None, place, False
    raise ValueError(f"there is no value at character {place}")


def _structure(text: str, place: int, mark: str, table: Table | None) -> tuple[Any, int, bool]:
    found = _TABLE.match(text, place) if table else None
    if table and found:
        return (*table(text, found), True)
    if text[place + 1 : place + 2] in ("}", "]"):
        return ({} if mark == "{" else []), place + 2, False
    return (_OBJECT if mark == "{" else _LIST), place + 1, False


def _repeated(text: str, place: int, entries: Mapping[str, str]) -> tuple[Any, int, bool]:
    """Return the item that a letter stands for."""
    found = _LETTER.match(text, place)
    if found is None or found.group(1) not in entries:
        raise ValueError(f"a letter stands for nothing at character {place}")
    return value_on_line(entries[found.group(1)]), found.end(), False


def _key(text: str, start: int) -> tuple[str, int]:
    key, place = name_at(text, start)
    if place == start:
        raise ValueError(f"there is no key at character {place}")
    if not text.startswith(":", place):
        raise ValueError(f"a key has no value at character {place}")
    return key, place + 1
