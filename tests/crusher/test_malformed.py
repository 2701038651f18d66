"""Texts that no writer wrote: each is refused with a ValueError, or read as what its header says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_json, crush_text, uncrush, uncrush_text
from tests.crusher.values import FORMS, VALUES, same

COUNTS = ["0", "1", "2", "3", "007"]
NAMES = ["a", "b", '"a b"', "", "^a", "^b", "*"]
FLAGS = ["", "", "", "?", "!", "~", "$", "[]", "[]$", "%"]
TEMPLATES = ["", "", "", "=x", "=*", "=**", "=* *", "=(a)", "=(b)x", "=(a)(b)", "=(1+1*row)", "=(01-1*row)",
             "=(10-01*row)", "=(17*)", "=x(0*)", "=(0*)", "=[1,2]", "={a:1}", "=", ":x", ":(a)"]  # fmt: skip
CELLS = ["", "1", "x", "null", "~", "~n", ">1", ">>x", "1;2", "1|2", "{a:2}", "[1]", '"x"', "A", "&A", "a=1", "1,2",
         "1 2", "…(+2 more rows)", "x…(+4 chars)", '"x"…(+4 chars)', "[…(+2 more rows)]",
         "{…(+1 more rows)}"]  # fmt: skip


@st.composite
def columns(draw: st.DrawFn, depth: int = 0) -> str:
    """Return a column of a header, or several inside each other."""
    name = draw(st.sampled_from(NAMES)) + draw(st.sampled_from(FLAGS))
    kind = draw(st.integers(0, 9)) if depth < 2 else 9
    if kind > 3:
        return name + draw(st.sampled_from(TEMPLATES))
    inner = ",".join(draw(st.lists(columns(depth=depth + 1), min_size=1, max_size=2)))
    return [f"{name}{{{inner}}}", f"{name}[{inner}]", f"{name}:{{{inner}}}", f"&{{{inner}}}"][kind]


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return a text that looks like one of the text layout."""
    joint = draw(st.sampled_from([",", ",", " "]))
    header = joint.join(draw(st.lists(columns(), min_size=1, max_size=3)))
    count = draw(st.sampled_from(COUNTS))
    head = draw(st.sampled_from([f"[{count}]{{{header}}}", f"{{{count}}}{{{header}}}", f"[{count}](,=x)"]))
    rows = draw(st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=3).map(joint.join), max_size=4))
    entries = draw(st.sampled_from(["", "", "&1 a\nA x\n", "&1 a,b\nA 1,2\n"]))
    table = f"{head}\n{entries}" + "".join(f"{row}\n" for row in rows)
    return draw(st.sampled_from([f"~{table}", f"~{{k:{table}}}", f"~[{table}1]"]))


@settings(max_examples=1_500)
@given(texts())
@example("~[1]{a~[]}\n1\n")
@example("~[1]{a:{^b,c}}\nx\n")
@example("~[0]{a=**}\n")
@example("~[1]{a=x(0*),b}\n2,1\n")
@example("~[2]{a=(00-1*row),b}\n2\n3\n")
@example("~[1]{a,*}\n1,{a:2}\n")
@example("~{1}{a}\nx…(+4 chars),1\n")
@example('~{"a"…(+2 chars):1}')
def test_a_text_is_read_or_refused(text: str) -> None:
    """Nothing but a ValueError is raised; what is read is JSON, and as a value what it is as text."""
    try:
        plain = uncrush_text(text, strict=False)
        value = uncrush(text, strict=False).value
    except ValueError:
        return
    assert same(json.loads(plain), value)


@settings(max_examples=300)
@given(VALUES, st.sampled_from(FORMS), st.data())
def test_a_damaged_text_is_read_or_refused(value: Any, form: dict[str, Any], data: st.DataObject) -> None:
    """A character that is gone, doubled or another one does no more harm than a ValueError."""
    text = crush_json(value, **form).text
    place = data.draw(st.integers(0, max(0, len(text) - 1)))
    other = data.draw(st.sampled_from(["", text[place : place + 1] * 2, *'~{}[]()*,;|:=?!$&^>\n"0A…']))
    try:
        uncrush(text[:place] + other + text[place + 1 :], strict=False)
    except ValueError:
        return


def test_columns_that_refer_to_each_other_do_not_grow_without_end() -> None:
    """Each column twice the one before would make a gigabyte of a few hundred characters."""
    names = [f"a{number:02d}" for number in range(45)]
    header = ",".join(f"{name}=({after})({after})" for name, after in zip(names, [*names[1:], "z"], strict=True))
    with pytest.raises(ValueError, match="a template has two other columns"):
        uncrush(f"~[1]{{{header},z}}\nx\n")


def test_columns_may_not_lie_too_deep() -> None:
    """Sixty-four inside each other are more than any writer writes."""
    with pytest.raises(ValueError, match="columns lie more than 64 deep"):
        uncrush("~[1]{" + "a{" * 500 + "b" + "}" * 501 + "\n1\n")


@pytest.mark.parametrize("read", [uncrush, uncrush_text, crush_text])
@pytest.mark.parametrize("value", [None, 5, b"[1]", ["~"]])
def test_only_text_is_read(read: object, value: object) -> None:
    """Anything else is a TypeError that says so."""
    with pytest.raises(TypeError, match="text is expected, not"):
        read(value)  # type: ignore[operator] # wrong on purpose


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("~[100001]{a=1}\n", "more than 100,000 are not believed"),
        ("~[2]{a}\n1\n…(+2 more rows)\n", "a table of 2 rows has 2 lines that stand for 3"),
        ("~[1]{n,*}\n1,{n:2}\n", "the key 'n' stands twice in one object"),
        ("~[0]{a?{b=x}}\n", "no cell can say that 'a' is missing"),
        ("~[3]{^in[] =n}\n1\n2\n3\n", "parts them by spaces"),
        ('~{"a"…(+2 chars):1}', "the key 'a' was cut"),
        ("~[2]{a=(00-1*row),b}\n2\n3\n", "leading zeros, which no number has"),
    ],
)
def test_what_cannot_be_is_named(text: str, told: str) -> None:
    """The message says what is wrong."""
    with pytest.raises(ValueError, match=re.escape(told)):
        uncrush(text, strict=False)


def test_rows_of_a_list_in_cells_are_their_own() -> None:
    """What one of them is given, the others are not."""
    one, other = uncrush("~[2]{a,b[]}\n1\n2\n")
    one["b"].append(3)
    assert other["b"] == []


def test_a_tree_tells_what_is_missing_of_its_rare_keys() -> None:
    """Below a row whose object of rare keys was cut as well as below any other."""
    text = "~[1]{^in[],n,*}\nsrc,{…(+7 more rows)}\n>x\n"
    with pytest.raises(ValueError, match=r"7 rows are missing at \$\[0\]"):
        uncrush(text)


def test_a_mark_is_seen_however_it_is_escaped() -> None:
    """A serializer may escape any sign of it; what is missing is missing all the same."""
    text = crush_json(list(range(100, 200)), layout="json", max_chars=60).text
    for escaped in (text.replace("(+", "(\\u002b"), text.replace("…(", "…\\u0028"), text.replace("…", "\\u2026")):
        assert escaped != text
        with pytest.raises(ValueError, match="the text was shortened"):
            uncrush(escaped)


def test_a_mark_of_nothing_is_text() -> None:
    """No writer writes that nothing is missing."""
    assert uncrush("~{a:x…(+0 chars)}") == {"a": "x…(+0 chars)"}
