"""Tokens of SQL with their places, by sqlglot's tokenizers; comments stand in the gaps between them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from catalog.crusher.code.outlines import Span, UnreadableError

DIALECTS: Mapping[str, str] = {
    "ansi": "",
    "bigquery": "bigquery",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "snowflake": "snowflake",
    "sqlite": "sqlite",
    "tsql": "tsql",
}
"""Our names of dialects, and sqlglot's."""

_DOLLARS = re.compile(r"\$\w*\$")
_EACH_DOLLARS = re.compile(r"(?=(\$\w*\$))")
_APART = r"'(?:[^'\n]|''|\n(?!{line}))*'?|\[[^\]\r\n]*\]|\"[^\"\r\n]*\"|--[^\r\n]*|(?P<comment>/\*)"
"""Texts, quoted names and comments, in which nothing ends a batch; a text does not go on behind a line that does."""


def _batch_end(line: str, flags: int = 0) -> re.Pattern[str]:
    """Return what finds the lines that end a batch, and what stands apart before them."""
    return re.compile(rf"(?P<end>^{line})|{_APART.replace('{line}', line)}", re.MULTILINE | flags)


_BATCH_ENDS: Mapping[str, re.Pattern[str]] = {
    "tsql": _batch_end(r"[ \t]*GO(?:[ \t]+\d+)?[ \t]*(?:--[^\r\n]*|/\*[^\r\n]*\*/[ \t]*)?(?=\r?$)", re.IGNORECASE),
    "oracle": _batch_end(r"[ \t]*/[ \t]*(?=\r?$)"),
}
"""What is sent to a database at once ends with such a line."""
_COPIED = re.compile(
    r"^COPY\b[^;]*\bFROM\s+stdin\b[^;]*;\r?\n(?P<end>(?:(?!\\\.\r?$).*\n)*\\\.)(?=\r?$)", re.IGNORECASE | re.MULTILINE
)
"""Rows behind a statement that copies them into a table: no SQL."""
BATCH_END = "\n"
"""The word of the token that such a line is; no other token has it."""
_GUESSES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("mysql", re.compile(r"^[ \t]*delimiter\b|\bengine\s*=", re.IGNORECASE | re.MULTILINE).search),
    ("postgres", re.compile(r"\blanguage\s+plpgsql\b|::\w+", re.IGNORECASE).search),
    ("postgres", lambda source: next(_dollar_quoted(source), None)),
    ("mysql", re.compile(r"`\w+`").search),
    (
        "tsql",
        re.compile(
            r"^[ \t]*GO[ \t]*\r?$|\[\w+\]\.\[|\bdeclare\s+@|\bnvarchar\b|@@\w", re.IGNORECASE | re.MULTILINE
        ).search,
    ),
)
"""What only one of the dialects writes."""


class Token(NamedTuple):
    """A token.

    Attributes:
        word: a word that is not quoted, in capitals; else the first character, of a text its quote whatever letters
            stand before that.
        span: where it stands.
    """

    word: str
    span: Span


def guessed(source: str) -> str:
    """Return the dialect that a source seems to be written in."""
    bare = _PROSE.sub(" ", source)
    return next((dialect for dialect, found in _GUESSES if found(bare)), "ansi")


_PROSE = re.compile(r"'(?:[^']|'')*'?|--[^\r\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
"""Strings and comments, in which anything may stand."""


class Read(NamedTuple):
    """What was read of a source.

    Attributes:
        tokens: its tokens.
        broken: batches at which the tokenizer gave up.
    """

    tokens: list[Token]
    broken: list[Span]


def tokens_of(source: str, dialect: str) -> Read:
    """Return the tokens of a source, those of a batch that cannot be read left out.

    Raises:
        UnreadableError: where none can.
        MissingExtraError: where sqlglot is not installed.
    """
    try:
        from sqlglot.errors import SqlglotError
    except ImportError:
        from catalog.errors import MissingExtraError

        raise MissingExtraError(
            "crushing SQL needs the extra 'code'", hint="pip install 'model-catalog[code]'"
        ) from None
    tokenizer = _tokenizer(dialect)

    def places(text: str) -> list[tuple[int, int]]:
        try:
            return [(token.start, token.end + 1) for token in tokenizer.tokenize(text)]
        except (SqlglotError, RecursionError, MemoryError, ValueError) as error:
            raise UnreadableError(f"{type(error).__name__}: {str(error).splitlines()[0]:.120}") from None

    found: list[Token] = []
    broken: list[Span] = []
    batches = list(_batches(source, dialect))
    for batch, line_end in batches:
        text = source[batch.start : batch.end]
        try:
            own = (_places_around(text, places) if dialect in _WITH_DOLLARS else None) or places(text)
        except UnreadableError:
            if len(batches) == 1:
                raise
            own = []
            broken.append(batch)
        quoting = dialect in _WITH_DOLLARS
        found += (_token(source, batch.start + start, batch.start + end, quoting=quoting) for start, end in own)
        if batch.end < len(source):
            found.append(Token(BATCH_END, Span(batch.end, line_end)))
    return Read(found, broken)


def _tokenizer(dialect: str) -> Any:
    """Return a tokenizer of a dialect."""
    plain, own = _tokenizers(dialect)
    return plain(dialect=own)


@cache
def _tokenizers(dialect: str) -> tuple[Any, Any]:
    """Return the tokenizers of a dialect, but for commands, which would take the rest of a statement for one string."""
    from sqlglot.dialects.dialect import Dialect

    own = Dialect.get_or_raise(DIALECTS[dialect])
    return type("Plain", (own.tokenizer_class,), {"COMMANDS": set()}), own


_WITH_DOLLARS = ("postgres", "snowflake")


class _Quoted(NamedTuple):
    """What stands in dollar quotes: where the quotes open, and where it begins and ends."""

    opening: int
    start: int
    end: int


def _dollar_quoted(text: str) -> Iterator[_Quoted]:
    """Yield what stands in dollar quotes."""
    place = 0
    alone: frozenset[str] | None = None  # tags that are there once, of which a text may have thousands
    while tag := _DOLLARS.search(text, place):
        close = -1 if alone and tag.group() in alone else text.find(tag.group(), tag.end())
        if close >= 0:
            yield _Quoted(tag.start(), tag.end(), close)
        elif alone is None:
            every = Counter(found.group(1) for found in _EACH_DOLLARS.finditer(text))
            alone = frozenset(own for own, count in every.items() if count == 1)
        place = tag.end() if close < 0 else close + len(tag.group())


def _places_around(text: str, places: Callable[[str], list[tuple[int, int]]]) -> list[tuple[int, int]] | None:
    """Return the places of tokens, found without what lies in dollar quotes, which takes most of the time.

    None where the signs turn out to stand in a string or comment.
    """
    quoted = list(_dollar_quoted(text))
    if not quoted:
        return None
    ends = [0, *(own.end for own in quoted)]
    starts = [*(own.start for own in quoted), len(text)]
    around = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    try:
        found = places("".join(around))
    except UnreadableError:
        return None
    gone = list(accumulate((own.end - own.start for own in quoted), initial=0))
    openings = [own.opening - before for own, before in zip(quoted, gone, strict=False)]
    if not {start for start, _ in found}.issuperset(openings):
        return None
    return [
        (start + gone[bisect_left(openings, start)], end + gone[bisect_left(openings, end)]) for start, end in found
    ]


def _batches(source: str, dialect: str) -> Iterator[tuple[Span, int]]:
    """Yield the parts of a source between the lines that end a batch, and where that line ends."""
    place = 0
    for start, end in _ends_of_batches(source, dialect):
        yield Span(place, start), end
        place = end
    yield Span(place, len(source)), len(source)


def _ends_of_batches(source: str, dialect: str) -> Iterator[tuple[int, int]]:
    """Yield where what ends a batch begins and ends: a line that says so, or rows that are copied."""
    if dialect == "postgres":
        yield from (found.span("end") for found in _COPIED.finditer(source))
    place = 0
    while dialect in _BATCH_ENDS and (found := _BATCH_ENDS[dialect].search(source, place)):
        place = _closed(source, found.end(), len(source)) if found["comment"] else max(found.end(), place + 1)
        if found["end"] is not None:
            yield found.span("end")


def _token(source: str, start: int, end: int, *, quoting: bool) -> Token:
    first = source[start]
    if first.isalpha() or first in "_@#":
        is_text = source[end - 1] == "'" or (source[end - 1] == '"' and '"' in source[start : start + 3])
        return Token("'" if is_text else source[start:end].upper(), Span(start, end))
    if first == "$" and quoting:
        tag = _DOLLARS.match(source, start)
        close = source.find(tag.group(), tag.end()) if tag else -1
        end = close + len(tag.group()) if tag and close >= 0 else end
    return Token(first, Span(start, end))


def comments_between(source: str, tokens: Sequence[Token]) -> Iterator[Span]:
    """Yield where comments stand; between tokens there is nothing but these and blanks."""
    place = 0
    for start, end in [*(token.span for token in tokens), (len(source), len(source))]:
        yield from _comments(source, place, start)
        place = max(place, end)


_EITHER = re.compile(r"/\*|\*/")
_COMMENT = re.compile(r"--[^\r\n]*|#[^\r\n]*|//[^\r\n]*|/\*")


def _comments(source: str, place: int, end: int) -> Iterator[Span]:
    while found := _COMMENT.search(source, place, end):
        place = found.end() if found.group() != "/*" else _closed(source, found.end(), end)
        if source[found.start() - 1 : found.start()] not in ("-", "{"):  # a line of dashes, a comment of a template
            yield Span(found.start(), place)


def _closed(source: str, place: int, end: int) -> int:
    """Return where a comment ends whose opening ends at a place; comments may stand inside it."""
    depth = 1
    for found in _EITHER.finditer(source, place, end):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return end
