"""Segments: runs of text of one message, file and stability, with their hashes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from catalog.errors import PromptError
from catalog.renderer.compiling import Group
from catalog.renderer.hashing import hash_of
from catalog.renderer.marks import Mark
from catalog.renderer.places import Place
from catalog.renderer.stability import Stability

MOST_CHARS = 20_000_000
"""Characters of a rendering: more than the largest window takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A run of text that stays as long as all of it.

    Attributes:
        text: the text.
        stability: how long it stays.
        place: the template line that it begins on; None for what no template says.
        sha256: of the text in UTF-8.
    """

    text: str
    stability: Stability
    place: Place | None
    sha256: str
    _groups: Sequence[tuple[Mark, Group]] = field(default=(), repr=False, compare=False)

    def line_at(self, offset: int) -> Place | None:
        """Return the template line that made a character."""
        for mark, group in self._groups:
            line = mark.place.line
            for is_text, piece in zip(mark.texts, group[1:], strict=True):
                if offset < len(piece):
                    return Place(mark.place.file, line + (piece.count("\n", 0, offset) if is_text else 0))
                offset -= len(piece)
                line += piece.count("\n") if is_text else 0
        return self.place


def segment(text: str, stability: Stability, place: Place | None = None) -> Segment:
    """Return a segment of its own."""
    return Segment(text=text, stability=stability, place=place, sha256=hash_of(text))


Runs = list[list[tuple[Mark, Group]]]
"""Runs of groups of one region."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a run of a program wrote.

    Attributes:
        channels: for each channel its runs, in order.
        met: the numbers of the thresholds that were met.
    """

    channels: dict[str, Runs]
    met: frozenset[int]


def written(groups: Iterable[Group], marks: Sequence[Mark]) -> Written:
    """Return the groups that a program yields, by channel, those of one region and turn of a loop together.

    Raises:
        PromptError: for more text than any window takes.
    """
    channels: dict[str, Runs] = {}
    met: set[int] = set()
    turns: dict[str, int] = {}
    begun: dict[str, tuple[int, int]] = {}
    last = 0
    run: list[tuple[Mark, Group]] = []
    size = 0
    for group in groups:
        number = group[0]
        if number.__class__ is str:
            turns[number] = turns.get(number, 0) + 1
            last = 0
            continue
        if number < 0:
            met.add(-1 - number)
            continue
        mark = marks[number]
        if mark.region != last:
            last = mark.region
            runs, own = channels.setdefault(mark.channel, []), (last, turns.get(mark.channel, 0))
            if begun.get(mark.channel) != own:
                begun[mark.channel] = own
                runs.append([])
            run = runs[-1]
        for piece in group[1:]:
            size += len(piece)
        if size > MOST_CHARS:
            what = f"the text has more than {MOST_CHARS:,} characters; no window takes so many"
            raise PromptError(what, place=mark.place, hint="Hand in less data.")
        run.append((mark, group))
    return Written(channels, frozenset(met))


ALONE = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair."""


def segments(runs: Runs) -> list[Segment]:
    """Return the segments of a channel; those without text are left out.

    Raises:
        PromptError: for what is no text.
    """
    made = []
    for run in runs:
        text, mark = "".join([piece for _, group in run for piece in group[1:]]), run[0][0]
        if text:
            if not text.isascii() and ALONE.search(text):
                raise PromptError("the text has half of a surrogate pair, which is no UTF-8", place=mark.place)
            made.append(
                Segment(text=text, stability=mark.stability, place=mark.place, sha256=hash_of(text), _groups=run)
            )
    return made
