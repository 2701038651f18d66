"""Interfaces: types as a model reads them, complete, deterministic and short."""

from __future__ import annotations

import json
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
  tags?: string[]  // 0–3 items; each 0–9 characters
  commands?: (Open | Notify)[]
  forEach?: PageTask | null
  pair?: [integer, string] | null  // 2 items
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
        ({"type": "string", "enum": ["a", None]}, 'type X = "a" | null'),
        ({"type": ["integer", "null"]}, "type X = integer | null"),
        ({"const": None}, "type X = null"),
        ({"allOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]},
         "type X = { a?: any } & string"),
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}},
         "type X = (string | number)[]"),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
         "type X = [string, ...integer[]]"),
        ({"type": "object", "patternProperties": {"^x": {"type": "boolean"}}}, "type X = Record<string, boolean>"),
        ({"type": "object"}, "type X = Record<string, any>"),
        ({}, "type X = any"),
        ({"type": "object", "properties": {"a": False, "b": True}, "required": ["a"]},
         "interface X {\n  a: never\n  b?: any\n}"),
        ({"type": "object", "properties": {"a": {"type": "string", "format": "date", "multipleOf": 2}}},
         "interface X {\n  a?: string  // a multiple of 2; date\n}"),
        ({"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True, "minItems": 1}}},
         "interface X {\n  a?: any[]  // 1– items; no two alike\n}"),
    ],
)  # fmt: skip
def test_a_schema_of_any_kind_is_written(schema: dict[str, Any], written: str) -> None:
    """What JSON Schema can say, as types can say it."""
    assert interface(schema, name="X") == written


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


@pytest.mark.parametrize("shown", [3, "Reply", object()])
def test_what_is_no_type_is_refused(shown: object) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match="is no type to show"):
        interface(shown)


def test_a_reference_that_leads_nowhere_is_refused() -> None:
    """Naming it."""
    with pytest.raises(UsageError, match=r"the schema refers to '#/\$defs/B', which is not there"):
        interface({"properties": {"a": {"$ref": "#/$defs/B"}}})


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
