"""Thresholds: where a prompt compares the model's PowerRank with a number, and the claim that stands beside it."""

from __future__ import annotations

import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from jinja2 import nodes

from catalog.renderer.placeholders import RANK
from catalog.renderer.places import Place

_OPERATORS: Mapping[str, tuple[str, str, Callable[[int, int], bool]]] = {
    "lt": ("<", ">", operator.lt),
    "lteq": ("<=", ">=", operator.le),
    "gt": (">", "<", operator.gt),
    "gteq": (">=", "<=", operator.ge),
    "eq": ("==", "==", operator.eq),
    "ne": ("!=", "!=", operator.ne),
}
"""Jinja2's names: the sign, the sign read from the right, and what it compares."""
_COMPARED = re.compile(
    rf"{RANK}\s*(?P<sign>[<>=!]=?)\s*(?P<value>-?\d[\d_]*)|(?P<first>-?\d[\d_]*)\s*(?P<back>[<>=!]=?)\s*{RANK}"
)
_BY_SIGN = {sign: compare for sign, _, compare in _OPERATORS.values()}
_CLAIM = re.compile(
    r"\{#-?\s*claim:\s*(?P<text>(?:(?!#\}|;\s*eval:).)*?)\s*(?:;\s*eval:\s*(?P<eval>(?:(?!#\}).)*?))?\s*-?#\}",
    re.DOTALL,
)
_LONG_TAG = re.compile(r"\{([%{])(?:(?![%}]\}).)*?\n.*?[%}]\}", re.DOTALL)
"""A tag of several lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a threshold says that a model can do, and what shows it.

    Attributes:
        text: in words.
        eval: suite and case, such as ``protocol/terse``; '' where none is named.
        line: where it stands.
        is_alone: whether nothing else stands on its lines, so that it is of what stands below.
    """

    text: str
    eval: str
    line: int
    is_alone: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A comparison of the PowerRank with a number.

    Attributes:
        place: where it stands.
        sign: ``<``, ``<=``, ``>``, ``>=``, ``==`` or ``!=``, with the rank on its left.
        value: the number.
        claim: what stands beside it; None where nothing does.
    """

    place: Place
    sign: str
    value: int
    claim: Claim | None

    def holds(self, rank: int) -> bool:
        """Return whether a rank is on the side that the comparison is true on."""
        return _BY_SIGN[self.sign](rank, self.value)

    @property
    def cuts(self) -> tuple[int, ...]:
        """The ranks from which on it may say something else than below."""
        if self.sign in ("<", ">="):
            return (self.value,)
        return (self.value + 1,) if self.sign in ("<=", ">") else (self.value, self.value + 1)

    def column(self, line: str) -> int:
        """Return where on its line it stands, from 1; 1 where that is not plain to see."""
        mirrored = next(back for sign, back, _ in _OPERATORS.values() if sign == self.sign)
        for found in _COMPARED.finditer(line):
            sign, value = (found["sign"], found["value"]) if found["sign"] else (found["back"], found["first"])
            if sign == (self.sign if found["sign"] else mirrored) and int(value) == self.value:
                return found.start() + 1
        return 1

    def __str__(self) -> str:
        """Return it as it reads, such as ``_MODEL_POWER_RANK >= 100``."""
        return f"{RANK} {self.sign} {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A threshold that a rendering met.

    Attributes:
        threshold: the comparison.
        holds: the side that the model is on.
    """

    threshold: Threshold
    holds: bool


def compared(node: nodes.Node) -> tuple[str, int] | None:
    """Return sign and number of a comparison of the rank with an integer, as if it stood on the left; else None."""
    if not isinstance(node, nodes.Compare) or len(node.ops) != 1:
        return None
    left, right, name = node.expr, node.ops[0].expr, node.ops[0].op
    if name not in _OPERATORS:
        return None
    sign, mirrored, _ = _OPERATORS[name]
    if _is_rank(left) and (value := _integer(right)) is not None:
        return sign, value
    if _is_rank(right) and (value := _integer(left)) is not None:
        return mirrored, value
    return None


def _is_rank(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == RANK


def _integer(node: nodes.Node) -> int | None:
    if isinstance(node, nodes.Neg):
        value = _integer(node.node)
        return None if value is None else -value
    return node.value if isinstance(node, nodes.Const) and type(node.value) is int else None


class Claims:
    """The claims of a file, by what they stand beside."""

    def __init__(self, text: str) -> None:
        self._ending: dict[int, Claim] = {}
        for own in _CLAIM.finditer(text):
            begins, ends = text.rfind("\n", 0, own.start()) + 1, text.find("\n", own.end())
            beside = text[begins : own.start()] + text[own.end() : ends if ends >= 0 else len(text)]
            last = _line(text, own.end())
            self._ending[last] = Claim(
                text=" ".join(own["text"].split()),
                eval=" ".join((own["eval"] or "").split()),
                line=_line(text, own.start()),
                is_alone=not beside.strip(),
            )
        self._lines: dict[int, range] = {}
        for tag in _LONG_TAG.finditer(text):
            lines = range(_line(text, tag.start()), _line(text, tag.end()) + 1)
            self._lines |= dict.fromkeys(lines, lines)

    def beside(self, line: int) -> Claim | None:
        """Return the claim on a line, or alone on the one above; the lines of a tag are one."""
        lines = self._lines.get(line, range(line, line + 1))
        here = next((self._ending[own] for own in reversed(lines) if own in self._ending), None)
        above = self._ending.get(lines[0] - 1)
        return here or (above if above is not None and above.is_alone else None)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def interval(rank: int, cuts: Iterable[int]) -> int:
    """Return the number of the interval that a rank lies in, among those between some cuts in order."""
    return bisect_right(list(cuts), rank)
