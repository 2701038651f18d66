"""What crushing gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something worth knowing of a crushing.

    Attributes:
        code: ``verbatim`` where the canonical minified JSON was the shortest, ``already-crushed``, ``left-alone``; of
            code ``verbatim`` where it stays, ``guessed`` for its dialect, ``comments`` for those that were left out.
        path: where, such as ``$.data[3]``.
        detail: what, in words.
    """

    code: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What a budget cost in one place.

    Attributes:
        path: of the list, object or string, such as ``$.data``; the steps count rows that are missing, too.
        rows: how many of its rows, items or entries are missing.
        protected: how many rows that `keep` had asked for are not whole because of this: they are among the rows,
            inside one of them, or it is something of theirs that is missing. Each row counts once, in the first place.
        chars: how many characters are missing at the end of the string.
    """

    path: str
    rows: int = 0
    protected: int = 0
    chars: int = 0

    @property
    def told(self) -> str:
        """What is missing, in words."""
        count, what = (self.rows, "row") if self.rows else (self.chars, "character")
        return f"{count:,} {what} is missing" if count == 1 else f"{count:,} {what}s are missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a shortened text still says.

    Attributes:
        value: without what is missing.
        dropped: what is missing, in the order of the value.
    """

    value: Any
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrushResult:
    """A crushed value.

    Attributes:
        text: what to send; `uncrush` gives the value back.
        original_chars: characters of the canonical minified JSON; of code, and of a string left alone, its own.
        crushed_chars: characters of the text.
        crushed: whether the text is in a crushed form; else it is the canonical minified JSON.
        legend: what the letters in the text stand for; the text says it, too.
        handles: what the handles in the text stand for; nothing but this says it.
        notes: what is worth knowing.
        dropped: what a budget cost, in the order of the value.
        bodies: what was left out of code, by its marker in the text.
    """

    text: str
    original_chars: int
    crushed_chars: int
    crushed: bool
    legend: Mapping[str, str] = field(default_factory=dict)
    handles: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict)
