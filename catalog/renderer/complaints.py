"""Complaints: what to say of an error that a prompt met while it was rendered: its line, and what to change."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jinja2.exceptions import UndefinedError

from catalog.errors import PromptError, nearest
from catalog.renderer.limits import LimitError
from catalog.renderer.places import Place
from catalog.renderer.program import Program

_NO_FIELD = re.compile(r"'?[\w. ]+ object'? has no (?:attribute|element) (?P<field>.+)", re.DOTALL)
"""What Jinja2 says of a field that is not there."""


def complaint(found: Program, error: Exception) -> PromptError:
    """Return what to say of an error that a prompt met: its line, and what to change."""
    place = found.compiled().place_of_error(error)
    if isinstance(error, UndefinedError):
        return _missing(str(error), place, found.data)
    if isinstance(error, LimitError):
        return PromptError(str(error), place=place, hint="Make less in the prompt, or hand in less data.")
    what = f"this cannot be done with what it is given: {error} ({type(error).__name__})"
    return PromptError(
        what, place=place, hint="Ask for its kind first, such as {% if x is number %}, or change the data."
    )


def _missing(said: str, place: Place | None, data: Iterable[str]) -> PromptError:
    """Return what to say where a name, or a field of what was handed in, stands for nothing."""
    inside = _NO_FIELD.fullmatch(said)
    if inside is not None:
        hint = "Hand it in, or ask whether it 'is defined' first."
        return PromptError(f"what is read here has no {inside['field']}", place=place, hint=hint)
    name = said.partition("'")[2].partition("'")[0]
    if name.startswith("_"):
        return PromptError(said, place=place, hint=f"Hand it in: Renderer(…, placeholders={{{name!r}: …}}).")
    hint = nearest(name, data, otherwise="Hand it in as data, or ask whether it 'is defined' first.")
    return PromptError(said, place=place, hint=hint)
