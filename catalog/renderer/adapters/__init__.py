"""Adapters: a rendering as the request of each vendor's form. Only here are dicts made."""
