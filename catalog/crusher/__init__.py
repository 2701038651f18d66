"""The crusher: context in fewer tokens, without losing anything. Needs nothing but the standard library."""

from __future__ import annotations

from catalog.crusher.budget import BudgetError
from catalog.crusher.code.crushing import crush_code, expand
from catalog.crusher.crushing import crush_json, crush_text
from catalog.crusher.describing import describe_crush
from catalog.crusher.prefix.breakpoints import Breakpoint
from catalog.crusher.prefix.findings import Finding
from catalog.crusher.prefix.partitioning import Partition, partition_stable_prefix
from catalog.crusher.prefix.profiles import CacheProfile
from catalog.crusher.result import CrushResult, Dropped, Kept, Note
from catalog.crusher.tool_results import crush_value
from catalog.crusher.uncrushing import ShortenedError, uncrush, uncrush_text

__all__ = [
    "Breakpoint",
    "BudgetError",
    "CacheProfile",
    "CrushResult",
    "Dropped",
    "Finding",
    "Kept",
    "Note",
    "Partition",
    "ShortenedError",
    "crush_code",
    "crush_json",
    "crush_text",
    "crush_value",
    "describe_crush",
    "expand",
    "partition_stable_prefix",
    "uncrush",
    "uncrush_text",
]
