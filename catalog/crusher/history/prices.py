"""Prices: what a conversation costs, and when a change that breaks a prompt cache pays back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from catalog.crusher.checking import check_count
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
    check_count("saved", saved)
    check_count("behind", behind)
    if behind == 0:
        return 0.0
    if saved == 0 or profile.read == 0:
        return math.inf
    return (profile.write - profile.read) * behind / (profile.read * saved)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the input of a turn costs, in the currency of the price.

    Attributes:
        before: as the conversation is, nothing cached.
        after: with what would go, nothing cached.
        saved_cached: what that saves where all is read from a cache; None where that price is not known.
    """

    before: Decimal
    after: Decimal
    saved_cached: Decimal | None


def cost(before: int, after: int, price: Decimal, cached: Decimal | None = None) -> Cost:
    """Return what a turn of so many tokens costs before and after some went.

    Args:
        before: tokens.
        after: tokens.
        price: of a million tokens of input.
        cached: of a million tokens that are read from a cache; None where that is not known.
    """
    return Cost(
        before=_per_million(before, price),
        after=_per_million(after, price),
        saved_cached=None if cached is None else _per_million(before - after, cached),
    )


def _per_million(tokens: int, price: Decimal) -> Decimal:
    return round(tokens * price / 1_000_000, 6)
