"""Texts that commands write to stdout as they are, and what is said of those that cannot be understood."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from catalog.crusher import BudgetError, ShortenedError
from catalog.errors import UsageError
from catalog.sources import texts


def write(text: str) -> None:
    """Write a text to stdout; it ends in one line break."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


@contextmanager
def understood(file: str, *, as_: str) -> Iterator[None]:
    """Turn what a library says of a text into a message that names where it came from."""
    try:
        yield
    except ShortenedError as error:
        told = str(error).partition(";")[0]
        raise UsageError(f"{texts.name_of(file)}: {told}", hint="--partial writes the rest.") from None
    except BudgetError as error:
        raise UsageError(str(error), hint="Give it more room.") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{texts.name_of(file)} is no {as_}: {error}", hint="Nothing was written.") from None
