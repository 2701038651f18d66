"""The text of a file, or of standard input for ``-``."""

from __future__ import annotations

import sys
from pathlib import Path

from catalog.errors import UsageError


def read(source: str, *, as_far_as_possible: bool = False, with_mark: bool = False) -> str:
    """Return a text in UTF-8, without its byte order mark; line breaks are left as they are.

    Args:
        source: path of a file, or ``-``.
        with_mark: whether the byte order mark is kept.
        as_far_as_possible: whether bytes that are no UTF-8 are read, too, as surrogates, which no UTF-8 has.

    Raises:
        UsageError: when it is missing, cannot be read or is not UTF-8.
    """
    if source == "-" and sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name a file, or pipe text in.")
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return data.decode("utf-8" if with_mark else "utf-8-sig", "surrogateescape" if as_far_as_possible else "strict")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name_of(source)} is not UTF-8 text (byte {error.start})", hint="Save it as UTF-8."
        ) from None
    except OSError as error:
        raise UsageError(f"{name_of(source)} cannot be read: {error.strerror}", hint="Check the path.") from None


def name_of(source: str) -> str:
    """Return how messages call a source."""
    return "standard input" if source == "-" else source
