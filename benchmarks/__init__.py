"""Measurements behind the figures this project claims; nothing here is imported by it."""
