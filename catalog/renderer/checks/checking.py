"""Checking: all rules over a folder, without what is suppressed with a reason, and what an old estate is forgiven."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from catalog.renderer.checks.estates import Estate, suppressions
from catalog.renderer.checks.programs import Evals, programs
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.checks.texts import texts

_NEVER = "P002"
"""What no baseline forgives: a suppression is new work, and its reason is known to who writes it."""
_HOW = "Write {# check: CODE because REASON #}, one for each rule."
Baseline = Mapping[str, int]
"""What is forgiven: how often, by the fingerprint of a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found.

    Attributes:
        findings: what breaks a rule, by file, line and code.
        forgiven: how many more stand in the baseline.
        suppressed: how many more are suppressed with a reason.
        files: how many files were read.
    """

    findings: tuple[Finding, ...]
    forgiven: int
    suppressed: int
    files: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(own.rule.severity == "error" for own in self.findings)


def check(estate: Estate, *, evals: Evals | None = None, baseline: Baseline | None = None) -> Checked:
    """Return what breaks a rule in a folder of prompts.

    Args:
        estate: the folder.
        evals: what was run, and for which ranks; the rules about it are left out without.
        baseline: what is forgiven, see `fingerprints`.
    """
    found = {*estate.unread, *texts(estate), *programs(estate, evals)}
    ignored: set[tuple[str, int, str]] = set()
    for source in estate.sources.values():
        for lines, place, code, reason in suppressions(source):
            if not reason or code not in RULES:
                said = "is suppressed without a reason" if code in RULES else "is no rule"
                why = f"{code} {said}" if code else "this suppresses nothing"
                found.add(Finding(rule=RULES["P002"], place=place, message=why, hint=_HOW))
                continue
            ignored |= {(source.file, line, code) for line in lines}
    left = [
        own for own in found if own in estate.unread or (own.place.file, own.place.line, own.rule.code) not in ignored
    ]
    left.sort(key=lambda own: (own.place, own.rule.code, own.message))
    forgiven = Counter(dict(baseline or {}))
    kept = []
    for own in left:
        key = fingerprint(own, estate) if forgiven and own.rule.code != _NEVER else ""
        if forgiven[key] > 0:
            forgiven[key] -= 1
        else:
            kept.append(own)
    return Checked(
        findings=tuple(kept),
        forgiven=len(left) - len(kept),
        suppressed=len(found) - len(left),
        files=estate.files,
    )


def fingerprint(own: Finding, estate: Estate) -> str:
    """Return what a finding is known by though lines move: rule, file, and what stands on its line."""
    line = " ".join(estate.line(own.place).split())
    return f"{own.rule.code} {own.place.file} {sha256(line.encode()).hexdigest()[:12]}"


def fingerprints(findings: Sequence[Finding], estate: Estate) -> dict[str, int]:
    """Return a baseline that forgives some findings, but no suppression without a reason."""
    known = Counter(fingerprint(own, estate) for own in findings if own.rule.code != _NEVER)
    return dict(sorted(known.items()))
