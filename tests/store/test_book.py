"""The book gives lines a time that never runs backwards, whatever the clocks of its writers say."""

from __future__ import annotations

import pytest

from catalog.errors import ConflictError
from tests.store import sample


def test_clocks_a_little_apart_do_not_stop_a_writer(database_url: str) -> None:
    """Up to five minutes behind, a line takes the time of the one before it."""
    sample.create(database_url)
    with sample.writing(database_url, at="2026-11-30T08:55:00Z") as book:
        line = book.add("vendor", {"slug": "late", "name": "Late"}, reason="r")
    assert line.at == sample.AT
    assert sample.verified(database_url).findings == ()


def test_a_clock_far_behind_is_refused(database_url: str) -> None:
    """More than that is a clock that is wrong: it is named and nothing is written."""
    before = sample.tables(sample.create(database_url))
    with (
        pytest.raises(ConflictError, match=r"it is 2026-11-30T08:54:59Z here, but .* 2026-11-30T09:00:00Z") as caught,
        sample.writing(database_url, at="2026-11-30T08:54:59Z") as book,
    ):
        book.add("vendor", {"slug": "late", "name": "Late"}, reason="r")
    assert "CATALOG_NOW" in caught.value.hint
    assert sample.tables(database_url) == before
