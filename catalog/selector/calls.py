"""Calls of other people's code: how long they took, what came back, whatever they did."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, NamedTuple

Clock = Callable[[], float]
"""Seconds that only go forward."""


GRACE = 0.2
"""Seconds a cancelled coroutine has to clean up before it counts as abandoned; one that obeys needs none of them."""


class Misuse(Exception):
    """The caller's own function is wrong, whatever it is called for: nothing else is worth a call."""


class OutOfTime(TimeoutError):
    """A call did not return within the seconds it had; it was cut off here and not by the vendor."""


class Reply(NamedTuple):
    """How a call went.

    Attributes:
        value: what it returned, None when it failed.
        error: what it raised, or `OutOfTime`; None when it returned.
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
        context = contextvars.copy_context()
        worker = threading.Thread(
            target=lambda: done.append(context.run(_tried, call, BaseException)), name="catalog-call", daemon=True
        )
        worker.start()
        worker.join(min(max(limit, 0.0), threading.TIMEOUT_MAX))
        if not done:
            return Reply(error=_too_slow(limit), seconds=clock() - started, abandoned=True)
        value, error = done[0]
    if error is not None and not isinstance(error, Exception):
        raise error
    if inspect.isawaitable(value):
        if isinstance(value, Coroutine):
            _tried(value.close)
        value, error = None, Misuse("a coroutine came back where a value is needed: use arun for coroutines")
    return Reply(value=value, error=error, seconds=clock() - started)


async def awaited(
    call: Callable[[], Awaitable[Any]], *, limit: float | None = None, clock: Clock = time.monotonic
) -> Reply:
    """Call a coroutine function; it is cancelled when its time is over, and left alone if it ignores that."""
    import asyncio

    started = clock()
    pending, error = _tried(call)
    if error is None and inspect.isawaitable(pending):
        pending, error = _tried(partial(asyncio.ensure_future, pending))
    if error is not None or not isinstance(pending, asyncio.Future):
        return Reply(value=pending, error=error, seconds=clock() - started)
    try:
        done, _ = await asyncio.wait({pending}, timeout=limit)
    except asyncio.CancelledError:
        await _stopped(pending)
        raise
    if not done:
        stopped = await _stopped(pending)
        return Reply(error=_too_slow(limit), seconds=clock() - started, abandoned=not stopped)
    if pending.cancelled():
        return Reply(error=RuntimeError("the call cancelled itself"), seconds=clock() - started)
    value, error = _tried(pending.result)
    return Reply(value=value, error=error, seconds=clock() - started)


async def _stopped(task: Any) -> bool:
    """Cancel a task; return whether it ended. Its result is taken, so that nobody complains it was never looked at."""
    import asyncio

    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=GRACE)
    return bool(done)


def _tried(call: Callable[[], Any], kind: type[BaseException] = Exception) -> tuple[Any, BaseException | None]:
    """Return what a call returns and None, or None and what it raised of a kind."""
    try:
        return call(), None
    except kind as error:
        return None, error


def told(error: BaseException | None) -> str:
    """Return the class of an exception and its first line; only the class where it cannot say what it is."""
    text, _ = _tried(lambda: str(error).strip().partition("\n")[0][:200])
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def shown(value: object) -> str:
    """Return how a value shows itself, shortened; its class where it cannot."""
    text, error = _tried(lambda: repr(value)[:200])
    return text if error is None else f"a {type(value).__name__}"


def _too_slow(seconds: float | None) -> OutOfTime:
    return OutOfTime(f"no answer within {seconds or 0:.3g} s")
