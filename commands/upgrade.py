"""catalog upgrade: migrate a catalog to the version this program knows."""

from __future__ import annotations

import typer

from catalog.commands import options, output

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command()
def upgrade(ctx: typer.Context, dry_run: options.DryRun = False) -> None:
    """Migrate the database to this version; ranks and log stay as they are."""
    from catalog.store import migrate

    before, after = migrate.upgrade(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout, dry_run=dry_run)
    moved = "would migrate" if dry_run else "migrated"
    output.say(f"migration {after}, nothing to do" if before == after else f"{moved} from {before} to {after}")
