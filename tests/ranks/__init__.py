"""Tests of catalog.ranks."""
