"""Checks of programs: sections, thresholds, variables, and branches that are never reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2 import nodes

from catalog.renderer.checks.estates import Estate
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.language import every
from catalog.renderer.linking import OF_THE_RUN
from catalog.renderer.placeholders import RANK
from catalog.renderer.places import Place
from catalog.renderer.program import Program
from catalog.renderer.sources import Source, place_in
from catalog.renderer.thresholds import Threshold, compared

Evals = Mapping[str, Sequence[int]]
"""Suites and cases, such as ``protocol/terse``, and the ranks of the models that they were run for."""
_FEW = 2
"""Distinct thresholds that can be kept in mind."""
_GATES = ("_MODEL_SPEED_RANK", "_MODEL_COST_RANK")
_LOWEST, _HIGHEST = 1, 10**9
"""Bounds of ranks, for branches: no rank lies outside."""


def programs(estate: Estate, evals: Evals | None) -> Iterator[Finding]:
    """Yield what breaks the rules of programs.

    Args:
        estate: the folder.
        evals: what was run, and for which ranks; None where that is not known.
    """
    for own in estate.programs.values():
        yield from _shown(own)
        yield from _sections(own)
        yield from _variables(own)
    yield from _thresholds(estate, evals)
    for source in estate.sources.values():
        yield from _gates(source)
        yield from _unreached(source, source.tree.body, (_LOWEST, _HIGHEST))


def _finding(code: str, place: Place, message: str) -> Finding:
    return Finding(rule=RULES[code], place=place if place.column else place._replace(column=1), message=message)


def _shown(own: Program) -> Iterator[Finding]:
    for chain in own.chains[:1]:
        said = [source for source in chain.sources if source.front.output]
        if said and said[-1].front.output not in own.interfaces:
            output = said[-1].front.output
            yield _finding(
                "P104", place_in(said[-1], "output"), f"the answer is {output}, and {own.name} does not show it"
            )


def _sections(own: Program) -> Iterator[Finding]:
    chain = own.chains[0]
    if len(chain.sources) > 1 and chain.sections and not chain.prompt.front.chosen:
        known = ", ".join(chain.sections)
        yield _finding("P108", Place(own.name, 1), f"no section of {chain.sources[0].file} is set: {known}")


def _variables(own: Program) -> Iterator[Finding]:
    known = {*own.data, *own.assigned, *OF_THE_RUN, "loop"}
    for name, place in own.reads.items():
        if name not in known and not name.startswith("_"):
            yield _finding("P301", place, f"nobody declares {name!r}")
    for name in own.data:
        if name not in own.reads:
            source = next(source for source in own.files if name in (source.front.data or {}))
            yield _finding("P302", place_in(source, "data"), f"nobody reads {name!r}")


def _thresholds(estate: Estate, evals: Evals | None) -> Iterator[Finding]:
    met: dict[Threshold, None] = {}
    for own in estate.programs.values():
        for place in own.loose:
            yield _finding("P201", place, f"{RANK} is read otherwise than compared with an integer")
        met |= dict.fromkeys(own.thresholds)
    values: list[int] = []
    for threshold in met:
        if threshold.cuts[0] not in values:
            values.append(threshold.cuts[0])
            if len(values) == _FEW + 1:
                told = ", ".join(map(str, sorted(values)))
                yield _finding("P207", threshold.place, f"a third distinct threshold: {told}")
        for finding in _claimed(threshold, evals):
            column = estate.line(threshold.place).find(RANK) + 1
            yield Finding(
                rule=finding.rule, place=threshold.place._replace(column=max(column, 1)), message=finding.message
            )
    for own in estate.programs.values():
        if own.thresholds and not any(source.front.type for source in own.chains[0].sources):
            where = ", ".join(dict.fromkeys(str(threshold.place) for threshold in own.thresholds))
            yield _finding("P206", Place(own.name, 1), f"no type is named, and the rank is compared at {where}")


def _claimed(threshold: Threshold, evals: Evals | None) -> Iterator[Finding]:
    claim = threshold.claim
    if claim is None or not claim.text:
        yield _finding("P204", threshold.place, f"nothing is claimed beside {threshold}")
        return
    if not claim.eval:
        yield _finding("P204", threshold.place, f"the claim beside {threshold} names no eval")
    elif evals is not None and claim.eval not in evals:
        yield _finding("P205", threshold.place, f"there is no eval {claim.eval!r}")
    elif evals is not None:
        sides = {threshold.holds(rank) for rank in evals[claim.eval]}
        for side in (True, False):
            if side not in sides:
                where = "is true" if side else "is false"
                yield _finding(
                    "P208", threshold.place, f"{claim.eval} was run for no model of which {threshold} {where}"
                )


def _gates(source: Source) -> Iterator[Finding]:
    """Yield conditions on speed or cost."""
    for node in every(source.tree):
        tests: list[Any] = (
            [getattr(node, "test", None)] if isinstance(node, nodes.If | nodes.CondExpr | nodes.For) else []
        )
        for test in tests:
            for own in [test, *every(test)] if test is not None else ():
                if isinstance(own, nodes.Name) and own.name in _GATES:
                    place = Place(source.file, own.lineno - source.before)
                    yield _finding("P202", place, f"{own.name} decides what is said; only {RANK} may")


def _unreached(source: Source, body: Sequence[nodes.Node], ranks: tuple[int, int]) -> Iterator[Finding]:
    """Yield branches that no rank reaches, among the ranks that reach the branch around them."""
    for node in body:
        if isinstance(node, nodes.If):
            left = ranks
            for own in [node, *node.elif_]:
                inside, left = _divided(own.test, left)
                if inside[0] > inside[1]:
                    place = Place(source.file, own.lineno - source.before)
                    yield _finding("P303", place, "nothing that reaches this condition makes it true")
                yield from _unreached(source, own.body, inside)
            if node.else_ and left[0] > left[1]:
                place = Place(source.file, node.else_[0].lineno - source.before)
                yield _finding("P303", place, "all that reaches this is taken by the conditions before")
            yield from _unreached(source, node.else_, left)
        elif isinstance(node, nodes.For | nodes.Scope):
            yield from _unreached(source, node.body, ranks)


def _divided(test: nodes.Node, ranks: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return which of some ranks make a condition true, and which false; all of them where that depends on more."""
    if isinstance(test, nodes.Const) and isinstance(test.value, bool):
        nothing = (1, 0)
        return (ranks, nothing) if test.value else (nothing, ranks)
    found = compared(test)
    low, high = ranks
    if found is None or found[0] in ("==", "!="):
        return ranks, ranks
    sign, value = found
    cut = value if sign in ("<", ">=") else value + 1
    below, above = (low, min(high, cut - 1)), (max(low, cut), high)
    return (below, above) if sign in ("<", "<=") else (above, below)
