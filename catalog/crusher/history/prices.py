"""Prices: when a change that breaks a prompt cache pays back."""

from __future__ import annotations

import math

from catalog.crusher.prefix.profiles import CacheProfile


def break_even(saved: int, behind: int, profile: CacheProfile) -> float:
    """Return the further turns until leaving out tokens has paid back what writing the rest anew costs.

    What stands behind the change is written to the cache once more, at write - read more than reading it; each turn
    then reads that many tokens less: (write - read) * behind / (read * saved). Infinite where nothing is saved.

    Args:
        saved: tokens that go, at least 0.
        behind: tokens behind them in the conversation, at least 0.
        profile: the cache and its prices.

    Raises:
        ValueError: for negative tokens.
    """
    if saved < 0 or behind < 0:
        raise ValueError(f"tokens are at least 0, not {min(saved, behind)}")
    if behind == 0:
        return 0.0
    if saved == 0 or profile.read == 0:
        return math.inf
    return (profile.write - profile.read) * behind / (profile.read * saved)
