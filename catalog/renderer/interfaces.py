"""Interfaces: a type as a model reads it best: names, types, and what must hold as comments, in few tokens.

The form is that of TypeScript's interfaces, which models know. A JSON Schema of the same type takes two to three times
as many tokens, and an example says nothing of what is optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from catalog.errors import UsageError

Schema = Mapping[str, Any]
_NO_NAME = re.compile(r"\W+")
_FIELD = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}


def interface(shown: Any, *, name: str | None = None, without: Collection[str] = ()) -> str:
    """Return a type as an interface, with all that it refers to behind it.

    Args:
        shown: a Pydantic model, or a JSON Schema.
        name: what it is called; by default its title.
        without: fields that are left out, and with them what only they refer to.

    Raises:
        UsageError: for what is neither, and for a reference that leads nowhere.
    """
    writer = _Writer(schema_of(shown))
    try:
        return writer.written(name, without)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        what = f"{type(error).__name__}: {error}"
        raise UsageError(f"{shown!r:.60} is no JSON Schema: {what}", hint="Mend it, or hand in a model.") from None


def schema_of(shown: Any) -> Schema:
    """Return the JSON Schema of a type.

    Raises:
        UsageError: for what is neither a Pydantic model nor a schema.
    """
    make = getattr(shown, "model_json_schema", None)
    try:
        found = make() if callable(make) else shown
    except Exception as error:  # whatever Pydantic says of a model that has no schema
        raise UsageError(f"{shown!r:.60} has no JSON Schema: {error}", hint="Give types that JSON can hold.") from None
    if not isinstance(found, Mapping):
        raise UsageError(f"{shown!r:.60} is no type to show", hint="Give a Pydantic model or a JSON Schema.")
    return found


class _Writer:
    """Writes a type and those it refers to, each once, in the order in which they are first met."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._names: dict[str, str] = {}
        self._queue: list[str] = []

    def written(self, name: str | None, without: Collection[str]) -> str:
        root, key = self._schema, None
        if "$ref" in root:  # a type that refers to itself
            key = root["$ref"]
            root = self._referred(key)
        own = name or _named(root, key or "Type")
        self._names["#"] = own
        if key is not None:
            self._names[key] = own
        self._taken = {own}
        parts = ["\n".join(self._definition(own, root, without))]
        while self._queue:
            key = self._queue.pop(0)
            parts.append("\n".join(self._definition(self._names[key], self._referred(key), ())))
        return "\n".join(parts)

    def _definition(self, name: str, schema: Schema, without: Collection[str]) -> Iterator[str]:
        if schema.get("description"):
            yield f"// {_line(schema['description'])}"
        if "properties" not in schema:
            yield f"type {name} = {self._type(schema)}"
            return
        yield f"interface {name} {{"
        required = schema.get("required", ())
        for field, own in schema["properties"].items():
            if field not in without:
                yield self._field(field, own, is_required=field in required)
        yield "}"

    def _field(self, name: str, schema: Any, *, is_required: bool) -> str:
        if not isinstance(schema, Mapping):  # true or false: anything, or nothing
            return f"  {_quoted(name)}{'' if is_required else '?'}: {self._type(schema)}"
        said = [*_rules(schema), *_default(schema, is_required=is_required)]
        if schema.get("description"):
            said.append(_line(schema["description"]))
        comment = f"  // {'; '.join(said)}" if said else ""
        return f"  {_quoted(name)}{'' if is_required else '?'}: {self._type(schema)}{comment}"

    def _type(self, schema: Any) -> str:
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "any"
        forms: Mapping[str, Callable[[Any], str]] = {
            "$ref": lambda own: self._reference(own["$ref"]),
            "const": lambda own: _json(own["const"]),
            "enum": lambda own: " | ".join(map(_json, own["enum"])) or "never",
            "anyOf": lambda own: " | ".join(dict.fromkeys(map(self._type, own["anyOf"]))),
            "oneOf": lambda own: " | ".join(dict.fromkeys(map(self._type, own["oneOf"]))),
            "allOf": lambda own: " & ".join(dict.fromkeys(_grouped(self._type(one)) for one in own["allOf"])),
            "type": self._kind,
            "properties": self._object,
        }
        return next((write(schema) for key, write in forms.items() if key in schema), "any")

    def _kind(self, schema: Schema) -> str:
        kind = schema["type"]
        if isinstance(kind, list):
            return " | ".join(self._kind({**schema, "type": own}) for own in kind)
        return {"array": self._array, "object": self._object}.get(kind, lambda _: _PLAIN.get(kind, "any"))(schema)

    def _array(self, schema: Schema) -> str:
        if schema.get("prefixItems"):
            inside = ", ".join(map(self._type, schema["prefixItems"]))
            more = f", ...{_grouped(self._type(schema['items']))}[]" if schema.get("items") else ""
            return f"[{inside}{more}]"
        return f"{_grouped(self._type(schema.get('items', True)))}[]"

    def _object(self, schema: Schema) -> str:
        fields = schema.get("properties")
        if not fields:
            values = schema.get("additionalProperties", True)
            patterns = schema.get("patternProperties")
            inside = next(iter(patterns.values())) if patterns else values
            return f"Record<string, {self._type(inside)}>"
        required = schema.get("required", ())
        inside = "; ".join(
            f"{_quoted(name)}{'' if name in required else '?'}: {self._type(own)}" for name, own in fields.items()
        )
        return f"{{ {inside} }}"

    def _reference(self, reference: str) -> str:
        key = reference
        if key not in self._names:
            wanted = name = _named(self._referred(key), key.rpartition("/")[2])
            number = 2
            while name in self._taken:
                name, number = f"{wanted}{number}", number + 1
            self._taken.add(name)
            self._names[key] = name
            self._queue.append(key)
        return self._names[key]

    def _referred(self, reference: str) -> Schema:
        """Return what a reference such as ``#/$defs/Step`` leads to.

        Raises:
            UsageError: where it leads nowhere, or out of the schema.
        """
        found: Any = self._schema
        for step in reference.split("/")[1:]:
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        if not reference.startswith("#") or not isinstance(found, Mapping):
            raise UsageError(f"the schema refers to {reference!r}, which is not there", hint="Put it under $defs.")
        return found


def _named(schema: Schema, key: str) -> str:
    """Return the name of a type, without the signs of generics."""
    return _NO_NAME.sub("", str(schema.get("title") or key)) or "Type"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return name if _FIELD.fullmatch(name) else _json(name)


def _grouped(text: str) -> str:
    return f"({text})" if " | " in text or " & " in text else text


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _default(schema: Schema, *, is_required: bool) -> Iterator[str]:
    if not is_required and schema.get("default") not in (None, [], {}):
        yield f"default {_json(schema['default'])}"


_BOUNDS = (
    ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"),
    ("multipleOf", "a multiple of"),
)  # fmt: skip
_SIZES = (("minLength", "maxLength", "characters"), ("minItems", "maxItems", "items"),
          ("minProperties", "maxProperties", "entries"))  # fmt: skip


def _rules(schema: Schema) -> Iterator[str]:
    """Yield what must hold of a value, beside its type."""
    inside = [schema, *(own for own in schema.get("anyOf") or () if isinstance(own, Mapping))]
    for own in inside:
        for key, sign in _BOUNDS:
            if key in own:
                yield f"{sign} {own[key]}"
        for least, most, of in _SIZES:
            if least in own or most in own:
                low, high = own.get(least, 0), own.get(most)
                yield f"{low} {of}" if low == high else f"{low}–{high if high is not None else ''} {of}"
        if "pattern" in own:
            yield f"matches {own['pattern']}"
        if "format" in own:
            yield str(own["format"])
        if own.get("uniqueItems"):
            yield "no two alike"
        if isinstance(own.get("items"), Mapping):
            yield from (f"each {rule}" for rule in _rules(own["items"]))
