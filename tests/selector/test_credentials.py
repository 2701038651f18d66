"""A predicate that hangs."""

from __future__ import annotations

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
        "b": Wrong("credentials_error", "no answer in time (0.05 s)"),
        "c": Wrong("credentials"),
        "d": None,
    }
    assert asked == ["a", "b", "c", "d"]


def test_all_answers_together_have_an_end() -> None:
    """A predicate that hangs for every vendor costs twice the patience, not once a vendor."""
    gate = threading.Event()
    started = time.monotonic()
    found = ask(lambda _: gate.wait(5), [f"v{number}" for number in range(40)], patience=0.05)
    gate.set()
    assert time.monotonic() - started < 1
    assert set(found.values()) == {Wrong("credentials_error", "no answer in time (0.05 s)")}
