"""Given: what a caller hands in for a prompt, and whether it is what the prompt says that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.errors import CatalogError, PromptError, UsageError, nearest
from catalog.renderer.names import is_taken
from catalog.renderer.program import Program
from catalog.renderer.sources import place_in
from catalog.renderer.values import plain
from catalog.selector.candidates import Candidate


def checked(found: Program, data: dict[str, Any]) -> dict[str, Any]:
    """Return data with its defaults.

    Raises:
        PromptError: for a name that is not a caller's, for what is missing, and for what is of another kind.
    """
    for name in data:
        if is_taken(name):
            raise PromptError(f"data cannot be named {name!r}", hint="Such names say what the run itself knows.")
        if name in found.assigned and name not in found.data:
            raise PromptError(f"data has {name!r}, which the prompt itself sets", place=found.assigned[name],
                              hint="Rename one of them.")  # fmt: skip
    unknown = next((name for name in data if found.data and name not in found.data and name not in found.reads), None)
    if unknown is not None:
        hint = nearest(unknown, found.data, otherwise=f"Declared: {', '.join(found.data)}.")
        why = f"data has {unknown!r}, which the prompt neither declares nor reads"
        raise PromptError(why, place=place_in(found.prompt, "data"), hint=hint)
    for name, said in found.data.items():
        if name not in data:
            if said.is_required:
                raise PromptError(f"data has no {name!r}, {said.told}", place=found.declared_at(name),
                                  hint=nearest(name, data, otherwise="Hand it in, or give it a default."))  # fmt: skip
            data[name] = plain(said.default, f"the default of {name}")
        elif not said.holds(data[name]):
            raise PromptError(f"data.{name} is {data[name]!r:.40}, no {said.kind}", place=found.declared_at(name),
                              hint="Hand in what the prompt declares.")  # fmt: skip
    return data


def flags_of(found: Program, sections: Mapping[str, bool]) -> dict[str, bool]:
    """Return which sections are in, by the names that bodies read.

    Raises:
        PromptError: for one that is not declared, and for what is neither true nor false.
    """
    known = sorted({name for chain in found.chains for name in chain.sections})
    at = place_in(found.prompt, "sections")
    for name, value in sections.items():
        if name not in known:
            hint = nearest(name, known, otherwise=f"Known: {', '.join(known) or 'none'}.")
            raise PromptError(f"there is no section {name!r}", place=at, hint=hint)
        if not isinstance(value, bool):
            raise PromptError(f"section {name} is {value!r:.40}, neither true nor false", place=at)
    flags = {}
    for chain in found.chains:
        for name, value in chain.chosen().items():
            flags[chain.flag(name)] = sections.get(name, value)
    return flags


def check_rank(found: Program, candidate: Candidate) -> None:
    """See that the rank of a model can be compared.

    Raises:
        UsageError: where it has none, or is of another type than the prompt, naming both.
    """
    model = candidate.model
    if model.power_rank is None:
        raise UsageError(
            f"{found.name} depends on the PowerRank, and {model.slug} has none",
            hint="Choose a ranked model: a request leaves out unranked ones with min_power.",
        )
    if found.type not in (None, model.type):
        raise UsageError(
            f"{found.name} depends on the PowerRank of type {found.type}, and {model.slug} is of type {model.type}",
            hint="A rank means something only inside its type.",
        )


def by_name(given: Any, what: str) -> dict[str, Any]:
    """Return a copy of what a caller hands in by name.

    Raises:
        UsageError: for what is not by name.
    """
    found = {} if given is None else plain(given, what)
    if not isinstance(found, dict):
        raise UsageError(f"{what} is {given!r:.40}, no mapping", hint="Hand in values by name.")
    return found


def had(name: str, value: Any) -> Any:
    """Return what stands for a caller's placeholder.

    Raises:
        UsageError: where the function that gives it fails, naming the placeholder.
    """
    try:
        return value() if callable(value) else value
    except CatalogError:
        raise
    except Exception as error:  # whatever a caller's function raises
        raise UsageError(f"{name} cannot be had: {error} ({type(error).__name__})", hint="See its function.") from error
