"""Settings: flag before environment before file before default; and the one clock."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from catalog import settings
from catalog.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_flag_before_environment_before_file_before_default(folder: Path) -> None:
    """Each source speaks only where the ones before it are silent."""
    assert settings.load(environ={}).database_url == "sqlite:///catalog.db"
    (folder / "catalog.toml").write_text('database_url = "file.db"\nactor = "file"\nlock_timeout = 5\n')
    environ = {"CATALOG_DATABASE_URL": "env.db", "CATALOG_ACTOR": "env", "CATALOG_LOCK_TIMEOUT": "7"}
    flagged = settings.load(database="flag.db", actor="flag", environ=environ)
    assert (flagged.database_url, flagged.actor, flagged.lock_timeout) == ("sqlite:///flag.db", "flag", 7)
    named = settings.load(environ=environ)
    assert (named.database_url, named.actor) == ("sqlite:///env.db", "env")
    filed = settings.load(environ={})
    assert (filed.database_url, filed.actor, filed.lock_timeout) == ("sqlite:///file.db", "file", 5)


def test_thresholds_and_staleness_come_from_the_file(folder: Path) -> None:
    """Thresholds are sorted and unique; without a file they are the documented ones."""
    assert settings.load(environ={}).thresholds == (100, 500)
    (folder / "catalog.toml").write_text("thresholds = [300, 50, 300]\nstale_days = 90\n")
    found = settings.load(environ={})
    assert (found.thresholds, found.stale_days) == ((50, 300), 90)


def test_somebody_is_always_named() -> None:
    """Without flag, environment and file the login is the actor."""
    assert settings.load(environ={}).actor


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thresholds = 100", "thresholds = 100 is not a list of ranks"),
        ("thresholds = [0]", "is not a list of ranks"),
        ('thresholds = ["100"]', "is not a list of ranks"),
        ("lock_timeout = 0", "lock_timeout = 0 is not a whole number above 0"),
        ("lock_timeout = 1.5", "lock_timeout = 1.5 is not"),
        ('stale_days = "soon"', "stale_days = 'soon' is not"),
        ("lock_timeout =", "is not valid TOML"),
        ('database_url = "mysql://host/db"', "'mysql' are not supported"),
    ],
)
def test_a_malformed_file_is_named(folder: Path, text: str, message: str) -> None:
    """The message quotes the value, the hint says what would be right."""
    (folder / "catalog.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        settings.load(environ={})
    assert message in caught.value.message
    assert caught.value.hint


def test_a_file_that_is_not_utf8_is_named(folder: Path) -> None:
    """Bytes that are no text end in one message."""
    (folder / "catalog.toml").write_bytes(b'actor = "\xff"')
    with pytest.raises(UsageError, match="not valid TOML"):
        settings.load(environ={})


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "soon", "²", " "])
def test_a_malformed_timeout_in_the_environment_is_named(text: str) -> None:
    """A lock timeout is a whole number of seconds above 0."""
    with pytest.raises(UsageError, match="lock_timeout"):
        settings.load(environ={"CATALOG_LOCK_TIMEOUT": text})


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("catalog.db", "sqlite:///catalog.db"),
        ("/data/catalog.db", "sqlite:////data/catalog.db"),
        ("a b#c?.db", "sqlite:///a b#c?.db"),
        ("sqlite:///catalog.db", "sqlite:///catalog.db"),
        ("sqlite:////data/catalog.db", "sqlite:////data/catalog.db"),
        ("sqlite+pysqlite:///catalog.db", "sqlite:///catalog.db"),
        ("postgres://u@h/db", "postgresql://u@h/db"),
        ("postgresql://u:p@h:5/db?sslmode=require", "postgresql://u:p@h:5/db?sslmode=require"),
        ("postgresql+psycopg://h/db", "postgresql://h/db"),
    ],
)
def test_a_path_or_url_names_a_database(text: str, url: str) -> None:
    """Bare paths are SQLite files, postgres:// is accepted, drivers are ours to choose; twice is the same as once."""
    assert settings.database_url(text) == url
    assert settings.database_url(url) == url


@pytest.mark.parametrize("text", ["", " ", ":memory:", "sqlite://", "sqlite:///:memory:", "mysql://h/db", "http://h"])
def test_what_is_no_database_is_refused(text: str) -> None:
    """A database in memory would be gone with the command."""
    with pytest.raises(UsageError) as caught:
        settings.database_url(text)
    assert "postgresql://" in caught.value.hint


def test_the_clock_can_be_fixed() -> None:
    """CATALOG_NOW is read in UTC, whatever zone it was written in."""
    for text in ("2026-11-30T09:00:00Z", "2026-11-30T10:00:00+01:00", "2026-11-30T09:00:00.9", "2026-11-30T09:00"):
        assert settings.stamp(settings.now({"CATALOG_NOW": text})) == "2026-11-30T09:00:00Z"
    assert settings.stamp(settings.now({"CATALOG_NOW": "2026-11-30"})) == "2026-11-30T00:00:00Z"
    assert abs(settings.now({}) - dt.datetime.now(dt.UTC)) < dt.timedelta(seconds=5)
    with pytest.raises(UsageError, match="CATALOG_NOW='soon'"):
        settings.now({"CATALOG_NOW": "soon"})


@pytest.mark.parametrize(
    "text", ["2026-02", "2026-02-30", "2026-2-3", "20260203", "2026-02-03T00:00:00", "", "２０２６-02-03"]
)
def test_a_date_is_a_full_iso_date(text: str) -> None:
    """A month, a day that does not exist or another spelling is refused with the value."""
    assert settings.iso_date("2026-02-03") == "2026-02-03"
    with pytest.raises(UsageError, match="is not a full date"):
        settings.iso_date(text)
