"""Actions: an index that names each in a line, finds them by words, and shows those that are asked for in full.

A model sees `ActionIndex.lines` in every turn, which a prompt cache holds, and `describe` gives what it wants to use in
the next turn's last message. What is not shown can still be called.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from catalog.errors import UsageError, nearest
from catalog.renderer.interfaces import interface, schema_of
from catalog.tokens import estimate

LINE_CHARS = 120
"""Characters of a line of the index: what an action is for, and nothing of how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Something a model can call.

    Attributes:
        name: by which it is called.
        description: what it does; its first sentence is the line of the index.
        parameters: a Pydantic model or JSON Schema; None where it takes none.
        result: the same of what it returns; None where that is not said.
        source: where it is from, such as the name of a server.
    """

    name: str
    description: str
    parameters: Any = None
    result: Any = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A text that is read when it is needed, such as a long example.

    Attributes:
        name: by which it is asked for.
        description: what it holds.
        path: of the file.
        source: where it is from.
    """

    name: str
    description: str
    path: Path | str
    source: str = ""


Entry = Action | Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """What a search found.

    Attributes:
        name: of the entry.
        line: of the index.
        score: how well it fits, higher is better; an exact name is above all others.
    """

    name: str
    line: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The index as a prompt shows it.

    Attributes:
        text: a line for each entry shown, and one that says how many others there are.
        shown: their names, in order.
        hidden: the names of the others; they can be found, asked for and called all the same.
        tokens: of the text, estimated or counted.
    """

    text: str
    shown: tuple[str, ...]
    hidden: tuple[str, ...]
    tokens: int


class ActionIndex:
    """Actions and references by name, in the order of their names, whatever the order they come in.

    Args:
        entries: the actions and references.
        core: names of those that are always shown.

    Raises:
        UsageError: for what is no entry, for two of one name, and for a core that names none.
    """

    def __init__(self, entries: Iterable[Entry], *, core: Collection[str] = ()) -> None:
        self._entries: dict[str, Entry] = {}
        given: list[Any] = list(entries)
        wrong = next((own for own in given if not isinstance(own, Action | Reference) or not _is_text(own.name)), None)
        if wrong is not None:
            raise UsageError(f"{wrong!r:.40} is no entry", hint="Hand in Action(…) or Reference(…).")
        for own in sorted(given, key=lambda entry: entry.name):
            if not isinstance(own.description, str):
                raise UsageError(f"the description of {own.name!r:.40} is {own.description!r:.40}, no text",
                                 hint="Say in a sentence what it is for.")  # fmt: skip
            if not own.name.strip() or not own.name.isprintable():
                raise UsageError(f"the name {own.name!r} is no name", hint="Names are of one line, and not blank.")
            if own.name in self._entries:
                raise UsageError(f"two entries are named {own.name!r}", hint="Give each a name of its own.")
            self._entries[own.name] = own
        for name in core:
            self._known(name)
        self._core = frozenset(core)
        self._lock = Lock()

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    def lines(self, budget: int, *, count: Callable[[str], int] = estimate) -> Listing:
        """Return the index in at most so many tokens: the core first of all, then by name as far as there is room.

        Args:
            budget: tokens; the core, and how many others there are, is shown even beyond them.
            count: gives the tokens of a text.
        """
        sizes = {name: count(f"{self._line(name)}\n") for name in self._entries}
        left = budget - sum(sizes[name] for name in self._core)
        if sum(sizes.values()) > budget:
            left -= count(_more(len(self._entries)))
        shown = []
        for name in self._entries:
            if name in self._core:
                shown.append(name)
            elif sizes[name] <= left:
                left -= sizes[name]
                shown.append(name)
        made = self._listing(shown, count)
        most = len(shown) - len(self._core)
        while made.tokens > budget and most:  # together lines may take more than each by itself
            most = most * budget // made.tokens if budget > 0 else 0
            others = set(islice((name for name in shown if name not in self._core), most))
            made = self._listing([name for name in shown if name in self._core or name in others], count)
        return made

    def _listing(self, shown: Sequence[str], count: Callable[[str], int]) -> Listing:
        known = set(shown)
        hidden = tuple(name for name in self._entries if name not in known)
        text = "".join(f"{self._line(name)}\n" for name in shown) + (_more(len(hidden)) if hidden else "")
        return Listing(text=text, shown=tuple(shown), hidden=hidden, tokens=count(text))

    def search(self, query: str, k: int = 5) -> tuple[Hit, ...]:
        """Return the entries that fit a query best: those it names exactly first, the others by their words.

        Names, sources, parameters and descriptions are looked at, words in all their forms; ties go by name.

        Args:
            query: words, in any order.
            k: most hits.

        Raises:
            UsageError: for a k below 1.
        """
        if k < 1:
            raise UsageError(f"k is {k}: at least 1", hint="Ask for one hit or more.")
        if not isinstance(query, str):
            raise UsageError(f"the query is {query!r:.40}, no text", hint="Ask in words.")
        asked_for = query.lower()
        words = _WORDS.findall(asked_for)
        exact = sorted(
            (name for name, own in self._lowered if own in asked_for and _is_named(own, asked_for)),
            key=lambda name: (not _is_named(name, query), name),
        )
        found = {name: float("inf") for name in exact}
        if words:
            asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
            with self._lock:
                rows = self._table.execute(_SEARCH, (asked, k + len(exact))).fetchall()
            for name, score in rows:
                found.setdefault(name, -score)
        return tuple(Hit(name=name, line=self._line(name), score=score) for name, score in list(found.items())[:k])

    def describe(self, names: Sequence[str]) -> str:
        """Return entries in full, in the order they are asked for: interfaces of actions, texts of references.

        Raises:
            UsageError: for a name that is none, and for a reference that cannot be read.
        """
        asked = [names] if isinstance(names, str) else names
        return "\n".join(self._described(self._known(name)) for name in dict.fromkeys(asked))

    def _known(self, name: str) -> Entry:
        if name not in self._entries:
            raise UsageError(
                f"there is no entry {name!r}", hint=nearest(name, self._entries, otherwise="Search for it.")
            )
        return self._entries[name]

    def _line(self, name: str) -> str:
        said = _SENTENCE.split(" ".join(self._entries[name].description.split()), maxsplit=1)[0].rstrip(".")
        line = f"{name} — {said}" if said else name
        return line if len(line) <= LINE_CHARS else f"{line[: LINE_CHARS - 1].rstrip()}…"

    @staticmethod
    def _described(own: Entry) -> str:
        if isinstance(own, Reference):
            try:
                return f"# {own.name}\n{Path(own.path).read_text(encoding='utf-8')}"
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"the reference {own.name!r} cannot be read: {error}", hint="Mend its path.") from None
        taken = interface(own.parameters, name="Parameters") if own.parameters is not None else "no parameters"
        given = f"\n{interface(own.result, name='Result')}" if own.result is not None else ""
        return f"# {own.name}\n{own.description.strip()}\n{taken}{given}"

    @cached_property
    def _lowered(self) -> list[tuple[str, str]]:
        """Each name, and how it is compared."""
        return [(name, name.lower()) for name in self._entries]

    @cached_property
    def _table(self) -> sqlite3.Connection:
        """The words of all entries, where SQLite finds them."""
        table = sqlite3.connect(":memory:", check_same_thread=False)
        table.execute(
            "CREATE VIRTUAL TABLE entry USING fts5(key UNINDEXED, name, source, parameters, description,"
            " tokenize = 'porter unicode61')"
        )
        rows = [
            (own.name, _parted(own.name), _parted(own.source), _parameters(own), own.description)
            for own in self._entries.values()
        ]
        table.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
        return table


_SEARCH = (
    "SELECT key, rank FROM entry WHERE entry MATCH ? AND rank MATCH 'bm25(0, 8, 4, 2, 1)' ORDER BY rank, rowid LIMIT ?"
)
"""A word in a name counts for more than one in a source, a parameter, a description; rows are in order of names."""
_WORDS = re.compile(r"\w+")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[a-z]\.[a-z]\.)(?<!\bvs\.)(?<!\betc\.)\s")
"""Where a sentence ends; not behind "e.g." and its like."""
_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-./:]")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _parted(name: str) -> str:
    """Return a name and the words it is made of."""
    return f"{name} {_CASE.sub(' ', name)}"


def _parameters(own: Entry) -> str:
    if isinstance(own, Reference) or own.parameters is None:
        return ""
    fields: Mapping[str, Any] = schema_of(own.parameters).get("properties") or {}
    return " ".join(f"{_parted(name)} {_said(schema)}" for name, schema in fields.items())


def _said(schema: Any) -> str:
    return str(schema.get("description", "")) if isinstance(schema, Mapping) else ""


def _is_named(name: str, query: str) -> bool:
    """Return whether a query says a name as a word or words of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", query) is not None


def _more(count: int) -> str:
    return f"… and {count:,} more: search for what you need\n"
