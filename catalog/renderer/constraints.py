"""Constraints: what a JSON Schema says must hold of a value beside its type, in a few words each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
_BOUNDS = (
    ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"),
    ("multipleOf", "a multiple of"),
)  # fmt: skip
_SIZES = (
    ("minLength", "maxLength", "characters"),
    ("minItems", "maxItems", "items"),
    ("minProperties", "maxProperties", "entries"),
)
_WHOLE = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "contains", "unevaluatedProperties")
"""Keywords that are said as they are: there are no words for them that are shorter and as exact."""


def constraints(schema: Schema) -> Iterator[str]:
    """Yield what must hold of a value, beside its type."""
    variants = [own for key in ("anyOf", "oneOf", "allOf") for own in schema.get(key) or () if isinstance(own, Mapping)]
    for own in (schema, *variants):
        for key, sign in _BOUNDS:
            if isinstance(own.get(key), int | float) and own[key] is not True and own[key] is not False:
                yield f"{sign} {own[key]}"
        for least, most, of in _SIZES:
            if least in own or most in own:
                yield f"{_size(own.get(least), own.get(most))} {of}"
        if "pattern" in own:
            yield f"matches {own['pattern']}"
        if "format" in own:
            yield str(own["format"])
        if own.get("uniqueItems"):
            yield "no two alike"
        yield from _of_parts(own)
        for key in _WHOLE:
            if key in own:
                yield f"{key}: {json.dumps(own[key], ensure_ascii=False)}"


def _size(least: int | None, most: int | None) -> str:
    if most is None:
        return f"≥ {least}"
    if not least:
        return f"≤ {most}"
    return str(least) if least == most else f"{least}–{most}"


def _of_parts(schema: Schema) -> Iterator[str]:
    """Yield what must hold of the items of a list, and of the keys and values of a mapping."""
    patterns = list(schema.get("patternProperties") or ())
    if patterns:
        yield f"keys match {' or '.join(patterns)}"
    for whose, key in (("each", "items"), ("keys:", "propertyNames"), ("values:", "additionalProperties")):
        inside = schema.get(key)
        if isinstance(inside, Mapping):
            yield from (f"{whose} {rule}" for rule in constraints(inside))
