"""catalog context: what of a conversation would be pruned, masked or deferred, and what that saves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Annotated

import typer

from catalog import settings, snapshot
from catalog.commands import conversations, options, output
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.crusher import CacheProfile
from catalog.crusher.history import Cost, Policy, Review, budget, cost, review
from catalog.errors import UsageError
from catalog.renderer import caches

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_COLUMNS = (
    Column(key="index", title="message", right=True),
    Column(key="turn", title="turn", right=True),
    Column(key="kind", title="kind"),
    Column(key="tokens", title="tokens", right=True),
    Column(key="action", title="action"),
    Column(key="saved", title="saved", right=True),
    Column(key="why", title="why"),
)


@app.command()
def context(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON: a list of messages. - reads stdin.")],
    turn: Annotated[
        int | None, typer.Option("--turn", metavar="N", min=0, help="The turn being prepared.  [default: the last]")
    ] = None,
    after: Annotated[int, typer.Option("--after", metavar="N", min=0, help="Mask outputs after so many turns.")] = 3,
    model: Annotated[str | None, typer.Option("--model", metavar="MODEL", help="At its prices, in its window.")] = None,
    json: options.Json = False,
) -> None:
    """Say what of a conversation would be pruned, masked or deferred, and what it saves; nothing is changed.

    Messages are those of Chat Completions or of Anthropic's Messages; each may have a "meta" beside it, such as
    {"expires_after": 2, "mode": "compact"}. Tokens are estimated. Needs a catalog only with --model.
    """
    messages, meta = conversations.read(file)
    policy = Policy(after=after)
    priced = None if model is None else _priced(ctx, model)
    if priced is not None:
        policy = replace(policy, profile=priced.profile)
    try:
        found = review(messages, turn, policy, meta=meta)
    except ValueError as error:
        raise UsageError(str(error), hint="Give the messages as they were sent, in their order.") from None
    decision = budget(found.before, priced.window) if priced is not None and priced.window else None
    saved = None if priced is None else _cost(found, priced.price)
    if json:
        price = None if priced is None else priced.price
        output.as_json(conversations.as_data(found, decision, conversations.cost_as_data(saved, price)))
        return
    output.table([asdict(row) for row in found.rows], _COLUMNS)
    output.say()
    for line in _told(found):
        output.say(line)
    if decision is not None:
        output.say(f"window: {decision.reason}" + (f": {decision.action}" if decision.action != "none" else ""))
    for line in _cost_told(found, saved, priced) if priced is not None else ():
        output.say(line)


def _told(found: Review) -> Iterator[str]:
    share = f" ({1 - found.after / found.before:.0%})" if found.before else ""
    yield f"messages: {len(found.rows)}, about {found.before:,} tokens; {found.before - found.after:,} would go{share}"
    yield f"of them stable prefix: {found.prefix.boundary}, about {found.prefix.tokens:,} tokens"
    for own in found.prefix.findings:
        yield f"  {own.code} at {own.path}, character {own.offset}: {own.text}"
    if found.masked.waiting is not None:
        waits = found.masked.waiting
        yield f"masking of {len(waits.messages)} waits: it would save about {waits.saved:,} tokens,"
        yield f"  and pay back what the cache behind it costs after {waits.pays_after:,.1f} turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """What a model costs where it is offered.

    Attributes:
        by: slugs of model and vendor, as they are told.
        price: today's; None where none is known.
        profile: how the vendor's prompt cache works; None where that is not known.
        window: tokens of the model's context; None where that is not known.
    """

    by: str
    price: snapshot.Price | None
    profile: CacheProfile | None
    window: int | None


def _priced(ctx: typer.Context, model: str) -> Priced:
    """Return what a model costs today, where the catalog says most of it."""
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        found = snapshot.model(reader, model)
    priced = snapshot.priced_offer(found, settings.now().date().isoformat())
    if priced is None:
        return Priced(by=model, price=None, profile=None, window=found.context_window)
    offer, price = priced
    profile = caches.priced_profile(offer.vendor, model, price)
    return Priced(by=f"{model} by {offer.vendor}", price=price, profile=profile, window=found.context_window)


def _cost(found: Review, price: snapshot.Price | None) -> Cost | None:
    """Return what a turn's input costs now and then; None where no price of tokens is known."""
    if price is None or price.input is None or price.unit != snapshot.TOKEN_UNIT:
        return None
    cached = Decimal(price.cache_read) if price.cache_read else None
    return cost(found.before, found.after, Decimal(price.input), cached)


def _cost_told(found: Review, saved: Cost | None, priced: Priced) -> Iterator[str]:
    if saved is None or priced.price is None:
        yield f"{priced.by}: no price is known"
        return
    currency = priced.price.currency
    yield f"{priced.by}: the input of a turn costs {saved.before} {currency} uncached,"
    yield f"  and {saved.after} {currency} with what would go"
    if saved.saved_cached is None:
        yield "no price of cached tokens is known, so masking does not wait for a cache"
        return
    yield f"where it is read from the cache, {saved.saved_cached} {currency} a turn are saved"
    if found.masked.refs:
        yield f"masking breaks the cache once, and pays back after {found.masked.pays_after:,.1f} turns"
