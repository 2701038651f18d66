"""Hashing: the SHA-256 of texts and of plain data."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_of_data(value: Any) -> str:
    """Return the SHA-256 of plain data; the order of keys counts, since a text may follow it."""
    return hash_of(_ENCODE(value))


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
