"""Cache profiles: how a vendor's prompt cache works, and what reading from it and writing to it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from catalog.crusher.checking import check_count, check_share

Style = Literal["", "cache_control", "prompt_cache_breakpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheProfile:
    """How a vendor's prompt cache works, and what it costs.

    Attributes:
        name: what the profile is called.
        minimum_tokens: tokens below which a prefix is not cached; None where that is not known.
        breakpoints: how many marks of the end of a prefix a request may carry; 0 where the cache finds it by itself.
        breakpoint_style: how a request says them: ``cache_control`` or ``prompt_cache_breakpoint``; '' where it cannot.
        look_back: messages before a mark that are searched for a prefix cached earlier; 0 where there is no limit.
        ttl_seconds: how long an entry lives after its last use; None where that is not said.
        whole_only: whether only a whole earlier request, or what stands before a mark, is found again, and no shorter
            part of it.
        read: price of a token that is read from the cache, as a share of the plain price.
        write: price of a token that is written to it, as a share of the plain price.
        source: where this is said.
        as_of: the day it was said, as ISO 8601.
    """

    name: str
    minimum_tokens: int | None
    breakpoints: int
    breakpoint_style: Style = ""
    look_back: int = 0
    ttl_seconds: int | None = 300
    whole_only: bool = False
    read: float
    write: float
    source: str = ""
    as_of: str = ""

    def __post_init__(self) -> None:
        for name in ("minimum_tokens", "breakpoints", "look_back", "ttl_seconds"):
            if getattr(self, name) is not None:
                check_count(f"{name} of the cache profile {self.name!r}", getattr(self, name))
        if self.breakpoint_style not in get_args(Style):
            known = ", ".join(map(repr, get_args(Style)))
            raise ValueError(f"breakpoint_style of the cache profile {self.name!r} is none of {known}")
        for name in ("read", "write"):
            check_share(f"{name} of the cache profile {self.name!r}", getattr(self, name))
        if self.read > self.write:
            raise ValueError(f"the cache profile {self.name!r} reads at {self.read} and writes at {self.write}")
