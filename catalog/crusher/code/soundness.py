"""Soundness: a source parses after edits as before and declares the same; edits that break that are not made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from catalog.crusher.code.edits import Edit, applied
from catalog.crusher.code.languages import Language
from catalog.crusher.code.lines import Lines
from catalog.crusher.code.marking import MARK
from catalog.crusher.code.outlines import Outline, UnreadableError
from catalog.crusher.result import Note


def sound(source: str, edits: Sequence[Edit], outline: Outline, language: Language) -> tuple[list[Edit], list[Note]]:
    """Return the edits after which the source parses as before and declares the same, and notes of the others."""
    if not edits or fault(source, edits, outline, language) is None:
        return list(edits), []
    kept: list[Edit] = []
    notes: list[Note] = []
    work = [list(edits)]
    while work:
        some = work.pop(0)
        why = fault(source, sorted([*kept, *some]), outline, language)
        if why is None:
            kept += some
        elif len(some) == 1:
            line = Lines(source).number(some[0].span.start)
            notes.append(Note(code="verbatim", path=f"line {line}", detail=why))
        else:
            work[:0] = [some[: len(some) // 2], some[len(some) // 2 :]]
    return sorted(kept), notes


def fault(source: str, edits: Sequence[Edit], before: Outline, language: Language) -> str | None:
    """Return what would be wrong with a source after edits, None where nothing is."""
    text = applied(source, edits)
    try:
        after = (before.again or language.outline)(text)
    except UnreadableError as error:
        return f"it would not be read as before: {error}"
    if after.errors > before.errors:
        return f"the parser would meet {after.errors} errors instead of {before.errors}"
    broken = _broken(before, after)
    if broken:
        return f"a statement would no longer parse: {broken:.60}"
    lost = _names(before) - _names(after)
    markers = (found.group() for edit in edits for found in MARK.finditer(edit.text))
    said = {word for marker in markers for word in _WORD.findall(marker)}
    gone = [name for name in lost if name.rpartition(".")[2] not in said]
    return f"{gone[0]} would no longer be declared" if gone else None


_WORD = re.compile(r"[\w$#-]+")


def _broken(before: Outline, after: Outline) -> str:
    """Return the first statement that no longer parses though it did; '' where there is none."""
    if before.parses is None:
        return ""
    if len(before.statements) != len(after.statements):
        return f"{len(after.statements)} statements instead of {len(before.statements)}"
    fine: set[tuple[str, ...]] = set()
    for old, new in zip(before.statements, after.statements, strict=True):
        if new.shape == old.shape or new.shape in fine:
            continue
        if before.parses(new.text):
            fine.add(new.shape)
        elif before.parses(old.text):
            return new.text
    return ""


def _names(outline: Outline) -> Counter[str]:
    return Counter(own.name for own in outline.declarations)
