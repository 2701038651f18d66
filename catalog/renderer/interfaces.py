"""Interfaces: a type as a model reads it best: names, types, and what must hold as comments, in few tokens.

The form is that of TypeScript's interfaces, which models know. A JSON Schema of the same type takes two to three times
as many tokens, and an example says nothing of what is optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from catalog.errors import UsageError
from catalog.renderer.constraints import Schema, constraints

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
        own = _identifier(name) if name else _named(root, key or "Type")
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
        said = [_line(schema["description"])] if schema.get("description") else []
        said += constraints(schema)
        if said:
            yield f"// {'; '.join(dict.fromkeys(said))}"
        if not schema.get("properties") or schema.get("type", "object") != "object" or schema.get("nullable"):
            yield f"type {name} = {self._type(schema)}"
            return
        beside = self._beside(schema)
        yield f"type {name} = {{" if beside else f"interface {name} {{"
        required = schema.get("required", ())
        for field, own in schema["properties"].items():
            if field not in without:
                yield f"  {self._field(field, own, is_required=field in required, comment='  // {}')}"
        yield from (f"  [key: string]: {self._type(own)}" for own in _others(schema))
        yield f"}}{''.join(f' & {_grouped(own)}' for own in beside)}"

    def _field(self, name: str, schema: Any, *, is_required: bool, comment: str) -> str:
        """Return a field, and what is to be said of it as a comment."""
        said: list[str] = []
        if isinstance(schema, Mapping):  # else true or false: anything, or nothing
            said = [*constraints(schema), *_default(schema, is_required=is_required)]
            said += [_line(schema["description"])] if schema.get("description") else []
        beside = comment.format("; ".join(dict.fromkeys(said)).replace("*/", "* /")) if said else ""
        return f"{_quoted(name)}{'' if is_required else '?'}: {self._type(schema)}{beside}"

    def _type(self, schema: Any) -> str:
        """Return what a value is: all that a schema says of it holds at once."""
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "any"
        parts = self._beside(schema)
        has_fields = bool(schema.get("properties")) or isinstance(schema.get("additionalProperties"), Mapping)
        if has_fields or (not parts and ("type" in schema or "items" in schema or "prefixItems" in schema)):
            parts = [self._kind({"type": "object" if has_fields else "array", **schema}), *parts]
        known = list(dict.fromkeys(own for own in parts if own != "any"))
        found = " & ".join(map(_grouped, known)) if len(known) > 1 else next(iter(known), "any")
        return f"{found} | null" if schema.get("nullable") is True else found

    def _beside(self, schema: Schema) -> list[str]:
        """Return what a schema says of a value beside its kind: references, values, and variants."""
        found = []
        if "$ref" in schema:
            found.append(self._reference(schema["$ref"]))
        if "const" in schema:
            found.append(_json(schema["const"]))
        elif "enum" in schema:
            found.append(" | ".join(map(_json, schema["enum"])) or "never")
        for key in ("anyOf", "oneOf"):
            if key in schema:
                found.append(" | ".join(dict.fromkeys(map(self._type, schema[key]))))
        return [*found, *(self._type(own) for own in schema.get("allOf") or ())]

    def _kind(self, schema: Schema) -> str:
        kind = schema["type"]
        if isinstance(kind, list):
            return " | ".join(self._kind({**schema, "type": own}) for own in kind)
        return {"array": self._array, "object": self._object}.get(kind, lambda _: _PLAIN.get(kind, "any"))(schema)

    def _array(self, schema: Schema) -> str:
        items, first = schema.get("items", True), schema.get("prefixItems")
        if isinstance(items, list):  # as older drafts write it
            first, items = items, schema.get("additionalItems", True)
        if first:
            more = f", ...{_grouped(self._type(items))}[]" if isinstance(items, Mapping) else ""
            return f"[{', '.join(map(self._type, first))}{more}]"
        return f"{_grouped(self._type(items))}[]"

    def _object(self, schema: Schema) -> str:
        fields = schema.get("properties")
        others = list(_others(schema))
        if not fields:
            keys = schema.get("propertyNames")
            key = (
                self._type(keys) if isinstance(keys, Mapping) and {"enum", "const", "$ref"} & keys.keys() else "string"
            )
            values = dict.fromkeys(map(self._type, others or [schema.get("additionalProperties", True)]))
            return f"Record<{key}, {' | '.join(values)}>"
        required = schema.get("required", ())
        inside = [
            self._field(name, own, is_required=name in required, comment=" /* {} */") for name, own in fields.items()
        ]
        inside += [f"[key: string]: {self._type(own)}" for own in others]
        return f"{{ {'; '.join(inside)} }}"

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

    def _referred(self, reference: str, seen: tuple[str, ...] = ()) -> Schema:
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
        if found.keys() == {"$ref"}:  # another name of it
            if found["$ref"] in seen:
                raise UsageError(f"the schema refers from {reference!r} to itself", hint="Say what it is.")
            return self._referred(found["$ref"], (*seen, found["$ref"]))
        return found


def _named(schema: Schema, key: str) -> str:
    """Return the name of a type, without the signs of generics."""
    return _identifier(str(schema.get("title") or key))


def _identifier(name: str) -> str:
    found = _NO_NAME.sub("", name) or "Type"
    return f"_{found}" if found[0].isdigit() else found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return name if _FIELD.fullmatch(name) else _json(name)


def _others(schema: Schema) -> Iterator[Any]:
    """Yield what the values are of whose keys are not named."""
    yield from (schema.get("patternProperties") or {}).values()
    more = schema.get("additionalProperties", False)
    if more is not False:
        yield more


def _grouped(text: str) -> str:
    return f"({text})" if " | " in text or " & " in text else text


def _line(text: str) -> str:
    return " ".join(str(text).split())


def _default(schema: Schema, *, is_required: bool) -> Iterator[str]:
    if not is_required and schema.get("default") not in (None, [], {}):
        yield f"default {_json(schema['default'])}"
