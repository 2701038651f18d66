"""Plan the one-time move of a type onto its absolute scale: evidence first, ordinals only where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from catalog.canonical import dumps, sha256
from catalog.ranks import legacy, scale
from catalog.ranks.evidence import Evidence, Model, Scale
from catalog.ranks.founding import Outcome, ranked_by_evidence
from catalog.ranks.placement import Placement, Working, details

LEGACY_SOURCE = "MemberJunction legacy ordinal"
LEGACY_VERSION = "25bb295e"
LEGACY_AS_OF = "2026-10-05"
"""Where the legacy ordinals come from: the catalog they were read from, its commit, its date."""

MOVED_FAR = 25
"""Percent of the ladder a model may move before a person has to sign it off."""

_TOO_FEW = f"fewer than {legacy.LEAST_MODELS} models in service have both evidence and an ordinal"


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
        signoff: (slug, reason) of outliers, far moves, scores beyond the anchors and refused evidence, by slug.
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
    models = {slug: model for slug, model in sorted(evidence.models.items()) if model.power_rank is None}
    alone = [model for model in models.values() if model.same_weights_as is None]
    by_evidence = ranked_by_evidence(evidence, alone)
    ladder = legacy.ladder(_known(alone, by_evidence))
    outcomes = by_evidence | _by_ordinal(evidence.scale, alone, by_evidence, ladder)
    outcomes |= _by_sibling(models, outcomes)
    rows = _rows(models, outcomes, ladder)
    unranked = tuple((slug, found) for slug, found in sorted(outcomes.items()) if isinstance(found, str))
    return _hashed(evidence.scale, rows, unranked, _signoff(rows, by_evidence, ladder))


def _known(models: Sequence[Model], by_evidence: Mapping[str, Outcome]) -> dict[str, tuple[int, float, bool]]:
    """Return ordinal, rank and whether it is in service, of every model that has an ordinal and a rank by evidence."""
    return {
        model.slug: (model.legacy_ordinal, float(found.power_rank), model.status != "retired")
        for model in models
        if isinstance(found := by_evidence.get(model.slug), Placement) and model.legacy_ordinal is not None
    }


def _by_ordinal(
    ruler: Scale, models: Sequence[Model], by_evidence: Mapping[str, Outcome], ladder: legacy.Ladder | None
) -> dict[str, Outcome]:
    """Return what ordinals make of the models no evidence ranks."""
    ordinals = [model.legacy_ordinal for model in models if model.legacy_ordinal is not None]
    ends = (min(ordinals, default=0), max(ordinals, default=0))
    found: dict[str, Outcome] = {}
    for model in models:
        refused = by_evidence.get(model.slug)
        if isinstance(refused, Placement):
            continue
        if model.legacy_ordinal is None:
            found[model.slug] = refused or "it has neither a score nor a legacy ordinal"
        elif ruler.reference is None:
            level, half_width = scale.ordinal_map(ruler, model.legacy_ordinal, *ends), scale.ordinal_half_width(ruler)
            found[model.slug] = _legacy(
                ruler, model, level=level, half_width=half_width, method="legacy-ordinal", refused=refused
            )
        elif ladder is None:
            found[model.slug] = f"{refused}; {_TOO_FEW}" if refused else f"it has only a legacy ordinal; {_TOO_FEW}"
        else:
            level, half_width = legacy.predicted(ladder.levels, model.legacy_ordinal), ladder.half_width
            found[model.slug] = _legacy(
                ruler, model, level=level, half_width=half_width, method="legacy-interpolated", refused=refused
            )
    return found


def _legacy(
    ruler: Scale, model: Model, *, level: float, half_width: float, method: str, refused: str | None
) -> Placement:
    rank = scale.whole(level)
    low, high = scale.interval(ruler, rank, half_width)
    return Placement(
        slug=model.slug,
        type=model.type,
        power_rank=rank,
        low=low,
        high=high,
        source=LEGACY_SOURCE,
        index_version=LEGACY_VERSION,
        as_of=LEGACY_AS_OF,
        release=None,
        method=method,
        measured=False,
        flags=("fell-back", method) if refused else (method,),
        working=Working(point=level, half_width=half_width),
    )


def _by_sibling(models: Mapping[str, Model], outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return what models with the weights of another take over from it; a chain is followed to its end."""
    found: dict[str, Outcome] = {}
    for model in models.values():
        chain = [model.slug]
        while (onward := models[chain[-1]].same_weights_as) is not None and onward in models and onward not in chain:
            chain.append(onward)
        head = outcomes.get(chain[-1])
        if len(chain) > 1 and isinstance(head, Placement):
            found[model.slug] = _taken_over(model, head)
        elif model.same_weights_as is not None:
            found[model.slug] = f"it has the weights of {model.same_weights_as}, which is not ranked"
    return found


def _taken_over(model: Model, head: Placement) -> Placement:
    flags = tuple(sorted({*head.flags, "same-weights"} - {"tie"}))
    return replace(head, slug=model.slug, method="same-weights", flags=flags, neighbours=(head.slug, None), anchors=())


def _rows(
    models: Mapping[str, Model], outcomes: Mapping[str, Outcome], ladder: legacy.Ladder | None
) -> tuple[PlanRow, ...]:
    """Return the rows with what only the whole plan can tell: neighbours on the ladder, ties, outliers, moves."""
    placed = {slug: found for slug, found in outcomes.items() if isinstance(found, Placement)}
    ordinals = {slug: own for slug in placed if (own := models[slug].legacy_ordinal) is not None}
    moves = legacy.moved(ordinals, {slug: found.power_rank for slug, found in placed.items()})
    shared = Counter(found.power_rank for found in placed.values() if found.method != "same-weights")
    voided = set(legacy.outliers(ladder)) if ladder else set()
    beside = _beside(placed.values())
    rows = []
    for slug, found in placed.items():
        raised = {
            "moved-far": abs(moves.get(slug, 0)) > MOVED_FAR,
            "outlier": slug in voided,
            "tie": found.method != "same-weights" and shared[found.power_rank] > 1,
        }
        flags = tuple(sorted({*found.flags, *(flag for flag, is_up in raised.items() if is_up)}))
        neighbours = found.neighbours if found.anchors or found.method == "same-weights" else beside[found.power_rank]
        row = replace(found, flags=flags, neighbours=neighbours)
        rows.append(PlanRow(placement=row, legacy_ordinal=models[slug].legacy_ordinal, moved=_whole(moves.get(slug))))
    return tuple(sorted(rows, key=lambda row: (-row.placement.power_rank, row.placement.slug)))


def _whole(percent: float | None) -> int | None:
    return None if percent is None else round(percent)


def _beside(placed: Iterable[Placement]) -> dict[int, tuple[str | None, str | None]]:
    """Return, by rank, the first model of the next lower rank and of the next higher one."""
    first: dict[int, str] = {}
    for found in sorted(placed, key=lambda found: (found.power_rank, found.slug)):
        first.setdefault(found.power_rank, found.slug)
    ranks, slugs = list(first), [None, *first.values(), None]
    return {rank: (slugs[place], slugs[place + 2]) for place, rank in enumerate(ranks)}


def _signoff(
    rows: Sequence[PlanRow], by_evidence: Mapping[str, Outcome], ladder: legacy.Ladder | None
) -> tuple[tuple[str, str], ...]:
    """Return why a person should look at a row: void ordinal, far move, score beyond the anchors, refused evidence."""
    found = []
    for row in rows:
        placed, refused = row.placement, by_evidence.get(row.placement.slug)
        if ladder and "outlier" in placed.flags and placed.slug in ladder.residuals:
            miss = round(ladder.residuals[placed.slug])
            text = f"its evidence is {abs(miss)} ranks {'above' if miss > 0 else 'below'} what its ordinal predicts"
            found.append((placed.slug, f"outlier: {text}; the ordinal is void"))
        if "moved-far" in placed.flags:
            found.append((placed.slug, f"moved {row.moved:+d} % of the ladder"))
        if "extrapolated" in placed.flags:
            found.append((placed.slug, f"its score lies beyond the anchors of {placed.release}"))
        if isinstance(refused, str):
            found.append((placed.slug, f"ranked by its ordinal because its evidence was refused: {refused}"))
    return tuple(sorted(found))


def _hashed(
    ruler: Scale, rows: tuple[PlanRow, ...], unranked: tuple[tuple[str, str], ...], signoff: tuple[tuple[str, str], ...]
) -> RebasePlan:
    content = {
        "scale": [str(getattr(ruler, field.name)) for field in fields(ruler)],
        "rows": [_content(row) for row in rows],
        "unranked": [list(pair) for pair in unranked],
        "signoff": [list(pair) for pair in signoff],
    }
    digest = sha256(dumps(content))
    return RebasePlan(type=ruler.type, scale=ruler, rows=rows, unranked=unranked, signoff=signoff, hash=digest)


def _content(row: PlanRow) -> list[object]:
    """Return what a row says, as canonical JSON can hold it."""
    placed = row.placement
    ranked = [placed.slug, placed.power_rank, placed.low, placed.high, row.legacy_ordinal, row.moved]
    said = [placed.source, placed.index_version, placed.as_of, placed.method, placed.scores]
    anchors = " ".join(placed.anchors)  # in one text, for speed
    return [*ranked, *said, {**details(placed), "anchors": anchors}]
