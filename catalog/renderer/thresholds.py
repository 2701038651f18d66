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
from catalog.renderer.sources import Source
from catalog.renderer.tags import Tag

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
_EVAL = re.compile(r";\s*eval:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a threshold says that a model can do, and what shows it.

    Attributes:
        text: in words.
        eval: suite and case, such as ``protocol/terse``; '' where none is named.
        line: where it stands.
    """

    text: str
    eval: str
    line: int


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
        return _offset(line, self.sign, self.value) + 1

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

    def __init__(self, source: Source) -> None:
        self._source = source
        self._ending: dict[int, list[tuple[int, Claim]]] = {}
        self._above: dict[int, Claim] = {}
        self._lines: dict[int, range] = {}
        for tag in source.tags:
            lines = source.lines_of(tag)
            if tag.kind != "#":
                self._lines |= dict.fromkeys(lines, lines) if len(lines) > 1 else {}
            elif (claim := _claim(source, tag)) is not None:
                self._ending.setdefault(lines[-1], []).append((tag.start, claim))
                if all(line in source.quiet for line in lines):
                    self._above[source.below(tag)] = claim

    def beside(self, line: int, sign: str, value: int) -> Claim | None:
        """Return the claim on the line of a comparison, or the last one above it; the lines of a tag are one.

        Between a claim above and its line nothing but comments stand.

        Of several on a line each stands beside the comparison next to it, behind it or before it as the first does.
        """
        lines = self._lines.get(line, range(line, line + 1))
        here = [own for number in lines for own in self._ending.get(number, ())]
        if not here:
            return self._above.get(lines[0])
        if len(here) == 1:
            return here[0][1]
        starts = self._source.lines.starts
        at = starts[line - 1] + _offset(self._source.line(line), sign, value)
        first = _COMPARED.search(self._source.text, starts[lines[0] - 1])
        if first is not None and first.start() < here[0][0]:
            return next((claim for start, claim in here if start > at), None)
        return next((claim for start, claim in reversed(here) if start < at), None)


def _claim(source: Source, tag: Tag) -> Claim | None:
    """Return the claim that a comment is; None where it is none."""
    said = source.text[tag.start + 2 : tag.end - 2].strip("-").strip()
    if not said.startswith("claim:"):
        return None
    what, shown, *_ = [*_EVAL.split(said.removeprefix("claim:"), maxsplit=1), ""]
    line = source.lines.number(tag.start)
    return Claim(text=" ".join(what.split()), eval=" ".join(shown.split()), line=line)


def _offset(line: str, sign: str, value: int) -> int:
    """Return where on a line a comparison stands, from 0; 0 where that is not plain to see."""
    mirrored = next(back for own, back, _ in _OPERATORS.values() if own == sign)
    for found in _COMPARED.finditer(line):
        said, number = (found["sign"], found["value"]) if found["sign"] else (found["back"], found["first"])
        if said == (sign if found["sign"] else mirrored) and int(number) == value:
            return found.start()
    return 0


def interval(rank: int, cuts: Iterable[int]) -> int:
    """Return the number of the interval that a rank lies in, among those between some cuts in order."""
    return bisect_right(list(cuts), rank)
