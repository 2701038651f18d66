"""The pool: several candidates at once, in groups, with a limit on how many and how long.

Every task carries its own candidate, so that its prompt can be rendered for its own model. A group runs only when the
groups before it left nothing to choose.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any, NamedTuple

from catalog.errors import UsageError, nearest
from catalog.selector.calls import Reply, awaited, called, shown, told
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.policy import is_seconds

AT_ONCE = 5
"""Tasks that run at the same time unless the caller says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How one task ended.

    Attributes:
        number: place of the task in the pool, from 1; group: place of its group, from 1.
        candidate: what was called.
        ok: whether the call returned; ``value`` is what, ``error`` why not.
        seconds: how long it took.
        abandoned: it did not return in time; its thread, or a task that ignores its cancellation, may still run.
    """

    number: int
    group: int
    candidate: Candidate
    ok: bool
    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0
    abandoned: bool = False


Choose = Callable[[Sequence[Result]], Result | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOutcome:
    """What a pool brought.

    Attributes:
        chosen: the result ``choose`` picked, None when it picked none.
        results: every task that ran, in the order of the tasks; failures are kept beside successes.
        not_started: candidates of groups that were not needed.
        choose_error: why ``choose`` could not be followed, in words; None when it could.
    """

    chosen: Result | None
    results: tuple[Result, ...]
    not_started: tuple[Candidate, ...]
    choose_error: str | None = None


def first_success(results: Sequence[Result]) -> Result | None:
    """Return the first task, in the order of the tasks, that returned."""
    return next((result for result in results if result.ok), None)


class Pool:
    """Tasks for several candidates.

    Args:
        groups: candidates of each group, in order; see `of_count` and `of_counts`.
        at_once: most tasks that run at the same time; a call that was abandoned no longer counts.
        timeout: seconds for one task; None is no limit.
        clock: seconds that only go forward.

    Raises:
        UsageError: for no task, or a limit that is none.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Candidate]],
        *,
        at_once: int = AT_ONCE,
        timeout: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        _counted("at_once", at_once)
        if timeout is not None and not (is_seconds(timeout) and timeout > 0):
            raise UsageError(f"timeout {timeout!r} is no number of seconds", hint="Leave it out for no limit.")
        self._groups = [tuple(group) for group in groups if group]
        if not self._groups:
            raise UsageError("the pool has no task", hint="The decision may be empty: look at its rejections.")
        self._at_once, self._timeout, self._clock = at_once, timeout, clock

    @classmethod
    def of_count(cls, decision: Decision, count: int, **limits: Any) -> Pool:
        """Return a pool of ``count`` tasks in one group: the best offer of each model in turn, over and over."""
        _counted("count", count)
        return cls([tuple(islice(cycle(_best_offers(decision).values()), count))], **limits)

    @classmethod
    def of_counts(cls, decision: Decision, *groups: Mapping[str, int], **limits: Any) -> Pool:
        """Return a pool with so many tasks for each model; several mappings are groups in order.

        Raises:
            UsageError: for a model that is no candidate of the decision, or a number that is none.
        """
        best = _best_offers(decision)
        for slug, count in (item for group in groups for item in group.items()):
            _counted(f"count of {slug}", count)
            if slug not in best:
                raise UsageError(
                    f"{slug!r} is no candidate of the decision",
                    hint=nearest(slug, best, otherwise="Its rejections say why."),
                )
        return cls([[best[slug] for slug, count in group.items() for _ in range(count)] for group in groups], **limits)

    def run(self, call: Callable[[Candidate, float | None], Any], *, choose: Choose = first_success) -> PoolOutcome:
        """Run the tasks in threads until ``choose`` picks a result after a group.

        Args:
            call: gets the candidate and the seconds it has; it fails only by raising.
            choose: results so far, in the order of the tasks → the one to take, None for none.
        """
        results: list[Result] = []
        for group in self._numbered():
            results += self._together(call, group)
            picked = self._picked(choose, results)
            if picked is not None:
                return picked
        return PoolOutcome(chosen=None, results=tuple(results), not_started=())

    async def arun(
        self, call: Callable[[Candidate, float | None], Awaitable[Any]], *, choose: Choose = first_success
    ) -> PoolOutcome:
        """Do what `run` does with coroutines; a task that exceeds its time is cancelled."""
        results: list[Result] = []
        for group in self._numbered():
            gate = asyncio.Semaphore(self._at_once)
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._awaited(call, gate, task)) for task in group]
            results += [task.result() for task in running]
            picked = self._picked(choose, results)
            if picked is not None:
                return picked
        return PoolOutcome(chosen=None, results=tuple(results), not_started=())

    def _numbered(self) -> Iterator[list[_Task]]:
        number = 0
        for place, group in enumerate(self._groups, 1):
            yield [_Task(number + step, place, candidate) for step, candidate in enumerate(group, 1)]
            number += len(group)

    def _picked(self, choose: Choose, results: Sequence[Result]) -> PoolOutcome | None:
        """Return the outcome when ``choose`` picks a result, or when it cannot be followed."""
        reply = called(partial(choose, tuple(results)))
        chosen: Any = reply.value
        wrong = None
        if reply.error is not None:
            wrong = f"choose raised {told(reply.error)}"
        elif chosen is None:
            return None
        elif not any(chosen is result for result in results):
            chosen, wrong = None, f"choose answered {shown(chosen)}, which is none of the results"
        elif not chosen.ok:
            chosen, wrong = None, f"choose answered task {chosen.number}, which failed"
        left = tuple(candidate for group in self._groups[results[-1].group :] for candidate in group)
        return PoolOutcome(chosen=chosen, results=tuple(results), not_started=left, choose_error=wrong)

    def _together(self, call: Callable[[Candidate, float | None], Any], group: Sequence[_Task]) -> list[Result]:
        waiting, done = deque(group), dict[int, Result]()

        def work() -> None:
            while True:
                try:
                    task = waiting.popleft()
                except IndexError:
                    return
                done[task.number] = _result(task, self._contained(call, task))

        workers = [
            threading.Thread(target=copy_context().run, args=(work,), name="catalog-pool", daemon=True)
            for _ in range(min(self._at_once, len(group)))
        ]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        finally:
            waiting.clear()  # interrupted: what has not begun must not begin in the background
        return [done[task.number] for task in group]

    def _contained(self, call: Callable[[Candidate, float | None], Any], task: _Task) -> Reply:
        """Return the reply of a task; an exit in a worker ends that task and not the pool."""
        try:
            return called(partial(call, task.candidate, self._timeout), limit=self._timeout, clock=self._clock)
        except BaseException as error:
            return Reply(error=error)

    async def _awaited(
        self, call: Callable[[Candidate, float | None], Awaitable[Any]], gate: Any, task: _Task
    ) -> Result:
        async with gate:
            reply = await awaited(partial(call, task.candidate, self._timeout), limit=self._timeout, clock=self._clock)
        return _result(task, reply)


class _Task(NamedTuple):
    number: int
    group: int
    candidate: Candidate


def _result(task: _Task, reply: Reply) -> Result:
    return Result(
        number=task.number,
        group=task.group,
        candidate=task.candidate,
        ok=reply.error is None,
        value=reply.value,
        error=reply.error,
        seconds=reply.seconds,
        abandoned=reply.abandoned,
    )


def _counted(name: str, value: Any) -> None:
    if value.__class__ is not int or value < 1:
        raise UsageError(f"{name} {value!r} is no whole number of at least 1")


def _best_offers(decision: Decision) -> dict[str, Candidate]:
    """Return the first candidate of each model, in the decision's order."""
    best: dict[str, Candidate] = {}
    for candidate in decision.candidates:
        best.setdefault(candidate.model.slug, candidate)
    return best
