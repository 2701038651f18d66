"""Analysis: what a linked prompt reads, how long each piece of its text stays, and which thresholds it meets.

A piece stays as long as the least stable of what it reads, of the conditions and loops around it, and, of a variable,
of all that it is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from jinja2 import nodes

from catalog.errors import PromptError, nearest
from catalog.renderer.language import every
from catalog.renderer.linking import SYSTEM, Linked
from catalog.renderer.marks import Mark
from catalog.renderer.names import OF_THE_RUN, SECTION, STATE_NAME
from catalog.renderer.placeholders import RANK
from catalog.renderer.places import Place
from catalog.renderer.sandbox import MET
from catalog.renderer.sources import Sources
from catalog.renderer.stability import Stability
from catalog.renderer.thresholds import Claims, Threshold, compared


class Analysis:
    """Goes through a linked prompt: what it reads, how long each piece of text stays, and which thresholds it meets."""

    def __init__(self, sources: Sources, found: Linked, placeholders: Mapping[str, Stability]) -> None:
        self._sources, self._found, self._placeholders = sources, found, placeholders
        self._claims = {source.file: Claims(source) for source in found.files.values()}
        self._flags = {chain.flag(name) for chain in found.chains for name in chain.sections}
        self._data = {name for source in found.files.values() for name in source.front.data or ()}
        self._given: dict[int, dict[str, Stability]] = {}
        self._around: list[dict[str, Stability]] = []
        self._kinds: dict[str, tuple[str, str, Stability]] = {}
        self._regions: dict[str, int] = {}
        self._region = 0
        self.marks: list[Mark] = []
        self.reads: dict[str, Place] = {}
        self.assigned: dict[str, Place] = {}
        self.thresholds: dict[Threshold, int] = {}
        self.loose: list[Place] = []

    def run(self) -> None:
        """Go through the tree, first for the names it gives, then for what it writes."""
        for node in every(self._found.tree):
            if isinstance(node, nodes.Name) and node.ctx == "store":
                self.assigned.setdefault(node.name, self._sources.place(node.lineno))
        for name, place in self.assigned.items():
            if name.startswith("_") or name in (STATE_NAME, "loop"):
                raise PromptError(f"the name {name!r} is not a prompt's to give", place=place)
        for chain in self._found.chains:
            chain.chosen()  # complains of a section that is none
        self._settle()
        with self._inside(self._found.tree):
            self._write(self._found.tree.body, SYSTEM, Stability.STATIC, is_part=False)

    def _settle(self) -> None:
        """Find how long what each variable stands for stays: as long as the least stable of what it is given."""
        while True:
            before = {node: dict(names) for node, names in self._given.items()}
            with self._inside(self._found.tree):
                self._give(self._found.tree.body, Stability.STATIC)
            if self._given == before:
                return

    @contextmanager
    def _inside(self, node: nodes.Node) -> Iterator[None]:
        """Look names up among those that are given inside of a loop or scope, too."""
        self._around.append(self._given.setdefault(id(node), {}))
        yield
        self._around.pop()

    def _give(self, body: list[nodes.Node], around: Stability) -> None:
        for node in body:
            if isinstance(node, nodes.Assign):
                self._name_given(node.target, max(around, self._stability(node.node)))
            elif isinstance(node, nodes.For):
                inside = self._of_loop(node, around)
                with self._inside(node):
                    self._name_given(node.target, inside)
                    self._name_given(nodes.Name("loop", "store"), inside)
                    self._give(node.body, inside)
                self._give(node.else_, inside)
            elif isinstance(node, nodes.If):
                inside = max(around, self._stability(node.test))
                self._give(node.body, inside)
                self._give(node.else_, inside)
            elif isinstance(node, nodes.Scope):
                with self._inside(node):
                    self._give(node.body, around)

    def _of_loop(self, node: nodes.For, around: Stability) -> Stability:
        """Return how long what a loop goes through stays."""
        with self._inside(node):
            test = self._stability(node.test)
        return max(around, self._stability(node.iter), test)

    def _name_given(self, target: nodes.Node, stability: Stability) -> None:
        names = self._around[-1]
        for own in [target, *every(target)]:
            if isinstance(own, nodes.Name):
                names[own.name] = max(names.get(own.name, Stability.STATIC), stability)

    def _stability(self, node: nodes.Node | None) -> Stability:
        names = [node, *every(node)] if node is not None else []
        found = [self._of_name(own.name) for own in names if isinstance(own, nodes.Name) and own.ctx == "load"]
        return max(found, default=Stability.STATIC)

    def _of_name(self, name: str) -> Stability:
        given = [names[name] for names in self._around if name in names]
        if given:
            return max(*given, Stability.SESSION if name in self._data else Stability.STATIC)
        if name in self._placeholders:
            return self._placeholders[name]
        if name.startswith(SECTION) or name in OF_THE_RUN - {STATE_NAME}:
            return Stability.STATIC
        return Stability.VOLATILE if name == STATE_NAME else Stability.SESSION

    def _write(self, body: list[nodes.Node], channel: str, around: Stability, *, is_part: bool) -> None:
        """Mark what is written, and refuse what would break a prompt cache."""
        events = {place: self._read(node, channel, is_part=is_part) for place, node in enumerate(body)}
        for node in body:
            if isinstance(node, nodes.Output):
                node.groups = list(self._groups(node, channel, around, is_part=is_part))  # type: ignore[attr-defined]
            elif isinstance(node, nodes.If):
                inside = max(around, self._stability(node.test))
                self._write(node.body, channel, inside, is_part=is_part)
                self._write(node.else_, channel, inside, is_part=is_part)
            elif isinstance(node, nodes.For):
                inside = self._of_loop(node, around)
                before = len(self.marks)
                with self._inside(node):
                    self._write(node.body, channel, inside, is_part=is_part)
                node.body[:0] = _turns(self.marks[before:], node)
                self._write(node.else_, channel, inside, is_part=is_part)
            elif isinstance(node, nodes.Scope):
                own: Any = node
                inner = channel if channel != SYSTEM else own.channel or SYSTEM
                with self._inside(node):
                    self._write(node.body, inner, around, is_part=is_part or own.is_part)
        for place, met in sorted(events.items(), reverse=True):
            if met:
                body.insert(place, _event(met, body[place]))

    def _groups(
        self, node: nodes.Output, channel: str, around: Stability, *, is_part: bool
    ) -> Iterator[tuple[int, list[nodes.Node]]]:
        """Yield the children of an output that are of one line and stability, with the number of their mark."""
        stabilities = [max(around, self._stability(child)) for child in node.nodes]
        for stability, child in zip(stabilities, node.nodes, strict=True):
            self._check(stability, child, channel, is_part=is_part)
        pairs = zip(stabilities, node.nodes, strict=True)
        for (stability, line), group in groupby(pairs, key=lambda own: (own[0], own[1].lineno)):
            children: list[nodes.Node] = [child for _, child in group]
            texts = tuple(isinstance(child, nodes.TemplateData) for child in children)
            yield self._mark(channel, self._sources.place(line), stability, texts), children

    def _mark(self, channel: str, place: Place, stability: Stability, texts: tuple[bool, ...]) -> int:
        """Return the number of a new mark."""
        kind = (channel, place.file, stability)
        if self._kinds.get(channel) != kind:
            self._kinds[channel] = kind
            self._regions[channel] = self._region = self._region + 1
        self.marks.append(
            Mark(channel=channel, place=place, stability=stability, texts=texts, region=self._regions[channel])
        )
        return len(self.marks) - 1

    def _read(self, node: nodes.Node, channel: str, *, is_part: bool) -> list[int]:
        """Note what a statement itself reads, and return the numbers of the thresholds that it meets."""
        met: list[int] = []
        for expression in _expressions(node):
            inside = [expression, *every(expression)]
            compares: set[int] = set()
            sometimes = set(map(id, _sometimes(node, inside)))
            for own in inside:
                found = compared(own)
                if found is not None:
                    compares |= set(map(id, every(own)))
                    number = self._threshold(own, *found)
                    own.threshold = number  # type: ignore[attr-defined] # nodes take attributes
                    if id(own) in sometimes:
                        _note(own, number)
                    else:
                        met.append(number)
            for own in inside:
                if isinstance(own, nodes.Name) and own.ctx == "load":
                    self._name(own, channel, is_part=is_part)
                    if own.name == RANK and id(own) not in compares:
                        self.loose.append(self._sources.place(own.lineno))
        return met

    def _threshold(self, node: Any, sign: str, value: int) -> int:
        place = self._sources.place(node.expr.lineno)  # of the comparison itself Jinja2 says where it ends
        made = Threshold(
            place=place, sign=sign, value=value, claim=self._claims[place.file].beside(place.line, sign, value)
        )
        return self.thresholds.setdefault(made, len(self.thresholds))

    def _name(self, node: nodes.Name, channel: str, *, is_part: bool) -> None:
        name, place = node.name, self._sources.place(node.lineno)
        if name.startswith(SECTION):
            if name not in self._flags:
                section = name.removeprefix(SECTION).partition("_")[2]
                known = sorted({own for chain in self._found.chains for own in chain.sections})
                hint = nearest(section, known, otherwise=f"Known: {', '.join(known) or 'none'}.")
                raise PromptError(f"there is no section {section!r}", place=place, hint=hint)
            return
        if name.startswith("_") and name not in self._placeholders:
            hint = nearest(name, self._placeholders, otherwise="Register it with placeholders=.")
            raise PromptError(f"there is no placeholder {name}", place=place, hint=hint)
        self.reads.setdefault(name, place)
        self._check(self._of_name(name), node, channel, is_part=is_part)

    def _check(self, stability: Stability, node: nodes.Node, channel: str, *, is_part: bool) -> None:
        if stability is Stability.VOLATILE and channel == SYSTEM and not is_part:
            what = f" {node.name}" if isinstance(node, nodes.Name) else ""
            raise PromptError(
                f"what{what} says changes from turn to turn, and no prompt cache could hold what follows",
                place=self._sources.place(node.lineno),
                hint="Read it inside {% state %} … {% endstate %}, which goes into the last message.",
                data={"rule": "P109"},
            )


def _expressions(node: nodes.Node) -> Iterator[nodes.Node]:
    """Yield the expressions of a statement itself, without those of the statements in it."""
    if isinstance(node, nodes.Output):
        yield from (child for child in node.nodes if not isinstance(child, nodes.TemplateData))
    elif isinstance(node, nodes.If):
        yield node.test
    elif isinstance(node, nodes.For):
        yield from (own for own in (node.iter, node.test) if own is not None)
    elif isinstance(node, nodes.Assign):
        yield node.node


def _sometimes(node: nodes.Node, inside: Sequence[nodes.Node]) -> Iterator[nodes.Node]:
    """Yield what lies in an expression of a statement and is not always asked for when the statement is reached.

    Args:
        node: the statement.
        inside: the expression, and all that lies in it.
    """
    if isinstance(node, nodes.For) and inside[0] is node.test:
        yield from inside
    for own in inside:
        skipped: list[nodes.Node | None] = []
        if isinstance(own, nodes.And | nodes.Or):
            skipped = [own.right]
        elif isinstance(own, nodes.CondExpr):
            skipped = [own.expr1, own.expr2]
        for part in skipped:
            if part is not None:
                yield part
                yield from every(part)


def _note(comparison: Any, number: int) -> None:
    """Let a comparison note that its threshold is met, when it is."""
    comparison.expr = nodes.Filter(
        comparison.expr, MET, [nodes.Const(number)], [], None, None, lineno=comparison.lineno
    )


def _event(met: list[int], at: nodes.Node) -> nodes.Output:
    """Return what says, when it is reached, that thresholds are met."""
    return _said([-1 - number for number in met], at)


def _turns(marks: Sequence[Mark], at: nodes.Node) -> list[nodes.Node]:
    """Return what says that a loop turns, to the channels in which its texts are of several regions.

    There a text must not be joined with the one of the turn before, whatever stands between them this time.
    """
    regions: dict[str, set[int]] = {}
    for mark in marks:
        regions.setdefault(mark.channel, set()).add(mark.region)
    channels = sorted(channel for channel, own in regions.items() if len(own) > 1)
    return [_said(channels, at)] if channels else []


def _said(signs: Sequence[int | str], at: nodes.Node) -> nodes.Output:
    made = nodes.Output([], lineno=at.lineno)
    made.groups = [(sign, []) for sign in signs]  # type: ignore[attr-defined] # nodes take attributes
    return made
