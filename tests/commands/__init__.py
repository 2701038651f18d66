"""Tests of the command line: what a user types, reads and scripts against."""
