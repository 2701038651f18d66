"""Partitioning: how much of a conversation stays byte for byte for a prompt cache, and what would break it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from catalog.crusher.conversation.sending import serialised
from catalog.crusher.conversation.shapes import shape_of
from catalog.crusher.conversation.texts import Message
from catalog.crusher.prefix.breakpoints import Breakpoint, breakpoints
from catalog.crusher.prefix.findings import Finding, findings
from catalog.crusher.prefix.profiles import CacheProfile
from catalog.tokens import estimate

Count = Callable[[str], int]
"""Gives the tokens of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A conversation cut where it stops being stable.

    Attributes:
        stable: the longest leading run of messages that are.
        volatile: the others, stable ones behind the first volatile one among them.
        boundary: how many are stable.
        chars: of their minified JSON, as it stands in the list that is sent, keys in their order.
        tokens: of the messages.
        sha256: of the same.
        breakpoints: where to mark prefixes for the cache, the last one first.
        findings: what would break the cache, in the order of the messages.
    """

    stable: tuple[Message, ...]
    volatile: tuple[Message, ...]
    boundary: int
    chars: int
    tokens: int
    sha256: str
    breakpoints: tuple[Breakpoint, ...]
    findings: tuple[Finding, ...]


def partition_stable_prefix(
    messages: Sequence[Message],
    is_stable: Callable[[Message, int], bool],
    *,
    profile: CacheProfile | None = None,
    count: Count | None = None,
) -> Partition:
    """Return a conversation cut behind the last message of its stable prefix; the messages are not changed.

    Args:
        messages: the messages, in order.
        is_stable: says of a message and its number whether it is the same in the next request.
        profile: the cache that breakpoints are suggested for; none without.
        count: gives the tokens of a text; estimated without.

    Raises:
        ValueError: for messages that are of no known shape.
    """
    shape_of(messages)
    boundary = leading(messages, is_stable)
    stable = tuple(messages[:boundary])
    sent = [serialised(message) for message in stable]
    sizes = [(count or estimate)(text) for text in sent]
    whole = ",".join(sent)
    return Partition(
        stable=stable,
        volatile=tuple(messages[boundary:]),
        boundary=boundary,
        chars=len(whole),
        tokens=sum(sizes),
        sha256=hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest(),
        breakpoints=() if profile is None else breakpoints(stable, sizes, profile),
        findings=tuple(found for number, message in enumerate(stable) for found in findings(message, number)),
    )


def leading(messages: Sequence[Message], is_stable: Callable[[Message, int], bool]) -> int:
    """Return how many messages at the beginning are stable."""
    return next((n for n, message in enumerate(messages) if not is_stable(message, n)), len(messages))
