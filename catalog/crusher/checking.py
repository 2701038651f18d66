"""Checking: only what JSON can hold is crushed, and every complaint names its place."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any

from catalog.crusher.minified import Lexeme, quote

_TEXTS = frozenset({str})
SCALARS = frozenset({str, int, float, bool, type(None), Lexeme})


def check(value: Any) -> None:
    """See that a value can be crushed.

    Raises:
        TypeError: for anything but dict with text keys, list, tuple, str, int, float, bool and None, naming the path.
        ValueError: for a value that contains itself, naming the path.
    """
    path: list[object] = []
    around: dict[int, None] = {}
    work: list[Iterator[tuple[object, Any]]] = [iter(((None, value),))]
    while work:
        found = next(work[-1], None)
        if found is None:
            work.pop()
            if path:
                path.pop()
                around.popitem()
            continue
        key, current = found
        kind = current.__class__
        if kind in SCALARS:
            continue
        if kind is dict and _TEXTS.issuperset(map(type, current)) and SCALARS.issuperset(map(type, current.values())):
            continue  # nothing below: the usual row of a table
        if id(current) in around:
            raise ValueError(f"the value at {shown((*path, key))} contains itself")
        path.append(key)
        around[id(current)] = None
        work.append(_below(current, kind, path))


def check_text(text: object) -> None:
    """See that what is to be read is text.

    Raises:
        TypeError: when it is something else.
    """
    if not isinstance(text, str):
        raise TypeError(f"text is expected, not {type(text).__name__}: {text!r:.80}")


def check_count(name: str, value: object, *, least: int = 0) -> None:
    """See that a value is an integer, and large enough.

    Raises:
        TypeError: when it is something else, naming it.
        ValueError: when it is less.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r:.40}, not an integer")
    if value < least:
        raise ValueError(f"{name} is {value}: at least {least}")


def check_share(name: str, value: object) -> None:
    """See that a value is a number that is finite and not negative.

    Raises:
        TypeError: when it is no number, naming it.
        ValueError: when it is negative, infinite or no number at all.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r:.40}, not a number")
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value}: at least 0, and finite")


def _below(value: Any, kind: type, path: list[object]) -> Iterator[tuple[object, Any]]:
    if kind is dict:
        for key in value:
            if key.__class__ is not str:
                raise TypeError(f"the key {key!r} at {shown(path)} is no text")
        return iter(value.items())
    if kind is list or kind is tuple:
        return iter(enumerate(value))
    raise TypeError(f"{kind.__name__} at {shown(path)} is no JSON value")


def too_long(value: Any, convert: Callable[[Any], object], why: str) -> ValueError:
    """Return what to raise for the first number of a checked value that has too many digits for a conversion.

    Args:
        value: what was checked, see `check`.
        convert: takes a scalar; raises ValueError for at least one of those in the value.
        why: what follows of it.
    """
    digits = sys.get_int_max_str_digits()
    return ValueError(f"the number at {_refused_at(value, convert)} has more than {digits:,} digits; {why}")


def _refused_at(value: Any, convert: Callable[[Any], object]) -> str:
    """Return the path of the first scalar that a conversion refuses."""
    path: list[object] = []
    work: list[Iterator[tuple[object, Any]]] = [iter(((None, value),))]
    while True:
        found = next(work[-1], None)
        if found is None:
            work.pop()
            path.pop()
            continue
        key, current = found
        kind = current.__class__
        path.append(key)
        if kind not in SCALARS:
            work.append(_below(current, kind, path))
            continue
        try:
            convert(current)
        except ValueError:
            return shown(path)
        path.pop()


def shown(path: Iterable[object]) -> str:
    """Return a path such as ``$.data[3]["first name"]``; the first step is the root."""
    steps = islice(path, 1, None)
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else _key(str(step)) for step in steps)


def _key(key: str) -> str:
    if key.isidentifier():
        return f".{key}"
    return f"[{quote(key) if key.isprintable() else encode_basestring_ascii(key)}]"
