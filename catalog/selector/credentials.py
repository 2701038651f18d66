"""Credentials: a caller's predicate, asked once a vendor, with whatever it does contained."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from catalog.selector.calls import called

PATIENCE = 5.0
"""Seconds a predicate may take for one vendor; it looks at a key, it does not call anybody."""


class Wrong(NamedTuple):
    """What is wrong with a vendor's credentials: a rejection code, and why nobody can tell."""

    code: str
    reason: str | None = None


def ask(predicate: Callable[[str], object], vendors: Iterable[str]) -> dict[str, Wrong | None]:
    """Return what is wrong with the credentials of each vendor, None where they are there.

    A predicate that raises, hangs or answers neither true nor false leaves its vendor out, with the reason; the
    others are asked all the same.
    """
    return {vendor: _asked(predicate, vendor) for vendor in vendors}


def _asked(predicate: Callable[[str], object], vendor: str) -> Wrong | None:
    reply = called(lambda: predicate(vendor), limit=PATIENCE)
    if reply.abandoned:
        return _unclear(f"no answer within {PATIENCE:g} s")
    if reply.error is not None:
        return _unclear(f"the predicate raised {type(reply.error).__name__}: {reply.error}")
    if not isinstance(reply.value, bool):
        return _unclear(f"the predicate answered {reply.value!r}, neither true nor false")
    return None if reply.value else Wrong("credentials")


def _unclear(reason: str) -> Wrong:
    return Wrong("credentials_error", reason)
