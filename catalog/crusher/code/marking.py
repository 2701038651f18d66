"""Marking: what stands in place of what was left out: how much it was, from which line, and the names inside."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable

MARK = re.compile(r"…(\d+) (?:lines|rows|values) from (\d+)(?: #\d+)?(?:: [^\n]*)?")
"""A marker, without the comment signs around it."""


def marked(count: int, what: str, line: int, taken: Container[str] = ()) -> str:
    """Return the marker of so many lines, rows or values from a line on; with a number where it is taken."""
    marker = f"…{count} {what} from {line}"
    again = (f"{marker} #{number}" for number in itertools.count(2))
    return marker if marker not in taken else next(own for own in again if own not in taken)


def names_said(names: Iterable[str]) -> str:
    """Return how a marker goes on where things with names go with it."""
    said = ", ".join(dict.fromkeys(names))
    return f": {said}" if said else ""
