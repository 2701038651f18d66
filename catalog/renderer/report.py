"""Reports: how many tokens the system prompts of a folder take, for whom, and because of which section.

Data is left out unless samples are handed in: what is measured is the text that every call pays for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from jinja2 import nodes

from catalog.errors import CatalogError, UsageError, nearest
from catalog.renderer.checks.estates import Estate
from catalog.renderer.language import every
from catalog.renderer.messages import Message
from catalog.renderer.names import OF_THE_RUN, STATE_NAME
from catalog.renderer.placeholders import RANK
from catalog.renderer.program import Program
from catalog.renderer.renderer import Renderer
from catalog.renderer.rendering import Rendering
from catalog.selector.candidates import Candidate
from catalog.selector.request import Request
from catalog.snapshot import Model
from catalog.tokens import TokenCount, Tokenizer, counted

_EMPTY: Mapping[str, Any] = {
    "text": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
    "list": [],
    "object": {},
    "any": "",
}
"""What stands for data of each kind that no sample says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The system prompt of one prompt for the models of an interval.

    Attributes:
        prompt: its file.
        low, high: ranks of the interval, both inclusive; high is None where it is open.
        tokens: by the name of what counted.
        sections: of these, what each section takes, by the first that counted; those that are off take nothing.
        before: what it took in the report it is compared with; None where that does not have it.
    """

    prompt: str
    low: int
    high: int | None
    tokens: Mapping[str, TokenCount]
    sections: Mapping[str, int]
    before: int | None = None

    @property
    def n(self) -> int:
        """Tokens, by the first that counted."""
        return next(iter(self.tokens.values())).n


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the system prompts of a folder take.

    Attributes:
        rows: by prompt and rank.
        skipped: prompts that cannot be measured, and why: what they read has no sample, or they cannot be read.
        counted_with: what counted, the first first.
        gone: prompts that only the report it is compared with has.
    """

    rows: tuple[Row, ...]
    skipped: Mapping[str, str]
    gone: tuple[str, ...]
    counted_with: tuple[str, ...]

    @property
    def total(self) -> int:
        """Tokens of all rows."""
        return sum(row.n for row in self.rows)

    @property
    def before(self) -> int | None:
        """Tokens of the rows that are compared, as they were; None where none is."""
        found = [row.before for row in self.rows if row.before is not None]
        return sum(found) if found else None

    @property
    def compared(self) -> int:
        """Tokens of these rows now."""
        return sum(row.n for row in self.rows if row.before is not None)


Ends = Sequence[Sequence[int | None]]
"""Low, high and tokens of each interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A report as it is stored.

    Attributes:
        counted_with: the name of what counted.
        prompts: what each takes, by its file.
    """

    counted_with: str
    prompts: Mapping[str, Ends]


def report(
    estate: Estate,
    tokenizers: Sequence[Tokenizer],
    *,
    samples: Mapping[str, Mapping[str, Any]] | None = None,
    against: Stored | None = None,
) -> Report:
    """Return what the system prompts of a folder take.

    Args:
        estate: the folder.
        tokenizers: count, at least one.
        samples: data by the name of the prompt, with or without ``.md``; what is not said is empty.
        against: an earlier report, see `stored`; intervals are parted where its are, so that like is held to like.

    Raises:
        UsageError: for samples of a prompt that is none, and for a report that was counted with something else.
    """
    given = _samples(samples or {}, estate.programs)
    if against is not None and against.counted_with != tokenizers[0].name:
        theirs, ours = against.counted_with, tokenizers[0].name
        why = f"the report to compare with was counted with {theirs}, and this one with {ours}"
        raise UsageError(why, hint=f"Count with the same: --tokenizer {theirs}.")
    rows: list[Row] = []
    skipped = {own.place.file: f"line {own.place.line}: {own.message}" for own in estate.unread}
    for name, own in estate.programs.items():
        if own.loose:
            why = "is read otherwise than compared, so each rank may have its own text"
            skipped[name] = f"{own.loose[0]}: {RANK} {why}"
            continue
        read = _read(own)
        data, state = _data(own, read, given.get(name, {})), read.get(STATE_NAME) or {}
        prompt = _Prompt(renderer=estate.renderer, program=own, data=data, state=state)
        before = against.prompts.get(name, ()) if against is not None else ()
        try:
            asked = estate.renderer.request(name) if own.type is not None else None
            edges = [edge for low, high, _ in before for edge in (low, None if high is None else high + 1)]
            parts = intervals(own, asked, [edge for edge in edges if edge is not None])
            rows += [_row(prompt, low, high, tokenizers, before) for low, high in parts]
        except CatalogError as error:
            skipped[name] = error.message
    here = {row.prompt for row in rows}
    return Report(
        rows=tuple(rows),
        skipped=skipped,
        counted_with=tuple(own.name for own in tokenizers),
        gone=tuple(name for name in (against.prompts if against is not None else ()) if name not in here),
    )


def _samples(samples: Mapping[str, Mapping[str, Any]], programs: Collection[str]) -> dict[str, Mapping[str, Any]]:
    found = {}
    for name, sample in samples.items():
        file = name if name.endswith(".md") else f"{name}.md"
        if file not in programs:
            hint = nearest(file, programs, otherwise=f"Known: {', '.join(programs) or 'none'}.")
            raise UsageError(f"there are samples for {name!r}, which is no prompt that is rendered", hint=hint)
        found[file] = sample
    return found


def stored(made: Report) -> dict[str, Any]:
    """Return a report as it is stored, plain."""
    found: dict[str, list[list[int | None]]] = {}
    for row in made.rows:
        found.setdefault(row.prompt, []).append([row.low, row.high, row.n])
    return {"counted_with": made.counted_with[0], "prompts": found}


def intervals(own: Program, asked: Request | None, more: Iterable[int] = ()) -> list[tuple[int, int | None]]:
    """Return the intervals of ranks between which a prompt's text changes, of those ranks that it asks for.

    Args:
        own: the prompt.
        asked: what it asks of the selector; None where that is not said.
        more: ranks at which intervals are parted beside.
    """
    least = max(1, (asked and asked.min_power) or 1)
    most = asked.max_power if asked is not None else None
    edges = sorted({least, *(cut for cut in (*own.cuts, *more) if cut > least and (most is None or cut <= most))})
    return [*((low, high - 1) for low, high in pairwise(edges)), (edges[-1], most)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prompt:
    """A prompt that is measured: what renders it, with which data and state."""

    renderer: Renderer
    program: Program
    data: Mapping[str, Any]
    state: Mapping[str, Any]

    def text(self, rank: int, **sections: bool) -> str:
        """Return the system prompt for models of a rank."""
        found = self.renderer.render(
            self.program.name, _candidate(self.program, rank), data=self.data, state=self.state, sections=sections
        )
        return _system(found)


def _row(own: _Prompt, low: int, high: int | None, tokenizers: Sequence[Tokenizer], before: Ends) -> Row:
    whole, first = own.text(low), tokenizers[0]
    names = dict.fromkeys(name for chain in own.program.chains for name in chain.sections)
    size = first.count(whole)
    return Row(
        prompt=own.program.name,
        low=low,
        high=high,
        tokens={each.name: counted([whole], each) for each in tokenizers},
        sections={name: size - first.count(own.text(low, **{name: False})) for name in names},
        before=next((end[2] for end in before if _holds(end[0], end[1], low)), None),
    )


def _holds(low: int | None, high: int | None, rank: int) -> bool:
    return (low or 0) <= rank and (high is None or rank <= high)


def _system(found: Rendering) -> str:
    first: Message | None = next(iter(found.messages), None)
    return first.text if first is not None and first.role == "system" else ""


def _data(own: Program, read: Mapping[str, Any], sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return data for a prompt: a sample, defaults, and what is empty for all it reads beside these."""
    known = {*own.data, *own.assigned, *OF_THE_RUN}
    data = {name: value for name, value in read.items() if name not in known and not name.startswith("_")}
    for name, said in own.data.items():
        if said.is_required:
            empty = _EMPTY[said.kind]
            data[name] = read.get(name, empty) if said.kind in ("object", "any") else empty
    return {**data, **sample}


def _read(own: Program) -> dict[str, Any]:
    """Return what stands for all that bodies read where nothing is said: empty texts, below the names of fields."""
    found: dict[str, Any] = {}
    for node in every(own.tree):
        path = _path(node)
        level = found
        for name in path[:-1]:
            if not isinstance(level.get(name), dict):
                level[name] = {}
            level = level[name]
        if path:
            level.setdefault(path[-1], "")
    return found


def _path(node: Any) -> list[str]:
    """Return the name, and the names of fields behind it, that an expression reads; none of any other one."""
    if isinstance(node, nodes.Name):
        return [node.name]
    if isinstance(node, nodes.Getattr):
        inside, name = _path(node.node), node.attr
    elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and isinstance(node.arg.value, str):
        inside, name = _path(node.node), node.arg.value
    else:
        return []
    return [*inside, name] if inside else []


def _candidate(own: Program, rank: int) -> Candidate:
    """Return a candidate of a rank that no catalog knows."""
    facts: dict[str, Any] = {
        **dict.fromkeys(Model._fields), "id": 0, "type": own.type or "llm", "slug": "a-model",
        "name": "A Model", "status": "active", "power_rank": rank, "low": rank, "high": rank, "offers": (),
        "speed_rank": 5, "cost_rank": 5, "context_window": 200_000,
    }  # fmt: skip
    return Candidate(model=Model(**facts), offer=None, price=None)
