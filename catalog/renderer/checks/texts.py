"""Checks of texts: what takes tokens and says little: examples, repetitions, shouting, what stands elsewhere better."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from catalog.renderer.checks.estates import Estate
from catalog.renderer.checks.rules import RULES, Finding
from catalog.renderer.interfaces import fields_of
from catalog.renderer.places import Place
from catalog.renderer.sources import Source
from catalog.renderer.tags import Tag

FENCED_SHARE = 0.4
"""Share of a file's text that may stand in fenced blocks."""
FENCED_LEAST = 1_000
"""Characters of a file, blanks left out, below which its share is not looked at: a short prompt may be one example."""
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
_LOUD = re.compile("[A-Z]{2,}")
"""Where a guardrail may begin."""
_SHOUTED = re.compile(
    r"\b(?:MUST(?: NOT)?|NEVER|ALWAYS|CRITICAL|IMPORTANT|DO NOT|FORBIDDEN|STRICTLY|UNDER NO CIRCUMSTANCES)\b"
)
_SENTENCE = re.compile(r"[^.!?:;\n]+[.!?:;]?")
_WRAPPED = re.compile(r"\n(?=[ \t]*[^\s\-*#>|`~\d])")
"""A line break inside of a paragraph."""
_GAP = r"[ \t]*[ \t\n][ \t]*"
_TIERS = re.compile(
    r"\b(?:frontier|flagship|state-of-the-art|top-tier|mid-tier|low-tier|weak(?:er)?|small(?:er)?|light(?:weight)?|"
    rf"strong(?:er)?|larger|bigger|cheap(?:er)?|powerful|tiny){_GAP}(?:language{_GAP})?(?:models?|LLMs?)\Z",
    re.IGNORECASE,
)
_MODEL = re.compile(r"[MmLlS](?<=\b.)(?:odels?|ODELS?|[Ll][Mm]s?|OTA)\b")
"""The word that ends what may be one for a tier, and some that are none."""
_BEFORE_MODEL = 2 * len("state-of-the-art language ")
"""Characters before the word in which one for a tier may stand."""
_LEAD = re.compile(
    r"^\W*(?:(?:please|remember|note|again|also|important|always|as said(?: before)?|keep in mind|be aware|"
    r"never forget|do not forget|make sure|it is important)\b\W*(?:that\b|to\b)?\W*)+"
)
"""What a sentence that is said again is led in with."""
_SIGNS = re.compile(r"[^\w\s]+")
_TOLD = re.compile(r"\b(?:call|use|invoke|run|before|after|always|never|must|then|first)\b", re.IGNORECASE)


def _finding(code: str, source: Source, offset: int, message: str) -> Finding:
    return Finding(rule=RULES[code], place=source.place(offset), message=message)


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

    def __init__(self, tags: Iterable[Tag]) -> None:
        self._starts: list[int] = [0]
        self._sides: list[dict[int, int]] = [{}]
        open_: list[tuple[int, int] | None] = []
        for number, tag in enumerate(tags):
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
        yield from _fences(source, fields)
        said = source.body(without="#")
        yield from _guardrails(source, said)
        yield from _tiers(source, said)
        prose = source.body(without="%{#")
        yield from _of_actions(source, prose, estate.actions)
        yield from _repeated(source, prose, sentences)


def _fences(source: Source, fields: _Fields) -> Iterator[Finding]:
    body = source.body(without="#")
    found = list(_FENCE.finditer(body))
    size = _size(body) if found else 0
    share = sum(_size(own.group()) for own in found) / max(1, size)
    if share > FENCED_SHARE and size >= FENCED_LEAST:
        yield _finding("P101", source, found[0].start(), f"{share:.0%} of the text stands in fenced blocks")
    for own in found:
        lines = own["body"].count("\n")
        if lines > FENCED_LINES:
            yield _finding("P102", source, own.start(), f"the block has {lines} lines, more than {FENCED_LINES}")
        yield from _by_hand(source, own.start(), own["body"], fields)
    for own in _OBJECT.finditer(_FENCE.sub(_blank, body)):
        yield from _by_hand(source, own.start("object"), own["object"], fields)


def _size(text: str) -> int:
    """Return how many characters of a text are no blanks."""
    return len("".join(text.split()))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _by_hand(source: Source, at: int, text: str, fields: _Fields) -> Iterator[Finding]:
    """Yield what to say of JSON whose keys are those of a type that can be shown."""
    keys = set(_KEY.findall(text))
    fitting = {
        name: len(keys & all_) / len(keys)
        for name, (own, all_) in fields.items()
        if len(keys) >= KEYS and len(own & keys) >= min(len(own), _OWN_KEYS)
    }
    best = max(fitting, key=lambda name: (fitting[name], name), default=None)
    if best is not None and fitting[best] >= KEYS_SHARE:
        yield _finding("P103", source, at, f"this is {best} by hand: show interface('{best}')")


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


def _guardrails(source: Source, said: str) -> Iterator[Finding]:
    found = [own for loud in _LOUD.finditer(said) if (own := _SHOUTED.match(said, loud.start()))]
    words = len(said.split())
    if found and words >= GUARDRAIL_WORDS and 100 * len(found) / words > GUARDRAILS:
        density = 100 * len(found) / words
        message = f"{len(found)} guardrails in {words:,} words, {density:.1f} in a hundred; at most {GUARDRAILS:g}"
        yield _finding("P107", source, found[0].start(), message)


def _tiers(source: Source, said: str) -> Iterator[Finding]:
    for model in _MODEL.finditer(said):
        own = _TIERS.search(said, max(0, model.start() - _BEFORE_MODEL), model.end())
        if own is not None or model.group() == "SOTA":
            own = own or model
            yield _finding(
                "P203", source, own.start(), f"{' '.join(own.group().split())!r} is relative to the day it was written"
            )


def _of_actions(source: Source, prose: str, actions: Collection[str]) -> Iterator[Finding]:
    """Yield sentences that say how two actions, or one, are to be used."""
    if not actions:
        return
    named = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, actions), key=len, reverse=True))})(?!\w)")
    for sentence in _SENTENCE.finditer(_WRAPPED.sub(" ", prose)):
        own = named.search(sentence.group())
        if own and _TOLD.search(named.sub(" ", sentence.group())):
            offset = sentence.start() + own.start()
            message = f"how {own.group()!r} is used belongs in its description"
            yield _finding("P106", source, offset, message)


def _repeated(source: Source, prose: str, said: dict[str, list[_Said]]) -> Iterator[Finding]:
    branches = _Branches(source.tags)
    for sentence in _SENTENCE.finditer(_WRAPPED.sub(" ", _FENCE.sub(_blank, prose))):
        text = sentence.group()
        words = _words(text)
        if len(words) < SENTENCE_WORDS:
            continue
        offset = sentence.start() + len(text) - len(text.lstrip(" \t-*>#"))
        own = _Said(source.place(offset), branches.at(offset))
        before = said.setdefault(" ".join(words), [])
        first = next((other for other in before if own.is_beside(other)), None)
        before.append(own)
        if first is not None:
            where = f"{first.place.file}:{first.place.line}"
            message = f"said at {where} already: {' '.join(text.split())[:50]}"
            yield Finding(rule=RULES["P105"], place=own.place, message=message)


def _words(sentence: str) -> list[str]:
    """Return the words of a sentence without those that it is led in with."""
    small = sentence.lower()
    lead = _LEAD.match(small)
    return _SIGNS.sub(" ", small[lead.end() :] if lead else small).split()
