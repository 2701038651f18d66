"""Constraints: what a JSON Schema says must hold of a value beside its type, in a few words each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Schema = Mapping[str, Any]
_BOUNDS = (
    ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"),
    ("multipleOf", "a multiple of"),
)  # fmt: skip
_EXCLUSIVE = str.maketrans("≥≤", "><")
_SIZES = (
    ("minLength", "maxLength", "characters"),
    ("minItems", "maxItems", "items"),
    ("minProperties", "maxProperties", "entries"),
)
WHOLE = (
    "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "contains", "minContains", "maxContains",
    "dependencies", "unevaluatedProperties", "unevaluatedItems", "contentEncoding", "contentMediaType", "contentSchema",
    "$dynamicRef", "$recursiveRef",
)  # fmt: skip
"""Keywords that are said as they are: there are no words for them that are shorter and as exact."""
_FLAGS = {"uniqueItems": "no two alike", "deprecated": "deprecated", "readOnly": "read-only", "writeOnly": "write-only"}


def words(schema: Any, *, is_optional: bool = False) -> list[str]:
    """Return what is to be said of a value beside its type: what must hold, what it is if left out, what it means."""
    return list(
        dict.fromkeys((*_constraints(schema), *(_default(schema) if is_optional else ()), *_descriptions(schema)))
    )


def _constraints(schema: Any) -> Iterator[str]:
    """Yield what must hold of a value beside its type, but for what is said beside a variant or an item of a tuple."""
    if not isinstance(schema, Mapping):
        return  # anything, or nothing
    for key, sign in _BOUNDS:
        if _is_number(schema.get(key)):
            is_exclusive = schema.get(f"exclusive{key.capitalize()}") is True  # as the fourth draft says it
            yield f"{sign.translate(_EXCLUSIVE) if is_exclusive else sign} {schema[key]}"
    own = tuple_of(schema)
    for least, most, of in _SIZES:
        low, high = (schema[key] if _is_number(schema.get(key)) else None for key in (least, most))
        low = low or None
        if own is not None and of == "items":  # the type says how many of the first there are
            low, high = (size if size is not None and size > len(own.first) else None for size in (low, high))
        if low is not None or high is not None:
            yield _size(low, high, of)
    if "pattern" in schema:
        yield f"matches {_in_a_line(schema['pattern'])}"
    if "format" in schema:
        yield _in_a_line(schema["format"])
    yield from (said for key, said in _FLAGS.items() if schema.get(key) is True)
    yield from (f"{whose}{rule}" for whose, inside in _inner(schema) for rule in _constraints(inside))
    names = schema.get("propertyNames")
    if isinstance(names, Mapping) and not {"enum", "const", "$ref"}.isdisjoint(names) and "properties" in schema:
        yield f"propertyNames: {json.dumps(names, ensure_ascii=False)}"
    for key in WHOLE:
        if key in schema:
            yield f"{key}: {json.dumps(schema[key], ensure_ascii=False)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_a_line(text: Any) -> str:
    """Return a text as it is, or as JSON where it has what would end a line."""
    return text if isinstance(text, str) and text.isprintable() else json.dumps(text, ensure_ascii=False)


def _default(schema: Any) -> Iterator[str]:
    """Yield what a value is where it is left out, but for null and what is empty, which go without saying."""
    if isinstance(schema, Mapping) and schema.get("default") not in (None, [], {}):
        yield f"default {json.dumps(schema['default'], ensure_ascii=False)}"


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if schema.get("description"):
            yield " ".join(str(schema["description"]).split())
        yield from (f"{whose}{said}" for whose, inside in _inner(schema) for said in _descriptions(inside))


def _size(least: int | None, most: int | None, of: str) -> str:
    if least is None:
        return f"≤ {most} {of}"
    if most is None:
        return f"≥ {least} {of}"
    return f"{least} {of}" if least == most else f"{least}–{most} {of}"


def _inner(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield what else holds of a value or all of its parts, and of which."""
    yield from (("", own) for own in schema.get("allOf") or ())
    for key in ("anyOf", "oneOf"):
        variants = real_variants(schema.get(key) or ())
        if len(variants) == 1:  # it may be left out
            yield "", variants[0]
    if tuple_of(schema) is None:
        yield "each ", schema.get("items")
    yield "keys: ", schema.get("propertyNames")
    if not any(schema.get(key) for key in ("properties", "patternProperties", "required")):
        yield "values: ", schema.get("additionalProperties")


def real_variants(variants: Iterable[Any]) -> list[Any]:
    """Return the variants of a value that are more than null."""
    return [own for own in variants if not (isinstance(own, Mapping) and own.get("type") == "null")]


class Tuple(NamedTuple):
    """A list whose first items have types of their own.

    Attributes:
        first: what those are.
        least: how many there are at least.
        others: what the items behind them are; None where there are none.
    """

    first: list[Any]
    least: int
    others: Any


def tuple_of(schema: Schema) -> Tuple | None:
    """Return a list whose first items have types of their own, as this draft of JSON Schema or an older one says it."""
    items, first = schema.get("items", True), schema.get("prefixItems")
    if isinstance(items, list):
        items, first = schema.get("additionalItems", True), items
    if not first:
        return None
    first = first[: schema.get("maxItems")]
    is_closed = items is False or schema.get("maxItems") == len(first)
    return Tuple(first, schema.get("minItems", 0), None if is_closed else items)
