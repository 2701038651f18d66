"""Check the ranks of a type against their evidence. Reads, computes, tells; changes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.ranks import contradiction, identity, provenance
from catalog.ranks.evidence import Evidence
from catalog.ranks.finding import Finding, ordered

__all__ = ["Finding", "check"]


def check(evidence: Evidence, *, today: str, stale_days: int, thresholds: Sequence[int]) -> tuple[Finding, ...]:
    """Return everything about the ranks of a type that deserves a second look, gravest first.

    Codes, by module (`label-moved`, which needs the log, is told by `findings`). `contradiction`: contradicted,
    estimated-vs-measured, inversion. `identity`: duplicate, lineage, same-weights-apart. `provenance`: effort-mismatch,
    effort-order, estimated-evidence, legacy-only, newer-score, stale, straddles, unranked, version-missing,
    version-unstated.

    Args:
        today: full ISO date; the only clock there is.
        stale_days: age in days after which an as-of is stale where a newer release exists.
        thresholds: ranks at which callers switch behaviour.
    """
    return ordered(
        [
            *contradiction.findings(evidence),
            *identity.findings(evidence),
            *provenance.findings(evidence, today=today, stale_days=stale_days, thresholds=thresholds),
        ]
    )
