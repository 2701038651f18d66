"""Stable prefixes: how much of a conversation stays byte for byte for a prompt cache, and what would break it.

Keeping the prefix stable was the idea of Headroom's cache aligner (Apache-2.0); form and code are our own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from catalog.crusher.checking import shown
from catalog.crusher.conversation import Message
from catalog.crusher.estimate import text_tokens

Count = Callable[[str], int]
"""Gives the tokens of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheProfile:
    """How a vendor's prompt cache works, and what it costs.

    Attributes:
        name: what the profile is called.
        minimum_tokens: tokens below which a prefix is not cached.
        breakpoints: how many marks of the end of a prefix a request may carry; 0 where the cache finds it by itself.
        look_back: messages before a mark that are searched for a prefix cached earlier; 0 where there is no limit.
        ttl_seconds: how long an entry lives after its last use.
        read: price of a token that is read from the cache, as a share of the plain price.
        write: price of a token that is written to it, as a share of the plain price.
        source: where this is said.
        as_of: the day it was said, as ISO 8601.
    """

    name: str
    minimum_tokens: int
    breakpoints: int
    look_back: int = 0
    ttl_seconds: int = 300
    read: float
    write: float
    source: str = ""
    as_of: str = ""

    def __post_init__(self) -> None:
        for name in ("minimum_tokens", "breakpoints", "look_back", "ttl_seconds"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} of the cache profile {self.name!r} is {getattr(self, name)}: at least 0")
        if not 0 <= self.read <= self.write:
            raise ValueError(f"the cache profile {self.name!r} reads at {self.read} and writes at {self.write}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something in a stable message that is likely to differ the next time.

    Attributes:
        code: ``uuid``, ``time``, ``jwt``, ``hash``, ``unordered-keys`` or ``reserialised-json``.
        path: where, such as ``$[0].content``.
        offset: characters before it in the text; 0 for what is no text.
        text: what it is, shortened.
    """

    code: str
    path: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Where a request should mark the end of a prefix.

    Attributes:
        index: of the message that the prefix ends with.
        tokens: of the prefix.
    """

    index: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A conversation cut where it stops being stable.

    Attributes:
        stable: the longest leading run of messages that are.
        volatile: the others, stable ones behind the first volatile one among them.
        boundary: how many are stable.
        chars: of their JSON as it is sent, keys in their order.
        tokens: the same in tokens.
        sha256: of the same.
        breakpoints: where to mark prefixes for the cache, the last one first.
        findings: what would break the cache, in the order of the messages.
    """

    stable: tuple[Message, ...]
    volatile: tuple[Message, ...]
    boundary: int
    chars: int
    tokens: int
    sha256: str
    breakpoints: tuple[Breakpoint, ...]
    findings: tuple[Finding, ...]


def partition_stable_prefix(
    messages: Sequence[Message],
    is_stable: Callable[[Message, int], bool],
    *,
    profile: CacheProfile | None = None,
    count: Count | None = None,
) -> Partition:
    """Return a conversation cut behind the last message of its stable prefix; the messages are not changed.

    Args:
        messages: the messages, in order.
        is_stable: says of a message and its number whether it is the same in the next request.
        profile: the cache that breakpoints are suggested for; none without.
        count: gives the tokens of a text; estimated without.

    Raises:
        ValueError: for a message that is no object.
    """
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise ValueError(f"message {number} is {type(message).__name__}, not an object")
    boundary = leading(messages, is_stable)
    stable = tuple(messages[:boundary])
    sent = [serialised(message) for message in stable]
    sizes = [(count or _estimated)(text) for text in sent]
    whole = "\n".join(sent)
    return Partition(
        stable=stable,
        volatile=tuple(messages[boundary:]),
        boundary=boundary,
        chars=len(whole),
        tokens=sum(sizes),
        sha256=hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest(),
        breakpoints=() if profile is None else breakpoints(stable, sizes, profile),
        findings=tuple(found for number, message in enumerate(stable) for found in findings(message, number)),
    )


def leading(messages: Sequence[Message], is_stable: Callable[[Message, int], bool]) -> int:
    """Return how many messages at the beginning are stable."""
    return next((n for n, message in enumerate(messages) if not is_stable(message, n)), len(messages))


def serialised(message: Message) -> str:
    """Return a message as it is sent: minified JSON, keys in their order."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=dict)


def _estimated(text: str) -> int:
    return round(text_tokens(text))


def breakpoints(stable: Sequence[Message], sizes: Sequence[int], profile: CacheProfile) -> tuple[Breakpoint, ...]:
    """Return where to mark prefixes of stable messages, the last one first.

    One mark stands at the end; one behind the system messages, which other conversations share; the others so that a
    mark of the request before is found within the messages that the cache looks back. A prefix below the least that is
    cached has none.

    Args:
        stable: the messages.
        sizes: tokens of each.
        profile: the cache.
    """
    taken = list(accumulate(sizes))
    system = next((n for n, one in enumerate(stable) if one.get("role") not in ("system", "developer")), len(stable))
    places = [len(stable) - 1, system - 1]
    if profile.look_back:
        places += range(len(stable) - 1 - profile.look_back, -1, -profile.look_back)
    wanted = [place for place in dict.fromkeys(places) if place >= 0 and taken[place] >= profile.minimum_tokens]
    chosen = sorted(wanted[: profile.breakpoints], reverse=True)
    return tuple(Breakpoint(index=place, tokens=taken[place]) for place in chosen)


_PATTERNS = (
    ("jwt", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")),
    ("uuid", re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")),
    ("time", re.compile(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")),
    ("hash", re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{32,128}\b")),
)
_SHOWN = 40
"""Characters of what was found that are shown."""


def findings(message: Message, number: int) -> Iterator[Finding]:
    """Yield what in a message is likely to differ the next time it is made."""
    work: list[tuple[tuple[Any, ...], Any]] = [((number,), message)]
    while work:
        path, value = work.pop()
        if isinstance(value, str):
            yield from _in_text(value, path)
        elif isinstance(value, Mapping):
            if len(path) > 1 and not _is_block(value) and list(value) != sorted(value):
                yield _finding("unordered-keys", path, 0, ", ".join(map(str, value)))
            work += [((*path, key), item) for key, item in reversed(list(value.items()))]
        elif isinstance(value, list | tuple):
            work += [((*path, step), item) for step, item in reversed(list(enumerate(value)))]


def _is_block(value: Mapping[str, Any]) -> bool:
    """Return whether an object is part of the message itself, whose keys the vendor's client puts in order."""
    return bool({"type", "role", "function"} & value.keys()) or {"name", "arguments"} == value.keys()


def _in_text(text: str, path: tuple[Any, ...]) -> Iterator[Finding]:
    found = [_finding(code, path, own.start(), own.group()) for code, sign in _PATTERNS for own in sign.finditer(text)]
    yield from sorted(found, key=lambda one: one.offset)
    begins = text.lstrip()[:1]
    if begins in ("{", "["):
        yield from _in_json(text, path)


def _in_json(text: str, path: tuple[Any, ...]) -> Iterator[Finding]:
    """Yield what in a text that is JSON is as only one serializer, or one order of keys, writes it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    signs = _STRING.sub("", text)
    if any(len({bool(own.group(1)) for own in sign.finditer(signs)}) > 1 for sign in _SEPARATORS):
        yield _finding("reserialised-json", path, 0, text)
    if json.dumps(value) != json.dumps(value, sort_keys=True):
        yield _finding("unordered-keys", path, 0, text)


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SEPARATORS = (re.compile(r":(\s*)"), re.compile(r",(\s*)"))
"""A serializer writes each of them in one way."""


def _finding(code: str, path: tuple[Any, ...], offset: int, text: str) -> Finding:
    short = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    return Finding(code=code, path=shown(("", *path)), offset=offset, text=short)
