"""The selector: one request, one decision, fully explained; and what to do when the chosen route fails.

Names are imported when they are first used: a program that only selects does not load failover and pool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.lazy import importer

if TYPE_CHECKING:
    from catalog.selector.candidates import Candidate
    from catalog.selector.decision import Decision, Rule
    from catalog.selector.explanation import WhyNot, explain, pareto, why_not
    from catalog.selector.failover import Failover
    from catalog.selector.failures import Verdict, classify
    from catalog.selector.fields import Bound
    from catalog.selector.health import Cooling, Health
    from catalog.selector.needs import Rejection
    from catalog.selector.order import Balances
    from catalog.selector.outcome import Attempt, Outcome, Skip, Switch
    from catalog.selector.policy import Policy
    from catalog.selector.pool import Pool, PoolOutcome, Result, first_success
    from catalog.selector.request import Request
    from catalog.selector.selection import select

__all__ = [
    "Attempt",
    "Balances",
    "Bound",
    "Candidate",
    "Cooling",
    "Decision",
    "Failover",
    "Health",
    "Outcome",
    "Policy",
    "Pool",
    "PoolOutcome",
    "Rejection",
    "Request",
    "Result",
    "Rule",
    "Skip",
    "Switch",
    "Verdict",
    "WhyNot",
    "classify",
    "explain",
    "first_success",
    "pareto",
    "select",
    "why_not",
]

_HOMES = {
    "Attempt": "catalog.selector.outcome",
    "Balances": "catalog.selector.order",
    "Bound": "catalog.selector.fields",
    "Candidate": "catalog.selector.candidates",
    "Cooling": "catalog.selector.health",
    "Decision": "catalog.selector.decision",
    "Failover": "catalog.selector.failover",
    "Health": "catalog.selector.health",
    "Outcome": "catalog.selector.outcome",
    "Policy": "catalog.selector.policy",
    "Pool": "catalog.selector.pool",
    "PoolOutcome": "catalog.selector.pool",
    "Rejection": "catalog.selector.needs",
    "Request": "catalog.selector.request",
    "Result": "catalog.selector.pool",
    "Rule": "catalog.selector.decision",
    "Skip": "catalog.selector.outcome",
    "Switch": "catalog.selector.outcome",
    "Verdict": "catalog.selector.failures",
    "WhyNot": "catalog.selector.explanation",
    "classify": "catalog.selector.failures",
    "explain": "catalog.selector.explanation",
    "first_success": "catalog.selector.pool",
    "pareto": "catalog.selector.explanation",
    "select": "catalog.selector.selection",
    "why_not": "catalog.selector.explanation",
}

__getattr__ = importer(__name__, _HOMES)
