"""Hoisting: columns whose values follow from the header, from the row's number, or from another column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from catalog.crusher.minified import Lexeme
from catalog.crusher.tables.messages import SLOT, Messages, messages
from catalog.crusher.tables.templates import (
    CELL,
    Segment,
    Source,
    affixes,
    constant,
    counted,
    counter_of,
    derived,
    distinct_enough,
    integer_of,
    lead_of,
    written,
)


class Hoisted(NamedTuple):
    """What a column's values have in common, said before the rows.

    Attributes:
        header: what follows the name in the header.
        strings: the strings that cells stand for; None where the column has no cell.
        digits: whether these are the rest of numbers, of which nothing can be cut.
        messages: those of the column.
    """

    header: str
    strings: list[str] | None = None
    digits: bool = False
    messages: Messages | None = None


_MOST_SOURCES = 48
"""Columns that others are compared with; more would cost more time than they save."""


def hoisted(columns: Mapping[str, list[Any]], rows: Sequence[int], inline: Callable[[Any], str]) -> dict[str, Hoisted]:
    """Return the templates of those columns that have one.

    Args:
        columns: key → values, one a row; only scalars of one kind, and what is the same in every row, have templates.
        rows: the numbers of the rows.
        inline: writes an object or list on one line.
    """
    found: dict[str, Hoisted] = {}
    sources: dict[str, Source] = {}
    for key in sorted(columns, key=lambda key: (_length(columns[key]), key)):
        values = columns[key]
        if len(values) < 2:
            continue
        same = _constant(values, inline)
        if same is not None:
            found[key] = Hoisted(f"={same}")
            continue
        kinds = {value.__class__ for value in values}
        if kinds == {str}:
            template = counted(values, rows) or derived(values, sources)
            partly = Hoisted(f"={written(template)}") if template else _from_patterns(values) or _affixed(values)
            if partly is not None:
                found[key] = partly
        elif kinds <= {int, Lexeme}:
            counter = counter_of(values, rows)
            lead = None if counter else lead_of(values)
            if counter is not None:
                found[key] = Hoisted(f"={counter.written()}")
            elif lead is not None:
                found[key] = Hoisted(
                    f"={lead.written()}", [str(value)[len(lead.digits) :] for value in values], digits=True
                )
        else:
            continue
        _add_source(sources, key, values, is_text=kinds == {str})
    return found


def _length(values: Sequence[Any]) -> int:
    return sum(len(value) if value.__class__ is str else 8 for value in values)


def _constant(values: Sequence[Any], inline: Callable[[Any], str]) -> str | None:
    first = values[0]
    holds = first.__class__ in (dict, list, tuple)
    kinds = (list, tuple) if first.__class__ in (list, tuple) else (first.__class__,)
    if first.__class__ is object or any(value.__class__ not in kinds for value in values):
        return None  # a key that is absent, or values that differ
    if not holds and any(value != first for value in values):
        return None  # NaN differs from itself
    text = constant(first, inline)
    exact = holds or first.__class__ is float  # 1 == 1.0 == True inside, and 0.0 == -0.0
    return None if exact and any(constant(value, inline) != text for value in values) else text


def _affixed(values: Sequence[str]) -> Hoisted | None:
    before, after = affixes(values)
    if not before and not after:
        return None
    template: list[Segment] = [part for part in (before, CELL, after) if part]
    return Hoisted(f"={written(template)}", [value[len(before) : len(value) - len(after)] for value in values])


def _from_patterns(values: Sequence[str]) -> Hoisted | None:
    found = messages(values)
    if found is None or len(found.entries) > 1 or not all(found.letters):
        return found and Hoisted("%", messages=found)
    (pattern,) = found.entries.values()
    segments = [part for text in pattern.split(SLOT) for part in (CELL, text)][1:]
    slots = [text.partition(" ")[2] for text in found.texts]
    only = Messages({}, slots, [""] * len(slots))
    return Hoisted(f"={written([part for part in segments if part])}", messages=only)


def _add_source(sources: dict[str, Source], key: str, values: Sequence[Any], *, is_text: bool) -> None:
    if len(sources) < _MOST_SOURCES and (is_text or all(integer_of(value) is not None for value in values)):
        texts = [str(value) for value in values]
        if distinct_enough(texts):
            sources[key] = Source(texts, is_text)
