"""Marking: what stands in place of what was left out: how much it was, from which line, and the names inside."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARK = re.compile(r"…(\d+) (?:lines|rows|values) from (\d+)(?:: [^\n]*)?")
"""A marker, without the comment signs around it."""


def marked(count: int, what: str, line: int) -> str:
    """Return the marker of so many lines, rows or values from a line on."""
    return f"…{count} {what} from {line}"


def names_said(names: Iterable[str]) -> str:
    """Return how a marker goes on where things with names go with it."""
    said = ", ".join(dict.fromkeys(names))
    return f": {said}" if said else ""
