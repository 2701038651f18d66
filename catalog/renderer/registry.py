"""Registry: the types that prompts show, by name: those a program hands in, and the JSON Schemas of a folder."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from catalog.errors import PromptError, UsageError, nearest
from catalog.renderer.folder import SCHEMAS, Folder
from catalog.renderer.interfaces import interface, schema_of
from catalog.renderer.places import Place
from catalog.renderer.values import plain


class Registry:
    """Types by name; each is read when it is first asked for, and once.

    Args:
        folder: whose files ``interfaces/NAME.json`` are data, and run nothing.
        given: Pydantic models or JSON Schemas, which go before those.

    Raises:
        UsageError: for what is no mapping.
    """

    def __init__(self, folder: Folder, given: Mapping[str, Any] | None) -> None:
        if given is not None and not isinstance(given, Mapping):
            raise UsageError(f"interfaces are {given!r:.40}, no mapping", hint="Hand in types by their names.")
        self._files = {path.stem: path for path in folder.schemas()}
        self._given = given or {}
        self._schemas: dict[str, Mapping[str, Any]] = {}
        self._shown: dict[tuple[str, Collection[str]], str] = {}

    @property
    def names(self) -> list[str]:
        """The names of all types."""
        return [*self._files.keys() - self._given.keys(), *self._given]

    def schema(self, name: str) -> Mapping[str, Any]:
        """Return the JSON Schema of a type, as it was when it was first asked for.

        Raises:
            PromptError: for a file that is none, with its line.
            UsageError: where no type has this name, and for what has no schema.
        """
        if name not in self._schemas:
            if name not in self.names:
                hint = nearest(name, self.names, otherwise="Register it: Renderer(…, interfaces={…}).")
                raise UsageError(f"there is no interface {name!r}", hint=hint)
            given = self._given[name] if name in self._given else _read(self._files[name])
            self._schemas[name] = plain(schema_of(given), f"the interface {name}")
        return self._schemas[name]

    def shown(self, name: str, without: frozenset[str] = frozenset()) -> str:
        """Return a type as prompts show it, without some fields.

        Raises:
            PromptError: for a file that is none, with its line.
            UsageError: where no type has this name, and for what cannot be shown.
        """
        if (name, without) not in self._shown:
            self._shown[name, without] = interface(self.schema(name), name=name, without=without)
        return self._shown[name, without]


def _read(path: Path) -> Any:
    file = f"{SCHEMAS}/{path.name}"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno)
        raise PromptError(f"this is no JSON: {error.msg}", place=place, hint="Write a JSON Schema.") from None
    except (ValueError, RecursionError) as error:
        raise PromptError(f"this is no JSON: {error}", place=Place(file, 1), hint="Write a JSON Schema.") from None
