"""Columns: a list of objects as one text column per fact, with a header that says how to read them.

Nested objects become columns of their own, nested lists become fields inside a cell. A column says in its header
whether an empty cell is an absent key (``?``) or null (``!``), and whether all its values are strings (``$``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from catalog.crusher.checking import SCALARS
from catalog.crusher.estimate import tokens
from catalog.crusher.tables.hoisting import Hoisted, hoisted
from catalog.crusher.tables.interning import interned
from catalog.crusher.tables.lexicon import CELL, FIELD, HEADER, Fence, key_text, looks_alike, string_of, text_of

ABSENT: Any = object()
"""Stands where an object has no such key."""

NO_OBJECT, NULL_OBJECT = "~", "~n"
"""First cell of nested columns where the object itself is absent, or null."""

FURTHER = "*"
"""Heading of the column of keys too rare for columns of their own; a cell holds an object."""

Inline = Callable[[Any, int], str]
"""Writes a value on one line; the number is how deep it lies."""

DEEPEST = 64
"""Levels in which tables are sought."""


class Place(NamedTuple):
    """Where columns stand, and how they are written.

    Attributes:
        depth: how deep the values lie.
        inline: writes a value on one line.
        rows: the numbers of the rows.
        hoist: whether what rows have in common is said in the header.
        elide: whether null, the empty string and the usual value are empty cells.
        fence: what a bare string may not hold.
    """

    depth: int
    inline: Inline
    rows: Sequence[int]
    hoist: bool
    elide: bool
    fence: Fence = CELL

    def below(self, rows: Sequence[int], fence: Fence | None = None) -> Place:
        """Return the place one level deeper, of these rows."""
        return self._replace(depth=self.depth + 1, rows=rows, fence=fence or self.fence)


class Columns(NamedTuple):
    """Some columns.

    Attributes:
        header: what stands before the rows.
        texts: a list for each column that has cells.
        marked: whether the first holds the marks of a nested object.
        lines: the dictionaries that stand between header and rows.
        coded: whether the first holds the letters of a dictionary.
    """

    header: str
    texts: list[list[str]]
    marked: bool = False
    lines: tuple[str, ...] = ()
    coded: bool = False


def pays(rows: Sequence[dict[str, Any]], absent: int = 0) -> bool:
    """Return whether naming keys once, and writing empty cells, is shorter than naming them in every row.

    Args:
        absent: rows that have no such object, but an empty cell for each of its keys.
    """
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    count = len(rows) + absent
    saved = absent * _EMPTY
    for key, values in columns.items():
        saved += (len(key) + 2) * (len(values) - 1) - (count - len(values)) * _EMPTY
        objects = [value for value in values if value.__class__ is dict]
        if len(objects) == len(values):
            saved += max(_saved_inside(objects, count - len(values)), 0.0)
    return saved > 0


def _saved_inside(objects: Sequence[dict[str, Any]], absent: int) -> float:
    """Return how many characters columns for the keys of nested objects save; less than 0 when they cost.

    Args:
        absent: rows that have no such object, but an empty cell for each of its keys.
    """
    counts = Counter(chain.from_iterable(objects))
    rows = len(objects) + absent
    return sum((len(key) + 2) * (count - 1) - (rows - count) * _EMPTY for key, count in counts.items())


_EMPTY = 0.4  # characters an empty cell counts: runs of commas are few tokens


def columns_of(rows: Sequence[dict[str, Any]], place: Place) -> Columns:
    """Return the columns of objects as one."""
    return joined(columns_each(rows, place))


def columns_each(rows: Sequence[dict[str, Any]], place: Place) -> list[Columns]:
    """Return the columns of objects: those that are mostly filled in the order of their keys, then the others."""
    counts = Counter(chain.from_iterable(rows))
    rare = {key for key, count in counts.items() if place.fence is CELL and _is_rare(key, count, len(rows))}
    values = {key: [row.get(key, ABSENT) for row in rows] for key in sorted(counts.keys() - rare)}
    hoists = hoisted(values, place.rows, lambda value: place.inline(value, place.depth)) if place.hoist else {}
    found = [_hoisted(key, hoists[key], place) if key in hoists else _column(key, values[key], place) for key in values]
    found.sort(key=_emptiness)
    if rare:
        further = [{key: row[key] for key in row.keys() & rare} for row in rows]
        found.append(Columns(FURTHER, [[place.inline(more, place.depth) if more else "" for more in further]]))
    if place.hoist and len(rows) >= LEAST_ROWS:
        found = _with_dictionaries(found)
    return found


def joined(found: Sequence[Columns]) -> Columns:
    """Return columns side by side as one."""
    first = next((columns for columns in found if columns.texts), None)
    return Columns(
        ",".join(columns.header for columns in found),
        [texts for columns in found for texts in columns.texts],
        first is not None and first.marked,
        tuple(line for columns in found for line in columns.lines),
        first is not None and first.coded,
    )


LEAST_ROWS = 4
"""Rows or items below which no dictionary can pay."""


def _with_dictionaries(found: list[Columns]) -> list[Columns]:
    """Return columns with those interned that repeat together; a dictionary stands where its first column stood."""
    single = [place for place, columns in enumerate(found) if len(columns.texts) == 1 and not columns.marked]
    texts = [columns.texts[0] if len(columns.texts) == 1 else [] for columns in found]
    made: dict[int, Columns | None] = {}
    for own in interned(texts, single):
        made |= dict.fromkeys(own.places)
        header = ",".join(found[place].header for place in own.places)
        lines = (*(line for place in own.places for line in found[place].lines), *own.lines)
        made[own.places[0]] = Columns(f"&{{{header}}}", [own.codes], lines=lines, coded=True)
    kept = (made.get(place, columns) for place, columns in enumerate(found))
    return [columns for columns in kept if columns is not None]


def _emptiness(columns: Columns) -> int:
    """Return what puts columns in order: the full ones first, then the emptier the later, so that rows end early."""
    empty = min((texts.count("") for texts in columns.texts), default=0)
    return empty if columns.texts and 2 * empty >= len(columns.texts[0]) else 0


def _hoisted(key: str, own: Hoisted, place: Place) -> Columns:
    texts = [] if own.strings is None else [[string_of(text, place.fence) for text in own.strings]]
    return Columns(f"{key_text(key)}{own.header}", texts if own.cells is None else [own.cells], lines=own.lines)


def _is_rare(key: str, count: int, rows: int) -> bool:
    """Return whether naming a key where it occurs is shorter than an empty cell in every other row."""
    return count * (len(key) + 3) < (rows - count) * _EMPTY


def _column(key: str, values: list[Any], place: Place) -> Columns:
    kinds = {value.__class__ for value in values}
    missing = "?" if object in kinds else "!" if type(None) in kinds and place.elide else ""
    present = kinds - {object, type(None)}
    name = key_text(key) + missing
    if present == {dict} and place.depth < DEEPEST:
        found = [_nested(key_text(key), values, place), _mapped(name, values, missing, place)]
        shorter = min((columns for columns in found if columns), key=_size, default=None)
        if shorter is not None:
            return shorter
    if present and present <= {list, tuple} and place.fence is CELL:
        fields = _fields(name, values, missing, place)
        if fields is not None:
            return fields
    usual = _usual(key, values, place) if place.hoist and place.elide else None
    return usual or _plain(name, values, present, missing, place)


def _plain(name: str, values: list[Any], kinds: set[type], missing: str, place: Place) -> Columns:
    if kinds == {str} and place.elide:
        return _strings(name, values, missing, place.fence)
    texts = [
        _missing(value, missing)
        if value is ABSENT or value is None
        else place.inline(value, place.depth)
        if value.__class__ in (dict, list, tuple)
        else text_of(value, place.fence)
        for value in values
    ]
    return Columns(name, [texts])


def _strings(name: str, values: list[Any], missing: str, fence: Fence) -> Columns:
    """Return a column of strings, some of them absent or null."""
    sure = looks_alike([value for value in values if value.__class__ is str]) > 0
    write = string_of if sure else text_of
    texts = [_missing(value, missing) if value.__class__ is not str else write(value, fence) for value in values]
    if missing:
        told = {"": '""', "null": '"null"'}
        texts = [
            told.get(value, text) if value.__class__ is str else text for value, text in zip(values, texts, strict=True)
        ]
    elif not sure:
        texts = ["" if text == '""' else text for text in texts]
    return Columns(name + ("$" if sure else ""), [texts])


def _usual(key: str, values: list[Any], place: Place) -> Columns | None:
    """Return a column whose header says the usual value, for which cells are empty; None where there is none."""
    if ABSENT in values or not {value.__class__ for value in values} <= SCALARS:
        return None
    texts = [text_of(value, place.fence) for value in values]
    usual, count = Counter(texts).most_common(1)[0]
    if count == len(texts) or 2 * count < len(texts) or count * tokens(usual) < tokens(usual) + _USUAL:
        return None
    value = values[texts.index(usual)]
    if value is None:
        return None
    return Columns(f"{key_text(key)}:{text_of(value, HEADER)}", [["" if text == usual else text for text in texts]])


_USUAL = 2.0
"""Tokens that saying a usual value costs beside the value."""


def _missing(value: Any, missing: str) -> str:
    return "null" if value is None and missing != "!" else ""


def _nested(name: str, values: list[Any], place: Place) -> Columns | None:
    """Return the columns of objects that stand in a column; None where they do not pay or could not be told apart."""
    objects = [value for value in values if value.__class__ is dict]
    keys = set(chain.from_iterable(objects))
    if not keys or not (len(values) == 1 or pays(objects, len(values) - len(objects))):
        return None
    own = place.below([row for row, value in zip(place.rows, values, strict=True) if value.__class__ is dict])
    inner = columns_of(objects, own)
    partial = len(objects) < len(values)
    if partial and not inner.texts:
        inner = columns_of(objects, own._replace(hoist=False))
    if not partial:
        return Columns(f"{name}{{{inner.header}}}", inner.texts, inner.marked, inner.lines, inner.coded)
    if inner.marked:
        return None
    told = all(inner.texts[0]) and not inner.coded  # then an empty first cell says that there is no object
    rows = iter(zip(*inner.texts, strict=True))
    rest = [""] * (len(inner.texts) - 1)
    marks = {ABSENT: ("" if told else NO_OBJECT, *rest), None: (NULL_OBJECT, *rest)}
    spread = [next(rows) if value.__class__ is dict else marks[value] for value in values]
    texts = [list(column) for column in zip(*spread, strict=True)]
    return Columns(f"{name}{'?' if told else '~'}{{{inner.header}}}", texts, True, inner.lines, inner.coded)


def _size(columns: Columns) -> float:
    """Return how many characters columns take, an empty cell being little more than none."""
    filled = sum(len(text) + 1 for texts in columns.texts for text in texts if text)
    cells = sum(map(len, columns.texts))
    filled += sum(map(len, columns.lines))
    return len(columns.header) + filled + cells * _EMPTY


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
    written = iter(map("|".join, zip(names, *inner.texts, strict=True)))
    return Columns(f"{name}:{{{inner.header}}}", [_cells(values, missing, written, place)], lines=inner.lines)


def _fields(name: str, values: list[Any], missing: str, place: Place) -> Columns | None:
    """Return a column whose cells hold lists: ``;`` between items, ``|`` between the fields of an item."""
    lists = [value for value in values if value.__class__ in (list, tuple)]
    items = list(chain.from_iterable(lists))
    kinds = {item.__class__ for item in items}
    own = place.below([number for value in lists for number in range(len(value))], FIELD)
    if kinds == {dict} and pays(items):
        inner = columns_of(items, own)
        if not inner.texts:
            inner = columns_of(items, own._replace(hoist=False))
        header = f"{name}[{inner.header}]"
    elif kinds == {list} and equal_tuples(items):
        inner = tuple_columns(items, own)
        header = f"{name}({inner.header})"
    elif items and not kinds & {dict, list, tuple}:
        inner = _plain("", items, kinds, "", own)
        header = f"{name}[]{inner.header}"
    else:
        return None
    written = iter(map("|".join, zip(*inner.texts, strict=True)))
    return Columns(header, [_cells(values, missing, written, place)], lines=inner.lines)


def _cells(values: list[Any], missing: str, items: Iterator[str], place: Place) -> list[str]:
    """Return the cells of lists or maps whose items are written; on one line where such a cell could be misread."""
    texts = []
    for value in values:
        if value is ABSENT or value is None:
            texts.append(_missing(value, missing))
            continue
        text = ";".join([next(items) for _ in value])
        plain = text not in ("", "null") and text[0] not in "[{"
        texts.append(text if plain else place.inline(value, place.depth))
    return texts


def equal_tuples(items: Sequence[Any]) -> bool:
    """Return whether lists are tuples: two or more scalars each, the same number in all."""
    sizes = {len(item) for item in items}
    return (
        len(sizes) == 1
        and sizes.pop() >= 2
        and not any(value.__class__ in (dict, list, tuple) for item in items for value in item)
    )


def tuple_columns(rows: Sequence[Sequence[Any]], place: Place) -> Columns:
    """Return the columns of tuples; the header holds only what is to be known of each."""
    found = [_tuple_column(list(values), place) for values in zip(*rows, strict=True)]
    if not any(columns.texts for columns in found):
        found = [_tuple_column(list(values), place._replace(hoist=False)) for values in zip(*rows, strict=True)]
    texts = [columns.texts[0] for columns in found if columns.texts]
    return Columns(",".join(columns.header for columns in found), texts)


def _tuple_column(values: list[Any], place: Place) -> Columns:
    hoists = hoisted({"": values}, place.rows, str) if place.hoist else {}
    own = hoists.get("")
    return _plain_tuple(values, place) if own is None or own.strings or own.cells else Columns(own.header, [])


def _plain_tuple(values: list[Any], place: Place) -> Columns:
    return _plain("", values, {value.__class__ for value in values}, "", place)
