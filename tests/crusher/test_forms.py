"""The forms of the text layout, each by one small example: what it looks like is part of the promise."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import BudgetError, crush_json, crush_text, uncrush
from tests.crusher.remains import is_part_of
from tests.crusher.values import LEVELS, same

WHO = [("ann", "ann@example.com", "platform team"), ("bob", "bob@example.com", "data team")]
FORMS: list[tuple[str, Any, str]] = [
    (
        "a cell is empty where it holds the usual value, and null says so",
        [{"id": n**2, "note": None if n == 4 else "urgent", "state": "closed" if n == 2 else "open"} for n in range(7)],
        "~[7]{id,note:urgent,state:open}\n0\n1\n4,,closed\n9\n16,null\n25\n36\n",
    ),
    (
        "a usual value that looks like a number is quoted where it is none",
        [{"id": n**2, "limit": "50" if n == 2 else "20"} for n in range(9)],
        '~[9]{id,limit:"20"}\n0\n1\n4,"50"\n9\n16\n25\n36\n49\n64\n',
    ),
    (
        "texts of several patterns are letters and what fills the slots",
        [
            {
                "at": n**2,
                "text": f"GET /items/{n * 37 % 11} took {n * n % 7} ms" if n % 3 else f"user {n * 7} left room {n}",
            }
            for n in range(8)
        ]
        + [{"at": 64, "text": "nothing like it"}],
        "~[9]{at text%}\n&2 text\nA user * left room *\nB GET /items/* took * ms\n0 A 0 0\n1 B 4 1\n4 B 8 4\n9 A 21 3\n"
        '16 B 5 2\n25 B 9 4\n36 A 42 6\n49 B 6 0\n64 "nothing like it"\n',
    ),
    (
        "texts of one pattern have it in the header",
        [{"at": n**2, "text": f"GET /items/{n * 37 % 11} took {n * n % 7} ms"} for n in range(6)],
        "~[6]{at,text=GET /items/* took * ms}\n0,0 0\n1,4 1\n4,8 4\n9,1 2\n16,5 2\n25,9 4\n",
    ),
    (
        "words stand apart by spaces, the one text that has spaces last",
        [
            {"code": "AD", "kind": "state", "name": "Andorra la Vella"},
            {"code": "AE", "kind": "region", "name": "Abu Dhabi"},
            {"code": "AF", "kind": "city", "name": "Kabul"},
        ],
        "~[3]{code kind name}\nAD state Andorra la Vella\nAE region Abu Dhabi\nAF city Kabul\n",
    ),
    (
        "cells that only some rows have stand under their name between such words",
        [
            {"code": "AD", "kind": "state", "name": "Andorra la Vella"},
            {"code": "AE", "kind": "region", "name": "Abu Dhabi", "of": "AEU"},
            {"code": "AF", "kind": "city", "name": "Kabul"},
        ],
        "~[3]{code kind of? name}\nAD state Andorra la Vella\nAE region of=AEU Abu Dhabi\nAF city Kabul\n",
    ),
    (
        "objects that hold objects of their kind are rows with one mark for each level",
        [
            {
                "name": "src",
                "size": 3,
                "files": [
                    {"name": "app", "size": 9, "files": [{"name": "main", "size": 4}]},
                    {"name": "lib", "size": 1},
                ],
            },
            {"name": "docs", "size": 2},
        ],
        "~[2]{^files,name,size}\nsrc,3\n>app,9\n>>main,4\n>lib,1\ndocs,2\n",
    ),
    (
        "a tree whose leaves hold empty lists says so once",
        [
            {
                "name": "src",
                "files": [
                    {"name": "app", "files": [{"name": "main", "files": []}]},
                    {"name": "lib", "files": []},
                ],
            },
            {"name": "docs", "files": []},
        ],
        "~[2]{^files[],name}\nsrc\n>app\n>>main\n>lib\ndocs\n",
    ),
    (
        "items of a list that repeat are said once",
        [
            ["waiting for a review", "open"],
            ["done"],
            ["waiting for a review", "open"],
            7,
            ["waiting for a review", "open"],
        ],
        "~[&1\nA [waiting for a review,open]\n&A,[done],&A,7,&A]",
    ),
    (
        "cells that repeat together are one letter",
        [dict(zip(("who", "mail", "team"), WHO[n * n % 3 % 2], strict=True)) | {"id": n**2} for n in range(8)],
        "~[8]{id &{mail=*@example.com,team=* team,who:bob}}\n&2 mail,team,who\nA ann,platform,ann\nB bob,data\n"
        "0 A\n1 B\n4 B\n9 A\n16 B\n25 B\n36 A\n49 B\n",
    ),
    (
        "null in an object is nothing after the colon",
        {"closed": None, "number": 7, "text": "null", "list": [None, "a b"]},
        '~{closed:,list:[null,a b],number:7,text:"null"}',
    ),
    (
        "a mark of missing rows that is data is quoted",
        [{"n": n**2, "text": "…(+5 more rows)" if n == 1 else f"text{n * n}"} for n in range(4)],
        '~[4]{n text}\n0 text0\n1 "…(+5 more rows)"\n4 text4\n9 text9\n',
    ),
]


@pytest.mark.parametrize(("value", "text"), [form[1:] for form in FORMS], ids=[claim for claim, *_ in FORMS])
def test_a_form_looks_like_this(value: Any, text: str) -> None:
    """A value is written so, and the text reads back as the value."""
    assert crush_json(value).text == text
    assert uncrush(text) == value


LOOK_ALIKES: list[tuple[str, Any]] = [
    (
        "a text begins as an optional cell does that the row has not",
        [
            {"code": "AD", "kind": "state", "name": "of=x la Vella"},
            {"code": "AE", "kind": "region", "name": "Abu Dhabi", "of": "AEU"},
            {"code": "AF", "kind": "city", "name": "Kabul"},
        ],
    ),
    *(
        (
            f"messages that hold {sign!r} beside such that do not",
            [{"at": n**2, "text": f"GET /items/{n * 37} took {n * 7} ms{sign if n % 2 else ''}"} for n in range(16)],
        )
        for sign in (" * too", ' "so"', "\nor so", " ")
    ),
    ("a list repeats tables, which take several lines", [[{"some key": 1, "n": 2}, {"some key": 3, "n": 4}]] * 5 + [1]),
    ("names in a tree begin as its marks do", [{"a": ">x", "in": [{"a": ">", "in": [{"a": ">>y"}]}]}] * 3),
    (
        "null stands in a column with a usual value",
        [{"n": n**2, "state": [None, "closed", "", "open", "open"][n] if n < 5 else "open"} for n in range(12)],
    ),
    ("a usual value is the empty string", [{"n": n**2, "state": "open" if n % 4 == 0 else ""} for n in range(12)]),
]


@pytest.mark.parametrize("value", [value for _, value in LOOK_ALIKES], ids=[claim for claim, _ in LOOK_ALIKES])
def test_what_could_be_misread_is_not(value: Any) -> None:
    """Data that looks like a mark of the form it would have comes back."""
    for level in LEVELS:
        assert uncrush(crush_json(value, level=level).text) == value


def test_a_tree_that_is_too_deep_is_no_table() -> None:
    """Seventy marks before a name would say nothing to a reader."""
    for levels, is_table in ((9, True), (60, True), (70, False)):
        text = crush_json(nested(levels)).text
        assert uncrush(text) == nested(levels)
        assert (">>>" in text) == is_table


def nested(levels: int) -> list[Any]:
    """Return so many objects, each inside the other."""
    return [{"name of it": f"level {levels**2}", "what it holds in itself": nested(levels - 1)}] if levels else []


def test_without_elision_no_cell_says_more_than_it_holds() -> None:
    """Null and the empty string are written, and no header says a usual value."""
    rows = [{"id": n**2, "note": None if n % 2 else "", "state": "closed" if n == 2 else "open"} for n in range(6)]
    text = crush_json(rows, elide=False, level="plain").text
    assert text == '~[6]{id note state}\n0 "" open\n1 null open\n4 "" closed\n9 null open\n16 "" open\n25 null open\n'
    assert "state:open" in crush_json(rows).text
    assert (
        crush_json([{"a": None, "b": []}, "x", {"a": "", "b": 1}], elide=False).text == '~[{a:null,b:[]},x,{a:"",b:1}]'
    )


def test_level_plain_says_nothing_before_the_rows() -> None:
    """Neither constants nor usual values, patterns or letters."""
    for _, value, _ in FORMS:
        assert crush_json(value, level="plain").legend == {}
        text = crush_json(value, level="plain").text
        assert not any(sign in text for sign in ("=*", "%}", "&{", "[&", "state:open"))


def test_the_legend_says_what_letters_stand_for() -> None:
    """By the column and the letter; by the letter alone for items of lists and strings of the json layout."""
    legends = {claim: dict(crush_json(value).legend) for claim, value, _ in FORMS}
    assert [legend for legend in legends.values() if legend] == [
        {"text A": "user * left room *", "text B": "GET /items/* took * ms"},
        {"A": "[waiting for a review,open]"},
        {
            "mail,team,who A": "ann,platform,ann",
            "mail,team,who B": "bob,data",
        },
    ]
    rows = [{"number": n, "state": "waiting for a review"} for n in range(9)]
    assert crush_json(rows, layout="json").legend == {"A": "waiting for a review"}
    assert crush_text(crush_json(rows, layout="json").text).legend == {}


@pytest.mark.parametrize(
    "text",
    [
        "~[2]{a:}\n1\n2\n",
        "~[2]{a%}\n&1\nA x *\nA 1 2\nA 1\n",
        "~[2]{a%}\n&1\nA x *\nB 1\nA 1\n",
        "~[2]{a%}\nA 1\nA 2\n",
        "~[2]{a b}\n1 2\n3 4 5\n6\n",
        "~[2]{a b? c}\n1 b=2\n",
        "~[2]{^in,a}\n>1\n2\n",
        "~[2]{^in,a}\n1\n>>2\n",
        "~[&1\nA x\n&A,&B]",
        "~[&2\nA x\n&A]",
        "~[3]{a}\n1\n…(+3 more rows)\n",
        "~[3]{a}\n1\n…(+1 more rows)\n",
        "~[2]{a=* *}\n1\n2\n",
    ],
)
def test_a_damaged_form_is_refused(text: str) -> None:
    """What was changed is an error and not another value."""
    with pytest.raises(ValueError):
        uncrush(text, strict=False)


WORDY = [
    "time",
    "person",
    "year",
    "way",
    "day",
    "thing",
    "man",
    "world",
    "life",
    "hand",
    "part",
    "child",
    "eye",
    "woman",
    "place",
    "work",
    "week",
    "case",
    "point",
    "government",
]


def said(start: int) -> str:
    """Return the words from one on, as a text."""
    return " ".join(WORDY[start:] + WORDY[:start])


SIGNS = ["*", "^", "x\\y", "a b", "=", "?", "b", "*=", '"', "&", ">", "a:"]


@settings(max_examples=150)
@given(st.sets(st.sampled_from(SIGNS), min_size=1, max_size=3), st.integers(0, 3), st.integers(15, 110), st.booleans())
def test_keys_that_look_like_signs_stand_beside_rare_ones(keys: set[str], rare: int, share: int, mapped: bool) -> None:
    """Optional cells under their names, a column of rare keys, and texts that begin as one of these do."""
    rows: list[dict[str, Any]] = [{"a": WORDY[n], "b": WORDY[-1 - n], "t": said(n)} for n in range(14)]
    for number, key in enumerate(sorted(keys)):
        rows[number][key] = f"z{number}"
        rows[number + 3][key] = "z"
        rows[number + 6]["t"] = f"{key}=foo {said(number)}, {said(4)}"
        rows[number + 9]["t"] = f'"{key}"=foo'
    for number in range(rare):
        rows[13 - number][f"rare {number}"] = number
    value: Any = {f"key {n}": row for n, row in enumerate(rows)} if mapped else rows
    whole = crush_json(value)
    assert same(uncrush(whole.text), value)
    try:
        cut = crush_json(value, max_chars=len(whole.text) * share // 100)
    except BudgetError:
        return
    assert is_part_of(uncrush(cut.text, strict=False), value)


def test_a_column_may_follow_from_one_that_is_called_as_the_rare_keys_are() -> None:
    """The sign of rare keys is no name."""
    rows: list[dict[str, Any]] = [{"*": sign * 3, "u": f"https://x/{sign * 3}"} for sign in "qwertzuiopasdf"]
    rows[3]["b"] = 1
    text = crush_json(rows).text
    assert text.startswith('~[14]{"*",u=https://x/("*"),*}')
    assert uncrush(text) == rows


def test_the_rest_of_a_long_number_is_never_cut() -> None:
    """It is a number, and no beginning of it says what it was."""
    rows = [{"n": int("777" + f"{n * n * 10**40 + n:044d}")} for n in range(9)]
    whole = len(crush_json(rows).text)
    for room in range(30, whole):
        assert is_part_of(uncrush(crush_json(rows, max_chars=room).text, strict=False), rows)


def test_equal_cells_that_were_cut_are_told_of_one_by_one() -> None:
    """Each is an object of its own, and what is missing in each is said."""
    inside = {"a": [[1], {"b": 2}, [3, 4], list(range(12))], **{f"k{n}": n for n in range(5)}}
    rows = [{"id": n, "u": inside} for n in range(5)]
    text = "~[5]{id=(0+1*row),u}\n" + "{a:[[1],{b:2},…(+2 more rows)],…(+5 more rows)}\n" * 2 + "…(+3 more rows)\n"
    left = uncrush(text, strict=False)
    assert is_part_of(left, rows)
    assert [own.path for own in left.dropped] == ["$", "$[0].u", "$[0].u.a", "$[1].u", "$[1].u.a"]
    assert left.value[0]["u"]["a"] is not left.value[1]["u"]["a"]
