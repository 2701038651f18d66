"""Health: routes rest after failures, one caller probes them, and what a call says changes what all others do."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from catalog.selector.health import COOL_DOWN, LONGEST, PROBE, VENDOR_COOL_DOWN, Health, Place


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock of this test's own."""
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    """A health in which nothing failed yet."""
    return Health(clock=clock)


def fail(
    health: Health, model: str = "a", vendor: str = "x", *, whole: bool = False, wait: float | None = None
) -> float:
    """Tell of one failure."""
    return health.failed(model, vendor, whole_vendor=whole, reason="status 503", wait=wait)


def test_a_failed_route_rests(health: Health, clock: Clock) -> None:
    """A failure closes its route to everybody and no other route, and the view says for how long and why."""
    assert health.admit("a", "x") == "closed"
    assert fail(health) == COOL_DOWN
    clock.now += 10
    assert health.admit("a", "x") is None
    assert health.admit("a", "y") == health.admit("b", "x") == "closed"
    view = health.cooling()
    assert view.of("a", "x") == (20.0, "status 503")
    assert view.of("b", "x") is view.of("a", "y") is None
    assert view.to_data() == [{"model": "a", "vendor": "x", "seconds": 20.0, "reason": "status 503"}]


def test_a_failed_vendor_rests_as_a_whole(health: Health, clock: Clock) -> None:
    """A refused key closes every model of the vendor, and the longer of two cool-downs is told."""
    assert fail(health, whole=True) == VENDOR_COOL_DOWN
    fail(health)
    assert health.admit("b", "x") is None
    assert health.cooling().of("a", "x") == (VENDOR_COOL_DOWN, "status 503")
    assert set(health.cooling().places) == {Place("", "x"), Place("a", "x")}
    clock.now += VENDOR_COOL_DOWN
    assert health.admit("b", "x") == "probe"
    assert health.admit("a", "x") is None, "one probe for the whole vendor"


def test_one_caller_probes(health: Health, clock: Clock) -> None:
    """When the rest is over one caller is let through, and nobody else until it tells how it went.

    The predecessor's half-open state let every caller through.
    """
    fail(health)
    clock.now += COOL_DOWN
    assert [health.admit("a", "x") for _ in range(3)] == ["probe", None, None]
    assert health.cooling().of("a", "x") == (0.0, "status 503")
    health.released("a", "x")
    assert [health.admit("a", "x") for _ in range(2)] == ["probe", None]
    health.succeeded("a", "x")
    assert [health.admit("a", "x") for _ in range(2)] == ["closed", "closed"]


class SlowlyCompared(float):
    """Seconds whose comparison lets other threads run, so that what looks first and takes later is caught."""

    def __lt__(self, other: float) -> bool:
        time.sleep(0.001)
        return float(self) < other


def test_many_threads_get_one_probe(clock: Clock) -> None:
    """Threads that ask at the same moment get one probe between them."""
    health = Health(clock=lambda: SlowlyCompared(clock.now))
    fail(health)
    clock.now += COOL_DOWN
    gate = threading.Barrier(16)

    def ask(_: int) -> str | None:
        gate.wait()
        return health.admit("a", "x")

    with ThreadPoolExecutor(16) as threads:
        assert sorted(map(str, threads.map(ask, range(16)))) == ["None"] * 15 + ["probe"]


def test_a_probe_that_never_tells_is_replaced(health: Health, clock: Clock) -> None:
    """A caller that is gone keeps the route closed for a while and not for good."""
    fail(health)
    clock.now += COOL_DOWN
    assert health.admit("a", "x") == "probe"
    clock.now += PROBE - 1
    assert health.admit("a", "x") is None
    clock.now += 1
    assert health.admit("a", "x") == "probe"


def test_failed_probes_double_the_rest(health: Health, clock: Clock) -> None:
    """Each probe that fails doubles the rest, up to a limit; a success starts over."""
    rests = []
    for _ in range(7):
        rests.append(fail(health))
        health.released("a", "x")
        clock.now += rests[-1]
        assert health.admit("a", "x") == "probe"
    assert rests == [30.0, 60.0, 120.0, 240.0, 480.0, LONGEST, LONGEST]
    health.succeeded("a", "x")
    assert fail(health) == COOL_DOWN


def test_one_outage_is_counted_once(health: Health, clock: Clock) -> None:
    """Ten calls that were under way when a route failed do not make its rest longer than one does."""
    assert [fail(health) for _ in range(10)] == [COOL_DOWN] * 10
    clock.now += COOL_DOWN
    assert fail(health) == 2 * COOL_DOWN


def test_a_call_that_holds_no_probe_takes_none_away(health: Health, clock: Clock) -> None:
    """A call that was under way since before the outage fails; the probe of another caller stays the only one."""
    fail(health, whole=True)
    clock.now += VENDOR_COOL_DOWN
    assert health.admit("b", "x") == "probe"
    fail(health, "a")
    assert health.admit("b", "x") is None


def test_a_vendor_may_ask_for_longer(health: Health) -> None:
    """A Retry-After lengthens the rest, even past the usual limit, and never shortens it."""
    assert fail(health, wait=5.0) == COOL_DOWN
    assert fail(health, wait=2 * LONGEST) == 2 * LONGEST
    assert fail(health, wait=None) == 2 * LONGEST


def test_a_success_forgets_route_and_vendor(health: Health) -> None:
    """A call that returned proves key, credit and route, so nothing of them rests any longer."""
    fail(health)
    fail(health, whole=True)
    fail(health, "b")
    health.succeeded("a", "x")
    assert health.admit("a", "x") == "closed"
    assert health.admit("b", "x") is None


def test_a_view_is_frozen(health: Health) -> None:
    """A view that a request was given does not change when routes fail later."""
    before = health.cooling()
    fail(health)
    assert before.places == {}
