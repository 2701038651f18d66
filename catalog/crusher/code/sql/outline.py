"""Outlines of SQL, and whether a source still parses, statement by statement."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from catalog.crusher.code.outlines import Outline, Statement, UnreadableError
from catalog.crusher.code.sql import statements as sql
from catalog.crusher.code.sql.statements import declarations_of, parts_of, statements_of
from catalog.crusher.code.sql.tokens import DIALECTS, comments_between, guessed, tokens_of

_READ = re.compile(
    r"--[+>]|/\*(?:M?!|[+*])"
    r"|--\s*(?:[!:]|name:|\+goose\b|\+migrate\b|migrate:|liquibase\b|changeset\b|preconditions\b|rollback\b|atlas:"
    r"|squawk-|noqa|sqlfluff|fmt:|SPDX-)"
)
"""Comments that a database or a tool reads."""


def sql_outline(source: str, dialect: str = "") -> Outline:
    """Return the outline of SQL.

    Args:
        source: the SQL.
        dialect: one of `DIALECTS`; '' where it is to be guessed.

    Raises:
        UnreadableError: where the tokenizer gives up.
        MissingExtraError: where sqlglot is not installed.
    """
    known = dialect or guessed(source)
    tokens, broken = tokens_of(source, known)
    found = list(statements_of(tokens, known))
    comments = (span for span in comments_between(source, tokens) if not _READ.match(source, span.start))
    return Outline(
        parts=parts_of(source, found, known),
        declarations=declarations_of(source, found),
        comments=comments,
        again=partial(_again, dialect=known, is_guessed=not dialect),
        errors=len(broken),
        broken=broken,
        told="" if dialect else f"the dialect was taken to be {known}",
        statements=[_statement(source, own) for own in found],
        parses=partial(parses, dialect=known),
    )


def _again(text: str, *, dialect: str, is_guessed: bool) -> Outline:
    """Return the outline of a text made of a source, which must still be taken to be what the source was."""
    if is_guessed and guessed(text) != dialect:
        raise UnreadableError(f"it would be taken to be {guessed(text)} instead of {dialect}")
    return sql_outline(text, dialect)


def _statement(source: str, own: sql.Statement) -> Statement:
    shape = tuple(token.word for token in own.tokens)
    return Statement(source[own.span.start : own.span.end], shape)


def parses(statement: str, dialect: str) -> bool:
    """Return whether sqlglot parses a statement."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    with _quiet():
        try:
            sqlglot.parse(statement, read=DIALECTS[dialect])
        except (SqlglotError, RecursionError, MemoryError, ValueError, IndexError, AttributeError, TypeError):
            return False
    return True


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from warning of each statement that it only half understands."""
    logger = logging.getLogger("sqlglot")
    logger.addFilter(_nothing)
    try:
        yield
    finally:
        logger.removeFilter(_nothing)


def _nothing(_: logging.LogRecord) -> bool:
    return False
