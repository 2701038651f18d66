"""The audit: what it finds, what it explains, what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from catalog.canonical import dumps
from catalog.ranks.audit import Finding, check
from catalog.ranks.contradiction import significant
from catalog.ranks.evidence import Evidence
from catalog.ranks.identity import normalised
from tests.ranks import made

TODAY = "2026-11-30"
RANKS = range(60, 600, 30)


def _check(evidence: Evidence, *, today: str = TODAY) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in check(evidence, today=today, stale_days=180, thresholds=(100, 500)):
        found.setdefault(finding.code, []).append(finding)
    return found


def _catalog(changes: Mapping[str, Mapping[str, Any]] | None = None, **values: Mapping[str, float]) -> Evidence:
    """Return eighteen locked models that two other publishers, newer, read where they are ranked, but for `values`."""
    models = [made.model(f"m-{rank}", rank, **(changes or {}).get(f"m-{rank}", {})) for rank in RANKS]
    scores, number = [], 0
    for key, release in (("eci", "eci@1"), ("bench", "bench@1")):
        for place, model in enumerate(models):
            number += 1
            value = values.get(key, {}).get(model.slug, RANKS[place] / 10 + (-1) ** place / 5)
            scores.append(made.score(number, release, model.slug, value, as_of="2026-11-01"))
    return made.evidence(models, scores)


def test_ranks_that_all_agree_are_left_alone() -> None:
    """Where every publisher reads what is locked, nothing graver than information is found."""
    assert {finding.severity for own in _check(_catalog()).values() for finding in own} <= {"info"}


def test_two_newer_publishers_against_a_rank_are_an_error() -> None:
    """A rank that two other publishers read far higher, newer than its evidence, is contradicted beyond doubt."""
    (found,) = _check(_catalog(eci={"m-150": 42.0}, bench={"m-150": 41.0}))["contradicted"]
    assert (found.severity, found.models) == ("error", ("m-150",))
    assert found.data["publishers"] == ["Bench", "Epoch"]


def test_one_newer_publisher_is_information() -> None:
    """One publisher alone against a rank is no more than information."""
    (found,) = _check(_catalog(eci={"m-150": 42.0}))["contradicted"]
    assert found.severity == "info"


def test_publishers_that_pull_apart_contradict_nothing_together() -> None:
    """Two publishers that disagree in opposite directions are no warning."""
    found = _check(_catalog(eci={"m-330": 52.0}, bench={"m-330": 9.0})).get("contradicted", [])
    assert {finding.severity for finding in found} <= {"info"}


def test_older_evidence_contradicts_nothing() -> None:
    """Scores that are older than the rank's own evidence do not question it."""
    base = _catalog(eci={"m-150": 42.0}, bench={"m-150": 41.0})
    old = replace(base, scores=tuple(replace(score, as_of="2026-01-01") for score in base.scores))
    assert "contradicted" not in _check(old)


def test_a_model_does_not_speak_for_itself() -> None:
    """A wrong rank is found although it is an anchor of the very curves that test it."""
    base = _catalog({"m-570": {"power_rank": 90, "low": 82, "high": 98}})
    (found,) = _check(base)["contradicted"]
    assert (found.models, found.severity) == (("m-570",), "error")


def test_two_publishers_order_a_pair_the_other_way() -> None:
    """A pair that two publishers clearly order the other way is an inversion, the higher ranked named first."""
    swapped = {"m-240": 48.0, "m-480": 24.0}
    found = _check(_catalog(eci=swapped, bench=swapped))["inversion"]
    assert ("m-480", "m-240") in [finding.models for finding in found]


def test_an_inversion_with_an_estimate_is_explained() -> None:
    """If one rank of the pair was never measured, that explains the pair; it is not reported as an inversion."""
    swapped = {"m-240": 48.0, "m-480": 24.0}
    soft = {"rank_measured": False, "rank_method": "base-map"}
    found = _check(_catalog({"m-480": soft}, eci=swapped, bench=swapped))
    assert ("m-480", "m-240") in [finding.models for finding in found["estimated-vs-measured"]]
    assert ("m-480", "m-240") not in [finding.models for finding in found.get("inversion", [])]


def test_the_golden_trap(locked: Mapping[str, Evidence]) -> None:
    """GPT-5 mini medium above high is explained as a conversion against a measurement, and is no inversion."""
    found = _check(locked["llm"])
    messages = [finding.message for finding in found["estimated-vs-measured"] if finding.models == ("gpt-5-mini",)]
    assert any("aa@4.3" in text and "20.6" in text and "16.8" in text and "conversion" in text for text in messages)
    assert not any("gpt-5-mini" in finding.models for finding in found.get("inversion", []))
    assert not any("gpt-5-mini" in finding.models for finding in found.get("effort-order", []))


SINGLE: dict[str, tuple[dict[str, Any], str]] = {
    "version-missing": ({"index_version": None}, "error"),
    "estimated-evidence": ({"rank_measured": False}, "info"),
    "legacy-only": ({"rank_measured": False, "rank_method": "legacy-interpolated", "rank_release": None}, "info"),
    "stale": ({"as_of": "2026-01-01"}, "warning"),
    "straddles": ({"low": 90, "high": 210}, "info"),
    "unranked": ({"power_rank": None}, "info"),
    "same-weights-apart": ({"same_weights_as": "m-450"}, "warning"),
    "lineage": ({"prior": "m-450"}, "warning"),
    "duplicate": ({"name": "450 M"}, "warning"),
}


@pytest.mark.parametrize("code", SINGLE)
def test_one_fault_one_finding(code: str) -> None:
    """Each fault planted in a sound catalog is found at that model, with its severity, and only there."""
    fault, severity = SINGLE[code]
    sound = _catalog()
    releases = {**sound.releases, "aa@5": replace(sound.releases[made.REFERENCE], key="aa@5", published="2026-09")}
    newer = made.score(999, "aa@5", "m-450", 45.0)
    sound = replace(sound, releases=releases, scores=(*sound.scores, newer))
    broken = replace(sound, models={**sound.models, "m-150": replace(sound.models["m-150"], **fault)})
    before = [finding.models for finding in _check(sound).get(code, [])]
    (found,) = [finding for finding in _check(broken)[code] if finding.models not in before]
    assert found.severity == severity
    assert "m-150" in found.models


def test_a_successor_within_the_intervals_is_only_information() -> None:
    """A successor a little below its prior model, within the intervals, is no warning."""
    (found,) = _check(_catalog({"m-150": {"prior": "m-180", "low": 100, "high": 200}}))["lineage"]
    assert found.severity == "info"


def test_an_old_rank_is_not_stale_while_nothing_newer_exists() -> None:
    """Age alone is no fault: without a newer release of the type nothing is stale."""
    assert "stale" not in _check(_catalog(), today="2029-01-01")


def test_efforts_are_compared_with_the_policy() -> None:
    """A model ranked at one effort and linked at another is told, and so is a newer score of its own release."""
    base = _catalog()
    scores = [
        made.score(900, made.REFERENCE, "m-150", 15.0, effort="max", as_of="2026-11-20"),
        made.score(901, made.LINK, "m-150", 17.0, effort="low"),
    ]
    found = _check(replace(base, scores=(*base.scores, *scores)))
    assert [finding.models for finding in found["newer-score"]] == [("m-150",)]
    assert made.LINK in [finding.data["release"] for finding in found["effort-mismatch"]]


def test_a_version_nobody_states_is_named() -> None:
    """A release seen on a date, with no stated version, is named, gravely if it counts as capability evidence."""
    base = _catalog()
    for role, severity in (("sanity", "info"), ("capability", "warning")):
        seen = replace(base.releases["bench@1"], version="seen-2026-05-04", role=role)
        (found,) = _check(replace(base, releases={**base.releases, "bench@1": seen}))["version-unstated"]
        assert found.severity == severity


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Claude 4.5 Opus", "claude-opus-4-5", True),
        ("GPT-5 mini", "gpt5mini", True),
        ("gpt-4-5", "gpt-5-4", False),
        ("Command A", "Command A+", False),
        ("deepseek-v4-flash-0420", "deepseek-v4-flash-0731", False),
    ],
)
def test_spelling_is_put_aside_but_not_numbers(one: str, other: str, same: bool) -> None:
    """Names that differ in case, separators or the order of words are one; numbers in another order are not."""
    assert (normalised(one) == normalised(other)) is same


@given(st.lists(st.floats(1e-9, 1), min_size=1, max_size=40))
def test_false_discoveries_are_held_down_as_scipy_does(p_values: list[float]) -> None:
    """The p-values Benjamini and Hochberg's procedure rejects are those scipy adjusts to at most 5 %."""
    limit = significant(p_values)
    theirs = np.asarray(false_discovery_control(p_values)) <= 0.05 + 1e-12
    assert [p <= limit for p in p_values] == list(theirs)


def test_findings_come_gravest_first_and_as_plain_data(locked: Mapping[str, Evidence]) -> None:
    """Findings are in a total order, errors first, the same every time, and hold nothing canonical JSON cannot."""
    for evidence in locked.values():
        found = check(evidence, today=TODAY, stale_days=180, thresholds=(100, 500))
        assert found == check(evidence, today=TODAY, stale_days=180, thresholds=(100, 500))
        grades = [("error", "warning", "info").index(finding.severity) for finding in found]
        assert grades == sorted(grades)
        dumps([dict(finding.data) for finding in found])
