"""What --keep means: which rows are to be kept as long as the budget allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from catalog.crusher.minified import scalar
from catalog.errors import UsageError

_CONDITION = re.compile(r"(?P<column>[^=!~]+)(?P<sign>!=|=|~)(?P<value>.*)", re.DOTALL)

Row = dict[str, Any]


class Keeper:
    """Says of a row whether one of some conditions holds, and remembers which did.

    A row without the column, or with an object or list in it, meets no condition. Strings are compared as they are,
    other values as they stand in JSON.
    """

    def __init__(self, conditions: Sequence[str]) -> None:
        self._tests = {condition: _test(condition) for condition in conditions}
        self._met: set[str] = set()

    def __call__(self, row: Row, path: str) -> bool:
        """Return whether a row is to be kept."""
        met = {condition for condition, test in self._tests.items() if test(row)}
        self._met |= met
        return bool(met)

    def unmet(self) -> list[str]:
        """Return the conditions that no row met."""
        return [condition for condition in self._tests if condition not in self._met]


def _test(condition: str) -> Callable[[Row], bool]:
    """Return the test that a condition stands for.

    Raises:
        UsageError: for what is no condition, or no regular expression.
    """
    found = _CONDITION.fullmatch(condition)
    if found is None:
        raise UsageError(
            f"--keep {condition!r} is no condition",
            hint="Write COL=VALUE, COL!=VALUE or COL~REGEX, such as level=error.",
        )
    column, sign, value = found.group("column", "sign", "value")
    if sign == "~":
        try:
            pattern = re.compile(value)
        except re.error as error:
            raise UsageError(f"--keep {condition!r} has no regular expression: {error}", hint="Check it.") from None
        return lambda row: _text(row, column) is not None and pattern.search(_text(row, column) or "") is not None
    if sign == "=":
        return lambda row: _text(row, column) == value
    return lambda row: _text(row, column) not in (None, value)


def _text(row: Row, column: str) -> str | None:
    value = row.get(column)
    if column not in row or isinstance(value, dict | list):
        return None
    return value if value.__class__ is str else scalar(value)
