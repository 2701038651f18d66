"""How a placement is shown: one model in words, many in a table, all of it in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from catalog.commands import output
from catalog.commands.output import Column

if TYPE_CHECKING:
    from catalog.ranks.placement import Placement

COLUMNS = (
    Column(key="slug", title="model"),
    Column(key="legacy_ordinal", title="legacy", right=True),
    Column(key="power_rank", title="rank", right=True),
    Column(key="interval", title="interval", right=True),
    Column(key="method", title="method"),
    Column(key="from", title="from"),
    Column(key="flags", title="flags", write=" ".join),
)

PROOF = "no other model's rank changed (checksum before = after)"

Names = Mapping[str, tuple[Any, ...]]


def names(catalog: Any) -> Names:
    """Return (name, developer, status) of every model by slug, from a reader or an open book."""
    found = catalog.rows("SELECT slug, name, developer, status FROM model")
    return {slug: tuple(rest) for slug, *rest in found}


def ranks(catalog: Any) -> dict[str, int | None]:
    """Return the PowerRank of every model by slug, from a reader or an open book."""
    return dict(catalog.rows("SELECT slug, power_rank FROM model"))


def as_data(placement: Placement, known: Names, thresholds: Sequence[int], **more: Any) -> dict[str, Any]:
    """Return a placement with its stable JSON names, and the thresholds that its interval straddles."""
    from catalog.ranks.placement import details, straddled

    return {
        "type": placement.type,
        "slug": placement.slug,
        **dict(zip(("name", "developer", "status"), known[placement.slug], strict=True)),
        **more,
        "power_rank": placement.power_rank,
        "low": placement.low,
        "high": placement.high,
        "source": placement.source,
        "index_version": placement.index_version,
        "as_of": placement.as_of,
        "method": placement.method,
        **details(placement),
        "straddles": list(straddled(placement.low, placement.high, thresholds)),
        "scores": list(placement.scores),
    }


def row(data: dict[str, Any]) -> dict[str, Any]:
    """Return a placement's data with interval and provenance as one cell each of a table."""
    source = data["release"] or f"{data['source']} {data['index_version']}"
    return {**data, "interval": f"{data['low']}–{data['high']}", "from": f"{source} of {data['as_of']}"}


def explain(placement: Placement, ranks: dict[str, int | None], thresholds: Sequence[int]) -> None:
    """Print a placement in words: neighbours, point, interval, anchors, votes, thresholds."""
    output.say(f"{placement.slug}: PowerRank {placement.power_rank} ({placement.low}–{placement.high}, 90 %)")
    for name, text in _sentences(placement, ranks, thresholds):
        output.fact(f"  {name}", text)


def _sentences(
    placement: Placement, ranks: dict[str, int | None], thresholds: Sequence[int]
) -> Iterator[tuple[str, str]]:
    from catalog.ranks.placement import straddled
    from catalog.ranks.scale import Z90

    working, (below, above) = placement.working, placement.neighbours
    release = f" ({placement.release})" if placement.release else ""
    yield "from", f"{placement.source} {placement.index_version}{release} as of {placement.as_of}"
    if placement.method == "same-weights":
        yield "like", f"{_neighbour(below, ranks)}, which has the same weights"
    else:
        yield "above", _neighbour(above, ranks)
        yield "below", _neighbour(below, ranks)
    if working is not None:
        yield "point", f"{working.point:.1f} ± {working.half_width:.1f}, by method {placement.method}"
    if placement.anchors:
        yield "anchors", f"{len(placement.anchors)}, nearest: {', '.join(_nearest(placement))}"
    for vote in working.votes if working else ():
        yield "vote", f"{vote.publisher} reads {vote.rank:.0f} ± {Z90 * vote.sigma:.0f} ({vote.release})"
    for key, why in working.passed_over if working else ():
        yield "not by", f"{key}: {why}"
    if placement.flags:
        yield "flags", ", ".join(placement.flags)
    if "crossed" in placement.flags:
        yield "note", "the anchors disagree here: by score it stands between these two, by rank the curve decides"
    for threshold in straddled(placement.low, placement.high, thresholds):
        yield "note", f"the interval straddles the threshold {threshold}"


def _nearest(placement: Placement) -> Sequence[str]:
    """Return the anchors around a placement, two or three on each side, weakest first."""
    below, above = placement.neighbours
    known = [placement.anchors.index(slug) for slug in (below, above) if slug in placement.anchors]
    middle = min(known, default=0)
    return placement.anchors[max(0, middle - 1) : middle + 3]


def _neighbour(slug: str | None, ranks: dict[str, int | None]) -> str:
    return "no anchor" if slug is None else f"{slug} ({ranks.get(slug)})"
