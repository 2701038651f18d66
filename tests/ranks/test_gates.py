"""The gates: each names itself and the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from scipy.stats import kendalltau

from catalog.errors import GateError
from catalog.ranks import gates
from catalog.ranks.evidence import Evidence
from catalog.ranks.placement import place
from tests.ranks import made

GOOD = [(10.0, 100), (20.0, 200), (30.0, 300), (40.0, 400), (50.0, 500), (55.0, 550)]


def _refused(evidence: Evidence, *, today: str = "2026-11-30") -> GateError:
    with pytest.raises(GateError) as caught:
        place(evidence, "new", today=today)
    return caught.value


def _changed(**release: object) -> Evidence:
    base = made.with_newcomer(made.anchored(GOOD), 35.0)
    return replace(base, releases={**base.releases, made.LINK: replace(base.releases[made.LINK], **release)})  # type: ignore[arg-type]


CASES: dict[str, Callable[[], Evidence]] = {
    "anchors": lambda: made.with_newcomer(made.anchored(GOOD[:4]), 25.0),
    "as-of": lambda: made.with_newcomer(made.anchored(GOOD), 35.0, as_of="2026-12-01"),
    "direction": lambda: made.with_newcomer(made.anchored([(-score, rank) for score, rank in GOOD]), -35.0),
    "distinct": lambda: made.with_newcomer(made.anchored([(10.0, rank) for _, rank in GOOD]), 10.0),
    "estimated": lambda: made.with_newcomer(made.anchored(GOOD), 35.0, estimated=True),
    "evidence": lambda: replace(made.anchored(GOOD), models={"new": made.model("new")}),
    "order": lambda: made.with_newcomer(
        made.anchored([(10, 300), (20, 100), (30, 200), (40, 500), (50, 400), (60, 150)]), 35.0
    ),
    "range": lambda: _changed(maximum=30.0),
    "role": lambda: _changed(role="sanity"),
    "sides": lambda: made.with_newcomer(made.anchored(GOOD), 60.0),
    "version": lambda: _changed(version="seen-2026-05-04"),
}


@pytest.mark.parametrize("gate", CASES)
def test_a_gate_that_fails_says_which(gate: str) -> None:
    """Evidence that is not good enough is refused by the gate of that name, with a message and a hint."""
    error = _refused(CASES[gate]())
    assert error.gate == error.data["gate"] == gate
    assert error.message
    assert error.hint


def test_a_refusal_carries_its_numbers() -> None:
    """Four anchors are refused with the four and the five in the message."""
    error = _refused(CASES["anchors"]())
    assert error.data["anchors"] == 4
    assert "4 anchors, 5 are needed" in error.message


@pytest.mark.parametrize("value", [5.0, 15.0])
def test_one_anchor_below_is_not_enough(value: float) -> None:
    """A newcomer needs two anchors at or below its score."""
    assert _refused(made.with_newcomer(made.anchored(GOOD), value)).gate == "sides"


@pytest.mark.parametrize(("released", "published"), [("2026-10-04", None), (None, "2026-11"), (None, "2026-10-04")])
def test_a_score_is_not_older_than_what_it_measures(released: str | None, published: str | None) -> None:
    """An as-of before the release of the model or of the index is refused, at the precision that is known."""
    base = _changed(published=published)
    assert _refused(replace(base, models={**base.models, "new": made.model("new", released=released)})).gate == "as-of"


def test_dates_that_are_only_partly_known_do_not_refuse_the_same_month() -> None:
    """A release published in "2026-10" accepts scores of that month."""
    assert place(_changed(published="2026-10"), "new").power_rank == 350


@given(made.points)
def test_agreement_is_scipys_tau(pairs: list[tuple[float, int]]) -> None:
    """Kendall's τ-b in n log n equals scipy's, ties included."""
    theirs = kendalltau([score for score, _ in pairs], [rank for _, rank in pairs]).statistic
    ours = gates.agreement(made.anchors(pairs))
    assert ours == pytest.approx(0.0 if math.isnan(theirs) else theirs, abs=1e-9)
