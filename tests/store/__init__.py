"""Tests of the write side: every claim on SQLite and on PostgreSQL unless it is about one of them."""
