"""Edits after which a source would not parse, or declare something else, are not made, and the others are."""

from __future__ import annotations

import pytest

from catalog.crusher.code.edits import Edit, applied
from catalog.crusher.code.languages import LANGUAGES
from catalog.crusher.code.outlines import Span
from catalog.crusher.code.soundness import sound

PYTHON = "def f():\n    return 1\n\nclass C:\n    def m(self):\n        return 2\n"
NESTED = (
    "\n\nclass C:\n    def m(self):\n        return 2\n",
    "\n    class C:\n        def m(self):\n            return 2\n",
)
TYPESCRIPT = "function f() { return 1; }\nclass C { m() { return 2; } }\n"
SQL = "CREATE TABLE t (a int);\nSELECT 1 FROM t WHERE a IN (1, 2);\nCREATE VIEW v AS SELECT 1;\n"


def edit(source: str, old: str, new: str) -> Edit:
    """Return the edit that puts one text in the place of another."""
    start = source.index(old)
    return Edit(Span(start, start + len(old)), new, "")


@pytest.mark.parametrize(
    ("language", "source", "good", "bad", "told"),
    [
        ("python", PYTHON, ("return 1", "..."), ("return 2", "return ("), "it would not be read as before"),
        ("python", PYTHON, ("return 1", "..."), NESTED, "C would no longer be declared"),
        ("python", PYTHON, ("return 1", "..."), ("def m", "def n"), "C.m would no longer be declared"),
        ("typescript", TYPESCRIPT, ("return 1;", "2"), ("return 2; }", "return 2;"), "the parser would meet"),
        ("typescript", TYPESCRIPT, ("return 2;", "3"), ("function f", "function g"), "f would no longer be declared"),
        ("ansi", SQL, ("1, 2", "1"), ("SELECT 1;", "SELECT 1,, FROM"), "a statement would no longer parse"),
        ("ansi", SQL, ("1, 2", "1"), ("(a int);", "(a int)"), "a statement would no longer parse: 2 statements"),
        ("ansi", SQL, ("1, 2", "1"), ("VIEW v", "VIEW w"), "v would no longer be declared"),
        ("ansi", SQL, ("1, 2", "1"), ("SELECT 1;", "SELECT '1;"), "it would not be read as before"),
    ],
)
def test_only_the_edit_that_breaks_something_is_left_out(
    language: str, source: str, good: tuple[str, str], bad: tuple[str, str], told: str
) -> None:
    """Its line and the reason are told; the one beside it is made."""
    own = LANGUAGES[language]
    fine, wrong = edit(source, *good), edit(source, *bad)
    made, notes = sound(source, sorted([fine, wrong]), own.outline(source), own)
    assert made == [fine]
    assert [note.detail.startswith(told) for note in notes] == [True], notes
    line = source[: wrong.span.start].count("\n") + 1
    assert (notes[0].code, notes[0].path) == ("verbatim", f"line {line}")
    assert good[1] in applied(source, made)


def test_what_an_edit_names_is_still_declared() -> None:
    """A body that goes says what was declared inside."""
    source = "def f():\n    def inner():\n        return 1\n    return inner\n"
    own = LANGUAGES["python"]
    body = source[len("def f():\n    ") :]
    for text, count in (("...  # …3 lines from 2: inner\n", 1), ("...  # …3 lines from 2: inners\n", 0)):
        made, _ = sound(source, [edit(source, body, text)], own.outline(source), own)
        assert len(made) == count


def test_errors_that_were_there_before_are_no_fault() -> None:
    """Only more of them are."""
    source = TYPESCRIPT + "let = = 1;\n"
    own = LANGUAGES["typescript"]
    outline = own.outline(source)
    assert outline.errors
    fine = edit(source, "return 1;", "2")
    assert sound(source, [fine], outline, own) == ([fine], [])
