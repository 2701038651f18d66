"""What is known about the models of one type: the scale, the releases, the models and the scores. Plain frozen values.

Scores are evidence for a rank, never the rank. Decimal strings become floats when this is loaded; a lower-is-better
release is turned round once, by `oriented`, and everything behind it reads higher as better.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from catalog.log.facts import EFFORTS

_EFFORT_RANK = {effort: place for place, effort in enumerate(EFFORTS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A type's ruler: the reference release and the two (score, rank) points of the base map, frozen as numbers.

    `score_low` is the score that reads `rank_low`; under a lower-is-better reference it is the larger number.
    A type without an index (policy ``legacy-ordinal``) has no reference and no scores: its ordinals map to the ranks.
    """

    type: str
    reference: str | None = None
    score_low: float | None = None
    rank_low: int = 0
    score_high: float | None = None
    rank_high: int = 1000
    max_rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One version of one external evaluation, with its patch and setting; `published` has its true precision.

    `standard_error` is that of its scores, in score points, as the publisher states it; None where nobody does.
    """

    key: str
    type: str
    index: str
    version: str
    publisher: str
    higher_is_better: bool = True
    minimum: float | None = None
    maximum: float | None = None
    standard_error: float | None = None
    role: str = "capability"
    preference: int = 1
    published: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What one release says of one label on one date; `model` is the slug its exact alias owns."""

    id: int
    release: str
    label: str
    model: str
    effort: str
    value: float
    as_of: str
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One build of one model, with the rank its newest rank line gave it (all rank fields None while unranked)."""

    slug: str
    type: str
    name: str
    status: str = "active"
    legacy_ordinal: int | None = None
    prior: str | None = None
    same_weights_as: str | None = None
    released: str | None = None
    build: str | None = None
    power_rank: int | None = None
    low: int | None = None
    high: int | None = None
    source: str | None = None
    index_version: str | None = None
    as_of: str | None = None
    rank_release: str | None = None
    rank_action: str | None = None
    rank_method: str | None = None
    rank_measured: bool = False
    rank_scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a placement, a rebase or an audit of one type may look at."""

    scale: Scale
    releases: Mapping[str, Release]
    models: Mapping[str, Model]
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A locked model seen through one release: `score` is oriented (higher is better), `rank` is its PowerRank."""

    slug: str
    score: float
    rank: int
    score_id: int


def oriented(release: Release, value: float) -> float:
    """Return a raw value so that higher is better: the one place where a lower-is-better release is turned round."""
    return value if release.higher_is_better else -value


def speaks_before(score: Score) -> tuple[bool, int, str, int]:
    """Return the sort key by which the largest score of a model under a release speaks for it.

    Measured before estimated, then the highest effort, then the newest as-of, then the newest row.
    """
    return (not score.estimated, _EFFORT_RANK.get(score.effort, -1), score.as_of, score.id)


def spoken(scores: Iterable[Score]) -> dict[str, dict[str, Score]]:
    """Return, by model and by release, the one score that speaks for the model there."""
    found: dict[str, dict[str, Score]] = {}
    for score in scores:
        own = found.setdefault(score.model, {})
        rival = own.get(score.release)
        if rival is None or speaks_before(score) > speaks_before(rival):
            own[score.release] = score
    return found


def spoken_of(evidence: Evidence, slug: str) -> dict[str, Score]:
    """Return, by release, the score that speaks for one model."""
    return spoken(score for score in evidence.scores if score.model == slug).get(slug, {})


def speaking_scores(scores: Iterable[Score], release: str) -> dict[str, Score]:
    """Return, by model slug, the one score that speaks for each model under a release."""
    return {slug: own[release] for slug, own in spoken(s for s in scores if s.release == release).items()}


def anchors(evidence: Evidence, release: str, *, exclude: Collection[str] = ()) -> tuple[Anchor, ...]:
    """Return the anchors under a release, by ascending score.

    An anchor is a locked, non-retired model with a measured rank and a measured score under the release, whose rank
    line does not itself come from that release; `rebase` lines of the reference release are the only exception.

    Args:
        release: the key of the release that links the newcomer to the anchors.
        exclude: slugs that must not be anchors, such as the model being placed.
    """
    if release not in evidence.releases:
        return ()
    found = [
        _anchor(evidence, model, score)
        for slug, score in speaking_scores(evidence.scores, release).items()
        if (model := evidence.models.get(slug)) is not None and slug not in exclude
        if not score.estimated and _may_anchor(evidence.scale, model, release)
    ]
    return tuple(sorted(found, key=lambda anchor: (anchor.score, anchor.rank, anchor.slug)))


def _may_anchor(scale: Scale, model: Model, release: str) -> bool:
    if model.power_rank is None or model.status == "retired" or not model.rank_measured:
        return False
    if model.rank_method == "same-weights" and model.rank_action != "rebase":
        return False  # its rank is another's, so its own score says nothing new about the scale
    if model.rank_release != release:
        return True
    return release == scale.reference and model.rank_action == "rebase"


def _anchor(evidence: Evidence, model: Model, score: Score) -> Anchor:
    assert model.power_rank is not None
    value = oriented(evidence.releases[score.release], score.value)
    return Anchor(slug=model.slug, score=value, rank=model.power_rank, score_id=score.id)
