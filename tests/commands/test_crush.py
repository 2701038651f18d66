"""catalog crush and uncrush, in a pipe and on files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import ok, run

NOWHERE = "nowhere.db"
ROWS = [{"id": number, "state": "open", "name": f"part {number}"} for number in range(1, 5)]


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


def test_the_result_and_what_was_saved_are_told() -> None:
    """--json prints text, lengths and notes; --stats says on stderr what was saved."""
    said = ok(NOWHERE, "crush --json --stats", stdin=json.dumps(ROWS).encode())
    assert said.data["crushed"] is True
    assert said.data["crushed_chars"] == len(said.data["text"])
    assert said.err.startswith(f"{said.data['original_chars']:,} characters of minified JSON, ")
    assert ok(NOWHERE, "crush --json", stdin=b"3").data["notes"][0]["code"] == "verbatim"


@pytest.mark.parametrize(
    ("words", "stdin", "told"),
    [
        ("crush", b'{"a":1,"a":2}', "standard input is no JSON: the key 'a' stands twice"),
        ("crush", b"[1", "standard input is no JSON"),
        ("crush", b"\xff", "standard input is not UTF-8 text"),
        ("crush none.json", b"", "none.json cannot be read: No such file"),
        ("crush --level best", b"1", "--level 'best' is unknown"),
        ("uncrush", b"~[2]{a}\n1\n", "standard input is no crushed text: a table of 2 rows ends after 1"),
    ],
)
def test_bad_input_ends_in_2_and_writes_nothing(words: str, stdin: bytes, told: str) -> None:
    """The message names where the text came from and what is wrong with it."""
    said = run(NOWHERE, words, stdin=stdin)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
