"""The json layout: crushed, and still JSON."""
