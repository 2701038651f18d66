"""Values as people give them: of a closed list, as a pair, as a slug, as a column of a fact."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Integer

from catalog.errors import LockedError, UsageError
from catalog.log import facts
from catalog.log.facts import FACTS, Row
from catalog.store.schema import metadata

MOST_CHARACTERS = 2000
"""Characters of one fact; a URL or a note needs no more, and a message must be able to quote it."""

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def one_of(value: str, choices: Iterable[str], *, what: str) -> str:
    """Return a value of a closed list.

    Raises:
        UsageError: naming the value, the list and the nearest match.
    """
    known = list(choices)
    if value in known:
        return value
    begun = [name for name in known if name and (value.startswith(name) or (value and name.startswith(value)))]
    near = begun[-1:] or difflib.get_close_matches(value, known, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"{value!r} is no {what}", hint=f"{hint}Known: {', '.join(known) or 'none yet'}.")


def pair(text: str, separator: str, *, example: str) -> tuple[str, str]:
    """Return both sides of ``KEY=VALUE`` or ``SPACE:LABEL``, stripped.

    Raises:
        UsageError: when either side is missing; the example says what would be right.
    """
    left, found, right = text.partition(separator)
    if not found or not left.strip() or not right.strip():
        raise UsageError(f"{text!r} has not the form of {example}", hint=f"Write {example}.")
    return left.strip(), right.strip()


def slug(text: str, *, what: str) -> str:
    """Return a slug such as ``claude-opus-5-5``, unchanged.

    Raises:
        UsageError: for anything else than lower-case letters and digits joined by single hyphens.
    """
    if not _SLUG.fullmatch(text) or len(text) > 100:
        raise UsageError(
            f"{text[:60]!r} is not a slug for {what}",
            hint="Use lower-case letters, digits and hyphens: claude-opus-5-5.",
        )
    return text


def from_text(kind: str, column: str, text: str) -> object:
    """Return a column's value given as text on a command line; empty text is None.

    Raises:
        UsageError: for an unknown column or a number that is none.
    """
    columns = metadata.tables[FACTS[kind].table].columns
    _known_column(kind, column)
    if not text:
        return None
    if not isinstance(columns[column].type, Integer):
        return text
    if not re.fullmatch(r"-?[0-9]{1,10}", text.replace(",", "").replace("_", "")):
        raise UsageError(
            f"{column} {text!r} is not a whole number", hint=f"Write {column}=400000, or {column}= to erase it."
        )
    return int(text.replace(",", "").replace("_", ""))


def typed(kind: str, row: Row) -> dict[str, object]:
    columns = metadata.tables[FACTS[kind].table].columns
    known = _columns(kind)
    for column in row:
        _known_column(kind, column)
    result = {name: _value(kind, name, columns[name], row.get(name)) for name in known}
    if kind == "alias":
        result["scope"] = result["scope"] or ""
    for name in known:
        if result[name] is None and not columns[name].nullable:
            raise UsageError(f"the {kind} has no {name}", hint=f"Give every {kind} its {name}.")
    return {name: value for name, value in result.items() if value is not None}


def _columns(kind: str) -> list[str]:
    """Return the columns a fact of a kind may state: all but the id and the locked ones."""
    hidden = {"id", *(facts.RANK_COLUMNS if kind == "model" else ())}
    return [column.name for column in metadata.tables[FACTS[kind].table].columns if column.name not in hidden]


def _known_column(kind: str, column: str) -> None:
    if kind == "model" and column in facts.RANK_COLUMNS:
        raise LockedError(f"{column} is locked", hint="Ranks come from rebase, add-model and audit correct.")
    one_of(column, _columns(kind), what=f"column of {facts.one(kind)}")


def _value(kind: str, name: str, column: Any, value: object) -> object:
    if isinstance(column.type, Integer):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise UsageError(f"{name} of the {kind} is {value!r}, not a whole number", hint="Write digits only.")
        if isinstance(value, int) and not -(2**31) < value < 2**31:
            raise UsageError(
                f"{name} of the {kind} is {value}, which is too large", hint=f"It must stay below {2**31:,}."
            )
        return value
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} of the {kind} is {value!r}, not text", hint="Write it in quotes.")
    text = unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else None
    if text and not is_plain(text):
        raise UsageError(
            f"{name} of the {kind} is {text!r}: control characters, invisible ones and broken UTF-8 are not allowed",
            hint="Write one line of plain text.",
        )
    if text and len(text) > MOST_CHARACTERS and kind != "proposal":
        raise UsageError(
            f"{name} of the {kind} has {len(text):,} characters: {text[:20]!r}…",
            hint=f"At most {MOST_CHARACTERS:,} are kept.",
        )
    return text or None


def is_plain(text: str) -> bool:
    """Return whether a text is one line without control characters, invisible ones or broken UTF-8."""
    return not any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in text)
