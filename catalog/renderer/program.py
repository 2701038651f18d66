"""Programs: a prompt that is linked, analysed and compiled, ready to be rendered for any model and any data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from jinja2 import nodes

from catalog.errors import PromptError
from catalog.renderer.analysis import Analysis
from catalog.renderer.chains import Chain
from catalog.renderer.compiling import Compiled, compiled
from catalog.renderer.data_types import DataType
from catalog.renderer.hashing import hash_of
from catalog.renderer.linking import SYSTEM, Linked, Part, linked
from catalog.renderer.marks import Mark
from catalog.renderer.names import STATE_NAME
from catalog.renderer.placeholders import MODEL_FACTS, RANK
from catalog.renderer.places import Place
from catalog.renderer.sandbox import Sandbox
from catalog.renderer.sources import Source, Sources, place_in
from catalog.renderer.stability import Stability
from catalog.renderer.thresholds import Met, Threshold


@dataclass(frozen=True, kw_only=True)
class Program:
    """A prompt, ready to be rendered.

    Attributes:
        name: its file.
        chains: the prompt's own, and those of its children.
        files: all of its files, in the order in which they are first met.
        parts: texts that are put in as a whole.
        data: what a caller must hand in, by name.
        reads: names that bodies read, and where first.
        assigned: names that bodies give, and where first.
        thresholds: comparisons of the rank, in order.
        cuts: ranks at which the text may change, in order.
        loose: where the rank is read otherwise.
        marks: by the numbers that rendering yields.
        interfaces: names of the types that are shown, and where first.
        sha256: of all of its files.
        tree: all of its texts as one.
        place: gives the place of a line of the tree.
        compiled: gives what runs it, compiled when it is first asked for.
    """

    name: str
    chains: tuple[Chain, ...]
    files: tuple[Source, ...]
    parts: tuple[Part, ...]
    data: Mapping[str, DataType]
    reads: Mapping[str, Place]
    assigned: Mapping[str, Place]
    thresholds: tuple[Threshold, ...]
    cuts: tuple[int, ...]
    loose: tuple[Place, ...]
    marks: tuple[Mark, ...]
    interfaces: Mapping[str, Place]
    sha256: str
    tree: nodes.Template = field(repr=False)
    place: Callable[[int], Place] = field(repr=False)
    compiled: Callable[[], Compiled] = field(repr=False)

    @cached_property
    def mets(self) -> tuple[tuple[Met, Met], ...]:
        """Of each threshold what is reported of it where it does not hold, and where it does."""
        return tuple((Met(threshold=own, holds=False), Met(threshold=own, holds=True)) for own in self.thresholds)

    @cached_property
    def tail(self) -> tuple[Mark, ...]:
        """What goes into the last message."""
        return tuple(mark for mark in self.marks if mark.channel != SYSTEM)

    @property
    def prompt(self) -> Source:
        """The file that was asked for."""
        return self.chains[0].prompt

    @property
    def type(self) -> str | None:
        """The model type that the prompt names, or a base of it, or what is put into it; None where none does."""
        return next((own.front.type for own in self._typed if own.front.type is not None), None)

    @property
    def _typed(self) -> Iterator[Source]:
        yield from reversed(self.chains[0].sources)
        yield from self.files

    def declared_at(self, name: str) -> Place:
        """Return where the files of the prompt first say what a piece of data is."""
        source = next(own for own in self.files if name in (own.front.data or {}))
        return place_in(source, "data")

    @property
    def reads_rank(self) -> bool:
        """Whether the text depends on the PowerRank."""
        return RANK in self.reads

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts of the model that are read, but for a rank that is only compared."""
        return tuple(name for name in MODEL_FACTS if name in self.reads and (name != RANK or self.loose))


def program(sources: Sources, environment: Sandbox, file: str, placeholders: Mapping[str, Stability]) -> Program:
    """Return a prompt, ready to be rendered.

    Args:
        sources: reads its files.
        environment: what its expressions run in.
        file: the prompt.
        placeholders: what it may read beside its data, and how long each stays.

    Raises:
        PromptError: for all that can be wrong with a prompt before anything is rendered, naming file and line.
    """

    def is_volatile(name: str) -> bool:
        return name == STATE_NAME or placeholders.get(name) is Stability.VOLATILE

    found = linked(sources, file, is_volatile)
    analysis = Analysis(sources, found, placeholders)
    analysis.run()
    thresholds = tuple(analysis.thresholds)
    if RANK in analysis.reads:
        _check_types(found)
    return Program(
        name=file,
        chains=tuple(found.chains),
        files=tuple(found.files.values()),
        parts=tuple(found.parts),
        data=_data(found),
        reads=analysis.reads,
        assigned=analysis.assigned,
        thresholds=thresholds,
        cuts=tuple(sorted({cut for own in thresholds for cut in own.cuts})),
        loose=tuple(analysis.loose),
        marks=tuple(analysis.marks),
        interfaces=found.interfaces,
        sha256=hash_of("\0".join(f"{source.file}\0{source.text}" for source in found.files.values())),
        tree=found.tree,
        place=sources.place,
        compiled=cache(lambda: compiled(environment, found.tree, file, sources.place)),
    )


def _check_types(found: Linked) -> None:
    """See that the rank that a text depends on is a rank of one type."""
    typed = [own for own in found.files.values() if own.front.type is not None]
    other = next((own for own in typed if own.front.type != typed[0].front.type), None)
    if other is not None:
        why = f"{RANK} is of type {typed[0].front.type} in {typed[0].file}, and of type {other.front.type} here"
        raise PromptError(why, place=place_in(other, "type"), hint="A rank means something only inside its type.")


def _data(found: Linked) -> dict[str, DataType]:
    """Return what all files of a prompt say of its data."""
    known: dict[str, DataType] = {}
    for source in found.files.values():
        for name, said in (source.front.data or {}).items():
            if name in known and known[name].kind != said.kind:
                why = f"{name} is of the type {known[name].kind} elsewhere, not {said.kind}"
                raise PromptError(why, place=place_in(source, "data"))
            if name not in known or not said.is_required:
                known[name] = said  # what specializes may give a default
    return known
