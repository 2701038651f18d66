"""Interfaces: a type as a model reads it best: names, types, and what must hold as comments, in few tokens.

The form is that of TypeScript's interfaces, which models know. A JSON Schema of the same type takes two to three times
as many tokens, and an example says nothing of what is optional.
"""

from __future__ import annotations

import json
import re
import reprlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from catalog.errors import UsageError
from catalog.renderer.constraints import WHOLE, Schema, real_variants, tuple_of, words

_NO_NAME = re.compile(r"\W+")
MOST_PARTS = 100_000
"""Parts of a schema; no model reads one of more."""
_FIELD = re.compile(r"[A-Za-z_$][\w$]*")
_PLAIN = {"string", "integer", "number", "boolean", "null"}
_ARRAYS = {"items", "prefixItems"}
_OBJECTS = {"properties", "patternProperties", "required", "additionalProperties"}
"""Keywords that say what kind of value it is where nothing else does."""
_VARIANTS = ("anyOf", "oneOf", "allOf")
_ALIAS = frozenset({"$ref", "$defs", "definitions", "$schema", "$id", "title"})
"""Keys of a schema that only says which of its definitions is meant."""
_REFERENCE = re.compile(r'\{"\$ref": ("#[^"\\]*")\}')
"""A reference in a keyword that is said as it is."""
_ANY_OBJECT = "Record<string, any>"


def interface(shown: Any, *, name: str | None = None, without: Collection[str] = ()) -> str:
    """Return a type as an interface, with all that it refers to behind it.

    Args:
        shown: a Pydantic model, or a JSON Schema.
        name: what it is called; by default its title.
        without: fields that are left out, and with them what only they refer to.

    Raises:
        UsageError: for what is neither, and for a reference that leads nowhere.
    """
    schema = schema_of(shown)
    try:
        if _weight(schema, {}) > MOST_PARTS:
            raise UsageError(f"the schema of {name or 'this type'} has more than {MOST_PARTS:,} parts", hint="Part it.")
        writer = _Writer(schema, without)
        return writer.written(name)
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        why = f"{reprlib.repr(shown)} is no JSON Schema: {type(error).__name__}: {error}"
        raise UsageError(why, hint="Mend it, or hand in a model.") from None


def _weight(part: Any, known: dict[int, int]) -> int:
    """Return how many parts a schema has, those that stand in it twice counted twice."""
    inside = part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
    if id(part) not in known:
        known[id(part)] = 1 + sum(_weight(own, known) for own in inside)
    return known[id(part)]


def schema_of(shown: Any) -> Schema:
    """Return the JSON Schema of a type.

    Raises:
        UsageError: for what is neither a Pydantic model nor a schema.
    """
    make = getattr(shown, "model_json_schema", None)
    try:
        found = make() if callable(make) else shown
    except Exception as error:  # whatever Pydantic says of a model that has no schema
        why = f"{reprlib.repr(shown)} has no JSON Schema: {error}"
        raise UsageError(why, hint="Give types that JSON can hold.") from None
    if not isinstance(found, Mapping):
        raise UsageError(f"{reprlib.repr(shown)} is no type to show", hint="Give a Pydantic model or a JSON Schema.")
    return found


def fields_of(schema: Schema) -> frozenset[str]:
    """Return the names of the fields of a type as a whole, in each of its variants; not of what stands in them."""
    found: set[str] = set()
    seen: set[str] = set()
    work: list[Any] = [schema]
    while work:
        part = work.pop()
        if not isinstance(part, Mapping):
            continue
        found |= (part.get("properties") or {}).keys()
        work += (own for key in _VARIANTS for own in part.get(key) or ())
        if part.get("$ref", "#") not in ("#", *seen):
            seen.add(part["$ref"])
            work.append(_referred(schema, part["$ref"])[1])
    return frozenset(found)


class _Writer:
    """Writes a type and those it refers to, each once, in the order in which they are first met."""

    def __init__(self, schema: Schema, without: Collection[str]) -> None:
        self._schema = schema
        self._without = without
        self._whole: set[str] = set()
        self._names: dict[str, str] = {}
        self._queue: list[str] = []
        self._taken = {*_PLAIN, "any", "never", "Record"}

    def written(self, name: str | None) -> str:
        root, key = self._schema, "#"
        if _ALIAS.issuperset(root) and "$ref" in root:  # a type that refers to itself
            key, root = _referred(self._schema, root["$ref"])
        own = _identifier(name) if name else _named(root, key.rpartition("/")[2].strip("#") or "Type")
        own = self._free(own)
        self._names |= {"#": own, key: own}
        parts = ["\n".join(self._definition(own, self._left(root)))]
        while self._queue:
            key = self._queue.pop(0)
            _, found = _referred(self._schema, key)
            found = self._left(found) if key in self._whole else found
            parts.append("\n".join(self._definition(self._names[key], found)))
        return "\n".join(parts)

    def _left(self, schema: Any) -> Any:
        """Return what the answer as a whole is without the fields that are left out, in each of its variants."""
        if not isinstance(schema, Mapping) or not self._without:
            return schema
        if "$ref" in schema:
            self._whole.add(_referred(self._schema, schema["$ref"])[0])
        left = {key: value for key, value in schema.items() if key not in WHOLE or not self._is_of_left(value)}
        for key in _VARIANTS:
            if key in schema:
                left[key] = [self._left(own) for own in schema[key]]
        if "properties" in schema:
            left["properties"] = {name: own for name, own in schema["properties"].items() if name not in self._without}
        if "required" in schema:
            left["required"] = [name for name in schema["required"] if name not in self._without]
        return left

    def _is_of_left(self, value: Any) -> bool:
        """Return whether something is said of a field that is left out, which nobody could make sense of."""
        said = json.dumps(value)
        return any(json.dumps(name) in said for name in self._without)

    def _definition(self, name: str, schema: Any) -> Iterator[str]:
        if said := self._words(schema):
            yield f"// {'; '.join(said)}"
        if not isinstance(schema, Mapping):
            yield f"type {name} = {self._type(schema)}"
            return
        fields = list(self._fields(schema, lambda said: f"  // {'; '.join(said)}"))
        if not fields or schema.get("type", "object") != "object" or schema.get("nullable"):
            yield f"type {name} = {self._type(schema)}"
            return
        beside = self._beside(schema)
        yield f"type {name} = {{" if beside else f"interface {name} {{"
        yield from (f"  {field}" for field in fields)
        yield f"}}{''.join(f' & {_grouped(own)}' for own in beside)}"

    def _words(self, schema: Any, *, is_optional: bool = False) -> list[str]:
        """Return what is to be said of a value beside its type, with the names of the types that it refers to."""
        return [_REFERENCE.sub(self._by_name, said) for said in words(schema, is_optional=is_optional)]

    def _by_name(self, found: re.Match[str]) -> str:
        return self._reference(json.loads(found[1]))

    def _fields(self, schema: Schema, comment: Callable[[Sequence[str]], str]) -> Iterator[str]:
        """Yield the fields of an object, and what is to be said of each as a comment."""
        fields, required = schema.get("properties") or {}, schema.get("required") or ()
        more = schema.get("additionalProperties", True)
        for name, own in {**fields, **{name: more for name in required if name not in fields}}.items():
            is_required = name in required
            said = self._words(own, is_optional=not is_required)
            beside = comment(said) if said else ""
            yield f"{_quoted(name)}{'' if is_required else '?'}: {self._type(own)}{beside}"
        patterns = schema.get("patternProperties") or {}
        for pattern, own in patterns.items():
            yield f"[key: string{_comment([f'matches {pattern}'])}]: {self._told(own)}"
        if (patterns or fields or required) and "additionalProperties" in schema and more is not False:
            yield f"[key: string]: {self._told(more)}"

    def _type(self, schema: Any) -> str:
        """Return what a value is: all that a schema says of it holds at once."""
        if not isinstance(schema, Mapping):
            return "never" if schema is False else "any"
        is_listed = not {"const", "enum"}.isdisjoint(schema)  # its values say what kind it is
        parts = [*([] if is_listed else [self._kind(schema)]), *self._beside(schema)]
        known = list(dict.fromkeys(own for own in parts if own != "any"))
        if len(known) > 1:
            known = [own for own in known if own != _ANY_OBJECT]
        found = " & ".join(map(_grouped, known)) if len(known) > 1 else next(iter(known), "any")
        return f"{found} | null" if schema.get("nullable") is True else found

    def _told(self, schema: Any, *, is_optional: bool = False) -> str:
        """Return what one of several values is, with what is to be said of it."""
        said = self._words(schema, is_optional=is_optional)
        return f"{_grouped(self._type(schema))}{_comment(said)}" if said else self._type(schema)

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
            variants = schema.get(key) or ()
            write = self._told if len(real_variants(variants)) > 1 else self._type
            if variants:
                found.append(" | ".join(dict.fromkeys(map(write, variants))))
        return [*found, *(self._type(own) for own in schema.get("allOf") or ())]

    def _kind(self, schema: Schema) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            return " | ".join(self._kind({**schema, "type": own}) for own in dict.fromkeys(kind)) or "never"
        if kind == "array" or (kind is None and not _ARRAYS.isdisjoint(schema)):
            return self._array(schema)
        if kind == "object" or (kind is None and not _OBJECTS.isdisjoint(schema)):
            return self._object(schema)
        return str(kind) if kind in _PLAIN else "any"

    def _array(self, schema: Schema) -> str:
        known = tuple_of(schema)
        if known is None:
            return f"{_grouped(self._type(schema.get('items', True)))}[]"
        inside = [self._told(own) for own in known.first[: known.least]]
        inside += [f"{_grouped(self._told(own, is_optional=True))}?" for own in known.first[known.least :]]
        if known.others is not None:
            inside.append(f"...{_grouped(self._told(known.others))}[]")
        return f"[{', '.join(inside)}]"

    def _object(self, schema: Schema) -> str:
        inside = list(self._fields(schema, _comment))
        if inside or "properties" in schema:
            return f"{{ {'; '.join(inside)} }}" if inside else "{}"
        keys = schema.get("propertyNames")
        key = self._type(keys) if isinstance(keys, Mapping) and {"enum", "const", "$ref"} & keys.keys() else "string"
        return f"Record<{key}, {self._type(schema.get('additionalProperties', True))}>"

    def _reference(self, reference: str) -> str:
        key, found = _referred(self._schema, reference)
        if key not in self._names:
            self._names[key] = self._free(_named(found, key.rpartition("/")[2]))
            self._queue.append(key)
        return self._names[key]

    def _free(self, wanted: str) -> str:
        """Return a name that nothing else has, and take it."""
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}{number}", number + 1
        self._taken.add(name)
        return name


def _referred(schema: Schema, reference: str, seen: tuple[str, ...] = ()) -> tuple[str, Any]:
    """Return what a reference such as ``#/$defs/Step`` leads to, and the one that leads there without a detour.

    Raises:
        UsageError: where it leads nowhere, or out of the schema.
    """
    found: Any = schema
    for step in reference.split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    if not (reference == "#" or reference.startswith("#/")) or not isinstance(found, Mapping | bool):
        raise UsageError(f"the schema refers to {reference!r}, which is not there", hint="Put it under $defs.")
    if isinstance(found, Mapping) and found.keys() == {"$ref"}:  # another name of it
        if found["$ref"] in seen:
            raise UsageError(f"the schema refers from {reference!r} to itself", hint="Say what it is.")
        return _referred(schema, found["$ref"], (*seen, found["$ref"]))
    return reference, found


def _named(schema: Any, key: str) -> str:
    """Return the name of a type, without the signs of generics."""
    return _identifier(str((isinstance(schema, Mapping) and schema.get("title")) or key))


def _identifier(name: str) -> str:
    found = _NO_NAME.sub("", name) or "Type"
    return f"_{found}" if found[0].isdigit() else found


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(name: str) -> str:
    return name if _FIELD.fullmatch(name) else _json(name)


def _grouped(text: str) -> str:
    return f"({text})" if " | " in text or " & " in text or text.endswith("*/") else text


def _comment(said: Sequence[str]) -> str:
    """Return a comment inside of a line, which nothing in it closes."""
    return f" /* {'; '.join(said).replace('*/', '* /')} */"
