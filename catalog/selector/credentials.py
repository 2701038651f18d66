"""Credentials: a caller's predicate, asked once a vendor, with whatever it does contained."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import NamedTuple

from catalog.selector.calls import shown, told

PATIENCE = 5.0
"""Seconds a predicate may take for one vendor; it looks at a key, it does not call anybody."""

Predicate = Callable[[str], object]


class Wrong(NamedTuple):
    """What is wrong with a vendor's credentials: a rejection code, and why nobody can tell."""

    code: str
    reason: str | None = None


def ask(predicate: Predicate, vendors: Iterable[str], *, patience: float = PATIENCE) -> dict[str, Wrong | None]:
    """Return what is wrong with the credentials of each vendor, None where they are there.

    A predicate that raises, hangs or answers neither true nor false leaves its vendor out, with the reason; the
    others are asked all the same. It runs in a worker thread, which is left alone when it hangs.

    Args:
        patience: seconds to wait for an answer; once one did not come, as long for all that are left.
    """
    found: dict[str, Wrong | None] = {}
    left, ends = list(vendors), None
    while left and (ends is None or time.monotonic() < ends):
        for answer in _answers(predicate, tuple(left), patience, ends):
            found[left.pop(0)] = answer
        ends = ends or time.monotonic() + patience
    return found | dict.fromkeys(left, _unclear("not asked: the predicate hung for other vendors"))


def _answers(
    predicate: Predicate, vendors: tuple[str, ...], patience: float, ends: float | None
) -> Iterator[Wrong | None]:
    """Yield answers in the order of the vendors, up to and including the first that does not come in time."""
    answers: SimpleQueue[Wrong | None] = SimpleQueue()
    given_up = Event()

    def work() -> None:
        for vendor in vendors:
            answers.put(_asked(predicate, vendor))
            if given_up.is_set():
                return

    Thread(target=copy_context().run, args=(work,), name="catalog-credentials", daemon=True).start()
    for _ in vendors:
        left = patience if ends is None else min(patience, ends - time.monotonic())
        try:
            yield answers.get(timeout=max(left, 0.0))
        except Empty:
            given_up.set()
            yield _unclear(f"no answer within {patience:g} s")
            return


def _asked(predicate: Predicate, vendor: str) -> Wrong | None:
    try:
        answer = predicate(vendor)
    except BaseException as error:  # an exit in the worker is an answer like another: nobody knows
        return _unclear(f"the predicate raised {told(error)}")
    if not isinstance(answer, bool):
        return _unclear(f"the predicate answered {shown(answer)}, neither true nor false")
    return None if answer else Wrong("credentials")


def _unclear(reason: str) -> Wrong:
    return Wrong("credentials_error", reason)
