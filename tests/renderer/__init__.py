"""Tests of catalog.renderer."""
