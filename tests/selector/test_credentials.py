"""A predicate that hangs."""

from __future__ import annotations

import contextvars
import threading
import time

from catalog.selector.credentials import Wrong, ask


def test_a_hanging_answer_costs_its_vendor_and_no_other() -> None:
    """The vendor is left out with the reason; those after it are asked all the same."""
    gate = threading.Event()
    asked: list[str] = []

    def predicate(vendor: str) -> bool:
        asked.append(vendor)
        if vendor == "b":
            gate.wait(5)
        return vendor != "c"

    found = ask(predicate, ["a", "b", "c", "d"], patience=0.05)
    gate.set()
    assert found == {
        "a": None,
        "b": Wrong("credentials_error", "no answer within 0.05 s"),
        "c": Wrong("credentials"),
        "d": None,
    }
    assert asked == ["a", "b", "c", "d"]


def test_a_predicate_that_always_hangs_has_an_end() -> None:
    """Once an answer did not come, all that are left together have as long again; who is not asked is told so."""
    gate = threading.Event()
    asked: list[str] = []
    started = time.monotonic()

    def predicate(vendor: str) -> bool:
        asked.append(vendor)
        return gate.wait(5)

    found = ask(predicate, [f"v{number}" for number in range(40)], patience=0.05)
    assert time.monotonic() - started < 1
    gate.set()
    reasons = [wrong.reason for wrong in found.values() if wrong]
    assert len(reasons) == 40
    assert set(reasons) == {"no answer within 0.05 s", "not asked: the predicate hung for other vendors"}
    assert len(asked) < 5


def test_slow_answers_are_all_heard() -> None:
    """A predicate that takes its time for every vendor, and less than the patience, loses none."""

    def predicate(_: str) -> bool:
        time.sleep(0.02)
        return True

    found = ask(predicate, [f"v{number}" for number in range(10)], patience=0.1)
    assert set(found.values()) == {None}


def test_a_predicate_sees_the_context_of_its_caller() -> None:
    """What the caller set for itself (a tenant, a trace) holds in the worker."""
    tenant = contextvars.ContextVar("tenant", default="nobody")
    tenant.set("ann")
    assert ask(lambda _: tenant.get() == "ann", ["v"]) == {"v": None}
