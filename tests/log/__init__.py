"""Tests of the change log itself, without a database."""
