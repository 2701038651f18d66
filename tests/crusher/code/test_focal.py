"""What the caller looks at stays byte by byte, and only the rest goes."""

from __future__ import annotations

import pytest

from catalog.crusher import crush_code
from tests.crusher.code.sources import POSTGRES, PYTHON, TYPESCRIPT


@pytest.mark.parametrize("focal", ["Session.__init__", "__init__", (37, 44), "self.b = [", [(38, 39), "self.b"]])
def test_a_focal_body_stays(focal: object) -> None:
    """By name, with or without its class, by lines, or by text; the others go as before."""
    text = crush_code(PYTHON, "python", focal=focal).text  # type: ignore[arg-type] # all that it takes
    body = PYTHON[PYTHON.index("    def __init__") : PYTHON.index("    @property\n    def short")]
    assert body in text
    assert "…10 lines from 21" in text
    assert text != crush_code(PYTHON, "python").text


def test_a_text_of_several_lines_is_focal_as_a_whole() -> None:
    """All of its lines, wherever it stands."""
    body = "def {}():\n    one = 1\n    two = 2\n    three = 3\n    return one\n"
    source = body.format("f") + body.format("g").replace("three", "four")
    text = crush_code(source, "python", focal="two = 2\n    four = 3").text
    assert text == "def f():\n    ...  # …4 lines from 2\n" + body.format("g").replace("three", "four")


def test_around_something_focal_the_inner_bodies_go() -> None:
    """A function that holds what is looked at stays, without the bodies inside that are not."""
    inner = "  function b() {\n    4;\n    5;\n    6;\n  }\n"
    source = f"function outer() {{\n  function a() {{\n    first();\n    second();\n    third();\n  }}\n{inner}}}\n"
    text = crush_code(source, "typescript", focal="b").text
    assert text == f"function outer() {{\n  function a() {{ /* …5 lines from 2 */ }}\n{inner}}}\n"


def test_every_declaration_of_a_name_is_focal() -> None:
    """Overloads and both sides of a condition; of SQL the whole statement."""
    both = crush_code(PYTHON, "python", focal="platform").text
    assert "        c = 3\n        return a\n" in both
    assert "perform 3" in crush_code(POSTGRES, "postgres", focal="perform 2").text
    assert "return n;" in crush_code(POSTGRES, "postgres", focal="a.f").text
    assert 'console.log("don\'t")' in crush_code(TYPESCRIPT, "typescript", focal=["Page.over"]).text


def test_comments_in_what_is_focal_stay() -> None:
    """Byte by byte means them, too."""
    source = "# one\ndef f():\n    # two\n    return 1\n# three\n"
    assert crush_code(source, "python", focal="f", drop_comments=True).text == "def f():\n    # two\n    return 1\n"


@pytest.mark.parametrize(
    ("focal", "told"),
    [
        ("Sesion", "focal 'Sesion' is neither declared nor found in the source; near it are Session"),
        ("", "focal '' is neither declared nor found"),
        ((3, 2), "focal lines 3-2: give a first and a last line within 1-61"),
        ((1, 99), "focal lines 1-99: give a first and a last line within 1-61"),
        ([(0, 1)], "focal lines 0-1"),
    ],
)
def test_what_is_not_there_is_refused(focal: object, told: str) -> None:
    """With the value, and what is near it."""
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        crush_code(PYTHON, "python", focal=focal)  # type: ignore[arg-type] # wrong on purpose
