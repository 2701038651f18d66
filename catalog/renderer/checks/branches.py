"""Checks of branches: those that no rank reaches, wherever the text is put in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import nodes

from catalog.renderer.checks.estates import Estate
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.placeholders import RANK
from catalog.renderer.places import Place
from catalog.renderer.program import Program
from catalog.renderer.thresholds import Threshold

Ranks = frozenset[int]
"""Numbers of intervals of ranks, among those between which a prompt's text changes."""


class Branch(NamedTuple):
    """What is read only under a condition.

    Attributes:
        place: of the condition, or of what is read where it does not hold.
        condition: its number among the nodes of its file, so that two on a line are told apart.
        side: whether it is read where the condition holds.
        threshold: the comparison that the condition is; None where it is something else.
    """

    place: Place
    condition: int
    side: bool
    threshold: Threshold | None


_MESSAGES: Mapping[bool, str] = {
    True: "nothing that reaches this condition makes it true",
    False: "all that reaches this is taken by the conditions before",
}


def unreached(estate: Estate) -> Iterator[Finding]:
    """Yield the branches that are reached in no prompt that their text is part of."""
    met: dict[Branch, bool] = {}
    for own in estate.programs.values():
        for branch, is_reached in _Walk(own).branches():
            met[branch] = met.get(branch, False) or is_reached
    for branch, is_reached in met.items():
        if not is_reached:
            yield Finding(rule=RULES["P303"], place=_place(branch, estate), message=_MESSAGES[branch.side])


def _place(branch: Branch, estate: Estate) -> Place:
    own = branch.threshold
    if own is not None and own.place == branch.place:
        return branch.place._replace(column=own.column(estate.line(branch.place)))
    return estate.at(branch.place, RANK)


class _Walk:
    """Goes through a prompt with the ranks that reach each place; no rank is below 1."""

    def __init__(self, own: Program) -> None:
        self._own = own
        self._thresholds = own.thresholds
        ends = [*own.cuts, None]
        self._lowest = {number: max(1, low) for number, low in enumerate([1, *own.cuts]) if (ends[number] or 2) > 1}

    def branches(self) -> Iterator[tuple[Branch, bool]]:
        """Yield the branches, and whether any rank reaches each."""
        yield from self._body(self._own.tree.body, frozenset(self._lowest))

    def _body(self, body: Sequence[nodes.Node], ranks: Ranks) -> Iterator[tuple[Branch, bool]]:
        if not ranks:
            return  # of the branch around them it is said already
        for node in body:
            if isinstance(node, nodes.If):
                inside, left = self._divided(node.test, ranks)
                yield from self._inside(node.test, ranks)
                yield self._branch(node.test, node, side=True), bool(inside)
                if node.else_:
                    yield self._branch(node.test, node.else_[0], side=False), bool(left)
                yield from self._body(node.body, inside)
                yield from self._body(node.else_, left)
            elif isinstance(node, nodes.For):
                inside = ranks if node.test is None else self._divided(node.test, ranks)[0]
                yield from self._inside(node.iter, ranks)
                yield from self._body(node.body, inside)
                yield from self._body(node.else_, ranks)
            elif isinstance(node, nodes.Scope):
                yield from self._body(node.body, ranks)
            else:
                yield from self._inside(node, ranks)

    def _inside(self, node: nodes.Node, ranks: Ranks) -> Iterator[tuple[Branch, bool]]:
        """Yield the branches of the conditional expressions in a node."""
        if not ranks:
            return
        if not isinstance(node, nodes.CondExpr):
            for child in node.iter_child_nodes():
                yield from self._inside(child, ranks)
            return
        inside, left = self._divided(node.test, ranks)
        yield self._branch(node.test, node, side=True), bool(inside)
        yield from self._inside(node.expr1, inside)
        if node.expr2 is not None:
            yield self._branch(node.test, node, side=False), bool(left)
            yield from self._inside(node.expr2, left)

    def _branch(self, test: nodes.Node, at: nodes.Node, *, side: bool) -> Branch:
        number = getattr(test, "threshold", None)
        compared = self._thresholds[number] if number is not None else None
        return Branch(self._own.place(at.lineno), _number(test), side, compared)

    def _divided(self, test: nodes.Node, ranks: Ranks) -> tuple[Ranks, Ranks]:
        """Return the ranks for which a condition may be true, and those for which it may be false."""
        node: Any = test
        if isinstance(node, nodes.Const):
            return (ranks, frozenset()) if node.value else (frozenset(), ranks)
        if isinstance(node, nodes.Not):
            return self._divided(node.node, ranks)[::-1]
        if isinstance(node, nodes.And):
            left, right = self._divided(node.left, ranks), self._divided(node.right, ranks)
            return left[0] & right[0], left[1] | right[1]
        if isinstance(node, nodes.Or):
            left, right = self._divided(node.left, ranks), self._divided(node.right, ranks)
            return left[0] | right[0], left[1] & right[1]
        number = getattr(node, "threshold", None)
        if number is None:
            return ranks, ranks
        inside = frozenset(own for own in ranks if self._thresholds[number].holds(self._lowest[own]))
        return inside, ranks - inside


def _number(test: Any) -> int:
    """Return the number of a condition, which may go through filters of ours by now."""
    while not hasattr(test, "number"):
        test = test.node
    return int(test.number)
