"""The outcome of a failover: the value or the last error, every attempt, everything that was passed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from catalog.canonical import decimal_text
from catalog.errors import FailoverError
from catalog.selector.calls import told
from catalog.selector.candidates import Candidate
from catalog.selector.failures import Kind, Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """What going from one route to another costs; differences are new minus old, None where a side is unknown.

    Attributes:
        rank: PowerRank.
        price_in, price_out: USD per million tokens.
        cache_lost: another model or vendor has no prompt cache of this conversation.
    """

    rank: int | None
    price_in: Decimal | None
    price_out: Decimal | None
    cache_lost: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call.

    Attributes:
        number: from 1.
        candidate: what was called.
        rule: why this route: ``chosen``, ``retry 1 after rate_limit``, ``next_best_model after auth``, ``last_resort``.
        seconds: how long the call took; ``waited``: seconds waited before it.
        kind, reach, told_by: what its failure was, see `failures`; None for a success.
        error: the exception; None for a success.
        retry_after: seconds the vendor asked to wait.
        cooled: seconds the route or vendor cools down for; None when it does not.
        probe: it was the one call that a route coming out of a cool-down lets through.
        last_resort: the route was cooling down and was called because every route was.
        abandoned: it did not return in time; its thread, or a task that ignores its cancellation, may still run.
        switch: what it cost to come here from the attempt before, or from the chosen route where that was skipped;
            None for a first call of the chosen route.
    """

    number: int
    candidate: Candidate
    rule: str
    seconds: float
    waited: float = 0.0
    kind: Kind | None = None
    reach: Reach | None = None
    told_by: str | None = None
    error: BaseException | None = None
    retry_after: float | None = None
    cooled: float | None = None
    probe: bool = False
    last_resort: bool = False
    abandoned: bool = False
    switch: Switch | None = None

    @property
    def ok(self) -> bool:
        """Whether the call returned."""
        return self.kind is None

    def to_data(self) -> dict[str, Any]:
        """Return the attempt as plain data, for a log; the error as its class and first line."""
        return {
            "number": self.number,
            "model": self.candidate.model.slug,
            "vendor": self.candidate.vendor,
            "api_name": self.candidate.api_name,
            "power_rank": self.candidate.model.power_rank,
            "rule": self.rule,
            "ok": self.ok,
            "kind": self.kind,
            "reach": self.reach,
            "told_by": self.told_by,
            "error": None if self.error is None else told(self.error),
            "seconds": round(self.seconds, 6),
            "waited": round(self.waited, 6),
            "retry_after": self.retry_after,
            "cooled": self.cooled,
            "probe": self.probe,
            "last_resort": self.last_resort,
            "abandoned": self.abandoned,
            "switch": None if self.switch is None else _plain(self.switch),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """A candidate that was not called: ``too_long``, ``cooling``, ``vendor``, ``window``, ``policy``, …, in words."""

    candidate: Candidate
    code: str
    detail: str

    def to_data(self) -> dict[str, Any]:
        """Return the skip as plain data, for a log."""
        return {
            "model": self.candidate.model.slug,
            "vendor": self.candidate.vendor,
            "code": self.code,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a walk ended.

    Attributes:
        ok: whether a call returned.
        value: what it returned.
        ended: why the walk ended: ``success``, ``exhausted``, ``max_attempts``, ``deadline``, ``request``, ``scope``.
        attempts: every call, in order; skipped: every candidate that was passed over, with its reason.
    """

    ok: bool
    value: Any
    ended: str
    attempts: tuple[Attempt, ...]
    skipped: tuple[Skip, ...]

    @property
    def candidate(self) -> Candidate | None:
        """The candidate that answered."""
        return self.attempts[-1].candidate if self.ok else None

    @property
    def error(self) -> BaseException | None:
        """The error of the last attempt."""
        return self.attempts[-1].error if self.attempts else None

    def unwrap(self) -> Any:
        """Return the value.

        Raises:
            FailoverError: when no call returned; its cause is the last error.
        """
        if self.ok:
            return self.value
        calls = f"{len(self.attempts)} call{'' if len(self.attempts) == 1 else 's'}"
        raise FailoverError(
            f"no candidate answered ({self.ended}) after {calls} and {len(self.skipped)} skipped{self._last()}",
            hint="The attempts and skipped candidates of the outcome say why.",
            data={
                "ended": self.ended,
                "attempts": [attempt.to_data() for attempt in self.attempts],
                "skipped": [skip.to_data() for skip in self.skipped],
            },
        ) from self.error

    def _last(self) -> str:
        if self.attempts:
            return f"; the last, {_route(self.attempts[-1].candidate)}: {told(self.error)}"
        return f"; the first, {_route(self.skipped[0].candidate)}: {self.skipped[0].detail}" if self.skipped else ""


def switch(old: Candidate, new: Candidate) -> Switch:
    """Return what going from one candidate to another costs."""
    ranks, ins, outs = (
        (old.model.power_rank, new.model.power_rank),
        (old.price_in, new.price_in),
        (old.price_out, new.price_out),
    )
    return Switch(
        rank=None if None in ranks else (ranks[1] or 0) - (ranks[0] or 0),
        price_in=_difference(*ins),
        price_out=_difference(*outs),
        cache_lost=old.route != new.route,
    )


def _difference(old: Decimal | None, new: Decimal | None) -> Decimal | None:
    return None if old is None or new is None else new - old


def _plain(cost: Switch) -> Mapping[str, Any]:
    return {
        "rank": cost.rank,
        "price_in": None if cost.price_in is None else decimal_text(cost.price_in),
        "price_out": None if cost.price_out is None else decimal_text(cost.price_out),
        "cache_lost": cost.cache_lost,
    }


def _route(candidate: Candidate) -> str:
    return f"{candidate.model.slug} by {candidate.vendor}"
