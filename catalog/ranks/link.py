"""A link: what one release makes of the anchors it scored, as a curve with leave-one-out residuals."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from catalog.ranks import curve, gates
from catalog.ranks.curve import Curve
from catalog.ranks.evidence import Anchor, Evidence, Release, anchors, oriented
from catalog.ranks.order import Order, agreed, thinned
from catalog.ranks.scale import Z90, reference_half_width


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A release's curve from scores to ranks.

    Attributes:
        anchors: all anchors, by ascending score.
        fitted: the anchors the curve is fitted to, at most 290 of more than 300.
        left_out: per fitted anchor, the rank the curve without it reads at its score.
        half_width: of the 90 % interval between the anchors.
        agreement: Kendall's τ between scores and ranks.
        order: what the anchors agree on.
    """

    release: Release
    anchors: tuple[Anchor, ...]
    fitted: tuple[Anchor, ...]
    curve: Curve
    left_out: Mapping[str, float]
    half_width: float
    agreement: float
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a link reads for a model: a rank on the curve and the half-width of its 90 % interval."""

    rank: float
    half_width: float
    extrapolated: bool

    @property
    def sigma(self) -> float:
        """Standard error, in ranks."""
        return self.half_width / Z90


def link(evidence: Evidence, release: str, *, exclude: Collection[str] = (), through: Collection[str] = ()) -> Link:
    """Return the link of a release.

    Args:
        exclude: slugs that must not be anchors.
        through: the releases that scored the newcomer; models that entered through any of them are no anchors, so
            that what was added before the newcomer changes neither its rank and interval nor which release places it.

    Raises:
        GateError: gate ``anchors`` or ``distinct``, when there are too few for any curve.
    """
    found = tuple(
        anchor for anchor in anchors(evidence, release, exclude=exclude) if not _entered(evidence, anchor.slug, through)
    )
    gates.check_count(evidence.releases[release], found)
    fitted = thinned(found)
    points = [(anchor.score, float(anchor.rank)) for anchor in fitted]
    drawn, residuals = curve.fit_and_leave_out(points)
    half_width = curve.half_width(residuals)
    if release == evidence.scale.reference:
        half_width = max(half_width, reference_half_width(evidence.scale, evidence.releases[release]))
    return Link(
        release=evidence.releases[release],
        anchors=found,
        fitted=fitted,
        curve=drawn,
        left_out={anchor.slug: anchor.rank - miss for anchor, miss in zip(fitted, residuals, strict=True)},
        half_width=half_width,
        agreement=gates.agreement(found),
        order=agreed(found),
    )


def read(link: Link, value: float) -> Reading:
    """Return what a link reads at a raw score; beyond the anchors with a widened interval."""
    score = oriented(link.release, value)
    factor = curve.extrapolation(link.curve, score)
    return Reading(rank=curve.value(link.curve, score), half_width=link.half_width * factor, extrapolated=factor > 1)


def read_left_out(link: Link, slug: str, value: float) -> Reading:
    """Return what a link reads for a model as if it were no anchor of it: its own rank does not speak for itself."""
    reading = read(link, value)
    return replace(reading, rank=link.left_out.get(slug, reading.rank))


def _entered(evidence: Evidence, slug: str, releases: Collection[str]) -> bool:
    model = evidence.models[slug]
    return model.rank_release in releases and model.rank_action != "rebase"
