"""The crusher: context in fewer tokens, without losing anything. Needs nothing but the standard library."""

from __future__ import annotations

from catalog.crusher.crushing import crush_json, crush_text, uncrush, uncrush_text
from catalog.crusher.result import CrushResult, Note

__all__ = ["CrushResult", "Note", "crush_json", "crush_text", "uncrush", "uncrush_text"]
