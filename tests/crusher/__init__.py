"""Tests of catalog.crusher."""
