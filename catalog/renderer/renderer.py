"""The renderer: a folder of prompts, rendered for the candidate that was chosen."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from threading import RLock
from typing import Any

from jinja2.runtime import Context

from catalog import settings
from catalog.errors import CatalogError, PromptError, UsageError, nearest
from catalog.renderer import caches, layout
from catalog.renderer.complaints import complaint
from catalog.renderer.folder import Folder
from catalog.renderer.given import by_name, check_rank, checked, flags_of, had
from catalog.renderer.hashing import hash_of_data
from catalog.renderer.language import sandbox
from catalog.renderer.limits import Work
from catalog.renderer.messages import Message, history_of
from catalog.renderer.names import INTERFACE, STATE_NAME, WORK
from catalog.renderer.placeholders import BUILT_IN, MODEL_FACTS, RANK, TIMES, ZONE, registered
from catalog.renderer.places import Place
from catalog.renderer.program import Program, program
from catalog.renderer.registry import Registry
from catalog.renderer.rendering import Rendering, count
from catalog.renderer.segments import Written, written
from catalog.renderer.sources import Source, Sources, place_in
from catalog.renderer.thresholds import Met, interval
from catalog.renderer.values import plain
from catalog.selector.candidates import Candidate
from catalog.selector.request import Request
from catalog.tokens import TokenCount

_NO_CANDIDATE = "Hand in decision.chosen; where it is None, explain(decision) says why nobody can be chosen."
Clock = Callable[[], dt.datetime]
Data = Mapping[str, Any]


class Renderer:
    """Renders the prompts of a folder; each file is read when it is first asked for, and once.

    Args:
        root: the folder.
        interfaces: types by the names under which prompts show them: Pydantic models or JSON Schemas. Those in the
            folder's files ``interfaces/NAME.json`` need not be named.
        clock: gives the time, with its zone; the one of `settings` by default.
        placeholders: what prompts may read beside their data, by names such as ``_TEAM``: plain values, functions
            without arguments, or `Registered`.

    Raises:
        PromptError: where there is no such folder.
        UsageError: for a placeholder that is none.
    """

    def __init__(
        self,
        root: Path | str,
        *,
        interfaces: Mapping[str, Any] | None = None,
        clock: Clock = settings.now,
        placeholders: Mapping[str, Any] | None = None,
    ) -> None:
        self._environment = sandbox()
        folder = Folder.at(root)
        self._sources = Sources(folder, self._environment)
        self.types = Registry(folder, interfaces)
        self._clock = clock
        self._own = registered(placeholders)
        self._known = {**BUILT_IN, **{name: own.stability for name, own in self._own.items()}}
        self._programs: dict[str, Program] = {}
        self._lock = RLock()

    def source(self, file: str) -> Source:
        """Return a file as it was read.

        Raises:
            PromptError: when it is missing or no prompt, naming file and line.
        """
        with self._lock:
            return self._sources.read(file)

    def program(self, name: str) -> Program:
        """Return a prompt as it is before anything is known of model and data.

        Args:
            name: its path below the folder; ``.md`` may be left out.

        Raises:
            PromptError: for all that can be wrong with it, naming file and line.
        """
        if not isinstance(name, str):
            raise UsageError(f"{name!r:.40} is no name of a prompt", hint="Give its path below the folder.")
        file = name if name.endswith(".md") else f"{name}.md"
        with self._lock:
            if file not in self._programs:
                self._programs[file] = self._made(file)
            return self._programs[file]

    def _made(self, file: str) -> Program:
        try:
            made = program(self._sources, self._environment, file, self._known)
        except RecursionError:
            raise PromptError("the texts are nested too deeply", place=Place(file, 1)) from None
        for shown, place in made.interfaces.items():
            try:
                self.types.shown(shown)
            except UsageError as error:
                raise PromptError(error.message, place=place, hint=error.hint) from None
        return made

    def request(self, name: str, **override: Any) -> Request:
        """Return what a prompt asks of the selector: its type and request, those of its bases before, and a caller's.

        Raises:
            PromptError: where none of them names a type, and for a request that is none, naming file and line.
            UsageError: for what a caller overrides wrongly.
        """
        found = self.program(name)
        asking = [source for source in found.chains[0].sources if source.front.request]
        wanted: dict[str, Any] = {}
        for source in asking:
            wanted |= source.front.request
        at = place_in(asking[-1] if asking else found.prompt, "request")
        kind = override.get("type", found.type)
        if kind is None:
            raise PromptError("no model type is named", place=place_in(found.prompt, "type"), hint="Write 'type: llm'.")
        try:
            _requested({"type": kind, **wanted}, besides=("credentials", "health"))  # values of a program
        except UsageError as error:
            raise PromptError(f"request: {error.message}", place=at, hint=error.hint) from None
        return _requested({"type": kind, **wanted, **override})

    def render(
        self,
        name: str,
        candidate: Candidate,
        *,
        data: Data | None = None,
        state: Data | None = None,
        sections: Mapping[str, bool] | None = None,
        history: Sequence[Message | Mapping[str, Any]] = (),
        tools: Sequence[Mapping[str, Any]] = (),
        state_mode: str | None = None,
        head: str = "",
    ) -> Rendering:
        """Return a prompt, written for a candidate.

        Args:
            name: of the prompt.
            candidate: of the decision.
            data: plain data that the prompt declares; it is copied.
            state: plain data that changes from turn to turn, which bodies read as ``state.NAME``.
            sections: which sections are in, by name.
            history: the messages before, in either vendor's form or those of a rendering.
            tools: definitions of tools: ``name``, ``description`` and ``parameters``, a JSON Schema.
            state_mode: what becomes of earlier states; by default what the prompt says, else by the vendor's cache.
            head: of the decision.

        Raises:
            PromptError: for what is wrong with the prompt or misses its declaration, naming file and line.
            UsageError: for data that is not plain, and for a model of another type or without rank, naming both.
        """
        return next(
            self.render_each(
                name, [candidate], data=data, state=state, sections=sections, history=history, tools=tools,
                state_mode=state_mode, head=head,
            )
        )  # fmt: skip

    def render_each(
        self,
        name: str,
        candidates: Iterable[Candidate],
        *,
        data: Data | None = None,
        state: Data | None = None,
        sections: Mapping[str, bool] | None = None,
        history: Sequence[Message | Mapping[str, Any]] = (),
        tools: Sequence[Mapping[str, Any]] = (),
        state_mode: str | None = None,
        head: str = "",
    ) -> Iterator[Rendering]:
        """Yield a prompt, written for each of some candidates; texts that must be equal are made once. See `render`."""
        found = self.program(name)
        now = self._now()
        before = history_of(history)
        values = self._values(found, data, state, now, before)
        flags = flags_of(found, by_name(sections, "sections"))
        offered = layout.tools_of(tools)
        shown = {name: self.types.schema(name) for name in found.interfaces}
        shared = hash_of_data([found.sha256, values, flags, shown])
        known: dict[str, tuple[Written, tuple[Met, ...]]] = {}
        for candidate in candidates:
            if not isinstance(candidate, Candidate):
                raise UsageError(f"{candidate!r:.40} is no candidate to write {found.name} for", hint=_NO_CANDIDATE)
            facts = self._facts(found, candidate)
            key = hash_of_data([shared, interval(candidate.model.power_rank or 0, found.cuts), facts])
            if key not in known:
                known[key] = self._run(found, values, flags, facts, candidate)
            text, met = known[key]
            yield layout.rendering(
                found, candidate, text, met, history=before, tools=offered, key=key, head=head,
                state_mode=state_mode, cache=caches.profile_of(candidate.vendor, candidate.model.slug),
            )  # fmt: skip

    def fits(
        self, name: str, *, count: Callable[[Rendering], TokenCount] = count, **given: Any
    ) -> Callable[[Candidate], tuple[int, int | None]]:
        """Return what failover asks of each candidate: the tokens that the prompt takes for it, and its window.

        Where they are estimated, the most that they may be.

        Args:
            name: of the prompt.
            count: counts the tokens of a rendering.
            given: data, state, sections, history and tools, as `render` takes them.
        """

        def fit(candidate: Candidate) -> tuple[int, int | None]:
            made = self.render(name, candidate, **given)
            return count(made).most, candidate.context

        return fit

    def _now(self) -> dt.datetime:
        """Return the time.

        Raises:
            UsageError: where the clock gives none, or one without its zone.
        """
        now: Any = self._clock()
        if not isinstance(now, dt.datetime) or now.utcoffset() is None:
            raise UsageError(f"the clock gives {now!r:.40}, no time with its zone", hint="Give datetime.now(UTC).")
        return now

    def _values(
        self, found: Program, data: Data | None, state: Data | None, now: dt.datetime, history: Sequence[Message]
    ) -> dict[str, Any]:
        """Return what bodies read beside the facts of the model: data, state, the time, and callers' placeholders."""
        values = checked(found, by_name(data, "data"))
        values[STATE_NAME] = by_name(state, "state")
        turns = sum(not own.is_state for own in history)
        for name in found.reads:
            if name in TIMES:
                values[name] = TIMES[name](now)
            elif name in self._own:
                values[name] = plain(had(name, self._own[name].value), name)
        at_hand = {ZONE: now.tzname() or "UTC", "_HAS_CONVERSATION": turns > 0, "_CONVERSATION_LENGTH": turns}
        return values | {name: value for name, value in at_hand.items() if name in found.reads}

    def _facts(self, found: Program, candidate: Candidate) -> dict[str, Any]:
        """Return the facts of a model that a prompt reads.

        Raises:
            UsageError: where it compares the rank of a model that has none, or is of another type.
        """
        if found.reads_rank:
            check_rank(found, candidate)
        return {name: MODEL_FACTS[name](candidate) for name in found.facts}

    def _run(
        self, found: Program, values: Data, flags: Mapping[str, bool], facts: Data, candidate: Candidate
    ) -> tuple[Written, tuple[Met, ...]]:
        work = Work()
        given = {**values, **flags, **facts, WORK: work, "range": self._environment.globals["range"]}
        given[INTERFACE] = self._showing(found, flags)
        if found.reads_rank:
            given[RANK] = candidate.model.power_rank
        context = Context(self._environment, given, found.name, {})
        try:
            text = written(found.compiled().run(context), found.marks)
        except CatalogError:
            raise
        except Exception as error:  # whatever an expression may raise
            raise complaint(found, error) from error
        rank = candidate.model.power_rank or 0
        return text, tuple(found.mets[n][found.thresholds[n].holds(rank)] for n in sorted(text.met | work.met))

    def _showing(self, found: Program, flags: Mapping[str, bool]) -> Callable[[str, int], str]:
        """Return what bodies call for a type: it leaves out the fields whose section is off."""

        def show(name: str, number: int) -> str:
            chain = found.chains[number]
            off = {own.field for section, own in chain.sections.items() if own.field and not flags[chain.flag(section)]}
            return self.types.shown(name, frozenset(off))

        return show


def _requested(wanted: Mapping[str, Any], *, besides: Collection[str] = ()) -> Request:
    """Return a request of these fields, which are any besides some.

    Raises:
        UsageError: for a field that is none, and for what cannot be asked for.
    """
    known = {field.name for field in fields(Request)} - set(besides)
    wrong = next((name for name in wanted if name not in known), None)
    if wrong is not None:
        hint = nearest(wrong, known, otherwise=f"Known: {', '.join(sorted(known - {'type'}))}.")
        raise UsageError(f"there is no field {wrong!r}", hint=hint)
    return Request(**wanted)
