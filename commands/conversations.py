"""Conversations that commands read from files, and what is said of them as plain data."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from math import isfinite
from typing import Any, get_args

from catalog.commands import output
from catalog.crusher.history import BudgetDecision, Cost, Message, Review, default_meta
from catalog.crusher.history.meta import Kind, MetaOf, Mode
from catalog.errors import UsageError
from catalog.snapshot import Price
from catalog.sources import texts

_META = {"turn": int, "expires_after": int, "mode": str, "kind": str, "is_error": bool, "protected": bool}
"""What may stand in the meta of a message, and of which kind it is."""
_SHAPES = "Give messages of Chat Completions or of Anthropic's Messages."
_WORDS = {"mode": get_args(Mode), "kind": get_args(Kind)}


def read(file: str) -> tuple[list[Message], MetaOf]:
    """Return the messages of a file, and what is known of each: its ``meta``, else what follows from its shape.

    Raises:
        UsageError: for a file that is no list of messages, and for a meta that cannot be.
    """
    name = texts.name_of(file)
    try:
        found = json.loads(texts.read(file))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is no JSON: {error}", hint="Give a list of messages.") from None
    if isinstance(found, dict) and isinstance(found.get("messages"), list):
        system = [{"role": "system", "content": found["system"]}] if found.get("system") else []
        if found.get("tools"):
            output.note(f"the tools in {name} are not counted")
        found = [*system, *found["messages"]]
    other = next((key for key in ("contents", "input") if isinstance(found, dict) and key in found), None)
    if other is not None:
        raise UsageError(f"{name} is a request with {other!r}, of another shape", hint=_SHAPES)
    if not isinstance(found, list) or not all(isinstance(message, dict) for message in found):
        raise UsageError(f"{name} holds no messages", hint='Give a list of messages, or {"messages": […]}.')
    metas = [_meta(message.get("meta", {}), number) for number, message in enumerate(found)]
    messages: list[Message] = [{key: value for key, value in message.items() if key != "meta"} for message in found]
    known = default_meta(messages)
    return messages, lambda message, index: replace(known(message, index), **metas[index])


def _meta(given: Any, number: int) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise UsageError(f"the meta of message {number} is {given!r:.60}", hint="Give an object.")
    for key, value in given.items():
        wanted = _META.get(key)
        if wanted is None:
            raise UsageError(f"the meta of message {number} has {key!r}", hint=f"Known: {', '.join(_META)}.")
        words = _WORDS.get(key, ())
        if value is None and key in ("expires_after", "kind", "is_error"):
            continue
        if type(value) is not wanted or (words and value not in words) or (isinstance(value, int) and value < 0):
            least = ", at least 0" if wanted is int else ""
            hint = f"Known: {', '.join(words)}." if words else f"Give a value of the kind {wanted.__name__}{least}."
            raise UsageError(f"the {key} of message {number} is {value!r:.60}", hint=hint)
    return given


def as_data(found: Review, decision: BudgetDecision | None, money: dict[str, Any] | None) -> dict[str, Any]:
    """Return a review as --json prints it."""
    waits = found.masked.waiting
    return {
        "messages": [asdict(row) for row in found.rows],
        "tokens": {"before": found.before, "after": found.after},
        "prefix": {
            "messages": found.prefix.boundary,
            "tokens": found.prefix.tokens,
            "sha256": found.prefix.sha256,
            "findings": [asdict(own) for own in found.prefix.findings],
        },
        "masking": {
            "refs": list(found.masked.refs),
            "pays_after": _finite(found.masked.pays_after),
            "waiting": None if waits is None else asdict(waits) | {"pays_after": _finite(waits.pays_after)},
        },
        "window": None if decision is None else asdict(decision),
        "money": money,
    }


def cost_as_data(saved: Cost | None, price: Price | None) -> dict[str, Any] | None:
    """Return what a turn costs as --json prints it: amounts as decimal text, with the day of the price."""
    if saved is None or price is None:
        return None
    amounts = {key: None if value is None else str(value) for key, value in asdict(saved).items()}
    return {"currency": price.currency, **amounts, "as_of": price.as_of}


def _finite(turns: float) -> float | None:
    """Return turns as JSON can hold them: null for never."""
    return turns if isfinite(turns) else None
