"""Front matter: what a prompt file says of itself before its text, between two lines of three dashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import yaml

from catalog.errors import PromptError, nearest
from catalog.renderer.data_types import DataType, data_type
from catalog.renderer.names import is_taken
from catalog.renderer.places import Place

Placement = Literal["auto", "system_prompt", "trailing_message"]
StateMode = Literal["auto", "replace", "append"]
_NAME = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a base that a prompt may leave out.

    Attributes:
        default: whether it is in.
        field: the field of the output type that goes with it; None where none does.
    """

    default: bool
    field: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What a prompt file says of itself.

    Attributes:
        name: of the prompt.
        description: one line.
        type: model type, such as ``llm``; thresholds hold on its scale.
        request: fields of the selector's `Request`, but for the type.
        base: file whose text this one specializes.
        declared: sections that this file has, by name.
        chosen: whether sections of its base are in, by name.
        data: what a caller must hand in, by name; None where that is not said.
        output: name of the interface that the model answers in.
        children: files of prompts that are rendered inside, by the names they are put in under.
        placement: where the text goes when it is a specialization or a child.
        state_mode: what becomes of the states of earlier turns.
        lines: of the keys, from 1.
        length: lines that the front matter takes.
    """

    name: str
    description: str = ""
    type: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    base: str | None = None
    declared: Mapping[str, Section] = field(default_factory=dict)
    chosen: Mapping[str, bool] = field(default_factory=dict)
    data: Mapping[str, DataType] | None = None
    output: str | None = None
    children: Mapping[str, str] = field(default_factory=dict)
    placement: Placement = "auto"
    state_mode: StateMode = "auto"
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)
    length: int = 0


def parted(text: str, file: str) -> tuple[FrontMatter, str]:
    """Return the front matter of a prompt file and its body.

    Raises:
        PromptError: naming file, line and key.
    """
    lines = text.split("\n")
    stem = file.rpartition("/")[2].removesuffix(".md")
    if lines[0].rstrip() != "---":
        if (late := _LATE.match(text)) is not None:
            place = Place(file, text.count("\n", 0, late.start("rule")) + 1)
            raise PromptError("this is no front matter", place=place, hint=f"Begin the file with a line of {_RULE}.")
        return FrontMatter(name=stem), text
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        raise PromptError(
            "the front matter is not closed", place=Place(file, 1), hint=f"End it with a line of {_RULE}."
        )
    values, at = _loaded("\n".join(lines[1:end]), file)
    return _read(values, at, file, stem, length=end + 1), "\n".join(lines[end + 1 :])


class _Loader(yaml.SafeLoader):
    """Refuses what makes front matter mean something else than it seems: keys twice, and anchors."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases, which can make a small file a huge one."""
        if self.check_event(yaml.events.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call] # of yaml
            raise yaml.MarkedYAMLError(problem="anchors are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """Refuse a key that is there twice, and one that is no text."""
        seen = set()
        for key, _ in node.value:
            name = key.value
            if key.tag != "tag:yaml.org,2002:str":
                raise yaml.MarkedYAMLError(problem=f"the key {name!r} is no text", problem_mark=key.start_mark)
            if name in seen:
                raise yaml.MarkedYAMLError(problem=f"{name!r} is there twice", problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)


def _loaded(text: str, file: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the values of a front matter, and the lines of its keys."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise PromptError(
                "the front matter is no mapping", place=Place(file, 2), hint="Write keys and values: 'type: llm'."
            )
        return loader.construct_document(node), {key.value: key.start_mark.line + 2 for key, _ in node.value}
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark.line if error.problem_mark else 0) + 2
        raise PromptError(f"front matter: {error.problem}", place=Place(file, line)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        what = str(error).splitlines()[0]
        raise PromptError(f"front matter: {what}", place=Place(file, 2)) from None
    finally:
        loader.dispose()


def _read(values: Mapping[str, Any], at: Mapping[str, int], file: str, stem: str, *, length: int) -> FrontMatter:
    read: dict[str, Any] = {"name": stem}
    for key, value in values.items():
        place = Place(file, at[key])
        if key not in _KEYS:
            hint = nearest(key, _KEYS, otherwise=f"Known: {', '.join(_KEYS)}.")
            raise PromptError(f"the front matter has {key!r}", place=place, hint=hint)
        try:
            read |= _KEYS[key](value)
        except ValueError as error:
            raise PromptError(f"{key}: {error}", place=place) from None
    return FrontMatter(**read, lines=dict(at), length=length)


def _text(key: str) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{value!r:.60} is no text")
        return {key: value.strip()}

    return read


def _one_of(key: str, known: tuple[str, ...]) -> Callable[[Any], dict[str, Any]]:
    def read(value: Any) -> dict[str, Any]:
        if value not in known:
            raise ValueError(f"{value!r:.60} is none of {', '.join(known)}")
        return {key: value}

    return read


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.60} is no mapping")
    wrong = next((name for name in value if not _NAME.fullmatch(name)), None)
    if wrong is not None:
        raise ValueError(f"{wrong!r} is no name: letters, digits and underscores, a letter first")
    return value


def _sections(value: Any) -> dict[str, Any]:
    declared: dict[str, Section] = {}
    chosen: dict[str, bool] = {}
    for name, said in _mapping(value).items():
        if isinstance(said, bool):
            chosen[name] = said
            continue
        if not isinstance(said, dict) or not isinstance(said.get("default"), bool) or not said.keys() <= _OF_SECTION:
            raise ValueError(f"{name} is {said!r:.60}: true, false, or {{default: true, field: NAME}}")
        if not isinstance(said.get("field", ""), str):
            raise ValueError(f"the field of {name} is {said['field']!r:.60}, no text")
        declared[name] = Section(default=said["default"], field=said.get("field"))
    return {"declared": declared, "chosen": chosen}


_OF_SECTION = frozenset({"default", "field"})


def _data(value: Any) -> dict[str, Any]:
    taken = next((name for name in _mapping(value) if is_taken(name)), None)
    if taken is not None:
        raise ValueError(f"{taken!r} is a word of the language, no name for data")
    return {"data": {name: data_type(name, said) for name, said in _mapping(value).items()}}


def _children(value: Any) -> dict[str, Any]:
    wrong = next((name for name, said in _mapping(value).items() if not isinstance(said, str)), None)
    if wrong is not None:
        raise ValueError(f"{wrong} is {value[wrong]!r:.60}, not the name of a file")
    return {"children": dict(value)}


def _request(value: Any) -> dict[str, Any]:
    if "type" in _mapping(value):
        raise ValueError("the model type stands beside it, as 'type'")
    return {"request": dict(value)}


_KEYS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "name": _text("name"),
    "description": _text("description"),
    "type": _text("type"),
    "request": _request,
    "base": _text("base"),
    "sections": _sections,
    "data": _data,
    "output": _text("output"),
    "children": _children,
    "placement": _one_of("placement", get_args(Placement)),
    "state_mode": _one_of("state_mode", get_args(StateMode)),
}
_RULE = "three dashes and nothing else"
_LATE = re.compile(rf"\s*(?P<rule>---)[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\n)*(?:{'|'.join(_KEYS)})[ \t]*:")
"""What was meant as front matter and does not stand where it is one."""
