"""Names: words of the language, which no prompt and no caller can give to anything else."""

from __future__ import annotations

SPECIALIZATION, CHILDREN, INTERFACE = "specialization", "children", "interface"
"""Names by which a body says where other texts go."""
STATE_NAME = "state"
"""The name under which a body reads what changes from turn to turn."""
OF_THE_RUN = frozenset({STATE_NAME, INTERFACE, "range", "loop"})
"""Names for which the run itself gives what they stand for; nobody hands it in."""
SECTION = "_SECTION_"
"""Begins the name under which the flag of a section is read."""
WORK = "_WORK"
"""The name under which a rendering has what its expressions may still look at."""
_WORDS = frozenset({
    "and", "else", "self", "false", "False", "if", "in", "is", "none", "None", "not", "or", "true", "True",
    SPECIALIZATION, CHILDREN,
})  # fmt: skip


def is_taken(name: str) -> bool:
    """Return whether data cannot have a name."""
    return name.startswith("_") or name in OF_THE_RUN or name in _WORDS


def is_hidden(name: str) -> bool:
    """Return whether a name is the renderer's own, which bodies cannot read."""
    return name == WORK or name.startswith(SECTION)
