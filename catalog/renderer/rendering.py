"""Renderings: the messages for one candidate, what they depend on, and how they are sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.crusher.prefix.profiles import CacheProfile
from catalog.errors import UsageError
from catalog.renderer.hashing import hash_of
from catalog.renderer.messages import Message
from catalog.renderer.places import Place
from catalog.renderer.segments import ALONE, Segment
from catalog.renderer.thresholds import Met
from catalog.selector.candidates import Candidate
from catalog.tokens import TokenCount, Tokenizer, counted, family_of, tokenizer


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A prompt, written for one candidate.

    Attributes:
        prompt: name of its file.
        candidate: whom it is written for.
        messages: system prompt, history, state of the run, in the order in which they are sent.
        segments: of the system prompt and of the state, in order.
        thresholds: comparisons with the rank that were met, with the side and the claim.
        placement: ``system_prompt`` or ``trailing_message``: where the specialization is; None where there is none.
        state_mode: ``replace`` or ``append``: what becomes of the states of earlier turns; hand it in the next time.
        tools: definitions of tools, in order of their names: ``name``, ``description``, ``parameters``, ``strict``.
        power_rank: of the model; None where it is unranked and no prompt asks.
        head: hash of the catalog's last change when the candidate was chosen; '' where that is not known.
        cache: how the vendor's prompt cache works; None where that is not known.
        memo_key: two renderings of one prompt whose keys are equal have equal texts; the history is no part of it.
        sha256: of all that is sent.
    """

    prompt: str
    candidate: Candidate
    messages: tuple[Message, ...]
    segments: tuple[Segment, ...]
    thresholds: tuple[Met, ...]
    placement: str | None
    state_mode: str
    tools: tuple[Mapping[str, Any], ...] = ()
    power_rank: int | None
    head: str
    cache: CacheProfile | None = field(default=None, repr=False)
    memo_key: str
    sha256: str

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages behind the system prompt: with the answer, the history of the next turn."""
        return tuple(own for own in self.messages if not own.is_prompt)

    def to_anthropic(self) -> dict[str, Any]:
        """Return a request of Anthropic's Messages, with marks for its cache.

        ``max_tokens`` is missing, and ``model`` where the catalog does not know the vendor's name of it.
        """
        from catalog.renderer.adapters import anthropic

        return anthropic.request(self)

    def to_openai(self) -> dict[str, Any]:
        """Return a request of Chat Completions."""
        from catalog.renderer.adapters import openai

        return openai.request(self)

    def to_gemini(self) -> dict[str, Any]:
        """Return a request of Gemini's generateContent."""
        from catalog.renderer.adapters import gemini

        return gemini.request(self)


def hash_of_request(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> str:
    """Return the SHA-256 of messages and tools.

    Raises:
        UsageError: for what cannot be sent as UTF-8.
    """
    told = [[own.role, *map(_told, own.content)] for own in messages]
    text = json.dumps([told, list(tools)], ensure_ascii=False, default=_told)
    if not text.isascii() and ALONE.search(text):
        raise UsageError("history or tools have half of a surrogate pair, which is no UTF-8", hint="Leave it out.")
    return hash_of(text)


def _told(content: Any) -> Any:
    """Return what stands for a content in a hash: of a text its own hash."""
    if isinstance(content, Segment):
        return content.sha256
    if isinstance(content, Mapping):
        return dict(content)
    return [type(content).__name__, *(getattr(content, name) for name in content.__dataclass_fields__)]


def count(rendering: Rendering, own: Tokenizer | None = None) -> TokenCount:
    """Return how many tokens the texts and tools of a rendering take; what a vendor adds around them is not known.

    Args:
        rendering: the rendering.
        own: counts; by default what counts the model's vocabulary best, see `tokens.tokenizer`.
    """
    model = rendering.candidate.model
    chosen = tokenizer(family_of(model.slug, model.tokenizer)) if own is None else own
    tools = json.dumps(list(rendering.tools), ensure_ascii=False) if rendering.tools else ""
    return counted([*(_written(message) for message in rendering.messages), tools], chosen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where two renderings part.

    Attributes:
        message: number of the message; -1 for the tools, which are sent first.
        offset: bytes of it, as UTF-8, before the first that differs.
        place: the template line that made it; None for what no template says.
        before: what the first says from there on, shortened.
        after: what the second says.
    """

    message: int
    offset: int
    place: Place | None
    before: str
    after: str


_SHOWN = 40
"""Characters that a difference shows."""


def diff(a: Rendering, b: Rendering) -> Difference | None:
    """Return where two renderings part first, in the order in which they are sent; None where they are equal.

    A prompt cache holds what stands before it.
    """
    tools = [json.dumps(list(own.tools), ensure_ascii=False) for own in (a, b)]
    if tools[0] != tools[1]:
        return _parted(-1, tools[0], tools[1], None)
    for number in range(max(len(a.messages), len(b.messages))):
        one, other = (own.messages[number] if number < len(own.messages) else None for own in (a, b))
        left, right = _written(one), _written(other)
        if left == right and (one and one.role) == (other and other.role):
            continue
        same = _same(left, right)
        return _parted(number, left, right, _place_at(other, same) or _place_at(one, same))
    return None


def _parted(number: int, left: str, right: str, place: Place | None) -> Difference:
    same = _same(left, right)
    shown = slice(same, same + _SHOWN)
    offset = len(left[:same].encode()) + _same(left[same : same + 1].encode(), right[same : same + 1].encode())
    return Difference(message=number, offset=offset, place=place, before=left[shown], after=right[shown])


def _same(left: Sequence[Any], right: Sequence[Any]) -> int:
    """Return how long the common beginning of two texts is."""
    both = zip(left, right, strict=False)
    return next((n for n, (one, other) in enumerate(both) if one != other), min(len(left), len(right)))


def _written(message: Message | None) -> str:
    """Return all that a message says, as it is compared."""
    if message is None:
        return ""
    texts = (own.text if isinstance(own, Segment) else json.dumps(_told(own), default=_told) for own in message.content)
    return "".join(texts)


def _place_at(message: Message | None, offset: int) -> Place | None:
    for own in message.content if message else ():
        if not isinstance(own, Segment):
            return None
        if offset < len(own.text):
            return own.line_at(offset)
        offset -= len(own.text)
    return None
