"""Calls of other people's code: how long they took, what came back, whatever they did."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

Clock = Callable[[], float]
"""Seconds that only go forward."""


class Misuse(Exception):
    """The caller's own function is wrong, whatever it is called for: nothing else is worth a call."""


class Reply(NamedTuple):
    """How a call went.

    Attributes:
        value: what it returned, None when it failed.
        error: what it raised, or a TimeoutError when it did not return in time; None when it returned.
        seconds: how long it took.
        abandoned: it did not return in time; its thread, or a task that ignores its cancellation, may still run.
    """

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0
    abandoned: bool = False


def called(call: Callable[[], Any], *, limit: float | None = None, clock: Clock = time.monotonic) -> Reply:
    """Call a function: in this thread, or in a worker where it has a limit.

    Args:
        limit: seconds it may take. A worker that takes longer is left alone: Python cannot stop it.

    Returns:
        The reply; an interrupt or exit goes through as it is.
    """
    started = clock()
    if limit is None:
        value, error = _tried(call)
    else:
        done: list[tuple[Any, BaseException | None]] = []
        worker = threading.Thread(
            target=lambda: done.append(_tried(call, BaseException)), name="catalog-call", daemon=True
        )
        worker.start()
        worker.join(max(limit, 0.0))
        if not done:
            return Reply(error=_too_slow(limit), seconds=clock() - started, abandoned=True)
        value, error = done[0]
    if error is not None and not isinstance(error, Exception):
        raise error
    if inspect.isawaitable(value):
        getattr(value, "close", lambda: None)()
        value, error = None, Misuse("the call returned a coroutine: use arun for coroutines")
    return Reply(value=value, error=error, seconds=clock() - started)


async def awaited(
    call: Callable[[], Awaitable[Any]], *, limit: float | None = None, clock: Clock = time.monotonic
) -> Reply:
    """Call a coroutine function; it is cancelled when its time is over, and not waited for if it ignores that."""
    import asyncio

    started = clock()
    pending, error = _tried(call)
    if error is not None or not inspect.isawaitable(pending):
        return Reply(value=pending, error=error, seconds=clock() - started)
    task = asyncio.ensure_future(pending)
    try:
        done, _ = await asyncio.wait({task}, timeout=limit)
    except BaseException:
        task.cancel()
        raise
    if not done:
        task.add_done_callback(_heard)
        task.cancel()
        return Reply(error=_too_slow(limit), seconds=clock() - started, abandoned=True)
    if task.cancelled():
        return Reply(error=RuntimeError("the call cancelled itself"), seconds=clock() - started)
    value, error = _tried(task.result)
    return Reply(value=value, error=error, seconds=clock() - started)


def _tried(call: Callable[[], Any], kind: type[BaseException] = Exception) -> tuple[Any, BaseException | None]:
    """Return what a call returns and None, or None and what it raised of a kind."""
    try:
        return call(), None
    except kind as error:
        return None, error


def _heard(task: Any) -> None:
    """Take the result of an abandoned task, so that nobody complains of an exception that was never looked at."""
    if not task.cancelled():
        task.exception()


def _too_slow(seconds: float | None) -> TimeoutError:
    return TimeoutError(f"no answer within {seconds or 0:.3g} s")
