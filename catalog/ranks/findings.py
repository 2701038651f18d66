"""The audit's findings over a whole catalog, type by type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog.ranks import load
from catalog.ranks.audit import Finding, check


def of(
    catalog: load.Rows, type_slug: str | None, *, today: str, stale_days: int, thresholds: Sequence[int]
) -> list[Finding]:
    """Return the findings of one type, or of all, gravest first.

    Args:
        today: the date stale ranks are measured against, YYYY-MM-DD.
        stale_days: age in days after which an as-of is stale where a newer release exists.
        thresholds: ranks at which callers switch behaviour.
    """
    chosen = [type_slug] if type_slug else load.types(catalog)
    found: list[Finding] = []
    for slug in chosen:
        evidence = load.evidence(catalog, slug)
        found += check(evidence, today=today, stale_days=stale_days, thresholds=tuple(thresholds))
    return found


def as_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data."""
    return {
        "severity": finding.severity,
        "code": finding.code,
        "models": list(finding.models),
        "message": finding.message,
        "data": dict(finding.data),
    }
