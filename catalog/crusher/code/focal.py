"""Focal: what the caller looks at, and what therefore stays as it is, byte by byte."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from catalog.crusher.code.lines import Lines
from catalog.crusher.code.outlines import Declaration, Span

Focal = str | tuple[int, int]
"""The name of a declaration, such as ``send`` or ``Session.send``; text of the source; or a first and a last line."""


def focal_spans(focal: Focal | Iterable[Focal] | None, source: str, declared: Sequence[Declaration]) -> list[Span]:
    """Return where what the caller looks at stands in a source.

    Raises:
        ValueError: for a name or text that is not there, and for lines that are none, naming them.
    """
    found: list[Span] = []
    lines = Lines(source)
    for own in _each(focal):
        if isinstance(own, str):
            found += _named(own, source, declared, lines)
        elif isinstance(own, tuple | list) and [type(number) for number in own] == [int, int]:
            found.append(_range((own[0], own[1]), lines))
        else:
            raise TypeError(f"focal {own!r} is neither a name or text nor a first and a last line")
    return found


def _each(focal: object) -> list[object]:
    if focal is None:
        return []
    if isinstance(focal, str):
        return [focal]
    items = list(focal) if isinstance(focal, Iterable) and not isinstance(focal, bytes) else [focal]
    if items and all(isinstance(item, int) for item in items):  # a first and a last line alone
        return [tuple(items)]
    return items


def _named(text: str, source: str, declared: Sequence[Declaration], lines: Lines) -> list[Span]:
    named = [own.span for own in declared if text in (own.name, own.name.rpartition(".")[2])]
    if named:
        return named
    found: list[Span] = []
    place = source.find(text) if text else -1
    while place >= 0:
        found.append(lines.span(lines.number(place), lines.number(place + len(text) - 1)))
        place = source.find(text, place + len(text))
    if not found:
        near = get_close_matches(text, [own.name for own in declared], n=3)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise ValueError(f"focal {text!r} is neither declared nor found in the source{hint}")
    return found


def _range(pair: tuple[int, int], lines: Lines) -> Span:
    first, last = pair
    if not 1 <= first <= last <= len(lines):
        raise ValueError(f"focal lines {first}-{last}: give a first and a last line within 1-{len(lines)}")
    return lines.span(first, last)
