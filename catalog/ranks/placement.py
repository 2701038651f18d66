"""Place a model between already-ranked ones, through the most preferred release that scored both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from catalog.errors import GateError, NotFoundError
from catalog.ranks import gates, order, scale, votes
from catalog.ranks.evidence import Evidence, Model, Score, oriented, spoken_of
from catalog.ranks.link import Link, link, read
from catalog.ranks.votes import Vote

_UNUSABLE = frozenset({"estimated", "role", "version", "anchors", "distinct", "order", "direction"})
"""Gates that say a release cannot place this model at all; a less preferred one may. Other gates refuse the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """How a placement came about, for people who ask why.

    Attributes:
        point: what curve, base map or ladder reads, before rounding and before the agreed order.
        half_width: of the 90 % interval there, before other publishers widened it.
        agreement: Kendall's τ of the anchors of a link.
        votes: what other publishers read.
        passed_over: (release, reason) of more preferred releases that could not place the model.
    """

    point: float
    half_width: float
    agreement: float | None = None
    votes: tuple[Vote, ...] = ()
    passed_over: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a model belongs, ready to be locked: rank, 90 % interval, provenance and reasons.

    Attributes:
        release: key of the release that placed it; None for a rank that no release gave.
        method: ``link``, ``base-map``, ``same-weights``, ``legacy-interpolated`` or ``legacy-ordinal``.
        measured: the rank rests on a measured score, so the model may become an anchor.
        flags: sorted; among confirmed, conflict, crossed, disputed, error-unstated, estimated, extrapolated,
            fell-back, legacy-interpolated, legacy-ordinal, moved-far, outlier, same-weights, tie.
        neighbours: slugs of the anchors just below (or at the same score) and just above.
        anchors: slugs that took part, at most 300, by ascending score.
        scores: ids of the scores used, the placing one first.
    """

    slug: str
    type: str
    power_rank: int
    low: int
    high: int
    source: str
    index_version: str
    as_of: str
    release: str | None
    method: str
    measured: bool
    flags: tuple[str, ...] = ()
    neighbours: tuple[str | None, str | None] = (None, None)
    anchors: tuple[str, ...] = ()
    scores: tuple[int, ...] = ()
    working: Working | None = None


class LinksThrough(Protocol):
    """Returns the link of a release for a model placed `through` a release, or raises GateError."""

    def __call__(self, release: str, *, through: Collection[str]) -> Link:
        """Return the link of a release by its key."""


def place(
    evidence: Evidence,
    slug: str,
    *,
    extrapolate: bool = False,
    today: str | None = None,
) -> Placement:
    """Return where a model belongs among the ranked models of its type. Its own rank, if it has one, has no say.

    Args:
        extrapolate: accept a score with too few anchors on one side of it.
        today: full ISO date; scores dated later are refused.

    Raises:
        NotFoundError: when the evidence does not know the model.
        GateError: when the evidence is not good enough; it names the gate and the numbers.
    """
    model = evidence.models.get(slug)
    if model is None:
        raise NotFoundError(f"there is no model {slug!r} of type {evidence.scale.type}")
    if model.same_weights_as is not None:
        return inherited(model, evidence.models.get(model.same_weights_as))
    return place_by_links(
        evidence,
        model,
        spoken_of(evidence, slug),
        links=partial(link, evidence, exclude=(slug,)),
        extrapolate=extrapolate,
        today=today,
    )


def place_by_links(
    evidence: Evidence,
    model: Model,
    own: Mapping[str, Score],
    *,
    links: LinksThrough,
    extrapolate: bool = False,
    today: str | None = None,
) -> Placement:
    """Return the placement of a model through the most preferred release that can place it.

    Args:
        own: the score that speaks for the model under each release.
        links: gives a release's link to a model placed `through` a release; the model must be no anchor of it.

    Raises:
        GateError: as `place`.
    """
    found, passed_over = _first_usable(evidence, model, own, links, today)
    release = found.release
    if not extrapolate:
        gates.check_sides(release, found.anchors, own[release.key])
    heard = partial(links, through=tuple(own))
    cast = votes.votes(evidence, model.slug, own, publisher=release.publisher, links=heard)
    return _placed(evidence, model, own[release.key], found, cast=cast, passed_over=passed_over)


def inherited(model: Model, sibling: Model | None) -> Placement:
    """Return the placement of a model that has another's weights: that one's rank, interval and provenance.

    Raises:
        GateError: gate ``same-weights``, when that model is not there or unranked.
    """
    if sibling is None or sibling.power_rank is None:
        raise GateError(
            f"{model.slug} has the weights of {model.same_weights_as}, which is not ranked",
            gate="same-weights",
            hint=f"Rank {model.same_weights_as} first.",
            data={"model": model.slug, "same_weights_as": model.same_weights_as},
        )
    return Placement(
        slug=model.slug,
        type=model.type,
        power_rank=sibling.power_rank,
        low=sibling.low or sibling.power_rank,
        high=sibling.high or sibling.power_rank,
        source=sibling.source or "",
        index_version=sibling.index_version or "",
        as_of=sibling.as_of or "",
        release=sibling.rank_release,
        method="same-weights",
        measured=sibling.rank_measured,
        flags=("same-weights",),
        neighbours=(sibling.slug, None),
        scores=sibling.rank_scores,
    )


def details(placement: Placement) -> dict[str, Any]:
    """Return how a placement came about as plain data, the way its rank line keeps it; numbers are decimal text."""
    working, (below, above) = placement.working, placement.neighbours
    found: dict[str, Any] = {
        "release": placement.release,
        "measured": placement.measured,
        "flags": list(placement.flags),
        "neighbours": {"below": below, "above": above},
        "anchors": list(placement.anchors),
    }
    if working is None:
        return found
    votes_cast = [
        {"publisher": vote.publisher, "release": vote.release, "rank": f"{vote.rank:.1f}", "sigma": f"{vote.sigma:.1f}"}
        for vote in working.votes
    ]
    return found | {
        "point": f"{working.point:.1f}",
        "half_width": f"{working.half_width:.1f}",
        "agreement": None if working.agreement is None else f"{working.agreement:.2f}",
        "votes": votes_cast,
        "passed_over": [{"release": release, "reason": reason} for release, reason in working.passed_over],
    }


def straddled(low: int, high: int, thresholds: Sequence[int]) -> tuple[int, ...]:
    """Return the thresholds t with low < t ≤ high: at its low end the model fails them, at its high end not."""
    return tuple(sorted(threshold for threshold in thresholds if low < threshold <= high))


def _first_usable(
    evidence: Evidence, model: Model, own: Mapping[str, Score], links: LinksThrough, today: str | None
) -> tuple[Link, tuple[tuple[str, str], ...]]:
    """Return the link of the most preferred release that can place a model, and what was passed over before it."""
    refusals: list[tuple[str, GateError]] = []
    for release in votes.preferred(evidence, list(own)):
        try:
            gates.check_release(release)
            gates.check_score(release, own[release.key], model, today=today)
            found = links(release.key, through=tuple(own))
            gates.check_agreement(release, found.anchors, found.agreement)
        except GateError as error:
            if error.gate not in _UNUSABLE:
                raise
            refusals.append((release.key, error))
        else:
            return found, tuple((key, error.message) for key, error in refusals)
    if refusals:
        raise refusals[0][1]
    raise GateError(
        f"{model.slug} has no score",
        gate="evidence",
        hint="Add one: catalog score add RELEASE=VALUE.",
        data={"model": model.slug},
    )


def _placed(
    evidence: Evidence,
    model: Model,
    score: Score,
    found: Link,
    *,
    cast: tuple[Vote, ...],
    passed_over: tuple[tuple[str, str], ...],
) -> Placement:
    at = oriented(found.release, score.value)
    reading = read(found, score.value)
    rank = scale.on_scale(evidence.scale, order.held(scale.whole(reading.rank), *order.bounds(found.order, at)))
    verdict = votes.weigh(rank, reading.half_width, cast)
    low, high = scale.interval(evidence.scale, rank, verdict.half_width)
    below, above = order.neighbours(found.anchors, at)
    beside = (below.rank if below else rank, above.rank if above else rank)
    raised = {
        "crossed": not beside[0] <= rank <= beside[1],
        "error-unstated": scale.error_unstated(evidence.scale, found.release),
        "extrapolated": reading.extrapolated,
        "fell-back": bool(passed_over),
        "tie": rank in {anchor.rank for anchor in (below, above) if anchor is not None},
    }
    return Placement(
        slug=model.slug,
        type=model.type,
        power_rank=rank,
        low=low,
        high=high,
        source=found.release.index,
        index_version=found.release.version,
        as_of=score.as_of,
        release=found.release.key,
        method="link",
        measured=True,
        flags=tuple(sorted({*verdict.flags, *(flag for flag, is_up in raised.items() if is_up)})),
        neighbours=(below.slug if below else None, above.slug if above else None),
        anchors=tuple(anchor.slug for anchor in order.involved(found.anchors, found.fitted, at)),
        scores=(score.id, *(vote.score_id for vote in cast)),
        working=Working(
            point=reading.rank,
            half_width=reading.half_width,
            agreement=found.agreement,
            votes=cast,
            passed_over=passed_over,
        ),
    )
