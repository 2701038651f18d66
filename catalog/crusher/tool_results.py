"""Tool results: whatever a tool has returned, crushed where that is possible and worth it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.crusher.code.crushing import crush_code
from catalog.crusher.code.languages import known
from catalog.crusher.crushing import crush_json, crush_text, minified
from catalog.crusher.describing import describe_crush
from catalog.crusher.result import CrushResult, Note

LEAST_CHARS = 600
"""Characters below which a result is left alone: another form would cost more attention than it saves."""


def crush_value(value: Any, *, language: str | None = None, skip: Callable[[Any], bool] | None = None) -> CrushResult:
    """Return what to send of a tool's result: JSON, or a string that holds some, crushed; else code; else as it is.

    It is left alone below 600 characters, where `skip` says so, and where the crushed text together with its
    description is no shorter; a note says why. A string that is left alone comes back as it is, another value as
    canonical minified JSON.

    Args:
        value: what the tool has returned.
        language: of a string that is no JSON, see `crush_code`; None where such a string is to be left alone.
        skip: says of a value that is JSON or text whether it is to be left alone.

    Raises:
        TypeError: for a value that is neither text nor JSON, naming the path.
        ValueError: for a value that contains itself or an int of more digits than Python writes, naming the path; for
            an unknown language.
        MissingExtraError: where the parser of the language is not installed.
    """
    if language is not None:
        known(language)
    text = value if isinstance(value, str) else minified(value)
    if skip is not None and skip(value):
        return _alone(text, "the caller wants it so")
    if len(text) < LEAST_CHARS:
        return _alone(text, f"it has fewer than {LEAST_CHARS} characters")
    try:
        found = crush_text(text) if isinstance(value, str) else crush_json(value)
    except ValueError as error:
        return _alone(text, f"it is no JSON: {error}") if language is None else _code(text, language)
    before = any(note.code == "already-crushed" for note in found.notes)
    shorter = found.crushed and found.crushed_chars + len(describe_crush(found)) < len(text)
    return found if before or shorter else _alone(text, "nothing is shorter")


def _code(text: str, language: str) -> CrushResult:
    found = crush_code(text, language)
    return found if found.crushed else _alone(text, "; ".join(note.detail for note in found.notes))


def _alone(text: str, why: str) -> CrushResult:
    note = Note(code="left-alone", path="$", detail=why)
    return CrushResult(text=text, original_chars=len(text), crushed_chars=len(text), crushed=False, notes=(note,))
