"""Breakpoints: where a request should mark the end of a prefix, for caches that want that said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from catalog.crusher.conversation.texts import Message
from catalog.crusher.prefix.profiles import CacheProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Where a request should mark the end of a prefix.

    Attributes:
        index: of the message that the prefix ends with.
        tokens: of the prefix.
    """

    index: int
    tokens: int


def breakpoints(stable: Sequence[Message], sizes: Sequence[int], profile: CacheProfile) -> tuple[Breakpoint, ...]:
    """Return where to mark prefixes of stable messages, the last one first.

    One mark stands at the end; one behind the system messages, which other conversations share; the others so that a
    mark of the request before is found within the messages that the cache looks back. A prefix below the least that is
    cached has none.

    Args:
        stable: the messages.
        sizes: tokens of each.
        profile: the cache.
    """
    taken = list(accumulate(sizes))
    system = next((n for n, one in enumerate(stable) if one.get("role") not in ("system", "developer")), len(stable))
    places = [len(stable) - 1, system - 1]
    if profile.look_back:
        places += range(len(stable) - 1 - profile.look_back, -1, -profile.look_back)
    wanted = [place for place in dict.fromkeys(places) if place >= 0 and taken[place] >= (profile.minimum_tokens or 0)]
    chosen = sorted(wanted[: profile.breakpoints], reverse=True)
    return tuple(Breakpoint(index=place, tokens=taken[place]) for place in chosen)
