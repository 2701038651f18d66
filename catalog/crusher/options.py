"""Options of crushing, checked before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from catalog.crusher.guarding import Keep

Level = Literal["plain", "standard"]
"""``plain``: tables. ``standard``: also says before the rows what they have in common, and what repeats."""
Layout = Literal["text", "json"]
"""``text``: rows under headers, for a model to read. ``json``: valid JSON, for tools that insist on it."""

Count = Callable[[str], int]
"""Gives the tokens of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a value is to be crushed, see `crush_json`.

    Raises:
        TypeError: for a budget that is no whole number.
        ValueError: for an unknown level or layout, and for options that do not go together.
    """

    level: Level
    layout: Layout
    elide: bool
    max_chars: int | None
    max_tokens: int | None
    count: Count | None
    keep: Keep | None
    handles: bool

    def __post_init__(self) -> None:
        if self.level not in get_args(Level):
            raise ValueError(f"{self.level!r} is no level: {' or '.join(get_args(Level))}")
        if self.layout not in get_args(Layout):
            raise ValueError(f"{self.layout!r} is no layout: {' or '.join(get_args(Layout))}")
        for name, limit in (("max_chars", self.max_chars), ("max_tokens", self.max_tokens)):
            if limit is not None and limit.__class__ is not int:
                raise TypeError(f"{name} is {limit!r}: a whole number, or None")
        if (self.max_tokens is None) != (self.count is None):
            raise ValueError("max_tokens and count go together: count gives the tokens of a text")
        if self.keep is not None and not self.has_budget:
            raise ValueError("keep says what a budget spares: give max_chars or max_tokens, too")

    @property
    def has_budget(self) -> bool:
        """Whether the text may have to be shortened."""
        return self.max_chars is not None or self.max_tokens is not None

    def share(self, text: str) -> float:
        """Return how much of the budget a text takes."""
        chars = 0.0 if self.max_chars is None else len(text) / max(self.max_chars, 1)
        if self.max_tokens is None or self.count is None:
            return chars
        return max(chars, self.count(text) / max(self.max_tokens, 1))

    def fits(self, text: str) -> bool:
        """Return whether a text keeps to the budget."""
        if self.max_chars is not None and len(text) > self.max_chars:
            return False
        return self.max_tokens is None or self.count is None or self.count(text) <= self.max_tokens
