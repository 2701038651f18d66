"""The shipped seeds as evidence: models with ordinals and scores, before any rebase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from catalog.connection import reading
from catalog.ranks import load
from catalog.ranks.evidence import Evidence
from catalog.ranks.rebase import RebasePlan, plan
from catalog.store import seeding


@pytest.fixture(scope="session")
def legacy(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Evidence]:
    """The evidence of every type, by type; nothing is ranked."""
    url = f"sqlite:///{tmp_path_factory.mktemp('ranks') / 'legacy.db'}"
    seeding.create(url, fill="legacy")
    with reading(url) as reader:
        return {slug: load.evidence(reader, slug) for slug in load.types(reader)}


@pytest.fixture(scope="session")
def plans(legacy: Mapping[str, Evidence]) -> Mapping[str, RebasePlan]:
    """The rebase plan of every type."""
    return {slug: plan(evidence) for slug, evidence in legacy.items()}


@pytest.fixture(scope="session")
def locked(legacy: Mapping[str, Evidence], plans: Mapping[str, RebasePlan]) -> Mapping[str, Evidence]:
    """The evidence of every type once its rebase is locked."""
    return {slug: _locked(evidence, plans[slug]) for slug, evidence in legacy.items()}


def _locked(evidence: Evidence, planned: RebasePlan) -> Evidence:
    models = dict(evidence.models)
    for row in planned.rows:
        found = row.placement
        models[found.slug] = replace(
            models[found.slug],
            power_rank=found.power_rank,
            low=found.low,
            high=found.high,
            source=found.source,
            index_version=found.index_version,
            as_of=found.as_of,
            rank_release=found.release,
            rank_action="rebase",
            rank_method=found.method,
            rank_measured=found.measured,
        )
    return replace(evidence, models=models)
