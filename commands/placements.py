"""How a placement is shown: one model in words, many in a table, all of it in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Column(key="index_version", title="version"),
    Column(key="flags", title="flags", write=" ".join),
)


Names = Mapping[str, tuple[Any, ...]]


def names(catalog: Any) -> Names:
    """Return (name, developer, status) of every model by slug, from a reader or an open book."""
    found = catalog.rows("SELECT slug, name, developer, status FROM model")
    return {slug: tuple(rest) for slug, *rest in found}


def as_data(placement: Placement, known: Names, thresholds: Sequence[int], **more: Any) -> dict[str, Any]:
    """Return a placement with its stable JSON names, and the thresholds that its interval straddles."""
    from catalog.ranks.placement import straddled

    below, above = placement.neighbours
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
        "release": placement.release,
        "method": placement.method,
        "flags": list(placement.flags),
        "neighbours": {"below": below, "above": above},
        "anchors": list(placement.anchors),
        "straddles": list(straddled(placement.low, placement.high, thresholds)),
        "scores": list(placement.scores),
    }


def row(data: dict[str, Any]) -> dict[str, Any]:
    """Return a placement's data with its interval as one cell of a table."""
    return {**data, "interval": f"{data['low']}–{data['high']}"}


def explain(placement: Placement, ranks: dict[str, int | None], thresholds: Sequence[int]) -> None:
    """Print a placement in words: neighbours, point, interval, anchors, thresholds."""
    from catalog.ranks.placement import straddled

    below, above = placement.neighbours
    output.say(f"{placement.slug}: PowerRank {placement.power_rank} ({placement.low}–{placement.high}, 90 %)")
    output.say(f"  from    {placement.source} {placement.index_version} as of {placement.as_of}")
    if placement.method == "same-weights":
        output.say(f"  like    {_neighbour(below, ranks)}, which has the same weights")
    else:
        output.say(f"  above   {_neighbour(above, ranks)}")
        output.say(f"  below   {_neighbour(below, ranks)}")
    output.say(f"  method  {placement.method}")
    if placement.anchors:
        output.say(f"  anchors {len(placement.anchors)}, nearest: {', '.join(_nearest(placement))}")
    if placement.flags:
        output.say(f"  flags   {', '.join(placement.flags)}")
    for threshold in straddled(placement.low, placement.high, thresholds):
        output.say(f"  note    the interval straddles the threshold {threshold}")


def _nearest(placement: Placement) -> Sequence[str]:
    """Return the anchors around a placement, two or three on each side, weakest first."""
    below, above = placement.neighbours
    known = [placement.anchors.index(slug) for slug in (below, above) if slug in placement.anchors]
    middle = min(known, default=0)
    return placement.anchors[max(0, middle - 1) : middle + 3]


def _neighbour(slug: str | None, ranks: dict[str, int | None]) -> str:
    return "none" if slug is None else f"{slug} ({ranks.get(slug)})"
