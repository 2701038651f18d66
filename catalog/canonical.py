"""The one place that turns values into canonical JSON, hashes and canonical text.

Canonical JSON has sorted keys, no spaces, NFC text in UTF-8 and no floats: ranks are integers, scores and money are
decimal strings. Equal values therefore have equal bytes, which is what the change log hashes.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from catalog.errors import UsageError

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def dumps(value: object) -> str:
    """Return the canonical JSON of plain data.

    Raises:
        TypeError: for a float (which has no canonical text) or anything JSON cannot hold.
    """
    return _encode(_plain(value))


def pretty(value: object) -> str:
    """Return the same data one fact per line, for files people read and diff; ends in a newline."""
    return json.dumps(_plain(value), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str) -> Json:
    """Parse JSON strictly: a duplicate key or a float is refused.

    Raises:
        ValueError: for malformed JSON, a duplicate key or a number that is not an integer.
    """
    value: Json = json.loads(text, object_pairs_hook=unique, parse_float=_no_float, parse_constant=_no_float)
    return value


def sha256(text: str) -> str:
    """Return the lower-case hex SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def decimal_text(value: str | int | Decimal) -> str:
    """Return the shortest plain decimal text of a number: ``"57.60"`` and ``"5.76E1"`` become ``"57.6"``.

    Raises:
        UsageError: when the value is not a finite number.
    """
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise UsageError(f"{value!r} is not a number", hint="Write a plain decimal such as 57.6.") from None
    if not number.is_finite():
        raise UsageError(f"{value!r} is not a finite number", hint="Write a plain decimal such as 57.6.")
    if number.adjusted() > _MAX_DIGITS or int(number.as_tuple().exponent) < -_MAX_DIGITS:
        raise UsageError(f"{value!r} has more than {_MAX_DIGITS} digits", hint="Write a plain decimal such as 57.6.")
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


_MAX_DIGITS = 30  # no score or price needs more, and "1e999999" must not become a megabyte of zeros


def _plain(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, dict | Mapping):
        return {_key(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a JSON key must be text, not {type(key).__name__}")
    return key if key.isascii() else unicodedata.normalize("NFC", key)


def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return the object that some pairs make, as a hook of `json.loads`.

    Raises:
        ValueError: for a key that stands twice.
    """
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return result


def _no_float(text: str) -> Json:
    raise ValueError(f"the number {text} is not an integer; write decimals as text")
