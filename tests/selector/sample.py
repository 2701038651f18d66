"""Small catalogs in memory: models, offers and prices with everything filled in that a test does not care about."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from catalog.selector.decision import Decision
from catalog.selector.request import Request
from catalog.selector.selection import select
from catalog.snapshot import Model, Offer, Price, Snapshot

AT = "2026-11-30T09:00:00Z"
HEAD = "a" * 64
RANK = ("power_rank", "low", "high", "source", "index_version", "as_of")
PRICE = Price(
    unit="1M tokens",
    currency="USD",
    tier="standard",
    processing="realtime",
    input="1",
    output="2",
    cache_read=None,
    cache_write=None,
    valid_from=None,
    valid_to=None,
    source="acme.example",
    as_of="2026-11-01",
)


def offer(
    vendor: str,
    *,
    price_in: str | None = "1",
    price_out: str | None = "2",
    prices: Iterable[Price] | None = None,
    **facts: Any,
) -> Offer:
    """Return an active offer at 1 and 2 USD per million tokens in and out.

    Args:
        price_in, price_out: USD per million tokens; both None is an offer without a price.
        prices: the offer's prices themselves, instead of these two.
        facts: any other field of `Offer`.
    """
    if prices is None:
        known = price_in is not None or price_out is not None
        prices = [PRICE._replace(input=price_in, output=price_out)] if known else []
    fields: dict[str, Any] = {
        **dict.fromkeys(Offer._fields),
        **{"model": "", "vendor": vendor, "status": "active"},
        **facts,
        "prices": tuple(prices),
    }
    return Offer(**fields)


def model(
    slug: str, power: int | None = 100, *offers: Offer | str, context: int | None = 200_000, **facts: Any
) -> Model:
    """Return an active llm of 200,000 tokens of context that takes and gives text.

    Args:
        power: PowerRank; None is unranked.
        offers: vendors by name, or what `offer` returns.
        context: its window in tokens.
        facts: any other field of `Model`: ``type``, ``status``, ``inputs``, ``outputs``, ``capabilities``,
            ``speed_rank``, ``cost_rank``, ``max_output``, …
    """
    served = [offer(one) if isinstance(one, str) else one for one in offers]
    rank = (power, power, power, "Index", "1", AT[:10]) if power is not None else (None,) * len(RANK)
    fields: dict[str, Any] = {
        **dict.fromkeys(Model._fields),
        **{"id": 1, "type": "llm", "slug": slug, "name": slug.title(), "status": "active"},
        **{"context_window": context, "max_output": 32_000, "inputs": "text", "outputs": "text"},
        **dict(zip(RANK, rank, strict=True)),
        **facts,
        "offers": tuple(one._replace(model=slug) for one in sorted(served, key=lambda one: one.vendor)),
    }
    return Model(**fields)


def snapshot(*models: Model) -> Snapshot:
    """Return a snapshot of these models, of their types and of the vendors that serve them."""
    types = sorted({one.type for one in models})
    vendors = sorted({served.vendor for one in models for served in one.offers})
    numbered = {one.slug: one._replace(id=number) for number, one in enumerate(models, 1)}
    return Snapshot(HEAD, AT, tuple(types), tuple(vendors), MappingProxyType(dict(sorted(numbered.items()))))


def decided(*models: Model, **wishes: Any) -> Decision:
    """Return the decision among these models; wishes are fields of `Request`, whose type is llm if none is given."""
    return select(snapshot(*models), Request(**{"type": "llm", **wishes}))
