"""Decoding: the values that the texts of columns stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any

from catalog.crusher.minified import Lexeme
from catalog.crusher.missing import CutText, Shortened
from catalog.crusher.tables.headers import Constant, Dictionary, Group, Leaf, Opened, leaves, opened
from catalog.crusher.tables.lexicon import NO_OBJECT, NULL_OBJECT, bare, quoted, value_of
from catalog.crusher.tables.place import ABSENT
from catalog.crusher.tables.rows import SINGLE, Kept, by_column, item_missing, items_of, kept
from catalog.crusher.tables.templates import CELL, Counter, Lead, Reference, constant_of
from catalog.crusher.tables.values import value_on_line


def expanded(cells: Sequence[Leaf | Dictionary], texts: Sequence[list[str]]) -> list[list[str]]:
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
        found += expanded(inner, [[entries[code][number] for code in own] for number in range(len(inner))])
    return found


def columns_of(header: Opened, texts: Iterator[list[str]], rows: Sequence[int]) -> list[list[Any]]:
    """Return the values of each column of a header; its texts come one list for each column that has a cell."""
    found: dict[int, list[Any]] = {}
    cells: dict[int, list[str]] = {}
    for place, column in enumerate(header):
        if isinstance(column, Group):
            found[place] = _group(column, texts, rows)
        elif not column.template:
            found[place] = _leaf(column, next(texts))
        elif isinstance(column.template[0], Lead):
            found[place] = [_number(column.template[0], text) for text in next(texts)]
        elif column.has_cell:
            cells[place] = next(texts)
    names = {column.name: place for place, column in enumerate(header) if not _is_further(column)}

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
            return _referred(segment.name, values(names[segment.name], waiting))
        return [segment.digits(row) for row in rows] if isinstance(segment, Counter) else [segment] * len(rows)

    return [values(place) for place in range(len(header))]


def _is_further(column: Leaf | Group) -> bool:
    """Return whether a column holds the rare keys: it has no name, and a key may be called as its sign is."""
    return isinstance(column, Leaf) and column.kind == "further"


def _referred(name: str, values: list[Any]) -> list[Any]:
    """Return the values of a column that another refers to: strings and whole numbers."""
    if not {value.__class__ for value in values} <= {str, CutText, Lexeme}:
        raise ValueError(f"a template refers to {name!r}, whose values are no text")
    return values


def _number(lead: Lead, text: str) -> Lexeme:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} does not end a number")
    return Lexeme(lead.digits + text)


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
    yield from map(list, zip(*parts, strict=True)) if parts else ([] for _ in range(count))


def _assembled(leaf: Leaf, parts: list[list[Any]], rows: Sequence[int]) -> list[Any]:
    segment = leaf.template[0]
    if len(parts) == 1 and segment is not CELL:
        if isinstance(segment, Constant):
            return [value_on_line(segment.text) for _ in rows]
        if isinstance(segment, Counter):
            return [Lexeme(text) for text in parts[0]]
        if isinstance(segment, Reference):
            return parts[0]
        return [constant_of(segment)] * len(rows)
    rows_of_parts = zip(*parts, strict=True)
    if any(CutText in set(map(type, column)) for column in parts):
        return [_cut_text(row) for row in rows_of_parts]
    return ["".join(map(str, row)) for row in rows_of_parts]


def _cut_text(parts: Sequence[Any]) -> str:
    """Return texts as one, which ends where the end of one of them is missing."""
    cut = next((place for place, part in enumerate(parts) if isinstance(part, CutText)), None)
    if cut is None:
        return "".join(map(str, parts))
    missing = sum(len(part) + getattr(part, "missing", 0) for part in parts[cut + 1 :])
    return CutText("".join(map(str, parts[: cut + 1])), missing=parts[cut].missing + missing)


def _group(group: Group, texts: Iterator[list[str]], rows: Sequence[int]) -> list[Any]:
    columns = opened(group.columns)
    own = [next(texts) for _ in leaves(columns)]
    if not group.missing:
        return objects_of(columns, columns_of(columns, iter(own), rows), len(rows))
    marks = {"" if group.missing == "?" else NO_OBJECT: ABSENT, NULL_OBJECT: None}
    there = [place for place, text in enumerate(own[0]) if text not in marks]
    kept = [[column[place] for place in there] for column in own]
    numbers = [rows[place] for place in there]
    objects = iter(objects_of(columns, columns_of(columns, iter(kept), numbers), len(there)))
    return [marks[text] if text in marks else next(objects) for text in own[0]]


def objects_of(header: Opened, values: Sequence[Sequence[Any]], count: int) -> list[dict[str, Any]]:
    """Return objects with their keys in order."""
    rare = next((place for place, own in enumerate(header) if _is_further(own)), None)
    if rare is not None:
        objects = objects_of(header[:rare] + header[rare + 1 :], [*values[:rare], *values[rare + 1 :]], count)
        return [_with_further(own, more) for own, more in zip(objects, values[rare], strict=True)]
    if not header:
        return [{} for _ in range(count)]
    ordered = sorted(zip((column.name for column in header), values, strict=True), key=itemgetter(0))
    names = [name for name, _ in ordered]
    if len(set(names)) < len(names):
        raise ValueError(f"two columns have one name: {', '.join(names)}")
    rows = zip(*(column for _, column in ordered), strict=True)
    if any(ABSENT in column for column in values):
        return [{name: value for name, value in zip(names, row, strict=True) if value is not ABSENT} for row in rows]
    return [dict(zip(names, row, strict=True)) for row in rows]


def _with_further(own: dict[str, Any], more: Any) -> dict[str, Any]:
    """Return an object with its rare keys, in order; `Shortened` where some of these are missing."""
    if more is ABSENT:
        return own
    if not isinstance(more, dict):
        raise ValueError(f"further keys stand in an object: {more!r:.80}")
    twice = next((key for key in more if key in own), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} stands twice in one object")
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
            if not isinstance(value, dict | list):
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
    return value_on_line(text) if text[0] in "{[" else value_of(text)


def _string(text: str) -> str:
    return quoted(text, 0)[0] if text[0] == '"' else bare(text)


def _lists(leaf: Leaf, texts: Sequence[str]) -> list[Any]:
    empty: Any = {"?": ABSENT, "!": None, "": None}[leaf.missing]
    cells = leaves(leaf.fields)
    whole: list[Any] = []
    held: list[Kept[list[str]] | None] = []
    for text in texts:
        listed = text not in ("", "null") and text[0] not in "[{"
        whole.append(None if listed or text == "null" else _cell(text) if text else empty if leaf.missing else [])
        held.append(kept(items_of(text), item_missing) if listed else None)
    items = [item for own in held if own for item in own.items]
    numbers = [number for own in held if own for number in own.numbers]
    fields = opened(leaf.fields)
    columns = columns_of(fields, iter(expanded(cells, by_column(items, len(cells)))), numbers)
    made = iter(_made(leaf, fields, columns, len(items)))
    return [value if own is None else _held(leaf, own, made) for value, own in zip(whole, held, strict=True)]


def _made(leaf: Leaf, fields: Opened, columns: Sequence[Sequence[Any]], count: int) -> Iterable[Any]:
    """Return the items of lists, or the entries of maps, from their columns."""
    if leaf.kind == "records":
        return objects_of(fields, columns, count)
    if leaf.kind == "map":
        return zip(columns[0], objects_of(fields[1:], columns[1:], count), strict=True)
    return (list(row) for row in zip(*columns, strict=True)) if leaf.kind == "tuples" else columns[0]


def _held(leaf: Leaf, own: Kept[list[str]], made: Iterator[Any]) -> Any:
    """Return the list or map of a cell, of the next items."""
    values = list(islice(made, len(own.items)))
    if leaf.kind != "map":
        return own.filled(values)
    return map_of([key for key, _ in values], [value for _, value in values], sum(own.gaps.values()))


def map_of(keys: Sequence[str], values: Sequence[Any], missing: int) -> dict[str, Any]:
    """Return an object of its keys and values; `Shortened` where some are missing."""
    cut = next((key for key in keys if key.__class__ is CutText), None)
    if cut is not None:
        raise ValueError(f"the key {str(cut)!r} was cut, and no key can be")
    made: dict[str, Any] = Shortened(missing=missing) if missing else {}
    made.update(zip(keys, values, strict=True))
    if len(made) < len(keys):
        raise ValueError("a key stands twice in one object")
    return made
