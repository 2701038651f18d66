"""The text of a file, or of standard input for ``-``."""

from __future__ import annotations

import sys
from pathlib import Path

from catalog.errors import UsageError


def read(source: str) -> str:
    """Return a text in UTF-8, without its byte order mark; line breaks are left as they are.

    Raises:
        UsageError: when it is missing, cannot be read or is not UTF-8.
    """
    if source == "-" and sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name a file, or pipe text in.")
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name_of(source)} is not UTF-8 text (byte {error.start})", hint="Save it as UTF-8."
        ) from None
    except OSError as error:
        raise UsageError(f"{name_of(source)} cannot be read: {error.strerror}", hint="Check the path.") from None


def name_of(source: str) -> str:
    """Return how messages call a source."""
    return "standard input" if source == "-" else source
