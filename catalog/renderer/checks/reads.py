"""Checks of reads: names that are read without being declared, and without being asked for first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jinja2 import nodes

from catalog.renderer.language import every

Names = frozenset[str]
_NONE: Names = frozenset()
_DEFAULTS = ("default", "d")


def unasked(body: Sequence[nodes.Node], known: Names) -> Iterator[tuple[str, int]]:
    """Yield the names that some statements read, and their lines, unless they are known or asked for first.

    ``x is defined`` asks, in the branch that it leads to, and so does ``x | default(…)`` for itself.
    """
    for node in body:
        if isinstance(node, nodes.If):
            yield from _read(node.test, known)
            if_true, if_false = _asked(node.test)
            yield from unasked(node.body, known | if_true)
            yield from unasked(node.else_, known | if_false)
            known |= _set(node.body) | _set(node.else_)  # in one of them, and nothing says in which
        elif isinstance(node, nodes.For):
            inside = known | names_of(node.target) | {"loop"}
            yield from _read(node.iter, known)
            if node.test is not None:
                yield from _read(node.test, inside)
                inside |= _asked(node.test)[0]
            yield from unasked(node.body, inside)
            yield from unasked(node.else_, known)
        elif isinstance(node, nodes.Scope):
            yield from unasked(node.body, known)
        else:
            yield from _read(node, known)
            known |= _set([node])


def names_of(target: nodes.Node) -> Names:
    """Return the names that stand on the left of a ``set`` or in a ``for``."""
    return frozenset(own.name for own in [target, *every(target)] if isinstance(own, nodes.Name))


def _set(body: Sequence[nodes.Node]) -> Names:
    """Return the names that some statements give to what stands behind them."""
    found = _NONE
    for node in body:
        if isinstance(node, nodes.Assign):
            found |= names_of(node.target)
        elif isinstance(node, nodes.If):
            found |= _set(node.body) | _set(node.else_)
    return found


def _read(node: Any, known: Names) -> Iterator[tuple[str, int]]:
    if isinstance(node, nodes.Name):
        if node.ctx == "load" and node.name not in known:
            yield node.name, node.lineno
    elif isinstance(node, nodes.And | nodes.Or):
        if_true, if_false = _asked(node.left)
        yield from _read(node.left, known)
        yield from _read(node.right, known | (if_true if isinstance(node, nodes.And) else if_false))
    elif isinstance(node, nodes.CondExpr):
        if_true, if_false = _asked(node.test)
        yield from _read(node.test, known)
        yield from _read(node.expr1, known | if_true)
        if node.expr2 is not None:
            yield from _read(node.expr2, known | if_false)
    else:
        for child in node.iter_child_nodes():
            if not (child is getattr(node, "node", None) and _asks(node)):
                yield from _read(child, known)


def _asks(node: Any) -> bool:
    """Return whether a test or filter takes a name for which nothing was handed in."""
    is_asking = (isinstance(node, nodes.Test) and node.name in ("defined", "undefined")) or (
        isinstance(node, nodes.Filter) and node.name in _DEFAULTS
    )
    return is_asking and isinstance(node.node, nodes.Name)


def _asked(test: Any) -> tuple[Names, Names]:
    """Return the names that are there where a condition is true, and those where it is false."""
    if isinstance(test, nodes.Not):
        return _asked(test.node)[::-1]
    if isinstance(test, nodes.And):
        left, right = _asked(test.left), _asked(test.right)
        return left[0] | right[0], left[1] & right[1]
    if isinstance(test, nodes.Or):
        left, right = _asked(test.left), _asked(test.right)
        return left[0] & right[0], left[1] | right[1]
    if isinstance(test, nodes.Test) and _asks(test):
        own = frozenset({test.node.name})  # type: ignore[attr-defined] # a name
        return (own, _NONE) if test.name == "defined" else (_NONE, own)
    return _NONE, _NONE
