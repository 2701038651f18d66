"""Expressions: what is known of them before anything is rendered, and what a rendering counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import nodes

from catalog.errors import PromptError
from catalog.renderer.chains import Owner
from catalog.renderer.language import every
from catalog.renderer.names import CHILDREN, INTERFACE, SECTION, SPECIALIZATION
from catalog.renderer.places import Place
from catalog.renderer.sandbox import JOINED, SEARCHED, SEEN, WEIGHED


class Expressions:
    """Reads the expressions of a prompt.

    Args:
        place: gives the place of a line of all files.

    Attributes:
        interfaces: names of the types that are shown, and where first.
    """

    def __init__(self, place: Callable[[int], Place]) -> None:
        self._place = place
        self.interfaces: dict[str, Place] = {}

    def read(self, node: Any, owner: Owner) -> Any:
        """Return an expression with what is known already, and with what a rendering counts."""
        made = self._read(node, owner)
        if hasattr(node, "number"):
            made.number = node.number
        return made

    def _read(self, node: Any, owner: Owner) -> Any:
        method = node.node if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) else None
        for name, value in node.iter_fields():
            if isinstance(value, nodes.Node):
                setattr(node, name, self.read(value, owner))
            elif isinstance(value, list):
                made = [self.read(own, owner) if isinstance(own, nodes.Node) else own for own in value]
                setattr(node, name, made)
        if method is not None:
            node.node = method
        if isinstance(node, nodes.Getattr):  # a method stands for a key that is not there only where it is called
            return nodes.Getitem(node.node, nodes.Const(node.attr), node.ctx, lineno=node.lineno)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == INTERFACE:
            return self._interface(node, owner)
        if isinstance(node, nodes.Name) and node.ctx == "load":
            return self._name(node, owner)
        return _counted(node)

    def _interface(self, node: Any, owner: Owner) -> Any:
        """Return a call for an interface that says, too, whose sections it is to follow."""
        given = [own.value for own in node.args if isinstance(own, nodes.Const)]
        at = self._place(node.lineno)
        if len(given) != 1 or len(node.args) != 1 or not isinstance(given[0], str) or node.kwargs:
            raise PromptError("interface takes the name of one type as a text", place=at)
        self.interfaces.setdefault(given[0], at)
        node.args.append(nodes.Const(owner.chain.number, lineno=node.lineno))
        return node

    def _name(self, node: Any, owner: Owner) -> Any:
        if node.name in (SPECIALIZATION, CHILDREN):
            raise PromptError(
                f"{node.name!r} stands for a whole text and cannot be part of an expression",
                place=self._place(node.lineno),
                hint=f"Write {{{{ {SPECIALIZATION} }}}} or {{{{ {CHILDREN}.NAME }}}} alone.",
            )
        if node.name.startswith(SECTION):
            node.name = owner.chain.flag(node.name.removeprefix(SECTION))
        front = owner.source.front
        of_prompt = {
            "_PROMPT_NAME": front.name,
            "_PROMPT_DESCRIPTION": front.description,
            "_OUTPUT_TYPE": front.output or "",
        }
        return nodes.Const(of_prompt[node.name], lineno=node.lineno) if node.name in of_prompt else node


def _counted(node: Any) -> Any:
    """Return an expression so that what it costs to make it, or to look at what it holds, is counted."""
    if isinstance(node, nodes.Concat):
        return filtered(JOINED, nodes.List(node.nodes, lineno=node.lineno))
    if isinstance(node, nodes.List | nodes.Tuple | nodes.Dict) and not _is_constant(node):
        return filtered(WEIGHED, node)
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice):
        return filtered(SEEN, node)
    if isinstance(node, nodes.Compare):
        node.expr = _looked_at(node.expr)
        for operand in node.ops:
            operand.expr = _looked_at(operand.expr, SEARCHED if operand.op in ("in", "notin") else SEEN)
    return node


def filtered(name: str, node: nodes.Expr) -> nodes.Filter:
    """Return an expression that goes through a filter of ours."""
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


def _looked_at(node: nodes.Expr, by: str = SEEN) -> nodes.Expr:
    """Return what is compared, so that what it costs is counted; numbers and names of placeholders cost nothing."""
    own = node.node if isinstance(node, nodes.Neg) else node
    is_small = isinstance(own, nodes.Const) or (isinstance(own, nodes.Name) and own.name.startswith("_"))
    return node if is_small else filtered(by, node)


def _is_constant(node: nodes.Node) -> bool:
    return not any(isinstance(own, nodes.Name | nodes.Call) for own in every(node))
