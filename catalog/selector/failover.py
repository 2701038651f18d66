"""Failover: walk a decision until one call succeeds, and keep a record of every step.

The walk is one generator that says what to do next (call, wait) and is told how it went; `run` and `arun` only carry
that out, so threads and coroutines behave alike. Unlike the predecessor's, it removes candidates from a list instead of
counting through one that shrinks (survivors were skipped), a failure has exactly one reach, and every cap is read.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from catalog.selector.calls import Reply, awaited, called
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.failures import classify
from catalog.selector.health import Health
from catalog.selector.outcome import Outcome
from catalog.selector.policy import Policy
from catalog.selector.walk import Classify, Fits, Steps, Wait, Walk


class Failover:
    """Calls the candidates of a decision in turn.

    Args:
        decision: what to walk; its candidates are called in its order until the policy says otherwise.
        policy: where to go after which failure.
        health: cool-downs shared with other calls; None is one of this object's own.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        decision: Decision,
        policy: Policy | None = None,
        *,
        health: Health | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._decision, self._policy = decision, policy or Policy()
        self._health, self._clock = health or Health(clock=clock), clock

    def run(
        self,
        call: Callable[[Candidate, float | None], Any],
        *,
        fits: Fits | None = None,
        classify: Classify = classify,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Outcome:
        """Call candidates until one call returns.

        Args:
            call: gets the candidate and the seconds left (None: no limit); it fails only by raising.
            fits: candidate → (tokens needed, window), asked before each call; a misfit is skipped, not called. A window
                of None is unknown and lets the call pass.
            classify: error → what it says.

        Returns:
            The outcome with every attempt and every skipped candidate; nothing is raised for a call that failed. An
            interrupt or exit goes through; a probe that it cut short is given back.
        """
        steps: Any = self._steps(fits, classify)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait):
                    sleep(step.seconds)
                    step = steps.send(Reply())
                else:
                    candidate, left = step
                    limit = left if self._policy.attempt_timeout is not None else None
                    step = steps.send(called(partial(call, candidate, left), limit=limit, clock=self._clock))
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        finally:
            steps.close()

    async def arun(
        self,
        call: Callable[[Candidate, float | None], Awaitable[Any]],
        *,
        fits: Fits | None = None,
        classify: Classify = classify,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> Outcome:
        """Do what `run` does with a coroutine; a call that exceeds its time is cancelled."""
        steps: Any = self._steps(fits, classify)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait):
                    await sleep(step.seconds)
                    step = steps.send(Reply())
                else:
                    candidate, left = step
                    step = steps.send(await awaited(partial(call, candidate, left), limit=left, clock=self._clock))
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        finally:
            steps.close()

    def _steps(self, fits: Fits | None, classify: Classify) -> Steps:
        return Walk(
            self._decision, policy=self._policy, health=self._health, clock=self._clock, fits=fits, classify=classify
        ).steps()
