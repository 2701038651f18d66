"""What a failure rules out besides its own route: the vendor's other offers, or windows that are no larger."""

from __future__ import annotations

from catalog.selector.candidates import Candidate
from catalog.selector.outcome import Attempt, Skip


def ruled_out(failed: Attempt, window: int | None, other: Candidate, own: int | None) -> Skip | None:
    """Return why another candidate need not be called after a failure, None where it may be.

    A content filter is the vendor's own, so it goes with the vendor.

    Args:
        window: tokens the failed candidate takes; own: those the other takes; None is unknown.
    """
    if failed.reach in ("vendor", "policy") and other.vendor == failed.candidate.vendor:
        return Skip(candidate=other, code="vendor", detail=f"{other.vendor} as a whole failed: {failed.kind}")
    if failed.reach != "overflow":
        return None
    if own is None:
        detail = "its window is unknown, and the prompt was too long"
        return Skip(candidate=other, code="window", detail=detail)
    if window is not None and own <= window:
        detail = f"its window {own:,} is no larger than the {window:,} of {failed.candidate.model.slug}"
        return Skip(candidate=other, code="window", detail=detail)
    return None
