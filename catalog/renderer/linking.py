"""Linking: a prompt with its bases, includes and children as one tree, before anything is known of model or data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jinja2 import nodes

from catalog.errors import PromptError, nearest
from catalog.renderer.chains import Chain, Owner
from catalog.renderer.expressions import Expressions, filtered
from catalog.renderer.language import is_state
from catalog.renderer.names import CHILDREN, SPECIALIZATION
from catalog.renderer.places import Place
from catalog.renderer.sandbox import COUNTED
from catalog.renderer.sources import Source, Sources, place_in

CIRCLE = {"is_circle": True}
"""What is said of an error of texts that go in a circle, none of which is a prompt's own."""
MOST_TEXTS = 500
"""Texts that are put into a prompt, those inside the ones inside counted."""
SYSTEM, PART, STATE = "system", "part", "state"
"""Where a text goes: into the system prompt, or into the last message, as a part moved there or as state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A text that is put into another as a whole, and can be moved as a whole.

    Attributes:
        source: its file.
        kind: ``specialization`` or ``child``.
        moved: whether it goes into the last message, by itself or with what it is put into.
        volatile: what it reads that is volatile, and where; the first one.
    """

    source: Source
    kind: str
    moved: bool
    volatile: tuple[str, Place] | None


@dataclass(kw_only=True)
class Linked:
    """A prompt as one tree.

    Attributes:
        tree: what is rendered.
        chains: the prompt's own, and those of its children.
        files: all files, each once, in the order in which they are first met.
        parts: the texts put in as a whole.
        interfaces: names of the types that are shown, and where first.
    """

    tree: nodes.Template = field(default_factory=lambda: nodes.Template([], lineno=1))
    chains: list[Chain] = field(default_factory=list)
    files: dict[str, Source] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)
    interfaces: dict[str, Place] = field(default_factory=dict)


def linked(sources: Sources, file: str, is_volatile: Callable[[str], bool]) -> Linked:
    """Return a prompt as one tree.

    Args:
        sources: reads its files.
        file: the prompt.
        is_volatile: says of a name whether what it stands for is another one at each turn.

    Raises:
        PromptError: for what is missing or goes in circles, naming the chain, file and line.
    """
    made = Linked()
    linker = _Linker(sources, made, is_volatile)
    made.tree.body = linker.chain(file, "prompt", None)
    made.interfaces = linker.expressions.interfaces
    return made


class _Linker:
    """Puts the texts of a prompt together."""

    def __init__(self, sources: Sources, made: Linked, is_volatile: Callable[[str], bool]) -> None:
        self._sources, self._made, self._is_volatile = sources, made, is_volatile
        self.expressions = Expressions(sources.place)
        self._count = 0
        self._open: list[str] = []

    def chain(self, file: str, kind: str, asked_by: Place | None) -> list[nodes.Node]:
        """Return the body of a prompt's furthest base, with all that is put into it."""
        chain = Chain(number=len(self._made.chains), sources=self._bases(file, asked_by))
        self._made.chains.append(chain)
        return self._inlined(chain.sources[0], kind, Owner(chain.sources[0], chain))

    def _bases(self, file: str, asked_by: Place | None) -> tuple[Source, ...]:
        found = [self._asked(file, asked_by, self._open)]
        while found[0].front.base is not None:
            base, at = found[0].front.base, place_in(found[0], "base")
            if base in [own.file for own in found]:
                names = " → ".join([*(own.file for own in reversed(found)), base])
                raise PromptError(f"bases go in a circle: {names}", place=at, data=CIRCLE)
            found.insert(0, self._asked(base, at, [*self._open, *(own.file for own in reversed(found))]))
        return tuple(found)

    def _inlined(self, source: Source, kind: str, owner: Owner) -> list[nodes.Node]:
        """Return the body of a file with all that is put into it."""
        self._count += 1
        if self._count > MOST_TEXTS:
            raise PromptError(f"more than {MOST_TEXTS} texts are put into each other", place=Place(source.file, 1))
        self._made.files.setdefault(source.file, source)
        for name, section in source.front.declared.items():
            if owner.chain.sections.setdefault(name, section) != section:
                raise PromptError(f"the section {name!r} is declared otherwise", place=place_in(source, "sections"))
        self._open.append(source.file)
        body = self._sources.statements(source)
        if kind in (SPECIALIZATION, CHILDREN):
            _drop_last_break(body)
        before = len(self._made.parts)
        made = self._statements(body, owner)
        self._open.pop()
        self._check_specialized(source, kind, owner, before)
        return made

    def _check_specialized(self, source: Source, kind: str, owner: Owner, before: int) -> None:
        """See that what a base is specialized by has its place in it, once."""
        if kind == "include" or source is owner.chain.prompt:
            return
        following = owner.chain.sources[owner.chain.sources.index(source) + 1]
        own = [part for part in self._made.parts[before:] if part.source is following and part.kind == SPECIALIZATION]
        if len(own) != 1:
            how = "no place for what specializes it" if not own else f"{len(own)} places for what specializes it"
            raise PromptError(
                f"the base has {how}", place=Place(source.file, 1), hint=f"Write {{{{ {SPECIALIZATION} }}}} once."
            )

    def _statements(self, body: list[nodes.Node], owner: Owner) -> list[nodes.Node]:
        return [made for node in body for made in self._statement(node, owner)]

    def _statement(self, node: Any, owner: Owner) -> Iterator[nodes.Node]:
        if isinstance(node, nodes.Output):
            yield from self._output(node, owner)
        elif isinstance(node, nodes.If):
            yield self._if(node, owner)
        elif isinstance(node, nodes.For):
            node.iter = filtered(COUNTED, self.expressions.read(node.iter, owner))
            node.test = node.test and self.expressions.read(node.test, owner)
            node.body = self._statements(node.body, owner)
            node.else_ = self._statements(node.else_, owner)
            yield node
        elif isinstance(node, nodes.Assign):
            node.node = self.expressions.read(node.node, owner)
            yield node
        elif isinstance(node, nodes.Include):
            name: Any = node.template  # a constant, as the language has seen to
            source = self._read(name.value, node)
            if source.front.base is not None:
                raise PromptError(
                    f"{source.file!r} specializes {source.front.base!r} and cannot be included",
                    place=self._sources.place(node.lineno),
                    hint=f"Put it in as a child: children: {{name: {source.file}}} and {{{{ {CHILDREN}.name }}}}.",
                )
            yield _scope(self._inlined(source, "include", owner), node)
        else:  # a scope: a block of state
            yield _scope(self._statements(node.body, owner), node, channel=STATE if is_state(node) else None)

    def _if(self, node: Any, owner: Owner) -> nodes.If:
        """Return a condition whose further ones stand in what it says else, so that each is met where it is asked."""
        first, rest = node, node.else_
        for other in reversed(node.elif_):
            rest = [nodes.If(other.test, other.body, [], rest, lineno=other.lineno)]
        return nodes.If(
            self.expressions.read(first.test, owner),
            self._statements(first.body, owner),
            [],
            self._statements(rest, owner),
            lineno=node.lineno,
        )

    def _output(self, node: Any, owner: Owner) -> Iterator[nodes.Node]:
        plain: list[nodes.Expr] = []
        for child in node.nodes:
            part = self._part(child, owner)
            if part is None:
                plain.append(child if isinstance(child, nodes.TemplateData) else self.expressions.read(child, owner))
                continue
            if plain:
                yield nodes.Output(plain, lineno=node.lineno)
                plain = []
            yield part
        if plain:
            yield nodes.Output(plain, lineno=node.lineno)

    def _part(self, node: Any, owner: Owner) -> nodes.Node | None:
        """Return the specialization or the child that stands where something is written; None for anything else."""
        parts = self._made.parts
        inside = len(parts)
        if isinstance(node, nodes.Name) and node.name == SPECIALIZATION:
            body, source = self._specialization(node, owner)
        elif isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name) and node.node.name == CHILDREN:
            body, source = self._child(node, owner)
        else:
            return None
        volatile = self._first_volatile(body)
        moved = {"auto": volatile is not None, "system_prompt": False}.get(source.front.placement, True)
        kind = SPECIALIZATION if isinstance(node, nodes.Name) else "child"
        if moved:  # and all in it
            parts[inside:] = [replace(own, moved=True) for own in parts[inside:]]
        parts.append(Part(source=source, kind=kind, moved=moved, volatile=volatile))
        return _scope(body, node, channel=PART if moved else None, is_part=True)

    def _specialization(self, node: nodes.Node, owner: Owner) -> tuple[list[nodes.Node], Source]:
        following = owner.chain.sources.index(owner.source) + 1
        if following == len(owner.chain.sources):
            raise PromptError(
                "nothing specializes this text",
                place=self._sources.place(node.lineno),
                hint=f"It is a base: render a prompt whose front matter says 'base: {owner.source.file}'.",
            )
        source = owner.chain.sources[following]
        self._refuse_circle(source.file, node)
        return self._inlined(source, SPECIALIZATION, Owner(source, owner.chain)), source

    def _child(self, node: Any, owner: Owner) -> tuple[list[nodes.Node], Source]:
        at, files = self._sources.place(node.lineno), owner.source.front.children
        if node.attr not in files:
            hint = nearest(node.attr, files, otherwise=f"Known: {', '.join(files) or 'none'}.")
            raise PromptError(f"there is no child {node.attr!r}", place=at, hint=hint)
        source = self._read(files[node.attr], node)
        return self.chain(source.file, CHILDREN, at), source

    def _read(self, file: str, node: nodes.Node) -> Source:
        """Return a file that a text asks for."""
        self._refuse_circle(file, node)
        return self._asked(file, self._sources.place(node.lineno), self._open)

    def _asked(self, file: str, at: Place | None, by: Sequence[str]) -> Source:
        try:
            return self._sources.read(file, asked_by=at)
        except PromptError as error:
            if len(by) > 1:
                error.hint = f"{error.hint} It is asked for by {' → '.join(by)}.".strip()
            raise

    def _refuse_circle(self, file: str, node: nodes.Node) -> None:
        if file in self._open:
            names = " → ".join([*self._open, file])
            raise PromptError(f"texts go in a circle: {names}", place=self._sources.place(node.lineno), data=CIRCLE)

    def _first_volatile(self, body: list[nodes.Node]) -> tuple[str, Place] | None:
        work = list(reversed(body))
        while work:
            node = work.pop()
            if isinstance(node, nodes.Scope) and getattr(node, "channel", None) is not None:
                continue  # it goes into the last message by itself
            work += reversed(list(node.iter_child_nodes()))
            if isinstance(node, nodes.Name) and node.ctx == "load" and self._is_volatile(node.name):
                return node.name, self._sources.place(node.lineno)
        return None


def _drop_last_break(body: list[nodes.Node]) -> None:
    """Take the line break off the end of a text that is put into a line."""
    last = body[-1] if body else None
    if isinstance(last, nodes.Output) and last.nodes and isinstance(last.nodes[-1], nodes.TemplateData):
        text = last.nodes[-1]
        text.data = text.data.removesuffix("\n")


def _scope(body: list[nodes.Node], at: nodes.Node, *, channel: str | None = None, is_part: bool = False) -> nodes.Scope:
    made = nodes.Scope(body, lineno=at.lineno)
    made.channel, made.is_part = channel, is_part  # type: ignore[attr-defined] # nodes take attributes
    return made
