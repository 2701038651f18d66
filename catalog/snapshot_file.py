"""A snapshot as one file: written by one, read by a thousand processes without a database.

Two lines: ``model-catalog snapshot 1 SHA256`` and the canonical JSON whose SHA-256 that is. The same catalog gives the
same bytes on every machine.
"""

from __future__ import annotations

import secrets
import stat
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from catalog.canonical import decimal_text, dumps, loads, sha256
from catalog.errors import ConflictError, DatabaseError, IntegrityError
from catalog.snapshot import Model, Offer, Price, Snapshot

_FORMAT = "model-catalog snapshot 1"
_KIND = b"model-catalog snapshot "
_FIELDS = {"models": Model._fields, "offers": Offer._fields, "prices": Price._fields}
"""Written into the file, so that a version with other fields refuses it instead of misreading it."""


class Saved(NamedTuple):
    """A snapshot and the SHA-256 of its content."""

    snapshot: Snapshot
    sha256: str


def save(snapshot: Snapshot, path: Path | str) -> str:
    """Write a snapshot to a file, wholly or not at all; return the SHA-256 of its content.

    Only a snapshot is replaced; what is no file (a pipe, a device) is written to, and a link is followed.

    Raises:
        ConflictError: when the file exists and is no snapshot.
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
    target = Path(path).resolve()
    try:
        _write(target, f"{_FORMAT} {digest}\n{content}\n")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    return digest


def _write(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    mode = _replaceable(path)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if mode is not None:
            beside.chmod(mode)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _replaceable(path: Path) -> int | None:
    """Return the mode of the snapshot that is to be replaced, None where there is no file yet."""
    if not path.exists():
        return None
    with path.open("rb") as file:
        first = file.read(len(_KIND))
    if first not in (b"", _KIND):
        raise ConflictError(f"{path} is no snapshot, so it is not replaced", hint="Name another file.")
    return stat.S_IMODE(path.stat().st_mode)


def load(path: Path | str) -> Saved:
    """Read a snapshot from a file.

    Raises:
        DatabaseError: when the file is missing, unreadable, no snapshot or one of another version.
        IntegrityError: when its content does not fit its hash.
    """
    first, content = _lines(Path(path))
    digest = sha256(content)
    if first != f"{_FORMAT} {digest}":
        raise IntegrityError(
            f"{path} does not fit its hash: it was changed or cut off", hint="Save or copy the snapshot again."
        )
    try:
        return Saved(_snapshot(loads(content), Path(path)), digest)
    except (KeyError, IndexError, TypeError, ValueError, RecursionError):
        raise IntegrityError(f"{path} holds no catalog", hint="Save the snapshot again.") from None


def _lines(path: Path) -> tuple[str, str]:
    """Return the first line and the content; nothing more is read of a file that is no snapshot."""
    try:
        with path.open("rb") as file:
            first = file.readline(len(_FORMAT) + 66)
            if not first.startswith(f"{_FORMAT} ".encode()):
                raise DatabaseError(
                    f"{path} is no snapshot of this version", hint="Write one with catalog snapshot save FILE."
                )
            return first.decode(errors="replace").rstrip("\n"), file.read().decode(errors="replace").removesuffix("\n")
    except OSError as error:
        raise DatabaseError(
            f"{path} cannot be read: {error.strerror}", hint="Write one with catalog snapshot save FILE."
        ) from None


def _snapshot(data: Any, path: Path) -> Snapshot:
    if data["fields"] != {name: list(columns) for name, columns in _FIELDS.items()}:
        raise DatabaseError(f"{path} was written by another version", hint="Save it again with catalog snapshot save.")
    models = {row[_SLUG]: _model(row) for row in data["models"]}
    if len(models) < len(data["models"]):
        raise ValueError("a model stands twice")
    types, vendors = (tuple(data[name]) for name in ("types", "vendors"))
    return Snapshot(data["head"], data["at"], types, vendors, MappingProxyType(models))


_SLUG = Model._fields.index("slug")


def _model(row: Sequence[Any]) -> Model:
    return Model._make((*_typed(Model, row[:-1]), tuple(_offer(offer) for offer in row[-1])))


def _offer(row: Sequence[Any]) -> Offer:
    return Offer._make((*_typed(Offer, row[:-1]), tuple(_price(price) for price in row[-1])))


def _price(row: Sequence[Any]) -> Price:
    price = Price._make(_typed(Price, row))
    for amount in (price.input, price.output, price.cache_read, price.cache_write):
        if amount is not None and decimal_text(amount) != amount:
            raise ValueError("an amount is no canonical decimal")
    return price


def _typed(record: type[Any], values: Sequence[Any]) -> Sequence[Any]:
    """Return the values of a record after comparing them with its annotations: text, whole number or None."""
    for value, annotation in zip(values, record.__annotations__.values(), strict=False):
        if value.__class__.__name__ not in str(annotation).replace("None", "NoneType"):
            raise TypeError("a value has not the type of its field")
    return values
