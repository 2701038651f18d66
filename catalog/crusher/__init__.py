"""The crusher: context in fewer tokens, without losing anything. Needs nothing but the standard library."""

from __future__ import annotations

from catalog.crusher.crushing import crush_json, crush_text
from catalog.crusher.result import CrushResult, Dropped, Kept, Note
from catalog.crusher.uncrushing import uncrush, uncrush_text

__all__ = ["CrushResult", "Dropped", "Kept", "Note", "crush_json", "crush_text", "uncrush", "uncrush_text"]
