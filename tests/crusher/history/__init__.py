"""Tests of catalog.crusher.history."""
