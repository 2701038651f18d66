"""Tests of where scores and models come from."""
