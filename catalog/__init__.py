"""model-catalog: AI models with locked, absolute, explained ranks.

Names are imported when they are first used, so that ``import catalog`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.lazy import importer

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

__getattr__ = importer(__name__, _HOMES)
