"""The founding ranks of a scale: what evidence alone makes of the models of a type that has no anchors yet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache, partial

from catalog.errors import GateError
from catalog.ranks import gates, scale, votes
from catalog.ranks.evidence import Evidence, Model, Release, Score, spoken
from catalog.ranks.link import Link, link
from catalog.ranks.placement import LinksThrough, Placement, Working, place_by_links

Outcome = Placement | str
"""Where a model belongs, or why nothing can be said."""


def ranked_by_evidence(evidence: Evidence, models: Collection[Model]) -> dict[str, Outcome]:
    """Return, by slug, where each model's evidence puts it, or why that is refused; without a score there is no entry.

    A score under the reference release is read off the base map, measured or not. The measured ones are the anchors of
    every other release's link. A vote never counts the model's own rank.
    """
    own = spoken(evidence.scores)
    reference = evidence.releases.get(evidence.scale.reference or "")
    read = {} if reference is None else _read_off(evidence, reference, models, own)
    founded = _with_anchors(evidence, read)
    links = _shared_links(founded)
    outcomes: dict[str, Outcome] = {}
    for model in models:
        mine = own.get(model.slug, {})
        outcome = read.get(model.slug)
        if isinstance(outcome, Placement) and reference is not None:
            outcomes[model.slug] = _weighed(founded, outcome, mine, reference, links)
        elif outcome is not None:
            outcomes[model.slug] = outcome
        elif mine:
            outcomes[model.slug] = _linked(founded, model, mine, links)
    return outcomes


def _read_off(
    evidence: Evidence, reference: Release, models: Collection[Model], own: Mapping[str, Mapping[str, Score]]
) -> dict[str, Outcome]:
    """Return what the base map reads for every model the reference release scored."""
    found: dict[str, Outcome] = {}
    for model in models:
        score = own.get(model.slug, {}).get(reference.key)
        if score is not None:
            try:
                found[model.slug] = _founding(evidence, reference, model, score)
            except GateError as error:
                found[model.slug] = error.message
    return found


def _founding(evidence: Evidence, reference: Release, model: Model, score: Score) -> Placement:
    gates.check_release(reference)
    gates.check_score(reference, replace(score, estimated=False), model)
    ruler = evidence.scale
    point = scale.base_map(ruler, score.value)
    rank = scale.on_scale(ruler, scale.whole(point))
    half_width = scale.reference_half_width(ruler, reference, estimated=score.estimated)
    low, high = scale.interval(ruler, rank, half_width)
    raised = {"error-unstated": scale.error_unstated(ruler, reference), "estimated": score.estimated}
    return Placement(
        slug=model.slug,
        type=model.type,
        power_rank=rank,
        low=low,
        high=high,
        source=reference.index,
        index_version=reference.version,
        as_of=score.as_of,
        release=reference.key,
        method="base-map",
        measured=not score.estimated,
        flags=tuple(sorted(flag for flag, is_up in raised.items() if is_up)),
        scores=(score.id,),
        working=Working(point=point, half_width=half_width),
    )


def _with_anchors(evidence: Evidence, read: Mapping[str, Outcome]) -> Evidence:
    """Return the evidence as it will stand once what was read off the base map is locked."""
    models = dict(evidence.models)
    for slug, found in read.items():
        if isinstance(found, Placement) and found.measured:
            models[slug] = replace(
                models[slug],
                power_rank=found.power_rank,
                rank_release=found.release,
                rank_action="rebase",
                rank_measured=True,
            )
    return replace(evidence, models=models)


def _shared_links(evidence: Evidence) -> LinksThrough:
    """Return links that are fitted once, however many models ask; a refusal is remembered as well."""

    @cache
    def attempt(release: str) -> Link | GateError:
        try:
            return link(evidence, release)
        except GateError as error:
            return error

    def links(release: str, *, through: Collection[str]) -> Link:  # noqa: ARG001 - nothing has entered through any release yet
        found = attempt(release)
        if isinstance(found, GateError):
            raise found.with_traceback(None)
        return found

    return links


def _weighed(
    evidence: Evidence, found: Placement, own: Mapping[str, Score], reference: Release, links: LinksThrough
) -> Placement:
    """Return a rank of the base map after other publishers had their say."""
    assert found.working is not None
    heard = partial(links, through=tuple(own))
    cast = votes.votes(evidence, found.slug, own, publisher=reference.publisher, links=heard)
    verdict = votes.weigh(found.power_rank, found.working.half_width, cast)
    low, high = scale.interval(evidence.scale, found.power_rank, verdict.half_width)
    return replace(
        found,
        low=low,
        high=high,
        flags=tuple(sorted({*found.flags, *verdict.flags})),
        scores=(*found.scores, *(vote.score_id for vote in cast)),
        working=replace(found.working, votes=cast),
    )


def _linked(evidence: Evidence, model: Model, own: Mapping[str, Score], links: LinksThrough) -> Outcome:
    try:
        return place_by_links(evidence, model, own, links=links, extrapolate=True)
    except GateError as error:
        return error.message
