"""A snapshot as one file: written by one, read by a thousand processes without a database.

Two lines: ``model-catalog snapshot 1 SHA256`` and the canonical JSON whose SHA-256 that is. The same catalog gives the
same bytes on every machine.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from catalog.canonical import dumps, loads, sha256
from catalog.errors import DatabaseError, IntegrityError
from catalog.snapshot import Model, Offer, Price, Snapshot

_FORMAT = "model-catalog snapshot 1"
_FIELDS = {"models": Model._fields, "offers": Offer._fields, "prices": Price._fields}
"""Written into the file, so that a version with other fields refuses it instead of misreading it."""


class Saved(NamedTuple):
    """A snapshot and the SHA-256 of its content."""

    snapshot: Snapshot
    sha256: str


def save(snapshot: Snapshot, path: Path) -> str:
    """Write a snapshot to a file, wholly or not at all; return the SHA-256 of its content.

    Raises:
        OSError: when the file cannot be written.
    """
    content = dumps(
        {
            "head": snapshot.head,
            "at": snapshot.at,
            "types": snapshot.types,
            "vendors": snapshot.vendors,
            "fields": _FIELDS,
            "models": list(snapshot.models.values()),
        }
    )
    digest = sha256(content)
    _write(path.resolve(), f"{_FORMAT} {digest}\n{content}\n")
    return digest


def _write(path: Path, text: str) -> None:
    """Replace a file wholly; what is no file (a pipe, a device) is written to and never replaced."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    mode = path.stat().st_mode if path.exists() else 0o644
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(beside).chmod(mode)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def load(path: Path) -> Saved:
    """Read a snapshot from a file.

    Raises:
        DatabaseError: when the file is missing, unreadable, no snapshot or one of another version.
        IntegrityError: when its content does not fit its hash.
    """
    first, content = _lines(path)
    if not first.startswith(f"{_FORMAT} "):
        raise DatabaseError(f"{path} is no snapshot of this version", hint="Write one with catalog snapshot save FILE.")
    digest = sha256(content)
    if first != f"{_FORMAT} {digest}":
        raise IntegrityError(
            f"{path} does not fit its hash: it was changed or cut off", hint="Save or copy the snapshot again."
        )
    try:
        return Saved(_snapshot(loads(content), path), digest)
    except (KeyError, IndexError, TypeError, ValueError, RecursionError):
        raise IntegrityError(f"{path} holds no catalog", hint="Save the snapshot again.") from None


def _lines(path: Path) -> tuple[str, str]:
    try:
        first, _, content = path.read_text(encoding="utf-8").partition("\n")
    except UnicodeDecodeError:
        return "", ""
    except OSError as error:
        raise DatabaseError(
            f"{path} cannot be read: {error.strerror}", hint="Write one with catalog snapshot save FILE."
        ) from None
    return first, content.removesuffix("\n")


def _snapshot(data: Any, path: Path) -> Snapshot:
    if data["fields"] != {name: list(columns) for name, columns in _FIELDS.items()}:
        raise DatabaseError(f"{path} was written by another version", hint="Save it again with catalog snapshot save.")
    models = {row[2]: _model(row) for row in data["models"]}
    types, vendors = (tuple(data[name]) for name in ("types", "vendors"))
    return Snapshot(data["head"], data["at"], types, vendors, MappingProxyType(models))


def _model(row: Sequence[Any]) -> Model:
    return Model._make((*row[:-1], tuple(_offer(offer) for offer in row[-1])))


def _offer(row: Sequence[Any]) -> Offer:
    return Offer._make((*row[:-1], tuple(Price._make(price) for price in row[-1])))
