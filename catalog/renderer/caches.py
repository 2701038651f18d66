"""Caches: how the prompt cache of a candidate's vendor works, from the shipped file of profiles."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from catalog.crusher.prefix.profiles import CacheProfile
from catalog.snapshot import Price

_FILE = "cache-profiles.yaml"


def profile_of(vendor: str | None, model: str) -> CacheProfile | None:
    """Return how the cache of a vendor works for a model, by their slugs; None where that is not known."""
    for known, models, profile in profiles():
        if known == vendor and any(fnmatchcase(model, own) for own in models):
            return profile
    return None


def priced_profile(vendor: str, model: str, price: Price | None) -> CacheProfile | None:
    """Return how the cache of a vendor works for a model, at a price of it; None where nothing is known of a cache.

    What the price says of reading and writing goes before the shares that a vendor states for all its models.
    """
    known = profile_of(vendor, model)
    if price is None or not price.input or not price.cache_read or not Decimal(price.input):
        return known
    plain = Decimal(price.input)
    read = Decimal(price.cache_read) / plain
    write = max(Decimal(price.cache_write) / plain if price.cache_write else Decimal(1), read)
    stated = known or CacheProfile(name=f"{model} by {vendor}", minimum_tokens=None, breakpoints=0, read=0, write=1)
    return replace(stated, read=float(read), write=float(write), source=price.source, as_of=price.as_of)


@cache
def profiles() -> tuple[tuple[str, tuple[str, ...], CacheProfile], ...]:
    """Return the vendor, the patterns of models and the profile of each entry, in order."""
    import yaml

    found: list[dict[str, Any]] = yaml.safe_load(files("catalog.seeds").joinpath(_FILE).read_text(encoding="utf-8"))
    return tuple((own.pop("vendor"), tuple(own.pop("models")), _profile(own)) for own in found)


def _profile(said: dict[str, Any]) -> CacheProfile:
    """Return a profile; YAML reads days as dates."""
    return CacheProfile(**{**said, "as_of": said["as_of"].isoformat()})
