"""What crushing gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something worth knowing of a crushing.

    Attributes:
        code: ``verbatim`` where the canonical minified JSON was the shortest, ``already-crushed``.
        path: where, such as ``$.data[3]``.
        detail: what, in words.
    """

    code: str
    path: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CrushResult:
    """A crushed value.

    Attributes:
        text: what to send; `uncrush` gives the value back.
        original_chars: characters of the canonical minified JSON.
        crushed_chars: characters of the text.
        crushed: whether the text is in the crushed form; else it is the canonical minified JSON.
        notes: what is worth knowing.
    """

    text: str
    original_chars: int
    crushed_chars: int
    crushed: bool
    notes: tuple[Note, ...] = ()
