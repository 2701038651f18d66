"""Checks of texts: what takes tokens and says little: examples, repetitions, shouting, what stands elsewhere better."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from catalog.crusher.code.lines import Lines
from catalog.renderer.checks.estates import Estate
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.interfaces import fields_of
from catalog.renderer.places import Place
from catalog.renderer.sources import Source
from catalog.renderer.tags import tags, without

FENCED_SHARE = 0.4
"""Share of a file's text that may stand in fenced blocks."""
FENCED_LEAST = 1_000
"""Characters of a file below which its share is not looked at: a short prompt may be one example."""
FENCED_LINES = 60
"""Lines of a fenced block."""
GUARDRAILS, GUARDRAIL_WORDS = 3.0, 60
"""Guardrails in a hundred words, and words below which they are not counted."""
SENTENCE_WORDS = 8
"""Words from which a sentence that is said twice is told: shorter ones are phrases."""
_Fields = Mapping[str, tuple[frozenset[str], frozenset[str]]]
"""Of each type its own fields, and those of all that it refers to."""
_OWN_KEYS = 2
"""Keys of an example that a type itself must have: what stands in it may stand in many."""
KEYS, KEYS_SHARE = 3, 0.7
"""Keys of an example from which it is compared with types, and the share of them that a type must have."""

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>```+|~~~+)[^\n]*\n(?P<body>.*?)(?:^(?P=indent)(?P=fence)[`~]*[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""A fenced block; one that is not closed ends with the file."""
_OBJECT = re.compile(r"^[ \t]*(?P<object>\{\s*\"(?:.+\n?)+)", re.MULTILINE)
"""JSON outside of a fenced block: from a brace at the beginning of a line to the next blank line."""
_KEY = re.compile(r'"([A-Za-z_][\w-]*)"\s*:')
_SHOUTED = re.compile(
    r"\b(?:MUST(?: NOT)?|NEVER|ALWAYS|CRITICAL|IMPORTANT|DO NOT|FORBIDDEN|STRICTLY|UNDER NO CIRCUMSTANCES)\b"
)
_SENTENCE = re.compile(r"[^.!?:;\n]+[.!?:;]?")
_WRAPPED = re.compile(r"(?<=\S)\n(?=[ \t]*[^\s\-*#>|`~\d])")
"""A line break inside of a paragraph."""
_TIERS = re.compile(
    r"\b(?:frontier|flagship|state-of-the-art|top-tier|mid-tier|low-tier|weak(?:er)?|small(?:er)?|light(?:weight)?|"
    r"strong(?:er)?|larger|bigger|cheap(?:er)?|powerful|tiny) (?:language )?(?:models?|LLMs?)\Z",
    re.IGNORECASE,
)
_MODEL = re.compile(r"\b(?:[Mm]odels?|MODELS?|LLMs?|SOTA)\b")
_BEFORE_MODEL = len("state-of-the-art language ")
"""Characters before the word in which one for a tier may stand."""
_LEAD = re.compile(
    r"^\W*(?:(?:please|remember|note|again|also|important|always|as said(?: before)?|keep in mind|be aware|"
    r"never forget|do not forget|make sure|it is important)\b\W*(?:that\b|to\b)?\W*)+"
)
"""What a sentence that is said again is led in with."""
_WORD = re.compile(r"\w+")
_SIGN = re.compile(r"[^\n]")
_TOLD = re.compile(r"\b(?:call|use|invoke|run|before|after|always|never|must|then|first)\b", re.IGNORECASE)


class _Text(NamedTuple):
    """The body of a file: its text, its lines, and how many stand before them."""

    text: str
    lines: Lines
    before: int


def _body(source: Source) -> _Text:
    text = "\n".join(source.text.split("\n")[source.front.length :])
    return _Text(text, Lines(text), source.front.length)


def _place(source: Source, body: _Text, offset: int) -> Place:
    number = body.lines.number(offset)
    return Place(source.file, body.before + number, offset - body.lines.starts[number - 1] + 1)


def _finding(code: str, source: Source, body: _Text, offset: int, message: str) -> Finding:
    return Finding(rule=RULES[code], place=_place(source, body, offset), message=message)


class _Said(NamedTuple):
    """Where a sentence stands, and in which branches of which conditions of its file."""

    place: Place
    branches: Mapping[int, int]

    def is_beside(self, other: _Said) -> bool:
        """Return whether both may be read at once: no condition of one file has them on different sides."""
        is_apart = self.place.file == other.place.file and any(
            other.branches.get(condition, side) != side for condition, side in self.branches.items()
        )
        return not is_apart


class _Branches:
    """The sides of conditions that each part of a text is on."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = [0]
        self._sides: list[dict[int, int]] = [{}]
        open_: list[tuple[int, int] | None] = []
        for number, tag in enumerate(tags(text)):
            word = tag.word
            if word in ("if", "for"):
                open_.append((number, 0) if word == "if" else None)
            elif word in ("endif", "endfor"):
                open_ = open_[:-1]
            elif word in ("elif", "else") and open_ and open_[-1] is not None:
                open_[-1] = (open_[-1][0], open_[-1][1] + 1)
            self._starts.append(tag.start)
            self._sides.append(dict(own for own in open_ if own is not None))

    def at(self, offset: int) -> Mapping[int, int]:
        """Return of each condition around an offset the side that it is on."""
        return self._sides[bisect_right(self._starts, offset) - 1]


def texts(estate: Estate) -> Iterator[Finding]:
    """Yield what breaks the rules of texts."""
    fields = {name: (fields_of(shown), _all_fields(shown)) for name, shown in estate.interfaces.items()}
    sentences: dict[str, list[_Said]] = {}
    for source in estate.sources.values():
        body = _body(source)
        yield from _fences(source, body, fields)
        said = without(body.text, "#", _blank)
        yield from _guardrails(source, body, said)
        yield from _tiers(source, body, said)
        yield from _of_actions(source, body, estate)
        yield from _repeated(source, body, sentences)


def _fences(source: Source, body: _Text, fields: _Fields) -> Iterator[Finding]:
    found = list(_FENCE.finditer(body.text))
    share = sum(len(own.group()) for own in found) / max(1, len(body.text))
    if share > FENCED_SHARE and len(body.text) >= FENCED_LEAST:
        yield _finding("P101", source, body, found[0].start(), f"{share:.0%} of the text stands in fenced blocks")
    for own in found:
        lines = own["body"].count("\n")
        if lines > FENCED_LINES:
            yield _finding("P102", source, body, own.start(), f"the block has {lines} lines, more than {FENCED_LINES}")
        yield from _by_hand(source, body, own.start(), own["body"], fields)
    for own in _OBJECT.finditer(_FENCE.sub(_blanked, body.text)):
        yield from _by_hand(source, body, own.start("object"), own["object"], fields)


def _blank(text: str) -> str:
    """Return blanks in the place of a text, its lines kept."""
    return _SIGN.sub(" ", text)


def _blanked(found: re.Match[str]) -> str:
    return _blank(found.group())


def _by_hand(source: Source, body: _Text, at: int, text: str, fields: _Fields) -> Iterator[Finding]:
    """Yield what to say of JSON whose keys are those of a type that can be shown."""
    keys = set(_KEY.findall(text))
    fitting = {
        name: len(keys & all_) / len(keys)
        for name, (own, all_) in fields.items()
        if len(keys) >= KEYS and len(own & keys) >= min(len(own), _OWN_KEYS)
    }
    best = max(fitting, key=lambda name: (fitting[name], name), default=None)
    if best is not None and fitting[best] >= KEYS_SHARE:
        yield _finding("P103", source, body, at, f"this is {best} by hand: show interface('{best}')")


def _all_fields(schema: Any) -> frozenset[str]:
    """Return the names of all fields of a type and of those it refers to."""
    found: set[str] = set()
    work = [schema]
    while work:
        part = work.pop()
        if isinstance(part, Mapping):
            fields = part.get("properties")
            found |= fields.keys() if isinstance(fields, Mapping) else set()
            work += part.values()
        elif isinstance(part, list):
            work += part
    return frozenset(found)


def _guardrails(source: Source, body: _Text, said: str) -> Iterator[Finding]:
    found = list(_SHOUTED.finditer(said))
    words = len(said.split())
    if found and words >= GUARDRAIL_WORDS and 100 * len(found) / words > GUARDRAILS:
        density = 100 * len(found) / words
        message = f"{len(found)} guardrails in {words:,} words, {density:.1f} in a hundred; at most {GUARDRAILS:g}"
        yield _finding("P107", source, body, found[0].start(), message)


def _tiers(source: Source, body: _Text, said: str) -> Iterator[Finding]:
    for model in _MODEL.finditer(said):
        own = _TIERS.search(said, max(0, model.start() - _BEFORE_MODEL), model.end())
        if own is not None or model.group() == "SOTA":
            own = own or model
            yield _finding("P203", source, body, own.start(), f"{own.group()!r} is relative to the day it was written")


def _of_actions(source: Source, body: _Text, estate: Estate) -> Iterator[Finding]:
    """Yield sentences that say how two actions, or one, are to be used."""
    if not estate.actions:
        return
    named = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, estate.actions), key=len, reverse=True))})(?!\w)")
    prose = _WRAPPED.sub(" ", without(body.text, "%{#", lambda text: " " * len(text)))
    for sentence in _SENTENCE.finditer(prose):
        own = named.search(sentence.group())
        if own and _TOLD.search(named.sub(" ", sentence.group())):
            offset = sentence.start() + own.start()
            message = f"how {own.group()!r} is used belongs in its description"
            yield _finding("P106", source, body, offset, message)


def _repeated(source: Source, body: _Text, said: dict[str, list[_Said]]) -> Iterator[Finding]:
    branches = _Branches(body.text)
    prose = _WRAPPED.sub(" ", _FENCE.sub(_blanked, without(body.text, "%{#", _blank)))
    for sentence in _SENTENCE.finditer(prose):
        words = _WORD.findall(sentence.group().lower())
        if len(words) < SENTENCE_WORDS:
            continue
        lead = _LEAD.match(sentence.group().lower())
        words = words[len(_WORD.findall(lead.group())) :] if lead else words
        if len(words) < SENTENCE_WORDS:
            continue
        offset = sentence.start() + len(sentence.group()) - len(sentence.group().lstrip(" \t-*>#"))
        own = _Said(_place(source, body, offset), branches.at(offset))
        before = said.setdefault(" ".join(words), [])
        first = next((other for other in before if own.is_beside(other)), None)
        before.append(own)
        if first is not None:
            where = f"{first.place.file}:{first.place.line}"
            message = f"said at {where} already: {' '.join(sentence.group().split())[:50]}"
            yield Finding(rule=RULES["P105"], place=own.place, message=message)
