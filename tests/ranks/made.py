"""Made-up evidence for tests of ranks: a few lines for a type with anchors, links and newcomers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from catalog.ranks.evidence import Anchor, Evidence, Model, Release, Scale, Score

REFERENCE = "aa@4.3"
LINK = "aa@4.1.1"
RULER = Scale(type="llm", reference=REFERENCE, score_low=0, rank_low=0, score_high=100, rank_high=1000)
SMALL = Scale(type="stt", reference="wer@1", score_low=8.0, rank_low=15, score_high=5.5, rank_high=55, max_rank=99)

RELEASES = {
    release.key: release
    for release in (
        Release(key=REFERENCE, type="llm", index="AA Index", version="4.3", publisher="AA", minimum=0, maximum=100),
        Release(key=LINK, type="llm", index="AA Index", version="4.1.1", publisher="AA", preference=2),
        Release(key="eci@1", type="llm", index="ECI", version="1", publisher="Epoch", preference=3),
        Release(key="bench@1", type="llm", index="Bench", version="1", publisher="Bench", preference=4),
        Release(
            key="arena@on", type="llm", index="Arena", version="on", publisher="Arena", role="sanity", preference=5
        ),
    )
}

points = st.lists(
    st.tuples(st.integers(0, 600).map(lambda tenths: tenths / 10), st.integers(1, 900)), min_size=5, max_size=40
)
"""(score, rank) pairs in no order at all: the worst anchors there can be."""


def model(slug: str, rank: int | None = None, **more: Any) -> Model:
    """Return a model; with a rank it is one the rebase locked through the reference release."""
    locked = (
        {}
        if rank is None
        else {
            "power_rank": rank,
            "low": max(1, rank - 8),
            "high": rank + 8,
            "source": "AA Index",
            "index_version": "4.3",
            "as_of": "2026-10-03",
            "rank_release": REFERENCE,
            "rank_action": "rebase",
            "rank_method": "base-map",
            "rank_measured": True,
        }
    )
    return Model(**{"slug": slug, "type": "llm", "name": slug, **locked, **more})


def score(number: int, release: str, slug: str, value: float, **more: Any) -> Score:
    """Return a measured score of a model under a release."""
    said = {"label": slug, "effort": "high", "as_of": "2026-10-03"}
    return Score(**{"id": number, "release": release, "model": slug, "value": value, **said, **more})


def evidence(
    models: Iterable[Model],
    scores: Iterable[Score],
    *,
    ruler: Scale = RULER,
    releases: Mapping[str, Release] = RELEASES,
) -> Evidence:
    """Return the evidence of a type."""
    by_slug = {one.slug: one for one in models}
    return Evidence(scale=ruler, releases=releases, models=by_slug, scores=tuple(scores))


def anchored(pairs: Iterable[tuple[float, int]], *, release: str = LINK) -> Evidence:
    """Return evidence whose anchors have these (score, rank) pairs under a release."""
    listed = [(f"m-{number:04}", value, rank) for number, (value, rank) in enumerate(pairs)]
    return evidence(
        [model(slug, rank) for slug, _, rank in listed],
        [score(number, release, slug, value) for number, (slug, value, _) in enumerate(listed, start=1)],
    )


def with_newcomer(base: Evidence, value: float, *, slug: str = "new", release: str = LINK, **more: Any) -> Evidence:
    """Return evidence with one more model, unranked, that has a score."""
    number = len(base.scores) + 1
    return replace(
        base,
        models={**base.models, slug: base.models.get(slug, model(slug))},
        scores=(*base.scores, score(number, release, slug, value, **more)),
    )


def anchors(pairs: Iterable[tuple[float, int]]) -> tuple[Anchor, ...]:
    """Return anchors with these (score, rank) pairs, sorted as links hold them."""
    return tuple(
        Anchor(slug=f"m-{number:04}", score=value, rank=rank, score_id=number)
        for number, (value, rank) in enumerate(sorted(pairs))
    )
