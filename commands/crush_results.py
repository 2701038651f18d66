"""What crushing gave back, as --json prints it."""

from __future__ import annotations

from catalog.crusher import CrushResult


def as_data(result: CrushResult) -> dict[str, object]:
    """Return a result as plain data."""
    return {
        "text": result.text,
        "crushed": result.crushed,
        "original_chars": result.original_chars,
        "crushed_chars": result.crushed_chars,
        "legend": dict(result.legend),
        "notes": [{"code": note.code, "path": note.path, "detail": note.detail} for note in result.notes],
        "dropped": [
            {"path": own.path, "rows": own.rows, "protected": own.protected, "chars": own.chars}
            for own in result.dropped
        ],
        "bodies": dict(result.bodies),
    }
