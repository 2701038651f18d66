"""Findings about what a rank rests on: version, date, effort, measured or not, and how far the interval reaches."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from catalog.log import facts
from catalog.ranks.evidence import Evidence, Model, Release, Score, oriented, speaking_scores, speaks_before
from catalog.ranks.finding import Finding
from catalog.ranks.gates import version_stated
from catalog.ranks.placement import straddled

_ORDERED_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Efforts that say more or less; ``default``, ``reasoning`` and ``unstated`` cannot be compared with them."""


def findings(evidence: Evidence, *, today: str, stale_days: int, thresholds: Sequence[int]) -> Iterator[Finding]:
    """Yield every finding about releases, ranks and the scores they rest on."""
    yield from _unstated_versions(evidence)
    spoken = {key: speaking_scores(evidence.scores, key) for key in sorted(evidence.releases)}
    current = [evidence.releases[key] for key, scores in spoken.items() if scores]
    for slug in sorted(evidence.models):
        model = evidence.models[slug]
        if model.power_rank is None:
            yield from _unranked(model)
            continue
        yield from _version_missing(model)
        yield from _not_measured(model)
        yield from _stale(current, model, today, stale_days)
        yield from _straddles(model, thresholds)
        yield from _newer_score(model, spoken)
        yield from _effort_mismatch(evidence, model, spoken)
    yield from _effort_order(evidence)


def _unstated_versions(evidence: Evidence) -> Iterator[Finding]:
    counts: dict[str, int] = {}
    for score in evidence.scores:
        counts[score.release] = counts.get(score.release, 0) + 1
    for key, release in sorted(evidence.releases.items()):
        if not version_stated(release) and key in counts:
            trusted = release.role == "capability"
            yield Finding(
                code="version-unstated",
                severity="warning" if trusted else "info",
                models=(),
                message=f"nobody states the version of {key}; its {counts[key]} scores "
                + ("must not count as capability evidence" if trusted else "only widen and flag"),
                data={"release": key, "scores": counts[key], "role": release.role},
            )


def _unranked(model: Model) -> Iterator[Finding]:
    if model.status != "retired":
        yield _about(model, "unranked", "info", f"{model.slug} has no rank and passes no threshold")


def _version_missing(model: Model) -> Iterator[Finding]:
    missing = [name for name in ("source", "index_version", "as_of") if not (getattr(model, name) or "").strip()]
    if missing:
        message = f"{model.slug} is ranked {model.power_rank} without {', '.join(missing)}"
        yield _about(model, "version-missing", "error", message, missing=missing)
    elif not facts.version_stated(model.index_version or ""):
        message = f"{model.slug} is ranked by {model.source} in a version nobody states"
        yield _about(model, "version-missing", "warning", message, missing=["index_version"])


def _not_measured(model: Model) -> Iterator[Finding]:
    if model.rank_measured:
        return
    if (model.rank_method or "").startswith("legacy-"):
        message = f"{model.slug} ({model.low}–{model.high}) rests on a legacy ordinal alone; score it"
        yield _about(model, "legacy-only", "info", message, ordinal=model.legacy_ordinal)
    elif model.rank_release is not None:
        message = f"{model.slug} rests on an estimate of {model.rank_release}, not on a measurement"
        yield _about(model, "estimated-evidence", "info", message, release=model.rank_release)


def _stale(current: Sequence[Release], model: Model, today: str, stale_days: int) -> Iterator[Finding]:
    """Yield a rank whose as-of is older than allowed although a newer release scored models of the type."""
    try:
        age = (dt.date.fromisoformat(today) - dt.date.fromisoformat(model.as_of or "")).days
    except ValueError:
        return
    newer = [release for release in current if _published_after(release, model.as_of or "")]
    if age > stale_days and newer and model.status != "retired":
        keys = sorted(release.key for release in newer)
        message = f"{model.slug} rests on evidence {age} days old; newer: {', '.join(keys)}"
        yield _about(model, "stale", "warning", message, as_of=model.as_of, age=age, newer=keys)


def _published_after(release: Release, as_of: str) -> bool:
    return release.role == "capability" and (release.published or "") > as_of[: len(release.published or "")]


def _straddles(model: Model, thresholds: Sequence[int]) -> Iterator[Finding]:
    found = straddled(model.low or 0, model.high or 0, thresholds)
    if found and model.status != "retired":
        said = ", ".join(map(str, found))
        message = f"{model.slug} ({model.power_rank}, {model.low}–{model.high}) straddles the threshold {said}"
        yield _about(model, "straddles", "info", message, thresholds=list(found), low=model.low, high=model.high)


def _newer_score(model: Model, spoken: dict[str, dict[str, Score]]) -> Iterator[Finding]:
    """Yield a rank whose own release has said something since: a re-published, measured or higher-effort score."""
    score = spoken.get(model.rank_release or "", {}).get(model.slug)
    if score is not None and score.as_of > (model.as_of or "") and not score.estimated:
        message = (
            f"{score.release} scored {model.slug} anew on {score.as_of}: {score.value:g} at effort {score.effort}; "
            f"the rank is as of {model.as_of}"
        )
        yield _about(model, "newer-score", "info", message, score=score.id, release=score.release, as_of=score.as_of)


def _effort_mismatch(evidence: Evidence, model: Model, spoken: dict[str, dict[str, Score]]) -> Iterator[Finding]:
    """Yield a model whose rank rests on another effort than the one by which a capability release links it."""
    own = spoken.get(model.rank_release or "", {}).get(model.slug)
    if own is None or own.effort not in _ORDERED_EFFORTS:
        return
    for key, scores in spoken.items():
        other = scores.get(model.slug)
        if other is None or key == model.rank_release or evidence.releases[key].role != "capability":
            continue
        if other.effort in _ORDERED_EFFORTS and other.effort != own.effort and not other.estimated:
            message = f"{model.slug} is ranked at effort {own.effort} ({own.release}) but {key} measured {other.effort}"
            yield _about(model, "effort-mismatch", "info", message, efforts=[own.effort, other.effort], release=key)


def _effort_order(evidence: Evidence) -> Iterator[Finding]:
    """Yield, per model and release, a lower effort that scored higher; if one of the two is a conversion, say so."""
    by_label: dict[tuple[str, str, str], Score] = {}
    for score in evidence.scores:
        if score.effort in _ORDERED_EFFORTS and score.release in evidence.releases:
            key = (score.model, score.release, score.effort)
            if key not in by_label or speaks_before(score) > speaks_before(by_label[key]):
                by_label[key] = score
    groups: dict[tuple[str, str], list[Score]] = {}
    for (model, release, _), score in sorted(by_label.items()):
        groups.setdefault((model, release), []).append(score)
    for (model, release), scores in groups.items():
        scores.sort(key=lambda score: _ORDERED_EFFORTS.index(score.effort))
        for place, higher in enumerate(scores):
            for lower in scores[:place]:
                yield from _upside_down(evidence.releases[release], model, lower, higher)


def _upside_down(release: Release, model: str, lower: Score, higher: Score) -> Iterator[Finding]:
    if oriented(release, lower.value) <= oriented(release, higher.value):
        return
    said = f"{release.key} has {model} at {lower.effort} {lower.value:g} above {higher.effort} {higher.value:g}"
    data = {"release": release.key, "scores": [lower.id, higher.id], "efforts": [lower.effort, higher.effort]}
    if lower.estimated != higher.estimated:
        soft, hard = (lower, higher) if lower.estimated else (higher, lower)
        message = f"{said}: {soft.effort} is a conversion, {hard.effort} was measured; no inversion"
        yield Finding(code="estimated-vs-measured", severity="info", models=(model,), message=message, data=data)
    else:
        yield Finding(code="effort-order", severity="info", models=(model,), message=said, data=data)


def _about(model: Model, code: str, severity: str, message: str, **data: object) -> Finding:
    return Finding(
        code=code, severity=severity, models=(model.slug,), message=message, data={"rank": model.power_rank, **data}
    )
