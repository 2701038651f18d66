"""model-catalog: AI models with locked, absolute, explained ranks.

Names are imported when they are first used, so that ``import catalog`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalog.errors import CatalogError
    from catalog.snapshot import Model, Offer, Price, Snapshot, load
    from catalog.store.book import writing

__version__ = "0.1.0"

__all__ = ["CatalogError", "Model", "Offer", "Price", "Snapshot", "load", "writing"]

_HOMES = {
    "CatalogError": "catalog.errors",
    "Model": "catalog.snapshot",
    "Offer": "catalog.snapshot",
    "Price": "catalog.snapshot",
    "Snapshot": "catalog.snapshot",
    "load": "catalog.snapshot",
    "writing": "catalog.store.book",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'catalog' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
