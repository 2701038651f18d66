"""Stores: where the full text of what was masked is kept. The caller owns them, and closes what is to be closed."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Protocol


class Store(Protocol):
    """Keeps texts under the reference that a mask shows."""

    def put(self, ref: str, text: str) -> None:
        """Keep a text; the same text may be put again."""

    def get(self, ref: str) -> str | None:
        """Return a text, None where there is none."""


def ref_of(text: str) -> str:
    """Return the reference of a text: the same text always has the same one, so masking again changes nothing."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


_DIGITS = 16
"""Of a hash: 64 bits, so that among a million texts two agree once in thirty million tries."""


class MemoryStore:
    """Keeps texts as long as the program runs."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, ref: str, text: str) -> None:
        """Keep a text."""
        self._texts[ref] = text

    def get(self, ref: str) -> str | None:
        """Return a text, None where there is none."""
        return self._texts.get(ref)


class SqliteStore:
    """Keeps texts in a file of SQLite; several programs may use it at once."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, which is made where there is none.

        Raises:
            OSError: when it cannot be opened, or is no file of SQLite, naming it.
        """
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS observation (ref TEXT PRIMARY KEY, text BLOB NOT NULL) STRICT"
            )
        except sqlite3.Error as error:
            raise OSError(f"{path} cannot be used as a store: {error}") from error

    def put(self, ref: str, text: str) -> None:
        """Keep a text, in the file before this returns."""
        self._connection.execute(
            "INSERT INTO observation (ref, text) VALUES (?, ?) ON CONFLICT (ref) DO NOTHING",
            (ref, text.encode("utf-8", "surrogatepass")),
        )

    def get(self, ref: str) -> str | None:
        """Return a text, None where there is none."""
        row = self._connection.execute("SELECT text FROM observation WHERE ref = ?", (ref,)).fetchone()
        return None if row is None else row[0].decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
