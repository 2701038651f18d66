"""Missing: how a text says that rows, entries or characters were cut off, and what stands for them in a value.

In the json layout ``~…(+5 more rows)`` is the item of a list or a row of a table, ``"~…":"(+5 more rows)"`` the entry
of an object, and ``~…the beginning…(+120 chars)`` a string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

ENTRIES = "~…"
"""Key of the mark in an object; its value is `more_rows` without the dots."""

_ROWS = re.compile(r"~…\(\+([1-9][0-9]{0,17}) more rows\)")
_CHARS = re.compile(r"~…(.*)…\(\+([1-9][0-9]{0,17}) chars\)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Stands in a list where rows were cut off.

    Attributes:
        rows: how many.
    """

    rows: int


class CutText(str):
    """What is left of a string that was cut.

    Attributes:
        missing: how many characters were cut off its end.
    """

    __slots__ = ("missing",)
    missing: int

    def __new__(cls, text: str, *, missing: int) -> CutText:
        """Return the text that is left."""
        own = super().__new__(cls, text)
        own.missing = missing
        return own


class Shortened(dict[str, Any]):
    """What is left of an object whose entries were cut.

    Attributes:
        missing: how many entries were cut off its end.
    """

    __slots__ = ("missing",)

    def __init__(self, *, missing: int) -> None:
        super().__init__()
        self.missing = missing


def more_rows(count: int) -> str:
    """Return what stands in place of so many rows or entries."""
    return f"…(+{count} more rows)"


def more_chars(count: int) -> str:
    """Return what stands in place of so many characters at the end of a string."""
    return f"…(+{count} chars)"


def rows_missing(mark: str) -> int:
    """Return how many rows a mark in their place says are missing, 0 where it is no such mark."""
    found = _ROWS.fullmatch(mark)
    return int(found.group(1)) if found else 0


def cut_text(mark: str) -> CutText | None:
    """Return what is left of a string in whose place a mark says that it was cut, None where it is no such mark."""
    found = _CHARS.fullmatch(mark)
    return CutText(found.group(1), missing=int(found.group(2))) if found else None
