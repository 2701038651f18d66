"""Where settings come from: flag > CATALOG_* environment > catalog.toml > default. And the one clock."""

from __future__ import annotations

import datetime as dt
import getpass
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from catalog.errors import UsageError

DEFAULT_DATABASE = "catalog.db"
SETTINGS_FILE = "catalog.toml"
_IN_FILE = ("database_url", "actor", "lock_timeout", "thresholds", "stale_days")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a command needs to know before it opens anything.

    Attributes:
        database_url: ``sqlite:///…`` or ``postgresql://…``.
        lock_timeout: seconds a command waits for another one's write lock.
        actor: who is named in the change log.
        thresholds: ranks at which callers switch behaviour; a placement says which of them its interval straddles.
        stale_days: age in days after which a rank's as-of counts as stale where a newer release exists.
    """

    database_url: str
    actor: str
    lock_timeout: int = 60
    thresholds: tuple[int, ...] = (100, 500)
    stale_days: int = 180


def load(
    *, database: str | None = None, actor: str | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Resolve the settings of one run.

    Args:
        database: value of ``--db``: a URL or a bare path.
        actor: value of ``--actor``.
        environ: the environment; the process's own by default.

    Raises:
        UsageError: when a value or ``catalog.toml`` is malformed.
    """
    env = os.environ if environ is None else environ
    file = _read_file(Path(SETTINGS_FILE))
    for name, given in (("--db", database), ("--actor", actor)):
        if given is not None and not given.strip():
            raise UsageError(f"{name} is empty", hint=f"Give {name} a value or leave it out.")
    chosen = database or env.get("CATALOG_DATABASE_URL") or file.get("database_url") or DEFAULT_DATABASE
    who = actor or env.get("CATALOG_ACTOR") or file.get("actor") or _login()
    return Settings(
        database_url=database_url(str(chosen)),
        actor=str(who),
        lock_timeout=_positive("lock_timeout", env.get("CATALOG_LOCK_TIMEOUT") or file.get("lock_timeout", 60)),
        thresholds=_thresholds(file.get("thresholds", (100, 500))),
        stale_days=_positive("stale_days", file.get("stale_days", 180)),
    )


def database_url(text: str) -> str:
    """Return the URL a path or URL stands for; ``postgres://`` is accepted for ``postgresql://``.

    Raises:
        UsageError: for an empty value or a database that is neither SQLite nor PostgreSQL.
    """
    text = text.strip()
    if re.match(r"postgres(ql)?(\+\w+)?://", text):
        return re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql://", text)
    if re.match(r"sqlite(\+\w+)?:", text):
        text = re.sub(r"^sqlite(\+\w+)?:(///|//)?", "", text)
    elif "://" in text:
        kind = text.split("://")[0]
        raise UsageError(f"databases of kind {kind!r} are not supported", hint="Use a SQLite path or postgresql://…")
    if not text or text == ":memory:":
        raise UsageError("the database must be a file or a server", hint="Use --db catalog.db or --db postgresql://…")
    return "sqlite:///" + text


def sqlite_path(url: str) -> Path | None:
    """Return the file of a SQLite URL, None for PostgreSQL."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def now(environ: Mapping[str, str] | None = None) -> dt.datetime:
    """Return the current UTC time to the second; ``CATALOG_NOW`` fixes it.

    Raises:
        UsageError: when ``CATALOG_NOW`` is not an ISO date or time.
    """
    fixed = (os.environ if environ is None else environ).get("CATALOG_NOW")
    if not fixed:
        return dt.datetime.now(dt.UTC).replace(microsecond=0)
    try:
        moment = dt.datetime.fromisoformat(fixed)
    except ValueError:
        raise UsageError(f"CATALOG_NOW={fixed!r} is not an ISO time", hint="Use 2026-11-30T09:00:00Z.") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC).replace(microsecond=0)


def stamp(moment: dt.datetime) -> str:
    """Return a UTC time as the log writes it: ``2026-11-30T09:00:00Z``."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def iso_date(text: str, *, what: str = "the date") -> str:
    """Return a full ISO date, unchanged.

    Raises:
        UsageError: for a month ("2026-02"), another spelling or a day that does not exist.
    """
    try:
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        pass
    raise UsageError(f"{what} {text!r} is not a full date", hint="Write YYYY-MM-DD, such as 2026-10-03.")


def _read_file(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}", hint="Repair or remove it.") from None
    for name in found:
        if name not in _IN_FILE:
            raise UsageError(f"{name!r} in {path} is no setting", hint=f"Known: {', '.join(_IN_FILE)}.")
    return found


def _thresholds(value: object) -> tuple[int, ...]:
    if isinstance(value, list | tuple) and all(isinstance(item, int) and item > 0 for item in value):
        return tuple(sorted(set(value)))
    raise UsageError(f"thresholds = {value!r} is not a list of ranks", hint="Write thresholds = [100, 500].")


def _positive(name: str, value: object) -> int:
    text = str(value)
    if re.fullmatch("[0-9]{1,9}", text) and int(text) > 0:
        return int(text)
    raise UsageError(f"{name} = {value!r} is not a whole number above 0", hint=f"Write {name} = 60.")


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
