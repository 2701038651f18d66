"""Places: the file and line that something in a prompt stands on."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where something stands.

    Attributes:
        file: path below the prompt folder, with slashes.
        line: from 1; the front matter counts.
        column: from 1; 0 where only the line is known.
    """

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        """Return it as editors read it, such as ``agents/clerk.md:12``."""
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"
