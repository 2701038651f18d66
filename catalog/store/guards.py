"""The guards: the triggers by which the database itself keeps the log append-only and the ranks locked.

They are dropped before and created after every migration (a batch migration on SQLite silently loses them), and
``findings`` compares what stands in the database with the text here. Every function takes ``execute``, which runs one
statement and returns its rows, and the dialect, ``sqlite`` or ``postgresql``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from catalog.log.facts import FACTS
from catalog.store import guards_postgres, guards_sqlite

_OURS = frozenset({"change_log", *(fact.table for fact in FACTS.values())})

Execute = Callable[[str], Sequence[tuple[Any, ...]]]


def install(execute: Execute, dialect: str) -> None:
    """Create every guard in place of whatever stands under its name."""
    drop(execute, dialect)
    statements = guards_sqlite.CREATE if dialect == "sqlite" else guards_postgres.create(_schema(execute))
    for statement in statements:
        execute(statement)


def drop(execute: Execute, dialect: str) -> None:
    """Remove every trigger of the catalog's tables, so that a migration can rebuild them."""
    if dialect == "sqlite":
        for name, table in execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' ORDER BY name"):
            if table.lower() in _OURS:
                execute(f'DROP TRIGGER "{name}"')
        return
    for name, table in execute(guards_postgres.TRIGGER_NAMES):
        if table in _OURS:
            execute(f'DROP TRIGGER "{name}" ON "{table}"')


def findings(execute: Execute, dialect: str) -> list[str]:
    """Return one sentence for every guard that is missing, changed or switched off, and for every foreign one."""
    if dialect == "sqlite":
        expected, standing = guards_sqlite.expected(), guards_sqlite.standing(execute)
        return [*_missing(expected, standing), *_foreign(expected, standing)]
    expected, standing = guards_postgres.expected(_schema(execute)), guards_postgres.standing(execute)
    rewriting = [f"the rule {name} on {table} rewrites statements" for name, table in execute(guards_postgres.RULES)]
    return [*_missing(expected, standing), *_foreign(expected, standing), *rewriting]


def _schema(execute: Execute) -> str:
    return str(execute("SELECT current_schema()")[0][0])


def _missing(expected: Mapping[str, object], standing: Mapping[str, object]) -> list[str]:
    return [
        f"the guard {name} is {'changed or switched off' if name in standing else 'missing'}"
        for name, definition in sorted(expected.items())
        if standing.get(name) != definition
    ]


def _foreign(expected: Mapping[str, object], standing: Mapping[str, object]) -> list[str]:
    return [f"the trigger {name} is not one of the catalog's" for name in sorted(set(standing) - set(expected))]
