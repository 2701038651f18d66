"""The renderer: prompts as files, written for the model that was chosen, in an order that prompt caches can hold.

Choosing the model first, sections, runtime state behind the history and specialization placement were among the plans
of MemberJunction; form and code are our own. Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.lazy import importer

if TYPE_CHECKING:
    from catalog.renderer.actions import Action, ActionIndex, Hit, Listing, Reference
    from catalog.renderer.interfaces import interface
    from catalog.renderer.messages import Message, ToolCall, ToolResult
    from catalog.renderer.placeholders import Registered
    from catalog.renderer.renderer import Renderer
    from catalog.renderer.rendering import Difference, Rendering, count, diff
    from catalog.renderer.segments import Segment
    from catalog.renderer.stability import Stability
    from catalog.renderer.thresholds import Claim, Met, Threshold

__all__ = [
    "Action",
    "ActionIndex",
    "Claim",
    "Difference",
    "Hit",
    "Listing",
    "Message",
    "Met",
    "Reference",
    "Registered",
    "Renderer",
    "Rendering",
    "Segment",
    "Stability",
    "Threshold",
    "ToolCall",
    "ToolResult",
    "count",
    "diff",
    "interface",
]

_HOMES = {
    "Action": "catalog.renderer.actions",
    "ActionIndex": "catalog.renderer.actions",
    "Claim": "catalog.renderer.thresholds",
    "Difference": "catalog.renderer.rendering",
    "Hit": "catalog.renderer.actions",
    "Listing": "catalog.renderer.actions",
    "Message": "catalog.renderer.messages",
    "Met": "catalog.renderer.thresholds",
    "Reference": "catalog.renderer.actions",
    "Registered": "catalog.renderer.placeholders",
    "Renderer": "catalog.renderer.renderer",
    "Rendering": "catalog.renderer.rendering",
    "Segment": "catalog.renderer.segments",
    "Stability": "catalog.renderer.stability",
    "Threshold": "catalog.renderer.thresholds",
    "ToolCall": "catalog.renderer.messages",
    "ToolResult": "catalog.renderer.messages",
    "count": "catalog.renderer.rendering",
    "diff": "catalog.renderer.rendering",
    "interface": "catalog.renderer.interfaces",
}

__getattr__ = importer(__name__, _HOMES)
