"""Stability: how long a piece of a prompt stays as it is, which decides where a prompt cache can hold it."""

from __future__ import annotations

from enum import IntEnum


class Stability(IntEnum):
    """How long a text stays as it is; what depends on several things is as stable as the least of them."""

    STATIC = 0
    """As long as the prompt files, the model and the sections do."""
    SESSION = 1
    """As long as the data that a caller hands in."""
    VOLATILE = 2
    """Until the next turn."""

    @property
    def label(self) -> str:
        """``static``, ``session`` or ``volatile``."""
        return self.name.lower()
