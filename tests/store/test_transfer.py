"""Export, import along the log, and apply of edits made by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.connection import reading
from catalog.errors import CatalogError, ConflictError, IntegrityError, LockedError, NotFoundError, UsageError
from catalog.log.line import COLUMNS, GENESIS, digest, to_json
from catalog.store import seeding, transfer
from tests.store import sample

GAMMA = "models/llm/gamma.json"


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """The small catalog as files, written from SQLite."""
    return export(sample.create(f"sqlite:///{tmp_path / 'origin.db'}"), tmp_path / "exported")


def export(url: str, folder: Path) -> Path:
    """Export a catalog and return the folder."""
    with reading(url) as reader:
        transfer.export(reader, folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return path → bytes of every file in a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def import_into(url: str, folder: Path) -> transfer.Transfer:
    """Import a folder into a catalog."""
    with sample.writing(url) as book:
        return transfer.import_directory(book, folder)


def apply(url: str, folder: Path) -> int:
    """Apply a folder's edits to a catalog."""
    with sample.writing(url) as book:
        return transfer.apply_directory(book, folder, reason="an edit by hand")


def edit(path: Path, change: Callable[[Any], object]) -> None:
    """Change the JSON of a file in place, as an editor would."""
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value, indent=4), encoding="utf-8")


def test_export_import_export_is_identical(database_url: str, exported: Path, tmp_path: Path) -> None:
    """Files written from one database, read into another and written again are the same bytes, with the same head."""
    sample.create_empty(database_url)
    done = import_into(database_url, exported)
    assert (done.written, done.present) == (17, 0)
    assert contents(export(database_url, tmp_path / "again")) == contents(exported)
    found = sample.verified(database_url)
    assert (found.findings, found.head) == ((), done.head)


def test_both_databases_write_the_same_files(sqlite_database: str, postgres_database: str, tmp_path: Path) -> None:
    """The same writes end in the same head and the same bytes on SQLite and PostgreSQL."""
    folders = [
        export(sample.create(url), tmp_path / name)
        for name, url in (("sqlite", sqlite_database), ("postgres", postgres_database))
    ]
    assert contents(folders[0]) == contents(folders[1])
    assert sample.verified(sqlite_database).head == sample.verified(postgres_database).head


def test_the_log_is_the_truth(exported: Path) -> None:
    """A folder holds what was stated, and the head is the hash of the last line."""
    assert sorted(contents(exported)) == [
        "log.jsonl",
        *(f"models/llm/{slug}.json" for slug in ("alpha", "beta", "gamma")),
        *(f"models/reranker/{slug}.json" for slug in ("narrow", "wide")),
        "releases.json",
        "scores/aa@4.3.jsonl",
        "types.json",
        "vendors.json",
    ]


def test_an_export_removes_what_no_longer_belongs(database_url: str, tmp_path: Path) -> None:
    """A file of the catalog's that is none of this export's is refused, and goes only where that is said."""
    sample.create(database_url)
    stale, other = tmp_path / "out/models/llm/old.json", tmp_path / "out/README.md"
    stale.parent.mkdir(parents=True)
    for path in (stale, other):
        path.write_text("{}", encoding="utf-8")
    with pytest.raises(ConflictError, match=r"old\.json was edited and never applied, or is no file of an export"):
        export(database_url, tmp_path / "out")
    assert stale.exists() and not (tmp_path / "out" / "log.jsonl").exists()
    with reading(database_url) as reader:
        done = transfer.export(reader, tmp_path / "out", overwrite=True)
    assert done.removed == ("models/llm/old.json",)
    assert not stale.exists() and other.exists()


def test_an_export_never_cuts_a_log(database_url: str, tmp_path: Path) -> None:
    """A folder whose log goes further, or another way, is not written over by an older catalog."""
    sample.create(database_url)
    export(database_url, tmp_path / "old")
    with sample.writing(database_url) as book:
        book.add("vendor", {"slug": "later", "name": "Later"}, reason="r")
    export(database_url, tmp_path / "new")
    older = f"sqlite:///{tmp_path / 'older.db'}"
    sample.create_empty(older)
    import_into(older, tmp_path / "old")
    before = (tmp_path / "new" / "log.jsonl").read_bytes()
    with pytest.raises(ConflictError, match="is not the beginning of the catalog's"):
        export(older, tmp_path / "new")
    assert (tmp_path / "new" / "log.jsonl").read_bytes() == before


def test_an_export_to_no_folder_says_so(sqlite_database: str, tmp_path: Path) -> None:
    """A file in the place of the folder ends in one message."""
    sample.create(sqlite_database)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="file cannot be written") as caught:
        export(sqlite_database, tmp_path / "file")
    assert caught.value.hint


def test_fast_forward(database_url: str, exported: Path, tmp_path: Path) -> None:
    """A catalog that is behind takes the missing lines; one that is level or ahead takes nothing."""
    sample.create_empty(database_url)
    import_into(database_url, exported)
    head = sample.verified(database_url).head
    assert import_into(database_url, exported) == transfer.Transfer(written=0, present=17, head=head)
    ahead = f"sqlite:///{tmp_path / 'origin.db'}"
    with sample.writing(ahead) as book:
        book.add("vendor", {"slug": "later", "name": "Later"}, reason="later")
        book.rank("correction", "alpha", **{**sample.RANK, "rank": 490})
    assert import_into(ahead, exported).written == 0
    later = export(ahead, tmp_path / "later")
    done = import_into(database_url, later)
    assert (done.written, done.present) == (2, 17)
    assert sample.verified(database_url).findings == ()
    assert contents(export(database_url, tmp_path / "again")) == contents(later)


def test_a_diverged_log_is_refused_at_its_first_differing_line(database_url: str, exported: Path) -> None:
    """Two catalogs that went different ways are not merged: the message names the line where they part."""
    sample.create_empty(database_url)
    import_into(database_url, exported)
    origin = f"sqlite:///{exported.parent / 'origin.db'}"
    for url, slug in ((database_url, "ours"), (origin, "theirs")):
        with sample.writing(url) as book:
            book.add("vendor", {"slug": slug, "name": slug}, reason="went its own way")
    export(origin, exported)
    before = sample.tables(database_url)
    with pytest.raises(ConflictError, match="the logs differ from line 18 on") as caught:
        import_into(database_url, exported)
    assert caught.value.data["seq"] == 18
    assert sample.tables(database_url) == before


def half_a_line(folder: Path) -> None:
    """Cut the log off in the middle of its last line."""
    log = folder / "log.jsonl"
    log.write_bytes(log.read_bytes()[:-20])


def changed_line(folder: Path) -> None:
    """Change a rank in the log."""
    log = folder / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"new_rank":500', b'"new_rank":501'))


def lost_line(folder: Path) -> None:
    """Take a line out of the log."""
    log = folder / "log.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:4], *lines[5:]]))


def spaced_line(folder: Path) -> None:
    """Write a line in JSON that is not canonical."""
    log = folder / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"action":', b'"action": ', 1))


def appended(folder: Path, **columns: object) -> None:
    """Append a line with a fitting hash to the log."""
    log = folder / "log.jsonl"
    last = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    usual = {"seq": last["seq"] + 1, "at": sample.AT, "actor": "x", "reason": "r", "tool_version": "9"}
    row = {**dict.fromkeys(COLUMNS), **usual, "prev_hash": last["hash"], **columns}
    row["hash"] = digest(tuple(row.values()))
    with log.open("a", encoding="utf-8") as file:
        file.write(to_json(tuple(row.values())) + "\n")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "half a line": (half_a_line, "log.jsonl:17 ends in the middle of a line"),
    "changed line": (changed_line, "log.jsonl:16 does not fit its hash"),
    "lost line": (lost_line, "seq 6 follows 4: lines are missing"),
    "not canonical": (spaced_line, "log.jsonl:1 does not fit its hash"),
    "empty log": (lambda folder: (folder / "log.jsonl").write_bytes(b""), "log.jsonl is empty"),
    "not UTF-8": (lambda folder: (folder / "log.jsonl").write_bytes(b"\xff\xfe\n"), "log.jsonl:1 is not UTF-8"),
    "not JSON": (lambda folder: (folder / "log.jsonl").write_bytes(b"seq\n"), "log.jsonl:1 is not a line"),
    "not an object": (lambda folder: (folder / "log.jsonl").write_bytes(b"[]\n"), "log.jsonl:1 has columns"),
    "deep": (lambda folder: (folder / "log.jsonl").write_bytes(b"[" * 99999 + b"\n"), "log.jsonl:1 is not a line"),
    "half a character": (
        lambda folder: (folder / "log.jsonl").write_bytes(
            (folder / "log.jsonl").read_bytes().replace(b'"actor":"tester"', b'"actor":"\\ud800"', 1)
        ),
        "log.jsonl:1 is not a line",
    ),
    "models not UTF-8": (lambda folder: (folder / GAMMA).write_bytes(b"\xff"), "gamma.json is not UTF-8"),
    "edited file": (lambda folder: edit(folder / GAMMA, lambda model: model.update(name="G")), "gamma.json differs"),
    "edited rank": (
        lambda folder: edit(folder / "models/llm/alpha.json", lambda model: model["rank"].update(power_rank=900)),
        "alpha.json differs from the log",
    ),
    "file missing": (lambda folder: (folder / GAMMA).unlink(), "gamma.json is missing"),
    "file too many": (lambda folder: shutil.copy(folder / GAMMA, folder / "models/llm/x.json"), "x.json is not in the"),
    "unfinished rebase": (
        lambda folder: appended(folder, action="rebase-plan", after='{"count":2,"plan":"a","type":"reranker"}'),
        "the rebase of reranker is not finished: 2 lines are missing",
    ),
    "unknown kind of fact": (
        lambda folder: appended(folder, action="lesson.add", after="{}"),
        "line 18 of the change log: lesson.add does not state a fact",
    ),
    "fact without its key": (
        lambda folder: appended(folder, action="model.add", after="{}"),
        "line 18 of the change log: model.add does not state a fact",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_folder_is_refused(sqlite_database: str, exported: Path, name: str) -> None:
    """Whatever is damaged, half-written, edited or unfinished is named, and nothing is imported."""
    damage, message = DAMAGE[name]
    damage(exported)
    sample.create_empty(sqlite_database)
    before = sample.tables(sqlite_database)
    with pytest.raises(IntegrityError) as caught:
        import_into(sqlite_database, exported)
    assert message in caught.value.message
    assert caught.value.exit_code == 4
    assert sample.tables(sqlite_database) == before


def test_a_folder_without_a_log_is_refused(sqlite_database: str, tmp_path: Path) -> None:
    """A folder that is no export says what to name instead."""
    sample.create_empty(sqlite_database)
    with pytest.raises(NotFoundError, match=r"there is no log\.jsonl") as caught:
        import_into(sqlite_database, tmp_path / "nowhere")
    assert "catalog export" in caught.value.hint


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"action": "vendor.add", "after": '{"name":"N","slug":"n","stars":5}'}, "with stars 5, which this catalog"),
        (
            {
                "action": "model.add",
                "model": "n",
                "after": '{"id":1,"name":"N","slug":"n","status":"active","type":"llm"}',
            },
            "with id 1",
        ),
        (
            {
                "action": "model.add",
                "model": "n",
                "after": '{"as_of":"2026-01-01","high":9,"index_version":"1","low":9,"name":"N","power_rank":9,'
                '"slug":"n","source":"s","status":"active","type":"llm"}',
            },
            "with as_of '2026-01-01'",
        ),
        ({"action": "vendor.add", "after": '{"name":5,"slug":"n"}'}, "with name 5"),
        (
            {"action": "model.add", "model": "n", "after": '{"name":"N","slug":"n","status":"fine","type":"llm"}'},
            "constraint",
        ),
        (
            {
                "action": "alias.add",
                "model": "nobody",
                "after": '{"effort":"max","label":"l","model":"nobody","scope":"","space":"s"}',
            },
            "",
        ),
    ],
)
def test_a_log_that_no_table_holds_is_refused(
    database_url: str, exported: Path, columns: dict[str, object], message: str
) -> None:
    """A well-formed log with an unknown column, a rank in a fact, a wrong type or status ends in one message."""
    url = f"sqlite:///{exported.parent / 'origin.db'}"
    sample.create_empty(database_url)
    appended(exported, **columns)
    project(exported)
    before = sample.tables(database_url)
    with pytest.raises(CatalogError) as caught:
        import_into(database_url, exported)
    assert message in caught.value.message
    assert sample.tables(database_url) == before
    assert sample.verified(url).findings == ()


def project(folder: Path) -> None:
    """Write the files that a folder's log asks for, as a forger would."""
    from catalog.log.replay import replayed
    from catalog.store import files

    for path, text in files.projection(replayed(files.read_log(folder))).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def test_apply_of_nothing_writes_nothing(database_url: str, tmp_path: Path) -> None:
    """A folder as it was exported asks for no line."""
    folder = export(sample.create(database_url), tmp_path / "out")
    assert apply(database_url, folder) == 0


def test_apply_writes_what_was_edited(database_url: str, tmp_path: Path) -> None:
    """Edits, additions and withdrawals in files become lines; afterwards an export says exactly what the files said."""
    folder = export(sample.create(database_url), tmp_path / "out")
    edit(folder / GAMMA, lambda model: model.update(name="Gamma the Third", context_window=200_000))
    edit(folder / GAMMA, lambda model: model.pop("aliases"))
    edit(folder / GAMMA, lambda model: model["offers"][0].pop("api_name"))
    ended = {**sample.PRICE, "valid_to": "2026-06-01"}
    begun = {**sample.PRICE, "valid_from": "2026-06-01", "input": "4"}
    prices = [{k: v for k, v in price.items() if k != "model"} for price in (begun, ended)]
    edit(folder / GAMMA, lambda model: model.update(prices=prices))
    edit(folder / "vendors.json", lambda vendors: vendors.append({"slug": "new", "name": "New"}))
    edit(folder / "vendors.json", lambda vendors: vendors.remove({"slug": "unused", "name": "Nobody's"}))
    aliases = [{"space": "api", "label": "child", "scope": "", "effort": "high"}]
    child = {**sample.model("a-child", prior="z-parent", developer="new"), "aliases": aliases}
    (folder / "models/llm/a-child.json").write_text(json.dumps(child), encoding="utf-8")
    (folder / "models/llm/z-parent.json").write_text(json.dumps(sample.model("z-parent")), encoding="utf-8")
    with (folder / "scores/aa@4.3.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"as_of":"2026-10-04","estimated":0,"label":"gamma-max","value":"58"}\n')
    assert apply(database_url, folder) == 11
    assert sample.verified(database_url).findings == ()
    again = contents(export(database_url, tmp_path / "again"))
    assert {name: json.loads(again[name]) for name in again if name.endswith(".json")}[GAMMA] == {
        **json.loads((folder / GAMMA).read_text(encoding="utf-8")),
        "prices": [{k: v for k, v in price.items() if k != "model"} for price in (ended, begun)],
    }


def no_rank(model: dict[str, Any]) -> None:
    """Take the rank out of a model's file."""
    del model["rank"]


REFUSED: dict[str, tuple[Callable[[Path], object], type[CatalogError], str]] = {
    "rank edited": (
        lambda folder: edit(folder / "models/llm/alpha.json", lambda model: model["rank"].update(power_rank=900)),
        LockedError,
        "the rank of alpha was edited",
    ),
    "rank removed": (
        lambda folder: edit(folder / "models/llm/alpha.json", no_rank),
        LockedError,
        "the rank of alpha was edited",
    ),
    "rank given": (
        lambda folder: edit(folder / GAMMA, lambda model: model.update(rank={"power_rank": 9})),
        LockedError,
        "the rank of gamma was edited",
    ),
    "rank column": (
        lambda folder: edit(folder / GAMMA, lambda model: model.update(power_rank=9)),
        LockedError,
        "power_rank is locked",
    ),
    "model removed": (lambda folder: (folder / GAMMA).unlink(), LockedError, "the model 'gamma' cannot be removed"),
    "ranked model removed": (
        lambda folder: (folder / "models/llm/alpha.json").unlink(),
        LockedError,
        "the model 'alpha' cannot be removed",
    ),
    "score changed": (
        lambda folder: (folder / "scores/aa@4.3.jsonl").write_text(
            (folder / "scores/aa@4.3.jsonl").read_text(encoding="utf-8").replace("57.6", "60"), encoding="utf-8"
        ),
        LockedError,
        "the score of gamma-max in scores/aa@4.3.jsonl was changed",
    ),
    "scores removed": (lambda folder: (folder / "scores/aa@4.3.jsonl").unlink(), LockedError, "was changed or removed"),
    "vendor in use removed": (
        lambda folder: edit(folder / "vendors.json", lambda vendors: vendors.pop(0)),
        ConflictError,
        "the database refused the change",
    ),
    "slug edited": (
        lambda folder: edit(folder / GAMMA, lambda model: model.update(slug="delta")),
        IntegrityError,
        "holds type 'llm' and slug 'delta'",
    ),
    "unknown column": (
        lambda folder: edit(folder / GAMMA, lambda model: model.update(colour="red")),
        UsageError,
        "'colour' is no column of a model",
    ),
    "decimal as a number": (
        lambda folder: edit(folder / GAMMA, lambda model: model["prices"][0].update(input=5.5)),
        IntegrityError,
        "5.5 is not an integer; write decimals as text",
    ),
    "half-written file": (
        lambda folder: (folder / GAMMA).write_text('{"slug":', encoding="utf-8"),
        IntegrityError,
        "gamma.json is not valid JSON",
    ),
    "list in place of a model": (
        lambda folder: (folder / GAMMA).write_text("[]", encoding="utf-8"),
        IntegrityError,
        "gamma.json does not hold a JSON object",
    ),
    "object in place of a list": (
        lambda folder: (folder / "types.json").write_text("{}", encoding="utf-8"),
        IntegrityError,
        "types.json does not hold a list",
    ),
    "alias twice": (
        lambda folder: edit(folder / GAMMA, lambda model: model["aliases"].append(model["aliases"][0])),
        IntegrityError,
        "gamma-max",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_apply_refuses_and_leaves_no_trace(sqlite_database: str, tmp_path: Path, name: str) -> None:
    """An edit that is not allowed is named; the sound edit beside it is not written either."""
    change, kind, message = REFUSED[name]
    folder = export(sample.create(sqlite_database), tmp_path / "out")
    edit(folder / "models/llm/beta.json", lambda model: model.update(name="A sound edit"))
    change(folder)
    before = sample.tables(sqlite_database)
    with pytest.raises(kind) as caught:
        apply(sqlite_database, folder)
    assert message in caught.value.message
    assert sample.tables(sqlite_database) == before


def test_apply_refuses_a_stale_folder(database_url: str, tmp_path: Path) -> None:
    """A folder exported from an earlier state could silently take back what was written since."""
    folder = export(sample.create(database_url), tmp_path / "out")
    with sample.writing(database_url) as book:
        book.edit("model", ("gamma",), {"name": "Since then"}, reason="since then")
    before = sample.tables(database_url)
    with pytest.raises(ConflictError, match="the catalog stands at") as caught:
        apply(database_url, folder)
    assert "Export into another folder" in caught.value.hint
    assert sample.tables(database_url) == before


def test_an_empty_catalog_has_the_genesis_head(database_url: str) -> None:
    """A catalog without lines is a catalog: it verifies, and its head is 64 zeros."""
    assert seeding.create(database_url, fill="empty") == seeding.Created(models=0, ranked=0, lines=0, head=GENESIS)
    assert sample.verified(database_url).findings == ()
