"""One finding of the audit, and the order findings are told in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about ranks or their evidence that deserves a second look.

    Attributes:
        code: what kind of finding it is, such as ``contradicted``.
        severity: ``error``, ``warning`` or ``info``.
        models: slugs concerned, the one to look at first.
        message: one sentence with the numbers.
        data: the facts behind it, as text and whole numbers.
    """

    code: str
    severity: str
    models: tuple[str, ...]
    message: str
    data: Mapping[str, object]


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings gravest first, then by code, models and message: a total order."""
    return tuple(
        sorted(findings, key=lambda found: (SEVERITIES.index(found.severity), found.code, found.models, found.message))
    )
