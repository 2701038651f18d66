"""Findings about who a model is: the same twice, weights it shares, the model it succeeds."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from catalog.ranks.evidence import Evidence, Model
from catalog.ranks.finding import Finding
from catalog.ranks.scale import sigma_of
from catalog.ranks.votes import CONFLICT_Z


def findings(evidence: Evidence) -> Iterator[Finding]:
    """Yield duplicates, siblings with the same weights that stand apart, and successors below their prior model."""
    yield from _duplicates(evidence)
    for slug in sorted(evidence.models):
        yield from _sibling_apart(evidence, evidence.models[slug])
        yield from _below_prior(evidence, evidence.models[slug])


def normalised(name: str) -> str:
    """Return a name's words sorted, then its numbers in order: "Claude 4.5 Opus" and "claude-opus-4-5" are one.

    Numbers keep their order, because 4.5 and 5.4 are not.
    """
    words = re.findall(r"[a-z]+|\d+", name.casefold().replace("+", " plus "))
    return " ".join((*sorted(filter(str.isalpha, words)), *filter(str.isdigit, words)))


def _duplicates(evidence: Evidence) -> Iterator[Finding]:
    """Yield pairs of models with one normalised slug or name, unless both name a build and these differ."""
    owners: dict[str, list[str]] = {}
    for slug in sorted(evidence.models):
        for form in {normalised(slug), normalised(evidence.models[slug].name)}:
            owners.setdefault(form, []).append(slug)
    pairs = {(one, other) for own in owners.values() for one in own for other in own if one < other}
    for one, other in sorted(pairs):
        builds = [evidence.models[slug].build for slug in (one, other)]
        if None in builds or builds[0] == builds[1]:
            yield Finding(
                code="duplicate",
                severity="warning",
                models=(one, other),
                message=f"{one} and {other} read the same once spelling is put aside; are they one model?",
                data={"normalised": normalised(one), "builds": builds},
            )


def _sibling_apart(evidence: Evidence, model: Model) -> Iterator[Finding]:
    sibling = evidence.models.get(model.same_weights_as or "")
    if sibling is not None and model.power_rank != sibling.power_rank:
        yield Finding(
            code="same-weights-apart",
            severity="warning",
            models=(model.slug, sibling.slug),
            message=f"{model.slug} ({_rank(model)}) has the weights of {sibling.slug} ({_rank(sibling)}), not its rank",
            data={"ranks": [model.power_rank, sibling.power_rank]},
        )


def _below_prior(evidence: Evidence, model: Model) -> Iterator[Finding]:
    """Yield a successor ranked below its prior model: a warning beyond two standard errors, else for information."""
    prior = evidence.models.get(model.prior or "")
    if prior is None or model.power_rank is None or prior.power_rank is None or model.power_rank >= prior.power_rank:
        return
    apart = CONFLICT_Z * math.hypot(sigma_of(model), sigma_of(prior))
    clear = prior.power_rank - model.power_rank > apart
    yield Finding(
        code="lineage",
        severity="warning" if clear else "info",
        models=(model.slug, prior.slug),
        message=f"{model.slug} ({model.power_rank}) succeeds {prior.slug} ({prior.power_rank}) but stands below it"
        + ("" if clear else ", within the intervals"),
        data={"ranks": [model.power_rank, prior.power_rank], "measured": [model.rank_measured, prior.rank_measured]},
    )


def _rank(model: Model) -> str:
    return "none" if model.power_rank is None else str(model.power_rank)
