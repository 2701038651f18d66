"""The language of prompt bodies: a closed part of Jinja2, small enough to say exactly what a text depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from math import inf
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.lexer import TOKEN_NAME
from jinja2.parser import Parser

from catalog.errors import PromptError
from catalog.renderer.limits import MOST_BITS
from catalog.renderer.names import SECTION
from catalog.renderer.places import Place
from catalog.renderer.sandbox import FILTERS, GLOBALS, METHODS, TESTS, Sandbox

_TAGS = frozenset({
    "if", "elif", "else", "endif", "for", "endfor", "set", "include", "section", "endsection", "state", "endstate",
})  # fmt: skip
_NODES = (
    nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign, nodes.Include, nodes.Scope,
    nodes.Name, nodes.Const, nodes.Tuple, nodes.List, nodes.Dict, nodes.Pair, nodes.Keyword,
    nodes.CondExpr, nodes.Filter, nodes.Test, nodes.Call, nodes.Getattr, nodes.Getitem, nodes.Slice,
    nodes.Compare, nodes.Operand, nodes.Concat, nodes.And, nodes.Or, nodes.Not, nodes.Neg, nodes.Pos,
    nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod, nodes.Pow,
)  # fmt: skip
"""Of these a body consists."""


class _Sections(Extension):
    """Reads ``section NAME … endsection`` as a condition."""

    tags = {"section"}  # noqa: RUF012 # as the base class has it

    def parse(self, parser: Any) -> nodes.Node:
        """Return the condition."""
        line = next(parser.stream).lineno
        name = parser.stream.expect(TOKEN_NAME)
        body = parser.parse_statements(("name:endsection",), drop_needle=True)
        return nodes.If(nodes.Name(f"{SECTION}{name.value}", "load", lineno=line), body, [], [], lineno=line)


class _States(Extension):
    """Reads ``state … endstate`` as a scope that `is_state` knows."""

    tags = {"state"}  # noqa: RUF012 # as the base class has it

    def parse(self, parser: Any) -> nodes.Node:
        """Return the scope."""
        line = next(parser.stream).lineno
        scope = nodes.Scope(parser.parse_statements(("name:endstate",), drop_needle=True), lineno=line)
        scope.is_state = True  # type: ignore[attr-defined] # nodes take attributes, and cannot be derived from
        return scope


def is_state(node: nodes.Node) -> bool:
    """Return whether a node is a block of state."""
    return isinstance(node, nodes.Scope) and getattr(node, "is_state", False)


def sandbox() -> Sandbox:
    """Return an environment that reads bodies."""
    return Sandbox(extensions=[_Sections, _States])


def parsed(environment: Sandbox, body: str, file: str, before: int) -> nodes.Template:
    """Return the tree of a body, the lines of its nodes counted from the first of its file.

    Args:
        environment: reads it.
        body: what stands behind the front matter.
        file: the file it is of.
        before: lines of the front matter.

    Raises:
        PromptError: naming file and line, for what is no Jinja2, and for what is not part of ours.
    """
    try:
        tree = _Parser(environment, body, file).parse()
    except TemplateSyntaxError as error:
        raise PromptError(error.message or "no Jinja2", place=Place(file, error.lineno + before), hint=_HINT) from None
    except RecursionError:
        raise PromptError("the text is nested too deeply", place=Place(file, before + 1)) from None
    except ValueError as error:  # an integer of thousands of digits
        raise PromptError(str(error).partition(";")[0], place=Place(file, before + 1)) from None
    move_lines(tree, before)
    for number, node in enumerate(every(tree)):
        if isinstance(node, nodes.If | nodes.CondExpr):
            node.test.number = number  # type: ignore[attr-defined] # nodes take attributes
        complaint = _complaint(node)
        if complaint:
            raise PromptError(complaint, place=Place(file, node.lineno), hint=_HINT)
    return tree


_HINT = "A body is text, expressions, if, for, set, include, section and state."


class _Parser(Parser):
    """Refuses the tags that are not part of the language, before they are read."""

    def parse_statement(self) -> nodes.Node | list[nodes.Node]:
        """Return what stands in a tag."""
        tag = self.stream.current
        if tag.type == TOKEN_NAME and tag.value not in _TAGS:
            near = get_close_matches(tag.value, _TAGS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            self.fail(f"the tag {tag.value!r} is not part of the language{hint}", tag.lineno)
        return super().parse_statement()


def move_lines(tree: nodes.Node, more: int) -> None:
    """Add to the lines of all nodes below one; a node without line has that of what it stands in."""
    tree.lineno = tree.lineno or 1
    work = [tree]
    while work:
        node = work.pop()
        inside = _inside(node)
        for child in inside:
            child.lineno = child.lineno + more if child.lineno else node.lineno
        work += inside


def copied(tree: Any) -> Any:
    """Return a copy of a node and of all below it, which may be changed; of a list of nodes, too."""
    if isinstance(tree, list):
        return [copied(own) for own in tree]
    if not isinstance(tree, nodes.Node):
        return tree
    made = object.__new__(type(tree))
    vars(made).update((name, copied(value)) for name, value in vars(tree).items())
    return made


def every(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the nodes below one, in the order of the source, the outer before the inner."""
    work = _inside(tree)[::-1]
    while work:
        node = work.pop()
        yield node
        work += _inside(node)[::-1]


def _inside(node: nodes.Node) -> list[nodes.Node]:
    """Return the nodes that are fields of one, or stand in them; Jinja2 yields the same, more slowly."""
    found: list[nodes.Node] = []
    for name in node.fields:
        value = getattr(node, name, None)
        if isinstance(value, nodes.Node):
            found.append(value)
        elif isinstance(value, list):
            found += [own for own in value if isinstance(own, nodes.Node)]
    return found


def _complaint(node: nodes.Node) -> str:
    """Return why a node is not part of the language; '' where it is."""
    if isinstance(node, nodes.AssignBlock):
        return "set takes an expression here, and no block"
    if not isinstance(node, _NODES):
        return f"{type(node).__name__.lower()} is not part of the language"
    own = _COMPLAINTS.get(type(node))
    return own(node) if own else ""


def _of_include(node: Any) -> str:
    if not isinstance(node.template, nodes.Const) or not isinstance(node.template.value, str):
        return "include takes the name of one file as a text"
    if node.ignore_missing or not node.with_context:
        return "include takes a name and nothing else"
    return ""


def _of_for(node: Any) -> str:
    return "a loop cannot call itself" if node.recursive else ""


def _of_assign(node: Any) -> str:
    names = [node.target, *node.target.find_all(nodes.Node)]
    return "set takes names on its left" if any(not isinstance(own, nodes.Name | nodes.Tuple) for own in names) else ""


_NAMING: Mapping[str, tuple[int, str, Mapping[str, Any]]] = {
    "map": (0, "filter", FILTERS),
    **dict.fromkeys(("select", "reject"), (0, "test", TESTS)),
    **dict.fromkeys(("selectattr", "rejectattr"), (1, "test", TESTS)),
}
"""Filters that take the name of a filter or test, and where."""


def _of_filter(node: Any) -> str:
    place, what, known = _NAMING.get(node.name, (0, "", {}))
    named = node.args[place : place + 1] if what else []
    said = [own.value for own in named if isinstance(own, nodes.Const) and isinstance(own.value, str)]
    wrong = next((_unknown(what, name, known) for name in said if name not in known), "")
    return _unknown("filter", node.name, FILTERS) or wrong or _of_arguments(node)


def _of_test(node: Any) -> str:
    return _unknown("test", node.name, TESTS) or _of_arguments(node)


def _of_call(node: Any) -> str:
    if isinstance(node.node, nodes.Name):
        return _unknown("function", node.node.name, GLOBALS) or _of_arguments(node)
    if isinstance(node.node, nodes.Getattr):
        return _unknown("method", node.node.attr, METHODS) or _of_arguments(node)
    return "only functions and methods can be called"


def _of_arguments(node: Any) -> str:
    return "arguments cannot be unpacked here" if node.dyn_args or node.dyn_kwargs else ""


def _of_constant(node: Any) -> str:
    is_large = isinstance(node.value, int) and node.value.bit_length() > MOST_BITS
    return "the number is too large" if is_large or node.value in (inf, -inf) else ""


def _of_dict(node: Any) -> str:
    return "" if all(isinstance(own.key, nodes.Const) for own in node.items) else "the keys of a mapping are texts here"


def _of_attribute(node: Any) -> str:
    return f"the attribute {node.attr!r} begins with an underscore" if node.attr.startswith("_") else ""


def _unknown(what: str, name: str, known: Any) -> str:
    if name in known:
        return ""
    near = get_close_matches(name, sorted(known), n=1)
    return f"there is no {what} {name!r} here" + (f"; did you mean {near[0]!r}?" if near else "")


_COMPLAINTS: Mapping[type, Callable[[Any], str]] = {
    nodes.Include: _of_include,
    nodes.For: _of_for,
    nodes.Assign: _of_assign,
    nodes.Filter: _of_filter,
    nodes.Test: _of_test,
    nodes.Call: _of_call,
    nodes.Getattr: _of_attribute,
    nodes.Const: _of_constant,
    nodes.Dict: _of_dict,
}
