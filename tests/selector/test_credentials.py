"""A predicate that hangs."""

from __future__ import annotations

import threading

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
