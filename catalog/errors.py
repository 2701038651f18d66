"""Every error the catalog raises on purpose, and the exit code each one ends in.

CatalogError                     1  an expected failure
├── UsageError                   2  the caller asked for something malformed
│   └── PromptError              2  a prompt file is wrong, or was given what it does not take
├── NotFoundError                3  nothing matched
├── CheckError                   4  a check found something
├── DatabaseError                5  missing, unreachable, not migrated
├── ConflictError                1  the catalog already says otherwise
├── GateError                    1  the evidence is not good enough to place a model
├── LockedError                  1  a rank is locked and the change is not a correction
├── MissingExtraError            1  an optional dependency is not installed
├── FailoverError                1  no candidate answered
└── IntegrityError               4  the catalog contradicts its own change log
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import ClassVar, Self


class CatalogError(Exception):
    """Say what was wrong, what would be right and what to do, with the facts as data.

    Args:
        message: one sentence that names the offending value.
        hint: what to do next; printed on a second line.
        data: the facts behind the message, for programs.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "", data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.data = dict(data or {})

    def concerning(self, what: str) -> Self:
        """Put in front of the message what of several things it is about."""
        self.message = f"{what}: {self.message}"
        self.args = (self.message,)
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.__dict__))


class UsageError(CatalogError):
    """The request is malformed: an unknown type, a rank of 3.5, an as-of of "2026-02"."""

    exit_code = 2


class PromptError(UsageError):
    """A prompt file is wrong, or cannot be rendered with what it was given.

    Args:
        place: file and line, put in front of the message; anything with ``file`` and ``line`` as `places.Place`.
    """

    def __init__(
        self, message: str, *, place: object = None, hint: str = "", data: Mapping[str, object] | None = None
    ) -> None:
        at = {} if place is None else {"file": getattr(place, "file", ""), "line": getattr(place, "line", 0)}
        super().__init__(f"{place}: {message}" if place else message, hint=hint, data={**at, **(data or {})})


class NotFoundError(CatalogError):
    """Nothing in the catalog matches."""

    exit_code = 3


class CheckError(CatalogError):
    """A check ran to its end and found something."""

    exit_code = 4


class DatabaseError(CatalogError):
    """The database is missing, unreachable, locked, read-only or of another version."""

    exit_code = 5


class ConflictError(CatalogError):
    """The catalog already holds something that contradicts the request."""


class LockedError(CatalogError):
    """A locked rank was to be changed by something else than a correction."""


class GateError(CatalogError):
    """An evidence gate refused a placement; nothing was written.

    Args:
        gate: the gate's name, such as ``anchors`` or ``direction``.
    """

    def __init__(self, message: str, *, gate: str, hint: str = "", data: Mapping[str, object] | None = None) -> None:
        super().__init__(message, hint=hint, data={"gate": gate, **(data or {})})
        self.gate = gate


class MissingExtraError(CatalogError):
    """An optional dependency is not installed; the hint holds the install line."""


class FailoverError(CatalogError):
    """Every candidate that could be called failed; the cause is the last error."""


class IntegrityError(CatalogError):
    """The catalog, or a file of it, contradicts the change log."""

    exit_code = 4


def nearest(value: str, known: Iterable[str], *, otherwise: str) -> str:
    """Return a hint that suggests the known names nearest to a value, or what else to say; never a guess."""
    near = difflib.get_close_matches(value, list(known), n=3)
    return f"Did you mean {', '.join(near)}?" if near else otherwise


def one_known(value: str | None, known: Iterable[str], *, what: str) -> None:
    """Let a name pass that something is looked up by; None looks up nothing.

    Raises:
        NotFoundError: naming the value and the nearest known names.
    """
    names = sorted(set(known))
    if value is not None and value not in names:
        listed = f"Known: {', '.join(names[:20])}{', …' if len(names) > 20 else ''}." if names else "There is none yet."
        raise NotFoundError(f"there is no {what} {value!r}", hint=nearest(value, names, otherwise=listed))


def _rebuild(kind: type[CatalogError], message: str, state: dict[str, object]) -> CatalogError:
    error = kind.__new__(kind, message)
    Exception.__init__(error, message)
    error.__dict__.update(state)
    return error
