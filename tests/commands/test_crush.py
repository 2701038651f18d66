"""catalog crush and uncrush, in a pipe and on files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command_line import ok, run

NOWHERE = "nowhere.db"
ROWS = [{"id": number, "state": "open", "name": f"part {number}"} for number in range(1, 5)]
LINES = [
    {"at": 100 + n**2, "level": "error" if n == 31 else "info", "code": n * 37 % 50, "ok": n != 33} for n in range(40)
]
LOG = json.dumps(LINES).encode()


def test_a_pipe_through_both_gives_the_json_back() -> None:
    """What was crushed is uncrushed to minified JSON with its keys in order; no catalog is needed."""
    text = json.dumps(ROWS)
    crushed = ok(NOWHERE, "crush", stdin=text.encode()).out
    assert crushed == "~[4]{id=(1+1*row),name=part (1+1*row),state=open}\n"
    back = ok(NOWHERE, "uncrush", stdin=crushed.encode()).out
    assert back == json.dumps(ROWS, sort_keys=True, separators=(",", ":")) + "\n"


def test_files_are_read_and_numbers_stay_as_they_were(tmp_path: Path) -> None:
    """A file by name; 1.0 and 1e5 are not touched."""
    file = tmp_path / "numbers.json"
    file.write_text('[{"a":1.0,"b":1e5},{"a":2.50,"b":-0},{"a":0,"b":7}]')
    crushed = tmp_path / "numbers.txt"
    crushed.write_text(ok(NOWHERE, "crush --level plain", str(file)).out)
    assert crushed.read_text() == "~[3]{a,b}\n1.0,1e5\n2.50,-0\n0,7\n"
    assert ok(NOWHERE, "uncrush", str(crushed)).out == file.read_text() + "\n"


def test_the_json_layout_is_json_and_comes_back() -> None:
    """--layout json is for tools that insist on JSON."""
    said = ok(NOWHERE, "crush --layout json", stdin=LOG)
    assert said.data["~crush"] == 1
    assert json.loads(ok(NOWHERE, "uncrush", stdin=said.out.encode()).out) == LINES


def test_the_result_is_told_as_json() -> None:
    """--json prints text, lengths, notes, and what was left out and where."""
    said = ok(NOWHERE, "crush --json", stdin=json.dumps(ROWS).encode())
    assert said.data["crushed"] is True
    assert said.data["crushed_chars"] == len(said.data["text"])
    assert (said.data["notes"], said.data["dropped"], said.data["legend"]) == ([], [], {})
    assert ok(NOWHERE, "crush --json", stdin=b"3").data["notes"][0]["code"] == "verbatim"
    cut = ok(NOWHERE, "crush --json --max-chars 90 --keep level=error", stdin=LOG).data
    assert cut["crushed_chars"] <= 90
    (own,) = cut["dropped"]
    assert (own["path"], own["protected"], own["chars"]) == ("$", 0, 0)
    assert own["rows"] == 40 - len(json.loads(ok(NOWHERE, "uncrush --partial", stdin=cut["text"].encode()).out))


def test_what_was_saved_is_told_on_stderr() -> None:
    """--stats says tokens, characters and how to read the text; what was left out has its place."""
    said = ok(NOWHERE, "crush --stats", stdin=json.dumps(ROWS).encode())
    tokens, characters, *more = said.err.splitlines()
    assert re.match(r"about \d+ tokens of minified JSON, \d+ now \(\d+%\), ", tokens)
    assert characters == f"161 characters of minified JSON, {len(said.out)} now"
    assert more == ["how to read it: =v all rows: * cell, (b) b, row from 0."]
    cut = ok(NOWHERE, "crush --stats --level plain --max-chars 100", stdin=LOG)
    missing = re.search(r"…\(\+(\d+) more rows\)", cut.out)
    assert missing
    assert f"{missing.group(1)} rows are missing at $" in cut.err.splitlines()
    text = ok(NOWHERE, "crush --stats --max-chars 80", stdin=json.dumps({"text": "word " * 40}).encode())
    assert re.search(r"\d+ characters are missing at \$\.text\n", text.err)
    assert "how to read it" not in ok(NOWHERE, "crush --stats", stdin=b"[1]").err


@pytest.mark.parametrize("option", ["--max-chars 120", "--max-tokens 60"])
def test_a_budget_is_kept(option: str) -> None:
    """The text is short enough and says how many rows are missing."""
    said = ok(NOWHERE, f"crush --level plain {option}", stdin=LOG)
    assert "more rows)" in said.out
    assert len(said.out) < 200
    kept = json.loads(ok(NOWHERE, "uncrush --partial", stdin=said.out.encode()).out)
    assert kept == LINES[: len(kept)]


def test_a_shortened_text_is_read_only_in_part(tmp_path: Path) -> None:
    """Without --partial it is an error; with it the rest is written, and stderr says what is missing where."""
    file = tmp_path / "log.txt"
    file.write_text(
        ok(NOWHERE, "crush --max-chars 150", stdin=json.dumps({"rows": LINES, "text": "word " * 40}).encode()).out
    )
    refused = run(NOWHERE, "uncrush", str(file))
    assert (refused.code, refused.out) == (2, "")
    assert "the text was shortened" in refused.err
    said = ok(NOWHERE, "uncrush --partial", str(file))
    assert said.data["rows"] == LINES[: len(said.data["rows"])]
    missing = [f"{40 - len(said.data['rows'])} rows are missing at $.rows"]
    missing += [f"{200 - len(said.data['text'])} characters are missing at $.text"]
    assert said.err.splitlines() == missing


def test_partial_takes_a_whole_text_as_well() -> None:
    """Then nothing is missing, and stderr stays empty."""
    said = ok(NOWHERE, "uncrush --partial", stdin=ok(NOWHERE, "crush", stdin=LOG).out.encode())
    assert (said.data, said.err) == (LINES, "")


KEPT = [
    ("level=error", [31]),
    ("level!=info", [31]),
    ("level~^err", [31]),
    ("level~r$", [31]),
    ("ok=false", [33]),
    ("ok!=true", [33]),
    (f"at={100 + 35**2}", [35]),
    ("at~^14", [7, 37]),
    ("level=", []),
    ("none!=x", []),
]


@pytest.mark.parametrize(("condition", "places"), KEPT, ids=[condition for condition, _ in KEPT])
def test_rows_that_meet_a_condition_are_kept(condition: str, places: list[int]) -> None:
    """Equal, not equal, and found by a regular expression; numbers and true as they stand in JSON."""
    said = ok(NOWHERE, "crush --level plain --max-chars 190 --keep", condition, stdin=LOG)
    kept = json.loads(ok(NOWHERE, "uncrush --partial", stdin=said.out.encode()).out)
    first = next(place for place, row in enumerate(LINES) if row not in kept)
    there = [place for place, row in enumerate(LINES) if row in kept and place > first]
    assert set(places) <= set(there)
    assert not places or len(there) <= 3 * len(places)
    assert places or there == []


def test_one_of_several_conditions_is_enough() -> None:
    """--keep can be given more than once."""
    said = ok(NOWHERE, "crush --level plain --max-chars 200 --keep level=error --keep ok=false", stdin=LOG)
    kept = json.loads(ok(NOWHERE, "uncrush --partial", stdin=said.out.encode()).out)
    assert LINES[31] in kept
    assert LINES[33] in kept
    assert len(kept) < 20


def test_objects_and_missing_columns_meet_no_condition() -> None:
    """Neither does a list; null and the empty string are values like others."""
    rows = [{"n": n, "a": [{"x": 1}, ["x"], None, "", "x"][n % 5]} for n in range(25)] + [{"n": 25}]
    for condition, least in (("a!=y", 15), ("a~.*", 15), ("a=null", 5), ("a=", 5), ("a~x", 5), ("a~^$", 5)):
        data = ok(NOWHERE, "crush --json --max-chars 50 --keep", condition, stdin=json.dumps(rows).encode()).data
        assert sum(own["protected"] for own in data["dropped"]) + len(re.findall("\n", data["text"])) >= least
        assert sum(own["protected"] for own in data["dropped"]) <= least


def test_json_lines_are_one_list() -> None:
    """--jsonl takes a value a line, ends of lines of any kind, and empty lines; numbers stay as they were."""
    text = b'{"a":1.0,"b":1e5}\r\n\n  {"a": 2.50,"b":-0}\n{"a":0,"b":7}'
    said = ok(NOWHERE, "crush --jsonl --level plain", stdin=text)
    assert (said.out, said.err) == ("~[3]{a,b}\n1.0,1e5\n2.50,-0\n0,7\n", "")
    assert ok(NOWHERE, "crush --jsonl", stdin=b"").out == "[]\n"
    assert ok(NOWHERE, "crush --jsonl", stdin=b"\n3\n").out == "[3]\n"


def test_lines_that_are_no_json_are_told_and_left_out() -> None:
    """The others are crushed, and the exit code says that not all were."""
    said = run(
        NOWHERE,
        "crush --jsonl --level plain",
        stdin=b'{"a":1,"b":2}\n{"a":3\n\nno\n{"a":5,"b":6}\n{"a":1,"a":2}\n{"a":8,"b":9}',
    )
    assert said.out == "~[3]{a,b}\n1,2\n5,6\n8,9\n"
    assert said.code == 4
    told = said.err.splitlines()
    assert [line.partition(":")[0] for line in told[:3]] == [f"line {number} is no JSON" for number in (2, 4, 6)]
    assert told[2].endswith("the key 'a' stands twice in the object at $")
    assert told[3] == "error: 3 lines are no JSON and left out"
    one = run(NOWHERE, "crush --jsonl", stdin=b"[1\n2\n")
    assert (one.code, one.out) == (4, "[2]\n")
    assert "error: 1 line is no JSON and left out" in one.err


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        ("crush", b'{"a":1,"a":2}', "standard input is no JSON: the key 'a' stands twice"),
        ("crush", b"[1", "standard input is no JSON"),
        ("crush", b"\xff", "standard input is not UTF-8 text"),
        ("crush none.json", b"", "none.json cannot be read: No such file"),
        ("crush --level best", b"1", "--level 'best' is unknown\n  Known: plain, standard."),
        ("crush --layout yaml", b"1", "--layout 'yaml' is unknown\n  Known: text, json."),
        ("crush --max-chars 5", LOG, "error: a budget of 5 characters is too small: the shortest text takes 19"),
        ("crush --max-tokens 1", LOG, "error: a budget of 1 tokens is too small: the shortest text takes "),
        ("crush --max-chars 0", LOG, "--max-chars"),
        ("crush --max-chars 9", b"~[2]{aaa}\n111\n222\n", "crushed before and is too long"),
        ("crush --keep level=error", LOG, "--keep says what a budget spares\n  Give --max-chars or --max-tokens, too."),
        ("crush --max-chars 99 --keep level", LOG, "--keep 'level' is no condition\n  Write COL=VALUE"),
        ("crush --max-chars 99 --keep =x", LOG, "--keep '=x' is no condition"),
        ("crush --max-chars 99 --keep level!error", LOG, "--keep 'level!error' is no condition"),
        ("crush --max-chars 99 --keep level~[", LOG, "--keep 'level~[' has no regular expression"),
        ("uncrush", b"~[2]{a}\n1\n", "standard input is no crushed text: a table of 2 rows ends after 1"),
        ("uncrush --partial", b"~[2]{a}\n1\n", "standard input is no crushed text: a table of 2 rows ends after 1"),
        ("uncrush", b'{"~crush":2,"value":1}', "standard input is no crushed text: crushed JSON of version '2'"),
    ],
)
def test_bad_input_ends_in_2_and_writes_nothing(words: str, stdin: bytes, told: str) -> None:
    """The message names where the text came from and what is wrong with it."""
    said = run(NOWHERE, words, stdin=stdin)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
