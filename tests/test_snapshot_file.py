"""A snapshot as a file: the same without a database, and never half of one."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from catalog import snapshot, snapshot_file
from catalog.canonical import sha256
from catalog.errors import ConflictError, DatabaseError, IntegrityError
from catalog.selector import Request, select

pytest_plugins = ["tests.seeded"]


def test_a_saved_snapshot_is_the_snapshot(ranked_url: str, tmp_path: Path) -> None:
    """Every model, offer and price comes back, and so does every decision, from both databases with the same bytes."""
    loaded = snapshot.load(ranked_url)
    digest = snapshot_file.save(loaded, tmp_path / "catalog.snapshot")
    saved = snapshot_file.load(tmp_path / "catalog.snapshot")
    assert saved.sha256 == digest
    assert saved.snapshot == loaded
    request = Request(type="llm", min_power=300)
    assert select(saved.snapshot, request).to_json() == select(loaded, request).to_json()
    assert snapshot.head_of(ranked_url) == saved.snapshot.head


def test_the_file_is_named_by_its_content(ranked_sqlite: str, tmp_path: Path) -> None:
    """The first line holds the hash of the rest; saving twice gives the same bytes and leaves nothing beside."""
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        snapshot_file.save(snapshot.load(ranked_sqlite), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    first, content, end = paths[0].read_text(encoding="utf-8").split("\n")
    assert first == f"model-catalog snapshot 1 {sha256(content)}"
    assert end == ""
    assert sorted(path.name for path in tmp_path.iterdir() if path.name in ("one", "two") or path.name[0] == ".") == [
        "one",
        "two",
    ]


@pytest.fixture
def saved(ranked_sqlite: str, tmp_path: Path) -> Path:
    """A saved snapshot."""
    path = tmp_path / "catalog.snapshot"
    snapshot_file.save(snapshot.load(ranked_sqlite), path)
    return path


def test_a_changed_file_is_refused(saved: Path) -> None:
    """A rank changed by hand, a cut tail: the hash tells."""
    whole = saved.read_text(encoding="utf-8")
    for damaged in (whole.replace("claude-opus-5-5", "claude-opus-9-9", 1), whole[: len(whole) // 2]):
        saved.write_text(damaged, encoding="utf-8")
        with pytest.raises(IntegrityError, match="does not fit its hash"):
            snapshot_file.load(saved)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"model-catalog snapshot 2 00\n{}\n", b"SQLite format 3\x00"])
def test_another_file_is_no_snapshot(tmp_path: Path, content: bytes) -> None:
    """What is no snapshot, or one of another version, is named with the way out."""
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(DatabaseError, match="is no snapshot of this version") as refused:
        snapshot_file.load(path)
    assert "catalog snapshot save" in refused.value.hint


def test_a_file_with_other_fields_is_refused(saved: Path) -> None:
    """A version whose records have other fields does not misread the file, and a forged shape is no traceback."""
    data = json.loads(saved.read_text(encoding="utf-8").split("\n")[1])
    ranks = [[*row[:21], "high", *row[22:]] for row in data["models"]]
    changes: tuple[dict[str, object], ...] = (
        {"fields": {}},
        {"models": 3},
        {"models": [[1, 2]]},
        {"models": ranks},
        {"models": data["models"] * 2},
    )
    for change in changes:
        content = json.dumps({**data, **change}, ensure_ascii=False)
        saved.write_text(f"model-catalog snapshot 1 {sha256(content)}\n{content}\n", encoding="utf-8")
        with pytest.raises((DatabaseError, IntegrityError)):
            snapshot_file.load(saved)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """A path without a file, or a folder, is named."""
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(DatabaseError, match="cannot be read"):
            snapshot_file.load(path)


def test_a_save_that_fails_leaves_the_old_file(saved: Path, ranked_sqlite: str) -> None:
    """A snapshot is replaced wholly or not at all."""
    before = saved.read_bytes()
    broken = snapshot.load(ranked_sqlite)
    object.__setattr__(broken, "types", (1.5,))
    with pytest.raises(TypeError):
        snapshot_file.save(broken, saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir() if path.name.startswith(".catalog")] == []


def test_what_is_no_file_is_written_to_and_not_replaced(ranked_sqlite: str, saved: Path, tmp_path: Path) -> None:
    """A pipe stays a pipe, a link a link: its target is replaced and keeps its mode."""
    loaded = snapshot.load(ranked_sqlite)
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        snapshot_file.save(loaded, pipe)
        assert read.result() == saved.read_bytes()
    assert pipe.is_fifo()
    link.symlink_to(saved)
    saved.write_text("")
    saved.chmod(0o600)
    snapshot_file.save(loaded, link)
    assert link.is_symlink()
    assert snapshot_file.load(saved).snapshot == loaded
    assert saved.stat().st_mode & 0o777 == 0o600


def test_nothing_but_a_snapshot_is_replaced(ranked_sqlite: str, tmp_path: Path) -> None:
    """A wrong path costs neither the catalog itself nor anybody's file; text is a path as well."""
    database = Path(ranked_sqlite.removeprefix("sqlite:///"))
    other = tmp_path / "thesis.txt"
    other.write_text("mine")
    loaded = snapshot.load(ranked_sqlite)
    for path in (database, other):
        before = path.read_bytes()
        with pytest.raises(ConflictError, match="is no snapshot, so it is not replaced"):
            snapshot_file.save(loaded, path)
        assert path.read_bytes() == before
    snapshot_file.save(loaded, str(tmp_path / "new"))
    assert snapshot_file.load(str(tmp_path / "new")).snapshot == loaded
