"""The change log itself: its lines, the facts they state, and what a log means when it is replayed.

Pure and light: no database driver, no ORM. The write side (``store``) and the read side (``snapshot``) build on it.
"""
