"""What other publishers say: one vote each. They never place a model, they only widen its interval or flag it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog.errors import GateError
from catalog.ranks.evidence import Evidence, Release, Score
from catalog.ranks.link import Link, read_left_out
from catalog.ranks.scale import FLOOR, Z90

CONFLICT_Z = 2.0
"""Standard errors apart at which two readings contradict each other (95 %)."""

LEAST_OBJECTORS = 2
"""Publishers on one side before a rank counts as in conflict: one alone may be the one that errs."""

Links = Callable[[str], Link]
"""Returns the link of a release by its key, or raises GateError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What a publisher's preferred release reads for a model, in ranks, with its standard error."""

    publisher: str
    release: str
    rank: float
    sigma: float
    score_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The half-width after the votes, and the flags they raised: confirmed, disputed or conflict."""

    half_width: float
    flags: tuple[str, ...]


def preferred(evidence: Evidence, releases: Sequence[str]) -> list[Release]:
    """Return releases in the type's fixed order: capability before sanity, then by preference, then by key."""
    known = [evidence.releases[key] for key in releases if key in evidence.releases]
    return sorted(known, key=lambda release: (release.role != "capability", release.preference, release.key))


def votes(
    evidence: Evidence, slug: str, own: Mapping[str, Score], *, publisher: str | None, links: Links
) -> tuple[Vote, ...]:
    """Return one vote per other publisher, ordered by publisher.

    A publisher speaks through its most preferred release that measured the model and whose anchors agree in order at
    all (τ > 0); how well they agree is in the vote's standard error.

    Args:
        own: the score that speaks for the model under each release.
        publisher: whose release placed the model; it has had its say.
    """
    found: dict[str, Vote] = {}
    for release in preferred(evidence, list(own)):
        if release.publisher == publisher or release.publisher in found or own[release.key].estimated:
            continue
        for vote in _vote(slug, own[release.key], links):
            found[release.publisher] = vote
    return tuple(found[name] for name in sorted(found))


def weigh(rank: float, half_width: float, cast: Sequence[Vote]) -> Verdict:
    """Return what the votes make of a rank.

    The votes' mean ȳ is weighted by 1/σ², with s̄ = (Σ 1/σ²)^−½. The rank is in *conflict* if |rank − ȳ| exceeds
    2 √(σ² + s̄²) and two publishers stand on that side; then σ becomes √(σ² + (rank − ȳ)²/4). It is *disputed* if single
    votes contradict it without that, and *confirmed* if there are votes and none contradicts it.
    """
    if not cast:
        return Verdict(half_width=half_width, flags=())
    sigma, (mean, error) = half_width / Z90, pooled(cast)
    side = math.copysign(1, mean - rank)
    objectors = sum((vote.rank - rank) * side > 0 for vote in cast)
    if abs(rank - mean) > CONFLICT_Z * math.hypot(sigma, error) and objectors >= LEAST_OBJECTORS:
        return Verdict(half_width=Z90 * math.hypot(sigma, (rank - mean) / 2), flags=("conflict",))
    contradicted = any(abs(vote.rank - rank) > CONFLICT_Z * math.hypot(sigma, vote.sigma) for vote in cast)
    return Verdict(half_width=half_width, flags=("disputed",) if contradicted else ("confirmed",))


def pooled(cast: Sequence[Vote]) -> tuple[float, float]:
    """Return the mean of the votes weighted by 1/σ², and its standard error."""
    weights = [vote.sigma**-2 for vote in cast]
    mean = sum(weight * vote.rank for weight, vote in zip(weights, cast, strict=True)) / sum(weights)
    return mean, sum(weights) ** -0.5


def _vote(slug: str, score: Score, links: Links) -> Iterator[Vote]:
    """Yield the vote of a release, or nothing when it has too few anchors or they do not agree at all."""
    try:
        link = links(score.release)
    except GateError:
        return
    if link.agreement > 0:
        reading = read_left_out(link, slug, score.value)
        yield Vote(
            publisher=link.release.publisher,
            release=score.release,
            rank=max(float(FLOOR), reading.rank),
            sigma=reading.sigma,
            score_id=score.id,
        )
