"""Credentials: a caller's predicate, asked once a vendor, with whatever it does contained."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from catalog.selector.calls import called

PATIENCE = 5.0
"""Seconds a predicate may take for one vendor; it looks at a key, it does not call anybody."""


def ask(predicate: Callable[[str], object], vendors: Iterable[str]) -> dict[str, str | None]:
    """Return what is wrong with the credentials of each vendor: None nothing, '' there are none, else why nobody knows.

    A predicate that raises, hangs or answers neither true nor false leaves its vendor out, with the reason; the
    others are asked all the same.
    """
    return {vendor: _asked(predicate, vendor) for vendor in vendors}


def _asked(predicate: Callable[[str], object], vendor: str) -> str | None:
    reply = called(lambda: predicate(vendor), limit=PATIENCE)
    if reply.abandoned:
        return f"no answer within {PATIENCE:g} s"
    if reply.error is not None:
        return f"the predicate raised {type(reply.error).__name__}: {reply.error}"
    if not isinstance(reply.value, bool):
        return f"the predicate answered {reply.value!r}, neither true nor false"
    return None if reply.value else ""
