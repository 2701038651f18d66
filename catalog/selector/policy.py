"""The failover policy: where to go after which failure, how often and for how long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from catalog.errors import UsageError
from catalog.selector.candidates import Candidate
from catalog.selector.failures import Kind

Strategy = Literal["none", "same_model_other_vendor", "next_best_model", "power_rank"]
SameModel = Literal["prefer_same", "require_same", "prefer_different", "require_different"]
Scope = Literal["all", "network", "rate_limit", "service"]

_SCOPES: dict[str, frozenset[Kind]] = {
    "network": frozenset({"network", "timeout"}),
    "rate_limit": frozenset({"rate_limit"}),
    "service": frozenset({"service", "timeout"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What to do when a call fails.

    Attributes:
        strategy: where to go when a call failed, or when the chosen route is skipped: ``none`` nowhere,
            ``same_model_other_vendor`` keeps the model; ``next_best_model`` follows the decision's order;
            ``power_rank`` goes to the model nearest in power to the chosen one, the stronger of two.
        model: under ``next_best_model``, whether the model that failed is preferred, required, avoided or excluded.
        scope: which failures may fail over; any other ends the walk.
        max_attempts: calls in all; a candidate that is skipped costs none.
        retries_per_route: further calls of the same route after 429, 5xx or a timeout.
        deadline: seconds for everything together, waits included; None is no limit.
        attempt_timeout: seconds for one call; a synchronous call then runs in a worker thread.
        backoff: seconds before the first retry of a route, half of it jitter; each further one doubles them. A vendor
            that asks for more than 60 seconds, or for more than the deadline leaves, is left for the next route.
        seed: of the jitter.
        last_resort: when every route that may be called cools down from the start, call them all the same, in order.

    Raises:
        UsageError: for a value out of its range, naming it.
    """

    strategy: Strategy = "next_best_model"
    model: SameModel = "prefer_same"
    scope: Scope = "all"
    max_attempts: int = 3
    retries_per_route: int = 1
    deadline: float | None = None
    attempt_timeout: float | None = None
    backoff: float = 0.5
    seed: int = 0
    last_resort: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no policy."""
        for name, choices in (("strategy", Strategy), ("model", SameModel), ("scope", Scope)):
            if getattr(self, name) not in get_args(choices):
                raise UsageError(
                    f"{name} {getattr(self, name)!r} is unknown", hint=f"Known: {', '.join(get_args(choices))}."
                )
        for name, least in (("max_attempts", 1), ("retries_per_route", 0)):
            if getattr(self, name).__class__ is not int or getattr(self, name) < least:
                raise UsageError(f"{name} {getattr(self, name)!r} is no whole number of at least {least}")
        if self.model != "prefer_same" and self.strategy != "next_best_model":
            raise UsageError(f"model {self.model!r} says nothing under {self.strategy}", hint="Use next_best_model.")
        for name in ("deadline", "attempt_timeout"):
            value = getattr(self, name)
            if value is not None and not is_seconds(value):
                raise UsageError(f"{name} {value!r} is no number of seconds", hint="Leave it out for no limit.")
        if self.attempt_timeout == 0:
            raise UsageError("attempt_timeout 0 leaves a call no time", hint="Leave it out for no limit.")
        if not is_seconds(self.backoff):
            raise UsageError(f"backoff {self.backoff!r} is no number of seconds", hint="Write backoff=0 for no pause.")

    def may_fail_over(self, kind: Kind) -> bool:
        """Return whether a failure of a kind may go on to another call at all."""
        return self.scope == "all" or kind in _SCOPES[self.scope]

    def wait(self, retry: int, share: float) -> float:
        """Return the seconds before a retry: exponential, the upper half left to chance.

        Args:
            retry: which retry of the route, from 1.
            share: a random number from 0 to 1.
        """
        return min(self.backoff * float(2 ** min(retry - 1, 16)), LONGEST_WAIT) * (1 + share) / 2

    def successors(self, chosen: Candidate, failed: Candidate, rest: list[Candidate]) -> list[Candidate]:
        """Return which of the remaining candidates may follow one that failed, in the order they are to be called.

        Args:
            chosen: the decision's choice, whose power the ``power_rank`` strategy stays near to.
        """
        same = [candidate for candidate in rest if candidate.model is failed.model]
        others = [candidate for candidate in rest if candidate.model is not failed.model]
        if self.strategy == "next_best_model":
            return {
                "prefer_same": same + others,
                "require_same": same,
                "prefer_different": others + same,
                "require_different": others,
            }[self.model]
        if self.strategy == "power_rank":
            return sorted(rest, key=lambda candidate: _distance(candidate, chosen))
        return same if self.strategy == "same_model_other_vendor" else []


LONGEST_WAIT = 60.0
"""Seconds no back-off exceeds."""


def is_seconds(value: object) -> bool:
    """Return whether a value is a number of seconds that one can wait."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _FOREVER


_FOREVER = 1e9  # thirty years; the timers of threads overflow beyond


def _distance(candidate: Candidate, chosen: Candidate) -> tuple[bool, int, int]:
    own, target = candidate.model.power_rank, chosen.model.power_rank
    if own is None or target is None:
        return True, 0, 0
    return False, abs(own - target), -own
