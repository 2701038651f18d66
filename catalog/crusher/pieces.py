"""Pieces: text that still knows how it can be shortened.

A piece is the whole text, so it can stand wherever a string is joined, measured or interned. What it was made of stays
beside it; `budget` makes a shorter text of that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, Self


class Glossary:
    """What letters stand for in the part of a text that follows.

    Attributes:
        of: what the letters stand in place of, such as the name of a column; '' for the items of a list.
        entries: letter → its text.
    """

    __slots__ = ("entries", "of")

    def __init__(self, of: str, entries: Mapping[str, str]) -> None:
        self.of, self.entries = of, entries

    def lines(self, letters: Collection[str] | None = None) -> str:
        """Return the lines that say how many entries there are, and each; only those of some letters where given."""
        entries = [
            f"{letter} {entry}" for letter, entry in self.entries.items() if letters is None or letter in letters
        ]
        return "\n".join([f"&{len(entries)} {self.of}".rstrip(), *entries, ""])


Mark = Callable[[int, int], str]
"""Gives what stands in place of the items from one to another."""


class Spared(NamedTuple):
    """Items of a series that a budget is to spare.

    Attributes:
        kept: the places of items that go only when all others are gone.
        firm: these, and the places of items that hold such items, in order.
    """

    kept: frozenset[int] = frozenset()
    firm: Sequence[int] = ()


class Cuts(NamedTuple):
    """What a budget is to spare of a value; both by `id`.

    Attributes:
        kept: objects to be kept.
        holding: the objects and lists that hold such objects.
    """

    kept: frozenset[int] = frozenset()
    holding: frozenset[int] = frozenset()

    def among(self, values: Sequence[object]) -> Spared:
        """Return which of some values are to be spared."""
        if not self.kept:
            return Spared()
        kept = frozenset(place for place, value in enumerate(values) if id(value) in self.kept)
        holding = {place for place, value in enumerate(values) if id(value) in self.holding}
        return Spared(kept, sorted(kept | holding))


class Piece(str):
    """A text and what it was made of; as a string it is the whole."""

    __slots__ = ()


class Coded(Piece):
    """A text that begins with a letter of a glossary.

    Attributes:
        letter: the letter.
        glossary: what it stands for.
    """

    __slots__ = ("glossary", "letter")
    letter: str
    glossary: Glossary

    def __new__(cls, text: str, letter: str, glossary: Glossary) -> Self:
        """Take the text as it is."""
        self = super().__new__(cls, text)
        self.letter, self.glossary = letter, glossary
        return self


LONG = 40
"""Characters from which a string can be cut: the mark itself takes up to a dozen."""


class LongText(Piece):
    """A string of which a beginning can be kept.

    Attributes:
        value: the string itself, unquoted.
        cut: gives the text that stands for a kept beginning and a number of missing characters.
    """

    __slots__ = ("cut", "value")
    value: str
    cut: Callable[[str, int], str]

    def __new__(cls, text: str, value: str, cut: Callable[[str, int], str]) -> Self:
        """Take the whole text as it is."""
        self = super().__new__(cls, text)
        self.value, self.cut = value, cut
        return self


class Chain(Piece):
    """Parts that all stay, one after the other.

    Attributes:
        parts: strings and pieces.
    """

    __slots__ = ("parts",)
    parts: tuple[str, ...]

    def __new__(cls, parts: Iterable[str]) -> Self:
        """Join the parts."""
        kept = tuple(parts)
        self = super().__new__(cls, "".join(kept))
        self.parts = kept
        return self


class Series(Piece):
    """Items that may be left out, the last ones first.

    Attributes:
        items: strings and pieces.
        head: what stands before the items, such as ``[`` or the header of a table with its line break.
        joint: what stands between items; not written after an item that ends in a line break.
        tail: what stands after the items.
        mark: gives the text that stands, as an item, where the items from one to another are missing.
        stub: gives the text of the whole where all of so many items are missing, without head and tail.
        glossaries: those whose lines stand between head and items, each with the letters that plain items use.
        spared: which items are kept when others go.
        unwritten: how many items there are of which the head says all.
        is_object: whether the items are the entries of an object.
        sums: lengths of the first items, with a joint each and what lies in them at its shortest.
    """

    __slots__ = (
        "glossaries",
        "head",
        "is_object",
        "items",
        "joint",
        "mark",
        "spared",
        "stub",
        "sums",
        "tail",
        "unwritten",
    )
    items: Sequence[str]
    head: str
    joint: str
    tail: str
    mark: Mark
    stub: Callable[[int], str]
    glossaries: Mapping[Glossary, Sequence[str]]
    spared: Spared
    is_object: bool
    unwritten: int
    sums: Sequence[int]

    def __new__(
        cls,
        items: Sequence[str],
        *,
        mark: Mark,
        stub: Callable[[int], str],
        head: str = "",
        joint: str = ",",
        tail: str = "",
        glossaries: Mapping[Glossary, Sequence[str]] | None = None,
        spared: Spared = Spared(),  # noqa: B008 # it is immutable
        is_object: bool = False,
        unwritten: int = 0,
    ) -> Self:
        """Join head, lines of glossaries, items and tail."""
        lines = "".join(glossary.lines() for glossary in glossaries or ())
        self = super().__new__(cls, head + lines + joined(items, joint) + tail)
        self.items, self.head, self.joint, self.tail = items, head, joint, tail
        self.mark, self.stub, self.glossaries = mark, stub, glossaries or {}
        self.spared, self.is_object, self.unwritten = spared, is_object, unwritten
        lengths = map(len if all(item.__class__ is str for item in items) else least, items)
        self.sums = list(accumulate((length + len(joint) for length in lengths), initial=0))
        return self

    @property
    def total(self) -> int:
        """How many items there are."""
        return len(self.items) or self.unwritten


class Explained(Piece):
    """A text behind what its letters stand for.

    Attributes:
        body: the text.
        glossary: what its letters stand for.
        opening: gives what stands before, for the letters that are used.
    """

    __slots__ = ("body", "glossary", "opening")
    body: str
    glossary: Glossary
    opening: Callable[[Collection[str]], str]

    def __new__(cls, body: str, glossary: Glossary, opening: Callable[[Collection[str]], str]) -> Self:
        """Explain all letters."""
        self = super().__new__(cls, opening(glossary.entries) + body)
        self.body, self.glossary, self.opening = body, glossary, opening
        return self


class Written(NamedTuple):
    """A value in a layout.

    Attributes:
        text: the text; a piece where it can be shortened.
        glossaries: what the letters in it stand for.
    """

    text: str
    glossaries: Sequence[Glossary]


def joined(items: Sequence[str], joint: str) -> str:
    """Join items; after one that ends in a line break there is no joint."""
    text = joint.join(items)
    if "\n" + joint not in text:
        return text
    return "".join([item if item.endswith("\n") else item + joint for item in items[:-1]]) + items[-1]


def chained(parts: Sequence[str], joint: str) -> str:
    """Join parts that all stay; a `Chain` where one of them is a piece."""
    if all(part.__class__ is str for part in parts):
        return joint.join(parts)
    return Chain([text for part in parts for text in (joint, part)][1:])


def least(text: str) -> int:
    """Return about how many characters a text takes with what can be left out of it left out."""
    kind = text.__class__
    if kind is str or kind is Coded:
        return len(text)
    if isinstance(text, LongText):
        return min(len(text), len(text.cut("", len(text.value))))
    if isinstance(text, Series):
        return min(len(text), len(text.stub(text.total)))
    return sum(map(least, text.parts)) if isinstance(text, Chain) else len(text)


def within(text: str) -> Iterator[str]:
    """Yield a text and every piece in it, in no order."""
    work = [text]
    while work:
        current = work.pop()
        yield current
        parts = current.parts if isinstance(current, Chain) else current.items if isinstance(current, Series) else ()
        work += [part for part in parts if part.__class__ is not str]
