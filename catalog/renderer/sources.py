"""Sources: the files a prompt is made of, read once, their lines numbered through so that one number names a place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from jinja2 import nodes

from catalog.crusher.code.lines import Lines
from catalog.renderer import front_matter, language
from catalog.renderer.folder import Folder
from catalog.renderer.front_matter import FrontMatter
from catalog.renderer.places import Place
from catalog.renderer.sandbox import Sandbox
from catalog.renderer.tags import Tag, blanked, comments, tags


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file of a prompt.

    Attributes:
        file: its path below the folder.
        text: all of it.
        front: what it says of itself.
        begins: where in its text the body begins.
        before: lines of all the files read before it.
        tree: of its body; the line of each node is one of all files.
    """

    file: str
    text: str
    front: FrontMatter
    begins: int
    before: int
    tree: nodes.Template

    @cached_property
    def nodes(self) -> Sequence[nodes.Node]:
        """All that its tree is made of, in the order of the source, the outer before the inner."""
        return tuple(language.every(self.tree))

    @cached_property
    def tags(self) -> Sequence[Tag]:
        """The tags, expressions and comments of its body."""
        return tuple(tags(self.text, self.begins))

    @cached_property
    def comments(self) -> Sequence[Tag]:
        """The comments of its front matter and of its body."""
        front = comments(self.text[: self.begins])
        return (*front, *(own for own in self.tags if own.kind == "#"))

    @cached_property
    def lines(self) -> Lines:
        """The lines of its text."""
        return Lines(self.text)

    @cached_property
    def quiet(self) -> Collection[int]:
        """Lines of its body on which comments stand, and nothing else."""
        found: set[int] = set()
        busy: set[int] = set()
        place = self.begins
        for own in self.comments:
            if own.start >= self.begins:
                busy.update(self._said_on(place, own.start))
                found.update(self.lines_of(own))
                place = own.end
        return found.difference(busy, self._said_on(place, len(self.text)))

    def _said_on(self, begins: int, end: int) -> Iterator[int]:
        """Yield the lines that a part of its text says something on."""
        first = self.lines.number(begins)
        for number, line in enumerate(self.text[begins:end].split("\n"), first):
            if line.strip():
                yield number

    def lines_of(self, tag: Tag) -> range:
        """Return the lines that a tag stands on."""
        return range(self.lines.number(tag.start), self.lines.number(tag.end) + 1)

    @cached_property
    def _below(self) -> Mapping[int, int]:
        """For each quiet line the next one that is not."""
        found: dict[int, int] = {}
        for line in sorted(self.quiet, reverse=True):
            found[line] = found.get(line + 1, line + 1)
        return found

    def below(self, tag: Tag) -> int:
        """Return the line below a tag, behind lines of comments alone."""
        line = self.lines_of(tag)[-1] + 1
        return self._below.get(line, line)

    def line(self, number: int) -> str:
        """Return the text of a line; '' where there is none."""
        if not 0 < number <= len(self.lines.starts):
            return ""
        whole = self.lines.span(number, number)
        return self.text[whole.start : whole.end].removesuffix("\n")

    def place(self, offset: int) -> Place:
        """Return the place of a character of its text."""
        number = self.lines.number(offset)
        return Place(self.file, number, offset - self.lines.starts[number - 1] + 1)

    def body(self, without: str = "") -> str:
        """Return its text with blanks in the place of the front matter, and of tags of some kinds: offsets stay."""
        return blanked(self.text, (own for own in self.tags if own.kind in without), self.begins)


class Sources:
    """Files of a folder, each read when it is first asked for."""

    def __init__(self, folder: Folder, environment: Sandbox) -> None:
        self._folder, self._environment = folder, environment
        self._files: dict[str, Source] = {}
        self._starts: list[int] = []
        self._in_order: list[str] = []

    def read(self, file: str, *, asked_by: Place | None = None) -> Source:
        """Return a file.

        Raises:
            PromptError: when it is missing, leads outside, or is no prompt.
        """
        if file in self._files:
            return self._files[file]
        text = self._folder.read(file, asked_by=asked_by)
        front, body = front_matter.parted(text, file)
        tree = language.parsed(self._environment, body, file, front.length)
        before = self._starts[-1] if self._starts else 0
        if self._in_order:
            before += self._files[self._in_order[-1]].text.count("\n") + 1
        language.move_lines(tree, before)
        self._starts.append(before)
        self._in_order.append(file)
        self._files[file] = Source(
            file=file, text=text, front=front, begins=len(text) - len(body), before=before, tree=tree
        )
        return self._files[file]

    def place(self, line: int) -> Place:
        """Return the place of a line of all files."""
        number = bisect_right(self._starts, line - 1) - 1
        return Place(self._in_order[number], line - self._starts[number])

    def statements(self, source: Source) -> list[nodes.Node]:
        """Return the statements of a file, which may be changed."""
        made: list[nodes.Node] = language.copied(source.tree.body)
        return made


def place_in(source: Source, key: str) -> Place:
    """Return where a key of a file's front matter stands."""
    return Place(source.file, source.front.lines.get(key, 1))
