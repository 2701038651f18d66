"""Interfaces: types as a model reads them, complete, deterministic and short."""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

import pytest
from pydantic import BaseModel, Field

from catalog.errors import PromptError, UsageError
from catalog.renderer.interfaces import interface
from tests.renderer.estates import ESTATE, candidate, renderer, said

Item = TypeVar("Item")


class Kind(StrEnum):
    """How it is meant."""

    ASK = "ask"
    TELL = "tell"


class Open(BaseModel):
    """Opens something."""

    type: Literal["open"]
    resource: str = Field(pattern="^[a-z]+$", description="What to open")


class Notify(BaseModel):
    """Says something."""

    type: Literal["notify"]
    message: str = Field(min_length=1, max_length=80)


class Task(BaseModel):
    """A task and those below it."""

    name: str
    done: bool = False
    below: list[Task] = []


class Page(BaseModel, Generic[Item]):
    """Some of many."""

    items: list[Item]
    following: str | None = None


class Reply(BaseModel):
    """What the agent answers."""

    taskComplete: bool = Field(description="Whether the task\nis done")
    kind: Kind = Kind.ASK
    confidence: float = Field(0.5, ge=0, lt=1)
    tags: list[Annotated[str, Field(max_length=9)]] = Field([], max_length=3)
    commands: list[Annotated[Open | Notify, Field(discriminator="type")]] = []
    forEach: Page[Task] | None = None
    pair: tuple[int, str] | None = None
    extra: dict[str, int] = {}
    anything: Any = None
    odd: str = Field("x", alias="odd-name")


REPLY = """// What the agent answers.
interface Reply {
  taskComplete: boolean  // Whether the task is done
  kind?: Kind  // default "ask"
  confidence?: number  // ≥ 0; < 1; default 0.5
  tags?: string[]  // ≤ 3 items; each ≤ 9 characters
  commands?: (Open | Notify)[]
  forEach?: PageTask | null
  pair?: [integer, string] | null
  extra?: Record<string, integer>
  anything?: any
  "odd-name"?: string  // default "x"
}
// How it is meant.
type Kind = "ask" | "tell"
// Opens something.
interface Open {
  type: "open"
  resource: string  // matches ^[a-z]+$; What to open
}
// Says something.
interface Notify {
  type: "notify"
  message: string  // 1–80 characters
}
interface PageTask {
  items: Task[]
  following?: string | null
}
// A task and those below it.
interface Task {
  name: string
  done?: boolean  // default false
  below?: Task[]
}"""


def test_a_model_becomes_an_interface() -> None:
    """Descriptions, defaults, constraints, unions, literals, enums, recursion, generics, mappings, aliases."""
    assert interface(Reply) == REPLY
    assert interface(Reply.model_json_schema()) == REPLY
    assert interface(Task).startswith("// A task and those below it.\ninterface Task {\n  name: string\n")


def test_it_takes_less_than_half_of_a_schema() -> None:
    """Of characters; the benchmark counts tokens."""
    schema = json.dumps(Reply.model_json_schema(), separators=(",", ":"))
    assert len(interface(Reply)) * 2.2 < len(schema)


def test_fields_that_are_left_out_take_what_only_they_refer_to_with_them() -> None:
    """And nothing else."""
    left = interface(Reply, without=["forEach"])
    assert "forEach" not in left
    assert "PageTask" not in left
    assert "interface Task" not in left
    assert "interface Notify" in left


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "$defs": {
            "A": {"properties": {"a": {}, "off": {}}, "required": ["off"]},
            "B": {"properties": {"b": {"$ref": "#/$defs/C"}}},
            "C": {"properties": {"off": {}}}}},
         "type X = A | B\ninterface A {\n  a?: any\n}\ninterface B {\n  b?: C\n}\ninterface C {\n  off?: any\n}"),
        ({"type": ["object", "null"], "properties": {"a": {}, "off": {}}}, "type X = { a?: any } | null"),
        ({"allOf": [{"properties": {"off": {}}}, {"properties": {"a": {}}}]}, "type X = {} & { a?: any }"),
        ({"properties": {"off": {}}}, "type X = {}"),
        ({"properties": {"a": {}}, "dependentRequired": {"off": ["a"]}, "not": {"required": ["off"]},
          "minProperties": 1},
         "// ≥ 1 entries\ninterface X {\n  a?: any\n}"),
        ({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}], "$defs": {
            "A": {"$ref": "#/$defs/B"}, "B": {"properties": {"a": {"$ref": "#/$defs/A"}, "off": {}}}}},
         "type X = B | null\ninterface B {\n  a?: B\n}"),
        ({"title": "T", "$ref": "#/$defs/T", "$defs": {"T": {"properties": {"off": {}, "t": {"$ref": "#/$defs/T"}}}}},
         "interface X {\n  t?: X\n}"),
    ],
)  # fmt: skip
def test_fields_are_left_out_of_each_form_of_an_answer(schema: dict[str, Any], written: str) -> None:
    """And stay in what stands in its fields, which is another type."""
    assert interface(schema, name="X", without=["off"]) == written


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": "string", "enum": ["a", None]}, 'type X = "a" | null'),
        ({"type": ["integer", "null"]}, "type X = integer | null"),
        ({"const": None}, "type X = null"),
        ({"allOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]},
         "type X = { a?: any } & string"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
         "type X = (string | number)[]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
         "type X = [string?, ...integer[]]"),
        ({"type": "object", "patternProperties": {"^x": {"type": "boolean"}}},
         "interface X {\n  [key: string /* matches ^x */]: boolean\n}"),
        ({"type": "object"}, "type X = Record<string, any>"),
        ({}, "type X = any"),
        ({"type": "object", "properties": {"a": False, "b": True}, "required": ["a"]},
         "interface X {\n  a: never\n  b?: any\n}"),
        ({"type": "object", "properties": {"a": {"type": "string", "format": "date", "multipleOf": 2}}},
         "interface X {\n  a?: string  // a multiple of 2; date\n}"),
        ({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True, "minItems": 1}}},
         "interface X {\n  a?: any[]  // ≥ 1 items; no two alike\n}"),
        ({"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer", "minimum": 1}},
         "interface X {\n  a?: string\n  [key: string]: integer /* ≥ 1 */\n}"),
        ({"properties": {"a": {}}, "additionalProperties": True},
         "interface X {\n  a?: any\n  [key: string]: any\n}"),
        ({"properties": {"a": {}}, "additionalProperties": False}, "interface X {\n  a?: any\n}"),
        ({"properties": {"a": {}}, "required": ["a"], "oneOf": [{"properties": {"b": {}}}, {"type": "null"}]},
         "type X = {\n  a: any\n} & ({ b?: any } | null)"),
        ({"type": ["object", "null"], "properties": {"a": {}}}, "type X = { a?: any } | null"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/B", "anyOf": [{"const": 1}, {"const": 2}]}},
          "$defs": {"B": {"type": "integer"}}}, "interface X {\n  a?: B & (1 | 2)\n}\ntype B = integer"),
        ({"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
         "type X = [string?, integer?, ...any[]]"),
        ({"type": "array", "items": [{"type": "string"}], "additionalItems": {"type": "number"}},
         "type X = [string?, ...number[]]"),
        ({"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {"type": "number"}},
         'type X = Record<"a" | "b", number>'),
        ({"type": "object", "propertyNames": {"pattern": "^k"},
          "additionalProperties": {"type": "string", "maxLength": 3}},
         "// keys: matches ^k; values: ≤ 3 characters\ntype X = Record<string, string>"),
        ({"type": "array", "items": {"properties": {
            "a": {"type": "integer", "minimum": 1, "description": "How */ many"}}}},
         "type X = { a?: integer /* ≥ 1; How * / many */ }[]"),
        ({"properties": {"a": {"not": {"const": 3}}}}, 'interface X {\n  a?: any  // not: {"const": 3}\n}'),
        ({"type": "string", "nullable": True, "minLength": 2, "maxLength": 2},
         "// 2 characters\ntype X = string | null"),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 1}], "items": False,
          "minItems": 1}, "type X = [string, (integer /* ≥ 1 */)?]"),
        ({"type": "array", "prefixItems": [{}, {}, {}], "minItems": 4, "maxItems": 5, "items": {"maxLength": 2}},
         "// 4–5 items\ntype X = [any, any, any, ...(any /* ≤ 2 characters */)[]]"),
        ({"type": "array", "prefixItems": [{}, {}, {}], "minItems": 2, "maxItems": 2}, "type X = [any, any]"),
        ({"type": "array", "maxItems": 0}, "// ≤ 0 items\ntype X = any[]"),
        ({"anyOf": [{"type": "string", "maxLength": 9}, {"type": "integer", "minimum": 1}, {"type": "null"}]},
         "type X = string /* ≤ 9 characters */ | integer /* ≥ 1 */ | null"),
        ({"properties": {"a": {"anyOf": [{"type": "string", "maxLength": 9, "description": "Why"}, {"type": "null"}]}}},
         "interface X {\n  a?: string | null  // ≤ 9 characters; Why\n}"),
        ({"type": "array", "items": {"type": "string", "description": "A */ word\nor two", "minLength": 1}},
         "// each ≥ 1 characters; each A */ word or two\ntype X = string[]"),
        ({"type": "object", "additionalProperties": {"type": "number", "description": "A price"}},
         "// values: A price\ntype X = Record<string, number>"),
        ({"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "integer", "minimum": 1}}},
         "interface X {\n  [key: string /* matches ^a */]: string\n"
         "  [key: string /* matches ^b */]: integer /* ≥ 1 */\n}"),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, "interface X {\n  a: any\n  b: any\n}"),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "type X = { a: any } | { b: any }"),
        ({"allOf": [{"minimum": 1}, {"maximum": 2}], "type": "integer"}, "// ≥ 1; ≤ 2\ntype X = integer"),
        ({"type": "array", "contains": {"const": 1}, "minContains": 2},
         '// contains: {"const": 1}; minContains: 2\ntype X = any[]'),
        ({"type": "object", "properties": {}}, "type X = {}"),
        ({"$ref": "#/$defs/B", "properties": {"a": {}}, "description": "Both",
          "$defs": {"B": {"properties": {"b": {}}}}},
         "// Both\ntype X = {\n  a?: any\n} & B\ninterface B {\n  b?: any\n}"),
        ({"properties": {"a": {"$ref": "#/$defs/Any"}, "b": {"$ref": "#/$defs/No"}},
          "$defs": {"Any": True, "No": False}},
         "interface X {\n  a?: Any\n  b?: No\n}\ntype Any = any\ntype No = never"),
        ({"not": {"$ref": "#/$defs/Q"}, "$defs": {"Q": {"type": "string"}}},
         "// not: Q\ntype X = any\ntype Q = string"),
        ({"type": "string", "pattern": "(?x)\n ^a # b", "format": "a\nb"},
         '// matches "(?x)\\n ^a # b"; "a\\nb"\ntype X = string'),
        ({"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "array"}},
         '// contentMediaType: "application/json"; contentSchema: {"type": "array"}\ntype X = string'),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True, "maximum": 2, "exclusiveMaximum": False},
         "// > 1; ≤ 2\ntype X = number"),
        ({"prefixItems": [{"type": "integer"}, {"type": "string", "default": "z"}], "minItems": 1, "maxItems": 2},
         'type X = [integer, (string /* default "z" */)?]'),
        ({"properties": {"a": {"type": []}, "b": {"type": "string", "minLength": True}}},
         "interface X {\n  a?: never\n  b?: string\n}"),
        ({"propertyNames": {"const": "a"}, "additionalProperties": {"$ref": "#/$defs/B"},
          "$defs": {"B": {"enum": [1]}}},
         'type X = Record<"a", B>\ntype B = 1'),
        ({"propertyNames": {"$ref": "#/$defs/B"}, "additionalProperties": True,
          "$defs": {"B": {"enum": ["k"]}}},
         'type X = Record<B, any>\ntype B = "k"'),
        ({"type": "object", "nullable": True, "properties": {"a": {}}}, "type X = { a?: any } | null"),
        ({"properties": {"b": {}}, "propertyNames": {"enum": ["b", "c"]}, "additionalProperties": {"type": "string"}},
         '// propertyNames: {"enum": ["b", "c"]}\ninterface X {\n  b?: any\n  [key: string]: string\n}'),
        ({"const": 1, "enum": [1, 2]}, "type X = 1"),
        ({"properties": {"a": {"$ref": "#/$defs/a~01"}}, "$defs": {"a~1": {"type": "string"}}},
         "interface X {\n  a?: a01\n}\ntype a01 = string"),
        ({"patternProperties": {"^a": {}}, "additionalProperties": {"type": "integer", "minimum": 1}},
         "interface X {\n  [key: string /* matches ^a */]: any\n  [key: string]: integer /* ≥ 1 */\n}"),
        ({"required": ["a"], "additionalProperties": {"type": "integer", "minimum": 1}},
         "interface X {\n  a: integer  // ≥ 1\n  [key: string]: integer /* ≥ 1 */\n}"),
        ({"type": "object", "properties": {"a": {"type": "integer", "minimum": True}}},
         "interface X {\n  a?: integer\n}"),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, "type X = { a: any } | { b: any }"),
        ({"properties": {"a": {"type": "string", "deprecated": True, "default": ""}}},
         'interface X {\n  a?: string  // deprecated; default ""\n}'),
        ({"type": "object", "minProperties": 1, "properties": {"a": {}}},
         "// ≥ 1 entries\ninterface X {\n  a?: any\n}"),
    ],
)  # fmt: skip
def test_a_schema_of_any_kind_is_written(schema: dict[str, Any], written: str) -> None:
    """What JSON Schema can say, as types can say it."""
    assert interface(schema, name="X") == written


def test_names_are_names() -> None:
    """Whatever a type or its title is called."""
    assert interface({}, name="my-reply 2") == "type myreply2 = any"
    assert interface({"title": "2nd"}) == "type _2nd = any"
    assert interface({"title": "…"}) == "type Type = any"


def test_a_type_that_is_only_itself_is_refused() -> None:
    """Also by way of another; a second name of a type is that type."""
    for definitions in ({"A": {"$ref": "#/$defs/A"}}, {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}):
        with pytest.raises(UsageError, match="to itself"):
            interface({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": definitions})
    with pytest.raises(UsageError, match="to itself"):
        interface({"$ref": "#"})
    named = {"A": {"$ref": "#/$defs/B"}, "B": {"title": "Of B", "type": "string"}}
    assert interface({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": named}, name="X").endswith(
        "type OfB = string"
    )


def test_references_lead_anywhere_in_a_schema() -> None:
    """To all of it, to a property, to names with signs in them."""
    schema = {
        "title": "Node",
        "type": "object",
        "properties": {
            "next": {"$ref": "#"},
            "size": {"$ref": "#/properties/other"},
            "other": {"type": "integer"},
            "odd": {"$ref": "#/$defs/a~1b%20c"},
        },
        "$defs": {"a/b c": {"type": "string"}},
    }
    assert interface(schema) == (
        "interface Node {\n  next?: Node\n  size?: other\n  other?: integer\n  odd?: a1b20c\n}\n"
        "type other = integer\ntype a1b20c = string"
    )


def test_two_types_of_one_name_are_told_apart() -> None:
    """In the order in which they are met."""
    schema = {
        "title": "A",
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/a__A"}, "y": {"$ref": "#/$defs/b__A"}},
        "$defs": {"a__A": {"title": "A", "type": "string"}, "b__A": {"title": "A", "type": "integer"}},
    }
    assert interface(schema) == ("interface A {\n  x?: A2\n  y?: A3\n}\ntype A2 = string\ntype A3 = integer")
    built_in = {"title": "T", "properties": {"x": {"$ref": "#/$defs/string"}, "y": {"type": "string"}},
                "$defs": {"string": {"type": "integer"}}}  # fmt: skip
    assert interface(built_in) == "interface T {\n  x?: string2\n  y?: string\n}\ntype string2 = integer"


def test_no_type_has_the_name_of_what_every_type_is_made_of() -> None:
    """It would seem to hold itself."""
    schema = {"title": "string", "properties": {"x": {"type": "string"}}}
    assert interface(schema) == "interface string2 {\n  x?: string\n}"


def test_a_schema_that_is_only_a_reference_has_the_name_of_what_it_refers_to() -> None:
    """Without the keys that lead there."""
    itself = {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}}}
    schema = {"$ref": "#/definitions/Node", "definitions": {"Node": itself}}
    assert interface(schema) == "interface Node {\n  next?: Node\n}"


@pytest.mark.parametrize("shown", [3, "Reply", object()])
def test_what_is_no_type_is_refused(shown: object) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match="is no type to show"):
        interface(shown)


def test_a_reference_that_leads_nowhere_is_refused() -> None:
    """Naming it."""
    for reference in ("#/$defs/B", "#B", "other.json#/A"):
        with pytest.raises(UsageError, match=re.escape(f"the schema refers to {reference!r}, which is not there")):
            interface({"properties": {"a": {"$ref": reference}}})


def test_a_schema_that_nobody_could_read_is_refused() -> None:
    """Types that are named twice are one; parts that stand in each other twice are many."""
    kinds: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for _ in range(40):
        kinds = {"type": ["array", "array"], "items": kinds}
        shared = {"allOf": [shared], "anyOf": [shared]}
    assert interface(kinds, name="X") == f"type X = any{'[]' * 40}"
    with pytest.raises(UsageError, match="the schema of X has more than 100,000 parts"):
        interface(shared, name="X")


def test_a_schema_is_followed_as_deep_as_it_goes() -> None:
    """Until nobody could read it."""
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}
    with pytest.raises(UsageError, match="is no JSON Schema"):
        interface(schema)


def test_a_prompt_shows_a_registered_type_without_what_is_off(tmp_path: Path) -> None:
    """By its name only: a prompt file cannot import anything."""
    files = {**ESTATE, "clerk.md": ESTATE["clerk.md"] + "{{ interface('Reply') }}\n"}
    made = renderer(tmp_path, files, interfaces={"Reply": Reply})
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}}
    assert REPLY in said(made.render("clerk", candidate(), **asked))
    assert "forEach" not in said(made.render("clerk", candidate(), sections={"foreach": False}, **asked))
    with pytest.raises(PromptError) as raised:
        renderer(tmp_path, {}, interfaces={"Replies": Reply}).program("clerk")
    assert raised.value.message == "clerk.md:14: there is no interface 'Reply'"
    assert raised.value.hint == "Did you mean Replies?"
