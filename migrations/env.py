"""The Alembic environment: runs inside the write transaction that ``catalog.store.migrate`` opened.

For authoring (``alembic revision --autogenerate``) name the database with CATALOG_DATABASE_URL.
"""

from __future__ import annotations

from typing import Any

from alembic import context
from sqlalchemy import Connection

from catalog import settings
from catalog.store import database
from catalog.store.schema import metadata


def render_plain(kind: str, item: Any, autogen_context: Any) -> Any:
    """Write plain ``sa`` types into migrations; SQLModel's own names would crash them."""
    if kind == "type" and type(item).__module__.startswith("sqlmodel"):
        return f"sa.{type(item).__mro__[1].__name__}()"
    return False


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=True,
        render_item=render_plain,
        compare_type=True,
        transactional_ddl=False,
    )
    context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with database.transaction(settings.load().database_url, create=True, migrating=True) as opened:
        run(opened)
