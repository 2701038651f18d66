"""The legend: strings that repeat anywhere in a value are written once, and referred to by a letter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from catalog.crusher.letters import letters
from catalog.crusher.minified import quote

_LEAST_LENGTH = 10
"""Characters from which a reference, about three tokens itself, saves some; measured, 8 and 12 do little worse."""
_REFERENCE = len('"~AA"')
_ENTRY = len('"AA":,')
_LEAST_SAVED = len('"legend":{},')
"""Characters that all entries together must save."""


class Legend:
    """Gives each string of a value as it is to be written, and remembers what was referred to.

    Attributes:
        entries: letter → string, in the order in which they were first asked for.
    """

    def __init__(self, repeated: frozenset[str] = frozenset()) -> None:
        self.entries: dict[str, str] = {}
        self._repeated = repeated
        self._letters: dict[str, str] = {}
        self._names: Iterator[str] = letters()

    def letter(self, string: str) -> str:
        """Return the letter that refers to a string, '' where none does."""
        if string not in self._repeated:
            return ""
        if string not in self._letters:
            letter = self._letters[string] = next(self._names)
            self.entries[letter] = string
        return self._letters[string]


def repeated(value: Any) -> frozenset[str]:
    """Return the strings, not the keys, that are shorter to refer to than to repeat; needs no recursion."""
    strings: list[str] = []
    work = [value]
    while work:
        current = work.pop()
        kind = current.__class__
        if kind is str:
            if len(current) >= _LEAST_LENGTH:
                strings.append(current)
        elif kind is dict:
            work += current.values()
        elif kind is list or kind is tuple:
            work += current
    saved = {text: _saved(text, count) for text, count in Counter(strings).items() if count > 1}
    paying = {text: chars for text, chars in saved.items() if chars > 0}
    return frozenset(paying) if sum(paying.values()) > _LEAST_SAVED else frozenset()


def _saved(text: str, count: int) -> int:
    """Return the characters that an entry saves, of references with two letters."""
    return (count - 1) * len(quote(text)) - count * _REFERENCE - _ENTRY
