"""Texts that commands take from a file or stdin and write to stdout as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from catalog.errors import UsageError

STDIN = "-"


def read(file: str) -> str:
    """Return the text of a file, or of stdin for ``-``; line breaks and a byte order mark are left as they are.

    Raises:
        UsageError: when it is missing, cannot be read or is not UTF-8.
    """
    try:
        content = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{_shown(file)} is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}", hint="Name a file, or - for stdin.") from None


def write(text: str) -> None:
    """Write a text to stdout; it ends in one line break."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


@contextmanager
def refused(file: str, what: str) -> Iterator[None]:
    """Turn what a library says of a text into a message that names where it came from."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{_shown(file)} is no {what}: {error}", hint="Nothing was written.") from None


def _shown(file: str) -> str:
    return "stdin" if file == STDIN else file
