"""Statements of SQL: where each ends, what it declares, and what of it can be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from catalog.crusher.code.lines import Lines
from catalog.crusher.code.outlines import Declaration, Part, Span
from catalog.crusher.code.sql.tokens import BATCH_END, Token

_ROUTINES = frozenset({"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT"})
_DECLARED = _ROUTINES | {
    "TABLE",
    "VIEW",
    "INDEX",
    "TYPE",
    "SCHEMA",
    "DATABASE",
    "SEQUENCE",
    "DOMAIN",
    "EXTENSION",
    "ROLE",
}
_CREATING = frozenset({"CREATE", "ALTER"})
_NO_NAME = frozenset({"IF", "NOT", "EXISTS", "BODY", "CONCURRENTLY", "ONLY", "UNIQUE"})
_NO_BLOCK = frozenset({"TRAN", "TRANSACTION", "WORK", "DISTRIBUTED", ";", "DEFERRED", "IMMEDIATE", "EXCLUSIVE"})
"""Words after which BEGIN begins no block, but a transaction."""
_BEFORE_NAMES = frozenset({
    ".", ",", "(", "=", "<", ">", "+", "-", "SELECT", "DISTINCT", "WHERE", "AND", "OR", "NOT", "BY", "ON", "SET",
    "WHEN", "BETWEEN", "LIKE",
})  # fmt: skip
_BEHIND_NAMES = frozenset({
    "=", ",", ")", ".", "<", ">", "+", "-", "FROM", "IS", "IN", "ON", "LIKE", "AND", "OR", "BETWEEN", "ASC", "DESC",
})  # fmt: skip
"""Words behind and before which BEGIN and END are names, such as that of a column."""
_BEGINNING = frozenset({"BEGIN", "DECLARE", "DO", "IF", "WHILE", "<"})
"""Words that begin what holds blocks though it is no routine."""
_ENDS_NO_BLOCK = frozenset({"IF", "LOOP", "WHILE", "REPEAT", "FOR", "CONVERSATION"})
_BEHIND = frozenset({BATCH_END, "CREATE", "ALTER", "GRANT", "DROP"})
"""Words that begin what stands behind a routine without a block."""
_CREATED = 4
"""Tokens within which what a statement creates is said, as in CREATE OR REPLACE EDITIONABLE FUNCTION."""
_WORDS = 6
"""Tokens of a statement that are looked at for that."""
_HEADER = 40
"""Tokens within which the word stands that says what is created."""
_LONG = 100
"""Characters from which the rest of a list of rows or values can be left out: shorter ones are all there is to read."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement.

    Attributes:
        tokens: its tokens, the one that ends it left out.
        blocks: where its outermost blocks stand: the numbers of their BEGIN and END among the tokens.
        ends_batch: whether it goes to the end of a batch.
    """

    tokens: Sequence[Token]
    blocks: list[tuple[int, int]] = field(default_factory=list)

    @property
    def span(self) -> Span:
        """Where it stands."""
        return Span(self.tokens[0].span.start, self.tokens[-1].span.end)

    @property
    def is_routine(self) -> bool:
        """Whether what it creates has a body of statements."""
        words = [token.word for token in self.tokens[:_WORDS]]
        return words[0] in _CREATING and _is_routine(words)

    @property
    def creates(self) -> str:
        """What it creates or alters, in capitals; '' where it does neither."""
        if self.tokens[0].word not in _CREATING:
            return ""
        words = (token.word for token in self.tokens[1:_HEADER])
        return next((word for word in words if word in _DECLARED), "")


def _is_routine(words: Sequence[str]) -> bool:
    """Return whether what the words at the beginning of a statement create has a body of statements."""
    return ("PARTITION" not in words and not _ROUTINES.isdisjoint(words)) or {"TYPE", "BODY"} <= set(words)


def statements_of(found: Sequence[Token], dialect: str) -> Iterator[Statement]:
    """Yield statements: up to a semicolon outside of blocks, the end of a batch, or the delimiter in force."""
    tokens = list(found)
    delimiter = ";"
    number = 0
    while number < len(tokens):
        if tokens[number].word == "DELIMITER" and dialect in _WITH_DELIMITER:
            delimiter, number = _delimiter(tokens, number)
            end = next((n for n in range(number, len(tokens)) if tokens[n].word == "DELIMITER"), len(tokens))
            tokens[number:end] = _without_delimiter(tokens[number:end], delimiter)
            continue
        reading = _Reading(tokens, number, dialect, delimiter)
        end = reading.end()
        if end > number:
            yield Statement(tokens[number:end], reading.blocks)
        number = end + reading.ending


_WITH_DELIMITER = ("ansi", "mysql")


class _Reading:
    """A statement that is being read.

    Attributes:
        blocks: its outermost blocks so far.
        ending: how many tokens end it.
    """

    def __init__(self, tokens: Sequence[Token], first: int, dialect: str, delimiter: str) -> None:
        self._tokens, self._first, self._dialect, self._delimiter = tokens, first, dialect, delimiter
        self._opened: list[int] = []
        self._closed = False
        words = [token.word for token in tokens[first : first + _WORDS]]
        created = words[0] in _CREATING and _is_routine(words)
        self._has_blocks = created or dialect == "tsql" or words[0] in _BEGINNING
        self._to_batch_end = created and dialect == "tsql"
        self._to_own_end = created and dialect == "oracle" and words[0] == "CREATE"
        header = {token.word for token in tokens[first : first + _HEADER]}
        self._is_package = "PACKAGE" in words or "TYPE" in words or {"COMPOUND", "TRIGGER"} <= header
        self._routines = 1
        self._is_declaring = False
        self.blocks: list[tuple[int, int]] = []
        self.ending = 0

    def end(self) -> int:
        """Return the number of the token behind the last one."""
        number = self._first
        while number < len(self._tokens):
            self.ending = self._ends(number)
            if self.ending:
                return number
            number = self._after(number)
        return len(self._tokens)

    def _after(self, number: int) -> int:
        """Count the block that a token opens or closes, and return the number of the next token to look at."""
        word = self._tokens[number].word
        before = self._tokens[number - 1].word if number > self._first else ""
        following = self._tokens[number + 1].word if number + 1 < len(self._tokens) else ";"
        if not self._has_blocks or self._is_name(word, before, following):
            return number + 1
        if word == "CASE" or (word == "BEGIN" and not self._begins_transaction(number, following)):
            self._opened.append(number)
        elif word == "END" and following not in _ENDS_NO_BLOCK:
            self._close(number)
            return number + 1 + (following in ("CASE", "TRY", "CATCH"))
        elif self._to_own_end and not self._opened:
            self._declare(number, word)
        return number + 1

    def _declare(self, number: int, word: str) -> None:
        """Count the routines that are declared inside a routine, each of which has a block of its own."""
        if word in ("FUNCTION", "PROCEDURE") and number > self._first + _CREATED:
            self._is_declaring = True
        elif self._is_declaring and word in ("IS", "AS", ";"):
            self._routines += word != ";"
            self._is_declaring = False

    def _is_name(self, word: str, before: str, following: str) -> bool:
        """Return whether a word that looks like one of a block is a name; what ends a CASE stands before anything."""
        if word == "CASE":
            return before == "." or following in _BEHIND_NAMES - {"("}
        ends_case = word == "END" and bool(self._opened) and self._tokens[self._opened[-1]].word == "CASE"
        return before in _BEFORE_NAMES or (word in ("BEGIN", "END") and following in _BEHIND_NAMES and not ends_case)

    def _begins_transaction(self, number: int, following: str) -> bool:
        """Return whether BEGIN opens no block: of one dialect it never does at the beginning of a statement."""
        return following in _NO_BLOCK or (number == self._first and self._dialect == "postgres")

    def _close(self, number: int) -> None:
        if not self._opened:
            self._closed = True
            return
        begin = self._opened.pop()
        if not self._opened and self._tokens[begin].word == "BEGIN":
            self.blocks.append((begin - self._first, number - self._first))

    def _ends(self, number: int) -> int:
        """Return how many tokens end the statement at a place, 0 where it goes on."""
        token = self._tokens[number]
        if token.word == BATCH_END:
            return 1
        if self._delimiter != ";":
            return _ending(self._tokens, number, self._delimiter)
        if token.word != ";" or self._opened or self._to_batch_end:
            return 0
        if not self._to_own_end or self._closed:
            return 1
        following = self._tokens[number + 1].word if number + 1 < len(self._tokens) else ""
        return int(not self._is_package and (len(self.blocks) >= self._routines or following in _BEHIND))


def _without_delimiter(tokens: Sequence[Token], delimiter: str) -> list[Token]:
    """Return tokens in which a delimiter that stands right behind a word, as in END$$, is one of its own."""
    parted: list[Token] = []
    for token in tokens:
        end = token.span.end - len(delimiter)
        if token.word.endswith(delimiter) and token.word[0].isalpha() and end > token.span.start:
            parted += [Token(token.word[: -len(delimiter)], Span(token.span.start, end))]
            parted += [Token(sign, Span(end + n, end + n + 1)) for n, sign in enumerate(delimiter)]
        else:
            parted.append(token)
    return parted


def _ending(tokens: Sequence[Token], number: int, delimiter: str) -> int:
    """Return how many tokens make up a delimiter of several signs at a place, 0 where they do not."""
    size, end = 0, number
    while size < len(delimiter) and end < len(tokens):
        if tokens[end].word[:1] != delimiter[size] or (
            end > number and tokens[end].span.start != tokens[end - 1].span.end
        ):
            return 0
        size += tokens[end].span.end - tokens[end].span.start
        end += 1
    return end - number if size == len(delimiter) else 0


def _delimiter(tokens: Sequence[Token], number: int) -> tuple[str, int]:
    """Return the delimiter that a line sets, and the number of the token after it."""
    end = number + 1
    while end < len(tokens) and (end == number + 1 or tokens[end].span.start == tokens[end - 1].span.end):
        end += 1
    signs = [token.word[:1] * (token.span.end - token.span.start) for token in tokens[number + 1 : end]]
    return "".join(signs) or ";", end


def declarations_of(source: str, found: Sequence[Statement]) -> list[Declaration]:
    """Return what statements create, by name."""
    made = []
    for statement in found:
        name = _name(source, statement)
        if name:
            made.append(Declaration(name=name, span=statement.span))
    return made


def _name(source: str, statement: Statement) -> str:
    kind = statement.creates
    if not kind:
        return ""
    place = next(number for number, token in enumerate(statement.tokens) if number and token.word == kind) + 1
    while place < len(statement.tokens) and statement.tokens[place].word in _NO_NAME:
        place += 1
    if place >= len(statement.tokens) or statement.tokens[place].word in ("(", "ON"):
        return ""
    start = end = statement.tokens[place].span.start
    for token in statement.tokens[place:]:
        if token.span.start != end or token.word == "(":
            break
        end = token.span.end
    return _BARE.sub("", source[start:end])


def parts_of(source: str, found: Sequence[Statement], dialect: str) -> Iterator[Part]:
    """Yield what can be left out of statements, in order, the outer before the inner."""
    lines = Lines(source)
    for statement in found:
        parts = [*_bodies(source, statement, dialect, lines), *_lists(statement)]
        yield from sorted(parts, key=lambda part: (part.span.start, -part.span.end))


def _bodies(source: str, statement: Statement, dialect: str, lines: Lines) -> Iterator[Part]:
    """Yield the bodies of a routine: dollar quotes, a string behind AS, blocks, or all behind AS."""
    routine = statement.is_routine
    if not routine and statement.tokens[0].word != "DO":
        return
    tokens = statement.tokens
    for number, token in enumerate(tokens):
        if token.word in ("$", "'") and number and tokens[number - 1].word in ("AS", "DO", "IS"):
            part = _quoted(source, token, lines)
            if part is not None:
                yield part
    for begin, end in statement.blocks if routine else ():
        yield _commented(source, Span(_opening(tokens, begin).span.end, tokens[end].span.start), lines)
    if dialect == "tsql" and routine and not (statement.blocks and tokens[statement.blocks[0][0] - 1].word == "AS"):
        yield from _behind_as(source, tokens, lines)


def _opening(tokens: Sequence[Token], begin: int) -> Token:
    """Return the last of the words that a block begins with, such as BEGIN TRY or BEGIN ATOMIC WITH (…)."""
    words = [token.word for token in tokens[begin : begin + 5]]
    if words[1:2] in (["TRY"], ["CATCH"]):
        return tokens[begin + 1]
    atomic = begin + 1 + (words[1:2] == ["NOT"])
    if tokens[atomic].word != "ATOMIC":
        return tokens[begin]
    options = tokens[atomic + 1 : atomic + 3]
    if [token.word for token in options] == ["WITH", "("]:
        atomic = _brackets(tokens).get(atomic + 2, atomic)
    return tokens[atomic]


def _commented(source: str, span: Span, lines: Lines) -> Part:
    """Return what stands in a span, but for the blanks around it, as a part in whose place a comment can stand."""
    text = source[span.start : span.end]
    start = span.start + len(text) - len(text.lstrip())
    inside = Span(start, max(start, span.end - len(text) + len(text.rstrip())))
    created = partial(_created, source, inside)
    return Part(span=inside, before="/* ", after=" */", count=lines.count(inside), inside=created)


def _created(source: str, span: Span) -> list[str]:
    """Return the names of what is created inside a body, which may be the text of another language."""
    return [_BARE.sub("", found.group(1)) for found in _CREATE.finditer(source, span.start, span.end)]


_CREATE = re.compile(
    r"\bcreate\s+(?:(?:or\s+(?:replace|alter)|global|local|temp|temporary|unlogged|unique|clustered)\s+)*"
    r"(?:table|view|index|type|sequence|function|procedure|proc|trigger)\s+(?:if\s+not\s+exists\s+)?"
    r"([\w$#\"\[`][\w$#.\"\[\]`]*)",
    re.IGNORECASE,
)
_BARE = re.compile(r"[\"\[\]`]")
"""Signs that names are quoted by."""


def _quoted(source: str, token: Token, lines: Lines) -> Part | None:
    """Return the text between the quotes of a token as a part, None where that is not to be told."""
    start, end = token.span
    quote = _QUOTE.match(source, start, end)
    if quote is None or end - len(quote.group(1)) < quote.end():
        return None
    return _commented(source, Span(quote.end(), end - len(quote.group(1))), lines)


_QUOTE = re.compile(r"[A-Za-z]{0,2}(\$\w*\$|'''|\"{3}|'|\")")
"""What a text begins with: letters that say how it is read, and the quote that it ends with, too."""


def _behind_as(source: str, tokens: Sequence[Token], lines: Lines) -> Iterator[Part]:
    """Yield what stands behind the AS of a routine that has no block around its statements."""
    depth = 0
    for number, token in enumerate(tokens):
        depth += (token.word == "(") - (token.word == ")")
        if token.word == "AS" and not depth and number + 1 < len(tokens):
            following = tokens[number + 1].word
            if following == "RETURN" and number + 2 < len(tokens) and tokens[number + 2].word == "(":
                close = _brackets(tokens).get(number + 2, number + 2)
                yield _commented(source, Span(tokens[number + 2].span.end, tokens[close].span.start), lines)
                return
            elif following in _STATEMENTS:
                inside = Span(tokens[number + 1].span.start, tokens[-1].span.end)
                yield Part(
                    span=inside,
                    before="BEGIN /* ",
                    after=" */ END",
                    count=lines.count(inside),
                    inside=partial(_created, source, inside),
                )
                return


_STATEMENTS = frozenset({
    "BEGIN", "DECLARE", "DELETE", "EXEC", "EXECUTE", "IF", "INSERT", "MERGE", "PRINT", "RETURN", "SELECT", "SET",
    "TRUNCATE", "UPDATE", "WHILE", "WITH",
})  # fmt: skip
"""Words that a statement begins with, as the name of a type behind AS does not."""


def _lists(statement: Statement) -> Iterator[Part]:
    """Yield the rest of long lists: the rows behind the first one of VALUES, the values behind the first one of IN."""
    tokens = statement.tokens
    opened = [n for n, token in enumerate(tokens[:-1]) if token.word in ("VALUES", "IN") and tokens[n + 1].word == "("]
    brackets = _brackets(tokens) if opened else {}
    for number in opened:
        if tokens[number].word == "VALUES":
            yield from _rows(tokens, number + 1, brackets)
        else:
            yield from _values(tokens, number + 1, brackets)


def _rows(tokens: Sequence[Token], number: int, brackets: Mapping[int, int]) -> Iterator[Part]:
    ends = []
    while number < len(tokens) and tokens[number].word == "(":
        close = brackets.get(number)
        if close is None:
            return
        ends.append(tokens[close].span.end)
        more = close + 2 < len(tokens) and tokens[close + 1].word == "," and tokens[close + 2].word == "("
        number = close + 2 if more else len(tokens)
    if len(ends) > 1 and ends[-1] - ends[0] >= _LONG:
        yield Part(span=Span(ends[0], ends[-1]), before=" /* ", after=" */", count=len(ends) - 1, what="rows")


def _values(tokens: Sequence[Token], number: int, brackets: Mapping[int, int]) -> Iterator[Part]:
    close = brackets.get(number)
    commas = [] if close is None else _commas(tokens, number, close, brackets)
    if close and commas and tokens[close].span.start - tokens[commas[0]].span.start >= _LONG:
        span = Span(tokens[commas[0]].span.start, tokens[close - 1].span.end)
        yield Part(span=span, before=" /* ", after=" */", count=len(commas), what="values")


def _commas(tokens: Sequence[Token], number: int, close: int, brackets: Mapping[int, int]) -> list[int]:
    """Return the numbers of the commas between the values of a list, none where it is a query or holds calls."""
    found = []
    place = number + 1
    while place < close:
        word, before = tokens[place].word, tokens[place - 1].word
        if word in ("SELECT", "WITH") or (word == "(" and (before not in ("(", ",") or place not in brackets)):
            return []
        if word == ",":
            found.append(place)
        place = brackets[place] + 1 if word == "(" else place + 1
    return found


def _brackets(tokens: Sequence[Token]) -> dict[int, int]:
    """Return the number of the bracket that closes each one that is closed."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for number, token in enumerate(tokens):
        if token.word == "(":
            opened.append(number)
        elif token.word == ")" and opened:
            found[opened.pop()] = number
    return found
