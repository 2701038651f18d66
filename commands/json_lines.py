"""JSON Lines as one list: the lines that are no JSON are told, and the rest goes on."""

from __future__ import annotations

import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import NamedTuple

from catalog.crusher.minified import dumps
from catalog.crusher.parsing import loads

_NO_UTF8 = re.compile("[\udc80-\udcff]")
_EVERY = 5_000
"""Lines after which progress is told."""


class Lines(NamedTuple):
    """Lines of JSON.

    Attributes:
        text: the JSON of a list of them.
        broken: what is wrong with the others, by the number of the line.
    """

    text: str
    broken: dict[int, str]


def as_list(text: str, progress: Callable[[int, int], None]) -> Lines:
    """Return JSON Lines as the JSON of a list; empty lines are nothing.

    Args:
        text: the lines.
        progress: is called now and then with how many lines were read, and how many there are.
    """
    kept: list[str] = []
    broken: dict[int, str] = {}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if number % _EVERY == 0:
            progress(number, len(lines))
        if not line.strip():
            continue
        if _NO_UTF8.search(line):
            broken[number] = "it is not UTF-8 text"
            continue
        try:
            kept.append(dumps(loads(line)))
        except JSONDecodeError as error:
            broken[number] = f"{error.msg} at character {error.pos + 1:,}"
        except ValueError as error:
            broken[number] = str(error)
    return Lines(f"[{','.join(kept)}]", broken)
