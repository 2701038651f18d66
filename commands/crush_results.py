"""What crushing gave back: as --json prints it, and what --stats says was saved."""

from __future__ import annotations

from catalog.crusher import CrushResult
from catalog.crusher.estimate import text_tokens


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


def tokens(text: str) -> int:
    """Return about how many tokens a text takes."""
    return round(text_tokens(text))


def saved(source: str, text: str, *, of: str, seconds: float) -> str:
    """Return what became of the tokens of a source, and how long it took."""
    before, after = tokens(source), tokens(text)
    share = f" ({after / before:.0%})" if before else ""
    return f"about {before:,} tokens of {of}, {after:,} now{share}, {seconds:.2f} s"
