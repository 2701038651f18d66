"""Replay equals state: whatever was written, the tables are what the log says, on both databases and in files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog import past, snapshot
from catalog.canonical import dumps
from catalog.connection import Reader
from catalog.errors import CatalogError
from catalog.log import facts
from catalog.log.replay import line_rows, replayed
from catalog.store import transfer
from catalog.store.book import Book
from catalog.store.verify import verify
from tests.store import sample

TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)
NUMBERS = st.integers(0, 9)
STEPS = ("vendor", "model", "alias", "offer", "price", "score", "proposal", "type", "release", "entry", "correction")
VERBS = ("add", "edit", "remove")

Step = tuple[str, str, int, int, str]
steps = st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from(VERBS), NUMBERS, NUMBERS, TEXTS), max_size=40)


def row(kind: str, a: int, b: int, text: str) -> dict[str, object]:
    """Return a fact of a kind made of two small numbers and a text."""
    slug, vendor = sample.MODELS[a % 3], f"vendor-{b % 3}"
    date = f"2026-0{1 + b % 9}-01"
    rows: dict[str, dict[str, object]] = {
        "vendor": {"slug": vendor, "name": text},
        "model": sample.model(f"model-{a}", name=text, prior="alpha" if b > 5 else None, context_window=b * 1000),
        "alias": {"space": "artificial-analysis", "label": text, "scope": "aa@4.3" if b > 5 else "", "model": slug},
        "offer": {"model": slug, "vendor": "acme" if b > 4 else "unused", "status": "active", "priority": b},
        "price": {
            **sample.PRICE,
            "model": slug,
            "valid_from": date,
            "valid_to": f"2026-0{1 + b % 9}-28",
            "input": str(b),
        },
        "score": {**sample.SCORE, "label": text, "value": f"{a}{b}.{b}0"},
        "proposal": {"model": slug, "placement": f'{{"rank":{a}}}'},
        "type": {**sample.RERANKER, "slug": f"type-{a}", "name": text},
        "release": {**sample.RELEASE, "key": f"aa@5.{a}", "version": f"5.{a}", "note": text},
    }
    return rows[kind] | ({"effort": "max"} if kind == "alias" else {})


def take(book: Book, step: Step) -> None:
    """Take one step; one that the rules refuse leaves nothing."""
    kind, verb, a, b, text = step
    low, rank, high = 10 * a + 1, 10 * a + b + 1, 10 * a + 30
    if kind in ("entry", "correction"):
        found: dict[str, Any] = {**sample.RANK, "rank": rank, "low": low, "high": high, "reason": text or "r"}
        ranked = book.rows("SELECT power_rank FROM model WHERE slug = ?", (sample.MODELS[a % 3],))[0][0] is not None
        book.rank("correction" if ranked else "entry", sample.MODELS[a % 3], **found, validated=b > 5)
        return
    fact = row(kind, a, b, text)
    present = book.all(kind)
    key = facts.key_of(kind, present[a % len(present)] if present else fact)
    if verb == "add":
        book.add(kind, fact, reason="a step")
    elif verb == "edit" and kind != "score":
        column = {"proposal": "placement", "offer": "api_name", "price": "source"}.get(kind, "note")
        value = dumps({"text": text}) if kind == "proposal" else text
        book.edit(kind, key, {column: None if b == 0 and column in ("note", "api_name") else value}, reason="a step")
    elif kind in ("alias", "price", "proposal"):
        book.remove(kind, key, reason="a step")


def written(book: Book, chosen: list[Step]) -> None:
    """Fill the book and take every step that the rules allow."""
    sample.fill(book)
    for step in chosen:
        try:
            take(book, step)
        except CatalogError:
            continue


def inside(book: Book) -> Reader:
    """Return a reader that sees the open transaction of a book."""
    driver = book.connection.connection.driver_connection
    return Reader(driver, postgres=book.connection.dialect.name != "sqlite")


@pytest.fixture
def url(database_url: str) -> str:
    """The URL of an empty catalog, which every example fills and takes back."""
    return sample.create_empty(database_url)


@given(chosen=steps)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_replay_equals_state(url: str, chosen: list[Step]) -> None:
    """Any sequence of adds, edits, removals and rank lines leaves tables, snapshot and guards as the log says."""
    with sample.writing(url, dry_run=True) as book:
        written(book, chosen)
        reader = inside(book)
        assert verify(reader).findings == ()
        assert snapshot.read(reader) == past.at(reader, book.today)
        state = replayed(line_rows(reader))
        ranks = {row[0]: row[1:] for row in reader.rows(f"SELECT slug, {', '.join(facts.RANK_COLUMNS)} FROM model")}
        assert {slug: rank for slug, rank in ranks.items() if rank[0] is not None} == state.ranks


@pytest.fixture
def pair(sqlite_database: str, postgres_database: str) -> tuple[str, str]:
    """An empty catalog on SQLite and one on PostgreSQL."""
    return sample.create_empty(sqlite_database), sample.create_empty(postgres_database)


@given(chosen=steps, backwards=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=10)
def test_any_catalog_moves_between_databases_unchanged(
    pair: tuple[str, str], chosen: list[Step], backwards: bool
) -> None:
    """Export, import into the other kind of database, export: the same head and the same bytes."""
    first, second = reversed(pair) if backwards else pair
    with tempfile.TemporaryDirectory() as folder:
        one, two = Path(folder, "one"), Path(folder, "two")
        with sample.writing(first, dry_run=True) as book:
            written(book, chosen)
            transfer.export(inside(book), one)
        with sample.writing(second, dry_run=True) as other:
            assert transfer.import_directory(other, one).head == book.head
            assert verify(inside(other)).findings == ()
            transfer.export(inside(other), two)
        assert contents(one) == contents(two)


@pytest.mark.parametrize("spoil", [lambda text: text + " ", lambda text: text.replace('"', "'", 1)])
def test_an_export_is_compared_byte_by_byte(sqlite_database: str, tmp_path: Path, spoil: Callable[[str], str]) -> None:
    """The comparison above would see a difference: a file spoiled by one byte is refused."""
    sample.create(sqlite_database)
    with sample.writing(sqlite_database, dry_run=True) as book:
        transfer.export(inside(book), tmp_path)
        path = tmp_path / "vendors.json"
        path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
        with pytest.raises(CatalogError):
            transfer.import_directory(book, tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """Return path → bytes of every file in a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
