"""Handles: long identifiers as short names, A, B, … AA, whose meaning stays outside the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from catalog.crusher.letters import letters

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_HASH = "(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{16,128}"
_ULID = "[0-7][0-9a-hjkmnp-tv-z]{25}"
IDENTIFIER = re.compile(rf"(?:[a-z][a-z0-9]{{0,15}}[:_-])?(?:{_UUID}|{_HASH}|{_ULID})", re.IGNORECASE)
"""UUIDs, hexadecimal hashes of 16 digits or more and ULIDs, with or without a word before, such as ``sha256:``."""


def handles_of(value: Any) -> dict[str, str]:
    """Return handles for the strings and keys of a value that are identifiers: handle → identifier.

    They are given in the order of the canonical text. None equals a string or key of the value.
    """
    texts = list(_texts(value))
    taken = set(texts)
    names = (name for name in letters() if name not in taken)
    return {next(names): text for text in dict.fromkeys(texts) if IDENTIFIER.fullmatch(text)}


def rename(value: Any, names: Mapping[str, str]) -> None:
    """Give strings and keys of a value other names, in place; what is left of a cut string stays as it is.

    Raises:
        ValueError: when two keys of an object would get the same name.
    """
    work = [value]
    while work:
        holder = work.pop()
        if isinstance(holder, dict):
            for key in [key for key in holder if key in names]:
                if names[key] in holder:
                    raise ValueError(f"with handles the key {names[key]!r} would stand twice in one object")
                holder[names[key]] = holder.pop(key)
        steps = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for step in steps:
            item = holder[step]
            if item.__class__ is str:
                holder[step] = names.get(item, item)
            else:
                work.append(item)


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings and keys of a value in the order of the canonical text; no depth is too deep."""
    work = [value]
    while work:
        current = work.pop()
        kind = current.__class__
        if kind is str:
            yield current
        elif kind is dict:
            work += [part for key in sorted(current, reverse=True) for part in (current[key], key)]
        elif kind is list or kind is tuple:
            work += reversed(current)
