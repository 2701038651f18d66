"""Reports of prompts: as tables, as JSON, and those that were kept to compare with."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from catalog.commands import json_files, output
from catalog.commands.output import Column
from catalog.renderer.report import Report, Row, Stored


def kept(file: Path) -> Stored:
    """Return a report that was kept.

    Raises:
        UsageError: for a file that is none.
    """
    return Stored(**json_files.read(file, "--against", "what --save wrote", _is_report))


def _is_report(found: Any) -> bool:
    is_known = isinstance(found, dict) and found.keys() == {"counted_with", "prompts"}
    return is_known and isinstance(found["counted_with"], str) and _are_rows(found["prompts"])


def _are_rows(found: Any) -> bool:
    rows = [row for own in found.values() for row in own] if _are_lists(found) else [None]
    return all(isinstance(row, list) and len(row) == _ROW and _are_numbers(*row) for row in rows)


def _are_lists(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(own, list) for own in found.values())


def _are_numbers(low: Any, high: Any, n: Any) -> bool:
    return type(low) is int and type(n) is int and (high is None or type(high) is int)


_ROW = 3
"""Low, high and tokens of an interval."""


def as_data(made: Report) -> dict[str, Any]:
    """Return a report as plain data."""
    return {
        "prompts": [
            {
                "prompt": row.prompt, "low": row.low, "high": row.high,
                "tokens": {name: asdict(own) for name, own in row.tokens.items()},
                "sections": dict(row.sections), "before": row.before,
            }
            for row in made.rows
        ],
        "skipped": dict(made.skipped),
        "gone": list(made.gone),
        "total": made.total,
        "before": made.before,
        "compared": made.compared,
    }  # fmt: skip


def say(made: Report) -> None:
    """Print a report as a table with bars, and what is to be said beside it."""
    most = max((row.n for row in made.rows), default=0) or 1
    columns = [
        Column(key="prompt", title="prompt"),
        Column(key="ranks", title="ranks", right=True),
        *(Column(key=name, title=name, right=True) for name in made.counted_with),
        *([Column(key="change", title="change", right=True)] if made.before is not None else []),
        Column(key="bar", title="", fold=False),
        Column(key="sections", title="of these sections"),
    ]
    if made.rows:
        output.table([_row(row, most) for row in made.rows], columns)
    else:
        output.say("no prompt can be measured")
    if made.before is not None:
        share = made.compared / max(made.before, 1) - 1
        output.say(
            f"\n{made.before:,} tokens before, {made.compared:,} now, in the same intervals: "
            f"{abs(share):.0%} {'more' if share > 0 else 'fewer'}"
        )
    for name in made.gone:
        output.note(f"{name} is in the report before, and not compared")
    for name, why in made.skipped.items():
        output.note(f"{name} is left out: {why}")
    errors = {own.error for row in made.rows for own in row.tokens.values() if not own.exact}
    if errors:
        output.note(f"estimate: off by up to {max(errors):.0%} of the true count")


def _row(row: Row, most: int) -> dict[str, Any]:
    change = None if not row.before else "same" if row.n == row.before else f"{row.n / row.before - 1:+.0%}"
    sections = ", ".join(f"{name} {n:,}" for name, n in row.sections.items() if n)
    return {
        "prompt": row.prompt.removesuffix(".md"),
        "ranks": f"{row.low}–{'' if row.high is None else row.high}",
        **{name: f"{own.n:,}" for name, own in row.tokens.items()},
        "change": change,
        "bar": "█" * (max(1, round(_BAR * row.n / most)) if row.n else 0),
        "sections": sections,
    }


_BAR = 12
"""Signs of the longest bar."""
