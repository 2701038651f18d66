"""Tests of catalog.crusher.code."""
