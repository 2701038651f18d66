"""The write side: tables, guards, migrations, the change log, git-friendly files.

Importing this package is free; SQLModel is imported by the modules that need it.
"""
