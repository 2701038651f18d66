"""The migrations of the catalog database, one history for SQLite and PostgreSQL."""
