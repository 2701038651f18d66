"""Reading: what a text in the text layout says. Numbers come as `Lexeme`; no depth is too deep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

from catalog.crusher.minified import Lexeme
from catalog.crusher.missing import Missing, Shortened, rows_missing_at
from catalog.crusher.tables.columns import NO_OBJECT, NULL_OBJECT
from catalog.crusher.tables.headers import (
    Constant,
    Dictionary,
    Group,
    Header,
    Leaf,
    Opened,
    Patterns,
    dictionaries,
    leaves,
    opened,
    optional_name,
    table_header_at,
    tuple_header_at,
)
from catalog.crusher.tables.lexicon import bare, name_at, quoted, value_of
from catalog.crusher.tables.messages import SLOT
from catalog.crusher.tables.place import ABSENT
from catalog.crusher.tables.rows import (
    SINGLE,
    Kept,
    by_column,
    cells_of,
    item_missing,
    items_of,
    kept,
    lines_at,
    rows_at,
    spaced_cells_of,
)
from catalog.crusher.tables.templates import CELL, Counter, Reference, constant_of
from catalog.crusher.tables.trees import BELOW, grown

_TABLE = re.compile(r"\[([0-9]+)\]([{(])|\{([0-9]+)\}\{")
_ENTRIES = re.compile(r"&([0-9]+)\n")
_LETTER = re.compile("&([A-Z]+)")
_BARE = re.compile(r"[^,{}\[\]\n]*")


Heads = list[Header]
"""Headers that were read."""


def read(text: str, start: int = 0, heads: Heads | None = None) -> Any:
    """Return the value that a text holds from a place to its end.

    Args:
        text: the text.
        start: the place.
        heads: takes the headers of all tables.

    Raises:
        ValueError: when it is malformed, naming the place.
    """
    value, end = value_at(text, start, heads)
    if text[end:].strip("\n"):
        raise ValueError(f"something follows the value at character {end}")
    return value


def value_at(text: str, start: int, heads: Heads | None = None) -> tuple[Any, int]:
    """Return the value that begins at a place and the place after it, without recursion into objects and lists."""
    stack: list[_Holder] = []
    place = start
    while True:
        around = stack[-1] if stack else None
        missing, place = rows_missing_at(text, place) if around else (0, place)
        table = False
        if around and missing:
            around.lose(missing)
        else:
            key, place = _key(text, place) if around and around.value.__class__ is not list else ("", place)
            value, place, table = _opened(text, place, around, heads)
            if value is _OBJECT or value is _LIST:
                listed = value is _LIST and _ENTRIES.match(text, place)
                entries, place = _entries_at(text, place) if listed else ({}, place)
                stack.append(_Holder({} if value is _OBJECT else [], key, entries))
                continue
            if around is None:
                return value, place
            around.put(key, value)
        place, whole = _after(text, place, stack, table=table)
        if whole is not None:
            return whole.value, place


class _Holder:
    """An object or list that is being read, the key it will stand under, and what its letters stand for."""

    __slots__ = ("entries", "key", "value")

    def __init__(self, value: Any, key: str, entries: Mapping[str, str]) -> None:
        self.value, self.key, self.entries = value, key, entries

    def put(self, key: str, value: Any) -> None:
        """Take an item or entry."""
        if self.value.__class__ is list:
            self.value.append(value)
            return
        if key in self.value:
            raise ValueError(f"the key {key!r} stands twice in one object")
        self.value[key] = value

    def lose(self, missing: int) -> None:
        """Remember that so many items or entries are missing."""
        if self.value.__class__ is list:
            self.value.append(Missing(rows=missing))
            return
        shortened = Shortened(missing=missing + getattr(self.value, "missing", 0))
        shortened.update(self.value)
        self.value = shortened


_OBJECT, _LIST = object(), object()


def _after(text: str, place: int, stack: list[_Holder], *, table: bool) -> tuple[int, _Holder | None]:
    """Close what ends after an item, and return the place of the next one; the outermost where that is closed, too.

    Args:
        table: whether the item is a table, whose line break takes the comma's place.
    """
    while text[place : place + 1] in ("}", "]"):
        closed = stack.pop()
        place += 1
        if not stack:
            return place, closed
        stack[-1].put(closed.key, closed.value)
        table = False
    if not table and not text.startswith(",", place):
        raise ValueError(f"an object or list is broken at character {place}")
    return place + (not table), None


def _opened(text: str, place: int, around: _Holder | None, heads: Heads | None) -> tuple[Any, int, bool]:
    """Return a whole scalar, empty container or table; or what begins here. The flag says that a table ended a line."""
    mark = text[place : place + 1]
    if mark == '"':
        return (*quoted(text, place), False)
    if mark in ("{", "["):
        return _structure(text, place, mark, heads)
    if mark == "&" and around:
        return _repeated(text, place, around.entries)
    found = _BARE.match(text, place)
    if found and found.group():
        return value_of(found.group()), found.end(), False
    if around and around.value.__class__ is not list and mark in (",", "}"):
        return None, place, False
    raise ValueError(f"there is no value at character {place}")


def _structure(text: str, place: int, mark: str, heads: Heads | None) -> tuple[Any, int, bool]:
    found = _TABLE.match(text, place)
    if found:
        return (*_table(text, found, heads), True)
    if text[place + 1 : place + 2] in ("}", "]"):
        return ({} if mark == "{" else []), place + 2, False
    return (_OBJECT if mark == "{" else _LIST), place + 1, False


def _repeated(text: str, place: int, entries: Mapping[str, str]) -> tuple[Any, int, bool]:
    """Return the item that a letter stands for."""
    found = _LETTER.match(text, place)
    if found is None or found.group(1) not in entries:
        raise ValueError(f"a letter stands for nothing at character {place}")
    return read(entries[found.group(1)]), found.end(), False


def _key(text: str, start: int) -> tuple[str, int]:
    key, place = name_at(text, start)
    if place == start:
        raise ValueError(f"there is no key at character {place}")
    if not text.startswith(":", place):
        raise ValueError(f"a key has no value at character {place}")
    return key, place + 1


def _table(text: str, found: re.Match[str], heads: Heads | None) -> tuple[Any, int]:
    listed, bracket, mapped = found.groups()
    spaced = False
    if bracket == "(":
        header, place = tuple_header_at(text, found.end())
    else:
        header, spaced, place = table_header_at(text, found.end())
    if mapped is not None:
        header = (Leaf("", strings=True), *header)
    if heads is not None:
        heads.append(header)
    place = _entries(text, place, header)
    branch = next((own for own in header if isinstance(own, Leaf) and own.kind == "branch"), None)
    header = tuple(own for own in header if own is not branch)
    cells = leaves(header)
    count = int(listed or mapped)
    rows, place = rows_at(text, place, count) if cells else (Kept([""] * count, range(count), {}), place)
    depths = [len(row) - len(row.lstrip(BELOW)) for row in rows.items] if branch else []
    lines = [row[depth:] for row, depth in zip(rows.items, depths, strict=True)] if branch else rows.items
    if spaced:
        names = [optional_name(own) for own in cells]
        parts = [spaced_cells_of(line, names) for line in lines]
    else:
        parts = [cells_of(line, cells) for line in lines if cells]
    columns = _expanded(cells, by_column(parts, len(cells)))
    known = opened(header)
    values = _columns(known, iter(columns), rows.numbers)
    if bracket == "(":
        return rows.filled([list(row) for row in zip(*values, strict=True)]), place
    if mapped is not None:
        return _map(values[0], _objects(known[1:], values[1:], len(lines)), sum(rows.gaps.values())), place
    objects = _objects(known, values, len(lines))
    if branch is None:
        return rows.filled(objects), place
    return grown(rows.filled(objects), rows.filled(depths), branch.name, bool(branch.missing)), place


def _map(keys: Sequence[str], values: Sequence[Any], missing: int) -> dict[str, Any]:
    made: dict[str, Any] = Shortened(missing=missing) if missing else {}
    made.update(zip(keys, values, strict=True))
    if len(made) < len(keys):
        raise ValueError("a key stands twice in one object")
    return made


def _entries(text: str, place: int, header: Header) -> int:
    """Read the entries of a header's dictionaries and patterns, and return the place after them."""
    if not text.startswith("\n", place):
        raise ValueError(f"a table has no rows at character {place}")
    place += 1
    for own in dictionaries(header):
        entries, place = _entries_at(text, place)
        if isinstance(own, Patterns):
            own.entries = {code: pattern.split(SLOT) for code, pattern in entries.items()}
            continue
        cells = leaves(own.columns)
        texts = by_column([cells_of(entry, cells) for entry in entries.values()], len(cells))
        own.entries = {code: list(entry) for code, entry in zip(entries, zip(*texts, strict=True), strict=True)}
    return place


def _entries_at(text: str, place: int) -> tuple[dict[str, str], int]:
    """Return what letters stand for, said on the lines that begin at a place, and the place after them."""
    found = _ENTRIES.match(text, place)
    if found is None:
        raise ValueError(f"there is no dictionary at character {place}")
    lines, place = lines_at(text, found.end(), int(found.group(1)))
    return {letter: entry for letter, _, entry in (line.partition(" ") for line in lines)}, place


def _expanded(cells: Sequence[Leaf | Dictionary], texts: Sequence[list[str]]) -> list[list[str]]:
    """Return the texts of each column with the letters of dictionaries replaced by what they stand for."""
    found: list[list[str]] = []
    for cell, own in zip(cells, texts, strict=True):
        if isinstance(cell, Leaf):
            found.append(own)
            continue
        inner = leaves(cell.columns)
        entries = cell.entries | {mark: [mark, *repeat("", len(inner) - 1)] for mark in ("", NO_OBJECT, NULL_OBJECT)}
        unknown = next((code for code in own if code not in entries), None)
        if unknown is not None:
            raise ValueError(f"{unknown!r} is no entry of its dictionary")
        found += _expanded(inner, [[entries[code][number] for code in own] for number in range(len(inner))])
    return found


def _columns(header: Opened, texts: Iterator[list[str]], rows: Sequence[int]) -> list[list[Any]]:
    """Return the values of each column of a header; its texts come one list for each column that has a cell."""
    found: dict[int, list[Any]] = {}
    cells: dict[int, list[str]] = {}
    for place, column in enumerate(header):
        if isinstance(column, Group):
            found[place] = _group(column, texts, rows)
        elif not column.template:
            found[place] = _leaf(column, next(texts))
        elif column.has_cell:
            cells[place] = next(texts)
    names = {column.name: place for place, column in enumerate(header)}

    def values(place: int, waiting: tuple[int, ...] = ()) -> list[Any]:
        if place not in found:
            leaf = header[place]
            if place in waiting or not isinstance(leaf, Leaf):
                raise ValueError(f"the column {leaf.name!r} refers to itself")
            slots = _slots(leaf, cells.get(place, []))
            parts = [next(slots) if segment is CELL else part(segment, (*waiting, place)) for segment in leaf.template]
            found[place] = _assembled(leaf, parts, rows)
        return found[place]

    def part(segment: Any, waiting: tuple[int, ...]) -> list[Any]:
        if isinstance(segment, Reference):
            if segment.name not in names:
                raise ValueError(f"a template refers to {segment.name!r}, which is no column")
            return values(names[segment.name], waiting)
        return [segment.digits(row) for row in rows] if isinstance(segment, Counter) else [segment] * len(rows)

    return [values(place) for place in range(len(header))]


def _slots(leaf: Leaf, cells: Sequence[str]) -> Iterator[list[str]]:
    """Yield what fills each slot of a template; where there are several, spaces part them in the cell."""
    count = leaf.template.count(CELL)
    if count == 1:
        yield [_string(text) if text else "" for text in cells]
        return
    parts = [text.split(" ") for text in cells]
    wrong = next((text for text, own in zip(cells, parts, strict=True) if len(own) != count), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} does not fill the {count} slots of {leaf.name!r}")
    yield from map(list, zip(*parts, strict=True))


def _assembled(leaf: Leaf, parts: list[list[Any]], rows: Sequence[int]) -> list[Any]:
    segment = leaf.template[0]
    if len(parts) == 1 and segment is not CELL:
        if isinstance(segment, Constant):
            return [value_at(segment.text, 0)[0] for _ in rows]
        if isinstance(segment, Counter):
            return [Lexeme(text) for text in parts[0]]
        if isinstance(segment, Reference):
            return parts[0]
        return [constant_of(segment)] * len(rows)
    return ["".join(map(str, row)) for row in zip(*parts, strict=True)]


def _group(group: Group, texts: Iterator[list[str]], rows: Sequence[int]) -> list[Any]:
    columns = opened(group.columns)
    own = [next(texts) for _ in leaves(columns)]
    if not group.missing:
        return _objects(columns, _columns(columns, iter(own), rows), len(rows))
    marks = {"" if group.missing == "?" else NO_OBJECT: ABSENT, NULL_OBJECT: None}
    there = [place for place, text in enumerate(own[0]) if text not in marks]
    kept = [[column[place] for place in there] for column in own]
    numbers = [rows[place] for place in there]
    objects = iter(_objects(columns, _columns(columns, iter(kept), numbers), len(there)))
    return [marks[text] if text in marks else next(objects) for text in own[0]]


def _objects(header: Opened, values: Sequence[Sequence[Any]], count: int) -> list[dict[str, Any]]:
    """Return objects with their keys in order."""
    rare = next((place for place, own in enumerate(header) if isinstance(own, Leaf) and own.kind == "further"), None)
    if rare is not None:
        objects = _objects(header[:rare] + header[rare + 1 :], [*values[:rare], *values[rare + 1 :]], count)
        return [_with_further(own, more) for own, more in zip(objects, values[rare], strict=True)]
    if not header:
        return [{} for _ in range(count)]
    ordered = sorted(zip((column.name for column in header), values, strict=True), key=itemgetter(0))
    names = [name for name, _ in ordered]
    rows = zip(*(column for _, column in ordered), strict=True)
    if any(ABSENT in column for column in values):
        return [{name: value for name, value in zip(names, row, strict=True) if value is not ABSENT} for row in rows]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _with_further(own: dict[str, Any], more: Any) -> dict[str, Any]:
    """Return an object with its rare keys, in order; `Shortened` where some of these are missing."""
    if more is ABSENT:
        return own
    made: dict[str, Any] = Shortened(missing=more.missing) if isinstance(more, Shortened) else {}
    made.update(sorted((own | more).items()))
    return made


def _leaf(leaf: Leaf, texts: Sequence[str]) -> list[Any]:
    if leaf.patterns:
        return [_filled(text, leaf.patterns.entries) for text in texts]
    if leaf.kind not in SINGLE:
        return _lists(leaf, texts)
    empty: Any = {"?": ABSENT, "!": None, ":": leaf.usual, "": ""}[leaf.missing]
    known: dict[str, Any] = {"": empty}
    if leaf.missing == "?":
        known["null"] = None
    read_one = _string if leaf.strings else _cell
    values = []
    for text in texts:
        if text in known:
            values.append(known[text])
        else:
            value = read_one(text)
            if value.__class__ not in (dict, list):
                known[text] = value
            values.append(value)
    return values


def _filled(text: str, patterns: Mapping[str, Sequence[str]]) -> str:
    if text.startswith('"'):
        return _string(text)
    code, *slots = text.split(" ")
    if code not in patterns or len(patterns[code]) != len(slots) + 1:
        raise ValueError(f"{text!r} fills no pattern")
    between = patterns[code]
    return "".join(chain.from_iterable(zip(between, [*slots, ""], strict=True)))


def _cell(text: str) -> Any:
    if text[0] == '"':
        return quoted(text, 0)[0]
    if text[0] in "{[":
        value, end = value_at(text, 0)
        if end != len(text):
            raise ValueError(f"something follows a value: {text[:80]!r}")
        return value
    return value_of(text)


def _string(text: str) -> str:
    return quoted(text, 0)[0] if text[0] == '"' else bare(text)


def _lists(leaf: Leaf, texts: Sequence[str]) -> list[Any]:
    empty: Any = {"?": ABSENT, "!": None, "": []}[leaf.missing]
    cells = leaves(leaf.fields)
    whole: list[Any] = []
    held: list[Kept[list[str]] | None] = []
    for text in texts:
        listed = text not in ("", "null") and text[0] not in "[{"
        whole.append(None if listed or text == "null" else _cell(text) if text else empty)
        held.append(kept(items_of(text), item_missing) if listed else None)
    items = [item for own in held if own for item in own.items]
    numbers = [number for own in held if own for number in own.numbers]
    fields = opened(leaf.fields)
    columns = _columns(fields, iter(_expanded(cells, by_column(items, len(cells)))), numbers)
    made = iter(_made(leaf, fields, columns, len(items)))
    return [value if own is None else _held(leaf, own, made) for value, own in zip(whole, held, strict=True)]


def _made(leaf: Leaf, fields: Opened, columns: Sequence[Sequence[Any]], count: int) -> Iterable[Any]:
    """Return the items of lists, or the entries of maps, from their columns."""
    if leaf.kind == "records":
        return _objects(fields, columns, count)
    if leaf.kind == "map":
        return zip(columns[0], _objects(fields[1:], columns[1:], count), strict=True)
    return (list(row) for row in zip(*columns, strict=True)) if leaf.kind == "tuples" else columns[0]


def _held(leaf: Leaf, own: Kept[list[str]], made: Iterator[Any]) -> Any:
    """Return the list or map of a cell, of the next items."""
    values = list(islice(made, len(own.items)))
    if leaf.kind != "map":
        return own.filled(values)
    return _map([key for key, _ in values], [value for _, value in values], sum(own.gaps.values()))
