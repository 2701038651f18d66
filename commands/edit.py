"""catalog edit: change facts of a model or of one of its offers; never a rank."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from catalog.commands import options, output, writes
from catalog.errors import UsageError

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def edit(
    ctx: typer.Context,
    model: options.ModelName,
    assignments: Annotated[list[str], typer.Argument(metavar="FACT=VALUE...", help="An empty VALUE makes it unknown.")],
    offer: Annotated[
        str | None, typer.Option(metavar="VENDOR", help="Edit or add this vendor's offer instead.")
    ] = None,
    reason: options.Reason = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
) -> None:
    """Change facts of a model, or of one of its offers: catalog edit gpt-5 context_window=400000."""
    pairs = [_assignment(text) for text in assignments]
    changes = dict(pairs)
    if len(changes) < len(pairs):
        twice = next(name for name in changes if [other for other, _ in pairs].count(name) > 1)
        raise UsageError(f"{twice} is given twice", hint="Give each fact once.")
    kind, key = ("offer", (model, offer)) if offer else ("model", (model,))
    notes: list[str] = []
    with writes.book(ctx, dry_run=dry_run) as opened:
        if offer and opened.get("offer", (model, offer)) is None:
            notes = _add_offer(opened, model, offer, changes, reason)
        else:
            opened.edit(kind, key, _typed(kind, changes), reason=writes.reason(reason, "Edited"))
    writes.report(opened, dry_run=dry_run, json=json, result={"model": model, "notes": notes})
    for text in notes:
        output.note(text)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"{text!r} is not FACT=VALUE", hint="Write context_window=400000.")
    return name.strip().replace("-", "_"), value.strip()


def _typed(kind: str, changes: dict[str, str]) -> dict[str, Any]:
    from catalog.store.values import from_text

    return {name: from_text(kind, name, value) for name, value in changes.items()}


def _add_offer(opened: Any, model: str, vendor: str, changes: dict[str, str], reason: str | None) -> list[str]:
    from catalog.ranks import newcomer

    why = writes.reason(reason, "Offer added")
    host = newcomer.vendor(opened, vendor, reason=why)
    row = {"model": model, "vendor": host, "status": "active", **_typed("offer", changes)}
    opened.add("offer", row, reason=why)
    return list(newcomer.new_vendors(opened))
