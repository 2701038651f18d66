"""Caches: how the prompt cache of a candidate's vendor works, from the shipped file of profiles."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from catalog.crusher.prefix.profiles import CacheProfile
from catalog.selector.candidates import Candidate

_FILE = "cache-profiles.yaml"


def profile_of(candidate: Candidate) -> CacheProfile | None:
    """Return how the cache of a candidate's vendor works for its model; None where that is not known."""
    for vendor, models, profile in profiles():
        if vendor == candidate.vendor and any(fnmatchcase(candidate.model.slug, own) for own in models):
            return profile
    return None


@cache
def profiles() -> tuple[tuple[str, tuple[str, ...], CacheProfile], ...]:
    """Return the vendor, the patterns of models and the profile of each entry, in order."""
    import yaml

    found: list[dict[str, Any]] = yaml.safe_load(files("catalog.seeds").joinpath(_FILE).read_text(encoding="utf-8"))
    return tuple((own.pop("vendor"), tuple(own.pop("models")), _profile(own)) for own in found)


def _profile(said: dict[str, Any]) -> CacheProfile:
    """Return a profile; YAML reads days as dates."""
    return CacheProfile(**{**said, "as_of": said["as_of"].isoformat()})
