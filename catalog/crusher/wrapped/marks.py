"""Marks: what begins with one ``~`` in the json layout. The data's own strings and keys that do get one more."""

from __future__ import annotations

VERSION = 1
CRUSHED, LEGEND, VALUE = "~crush", "legend", "value"
"""Keys of the wrapper: the version, the strings that are referred to, and the value."""

COLUMNS, ROWS = "~t", "~r"
"""Keys of a table."""
KEY = "~k"
"""First column of an object of objects: the cell is a key."""
FURTHER = "~*"
"""Column of the keys too rare for columns of their own; a cell holds an object."""
EMPTY = "~"
"""Cell of a row whose object has no such key; before a letter it refers to the legend."""
CUT = "~…"
"""Before what is left of a string that was cut, and the mark that says so."""
ENTRIES = "~…"
"""Key of the mark of missing entries in an object."""
LEFT_ABSENT, LEFT_NULL = "~?", "~!"
"""Before a column's key, which follows as it is: where a row ends before the column, the key is absent, or null."""


def escaped(text: str) -> str:
    """Return a string or key of the data as it stands in the value."""
    return EMPTY + text if text.startswith(EMPTY) else text


def unescaped(text: str) -> str:
    """Return the string or key of the data.

    Raises:
        ValueError: when it is a mark.
    """
    if not text.startswith(EMPTY):
        return text
    if not text.startswith(EMPTY, 1):
        raise ValueError(f"{text!r} is no mark that may stand there")
    return text[1:]
