"""Python: outlines by the parser that Python brings along. Bodies go from behind the documentation on."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from catalog.crusher.code.lines import Lines
from catalog.crusher.code.outlines import Declaration, Outline, Part, Span, Spans, UnreadableError

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef

_INDENT = re.compile(r"[ \t\f]*")
_BESIDE = re.compile(r"[ \t\f]*(?:#.*)?$")
"""A line that holds no statement."""


class _Found(NamedTuple):
    """A definition, its name with those around it, and the names of what is defined inside."""

    node: Definition
    name: str
    inside: list[str]


def python_outline(source: str) -> Outline:
    """Return the outline of Python source.

    Raises:
        UnreadableError: where it is none, or too deep for the parser.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source)
        except SyntaxError as error:
            where = f"line {error.lineno}: " if error.lineno else ""
            raise UnreadableError(f"{where}{error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise UnreadableError(f"{type(error).__name__}: {error}") from None
    lines = Lines(source)
    found = list(_definitions(tree))
    functions = (own for own in found if not isinstance(own.node, ast.ClassDef))
    return Outline(
        parts=filter(None, (_part(own, source, lines) for own in functions)),
        declarations=[Declaration(name=own.name, span=_whole(own.node, lines)) for own in found],
    )


def _definitions(tree: ast.Module) -> Iterator[_Found]:
    """Yield functions and classes in order, the outer before the inner; needs no recursion."""
    work: list[tuple[ast.AST, str, list[list[str]]]] = [(tree, "", [])]
    while work:
        node, around, holders = work.pop()
        if isinstance(node, Definition):
            for inside in holders:
                inside.append(node.name)
            found = _Found(node, f"{around}{node.name}", [])
            yield found
            around = f"{found.name}."
            holders = [*holders, found.inside]
        for field in reversed(_BLOCKS[type(node)]):
            work += [(child, around, holders) for child in reversed(getattr(node, field)) if type(child) in _BLOCKS]


_HOLDING = ("body", "handlers", "orelse", "finalbody", "cases")
_HOLDERS = (ast.mod, ast.stmt, ast.ExceptHandler, ast.match_case)
"""Nodes of which a body is a list of statements; that of an expression is an expression."""
_BLOCKS: Mapping[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind._fields if field in _HOLDING)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, _HOLDERS) and not set(_HOLDING).isdisjoint(kind._fields)
}
"""Fields that hold statements, in the order of the source, by the kinds of nodes that have any."""


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _whole(node: Definition, lines: Lines) -> Span:
    return lines.span(_first_line(node), _last_line(node))


def _part(found: _Found, source: str, lines: Lines) -> Part | None:
    """Return the body of a function without its documentation; None where it stands beside something else."""
    node = found.node
    documented = isinstance(node, Function) and ast.get_docstring(node, clean=False) is not None
    body = node.body[documented:]
    if not body:
        return None
    above = _last_line(node.body[0]) if documented else _signature_end(node)
    first, last = _first_line(body[0]), _last_line(body[-1])
    indent = _INDENT.match(source, lines.starts[first - 1]).group()  # type: ignore[union-attr] # it matches nothing, too
    column = body[0].col_offset if first == body[0].lineno else len(indent.encode())
    if first <= above or len(indent.encode()) != column:
        return None  # on one line with the signature, or with the documentation
    first = _upward(first, above, source, lines)
    last = _downward(last, node.col_offset, source, lines)
    whole = lines.span(first, last)
    end = whole.start + len(source[whole.start : whole.end].rstrip("\r\n"))
    before = f"{indent}...  # "
    count = last - first + 1
    return Part(span=Span(whole.start, end), before=before, after="", count=count, inside=lambda: found.inside)


def _signature_end(node: Definition) -> int:
    """Return the last line on which something of the signature stands, but for its closing brackets."""
    if isinstance(node, ast.ClassDef):
        return node.lineno
    inside = [*ast.walk(node.args), *([node.returns] if node.returns else [])]
    return max([node.lineno, *(getattr(own, "end_lineno", None) or 0 for own in inside)])


def _upward(first: int, above: int, source: str, lines: Lines) -> int:
    """Return the first of the lines without statement that stand right above one, below another."""
    while (
        first > above + 1 and _text(first - 1, source, lines).strip() and _BESIDE.match(_text(first - 1, source, lines))
    ):
        first -= 1
    return first


def _downward(last: int, column: int, source: str, lines: Lines) -> int:
    """Return the last of the comments below a line that are indented more than a column."""
    kept = last
    for number in range(last + 1, len(lines) + 1):
        text = _text(number, source, lines)
        if not _BESIDE.match(text):
            break
        if text.strip():
            if len(text) - len(text.lstrip(" \t\f")) <= column:
                break
            kept = number
    return kept


def _text(number: int, source: str, lines: Lines) -> str:
    span = lines.span(number, number)
    return source[span.start : span.end].rstrip("\r\n")


def _tokens(source: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(source, newline="").readline))
    except (SyntaxError, tokenize.TokenError) as error:
        raise UnreadableError(f"{type(error).__name__}: {error}") from None


def python_comments(source: str) -> list[Span]:
    """Return the comments of Python source that parses, but for those that tools or the first line read.

    Raises:
        UnreadableError: where the tokenizer, which is stricter than the parser about line breaks, gives up.
    """
    lines = Lines(source)
    read = Spans(Span(*found.span()) for found in _METADATA.finditer(source))
    found = []
    for token in _tokens(source):
        if token.type == tokenize.COMMENT and not _READ.match(token.string):
            start = lines.starts[token.start[0] - 1] + token.start[1]
            span = Span(start, start + len(token.string))
            if not read.touch(span):
                found.append(span)
    return found


_READ = re.compile(
    r"#!|#:|#.*coding[:=]|#\s*(?i:noqa)\b"
    r"|#\s*(?:type|ty|mypy|pyright|basedpyright|pyre|pyrefly|pytype|flake8|pylint|ruff|fmt|yapf|autopep8|isort|nosec"
    r"|NOSONAR|pragma|codespell|cython|distutils|region|endregion|SPDX-\S+)\b|#\s*%%"
)
_METADATA = re.compile(r"^# /// \S+\r?\n(?:#(?: [^\r\n]*)?\r?\n)*# ///(?=\r?$)", re.MULTILINE)
"""A block that installers read, such as that of a script's dependencies."""
