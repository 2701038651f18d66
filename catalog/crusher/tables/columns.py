"""Columns: a list of objects as one text column per fact, with a header that says how to read them.

Nested objects become columns of their own, nested lists become fields inside a cell. A column says in its header
whether an empty cell is an absent key (``?``) or null (``!``), and whether all its values are strings (``$``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from catalog.crusher.missing import no_entries, no_items, rows_between
from catalog.crusher.pieces import Coded, Glossary, Series, chained
from catalog.crusher.tables.cells import cuttable, empty, plain, usual
from catalog.crusher.tables.hoisting import Hoisted, hoisted
from catalog.crusher.tables.interning import interned
from catalog.crusher.tables.lexicon import CELL, FIELD, FURTHER, NO_OBJECT, NULL_OBJECT, key_text, name_at, string_of
from catalog.crusher.tables.place import ABSENT, DEEPEST, MOST_UNWRITTEN, Columns, Place, joined, without_end
from catalog.crusher.tables.worth import equal_tuples, is_rare, pays

LEAST_ROWS = 4
"""Rows or items below which no dictionary can pay."""


def columns_of(rows: Sequence[dict[str, Any]], place: Place) -> Columns:
    """Return the columns of objects as one."""
    return joined(columns_each(rows, place))


def columns_each(rows: Sequence[dict[str, Any]], place: Place) -> list[Columns]:
    """Return the columns of objects: those that are mostly filled in the order of their keys, then the others."""
    counts = Counter(chain.from_iterable(rows))
    rare = {key for key, count in counts.items() if place.fence is CELL and is_rare(key, count, len(rows))}
    values = {key: [row.get(key, ABSENT) for row in rows] for key in sorted(counts.keys() - rare)}
    hoist = place.style.hoist
    hoists = hoisted(values, place.rows, lambda value: place.inline(value, place.depth)) if hoist else {}
    found = [_hoisted(key, hoists[key], place) if key in hoists else _column(key, values[key], place) for key in values]
    found.sort(key=_emptiness)
    if rare:
        further = [{key: row[key] for key in row.keys() & rare} for row in rows]
        found.append(Columns(FURTHER, [[place.inline(more, place.depth) if more else "" for more in further]]))
    if len(rows) > MOST_UNWRITTEN and not any(columns.texts for columns in found):
        return columns_each(rows, place.without_hoisting())
    return _with_dictionaries(found, place) if hoist and len(rows) >= LEAST_ROWS else found


def _emptiness(columns: Columns) -> int:
    """Return what puts columns in order: the full ones first, then the emptier the later, so that rows end early."""
    none = min((texts.count("") for texts in columns.texts), default=0)
    return none if columns.texts and 2 * none >= len(columns.texts[0]) else 0


def _with_dictionaries(found: list[Columns], place: Place) -> list[Columns]:
    """Return columns with those interned that repeat together; a dictionary stands where its first column stood."""
    single = [number for number, columns in enumerate(found) if len(columns.texts) == 1 and not columns.marked]
    texts = [columns.texts[0] if len(columns.texts) == 1 else [] for columns in found]
    made: dict[int, Columns | None] = {}
    for own in interned(texts, single):
        made |= dict.fromkeys(own.places)
        header = ",".join(found[number].header for number in own.places)
        names = ",".join(key_text(name_at(found[number].header, 0)[0]) for number in own.places)
        glossary = Glossary(names, own.entries)
        inner = [more for number in own.places for more in found[number].glossaries]
        codes = _coded(own.codes, own.codes, glossary, place)
        made[own.places[0]] = Columns(f"&{{{header}}}", [codes], glossaries=(*inner, glossary), coded=True)
    kept = (made.get(number, columns) for number, columns in enumerate(found))
    return [columns for columns in kept if columns is not None]


def _coded(texts: list[str], letters: list[str], glossary: Glossary, place: Place) -> list[str]:
    """Return cells that begin with letters, such that a budget knows them."""
    if place.style.cuts is None:
        return texts
    return [Coded(text, letter, glossary) if letter else text for text, letter in zip(texts, letters, strict=True)]


def _hoisted(key: str, own: Hoisted, place: Place) -> Columns:
    header = f"{key_text(key)}{own.header}"
    if own.messages is not None:
        glossary = Glossary(key_text(key), own.messages.entries)
        texts = _coded(own.messages.texts, own.messages.letters, glossary, place)
        return Columns(header, [texts], glossaries=(glossary,) if glossary.entries else ())
    if own.strings is None:
        return Columns(header, [])
    if own.digits:
        return Columns(header, [own.strings])
    texts = [string_of(text, place.fence) for text in own.strings]
    return Columns(header, [cuttable(own.strings, texts, place.fence, place.style)])


def _column(key: str, values: list[Any], place: Place) -> Columns:
    kinds = {value.__class__ for value in values}
    missing = "?" if object in kinds else "!" if type(None) in kinds and place.style.elide else ""
    present = kinds - {object, type(None)}
    name = key_text(key) + missing
    if present == {dict} and place.depth < DEEPEST:
        found = [_nested(key_text(key), values, place), _mapped(name, values, missing, place)]
        shorter = min((columns for columns in found if columns), key=lambda columns: columns.size, default=None)
        if shorter is not None:
            return shorter
    if present and present <= {list, tuple} and place.fence is CELL:
        fields = _fields(name, values, missing, place)
        if fields is not None:
            return fields
    found_usual = usual(key, values, place) if place.style.hoist and place.style.elide else None
    return found_usual or plain(name, values, present, missing, place)


def _nested(name: str, values: list[Any], place: Place) -> Columns | None:
    """Return the columns of objects that stand in a column; None where they do not pay or could not be told apart."""
    objects = [value for value in values if value.__class__ is dict]
    keys = set(chain.from_iterable(objects))
    if not keys or not (len(values) == 1 or pays(objects, len(values) - len(objects))):
        return None
    own = place.below([row for row, value in zip(place.rows, values, strict=True) if value.__class__ is dict])
    inner = columns_of(objects, own)
    partial = len(objects) < len(values)
    if not partial:
        return inner._replace(header=f"{name}{{{inner.header}}}")
    if not inner.texts:
        inner = columns_of(objects, own.without_hoisting())
    if inner.marked:
        return None
    told = all(inner.texts[0]) and not inner.coded  # then an empty first cell says that there is no object
    rows = iter(zip(*inner.texts, strict=True))
    rest = [""] * (len(inner.texts) - 1)
    marks = {ABSENT: ("" if told else NO_OBJECT, *rest), None: (NULL_OBJECT, *rest)}
    spread = [next(rows) if value.__class__ is dict else marks[value] for value in values]
    texts = [list(column) for column in zip(*spread, strict=True)]
    return inner._replace(header=f"{name}{'?' if told else '~'}{{{inner.header}}}", texts=texts, marked=True)


def _mapped(name: str, values: list[Any], missing: str, place: Place) -> Columns | None:
    """Return a column whose cells hold maps of objects: ``;`` between entries, ``|`` after the key and each field."""
    maps = [value for value in values if value.__class__ is dict]
    items = [value[key] for value in maps for key in sorted(value)]
    if place.fence is not CELL or len(items) < 2:
        return None
    if {item.__class__ for item in items} != {dict} or not pays(items):
        return None
    inner = columns_of(items, place.below([number for value in maps for number in range(len(value))], FIELD))
    names = [string_of(key, FIELD) or '""' for value in maps for key in sorted(value)]
    written = (chained(without_end(item), "|") for item in zip(names, *inner.texts, strict=True))
    cells = _cells(values, missing, written, place)
    return Columns(f"{name}:{{{inner.header}}}", [cells], glossaries=inner.glossaries)


def _fields(name: str, values: list[Any], missing: str, place: Place) -> Columns | None:
    """Return a column whose cells hold lists: ``;`` between items, ``|`` between the fields of an item."""
    lists = [value for value in values if value.__class__ in (list, tuple)]
    items = list(chain.from_iterable(lists))
    kinds = {item.__class__ for item in items}
    own = place.below([number for value in lists for number in range(len(value))], FIELD)
    if kinds == {dict} and pays(items):
        inner = columns_of(items, own)
        if not inner.texts:
            inner = columns_of(items, own.without_hoisting())
        header = f"{name}[{inner.header}]"
    elif kinds and kinds <= {list, tuple} and equal_tuples(items):
        inner = tuple_columns(items, own)
        header = f"{name}({inner.header})"
    elif items and not kinds & {dict, list, tuple}:
        inner = plain("", items, kinds, "", own)
        header = f"{name}[]{inner.header}"
    else:
        return None
    written = (chained(without_end(item), "|") for item in zip(*inner.texts, strict=True))
    return Columns(header, [_cells(values, missing, written, place)], glossaries=inner.glossaries)


def _cells(values: list[Any], missing: str, items: Iterator[str], place: Place) -> list[str]:
    """Return the cells of lists or maps whose items are written; on one line where such a cell could be misread."""
    texts = []
    for value in values:
        if value is ABSENT or value is None:
            texts.append(empty(value, missing))
            continue
        text = _cell(value, [next(items) for _ in value], place)
        sure = text not in ("", "null") and text[0] not in "[{"
        texts.append(text if sure else place.inline(value, place.depth))
    return texts


def _cell(value: Any, items: list[str], place: Place) -> str:
    cuts = place.style.cuts
    if cuts is None or not items:
        return ";".join(items)
    mapped = value.__class__ is dict
    held = [value[key] for key in sorted(value)] if mapped else value
    stub = no_entries if mapped else no_items  # in brackets: a row of nothing but a mark says that rows are missing
    return Series(items, mark=rows_between, stub=stub, joint=";", spared=cuts.among(held))


def tuple_columns(rows: Sequence[Sequence[Any]], place: Place) -> Columns:
    """Return the columns of tuples; the header holds only what is to be known of each."""
    found = [_tuple_column(list(values), place) for values in zip(*rows, strict=True)]
    if not any(columns.texts for columns in found):
        whole = place.without_hoisting()
        found = [_tuple_column(list(values), whole) for values in zip(*rows, strict=True)]
    return joined(found)


def _tuple_column(values: list[Any], place: Place) -> Columns:
    own = hoisted({"": values}, place.rows, str).get("") if place.style.hoist else None
    if own is not None and own.strings is None and own.messages is None:
        return Columns(own.header, [])
    return plain("", values, {value.__class__ for value in values}, "", place)
