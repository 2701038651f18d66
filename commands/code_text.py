"""Code that catalog crush is handed: read, crushed, written, and what is said of it."""

from __future__ import annotations

import re
import time

from catalog.commands import crush_results, output, plain_text
from catalog.crusher import crush_code
from catalog.crusher.code.languages import LANGUAGES
from catalog.errors import UsageError, nearest
from catalog.sources import texts

_ALSO = {"js": "typescript", "javascript": "typescript", "jsx": "typescript", "ts": "typescript", "tsx": "typescript"}
"""Names of languages that are read as others."""
_LINES = re.compile(r"(\d+)-(\d+)")


def crush(file: str, language: str, focal: list[str], *, drop_comments: bool, stats: bool, json: bool) -> None:
    """Write code without the bodies that nobody looks at.

    Raises:
        UsageError: for an unknown language, and for something focal that is not there.
    """
    if language not in LANGUAGES:
        hint = nearest(_ALSO.get(language.lower(), language), LANGUAGES, otherwise=f"Known: {', '.join(LANGUAGES)}.")
        raise UsageError(f"--code {language!r} is unknown", hint=hint)
    started = time.perf_counter()
    source = texts.read(file, with_mark=True)
    try:
        result = crush_code(source, language, focal=[_focal(one) for one in focal], drop_comments=drop_comments)
    except ValueError as error:
        raise UsageError(str(error), hint="Give a name that is declared, lines such as 12-40, or text of it.") from None
    for note in result.notes:
        where = "" if note.path == "$" else f", {note.path}"
        output.note(f"{texts.name_of(file)}{where}: {note.detail}")
    if json:
        output.as_json(crush_results.as_data(result))
    else:
        plain_text.write(result.text, exactly=True)
    if stats:
        seconds = time.perf_counter() - started
        output.note(crush_results.saved(source, result.text, of="code", seconds=seconds))
        output.note(f"bodies and lists left out: {len(result.bodies):,}")


def _focal(text: str) -> str | tuple[int, int]:
    found = _LINES.fullmatch(text)
    return (int(found.group(1)), int(found.group(2))) if found else text
