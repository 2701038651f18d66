"""Records come out of a file as they were written, or the file is refused whole."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import UsageError
from catalog.sources import records

ROW = {"release": "aa@4.3", "label": "ex", "value": "57.60", "as_of": "2026-11-20"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one.json", '{"release": "aa@4.3", "label": "ex", "value": 57.60, "as_of": "2026-11-20"}'),
        ("many.json", '[{"release": "aa@4.3", "label": "ex", "value": "57.60", "as_of": "2026-11-20"}]'),
        ("lines.jsonl", '\n{"release": "aa@4.3", "label": "ex", "value": 57.60, "as_of": "2026-11-20"}\n'),
        ("one.yaml", "release: aa@4.3\nlabel: ex\nvalue: 57.60\nas_of: 2026-11-20\n"),
        ("many.yml", "- {release: aa@4.3, label: ex, value: 57.60, as_of: 2026-11-20}\n"),
        ("rows.csv", "release,label,value,as_of\naa@4.3,ex,57.60,2026-11-20\n"),
        ("bom.csv", "\ufeffrelease,label,value,as_of\r\naa@4.3,ex,57.60,2026-11-20\r\n"),
    ],
)
def test_every_format_gives_the_same_records(tmp_path: Path, name: str, text: str) -> None:
    """Decimals keep their written digits and dates stay text, whatever the format would make of them."""
    (tmp_path / name).write_bytes(text.encode())
    assert records.read(str(tmp_path / name)) == [ROW]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.yaml", b"", "is empty"),
        ("blank.json", b" \n\t", "is empty"),
        ("comment.yaml", b"# nothing yet\n", "holds no list of records"),
        ("scalar.yaml", b"hello", "holds no list of records"),
        ("list.json", b"[1, 2]", "holds no list of records"),
        ("none.json", b"[]", "holds no list of records"),
        ("latin.csv", "name\nÉlan\n".encode("latin-1"), "is not UTF-8 text (byte 5)"),
        ("utf16.json", '{"name": "Ex"}'.encode("utf-16"), "is not UTF-8 text"),
        ("cut.json", b'[{"name": "Ex", "ty', "is damaged or cut off"),
        ("cut.jsonl", b'{"name": "Ex"}\n{"name": ', "is damaged or cut off"),
        ("cut.yaml", b"name: Ex\nscores: [{release: aa@4.3, val", "is damaged or cut off"),
        ("cut.csv", b'release,label\naa@4.3,"ex', "is damaged or cut off"),
        ("short.csv", b"release,label,value\naa@4.3,ex\n", "line 2 has another number of columns"),
        ("long.csv", b"release,label\naa@4.3,ex,57.6\n", "line 2 has another number of columns"),
        ("deep.json", b"[" * 100_000, "is nested too deeply"),
        ("third.jsonl", b'{"a": 1}\n{"a": 2}\n{"a"\n', "line 3: "),
        ("nan.json", b'{"value": NaN}', "NaN is not a number"),
        ("twice.json", b'{"name": "A", "name": "B"}', "the key 'name' stands twice"),
        ("twice.yaml", b"name: A\nname: B\n", "the key 'name' stands twice"),
        ("nested.yaml", b"scores:\n- {value: 1, value: 2}\n", "the key 'value' stands twice"),
        ("code.yaml", b"!!python/object/apply:os.getcwd []\n", "is damaged or cut off"),
        ("tab.yaml", b"name:\n\t- x\n", "in line 2"),
    ],
)
def test_a_damaged_file_is_refused_whole(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """The message names the file and what is wrong with it; the hint says what would be right."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError) as refused:
        records.read(str(tmp_path / name))
    assert says in refused.value.message and name in refused.value.message
    assert "\n" not in refused.value.message
    assert refused.value.hint


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "A", "n": "1.0"}]',
        '{"name": "A", "n": 1.0}\n',
        '{"name": "A", "n": 1.0}\n{"name": "B", "n": 2.0}\n',
        "name: A\nn: 1.0\n",
        "# a comment\n- name: A\n  n: 1.0\n",
        "---\nname: A\nn: 1.0\n",
        "name,n\nA,1.0\n",
    ],
)
def test_standard_input_is_read_by_what_it_looks_like(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A pipe has no suffix: JSON, JSON lines, YAML and CSV are told apart by their first lines."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert records.read("-")[0] == {"name": "A", "n": "1.0"}


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    """As any other file that cannot be read."""
    for path, why in ((tmp_path / "none.csv", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(UsageError, match=f"cannot be read: {why}"):
            records.read(str(path))


def test_yaml_anchors_and_merges_still_work(tmp_path: Path) -> None:
    """A merged key may be overridden: it stands once in the record's own text."""
    (tmp_path / "merged.yaml").write_text("- &base {type: llm, developer: Ex}\n- <<: *base\n  type: stt\n")
    found: list[dict[str, Any]] = records.read(str(tmp_path / "merged.yaml"))
    assert found[1] == {"type": "stt", "developer": "Ex"}
