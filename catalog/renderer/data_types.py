"""Data types: what a prompt says of the data it takes, and whether what it is handed is of that kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import UsageError
from catalog.renderer.values import plain

_KINDS: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
    "any": (str, int, float, bool, list, dict, type(None)),
}
_KEYS = frozenset({"type", "default", "description"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DataType:
    """What a piece of data must be.

    Attributes:
        kind: ``text``, ``integer``, ``number``, ``boolean``, ``list``, ``object`` or ``any``.
        default: what it is where a caller hands none in; `...` where one must.
        description: what it is for.
    """

    kind: str
    default: Any = ...
    description: str = ""

    @property
    def told(self) -> str:
        """The kind, as a sentence has it."""
        return f"{'an' if self.kind[0] in 'aio' else 'a'} {self.kind}"

    @property
    def is_required(self) -> bool:
        """Whether a caller must hand it in."""
        return self.default is ...

    def holds(self, value: Any) -> bool:
        """Return whether a value of plain data is of this kind; true and false are no numbers."""
        return isinstance(value, _KINDS[self.kind]) and (self.kind in ("boolean", "any") or not isinstance(value, bool))


def data_type(name: str, said: Any) -> DataType:
    """Return what front matter says of a piece of data: a kind, or a mapping with type, default and description.

    Raises:
        ValueError: naming the data and what is wrong.
    """
    given = {"type": said} if isinstance(said, str) else said
    known = f"one of {', '.join(_KINDS)}"
    if not isinstance(given, dict) or not given.keys() <= _KEYS or "type" not in given:
        raise ValueError(f"{name} is {said!r:.60}: {known}, or {{type: …, default: …, description: …}}")
    if not isinstance(given["type"], str) or given["type"] not in _KINDS:
        raise ValueError(f"{name} is of the type {given['type']!r:.60}: {known}")
    found = DataType(
        kind=given["type"], default=given.get("default", ...), description=str(given.get("description", ""))
    )
    if not found.is_required:
        try:
            plain(found.default, f"the default of {name}")
        except UsageError as error:  # YAML reads more than JSON can say, such as days
            raise ValueError(f"{error.message}: put it in quotes") from None
    if not found.is_required and not found.holds(found.default):
        raise ValueError(f"the default of {name} is {json.dumps(found.default, default=str)}, no {found.kind}")
    return found
