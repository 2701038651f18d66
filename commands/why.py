"""catalog why: a defensible answer to "why is this model ranked here?"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from catalog import snapshot
from catalog.commands import options, output
from catalog.commands.output import Column
from catalog.connection import reading
from catalog.snapshot import Model

app = typer.Typer(rich_markup_mode=None, add_completion=False)

_COLUMNS = tuple(
    Column(key=name, title=name, right=name == "value")
    for name in ("release", "label", "value", "effort", "estimated", "as_of")
)

_METHODS = {
    "base-map": "its score under the reference release was mapped by the type's base map, once, at the rebase",
    "link": "placed between models ranked before, by a monotone curve through those that the same release scored",
    "legacy-interpolated": "no score was known; its legacy ordinal was read off the curve of models that have both",
    "legacy-ordinal": "no index exists for its type; the legacy ordinals were spread over the scale",
    "same-weights": "it has the weights of another model and shares its rank",
    "manual": "set by hand, deliberately; the reason stands in the log",
}

_INTERVALS = {
    "base-map": "90 %, from the error the index states of itself, four times as wide where it estimated",
    "link": "90 %, from leaving out each anchor and placing it by the others, never less than the index's own error",
    "legacy-interpolated": "90 %, from how far ordinals are off where evidence exists",
    "legacy-ordinal": "as far as ordinals are off where evidence exists; no index checks it here",
    "same-weights": "that of the model it shares its weights with",
    "manual": "set by hand",
}


@app.command()
def why(ctx: typer.Context, model: options.ModelName, json: options.Json = False) -> None:
    """Say why a model is ranked where it is: neighbours, evidence, interval, method."""
    from catalog.ranks import explanation

    with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
        models = snapshot.read(reader).models
        found = snapshot.named(models, model)
        answer = explanation.of(reader, found, thresholds=ctx.obj.thresholds)
    if json:
        output.as_json(answer)
    else:
        _print(found, answer, {slug: other.power_rank for slug, other in models.items()})


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


def _sentences(model: Model, answer: dict[str, Any], ranks: dict[str, int | None]) -> Iterator[tuple[str, str]]:
    yield "interval", f"{model.low} to {model.high}: {_INTERVALS.get(answer['method'], _INTERVALS['link'])}"
    yield "from", f"{model.source} {model.index_version}, as of {model.as_of}"
    yield "method", _METHODS.get(answer["method"], str(answer["method"]))
    yield from _beside(answer, ranks)
    yield from _reading(answer)
    if answer.get("flags"):
        yield "flags", ", ".join(answer["flags"])
    if answer["straddles"]:
        yield "careful", f"the interval straddles the threshold {', '.join(map(str, answer['straddles']))}"
    if model.legacy_ordinal is not None:
        yield "legacy", f"ordinal {model.legacy_ordinal}; where evidence exists it does not move the rank"
    if model.note:
        yield "note", model.note
    yield "locked", f"line {answer['line']} by {answer['actor']} at {answer['locked_at']}: {answer['reason']}"
    if answer["earlier_ranks"]:
        yield "earlier", f"ranks {', '.join(map(str, answer['earlier_ranks']))}; see catalog history {model.slug}"


def _beside(answer: dict[str, Any], ranks: dict[str, int | None]) -> Iterator[tuple[str, str]]:
    """Yield the neighbours a rank line names, with their ranks today; a rank set by hand has none."""
    below, above = (answer.get("neighbours", {}).get(side) for side in ("below", "above"))
    if answer["method"] == "same-weights":
        yield "like", f"{below} (now {ranks.get(below)})"
        return
    nobody = "no anchor" if answer.get("anchors") else "nothing of its type"
    for name, slug in (("above it", above), ("below it", below)) if above or below else ():
        yield name, f"{slug} (now {ranks.get(slug)})" if slug else nobody


def _reading(answer: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what was read before rounding, by which anchors, and what other publishers and releases said."""
    if "point" in answer:
        agreed = answer.get("agreement")
        yield (
            "point",
            f"{answer['point']} ± {answer['half_width']}" + (f", anchors agree to τ {agreed}" if agreed else ""),
        )
    anchors = answer.get("anchors", ())
    if anchors:
        yield "anchors", f"{len(anchors)}: {', '.join(anchors[:8])}{', …' if len(anchors) > 8 else ''}"
    for vote in answer.get("votes", ()):
        yield "vote", f"{vote['publisher']} reads {vote['rank']}, standard error {vote['sigma']} ({vote['release']})"
    for passed in answer.get("passed_over", ()):
        yield "not by", f"{passed['release']}: {passed['reason']}"
