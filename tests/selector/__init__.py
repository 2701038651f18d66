"""Tests of catalog.selector."""
