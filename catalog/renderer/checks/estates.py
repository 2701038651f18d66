"""Estates: all prompts of a folder, read as far as they can be, and what is known beside them."""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from jinja2 import nodes

from catalog.errors import CatalogError, PromptError, UsageError
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.folder import SCHEMAS, Folder
from catalog.renderer.names import CHILDREN
from catalog.renderer.placeholders import UNSAID
from catalog.renderer.places import Place
from catalog.renderer.program import Program
from catalog.renderer.renderer import Renderer
from catalog.renderer.sources import Source

Read = TypeVar("Read")
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
        unsaid: placeholders that have no value, since nobody registers them.
        files: how many prompt files there are.
    """

    renderer: Renderer = field(repr=False)
    sources: Mapping[str, Source]
    programs: Mapping[str, Program]
    unread: Sequence[Finding]
    interfaces: Mapping[str, Any]
    actions: Collection[str]
    unsaid: Collection[str]
    files: int

    def line(self, place: Place) -> str:
        """Return the text of a line."""
        source = self.sources.get(place.file)
        return source.line(place.line) if source is not None else ""

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
    """
    renderer = Renderer(root, interfaces=interfaces, placeholders=placeholders)
    folder, unread = Folder.at(root), _Unread()

    def schema(name: str) -> Mapping[str, Any]:
        renderer.types.shown(name)
        return renderer.types.schema(name)

    names = folder.names()
    sources = unread.each(names, renderer.source)
    shown = unread.each(renderer.types.names, schema, file=f"{SCHEMAS}/{{}}.json")
    inside, bases = _put_in(sources)
    whole = [name for name, own in sources.items() if name not in inside or own.front.type is not None]
    programs = unread.each((name for name in whole if name not in bases), renderer.program)
    unread.circles(sources.keys() - _parts_of(programs), renderer.program)
    unread.each(programs, lambda name: renderer.request(name, type=programs[name].type or "llm"))  # any type will do
    return Estate(
        renderer=renderer,
        sources=sources,
        programs=programs,
        interfaces=shown,
        actions=unread.each([ACTIONS], lambda name: _actions(folder.root / name)).get(ACTIONS, ()),
        unread=tuple(unread.findings.values()),
        unsaid=UNSAID.difference(placeholders or ()),
        files=len(names),
    )


class _Unread:
    """What cannot be read, to be told with all the rest."""

    def __init__(self) -> None:
        self.findings: dict[tuple[str, int, str], Finding] = {}

    def each(self, names: Iterable[str], read: Callable[[str], Read], *, file: str = "{}") -> dict[str, Read]:
        """Return what can be read, by name.

        Args:
            names: of what is read.
            read: reads it.
            file: which file is to be named where an error names none.
        """
        found: dict[str, Read] = {}
        for name in names:
            try:
                found[name] = read(name)
            except (PromptError, UsageError) as error:
                self._tell(error, file.format(name))
        return found

    def circles(self, names: Iterable[str], read: Callable[[str], Any]) -> None:
        """Keep those of some texts that go in a circle: each is put into another, so none is read as a prompt."""
        for name in names:
            try:
                read(name)
            except PromptError as error:
                if error.data.get("is_circle"):
                    self._tell(error, name)

    def _tell(self, error: CatalogError, file: str) -> None:
        place = Place(str(error.data.get("file", file)), int(str(error.data.get("line", 1))), 1)
        message = error.message.removeprefix(f"{place.file}:{place.line}: ")
        rule = RULES[str(error.data.get("rule", "P001"))]
        self.findings[place.file, place.line, message] = Finding(
            rule=rule, place=place, message=message, hint=error.hint
        )


def _parts_of(programs: Mapping[str, Program]) -> set[str]:
    return {source.file for own in programs.values() for source in own.files}


def children_in(source: Source) -> set[str]:
    """Return the names of the children that a text puts in."""
    return {
        own.attr
        for own in source.nodes
        if isinstance(own, nodes.Getattr) and isinstance(own.node, nodes.Name) and own.node.name == CHILDREN
    }


def _put_in(sources: Mapping[str, Source]) -> tuple[set[str], set[str]]:
    """Return which files are put into others, and which are bases of others."""
    inside: set[str] = set()
    bases: set[str] = set()
    for source in sources.values():
        inside |= {source.front.children.get(name, "") for name in children_in(source)}
        if source.front.base:
            bases.add(source.front.base)
        for node in source.nodes:
            if isinstance(node, nodes.Include) and isinstance(node.template, nodes.Const):
                inside.add(str(node.template.value))
    return inside, bases


def _actions(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is no JSON: {error}", hint=_LIST) from None
    wrong = next((own for own in found if not _is_action(own)), None) if isinstance(found, list) else found
    if wrong is not None or not isinstance(found, list):
        raise UsageError(f"{reprlib.repr(wrong)} is no action", hint=_LIST)
    return tuple(sorted(own["name"] for own in found))


def _is_action(own: Any) -> bool:
    return isinstance(own, dict) and isinstance(own.get("name"), str) and bool(own["name"].strip())


_LIST = "Write a list of objects with name and description."
_SAID = re.compile(r"check:\s*(?P<code>[A-Za-z]\d{3})(?:\s+because\s+(?P<reason>.*))?", re.DOTALL)


def suppressions(source: Source) -> Iterator[tuple[Sequence[int], Place, str, str]]:
    """Yield where a file says that something is not to be checked: the lines, the place, code and reason.

    It is of its own lines and the one below, behind lines of comments alone.
    """
    for tag in source.comments:
        text = source.text[tag.start : tag.end]
        said = text[2:-2].strip("-").strip()
        if not re.match(r"check\b", said):
            continue
        found = _SAID.fullmatch(said)
        place = source.place(tag.start)
        code, reason = (found["code"].upper(), (found["reason"] or "").strip()) if found else ("", "")
        yield (*source.lines_of(tag), source.below(tag)), place, code, reason
