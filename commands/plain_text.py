"""Texts that commands write to stdout as they are, and what is said of those that cannot be understood."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper

from catalog.crusher import BudgetError, ShortenedError
from catalog.errors import UsageError
from catalog.sources import texts


def write(text: str, *, exactly: bool = False) -> None:
    """Write a text to stdout in UTF-8, whatever the terminal's encoding; unless exactly so, it ends in a line break."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
        if exactly:
            sys.stdout.reconfigure(newline="")
    sys.stdout.write(text if exactly or text.endswith("\n") else f"{text}\n")


@contextmanager
def understood(file: str, *, as_: str, lines: str = "") -> Iterator[None]:
    """Turn what a library says of a text into a message that names where it came from.

    Args:
        file: where it came from.
        as_: what it should be.
        lines: what to do where it holds several values; '' where nothing can be done.
    """
    try:
        yield
    except ShortenedError as error:
        raise UsageError(f"{texts.name_of(file)}: {error.told}", hint="--partial writes the rest.") from None
    except BudgetError as error:
        raise UsageError(str(error), hint="Give it more room.") from None
    except (ValueError, RecursionError) as error:
        hint = lines if lines and str(error).startswith("Extra data") else "Nothing was written."
        raise UsageError(f"{texts.name_of(file)} is no {as_}: {error}", hint=hint) from None
