"""Plan the one-time move of a type onto its absolute scale: evidence first, legacy ordinals only where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog.ranks import legacy
from catalog.ranks.evidence import Evidence, Scale, Score
from catalog.ranks.placement import Placement

LEGACY_SOURCE = "MemberJunction legacy ordinal"
LEGACY_VERSION = "25bb295e"
LEGACY_AS_OF = "2026-10-05"
"""Where the legacy ordinals come from: the catalog they were read from, its commit, its date."""

MOVED_FAR = 25
"""Percent of the ladder a model may move before a person has to sign it off."""

Own = Mapping[str, Score]  # the score that speaks for one model, by release


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One model's rank to be.

    Attributes:
        moved: its place among the models with ordinal and rank, by rank minus by ordinal, in percent; None without an
            ordinal. The place is the share of models below it, those level with it counted half.
    """

    placement: Placement
    legacy_ordinal: int | None
    moved: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RebasePlan:
    """Everything a rebase of one type would write.

    Attributes:
        rows: by descending rank, then slug.
        unranked: (slug, reason) of every model that gets no rank, by slug.
        signoff: (slug, reason) of outliers, far moves and refused evidence, by slug: for a person to look at.
        hash: SHA-256 of the canonical JSON of everything above.
    """

    type: str
    scale: Scale
    rows: tuple[PlanRow, ...]
    unranked: tuple[tuple[str, str], ...]
    signoff: tuple[tuple[str, str], ...]
    hash: str


def plan(evidence: Evidence) -> RebasePlan:
    """Return the rebase of a type: the same evidence gives the same plan and hash, whatever its order.

    A model takes, in this turn, the rank of the model whose weights it has; what the base map reads off its reference
    score; where the link of its most preferred other release places it between those; what its legacy ordinal predicts.
    Other publishers widen or flag. Models that are ranked already are left alone.
    """
    models = {slug: evidence.models[slug] for slug in sorted(evidence.models)}
    waiting = [model for model in models.values() if model.power_rank is None and model.same_weights_as is None]
    ranked, refused = _by_evidence(evidence, waiting)
    ladder = legacy.ladder(_known(ranked, models))
    for model in waiting:
        if model.slug not in ranked and model.legacy_ordinal is not None:
            _by_ordinal(evidence, model, ladder, ranked, refused)
    unranked = {model.slug: refused.get(model.slug, _NOTHING) for model in waiting if model.slug not in ranked}
    _by_siblings(models, ranked, unranked)
    rows, signoff = _rows(models, ranked, ladder, refused)
    return _hashed(evidence.scale, rows, tuple(sorted(unranked.items())), signoff)


_NOTHING = "it has neither a score nor a legacy ordinal"
