"""Letters: short names in the order A, B, … Z, AA, AB and so on."""

from __future__ import annotations

from collections.abc import Iterator


def letters() -> Iterator[str]:
    """Yield A, B, … Z, AA, AB and so on, without end."""
    number = 0
    while True:
        number += 1
        name, rest = "", number
        while rest:
            rest, digit = divmod(rest - 1, 26)
            name = chr(65 + digit) + name
        yield name
