"""Ranks that evidence contradicts: newer readings of other publishers, and pairs that publishers order the other way.

A model's own rank never speaks for itself: where it is an anchor of a link, the curve without it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, median

from catalog.errors import GateError
from catalog.ranks.curve import LEAST_HALF_WIDTH
from catalog.ranks.evidence import Evidence, Model, Score, speaking_scores
from catalog.ranks.finding import Finding
from catalog.ranks.legacy import MAD_TO_SIGMA
from catalog.ranks.link import Link, link, read_left_out
from catalog.ranks.scale import FLOOR, Z90, sigma_of
from catalog.ranks.votes import CONFLICT_Z, preferred

FALSE_DISCOVERIES = 0.05
"""Share of the contradictions told that may be chance (Benjamini and Hochberg 1995); untamed, |z| > 2 cries 1 in 22."""

LEAST_PUBLISHERS = 2
"""Publishers that must agree before a rank is in doubt; one alone may be the one that errs."""

GRAVE_Z = 3.0
"""Pooled standard errors at which a contradicted rank is called wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """What a publisher reads for a model through its most preferred release: a rank and its standard error."""

    publisher: str
    score: Score
    rank: float
    sigma: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A locked rank against one publisher: z = (rank − reading) / √(σ² of the reading + σ² of the rank)."""

    model: Model
    voice: Voice
    z: float


def findings(evidence: Evidence) -> Iterator[Finding]:
    """Yield contradicted ranks, and inversions or what explains them."""
    voices = _voices(evidence)
    yield from _contradicted(evidence, voices)
    yield from _inversions(evidence, voices)


def significant(p_values: Sequence[float], share: float = FALSE_DISCOVERIES) -> float:
    """Return the largest p-value Benjamini and Hochberg's procedure rejects, 0 when it rejects none."""
    ranked = sorted(p_values)
    return max((p for k, p in enumerate(ranked, start=1) if p <= share * k / len(ranked)), default=0.0)


def _voices(evidence: Evidence) -> dict[str, dict[str, Voice]]:
    """Return, by model and publisher, what each publisher reads through its most preferred release."""
    found: dict[str, dict[str, Voice]] = {}
    for release in preferred(evidence, list(evidence.releases)):
        through = _sound_link(evidence, release.key)
        if through is None:
            continue
        sigma = _spread(through)
        for slug, score in speaking_scores(evidence.scores, release.key).items():
            mine = found.setdefault(slug, {})
            if not score.estimated and release.publisher not in mine:
                reading = read_left_out(through, slug, score.value)
                wide = sigma * reading.half_width / through.half_width
                mine[release.publisher] = Voice(
                    publisher=release.publisher, score=score, rank=max(float(FLOOR), reading.rank), sigma=wide
                )
    return found


def _sound_link(evidence: Evidence, release: str) -> Link | None:
    """Return a release's link without the anchors off by more than three robust σ; None where it cannot link.

    A wrong rank is an anchor too and bends the curve around it; a judge of ranks must not lean on it. What was left out
    is read like a newcomer.
    """
    first = _linked(evidence, release)
    if first is None or first.agreement <= 0:
        return None
    limit = GRAVE_Z * _spread(first)
    off = [one.slug for one in first.fitted if abs(one.rank - first.left_out[one.slug]) > limit]
    return (_linked(evidence, release, off) if off else None) or first


def _linked(evidence: Evidence, release: str, exclude: Sequence[str] = ()) -> Link | None:
    try:
        return link(evidence, release, exclude=exclude)
    except GateError:
        return None


def _spread(through: Link) -> float:
    """Return the robust standard deviation of a link's leave-one-out residuals; one outlier cannot widen it."""
    residuals = [abs(anchor.rank - through.left_out[anchor.slug]) for anchor in through.fitted]
    return max(LEAST_HALF_WIDTH / Z90, MAD_TO_SIGMA * median(residuals))


def _contradicted(evidence: Evidence, voices: Mapping[str, Mapping[str, Voice]]) -> Iterator[Finding]:
    tests = [test for model in _ranked(evidence) for test in _tests(evidence, model, voices.get(model.slug, {}))]
    limit = significant([_p_value(test.z) for test in tests])
    by_model: dict[str, list[Comparison]] = {}
    for test in tests:
        by_model.setdefault(test.model.slug, []).append(test)
    for all_tests in by_model.values():
        against = [test for test in all_tests if abs(test.z) > CONFLICT_Z and _p_value(test.z) <= limit]
        for side in (1, -1):
            same = [test for test in against if test.z * side > 0]
            if same:
                yield _contradiction(same, all_tests)


def _tests(evidence: Evidence, model: Model, voices: Mapping[str, Voice]) -> Iterator[Comparison]:
    """Yield a test per publisher that is not the rank's own and whose score is newer than the rank's evidence."""
    placing = evidence.releases.get(model.rank_release or "")
    own = placing.publisher if placing else None
    for name in sorted(voices):
        voice = voices[name]
        if name != own and voice.score.as_of > (model.as_of or ""):
            spread = math.hypot(voice.sigma, sigma_of(model))
            yield Comparison(model=model, voice=voice, z=((model.power_rank or 0) - voice.rank) / spread)


def _contradiction(same: Sequence[Comparison], all_tests: Sequence[Comparison]) -> Finding:
    """Return one finding per model and side; the pooled z is Stouffer's, Σz/√k over all its newer publishers."""
    model = same[0].model
    pooled = sum(test.z for test in all_tests) / math.sqrt(len(all_tests))
    several = len(same) >= LEAST_PUBLISHERS
    severity = "info" if not several else "error" if abs(pooled) > GRAVE_Z else "warning"
    said = ", ".join(f"{test.voice.publisher} reads {test.voice.rank:.0f} (z {test.z:+.1f})" for test in same)
    return Finding(
        code="contradicted",
        severity=severity,
        models=(model.slug,),
        message=f"{model.slug} is ranked {model.power_rank}, but newer evidence disagrees: {said}",
        data={
            "rank": model.power_rank,
            "publishers": [test.voice.publisher for test in same],
            "releases": [test.voice.score.release for test in same],
            "scores": [test.voice.score.id for test in same],
            "z": [f"{test.z:.2f}" for test in same],
            "pooled_z": f"{pooled:.2f}",
        },
    )


def _inversions(evidence: Evidence, voices: Mapping[str, Mapping[str, Voice]]) -> Iterator[Finding]:
    """Yield pairs whose ranks at least two publishers order the other way, each beyond 2 √(σ² + σ²).

    Where a rank of the pair rests on a conversion or an ordinal, that explains it: the pair is told as such.
    """
    objections: dict[tuple[str, str], list[str]] = {}
    for publisher in sorted({name for mine in voices.values() for name in mine}):
        heard = {slug: mine[publisher] for slug, mine in voices.items() if publisher in mine}
        for pair in _inverted(evidence, heard):
            objections.setdefault(pair, []).append(publisher)
    for (above, below), publishers in sorted(objections.items()):
        if len(publishers) >= LEAST_PUBLISHERS:
            yield _inversion(evidence.models[above], evidence.models[below], publishers)


def _inverted(evidence: Evidence, heard: Mapping[str, Voice]) -> Iterator[tuple[str, str]]:
    """Yield (higher ranked, lower ranked) where one publisher clearly reads the second above the first."""
    ranked = [model for model in _ranked(evidence) if model.slug in heard]
    ranked.sort(key=lambda model: (model.power_rank or 0, model.slug))
    best_below = -math.inf
    for place, model in enumerate(ranked):
        own = heard[model.slug]
        if best_below - own.rank > CONFLICT_Z * own.sigma:
            for other in ranked[:place]:
                gap = heard[other.slug].rank - own.rank
                apart = CONFLICT_Z * math.hypot(own.sigma, heard[other.slug].sigma)
                if gap > apart and (other.power_rank or 0) < (model.power_rank or 0):
                    yield model.slug, other.slug
        best_below = max(best_below, own.rank)


def _inversion(above: Model, below: Model, publishers: Sequence[str]) -> Finding:
    said = f"{above.slug} ({above.power_rank}) stands above {below.slug} ({below.power_rank})"
    soft = [model.slug for model in (above, below) if not model.rank_measured]
    data = {"ranks": [above.power_rank, below.power_rank], "publishers": list(publishers)}
    if soft:
        return Finding(
            code="estimated-vs-measured",
            severity="info",
            models=(above.slug, below.slug),
            message=f"{said}, which {', '.join(publishers)} order the other way: {soft[0]} was never measured",
            data={**data, "not_measured": soft},
        )
    return Finding(
        code="inversion",
        severity="warning",
        models=(above.slug, below.slug),
        message=f"{said}, but {', '.join(publishers)} clearly order them the other way",
        data=data,
    )


def _ranked(evidence: Evidence) -> list[Model]:
    return [evidence.models[slug] for slug in sorted(evidence.models) if evidence.models[slug].power_rank is not None]


def _p_value(z: float) -> float:
    return 2 * NormalDist().cdf(-abs(z))
