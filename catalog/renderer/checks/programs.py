"""Checks of programs: sections, thresholds, variables, and branches that are never reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from jinja2 import nodes

from catalog.renderer.checks.branches import unreached
from catalog.renderer.checks.estates import Estate, children_in
from catalog.renderer.checks.reads import names_of, unasked
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.given import flags_of
from catalog.renderer.interfaces import fields_of
from catalog.renderer.language import every
from catalog.renderer.names import INTERFACE, OF_THE_RUN
from catalog.renderer.placeholders import RANK
from catalog.renderer.places import Place
from catalog.renderer.program import Program
from catalog.renderer.sources import Source, place_in
from catalog.renderer.thresholds import Threshold

Evals = Mapping[str, Sequence[int]]
"""Suites and cases, such as ``protocol/terse``, and the ranks of the models that they were run for."""
_FEW = 2
"""Distinct thresholds that can be kept in mind."""
_GATES = ("_MODEL_SPEED_RANK", "_MODEL_COST_RANK")


def programs(estate: Estate, evals: Evals | None) -> Iterator[Finding]:
    """Yield what breaks the rules of programs.

    Args:
        estate: the folder.
        evals: what was run, and for which ranks; None where that is not known.
    """
    for own in estate.programs.values():
        yield from _shown(own)
        yield from _sections(own, estate)
        yield from _moved(own)
        yield from _variables(own, estate)
    yield from unreached(estate)
    yield from _thresholds(estate, evals)
    for source in estate.sources.values():
        yield from _gates(source, estate)
        for name in sorted(source.front.children.keys() - children_in(source)):
            yield _finding("P302", place_in(source, "children"), f"nobody puts in {name!r}")


def _finding(code: str, place: Place, message: str) -> Finding:
    return Finding(rule=RULES[code], place=place if place.column else place._replace(column=1), message=message)


def _shown(own: Program) -> Iterator[Finding]:
    shown = _shown_types(own.tree.body, flags_of(own, {}))
    for chain in own.chains:
        said = [source for source in chain.sources if source.front.output]
        if said and said[-1].front.output not in shown:
            output = said[-1].front.output
            yield _finding(
                "P104", place_in(said[-1], "output"), f"the answer is {output}, and {own.name} does not show it"
            )


def _shown_types(body: Iterable[nodes.Node], flags: Mapping[str, bool]) -> set[str]:
    """Return the names of the types that are shown, but for those in sections that are off."""
    found: set[str] = set()
    work = list(body)
    while work:
        node = work.pop()
        if isinstance(node, nodes.If) and isinstance(node.test, nodes.Name) and node.test.name in flags:
            work += node.body if flags[node.test.name] else node.else_
            continue
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name == INTERFACE:
            found.add(node.args[0].value)  # type: ignore[attr-defined] # a constant
        work += node.iter_child_nodes()
    return found


def _moved(own: Program) -> Iterator[Finding]:
    """Yield texts that read what changes, and that are kept in the system prompt all the same."""
    for part in own.parts:
        if part.volatile is not None and not part.moved:
            name, place = part.volatile
            yield _finding("P109", place, f"placement: {part.source.front.placement} keeps {name} in the system prompt")


def _sections(own: Program, estate: Estate) -> Iterator[Finding]:
    shown = [fields_of(estate.interfaces[name]) for name in own.interfaces]
    for source in own.files:
        for name, section in source.front.declared.items():
            if section.field and shown and not any(section.field in fields for fields in shown):
                what = f"{name} goes with {section.field!r}, a field of no type that {own.name} shows"
                yield _finding("P110", place_in(source, "sections"), what)
    for chain in own.chains:
        known = [name for name in chain.sections if name not in chain.prompt.front.declared]
        if len(chain.sources) > 1 and known and not chain.prompt.front.chosen:
            what = f"no section of {chain.sources[0].file} is set: {', '.join(known)}"
            yield _finding("P108", place_in(chain.prompt, "base"), what)


def _variables(own: Program, estate: Estate) -> Iterator[Finding]:
    known = frozenset({*own.data, *OF_THE_RUN} - {"loop"})
    first: dict[str, int] = {}
    for name, line in unasked(own.tree.body, known):
        first.setdefault(name, line)
    for name, line in first.items():
        if name in estate.unsaid:
            why = f"nobody registers {name}; where a program does, say --placeholder {name}"
            yield _finding("P301", estate.at(own.place(line), name), why)
        elif not name.startswith("_"):
            yield _finding("P301", estate.at(own.place(line), name), f"nobody declares {name!r}")
    for name in own.data:
        if name not in own.reads:
            yield _finding("P302", own.declared_at(name), f"nobody reads {name!r}")
    for node in every(own.tree):
        if isinstance(node, nodes.Assign):
            for name in sorted(names_of(node.target) - own.reads.keys()):
                yield _finding("P302", estate.at(own.place(node.lineno), name), f"nobody reads {name!r}")


def _thresholds(estate: Estate, evals: Evals | None) -> Iterator[Finding]:
    met: dict[tuple[str, Threshold], None] = {}
    for own in estate.programs.values():
        for place in own.loose:
            yield _finding("P201", estate.at(place, RANK), f"{RANK} is read otherwise than compared with one integer")
        met |= dict.fromkeys((own.type or "", threshold) for threshold in own.thresholds)
    known: dict[str, dict[int, str]] = {}
    for kind, threshold in met:
        place = threshold.place._replace(column=threshold.column(estate.line(threshold.place)))
        values = known.setdefault(kind, {})
        if threshold.cuts[0] not in values:
            values[threshold.cuts[0]] = f"{threshold.sign} {threshold.value}"
            if len(values) == _FEW + 1:
                told = ", ".join(values[cut] for cut in sorted(values))
                yield _finding("P207", place, f"a third distinct threshold: {told}")
        yield from _claimed(threshold, place, evals)
    for own in estate.programs.values():
        if own.thresholds and own.type is None:
            first = own.thresholds[0].place
            yield _finding("P206", estate.at(first, RANK), f"{own.name} names no type, and the rank is compared")


def _claimed(threshold: Threshold, place: Place, evals: Evals | None) -> Iterator[Finding]:
    claim = threshold.claim
    if claim is None or not claim.text:
        yield _finding("P204", place, f"nothing is claimed beside {threshold}")
        return
    if not claim.eval:
        yield _finding("P204", place, f"the claim beside {threshold} names no eval")
    elif evals is not None and claim.eval not in evals:
        yield _finding("P205", place, f"there is no eval {claim.eval!r}")
    elif evals is not None:
        sides = {threshold.holds(rank) for rank in evals[claim.eval]}
        for side in (True, False):
            if side not in sides:
                where = "is true" if side else "is false"
                yield _finding("P208", place, f"{claim.eval} was run for no model of which {threshold} {where}")


def _gates(source: Source, estate: Estate) -> Iterator[Finding]:
    """Yield where speed or cost is read otherwise than to be written as it is."""
    outputs = [child for node in source.nodes if isinstance(node, nodes.Output) for child in node.nodes]
    parts = [part for own in outputs for part in (own.nodes if isinstance(own, nodes.Concat) else [own])]
    written = {id(_written(part)) for part in parts}
    for own in source.nodes:
        if isinstance(own, nodes.Name) and own.name in _GATES and id(own) not in written:
            place = Place(source.file, own.lineno - source.before)
            yield _finding("P202", estate.at(place, own.name), f"{own.name} decides what is said; only {RANK} may")


def _written(node: nodes.Node | None) -> nodes.Node | None:
    """Return what is written where an expression is, before filters such as ``default``."""
    while isinstance(node, nodes.Filter) and node.name in ("d", "default", "json", "string"):
        node = node.node
    return node
