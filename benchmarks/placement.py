"""How well a newcomer is placed: hide each doubly scored model in turn, place it through the link, compare.

Run with ``python -m benchmarks.placement``. The rank to be found is what the reference release measured, 10 rank
points per index point; estimated rows are out. Beside our own method stand the baselines, on the same points in
the same run: isotonic regression drawn through by a monotone cubic (with our secant beyond its ends, and as scipy draws
it), a straight line, min/max rescaling, percentile matching. Exit code 1 when the pooled figures miss the design's.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy.interpolate import PchipInterpolator

from catalog.connection import reading
from catalog.ranks import load, order, scale
from catalog.ranks.curve import Curve, Point, half_width, isotonic, value
from catalog.ranks.evidence import Evidence, Model, Release, Scale, Score, oriented, speaking_scores
from catalog.ranks.link import link, read
from catalog.store import seeding

REFERENCE = "aa@4.3"
LINKS = ("aa@4.1.1", "aa@4.0", "aa@4.2", "eci@2026-05", "livebench@seen-2026-05-04", "arena-text@style-control")
POOLED = LINKS[:5]
"""Arena text is reported but not pooled: its anchors disagree in order (τ below 0.6), so it never places a model."""

MOST_ERROR = 0.90  # of the error of isotonic → PCHIP
COVERAGE = (0.85, 0.95)
LEAST_COVERAGE = 0.75

Fit = Callable[[Sequence[Point]], Callable[[float], float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one method made of the models of one link: absolute errors in ranks, and which intervals held."""

    errors: tuple[float, ...]
    held: tuple[bool, ...]

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(errors=self.errors + other.errors, held=self.held + other.held)

    @property
    def error(self) -> float:
        """Mean absolute error, in ranks."""
        return statistics.fmean(self.errors)

    @property
    def coverage(self) -> float:
        """Share of the 90 % intervals that hold the true rank."""
        return statistics.fmean(self.held)


def load_links() -> dict[str, Evidence]:
    """Return, by release key, the doubly scored models of the shipped seeds: ranked by the reference, scored by it."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'seeds.db'}"
        seeding.create(url, fill="legacy")
        with reading(url) as reader:
            shipped = load.evidence(reader, "llm")
    return {key: _doubly_scored(shipped.releases[key], shipped.scores) for key in LINKS}


def measure(evidence: Evidence) -> dict[str, Outcome]:
    """Return the outcome of every method on one link."""
    (release,) = evidence.releases.values()
    by_model = speaking_scores(evidence.scores, release.key)
    points = [(oriented(release, score.value), _rank(evidence, slug)) for slug, score in sorted(by_model.items())]
    return {"ours": _ours(evidence, release, by_model)} | {
        name: _baseline(fit, points) for name, fit in BASELINES.items()
    }


def isotonic_pchip(points: Sequence[Point]) -> Callable[[float], float]:
    """Fit a monotone cubic through the isotonic regression of the raw points; beyond its ends our own secant."""
    knots = _blocks(points)
    fitted = Curve(knots=knots, lowest=min(points)[0], highest=max(points)[0])
    return lambda score: value(fitted, score)


def isotonic_pchip_scipy(points: Sequence[Point]) -> Callable[[float], float]:
    """Fit the same as scipy draws it by default: beyond its ends the end cubic goes on."""
    knots = _blocks(points)
    if len(knots) < 2:
        return lambda _: knots[0][1]
    drawn = PchipInterpolator([score for score, _ in knots], [rank for _, rank in knots])
    return lambda score: float(drawn(score))


def straight_line(points: Sequence[Point]) -> Callable[[float], float]:
    """Fit the least-squares line."""
    slope, intercept = statistics.linear_regression([score for score, _ in points], [rank for _, rank in points])
    return lambda score: intercept + slope * score


def rescale(points: Sequence[Point]) -> Callable[[float], float]:
    """Map lowest score to lowest rank and highest to highest."""
    (low, high), (bottom, top) = _ends([score for score, _ in points]), _ends([rank for _, rank in points])
    return lambda score: bottom + (score - low) * (top - bottom) / (high - low)


def percentile_match(points: Sequence[Point]) -> Callable[[float], float]:
    """Read the rank at the same quantile, linear between the sorted scores and ranks, constant beyond them."""
    scores, ranks = sorted(score for score, _ in points), sorted(rank for _, rank in points)

    def match(score: float) -> float:
        below = sum(other < score for other in scores)
        level = sum(other == score for other in scores)
        if level:
            return statistics.fmean(ranks[below : below + level])
        if below in (0, len(scores)):
            return ranks[min(below, len(scores) - 1)]
        share = (score - scores[below - 1]) / (scores[below] - scores[below - 1])
        return ranks[below - 1] + share * (ranks[below] - ranks[below - 1])

    return match


BASELINES: Mapping[str, Fit] = {
    "isotonic→PCHIP": isotonic_pchip,
    "the same, scipy": isotonic_pchip_scipy,
    "straight line": straight_line,
    "min/max rescale": rescale,
    "percentile match": percentile_match,
}


def _ours(evidence: Evidence, release: Release, by_model: Mapping[str, Score]) -> Outcome:
    """Place each model as `place` does once the gates let a release speak; a hidden end model is extrapolated."""
    errors, held = [], []
    for slug, score in sorted(by_model.items()):
        found = link(evidence, release.key, exclude=(slug,))
        reading = read(found, score.value)
        allowed = order.bounds(found.order, oriented(release, score.value))
        rank = order.held(scale.whole(reading.rank), *allowed)
        low, high = scale.interval(evidence.scale, rank, reading.half_width)
        truth = _rank(evidence, slug)
        errors.append(abs(rank - truth))
        held.append(low <= truth <= high)
    return Outcome(errors=tuple(errors), held=tuple(held))


def _baseline(fit: Fit, points: Sequence[Point]) -> Outcome:
    """Hide each point in turn; its interval is the conformal one over the residuals of the others, each left out."""
    errors, held = [], []
    for others, (score, rank) in _each_hidden(points):
        error = abs(rank - fit(others)(score))
        residuals = [own_rank - fit(rest)(own) for rest, (own, own_rank) in _each_hidden(others)]
        errors.append(error)
        held.append(error <= half_width(residuals))
    return Outcome(errors=tuple(errors), held=tuple(held))


def _each_hidden(points: Sequence[Point]) -> list[tuple[list[Point], Point]]:
    return [([*points[:place], *points[place + 1 :]], point) for place, point in enumerate(points)]


def _blocks(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return (mean score, level) of every block of the isotonic regression."""
    groups: dict[float, list[float]] = {}
    for score, rank in sorted(points):
        groups.setdefault(score, []).append(rank)
    scores, start, knots = list(groups), 0, []
    means, weights = [statistics.fmean(ranks) for ranks in groups.values()], [len(ranks) for ranks in groups.values()]
    for level, length in isotonic(means, weights):
        knots.append((statistics.fmean(scores[start : start + length]), level))
        start += length
    return tuple(knots)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _rank(evidence: Evidence, slug: str) -> int:
    rank = evidence.models[slug].power_rank
    assert rank is not None
    return rank


def _doubly_scored(release: Release, scores: Sequence[Score]) -> Evidence:
    truth = {slug: score for slug, score in speaking_scores(scores, REFERENCE).items() if not score.estimated}
    own = [
        score for slug, score in speaking_scores(scores, release.key).items() if slug in truth and not score.estimated
    ]
    ruler = Scale(type="llm", reference=REFERENCE, score_low=0, rank_low=0, score_high=100, rank_high=1000)
    models = {score.model: _locked(ruler, score.model, truth[score.model]) for score in own}
    return Evidence(scale=ruler, releases={release.key: release}, models=models, scores=tuple(own))


def _locked(ruler: Scale, slug: str, score: Score) -> Model:
    return Model(
        slug=slug,
        type="llm",
        name=slug,
        power_rank=scale.whole(scale.base_map(ruler, score.value)),
        rank_release=REFERENCE,
        rank_action="rebase",
        rank_measured=True,
    )


def report(results: Mapping[str, Mapping[str, Outcome]]) -> tuple[str, bool]:
    """Return the tables and the pooled verdict, and whether the design's figures are met."""
    lines = []
    for key, methods in results.items():
        count = len(methods["ours"].errors)
        lines += [f"{key}  n = {count}{'' if key in POOLED else '  (not pooled)'}", *_table(methods), ""]
    pooled = {name: _sum(results[key][name] for key in POOLED) for name in results[POOLED[0]]}
    lines += [f"pooled  n = {len(pooled['ours'].errors)}", *_table(pooled), ""]
    ratio = pooled["ours"].error / pooled["isotonic→PCHIP"].error
    plain = pooled["ours"].error / pooled["the same, scipy"].error
    least = min(POOLED, key=lambda key: results[key]["ours"].coverage)
    lowest = results[least]["ours"].coverage
    checks = [
        (f"error ÷ isotonic→PCHIP {ratio:.3f}, at most {MOST_ERROR:.2f}", ratio <= MOST_ERROR),
        (
            f"pooled coverage {pooled['ours'].coverage:.1%}, 85 to 95 %",
            COVERAGE[0] <= pooled["ours"].coverage <= COVERAGE[1],
        ),
        (f"lowest coverage {lowest:.1%} ({least}), at least 75 %", lowest >= LEAST_COVERAGE),
    ]
    lines.append(f"        error ÷ the same, scipy {plain:.3f}")
    lines += [f"{'met   ' if met else 'MISSED'}  {text}" for text, met in checks]
    return "\n".join(lines), all(met for _, met in checks)


def _sum(outcomes: Any) -> Outcome:
    return sum(outcomes, start=Outcome(errors=(), held=()))


def _table(methods: Mapping[str, Outcome]) -> list[str]:
    head = f"  {'method':<18}{'mean error':>12}{'coverage':>10}"
    return [head, *(f"  {name:<18}{found.error:>12.1f}{found.coverage:>10.1%}" for name, found in methods.items())]


def main() -> int:
    """Print the report."""
    text, met = report({key: measure(evidence) for key, evidence in load_links().items()})
    print(text)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
