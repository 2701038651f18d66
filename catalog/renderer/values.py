"""Values: what a caller hands in, copied as plain data, so that a prompt can neither change it nor reach behind it."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from catalog.crusher.checking import shown
from catalog.errors import UsageError
from catalog.renderer.limits import MOST_BITS, MOST_DEPTH

_SCALARS = frozenset({str, int, bool, type(None)})
_SMALL = frozenset({str, bool, type(None)})
_TEXTS = frozenset({str})


def plain(value: Any, what: str) -> Any:
    """Return a copy of plain data: texts, numbers, true, false, null, lists and mappings with texts as keys.

    Args:
        value: the data.
        what: what it is called in a complaint, such as ``data``.

    Raises:
        UsageError: for anything else, naming where it stands.
    """
    return _copy(value, what, ())


def _copy(value: Any, what: str, path: tuple[Any, ...]) -> Any:
    kind = value.__class__
    if kind in _SCALARS:
        if kind is int and value.bit_length() > MOST_BITS:
            raise _refused(what, path, f"has more than {MOST_BITS:,} bits")
        return value
    if kind is dict and _TEXTS.issuperset(map(type, value)) and _are_small(value.values()):
        return value.copy()  # nothing below: the usual row
    if kind is float and math.isfinite(value):
        return value
    if len(path) > MOST_DEPTH:
        raise _refused(what, path[:3], f"is nested more than {MOST_DEPTH} levels deep")
    if kind is dict or isinstance(value, Mapping):
        for key in value:
            if key.__class__ is not str:
                raise _refused(what, path, f"has the key {key!r:.40}, which is no text")
        return {key: _copy(own, what, (*path, key)) for key, own in value.items()}
    if kind is list or kind is tuple:
        return [_copy(own, what, (*path, number)) for number, own in enumerate(value)]
    why = f"is {value}, which is no JSON" if kind is float else f"is a {kind.__name__}, no plain data"
    raise _refused(what, path, why)


def _are_small(values: Collection[Any]) -> bool:
    return _SMALL.issuperset(map(type, values)) or all(map(_is_small, values))


def _is_small(value: Any) -> bool:
    return value.__class__ in _SMALL or (value.__class__ is int and value.bit_length() <= MOST_BITS)


def _refused(what: str, path: tuple[Any, ...], why: str) -> UsageError:
    where = shown((what, *path)).replace("$", what, 1)
    return UsageError(f"{where} {why}", hint="Hand in texts, finite numbers, lists and mappings.")
