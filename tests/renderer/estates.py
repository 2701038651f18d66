"""Folders of prompts for tests, and candidates they are rendered for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catalog.renderer.renderer import Renderer
from catalog.renderer.rendering import Rendering
from catalog.selector.candidates import Candidate
from tests.selector.sample import decided, model, offer

NOW = dt.datetime(2026, 11, 30, 9, 30, tzinfo=dt.UTC)
LOOP = """---
description: The loop that every agent runs in.
sections:
  foreach: {default: true, field: forEach}
  scratchpad: {default: true, field: scratchpad}
output: Reply
---
You are {{ _MODEL_NAME }}.
{% section foreach %}
{# claim: follows the protocol without a worked example; eval: protocol/terse #}
{% if _MODEL_POWER_RANK < 100 %}
A worked example.
{% else %}
Use forEach.
{% endif %}
{% endsection %}
{% section scratchpad %}
Keep notes.
{% endsection %}
{{ specialization }}
{% include "parts/tone.md" %}
{% state %}
Now: {{ _CURRENT_TIMESTAMP_UTC }}
Payload: {{ state.payload }}
{% endstate %}
"""
CLERK = """---
type: llm
base: loop.md
request: {min_power: 50}
sections: {scratchpad: false}
data:
  rows: list
  title: {type: text, default: Orders}
---
You look after {{ title }}.
{% for row in rows %}
- {{ row.id }}: {{ row.status }}
{% endfor %}
"""
ESTATE = {"loop.md": LOOP, "clerk.md": CLERK, "parts/tone.md": "Be terse.\n"}
ROWS = [{"id": 1, "status": "open"}, {"id": 2, "status": "closed"}]


def folder(path: Path, files: Mapping[str, str]) -> Path:
    """Return a folder with files."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return path


def renderer(path: Path, files: Mapping[str, str], **options: Any) -> Renderer:
    """Return a renderer of a folder with files, at half past nine of a day."""
    return Renderer(folder(path, files), **{"clock": lambda: NOW, **options})


def candidate(power: int | None = 200, *, slug: str = "acme-1", vendor: str = "acme", **facts: Any) -> Candidate:
    """Return a candidate of so much power."""
    found = model(slug, power, offer(vendor, api_name=f"{slug}-api"), **facts)
    decision = decided(found, type=found.type)
    return next(iter(decision.candidates), None) or decision.rejected[0].candidate


def text_of(path: Path, body: str, *, data: Mapping[str, Any] | None = None, **given: Any) -> str:
    """Return what a prompt of one file says."""
    made = renderer(path, {"p.md": body}).render("p", given.pop("to", candidate()), data=data, **given)
    return said(made)


def said(found: Rendering) -> str:
    """Return all that a rendering says."""
    return "".join(message.text for message in found.messages)
