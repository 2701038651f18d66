"""Uncrushing: the value of a crushed text, and what is missing in one that was shortened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, overload

from catalog.crusher.checking import check_text, too_long
from catalog.crusher.handles import rename
from catalog.crusher.minified import Lexeme, dumps
from catalog.crusher.missing import MARK, resolved
from catalog.crusher.parsing import loads
from catalog.crusher.result import Dropped, Kept
from catalog.crusher.tables.reading import read
from catalog.crusher.tables.writing import HEAD, is_written
from catalog.crusher.wrapped.unwrapping import is_wrapped, unwrapped


@overload
def uncrush(text: str, *, strict: Literal[True] = True, handles: Mapping[str, str] | None = None) -> Any: ...
@overload
def uncrush(text: str, *, strict: Literal[False], handles: Mapping[str, str] | None = None) -> Kept: ...
def uncrush(text: str, *, strict: bool = True, handles: Mapping[str, str] | None = None) -> Any:
    """Return the value of a crushed text; of plain JSON its value.

    Args:
        text: crushed text in any layout, or JSON.
        strict: whether a text that a budget has shortened is an error; else what was kept comes back with what is
            missing, as `Kept`, whether something is missing or not.
        handles: what handles stand for, as the result of crushing has it.

    Raises:
        ShortenedError: a ValueError, when the text was shortened.
        ValueError: when the text is malformed, or holds a whole number of more digits than Python reads
            (4,300), naming its path.
    """
    value, dropped = _left(text, handles or {}, strict=strict)
    value = _as_python(value)
    return value if strict else Kept(value=value, dropped=dropped)


def uncrush_text(text: str, *, strict: bool = True) -> str:
    """Return the canonical minified JSON of a crushed text, number lexemes kept; plain JSON is minified.

    Args:
        text: crushed text in any layout, or JSON.
        strict: whether a text that a budget has shortened is an error; else the JSON of what was kept comes back.

    Raises:
        ShortenedError: a ValueError, when the text was shortened.
        ValueError: when the text is malformed.
    """
    return dumps(_left(text, {}, strict=strict)[0])


def read_marked(text: str) -> Any:
    """Return the value of a text, with `missing` marks where it was shortened and numbers as they stand there."""
    check_text(text)
    if is_written(text.lstrip()):
        text = text.lstrip().replace("\r\n", "\n")  # no text holds a carriage return of its own
        return read(text if text.endswith("\n") else f"{text}\n", len(HEAD))
    value = loads(text)
    return unwrapped(value) if is_wrapped(value) else value


class ShortenedError(ValueError):
    """A text that a budget has shortened, where the whole was asked for.

    Attributes:
        dropped: what is missing.
        told: where, in words.
    """

    def __init__(self, dropped: tuple[Dropped, ...]) -> None:
        self.dropped = dropped
        first, *more = dropped
        others = f" and something in {len(more):,} other places" if more else ""
        self.told = f"the text was shortened: {first.told} at {first.path}{others}"
        super().__init__(f"{self.told}; strict=False reads the rest")


_SIGN = MARK[0]
"""What a mark begins with, whatever a serializer did to the rest of it."""


def _left(text: str, handles: Mapping[str, str], *, strict: bool) -> tuple[Any, tuple[Dropped, ...]]:
    """Return what a text still says, and what is missing in it."""
    root = [read_marked(text)]
    if handles:
        rename(root, handles)
    if _SIGN not in text and r"\u2026" not in text:
        return root[0], ()
    value, gaps = resolved(root[0])
    dropped = tuple(gap.dropped() for gap in gaps)
    if strict and dropped:
        raise ShortenedError(dropped)
    return value, dropped


def _as_python(value: Any) -> Any:
    """Return a value with its number lexemes as numbers, in place; needs no recursion."""
    root = [value]
    try:
        _convert(root)
    except ValueError:
        raise too_long(root[0], _number, "uncrush_text keeps it, Python does not read it") from None
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
