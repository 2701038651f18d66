"""Headers: how the columns of a table are to be read, parsed from what stands before its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from catalog.crusher.tables.lexicon import FURTHER, key_text, name_at
from catalog.crusher.tables.templates import CELL, Counter, Lead, Reference, Segment, constant_of, parsed
from catalog.crusher.tables.values import value_at

DEEPEST = 64
"""Columns that lie inside each other; no writer writes more."""

BRANCH = "^"
PATTERNS = "%"
DICTIONARY = "&"


class Constant(NamedTuple):
    """An object or list that is the same in every row, as it stands in the header."""

    text: str


class Patterns:
    """What the texts of a column are made from, written between header and rows.

    Attributes:
        entries: letter → the texts between its slots, once they were read.
    """

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: dict[str, list[str]] = {}


class Leaf(NamedTuple):
    """One cell of a row.

    Attributes:
        name: key of the object; '' in tuples.
        missing: ``?`` an empty cell is an absent key, ``!`` it is null, ``:`` the usual value, '' an empty string.
        strings: every value is a string.
        kind: ``cell``, ``further`` (an object of rare keys), ``list``, ``records`` (a list of objects, as fields),
            ``tuples`` (a list of lists), ``map`` (an object of objects, the key as first field), ``message`` (letter of
            a pattern and what fills its slots), ``branch`` (no cell: rows below a row are what it holds; ``[]`` as
            `missing`: where there are none, it holds an empty list).
        fields: columns of the items of records and tuples; one for those of a list.
        template: what the values have in common, see `templates`; a `Constant` alone is an object or list.
        usual: the usual value.
        patterns: those of a message.
    """

    name: str
    missing: str = ""
    strings: bool = False
    kind: str = "cell"
    fields: Header = ()
    template: tuple[Segment, ...] = ()
    usual: Any = ""
    patterns: Patterns | None = None

    @property
    def has_cell(self) -> bool:
        """Whether the column has a cell in each row."""
        filled = not self.template or any(own is CELL or isinstance(own, Lead) for own in self.template)
        return self.kind != "branch" and filled


class Group(NamedTuple):
    """Cells of a nested object.

    Attributes:
        missing: what the first cell says where there is no object: ``?`` it is empty, ``~`` it is marked; '' there is
            one in every row.
    """

    name: str
    missing: str
    columns: Header


class Dictionary:
    """Columns that share one cell, a letter; what it stands for is written once, between header and rows.

    Attributes:
        columns: what an entry holds.
        entries: letter → texts of its cells, once they were read.
    """

    __slots__ = ("columns", "entries")
    kind = "cell"

    def __init__(self, columns: Header) -> None:
        self.columns = columns
        self.entries: dict[str, list[str]] = {}


Opened: TypeAlias = tuple[Leaf | Group, ...]
"""Columns whose dictionaries were replaced by what they hold."""
Header: TypeAlias = "tuple[Leaf | Group | Dictionary, ...]"


def header_at(text: str, start: int, end: str, depth: int = 1) -> tuple[Header, int]:
    """Return the columns that begin at a place and end before a bracket, and the place after it.

    Args:
        text: the text.
        start: the place.
        end: the bracket.
        depth: how many columns are around them.

    Raises:
        ValueError: when they are malformed.
    """
    if depth > DEEPEST:
        raise ValueError(f"columns lie more than {DEEPEST} deep at character {start}")
    columns, _, place = _columns_at(text, start, end, ",", depth)
    return columns, place


def table_header_at(text: str, start: int) -> tuple[Header, bool, int]:
    """Return the columns of a table, whether spaces part their cells, and the place after them."""
    return _columns_at(text, start, "}", ", ", 0)


def _columns_at(text: str, start: int, end: str, separators: str, depth: int) -> tuple[Header, bool, int]:
    columns: list[Leaf | Group | Dictionary] = []
    spaced = False
    place = start
    while True:
        column, place = _column(text, place, depth)
        columns.append(column)
        mark = text[place : place + 1]
        place += 1
        if mark == end:
            _check_branch(columns, depth, start)
            return tuple(columns), spaced, place
        if not mark or mark not in separators:
            raise ValueError(f"a header is broken at character {place - 1}")
        spaced = spaced or mark == " "


def _check_branch(columns: Sequence[Leaf | Group | Dictionary], depth: int, place: int) -> None:
    branches = sum(isinstance(own, Leaf) and own.kind == "branch" for own in columns)
    if branches and depth:
        raise ValueError(f"a column inside another says what rows hold, at character {place}")
    if branches > 1:
        raise ValueError(f"{branches} columns say what the rows hold, at character {place}")


def _column(text: str, start: int, depth: int) -> tuple[Leaf | Group | Dictionary, int]:
    if text.startswith(FURTHER, start):
        return Leaf(FURTHER, "?", kind="further"), start + 1
    if text.startswith(BRANCH, start):
        name, place = name_at(text, start + 1)
        childless = text.startswith("[]", place)
        return Leaf(name, "[]" if childless else "", kind="branch"), place + 2 * childless
    if text.startswith(DICTIONARY + "{", start):
        columns, place = header_at(text, start + 2, "}", depth + 1)
        return Dictionary(columns), place
    name, place = name_at(text, start)
    missing, place = _flag(text, place, "?!~")
    if text.startswith("{", place):
        columns, place = header_at(text, place + 1, "}", depth + 1)
        if missing and not leaves(columns):
            raise ValueError(f"no cell can say that {name!r} is missing, before character {place}")
        return Group(name, missing, columns), place
    if text.startswith(("=", ":", PATTERNS), place) and not text.startswith(":{", place):
        return _hoisted_leaf(text, place, name)
    return _leaf(text, place, name, missing, depth)


def _hoisted_leaf(text: str, place: int, name: str) -> tuple[Leaf, int]:
    """Return a column whose header says more of its values than their kind."""
    if text.startswith(PATTERNS, place):
        return Leaf(name, kind="message", patterns=Patterns()), place + 1
    if text.startswith(":", place):
        segments, place = parsed(text, place + 1)
        if len(segments) > 1 or not isinstance(segments[0], str):
            raise ValueError(f"a usual value is broken at character {place}")
        return Leaf(name, missing=":", usual=constant_of(segments[0])), place
    template, place = _template(text, place + 1)
    return Leaf(name, template=template), place


def _leaf(text: str, place: int, name: str, missing: str, depth: int) -> tuple[Leaf, int]:
    if missing == "~":
        raise ValueError(f"only nested columns have a ~, at character {place}")
    if text.startswith(":{", place):
        columns, place = header_at(text, place + 2, "}", depth + 1)
        return Leaf(name, missing, kind="map", fields=(Leaf("", strings=True), *columns)), place
    if text.startswith("(", place):
        fields, place = tuple_header_at(text, place + 1)
        return Leaf(name, missing, kind="tuples", fields=fields), place
    if text.startswith("[]", place):
        strings, place = _flag(text, place + 2, "$")
        return Leaf(name, missing, kind="list", fields=(Leaf("", strings=bool(strings)),)), place
    if text.startswith("[", place):
        columns, place = header_at(text, place + 1, "]", depth + 1)
        return Leaf(name, missing, kind="records", fields=columns), place
    strings, place = _flag(text, place, "$")
    return Leaf(name, missing, bool(strings)), place


def _template(text: str, start: int) -> tuple[tuple[Segment, ...], int]:
    if text[start : start + 1] in ("{", "["):
        _, end = value_at(text, start)
        return (Constant(text[start:end]),), end
    segments, end = parsed(text, start)
    _check(segments, start)
    return tuple(segments), end


def _check(segments: Sequence[Segment], place: int) -> None:
    """See that a template is one that can be written.

    Raises:
        ValueError: when it is not: only one other column can stand in it, or a small text would become one without end.
    """
    alone = len(segments) == 1
    if sum(isinstance(own, Reference) for own in segments) > 1:
        raise ValueError(f"a template has two other columns at character {place}")
    for own in segments:
        if isinstance(own, Lead) and (not alone or own.digits.startswith("0")):
            raise ValueError(f"the first digits of a number stand beside other text at character {place}")
        if isinstance(own, Counter) and alone and own.width:
            raise ValueError(f"{own.written()} counts with leading zeros, which no number has, at character {place}")


def tuple_header_at(text: str, start: int) -> tuple[Header, int]:
    """Return the columns of tuples that begin at a place, and the place after their bracket."""
    columns: list[Leaf | Group | Dictionary] = []
    place = start
    while True:
        if text.startswith("=", place):
            template, place = _template(text, place + 1)
            columns.append(Leaf("", template=template))
        else:
            strings, place = _flag(text, place, "$")
            columns.append(Leaf("", strings=bool(strings)))
        mark = text[place : place + 1]
        place += 1
        if mark == ")":
            return tuple(columns), place
        if mark != ",":
            raise ValueError(f"a header is broken at character {place}")


def _flag(text: str, start: int, flags: str) -> tuple[str, int]:
    flag = text[start : start + 1]
    return (flag, start + 1) if flag and flag in flags else ("", start)


def leaves(header: Header) -> list[Leaf | Dictionary]:
    """Return the cells of a row, in order."""
    found: list[Leaf | Dictionary] = []
    for column in header:
        if isinstance(column, Group):
            found += leaves(column.columns)
        elif isinstance(column, Dictionary) or column.has_cell:
            found.append(column)
    return found


def optional_name(column: Leaf | Group | Dictionary) -> str:
    """Return the name before a cell that is left out where it is empty, in rows parted by spaces; '' for others."""
    if isinstance(column, Dictionary):
        return optional_name(column.columns[0]) if len(column.columns) == 1 else ""
    if not isinstance(column, Leaf) or not column.missing:
        return ""
    return FURTHER if column.kind == "further" else key_text(column.name)


def opened(header: Header) -> Opened:
    """Return the columns of a header with those of its dictionaries in their place."""
    found: list[Leaf | Group] = []
    for column in header:
        if isinstance(column, Dictionary):
            found += opened(column.columns)
        elif isinstance(column, Group):
            found.append(column._replace(columns=opened(column.columns)))
        else:
            found.append(column)
    return tuple(found)


def dictionaries(header: Header) -> Iterator[Dictionary | Patterns]:
    """Yield the dictionaries and patterns of a header in the order in which their entries are written."""
    for column in header:
        if isinstance(column, Dictionary):
            yield from dictionaries(column.columns)
            yield column
        elif isinstance(column, Leaf) and column.patterns:
            yield column.patterns
        else:
            yield from dictionaries(column.columns if isinstance(column, Group) else column.fields)
