"""TypeScript: outlines by tree-sitter, TSX too. Only blocks that are the body of a function go."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from catalog.crusher.code.outlines import Declaration, Outline, Part, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = (
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
    "arrow_function", "method_definition",
)  # fmt: skip
_NAMED = (
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "interface_declaration", "type_alias_declaration", "enum_declaration", "method_definition", "internal_module",
    "function_signature", "method_signature", "abstract_method_signature", "public_field_definition",
)  # fmt: skip
_HOLDERS = ("class_declaration", "abstract_class_declaration", "interface_declaration", "internal_module")
_NAMED_QUERY = f"""
[{" ".join(f"({kind})" for kind in _NAMED)}] @named
(variable_declarator name: (identifier) value: [(arrow_function) (function_expression) (class)]) @named
(ERROR) @error
(MISSING) @error
"""
_QUERIES = {
    "outline": f"{_NAMED_QUERY} [{' '.join(f'({kind})' for kind in _FUNCTIONS)}] @function",
    "check": _NAMED_QUERY,
    "comments": "(comment) @comment",
}
"""What is asked of a tree; each takes one walk through it."""
_JSX = ("</", "/>")
"""Without either there is none."""
_WIDE = re.compile(r"[^\x00-\x7f]+")
_WRAPPERS = frozenset({"define", "require", "describe", "suite"})
"""Functions that are handed the whole of a module or of a suite of tests."""
_IDENTIFIER = re.compile(r"[\w$#.-]+")
_READ = re.compile(
    r"/\*\*|/[/*]!|///|/[/*]\s*(?:[@#$]|eslint|oxlint|tslint|jshint|jslint|prettier|dprint|biome|deno|istanbul|c8|v8|webpack"
    r"|globals?\b|NOSONAR|SPDX-)"
)
"""Comments that are documentation, or that tools read."""


def typescript_outline(source: str) -> Outline:
    """Return the outline of TypeScript or TSX source, by whichever of the two grammars meets fewer errors.

    Raises:
        MissingExtraError: where tree-sitter is not installed.
    """
    plain = _outline(source, "typescript")
    if not plain.errors or not any(sign in source for sign in _JSX):
        return plain
    return min(plain, _outline(source, "tsx"), key=lambda own: own.errors)


def _outline(source: str, grammar: str, query: str = "outline") -> Outline:
    data = source.encode("utf-8", "surrogatepass")
    found = _asked(data, query, grammar)
    nodes = sorted(filter(_is_declared, found.get("named", [])), key=_place)
    chars = _Chars(source, data)
    broken = [chars.span(node) for node in found.get("error", [])]
    return Outline(
        parts=_parts(found.get("function", []), nodes, chars),
        declarations=list(_declarations(nodes, chars)),
        errors=len(broken),
        broken=broken,
        grammar=grammar,
        again=lambda text: _outline(text, grammar, "check"),
    )


def typescript_comments(source: str, outline: Outline) -> list[Span]:
    """Return the comments of TypeScript source that are no documentation, and that no tool reads."""
    data = source.encode("utf-8", "surrogatepass")
    chars = _Chars(source, data)
    found = _asked(data, "comments", outline.grammar).get("comment", [])
    return [chars.span(node) for node in found if not _READ.match(_text(node))]


def _place(node: Node) -> tuple[int, int]:
    """Return what puts nodes in order, the outer before the inner."""
    return node.start_byte, -node.end_byte


def _asked(data: bytes, query: str, grammar: str) -> dict[str, list[Node]]:
    """Return the nodes of a source by what a query calls them; parsers are not shared, so threads may ask at once."""
    language, queries = _tools(grammar)
    import tree_sitter

    root = tree_sitter.Parser(language).parse(data).root_node
    return tree_sitter.QueryCursor(queries[query]).captures(root)


@cache
def _tools(grammar: str) -> tuple[Any, Mapping[str, Any]]:
    """Return a language, and the queries of its trees."""
    try:
        import tree_sitter
        import tree_sitter_typescript
    except ImportError:
        from catalog.errors import MissingExtraError

        raise MissingExtraError(
            "crushing TypeScript needs the extra 'code'", hint="pip install 'model-catalog[code]'"
        ) from None
    made = {"typescript": tree_sitter_typescript.language_typescript, "tsx": tree_sitter_typescript.language_tsx}
    language = tree_sitter.Language(made[grammar]())
    return language, {what: tree_sitter.Query(language, query) for what, query in _QUERIES.items()}


class _Chars:
    """Places in a source by its bytes."""

    def __init__(self, source: str, data: bytes) -> None:
        self._data = data
        wide = [] if len(source) == len(data) else list(_wide(source))
        sizes = [(len(text), len(text.encode("utf-8", "surrogatepass"))) for _, text in wide]
        more = list(accumulate((size - chars for chars, size in sizes), initial=0))
        self._starts = [start + before for (start, _), before in zip(wide, more, strict=False)]
        self._ends = [start + size for start, (_, size) in zip(self._starts, sizes, strict=True)]
        self._more = more

    def span(self, node: Node) -> Span:
        """Return the characters that a node takes."""
        return Span(self._place(node.start_byte), self._place(node.end_byte))

    def _place(self, byte: int) -> int:
        number = bisect_right(self._starts, byte)
        if number and byte < self._ends[number - 1]:
            start = self._starts[number - 1]
            return start - self._more[number - 1] + len(self._data[start:byte].decode("utf-8", "surrogatepass"))
        return byte - self._more[number]


def _wide(source: str) -> Iterator[tuple[int, str]]:
    """Yield where characters stand that take several bytes, and these; few lines have any."""
    place = 0
    for line in source.split("\n"):
        if not line.isascii():
            yield from ((place + own.start(), own.group()) for own in _WIDE.finditer(line))
        place += len(line) + 1


def _is_declared(node: Node) -> bool:
    """Return whether a node declares its name; the methods of an object are properties."""
    return node.parent is None or node.parent.type != "object"


def _parts(functions: Sequence[Node], named: Sequence[Node], chars: _Chars) -> Iterator[Part]:
    starts = [node.start_byte for node in named]
    bodies = [body for node in functions if (body := node.child_by_field_name("body")) is not None and not _wraps(node)]
    for body in sorted(bodies, key=_place):
        if body.type != "statement_block" or body.has_error:
            continue
        count = body.end_point.row - body.start_point.row + 1
        yield Part(
            span=chars.span(body),
            before="{ /* ",
            after=" */ }",
            inside=partial(_names_inside, named, starts, body.start_byte, body.end_byte),
            count=count,
        )


def _names_inside(named: Sequence[Node], starts: Sequence[int], start: int, end: int) -> list[str]:
    """Return the names of what is declared between two bytes, of nodes in order and where these begin."""
    inside = named[bisect_left(starts, start) : bisect_left(starts, end)]
    return [name for name in map(_name, inside) if name]


def _wraps(node: Node) -> bool:
    """Return whether a function is what a module is wrapped in: called where it stands, or handed to such a call."""
    around = _outside(node)
    if around is None or around.type != "arguments":
        return around is not None and around.type == "call_expression"
    call = around.parent
    callee = call.child_by_field_name("function") if call else None
    if callee is None:
        return False
    return _is_function(callee) or (callee.type == "identifier" and _text(callee) in _WRAPPERS)


def _outside(node: Node) -> Node | None:
    """Return what stands around a node, brackets and the access to a member left out."""
    around = node.parent
    while around is not None and around.type in ("parenthesized_expression", "member_expression"):
        around = around.parent
    return around


def _is_function(node: Node) -> bool:
    inside = node.named_children if node.type == "parenthesized_expression" else [node]
    return any(own.type in _FUNCTIONS for own in inside)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _name(node: Node) -> str:
    """Return the name of a node, without quotes and brackets; '' where it has none, or one of other signs."""
    name = node.child_by_field_name("name")
    text = _text(name).strip("\"'`[]") if name is not None else ""
    return text if _IDENTIFIER.fullmatch(text) else ""


def _declarations(nodes: Sequence[Node], chars: _Chars) -> Iterator[Declaration]:
    """Yield what has a name, under the names of the classes, interfaces and namespaces around it."""
    around: list[tuple[int, str]] = []
    for node in nodes:
        name = _name(node)
        if not name:
            continue
        while around and around[-1][0] < node.end_byte:
            around.pop()
        yield Declaration(name=".".join([*(own for _, own in around), name]), span=chars.span(node))
        if node.type in _HOLDERS:
            around.append((node.end_byte, name))
