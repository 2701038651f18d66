"""Packages that benchmarks read from, fetched by their normal clients when they run and kept in a folder.

Versions are pinned, so that two runs measure the same bytes. What cannot be fetched is named with its reason, never
replaced.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

PATIENCE = 600
"""Seconds a package manager may take."""
UNREADABLE = (OSError, LookupError, ValueError, subprocess.SubprocessError, tarfile.TarError)
"""What goes wrong where a registry or a client is missing, or a package no longer holds the file."""


def reason(error: Exception) -> str:
    """Return why something is missing, in one line."""
    said = getattr(error, "stderr", None) or str(error) or type(error).__name__
    return str(said).strip().splitlines()[-1]


def wheel(cache: Path, requirement: str) -> Path:
    """Return where the wheel of a Python package lies, after fetching it when it is not there."""
    return _downloaded(cache, requirement, "*.whl", ["--only-binary", ":all:"])


def source(cache: Path, requirement: str) -> Path:
    """Return where the source archive of a Python package lies, after fetching it when it is not there."""
    return _downloaded(cache, requirement, "*.tar.gz", ["--no-binary", ":all:"])


def _downloaded(cache: Path, requirement: str, pattern: str, how: list[str]) -> Path:
    kept = folder(cache, requirement)
    if not any(kept.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *how, "--dest", ".", requirement]
        run(command, kept)
    return next(kept.glob(pattern))


def tarball(cache: Path, package: str) -> Path:
    """Return where an npm package lies, after fetching it when it is not there."""
    kept = folder(cache, package)
    if not any(kept.glob("*.tgz")):
        run(["npm", "pack", "--loglevel", "error", package], kept)
    return next(kept.glob("*.tgz"))


def modules(cache: Path, name: str, packages: tuple[str, ...]) -> Path:
    """Return a folder in which npm packages are installed, after installing them when they are not there."""
    kept = folder(cache, name)
    if not (kept / "node_modules").is_dir():
        run(["npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", *packages], kept)
    return kept / "node_modules"


def opened(archive: tarfile.TarFile, name: str) -> Any:
    """Return an open file of an archive."""
    found = archive.extractfile(name)
    if found is None:
        raise LookupError(f"{name} is no file")
    return found


def folder(cache: Path, name: str) -> Path:
    """Return the cache's folder of a package, made when it is not there."""
    kept = cache / name
    kept.mkdir(parents=True, exist_ok=True)
    return kept


def run(command: list[str], where: Path) -> str:
    """Run a package manager in a folder and return what it prints."""
    ended = subprocess.run(command, cwd=where, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return ended.stdout
