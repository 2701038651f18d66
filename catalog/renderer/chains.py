"""Chains: a prompt and the texts it specializes, which share sections."""

from __future__ import annotations

from dataclasses import dataclass, field

from catalog.errors import PromptError, nearest
from catalog.renderer.front_matter import Section
from catalog.renderer.names import SECTION
from catalog.renderer.sources import Source, place_in


@dataclass(kw_only=True)
class Chain:
    """A prompt and the texts it specializes, which share sections.

    Attributes:
        number: of this chain among those of a rendering; 0 is what is asked for.
        sources: the base furthest away first, the prompt last.
        sections: those declared by these files and what they include, by name.
    """

    number: int
    sources: tuple[Source, ...]
    sections: dict[str, Section] = field(default_factory=dict)

    @property
    def prompt(self) -> Source:
        """The prompt itself."""
        return self.sources[-1]

    def flag(self, section: str) -> str:
        """Return the name under which a rendering has the flag of a section."""
        return f"{SECTION}{self.number}_{section}"

    def chosen(self) -> dict[str, bool]:
        """Return which sections are in, before a caller says otherwise.

        Raises:
            PromptError: for one that is chosen and not declared.
        """
        found = {name: section.default for name, section in self.sections.items()}
        for source in self.sources:
            for name, value in source.front.chosen.items():
                if name not in found:
                    hint = nearest(name, found, otherwise=f"Known: {', '.join(found) or 'none'}.")
                    raise PromptError(f"there is no section {name!r}", place=place_in(source, "sections"), hint=hint)
                found[name] = value
        return found


@dataclass(frozen=True, slots=True)
class Owner:
    """The file that a text is of, for which an included one stands in, and its chain."""

    source: Source
    chain: Chain
