"""The walk over a decision's candidates: a generator that says what to do next and is told how it went.

It does no I/O and waits for nothing, so that threads and coroutines are served by the same rules, see `failover`.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, NamedTuple

from catalog.selector.calls import Misuse, OutOfTime, Reply, called, shown, told
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.failures import COOLED, REACH, RETRIED, Verdict
from catalog.selector.health import Health
from catalog.selector.outcome import Attempt, Outcome, Skip, switch
from catalog.selector.policy import LONGEST_WAIT, Policy, is_seconds
from catalog.selector.ruled_out import ruled_out

Classify = Callable[[BaseException], Verdict]
Fits = Callable[[Candidate], tuple[int, int | None]]


class Call(NamedTuple):
    """Do this next: call a candidate, which has so many seconds."""

    candidate: Candidate
    time_left: float | None


class Wait(NamedTuple):
    """Do this next: wait."""

    seconds: float


Steps = Generator[Call | Wait, Reply, Outcome]


class Walk:
    """One walk: what is left, what was tried, what was passed over."""

    def __init__(
        self,
        decision: Decision,
        *,
        policy: Policy,
        health: Health,
        clock: Callable[[], float],
        fits: Fits | None,
        classify: Classify,
    ) -> None:
        self._policy, self._health, self._clock, self._fits, self._classify = policy, health, clock, fits, classify
        self._rest, self._chosen = list(decision.candidates), decision.chosen
        self._forced = decision.rule.last_resort
        self._attempts: list[Attempt] = []
        self._skipped: list[Skip] = []
        self._windows: dict[tuple[str, str], int | None] = {}
        self._started = clock()
        self._chance = random.Random(policy.seed)
        self._rule = "chosen"
        self._value: Any = None

    def steps(self) -> Steps:
        """Yield calls and waits, take replies, return the outcome."""
        ended = ""
        while not ended:
            candidate = self._next()
            if candidate is None:
                return self._outcome("exhausted")
            ended = yield from self._route(candidate)
        return self._outcome(ended)

    def _next(self) -> Candidate | None:
        if not self._rest and not self._attempts and self._policy.last_resort:
            self._rest = [skip.candidate for skip in self._skipped if skip.code == "cooling"]
            self._skipped = [skip for skip in self._skipped if skip.code != "cooling"]
            self._forced, self._rule = True, "last_resort"
        return self._rest.pop(0) if self._rest else None

    def _route(self, candidate: Candidate) -> Generator[Call | Wait, Reply, str]:
        """Call one route, again where that is allowed; return why the walk ends here, '' when it goes on."""
        if limit := self._limit():
            return limit
        if misfit := self._misfit(candidate):
            return self._passed_over(misfit)
        if limit := self._limit():
            return limit
        admitted = "forced" if self._forced else self._health.admit(*candidate.route)
        if admitted is None:
            return self._passed_over(self._resting(candidate))
        try:
            return (yield from self._calls(candidate, probe=admitted == "probe"))
        except BaseException:
            if admitted == "probe":
                self._health.released(*candidate.route)
            raise

    def _calls(self, candidate: Candidate, *, probe: bool) -> Generator[Call | Wait, Reply, str]:
        retry, waited, rule = 0, 0.0, self._rule
        while True:
            limit = self._time_left(call=True)
            reply = yield Call(candidate, limit)
            hurried = self._hurried(reply, limit)
            attempt = self._recorded(candidate, reply, rule=rule, waited=waited, probe=probe, hurried=hurried)
            if attempt.kind is None:
                self._value = reply.value
                return "success"
            if ended := self._ended_by(attempt):
                return ended
            pause = self._pause(attempt, retry + 1)
            if pause is None:
                return self._after(attempt)
            retry, waited, rule = retry + 1, pause, f"retry {retry + 1} after {attempt.kind}"
            yield Wait(pause)
            if ended := self._limit():
                return ended
            if misfit := self._misfit(candidate):
                return self._passed_over(misfit)

    def _passed_over(self, skip: Skip) -> str:
        """Skip a candidate and go on; where it is the chosen one, going elsewhere is for the policy to allow."""
        self._skipped.append(skip)
        if skip.candidate is self._chosen:
            self._follow(skip.candidate, self._rest, skip.code)
        return ""

    def _resting(self, candidate: Candidate) -> Skip:
        seconds, reason = self._health.cooling().of(*candidate.route) or (0.0, "")
        detail = f"cooling down for {seconds:.0f} s more: {reason}" if seconds else f"another call probes it: {reason}"
        return Skip(candidate=candidate, code="cooling", detail=detail)

    def _recorded(
        self, candidate: Candidate, reply: Reply, *, rule: str, waited: float, probe: bool, hurried: bool
    ) -> Attempt:
        verdict = None if reply.error is None else self._verdict(reply.error)
        last = self._attempts[-1].candidate if self._attempts else self._chosen
        attempt = Attempt(
            number=len(self._attempts) + 1,
            candidate=candidate,
            rule=rule,
            seconds=reply.seconds,
            waited=waited,
            kind=verdict and verdict.kind,
            reach=verdict and REACH[verdict.kind],
            told_by=verdict and verdict.told_by,
            error=reply.error,
            retry_after=verdict and verdict.retry_after,
            cooled=self._told_health(candidate, verdict, probe=probe, hurried=hurried),
            probe=probe,
            last_resort=self._forced,
            abandoned=reply.abandoned,
            switch=switch(last, candidate) if last and (self._attempts or last is not candidate) else None,
        )
        self._attempts.append(attempt)
        return attempt

    def _told_health(
        self, candidate: Candidate, verdict: Verdict | None, *, probe: bool, hurried: bool
    ) -> float | None:
        """Tell the health what a call said about its route; return the seconds it cools down for."""
        cooled = None
        if verdict is None:
            self._health.succeeded(*candidate.route)
        elif verdict.kind in COOLED and not hurried:
            whole = REACH[verdict.kind] == "vendor"
            cooled = self._health.failed(
                *candidate.route, whole_vendor=whole, reason=verdict.told_by, wait=verdict.retry_after
            )
        if probe:
            self._health.released(*candidate.route)
        return cooled

    def _hurried(self, reply: Reply, limit: float | None) -> bool:
        """Return whether a call was cut off by the walk's own deadline, which says nothing about the route."""
        own = self._policy.attempt_timeout
        return isinstance(reply.error, OutOfTime) and limit is not None and (own is None or limit < own)

    def _verdict(self, error: BaseException) -> Verdict:
        if isinstance(error, Misuse):
            return Verdict("request", str(error))
        reply = called(partial(self._classify, error))
        if reply.error is not None:
            return Verdict("unknown", f"classify raised {told(reply.error)}")
        return reply.value if _sound(reply.value) else Verdict("unknown", f"classify answered {shown(reply.value)}")

    def _ended_by(self, attempt: Attempt) -> str:
        if attempt.reach == "request":
            return "request"
        if attempt.kind is not None and not self._policy.may_fail_over(attempt.kind):
            return "scope"
        return ""

    def _pause(self, attempt: Attempt, retry: int) -> float | None:
        """Return the seconds to wait before the same route is called again; None when it is not.

        A probe is one call: when it fails, the route cools down for everybody, this walk included.
        """
        if attempt.kind not in RETRIED or attempt.probe or retry > self._policy.retries_per_route or self._limit():
            return None
        pause = max(self._policy.wait(retry, self._chance.random()), attempt.retry_after or 0.0)
        left = self._time_left()
        return pause if pause <= LONGEST_WAIT and (left is None or pause < left) else None

    def _after(self, attempt: Attempt) -> str:
        """Drop what the failure rules out, order the rest by the policy; return why the walk ends, '' if it goes on."""
        kept, dropped = self._spared(attempt)
        self._skipped += dropped
        self._follow(attempt.candidate, kept, attempt.kind)
        return self._limit() if self._rest else ""

    def _follow(self, left: Candidate, kept: list[Candidate], why: str | None) -> None:
        """Leave a candidate for those that the policy lets follow it, and skip the others."""
        following = self._policy.successors(self._chosen or left, left, kept)
        allowed = set(map(id, following))
        self._skipped += [
            Skip(candidate=other, code="policy", detail=f"{self._policy.strategy} does not go there")
            for other in kept
            if id(other) not in allowed
        ]
        self._rest, self._rule = following, f"{self._policy.strategy} after {why}"

    def _spared(self, attempt: Attempt) -> tuple[list[Candidate], list[Skip]]:
        window = self._window(attempt.candidate)
        kept, dropped = [], []
        for other in self._rest:
            skip = ruled_out(attempt, window, other, self._window(other))
            if skip is None:
                kept.append(other)
            else:
                dropped.append(skip)
        return kept, dropped

    def _window(self, candidate: Candidate) -> int | None:
        return self._windows.get(candidate.route, candidate.context)

    def _misfit(self, candidate: Candidate) -> Skip | None:
        if self._fits is None:
            return None
        reply = called(partial(self._fits, candidate))
        if reply.error is None:
            reply = called(partial(_measured, reply.value))
        if reply.error is not None:
            return Skip(candidate=candidate, code="fits_error", detail=f"fits raised {told(reply.error)}")
        needed, window = reply.value
        if window is not None and needed > window:
            return Skip(candidate=candidate, code="too_long", detail=f"{needed:,} tokens > {window:,}")
        self._windows[candidate.route] = candidate.context if window is None else window
        return None

    def _limit(self) -> str:
        """Return which limit forbids a further call, '' when none does."""
        if len(self._attempts) >= self._policy.max_attempts:
            return "max_attempts"
        left = self._time_left()
        return "deadline" if left is not None and left <= 0 else ""

    def _time_left(self, *, call: bool = False) -> float | None:
        """Return the seconds left until the deadline, of one call at most its own limit; None without a limit."""
        deadline = self._policy.deadline
        left = None if deadline is None else deadline - (self._clock() - self._started)
        own = self._policy.attempt_timeout if call else None
        known = [max(seconds, 0.0) for seconds in (left, own) if seconds is not None]
        return min(known, default=None)

    def _outcome(self, ended: str) -> Outcome:
        return Outcome(
            ok=ended == "success",
            value=self._value,
            ended=ended,
            attempts=tuple(self._attempts),
            skipped=tuple(self._skipped),
        )


def _measured(answer: Any) -> tuple[int, int | None]:
    needed, window = answer
    return operator.index(needed), None if window is None else operator.index(window)


def _sound(verdict: object) -> bool:
    """Return whether an answer of a caller's `classify` can be followed."""
    if not isinstance(verdict, Verdict):
        return False
    kind, told_by, wait = tuple[Any, ...](verdict)
    return kind in list(REACH) and isinstance(told_by, str) and (wait is None or is_seconds(wait))
