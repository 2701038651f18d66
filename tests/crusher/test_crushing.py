"""The interface of the crusher: what it takes, gives and refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from catalog.crusher import crush_json, crush_text, uncrush, uncrush_text
from catalog.crusher.minified import dumps
from tests.crusher.values import LAYOUTS
from tests.documentation import ROOT

ROWS = [{"id": number, "name": f"item number {number}", "status": "active", "note": "x"} for number in range(24)]


def with_cells(value: Any) -> list[dict[str, Any]]:
    """Return rows of which two hold a value where the others hold "x"; KeyError leaves the key out."""
    rows = [dict(row) for row in ROWS]
    for number in (3, 7):
        rows[number]["note"] = value
        if value is KeyError:
            del rows[number]["note"]
    return rows


CELLS: list[Any] = [
    *(None, "", KeyError, "1", 1, 1.0, True, "true", "null", [], {}, "[]", "{}", 0.0, -0.0, 2**63, 2**63 + 1),
    *(" x ", "x ", [None], [""], ["a", "b"], ["a;b"], {"k": 1}, '{"k":1}', {"k": None}, {"k": ""}, {"a.b": 1}),
    *({"a": {"b": 1}}, "~", "~n", [[]], [{}], "[{}]"),
]
DISTINCT: list[Any] = [
    *map(with_cells, CELLS),
    [{"a,b": number, "c": 1} for number in range(24)],
    [{"a": number, "b,c": 1} for number in range(24)],
    [{"a": "same"}] * 24,
    [{"a": "same"}] * 23,
    {str(number): {"a": 1, "b": "x"} for number in range(24)},
    [{"a": 1, "b": "x"} for _ in range(24)],
    ROWS[::-1],
    ROWS,
]


@pytest.mark.parametrize("level", ["plain", "standard"])
def test_look_alikes_never_collide(level: Any) -> None:
    """Forty values that differ in one respect have forty texts, and each comes back."""
    texts = [crush_json(value, level=level).text for value in DISTINCT]
    assert len(set(texts)) == len(texts)
    for value, text in zip(DISTINCT, texts, strict=True):
        assert repr(uncrush(text)) == repr(uncrush_sorted(value))


def uncrush_sorted(value: Any) -> Any:
    """Return a value with its keys in order, as they come back."""
    if isinstance(value, dict):
        return {key: uncrush_sorted(value[key]) for key in sorted(value)}
    return [uncrush_sorted(item) for item in value] if isinstance(value, list) else value


TEXTS: list[tuple[Any, str, str]] = [
    (
        [{"id": number, "name": name, "plan": "free"} for number, name in enumerate(["Ann", "Bo, Jr.", "7"], 1)],
        '~[3]{id plan name$}\n1 free Ann\n2 free "Bo, Jr."\n3 free 7\n',
        '~[3]{id=(1+1*row),name$,plan=free}\nAnn\n"Bo, Jr."\n7\n',
    ),
    (
        [
            {"who": {"name": "Ann", "age": 3}, "tags": ["a", "b"]},
            {"who": None, "tags": []},
            {"who": {"name": "Bo", "age": 4}},
        ],
        "~[3]{tags?[],who?{age,name}}\na;b,3,Ann\n[],~n\n,4,Bo\n",
        "~[3]{tags?[],who?{age,name}}\na;b,3,Ann\n[],~n\n,4,Bo\n",
    ),
    (
        {
            "data": [{"sku": f"S-{number}", "lines": [{"q": 1, "p": 2.5}, {"q": 2, "p": 3.5}]} for number in (7, 8, 9)],
            "more": True,
        },
        "~{data:[3]{lines[p,q] sku}\n2.5|1;3.5|2 S-7\n2.5|1;3.5|2 S-8\n2.5|1;3.5|2 S-9\nmore:true}",
        "~{data:[3]{lines=[{p:2.5,q:1},{p:3.5,q:2}],sku=S-(7+1*row)}\nmore:true}",
    ),
    (
        {"eu-west-1": {"host": "a.example.com", "port": 80}, "us-east-1": {"host": "b.example.com", "port": 81}},
        "~{2}{host port}\neu-west-1 a.example.com 80\nus-east-1 b.example.com 81\n",
        "~{2}{host=*.example.com,port}\neu-west-1,a,80\nus-east-1,b,81\n",
    ),
    (
        [
            [name, at, "here" if at % 2 else "there"]
            for at, name in enumerate(["one", "two", "six", "ten", "red", "hot", "sky", "sea"], 7)
        ],
        "~[8](,,)\none,7,here\ntwo,8,there\nsix,9,here\nten,10,there\nred,11,here\nhot,12,there\n"
        "sky,13,here\nsea,14,there\n",
        "~[8](,=(7+1*row),)\none,here\ntwo,there\nsix,here\nten,there\nred,here\nhot,there\nsky,here\nsea,there\n",
    ),
]


@pytest.mark.parametrize(("value", "plain", "standard"), TEXTS, ids=[plain.partition("\n")[0] for _, plain, _ in TEXTS])
def test_the_form_is_this(value: Any, plain: str, standard: str) -> None:
    """Counts and names stand in the header, one row a line, cells apart by commas or, before words, by spaces.

    What follows from the header has no cell.
    """
    assert crush_json(value, level="plain").text == plain
    assert crush_json(value).text == standard
    assert uncrush(plain) == uncrush(standard) == value


@pytest.mark.parametrize("value", [0, "x", None, [], {}, [1, 2], {"a": 1}, "~x", [[]]])
def test_what_cannot_be_shortened_stays_json(value: Any) -> None:
    """The text is never longer than the canonical minified JSON; where it is that, the result says so."""
    result = crush_json(value)
    assert uncrush(result.text) == value
    assert result.crushed_chars <= result.original_chars
    if not result.crushed:
        assert [note.code for note in result.notes] == ["verbatim"]
        assert uncrush_text(result.text) == result.text


def test_crushed_text_is_crushed_once() -> None:
    """Text that was crushed before comes back as it is, and a note says so."""
    once = crush_json(ROWS).text
    again = crush_text(once)
    assert (again.text, [note.code for note in again.notes]) == (once, ["already-crushed"])
    assert again.original_chars == crush_json(ROWS).original_chars


def test_plain_json_passes_through() -> None:
    """JSON that nobody crushed reads as itself."""
    assert uncrush('{"b":[1,2.0],"a":null}') == {"b": [1, 2.0], "a": None}
    assert uncrush_text('{ "b" : 1.0, "a" : 1e5 }') == '{"a":1e5,"b":1.0}'


REFUSED: list[tuple[Any, type[Exception], str]] = [
    ({"a": [1, {2}]}, TypeError, r"set at \$.a\[1\] is no JSON value"),
    ([{"a": {1: 2}}], TypeError, r"the key 1 at \$\[0\].a is no text"),
    (b"x", TypeError, r"bytes at \$ is no JSON value"),
    ([{"a": {"b.c": {1}}}], TypeError, r'set at \$\[0\].a\["b.c"\] is no JSON value'),
    ([{"n": 10**5000}], ValueError, r"the number at \$\[0\].n has more than 4,300 digits; Python does not write it"),
    (10**5000, ValueError, r"the number at \$ has"),
    ({"a": [[], {"b": (1, -(10**4300))}], "n": 10**4300}, ValueError, r"the number at \$.a\[1\].b\[1\] has"),
]


@pytest.mark.parametrize(("value", "error", "told"), REFUSED, ids=[told for *_, told in REFUSED])
def test_what_is_no_json_is_refused_by_its_path(value: Any, error: type[Exception], told: str) -> None:
    """The message names the type and the place."""
    with pytest.raises(error, match=told):
        crush_json(value)


def test_the_most_digits_are_those_that_python_allows() -> None:
    """4,300 digits are crushed and come back; where Python allows fewer, the message says how many."""
    assert uncrush(crush_json([10**4300 - 1]).text) == [10**4300 - 1]
    allowed = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(ValueError, match="more than 640 digits"):
            crush_json([10**640])
    finally:
        sys.set_int_max_str_digits(allowed)


def test_a_value_that_contains_itself_is_refused() -> None:
    """A cycle ends in a message, not in the end of the stack."""
    value: dict[str, Any] = {"a": []}
    value["a"].append(value)
    with pytest.raises(ValueError, match=r"\$.a\[0\] contains itself"):
        crush_json(value)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "[1", "", "nonsense", '{"a":}'])
def test_malformed_json_is_refused(text: str) -> None:
    """A duplicate key is no JSON either."""
    with pytest.raises(ValueError):
        crush_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "~",
        "~[2]{a}\n1\n",
        "~[1]{a}\n1,2\n",
        "~{a}",
        "~[1]{a",
        '~["x',
        "~[1]{a=(b)}\n",
        "~[1]{a=(a)x}\n",
        "~[1]{a}\n{x\n",
        "~1\n2",
        "~[2]{&1{a}}\nA,x,y\nA\nA\n",
        "~[2]{&1{a}}\nA,x\nA\nB\n",
    ],
)
def test_damaged_text_is_refused(text: str) -> None:
    """What was cut off or changed is an error and not another value."""
    with pytest.raises(ValueError):
        uncrush(text)


def test_an_unknown_level_is_refused() -> None:
    """The known ones are named."""
    with pytest.raises(ValueError, match="'best' is no level: plain or standard"):
        crush_json(ROWS, level="best")  # type: ignore[arg-type]


def test_only_the_standard_library_is_loaded() -> None:
    """A program that only crushes pays for nothing else of the catalog."""
    code = (
        "import sys; before = set(sys.modules); import catalog.crusher;"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before} - {'catalog'};"
        "print(sorted(new - sys.stdlib_module_names), sorted(n for n in sys.modules if n.startswith('catalog.')"
        " and not n.startswith('catalog.crusher')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[] ['catalog.errors', 'catalog.lazy', 'catalog.tokens']\n"


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"layout": "yaml"}, "'yaml' is no layout: text or json"),
    ({"max_tokens": 9}, "max_tokens and count go together"),
    ({"count": len}, "max_tokens and count go together"),
    ({"keep": lambda *_: True}, "keep says what a budget spares: give max_chars or max_tokens, too"),
]


@pytest.mark.parametrize(("options", "told"), OPTIONS, ids=[told for _, told in OPTIONS])
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], told: str) -> None:
    """The message says what goes with what, before the value is looked at."""
    with pytest.raises(ValueError, match=told):
        crush_json({1}, **options)
    with pytest.raises(ValueError, match=told):
        crush_text("no JSON", **options)


def test_data_that_looks_crushed_comes_back() -> None:
    """An object with the key of the wrapper is wrapped, so that nothing can be mistaken for crushed JSON."""
    for value in ({"~crush": 1, "value": 2}, {"~crush": None}, [{"~crush": 1, "value": 2}], "~[2]{a}\n1\n2\n"):
        for layout in LAYOUTS:
            assert uncrush(crush_json(value, layout=layout).text) == value


def test_the_json_layout_may_be_escaped() -> None:
    """A tool that writes JSON in ASCII, or with spaces, changes nothing."""
    rows = [{"name": f"größe {number}", "state": "ein längerer Text…"} for number in range(9)]
    text = crush_json(rows, layout="json").text
    for indent in (None, 2):
        assert uncrush(json.dumps(json.loads(text), indent=indent)) == rows
    cut = crush_json([*rows, *rows], layout="json", max_chars=200)
    escaped = json.dumps(json.loads(cut.text))
    assert "…" not in escaped
    with pytest.raises(ValueError, match="the text was shortened"):
        uncrush(escaped)
    assert uncrush(escaped, strict=False).dropped == cut.dropped


@pytest.mark.parametrize("layout", ["text", "json"])
@pytest.mark.parametrize("value", [{"id": "a", "ok": 12}, {"path": "/a", "ok": True}, [[], ""]])
def test_a_small_value_that_gains_no_token_is_left_alone(value: Any, layout: Any) -> None:
    """Fewer characters are not enough: `":"` and `","` are one token each, as is the colon that would stand alone."""
    crushed = crush_json(value, layout=layout)
    assert not crushed.crushed
    assert crushed.text == dumps(value)
