"""JSON files that options name, checked for what they are to hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from catalog import canonical
from catalog.errors import UsageError
from catalog.sources import texts


def read(file: str | Path, option: str, wanted: str, holds: Callable[[Any], bool]) -> Any:
    """Return what a file holds; ``-`` reads standard input.

    Args:
        file: its path.
        option: that names it, such as ``--data``.
        wanted: what it is to hold, in words.
        holds: says whether it does.

    Raises:
        UsageError: where it cannot be read, is no JSON, or holds something else.
    """
    name = texts.name_of(str(file))
    try:
        found: Any = json.loads(texts.read(str(file)), object_pairs_hook=canonical.unique)
    except RecursionError:
        raise UsageError(f"{option} {name} is nested too deeply", hint=f"Give {wanted}.") from None
    except ValueError as error:
        why = str(error).partition("; use sys.")[0]  # which is no way out on a command line
        raise UsageError(f"{option} {name} is no JSON that can be read: {why}", hint=f"Give {wanted}.") from None
    if not holds(found):
        raise UsageError(f"{option} {name} holds something else", hint=f"Give {wanted}.")
    return found


def write(file: Path, option: str, value: Any) -> None:
    """Write a value as JSON.

    Raises:
        UsageError: where that cannot be done.
    """
    try:
        file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{option} {file} cannot be written: {error.strerror}", hint="Name another path.") from None
