"""Load the evidence of one type from a catalog, read-only or inside a write transaction."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from typing import Any

from catalog import snapshot
from catalog.connection import Rows
from catalog.errors import IntegrityError, NotFoundError
from catalog.log.line import VERIFY
from catalog.ranks.evidence import Evidence, Model, Release, Scale, Score

_SCALE = "SELECT slug, reference, score_low, rank_low, score_high, rank_high, max_rank FROM model_type WHERE slug = ?"
_RELEASES = (
    "SELECT key, type, index_name, version, publisher, direction, minimum, maximum, standard_error, role,"
    " preference, published"
    " FROM index_release WHERE type = ?"
)
_MODELS = (
    "SELECT m.slug, m.type, m.name, m.status, m.legacy_ordinal, m.prior, m.same_weights_as, m.released, m.build,"
    " m.power_rank, m.low, m.high, m.source, m.index_version, m.as_of, l.action, l.method, l.after,"
    " l.scores"
    " FROM model m LEFT JOIN change_log l ON l.seq ="
    " (SELECT max(seq) FROM change_log WHERE model = m.slug AND new_rank IS NOT NULL)"
    " WHERE m.type = ?"
)


def types(catalog: Rows) -> list[str]:
    """Return the slugs of all types, in order."""
    return sorted(row[0] for row in catalog.rows("SELECT slug FROM model_type"))


def rebased(catalog: Rows) -> set[str]:
    """Return the types whose scale is open: those a rebase was written for."""
    found = catalog.rows("SELECT after FROM change_log WHERE action = 'rebase-plan'")
    return {json.loads(row[0])["type"] for row in found}


def evidence(catalog: Rows, type_slug: str) -> Evidence:
    """Return everything that ranks of a type rest on: scale, releases, models, scores by exact alias.

    Raises:
        NotFoundError: for an unknown type.
        IntegrityError: when a line or a score holds what no catalog writes.
    """
    scale = catalog.rows(_SCALE, (type_slug,))
    if not scale:
        raise NotFoundError(
            f"there is no type {type_slug!r}", hint=f"Types: {', '.join(types(catalog)) or 'none yet'}."
        )
    try:
        return _evidence(catalog, type_slug, _scale(scale[0]))
    except (ValueError, TypeError, AttributeError) as error:
        raise IntegrityError(f"the catalog is damaged or forged: {error}", hint=VERIFY) from error


def _evidence(catalog: Rows, type_slug: str, scale: Scale) -> Evidence:
    models = {row[0]: _model(row) for row in catalog.rows(_MODELS, (type_slug,))}
    scores = snapshot.scores(catalog, type_slug=type_slug)
    return Evidence(
        scale=scale,
        releases={row[0]: _release(row) for row in catalog.rows(_RELEASES, (type_slug,))},
        models=models,
        scores=tuple(_score(row, row.model) for row in scores if row.model is not None and row.model in models),
    )


def unowned(catalog: Rows, scores: Collection[int]) -> list[str]:
    """Return the labels, as SPACE:LABEL, of these scores that belong to no model yet."""
    spaces = dict(catalog.rows("SELECT key, space FROM index_release"))
    found = [score for score in snapshot.scores(catalog) if score.id in scores and score.model is None]
    return sorted({f"{spaces[score.release]}:{score.label}" for score in found})


def _scale(row: tuple[Any, ...]) -> Scale:
    slug, reference, score_low, rank_low, score_high, rank_high, max_rank = row
    return Scale(
        type=slug,
        reference=reference,
        score_low=_number(score_low),
        rank_low=rank_low,
        score_high=_number(score_high),
        rank_high=rank_high,
        max_rank=max_rank,
    )


def _release(row: tuple[Any, ...]) -> Release:
    key, type_slug, index, version, publisher, direction, minimum, maximum, error, role, preference, published = row
    return Release(
        key=key,
        type=type_slug,
        index=index,
        version=version,
        publisher=publisher,
        higher_is_better=direction == "higher",
        minimum=_number(minimum),
        maximum=_number(maximum),
        standard_error=_number(error),
        role=role,
        preference=preference,
        published=published,
    )


def _model(row: tuple[Any, ...]) -> Model:
    names = ("slug", "type", "name", "status", "legacy_ordinal", "prior", "same_weights_as", "released", "build")
    ranks = ("power_rank", "low", "high", "source", "index_version", "as_of")
    found = json.loads(row[17]) if row[17] else {}
    return Model(
        **dict(zip(names + ranks, row[:15], strict=True)),
        rank_action=row[15],
        rank_method=row[16],
        rank_release=found.get("release"),
        rank_measured=bool(found.get("measured", False)),
        rank_scores=tuple(map(int, row[18][1:-1].split(","))) if row[18] else (),
    )


def _score(row: snapshot.Score, model: str) -> Score:
    return Score(
        id=row.id,
        release=row.release,
        label=row.label,
        model=model,
        effort=row.effort or "unstated",
        value=_finite(row.value),
        as_of=row.as_of,
        estimated=bool(row.estimated),
    )


def _number(text: str | None) -> float | None:
    return None if text is None else _finite(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is no number")
    return value
