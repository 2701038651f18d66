"""catalog why: a defensible answer to "why is this model ranked here?"."""

from __future__ import annotations

from typing import Any

import typer

from catalog import snapshot
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.connection import Reader, reading
from catalog.log.line import as_data, from_row
from catalog.log.replay import line_rows
from catalog.snapshot import Model

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_EVIDENCE = ("id", "release", "label", "value", "effort", "estimated", "as_of", "url")
_COLUMNS = tuple(Column(key=name, title=name, right=name == "value") for name in _EVIDENCE[1:-1])

_METHODS = {
    "base-map": "its score under the reference release was mapped by the type's base map, once, at the rebase",
    "link": "placed between models ranked before, by a monotone curve through those that the same release scored",
    "legacy-interpolated": "no score was known; its legacy ordinal was read off the curve of models that have both",
    "legacy-ordinal": "no index exists for its type; the legacy ordinals were spread over the scale",
    "same-weights": "it has the weights of another model and shares its rank",
    "manual": "set by hand, deliberately; the reason stands in the log",
}

_INTERVALS = {
    "base-map": "90 %, from the error of half a point that the index claims for itself (two where it estimated)",
    "link": "90 %, from leaving out each anchor and placing it by the others, never less than the index's own error",
    "legacy-interpolated": "90 %, from how far ordinals are off where evidence exists",
    "legacy-ordinal": "as far as ordinals are off where evidence exists; no index checks it here",
    "same-weights": "that of the model it shares its weights with",
    "manual": "set by hand",
}


@app.command()
def why(ctx: typer.Context, model: options.ModelName, json: options.Json = False) -> None:
    """Say why a model is ranked where it is: neighbours, evidence, interval, method."""
    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        models = snapshot.read(reader).models
        found = snapshot.named(models, model)
        lines: list[dict[str, Any]] = [as_data(from_row(row)) for row in line_rows(reader, model=model)]
        ranked = [line for line in lines if "new_rank" in line]
        evidence = _evidence(reader, ranked[-1].get("scores", []) if ranked else [])
        unplaced = None if ranked else _unplaced(reader, found)
    answer = _answer(found, ranked, evidence, ctx.obj.thresholds) if ranked else {**_base(found), "reason": unplaced}
    if json:
        output.as_json(answer)
    else:
        _print(found, answer, {slug: other.power_rank for slug, other in models.items()})


def _evidence(reader: Reader, ids: list[int]) -> list[dict[str, Any]]:
    if not ids:
        return []
    marks = ", ".join("?" * len(ids))
    rows = reader.rows(f"SELECT {', '.join(_EVIDENCE)} FROM score WHERE id IN ({marks}) ORDER BY id", ids)
    return [dict(zip(_EVIDENCE, row, strict=True)) for row in rows]


def _answer(
    model: Model, ranked: list[dict[str, Any]], evidence: list[dict[str, Any]], thresholds: tuple[int, ...]
) -> dict[str, Any]:
    from catalog.ranks.placement import straddled

    line = ranked[-1]
    found = line.get("after", {})
    return {
        **_base(model),
        "method": line.get("method"),
        "reason": line["reason"],
        "flags": found.get("flags", []),
        "neighbours": found.get("neighbours", {"below": None, "above": None}),
        "anchors": found.get("anchors", []),
        "straddles": list(straddled(model.low or 0, model.high or 0, thresholds)),
        "evidence": evidence,
        "line": line["seq"],
        "locked_at": line["at"],
        "actor": line["actor"],
        "hash": line["hash"],
        "earlier_ranks": [other["new_rank"] for other in ranked[:-1]],
    }


def _base(model: Model) -> dict[str, Any]:
    return {**snapshot.public(model), "legacy_ordinal": model.legacy_ordinal, "note": model.note, "method": None}


def _unplaced(reader: Reader, model: Model) -> str:
    """Return why a model is unranked: what its placement would be refused for today."""
    from catalog.errors import CatalogError
    from catalog.ranks import load
    from catalog.ranks.placement import place

    if reader.rows("SELECT 1 FROM proposal WHERE model = ?", (model.slug,)):
        return f"its placement is proposed and not locked yet, see catalog lock {model.slug}"
    try:
        place(load.evidence(reader, model.type), model.slug)
    except CatalogError as refusal:
        ordinal = "" if model.legacy_ordinal is None else "; its legacy ordinal alone could not be placed"
        return f"{refusal.message}{ordinal}"
    return f"nothing: its evidence would place it now, see catalog lock {model.slug} --place"


def _print(model: Model, answer: dict[str, Any], ranks: dict[str, int | None]) -> None:
    if answer["power_rank"] is None:
        output.say(f"{model.name} is unranked.")
        output.fact("why", answer["reason"])
        if model.note:
            output.fact("note", model.note)
        output.say("An unranked model passes no threshold.")
        return
    output.say(f"{model.name}: PowerRank {model.power_rank} on the scale of {model.type}")
    for name, text in _sentences(model, answer, ranks):
        output.fact(name, text)
    if answer["evidence"]:
        output.say("\nevidence")
        output.table(answer["evidence"], _COLUMNS)


def _sentences(model: Model, answer: dict[str, Any], ranks: dict[str, int | None]) -> list[tuple[str, str]]:
    said = [
        ("interval", f"{model.low} to {model.high}: {_INTERVALS.get(answer['method'], _INTERVALS['link'])}"),
        ("from", f"{model.source} {model.index_version}, as of {model.as_of}"),
        ("method", _METHODS.get(answer["method"], str(answer["method"]))),
        *_beside(answer, ranks),
    ]
    if answer["anchors"]:
        said.append(("anchors", f"{len(answer['anchors'])}: {', '.join(answer['anchors'][:8])}, …"))
    if answer["flags"]:
        said.append(("flags", ", ".join(answer["flags"])))
    if answer["straddles"]:
        said.append(("careful", f"the interval straddles the threshold {', '.join(map(str, answer['straddles']))}"))
    if model.legacy_ordinal is not None:
        said.append(("legacy", f"ordinal {model.legacy_ordinal}; where evidence exists it does not move the rank"))
    if model.note:
        said.append(("note", model.note))
    said.append(("locked", f"line {answer['line']} by {answer['actor']} at {answer['locked_at']}: {answer['reason']}"))
    if answer["earlier_ranks"]:
        said.append(
            ("earlier", f"ranks {', '.join(map(str, answer['earlier_ranks']))}; see catalog history {model.slug}")
        )
    return said


def _beside(answer: dict[str, Any], ranks: dict[str, int | None]) -> list[tuple[str, str]]:
    """Return the neighbours a rank line names; a rank set by hand has none."""
    below, above = answer["neighbours"]["below"], answer["neighbours"]["above"]
    if answer["method"] == "same-weights":
        return [("like", f"{below} ({ranks.get(below)})")]
    nobody = "no anchor" if answer["anchors"] else "nothing of its type"
    found = (("above it", above), ("below it", below)) if above or below else ()
    return [(name, f"{slug} ({ranks.get(slug)})" if slug else nobody) for name, slug in found]
