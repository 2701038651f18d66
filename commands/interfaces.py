"""Interfaces that commands are handed: the types of a module, by name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from typing import Any

from catalog.errors import UsageError


def types_of(module: str | None) -> dict[str, Any]:
    """Return the Pydantic models of a module, and what its INTERFACES name, by their names; nothing without a module.

    Raises:
        UsageError: for a module that cannot be imported, and for INTERFACES that are no mapping.
    """
    if module is None:
        return {}
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever a caller's module raises while it is imported
        raise UsageError(f"--interfaces {module!r} cannot be imported: {type(error).__name__}: {error}",
                         hint="Give a module that Python finds from here.") from None  # fmt: skip
    models = {
        name: own
        for name, own in vars(found).items()
        if callable(getattr(own, "model_json_schema", None)) and getattr(own, "__module__", "") != "pydantic.main"
    }
    named = getattr(found, "INTERFACES", {})
    if not isinstance(named, Mapping):
        raise UsageError(f"INTERFACES of {module} is {named!r:.40}, no mapping", hint="Name types: {'Reply': Reply}.")
    return {**models, **named}
