"""Estates: all prompts of a folder, read as far as they can be, and what is known beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import nodes

from catalog.errors import PromptError, UsageError
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.folder import SCHEMAS, Folder
from catalog.renderer.language import every
from catalog.renderer.places import Place
from catalog.renderer.program import Program
from catalog.renderer.renderer import Renderer
from catalog.renderer.sources import Source

ACTIONS = "actions.json"
"""A file of a folder with the actions that its agents may call: a list of objects with name and description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estate:
    """A folder of prompts.

    Attributes:
        renderer: renders them.
        sources: files that can be read, by name.
        programs: prompts that can be rendered, by name: those that are no base, include or child of another.
        unread: what is to be said of the others.
        interfaces: schemas of the types that prompts show, by name.
        actions: names of actions that agents may call.
        files: how many prompt files there are.
    """

    renderer: Renderer = field(repr=False)
    sources: Mapping[str, Source]
    programs: Mapping[str, Program]
    unread: Sequence[Finding]
    interfaces: Mapping[str, Any]
    actions: Collection[str]
    files: int
    _lines: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def line(self, place: Place) -> str:
        """Return the text of a line."""
        if place.file not in self._lines:
            source = self.sources.get(place.file)
            self._lines[place.file] = source.text.split("\n") if source else []
        lines = self._lines[place.file]
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""

    def at(self, place: Place, word: str) -> Place:
        """Return the place of a word on a line; of the line itself where the word is not plain to see."""
        found = re.search(rf"(?<![\w.]){re.escape(word)}(?!\w)", self.line(place))
        return place._replace(column=found.start() + 1 if found else 1)


def estate(
    root: Path | str, *, interfaces: Mapping[str, Any] | None = None, placeholders: Mapping[str, Any] | None = None
) -> Estate:
    """Return all prompts of a folder.

    Args:
        root: the folder.
        interfaces: types that prompts show, beside those in the folder.
        placeholders: those that callers register, see `Renderer`.

    Raises:
        PromptError: where there is no such folder.
        UsageError: for a list of actions that is none.
    """
    renderer = Renderer(root, interfaces=interfaces, placeholders=placeholders)
    folder = Folder.at(root)
    sources: dict[str, Source] = {}
    unread: dict[tuple[str, int, str], Finding] = {}

    @contextmanager
    def told(file: str) -> Iterator[None]:
        """Keep what is wrong with a file, to be told with all the rest."""
        try:
            yield
        except (PromptError, UsageError) as error:
            place = Place(str(error.data.get("file", file)), int(str(error.data.get("line", 1))), 1)
            message = error.message.removeprefix(f"{place.file}:{place.line}: ")
            rule = RULES[str(error.data.get("rule", "P001"))]
            unread[place.file, place.line, message] = Finding(rule=rule, place=place, message=message)

    names = folder.names()
    for name in names:
        with told(name):
            sources[name] = renderer.source(name)
    shown: dict[str, Mapping[str, Any]] = {}
    for name in renderer.types.names:
        with told(f"{SCHEMAS}/{name}.json"):
            renderer.types.shown(name)
            shown[name] = renderer.types.schema(name)
    inside, bases = _put_in(sources)
    programs: dict[str, Program] = {}
    for name, source in sources.items():
        if name in bases or (name in inside and source.front.type is None):
            continue
        with told(name):
            programs[name] = renderer.program(name)
            if programs[name].type is not None:
                renderer.request(name)
    return Estate(
        renderer=renderer,
        sources=sources,
        programs=programs,
        unread=tuple(unread.values()),
        interfaces=shown,
        actions=_actions(folder.root / ACTIONS),
        files=len(names),
    )


def _put_in(sources: Mapping[str, Source]) -> tuple[set[str], set[str]]:
    """Return which files are put into others, and which are bases of others."""
    inside: set[str] = set()
    bases: set[str] = set()
    for source in sources.values():
        inside |= set(source.front.children.values())
        if source.front.base:
            bases.add(source.front.base)
        for node in every(source.tree):
            if isinstance(node, nodes.Include) and isinstance(node.template, nodes.Const):
                inside.add(str(node.template.value))
    return inside, bases


def _actions(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return tuple(sorted(str(own["name"]) for own in found))
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no list of actions: {error}", hint="Write a list of objects with name.") from None


_IGNORED = re.compile(
    r"\{#-?\s*check:\s*(?P<code>[A-Za-z]\d{3})\b(?:\s+because\s+(?P<reason>(?:(?!#\}).)*?))?\s*-?#\}", re.DOTALL
)


def suppressions(source: Source) -> Iterator[tuple[Place, str, str]]:
    """Yield where a file says that something is not to be checked, on its line and the one below; code and reason."""
    for found in _IGNORED.finditer(source.text):
        begins = source.text.rfind("\n", 0, found.start()) + 1
        place = Place(source.file, source.text.count("\n", 0, begins) + 1, found.start() - begins + 1)
        yield place, found["code"].upper(), (found["reason"] or "").strip()
