"""The audit's findings over a whole catalog, type by type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from catalog.connection import Rows
from catalog.log.replay import parsed
from catalog.ranks import load
from catalog.ranks.audit import Finding, check
from catalog.ranks.evidence import Evidence
from catalog.ranks.finding import ordered


def of(
    catalog: Rows, type_slug: str | None, *, today: str, stale_days: int, thresholds: Sequence[int]
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
        found += _moved_labels(catalog, evidence)
    return list(ordered(found))


def _moved_labels(catalog: Rows, evidence: Evidence) -> Iterator[Finding]:
    """Yield labels that were re-pointed to another model: scores under them count for that one now."""
    lines = catalog.rows("SELECT seq, at, before, after FROM change_log WHERE action = 'alias.edit' ORDER BY seq")
    for seq, at, before, after in lines:
        old, new = parsed(before), parsed(after)
        if old["model"] == new["model"] or new["model"] not in evidence.models:
            continue
        label, relied = f"{new['space']}:{new['label']}", _relies_on(evidence, old, new)
        yield Finding(
            code="label-moved",
            severity="warning" if relied else "info",
            models=(new["model"], old["model"]),
            message=f"{label} was re-pointed from {old['model']} to {new['model']} on {at[:10]}"
            + (f"; the rank of {old['model']} rests on its scores" if relied else ""),
            data={"label": label, "scope": new["scope"], "line": seq},
        )


def _relies_on(evidence: Evidence, old: dict[str, Any], new: dict[str, Any]) -> bool:
    model = evidence.models.get(old["model"])
    now_anothers = {score.id for score in evidence.scores if (score.model, score.label) == (new["model"], new["label"])}
    return model is not None and not now_anothers.isdisjoint(model.rank_scores)


def as_data(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain data."""
    return {
        "severity": finding.severity,
        "code": finding.code,
        "models": list(finding.models),
        "message": finding.message,
        "data": dict(finding.data),
    }
