"""Health: which routes are cooling down after failures, shared by every call of a process.

A failed route is left alone for a while; when the while is over, one caller at a time may try it (half-open), and the
outcome decides for all. The predecessor's half-open state let every caller through.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Literal, NamedTuple

COOL_DOWN = 30.0
"""Seconds a route rests after its first failure; each probe that fails doubles them. Calls that were under way when it
failed, and fail too, do not: ten callers of one outage tell of one outage."""

VENDOR_COOL_DOWN = 300.0
"""Seconds a vendor rests whose key or credit was refused: people repair that, not time."""

LONGEST = 900.0
"""Seconds no cool-down exceeds, however often a route failed, unless the vendor asks for more."""

LONGEST_ASKED = 86_400.0
"""Seconds a route rests at most because its vendor asked for it (Retry-After): a quota of a day."""

PROBE = 120.0
"""Seconds a half-open probe may take before another caller may try."""

Admission = Literal["closed", "probe"]


class Place(NamedTuple):
    """What cools down: one offer (model and vendor), or a whole vendor (model '')."""

    model: str
    vendor: str


@dataclass(frozen=True, slots=True)
class Cooling:
    """A frozen view of what was cooling down: place → (seconds left, why). Seconds of 0 mean a probe is under way."""

    places: Mapping[Place, tuple[float, str]]

    def of(self, model: str, vendor: str) -> tuple[float, str] | None:
        """Return seconds left and reason for a route, None when it may be used."""
        return max((self.places[place] for place in _places(model, vendor) if place in self.places), default=None)

    def to_data(self) -> list[dict[str, Any]]:
        """Return the view as plain data, in order."""
        return [
            {"model": place.model or None, "vendor": place.vendor, "seconds": round(seconds, 3), "reason": reason}
            for place, (seconds, reason) in sorted(self.places.items())
        ]


@dataclass(slots=True)
class _State:
    failures: int
    until: float
    reason: str
    probe_until: float = 0.0


class Health:
    """Cool-downs of offers and vendors, in memory, safe for threads and coroutines (no call waits inside the lock).

    Args:
        clock: seconds that only go forward.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._states: dict[Place, _State] = {}

    def cooling(self) -> Cooling:
        """Return what is cooling down right now, for a request."""
        with self._lock:
            now = self._clock()
            blocked = {
                place: (max(state.until - now, 0.0), state.reason)
                for place, state in self._states.items()
                if state.until > now or state.probe_until > now
            }
        return Cooling(blocked)

    def admit(self, model: str, vendor: str) -> Admission | None:
        """Return whether a call may go to a route now: freely, as the one probe, or not at all (None).

        Who is admitted as a probe must tell `succeeded` or `released`, the latter also after `failed`.
        """
        with self._lock:
            now = self._clock()
            states = [self._states[place] for place in _places(model, vendor) if place in self._states]
            if any(state.until > now or state.probe_until > now for state in states):
                return None
            for state in states:
                state.probe_until = now + PROBE
            return "probe" if states else "closed"

    def failed(self, model: str, vendor: str, *, whole_vendor: bool, reason: str, wait: float | None = None) -> float:
        """Let a route, or its whole vendor, cool down; return for how many seconds.

        Args:
            reason: what failed, for the decisions that leave the route out.
            wait: seconds the vendor asked for (Retry-After), if it did.
        """
        place = Place("" if whole_vendor else model, vendor)
        with self._lock:
            now = self._clock()
            state = self._states.setdefault(place, _State(0, now, reason))
            if state.until <= now:
                state.failures += 1
            base = VENDOR_COOL_DOWN if whole_vendor else COOL_DOWN
            rest = min(base * float(2 ** min(state.failures - 1, 16)), LONGEST)
            seconds = max(rest, min(wait or 0.0, LONGEST_ASKED), state.until - now)
            state.until, state.reason = now + seconds, reason
            return seconds

    def succeeded(self, model: str, vendor: str) -> None:
        """Forget the failures of a route and of its vendor."""
        with self._lock:
            for place in _places(model, vendor):
                self._states.pop(place, None)

    def released(self, model: str, vendor: str) -> None:
        """Give a probe back that did not succeed; only whoever holds the probe may."""
        with self._lock:
            for place in _places(model, vendor):
                if place in self._states:
                    self._states[place].probe_until = 0.0


def _places(model: str, vendor: str) -> tuple[Place, Place]:
    return Place(model, vendor), Place("", vendor)
