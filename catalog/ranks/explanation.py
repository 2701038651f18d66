"""Why a model is ranked where it is: its newest rank line, the evidence it names, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from catalog import snapshot
from catalog.connection import Reader
from catalog.errors import CatalogError, IntegrityError
from catalog.log.line import COLUMNS, VERIFY, as_data, from_row
from catalog.log.replay import line_rows
from catalog.ranks import load
from catalog.ranks.placement import place, straddled
from catalog.snapshot import Model

_NEW_RANK = COLUMNS.index("new_rank")
_FOUND = ("release", "flags", "neighbours", "anchors", "point", "half_width", "agreement", "votes", "passed_over")


def of(reader: Reader, model: Model, *, thresholds: Sequence[int]) -> dict[str, Any]:
    """Return the explanation of a model's rank, or of its having none, as plain data with stable names.

    Args:
        thresholds: ranks at which callers switch behaviour.
    """
    base = {**snapshot.public(model), "legacy_ordinal": model.legacy_ordinal, "note": model.note}
    ranked = [as_data(from_row(row)) for row in line_rows(reader, model=model.slug) if row[_NEW_RANK] is not None]
    if not ranked:
        return {**base, "method": None, "reason": _unplaced(reader, model)}
    line: dict[str, Any] = ranked[-1]
    found = line.get("after")
    if not isinstance(found, dict):
        raise IntegrityError(f"line {line['seq']} of the log is damaged or forged", hint=VERIFY)
    used = set(line.get("scores", ()))
    return {
        **base,
        "method": line.get("method"),
        "reason": line["reason"],
        **{name: found[name] for name in _FOUND if name in found},
        "straddles": list(straddled(model.low or 0, model.high or 0, thresholds)),
        "evidence": [score._asdict() for score in snapshot.scores(reader) if score.id in used] if used else [],
        "line": line["seq"],
        "locked_at": line["at"],
        "actor": line["actor"],
        "hash": line["hash"],
        "earlier_ranks": [other["new_rank"] for other in ranked[:-1]],
    }


def _unplaced(reader: Reader, model: Model) -> str:
    """Return why a model is unranked: what its placement would be refused for today."""
    proposed = snapshot.proposal(reader, model.slug)
    if proposed is not None:
        rank = f"{proposed['power_rank']} ({proposed['low']}–{proposed['high']})"
        return f"it is proposed at {rank} and not locked yet, see catalog lock {model.slug}"
    if model.type not in load.rebased(reader):
        return f"the scale of {model.type} is not open yet, see catalog rebase --type {model.type}"
    try:
        place(load.evidence(reader, model.type), model.slug)
    except CatalogError as refusal:
        ordinal = "" if model.legacy_ordinal is None else "; its legacy ordinal alone could not be placed"
        return f"{refusal.message}{ordinal}"
    return f"nothing: its evidence would place it now, see catalog lock {model.slug} --place"
