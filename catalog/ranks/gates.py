"""The gates evidence must pass before it may place a model. A gate that fails raises, naming itself and the numbers."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from catalog.errors import GateError
from catalog.log import facts
from catalog.ranks.evidence import Anchor, Model, Release, Score, oriented

LEAST_ANCHORS = 5
"""Fewer anchors leave a leave-one-out curve to three points, and its residuals say nothing."""

LEAST_BELOW, LEAST_ABOVE = 2, 1
"""Anchors on each side: one above brackets the newcomer; below, one alone may be an outlier."""

MOST_DISTINCT = 30
"""Distinct scores that are always enough: fifteen for every bandwidth of the curve."""

LEAST_AGREEMENT = 0.6
"""Kendall's τ between scores and ranks; real links that place well reach 0.65 to 0.97, Arena text (0.56) does not."""


def version_stated(release: Release) -> bool:
    """Return whether anybody states the version of a release; ``seen-DATE`` only says when someone looked."""
    return facts.version_stated(release.version)


def check_release(release: Release) -> None:
    """Let only capability releases with a stated version place models.

    Raises:
        GateError: gate ``role`` or ``version``.
    """
    if not version_stated(release):
        _fail("version", f"nobody states the version of {release.key} ({release.version!r})", release=release.key)
    if release.role != "capability":
        _fail("role", f"{release.key} is a {release.role} release and never places a model", release=release.key)


def check_score(release: Release, score: Score, model: Model, *, today: str | None = None) -> None:
    """Let a score speak that is measured, inside the index's range, and dated between release and today.

    Args:
        today: full ISO date; without one the future is not checked.

    Raises:
        GateError: gate ``estimated``, ``range`` or ``as-of``.
    """
    said = {"release": release.key, "label": score.label, "score": f"{score.value:g}", "as_of": score.as_of}
    if score.estimated:
        _fail("estimated", f"{release.key} only estimated {score.label}: {score.value:g}", **said)
    low = -math.inf if release.minimum is None else release.minimum
    high = math.inf if release.maximum is None else release.maximum
    if not low <= score.value <= high:
        _fail("range", f"{score.value:g} is outside the range of {release.key}, {low:g} to {high:g}", **said)
    if today is not None and score.as_of > today:
        _fail("as-of", f"as-of {score.as_of} lies after today, {today}", **said)
    for what, date in ((f"the release of {model.slug}", model.released), (f"{release.key}", release.published)):
        if date is not None and score.as_of[: len(date)] < date:
            _fail("as-of", f"as-of {score.as_of} lies before {what}, {date}", **said)


def check_agreement(release: Release, anchors: Sequence[Anchor], tau: float) -> None:
    """Let a release link whose anchors agree in order.

    Args:
        tau: their `agreement`.

    Raises:
        GateError: gate ``direction`` or ``order``.
    """
    said = {"release": release.key, "anchors": len(anchors), "tau": f"{tau:.2f}"}
    if tau <= -LEAST_AGREEMENT:
        better = "higher" if release.higher_is_better else "lower"
        _fail("direction", f"under {release.key} the anchors run backwards (τ {tau:.2f}); is {better} better?", **said)
    if tau < LEAST_AGREEMENT:
        _fail("order", f"the {len(anchors)} anchors of {release.key} disagree in order: τ {tau:.2f} < 0.6", **said)


def check_count(release: Release, anchors: Sequence[Anchor]) -> None:
    """Ask for five anchors and for distinct scores: at least five, and one for every three anchors up to 30.

    Raises:
        GateError: gate ``anchors`` or ``distinct``.
    """
    count, distinct = len(anchors), len({anchor.score for anchor in anchors})
    if count < LEAST_ANCHORS:
        message = f"{release.key} has {count} anchors, {LEAST_ANCHORS} are needed"
        _fail("anchors", message, release=release.key, anchors=count)
    needed = max(LEAST_ANCHORS, min(MOST_DISTINCT, math.ceil(count / 3)))
    if distinct < needed:
        message = f"the {count} anchors of {release.key} have {distinct} distinct scores, {needed} are needed"
        _fail("distinct", message, release=release.key, anchors=count, distinct=distinct)


def check_sides(release: Release, anchors: Sequence[Anchor], score: Score) -> None:
    """Ask for two anchors at or below a score and one at or above it; the anchors are sorted by score.

    Raises:
        GateError: gate ``sides``.
    """
    at = oriented(release, score.value)
    below = bisect_right(anchors, at, key=lambda anchor: anchor.score)
    above = len(anchors) - bisect_left(anchors, at, key=lambda anchor: anchor.score)
    if below >= LEAST_BELOW and above >= LEAST_ABOVE:
        return
    raise GateError(
        f"{score.value:g} under {release.key} has {below} anchors below and {above} above; 2 and 1 are needed",
        gate="sides",
        hint="Extrapolate with --extrapolate, or add a score under another release.",
        data={"release": release.key, "below": below, "above": above, "anchors": len(anchors)},
    )


def agreement(anchors: Sequence[Anchor]) -> float:
    """Return Kendall's τ-b between scores and ranks, from −1 to 1; 0 where either is constant. O(n log n), Knight 1966.

    Args:
        anchors: sorted by score, then rank.
    """
    ranks = [anchor.rank for anchor in anchors]
    pairs = len(ranks) * (len(ranks) - 1) // 2
    tied_scores = _tied_pairs([anchor.score for anchor in anchors])
    tied_ranks = _tied_pairs(sorted(ranks))
    tied_both = _tied_pairs([(anchor.score, anchor.rank) for anchor in anchors])
    discordant = _inversions(ranks)[0]
    concordant = pairs - tied_scores - tied_ranks + tied_both - discordant
    scale = math.sqrt((pairs - tied_scores) * (pairs - tied_ranks))
    return (concordant - discordant) / scale if scale else 0.0


def _tied_pairs(ordered: Sequence[object]) -> int:
    pairs = run = 0
    for left, right in pairwise(ordered):
        run = run + 1 if left == right else 0
        pairs += run
    return pairs


def _inversions(values: Sequence[int]) -> tuple[int, list[int]]:
    """Return how many pairs stand in falling order, and the values sorted (merge sort)."""
    if len(values) < 2:
        return 0, list(values)
    middle = len(values) // 2
    (left_count, left), (right_count, right) = _inversions(values[:middle]), _inversions(values[middle:])
    count, merged, place = left_count + right_count, [], 0
    for value in right:
        while place < len(left) and left[place] <= value:
            merged.append(left[place])
            place += 1
        count += len(left) - place
        merged.append(value)
    return count, merged + left[place:]


_HINTS = {
    "anchors": "Score more ranked models under this release, or use another one.",
    "as-of": "Give the day on which the release showed this score.",
    "direction": "Check the direction of the release and the scores.",
    "distinct": "An index this coarse cannot order models.",
    "estimated": "Wait until it is measured, or use a release that measured it.",
    "order": "This release measures something else than the ranks; use another one.",
    "range": "Check the value, its unit and the release.",
    "role": "Give a score under a capability release.",
    "version": "Register the version under which the score was published: catalog release add KEY --like OLDER.",
}


def _fail(gate: str, message: str, **numbers: object) -> None:
    raise GateError(message, gate=gate, hint=_HINTS[gate], data=numbers)
