"""The pool: several candidates at once, in groups, bounded, with every result kept."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from catalog.errors import UsageError
from catalog.selector.candidates import Candidate
from catalog.selector.pool import Pool, PoolOutcome, Result
from tests.selector.sample import decided, model, offer

DECISION = decided(model("a", 300, offer("x", priority=2), "y"), model("b", 200, "x"), model("c", 100, "z"))


def answer(candidate: Candidate, _: float | None) -> str:
    """Answer, but for model a, which fails."""
    if candidate.model.slug == "a":
        raise ConnectionResetError("reset")
    return f"{candidate.model.slug} by {candidate.vendor}"


def ran(pool: Pool, call: Callable[[Candidate, float | None], Any] = answer, **options: Any) -> PoolOutcome:
    """Run a pool with threads and with coroutines; the same comes of it, and it is returned."""

    async def later(candidate: Candidate, left: float | None) -> object:
        return call(candidate, left)

    ends = [pool.run(call, **options), asyncio.run(pool.arun(later, **options))]
    assert told(ends[0]) == told(ends[1])
    return ends[0]


def told(outcome: PoolOutcome) -> Any:
    """Return all that an outcome says, but for durations."""
    results = [(one.number, one.group, one.candidate, one.ok, one.value, str(one.error)) for one in outcome.results]
    number = outcome.chosen and outcome.chosen.number
    return number, results, outcome.not_started, outcome.choose_error


def test_a_count_takes_the_models_in_turn() -> None:
    """n tasks go round the models of the decision, each by its best offer, as the predecessor's static count did."""
    outcome = ran(Pool.of_count(DECISION, 5))
    assert [result.candidate.route for result in outcome.results] == [
        ("a", "x"),
        ("b", "x"),
        ("c", "z"),
        ("a", "x"),
        ("b", "x"),
    ]
    assert [(result.number, result.group) for result in outcome.results] == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]


def test_partial_results_are_kept() -> None:
    """A task that fails stays beside those that returned, and the first that returned is chosen."""
    outcome = ran(Pool.of_count(DECISION, 3))
    assert [result.ok for result in outcome.results] == [False, True, True]
    assert [result.value for result in outcome.results] == [None, "b by x", "c by z"]
    assert isinstance(outcome.results[0].error, ConnectionResetError)
    assert (outcome.chosen, outcome.choose_error) == (outcome.results[1], None)


def test_first_is_the_first_of_the_tasks_and_not_of_the_clock() -> None:
    """Which task is the first success does not depend on who was faster."""
    late = threading.Event()

    def call(candidate: Candidate, _: float | None) -> str:
        if candidate.model.slug == "a":
            late.wait(5)
        else:
            late.set()
        return candidate.model.slug

    chosen = Pool.of_count(DECISION, 2).run(call).chosen
    assert chosen is not None
    assert chosen.value == "a"


def test_groups_come_in_order_and_only_when_needed() -> None:
    """A group runs when those before it left nothing to choose; what was not needed is told and was not called."""
    pool = Pool.of_counts(DECISION, {"a": 2}, {"c": 1, "b": 1}, {"a": 1})
    called: list[str] = []

    def call(candidate: Candidate, left: float | None) -> str:
        called.append(candidate.model.slug)
        return answer(candidate, left)

    outcome = pool.run(call)
    assert (called[:2], sorted(called[2:])) == (["a", "a"], ["b", "c"])
    assert [(result.number, result.group) for result in outcome.results] == [(1, 1), (2, 1), (3, 2), (4, 2)]
    assert outcome.chosen is outcome.results[2]
    assert [candidate.route for candidate in outcome.not_started] == [("a", "x")]
    assert told(ran(pool)) == told(outcome)


def test_nothing_to_choose_is_an_outcome() -> None:
    """When every task fails nothing is chosen, nothing is raised and every failure is there."""
    outcome = ran(Pool.of_counts(DECISION, {"a": 1}, {"a": 1}))
    assert (outcome.chosen, outcome.not_started, outcome.choose_error) == (None, (), None)
    assert [result.ok for result in outcome.results] == [False, False]


def test_a_choice_of_ones_own_sees_all_results_so_far() -> None:
    """``choose`` gets the results of all groups so far, in order, and may want more."""
    seen: list[int] = []

    def longest(results: Sequence[Result]) -> Result | None:
        seen.append(len(results))
        return results[0] if len(results) > 2 else None

    outcome = Pool.of_counts(DECISION, {"b": 1}, {"c": 2}, {"b": 9}).run(answer, choose=longest)
    assert (seen, outcome.chosen) == ([1, 3], outcome.results[0])
    assert len(outcome.not_started) == 9


class Unspeakable:
    """An answer that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


async def _later(results: Sequence[Result]) -> Result:
    return results[0]


@pytest.mark.parametrize(
    ("choose", "reason"),
    [
        (lambda _: 1 / 0, "choose raised ZeroDivisionError: division by zero"),
        (lambda _: "b", "choose answered 'b', which is none of the results"),
        (lambda _: Unspeakable(), "choose answered a Unspeakable, which is none of the results"),
        (lambda results: next(one for one in results if not one.ok), "choose answered task 1, which failed"),
        (_later, "choose raised Misuse: a coroutine came back"),
    ],
)
def test_a_choice_that_is_wrong_is_contained(choose: Any, reason: str) -> None:
    """A ``choose`` that raises, or picks nothing that returned, ends the pool with the reason and all results."""
    outcome = ran(Pool.of_counts(DECISION, {"a": 1, "b": 1}, {"c": 1}), choose=choose)
    assert outcome.chosen is None
    assert reason in str(outcome.choose_error)
    assert (len(outcome.results), len(outcome.not_started)) == (2, 1)


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_run_at_once_than_allowed(at_once: int) -> None:
    """So many tasks run at the same time, and no more, with threads as with coroutines."""
    pool = Pool.of_count(DECISION, 9, at_once=at_once)
    together, most, lock, full = [0], [0], threading.Lock(), threading.Barrier(at_once, timeout=5)

    def enter() -> None:
        with lock:
            together[0] += 1
            most[0] = max(most[0], together[0])

    def call(*_: object) -> None:
        enter()
        full.wait()
        with lock:
            together[0] -= 1

    async def later(*_: object) -> None:
        enter()
        await asyncio.sleep(0)
        together[0] -= 1

    pool.run(call)
    assert most == [at_once]
    most[0] = 0
    asyncio.run(pool.arun(later))
    assert most == [at_once]


def test_a_slow_task_is_left_behind() -> None:
    """A task beyond its own timeout is told as abandoned, frees its place, and the others are kept."""
    free = threading.Event()

    def call(candidate: Candidate, left: float | None) -> str:
        if candidate.model.slug == "a":
            free.wait(5)
        return f"in {left}"

    outcome = Pool.of_count(DECISION, 3, timeout=0.02, at_once=1).run(call)
    free.set()
    assert [(result.ok, result.abandoned) for result in outcome.results] == [
        (False, True),
        (True, False),
        (True, False),
    ]
    assert isinstance(outcome.results[0].error, TimeoutError)
    assert outcome.results[1].value == "in 0.02"


def test_a_slow_coroutine_is_cancelled() -> None:
    """A coroutine beyond its own timeout is cancelled; waiting for a place is not held against it."""
    cleaned: list[str] = []

    async def call(candidate: Candidate, _: float | None) -> str:
        if candidate.model.slug != "a":
            return "answer"
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("a")
        return "never"

    outcome = asyncio.run(Pool.of_count(DECISION, 5, timeout=0.02, at_once=1).arun(call))
    assert [result.ok for result in outcome.results] == [False, True, True, False, True]
    assert [result.abandoned for result in outcome.results] == [False] * 5
    assert cleaned == ["a", "a"]


def test_a_coroutine_given_to_threads_is_told_and_closed() -> None:
    """A coroutine function given to ``run`` is no success, and the result says what to use instead."""

    async def later(*_: object) -> str:
        return "answer"

    outcome = Pool.of_count(DECISION, 2).run(later)
    assert outcome.chosen is None
    assert ["use arun" in str(result.error) for result in outcome.results] == [True, True]


def test_an_exit_in_a_worker_ends_its_task_only() -> None:
    """A call that exits its thread is a failed task; the others are kept."""

    def call(candidate: Candidate, _: float | None) -> str:
        if candidate.model.slug == "a":
            raise SystemExit(3)
        return "answer"

    outcome = Pool.of_count(DECISION, 3).run(call)
    assert [result.ok for result in outcome.results] == [False, True, True]
    assert isinstance(outcome.results[0].error, SystemExit)


def test_an_interrupt_starts_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the caller is interrupted, tasks that wait for a place are not begun behind its back."""
    begun, free = [0], threading.Event()

    def call(*_: object) -> None:
        begun[0] += 1
        free.wait(5)

    def interrupted(_: threading.Thread, timeout: float | None = None) -> None:
        del timeout
        raise KeyboardInterrupt

    before = threading.active_count()
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "join", interrupted)
        Pool.of_count(DECISION, 50, at_once=2).run(call)
    free.set()
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.001)
    assert begun[0] <= 2


def test_a_cancelled_pool_cancels_its_tasks() -> None:
    """Cancelling the task of a pool cancels every call of it."""
    seen: list[str] = []

    async def hang(*_: object) -> None:
        seen.append("called")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cleaned up")

    async def main() -> None:
        task = asyncio.create_task(Pool.of_count(DECISION, 9, at_once=2).arun(hang))
        while len(seen) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["called", "called", "cleaned up", "cleaned up"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pool.of_count(DECISION, 0), "count 0"),
        (lambda: Pool.of_count(DECISION, True), "count True"),
        (lambda: Pool.of_count(decided(model("a", 1, "x"), min_power=2), 3), "the pool has no task"),
        (lambda: Pool.of_counts(DECISION), "the pool has no task"),
        (lambda: Pool.of_counts(DECISION, {"a": -1}), "count of a -1"),
        (lambda: Pool.of_counts(DECISION, {"a": "2"}), "count of a '2'"),  # type: ignore[dict-item]
        (lambda: Pool.of_counts(DECISION, {"d": 1}), "'d' is no candidate"),
        (lambda: Pool.of_count(DECISION, 1, at_once=0), "at_once 0"),
        (lambda: Pool.of_count(DECISION, 1, at_once=2.0), "at_once 2.0"),
        (lambda: Pool.of_count(DECISION, 1, timeout=0), "timeout 0"),
        (lambda: Pool.of_count(DECISION, 1, timeout="5"), "timeout '5'"),
        (lambda: Pool.of_count(DECISION, 1, timeout=float("inf")), "timeout inf"),
    ],
)
def test_a_pool_that_is_none_is_refused(make: Callable[[], Pool], message: str) -> None:
    """A pool without tasks, a number that is none and a model that is no candidate are refused by name and value."""
    with pytest.raises(UsageError, match=message):
        make()
