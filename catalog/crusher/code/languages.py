"""Languages: the names they go by, and how each is outlined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from catalog.crusher.code.outlines import Outline, Outliner, Span
from catalog.crusher.code.python import python_comments, python_outline
from catalog.crusher.code.sql.outline import sql_outline
from catalog.crusher.code.sql.tokens import DIALECTS
from catalog.crusher.code.typescript import typescript_comments, typescript_outline


def _outlined(_: str, outline: Outline) -> Iterable[Span]:
    return outline.comments


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language whose code can be crushed.

    Attributes:
        outline: outlines a source.
        comments: gives the comments of a source and its outline that may go.
    """

    outline: Outliner
    comments: Callable[[str, Outline], Iterable[Span]] = _outlined


LANGUAGES: Mapping[str, Language] = {
    "python": Language(outline=python_outline, comments=lambda source, _: python_comments(source)),
    "typescript": Language(outline=typescript_outline, comments=typescript_comments),
    "sql": Language(outline=sql_outline),
    **{name: Language(outline=partial(sql_outline, dialect=name)) for name in DIALECTS},
}
"""Languages by the names they are asked for."""


def known(language: str) -> Language:
    """Return a language.

    Raises:
        ValueError: when it is unknown, naming those there are.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} is unknown; known: {', '.join(sorted(LANGUAGES))}")
    return LANGUAGES[language]
