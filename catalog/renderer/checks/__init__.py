"""Checks of prompt folders: rules with stable codes, what breaks them, and what an old estate is forgiven."""
