"""Meta: what plain messages do not say of themselves: turn, expiry, kind. The default follows from their shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from catalog.crusher.checking import check_count
from catalog.crusher.conversation.pairs import answers, calls, pairs_of
from catalog.crusher.conversation.shapes import shape_of
from catalog.crusher.conversation.texts import Message, Place, texts
from catalog.crusher.prefix.partitioning import leading

Kind = Literal["system", "user", "assistant", "tool-call", "tool-result", "document"]
Mode = Literal["none", "remove", "compact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What is known of a message beside its text.

    Attributes:
        turn: the turn in which it was added; a turn begins with what the user says.
        expires_after: turns after which it is no longer needed; None for never.
        mode: what becomes of it then.
        kind: what it is; None where its shape says that, see `default_meta`.
        is_error: whether it says that something failed; None where each of its texts says that, see `is_failure`.
        protected: whether nothing may become of it, such as the current task.
    """

    turn: int
    expires_after: int | None = None
    mode: Mode = "none"
    kind: Kind | None = None
    is_error: bool | None = None
    protected: bool = False

    def __post_init__(self) -> None:
        check_count("turn", self.turn)
        if self.expires_after is not None:
            check_count("expires_after", self.expires_after)
        if self.mode not in get_args(Mode):
            raise ValueError(f"mode {self.mode!r} is unknown; known: {', '.join(get_args(Mode))}")
        if self.kind is not None and self.kind not in get_args(Kind):
            raise ValueError(f"kind {self.kind!r} is unknown; known: {', '.join(get_args(Kind))}")


MetaOf = Callable[[Message, int], Meta]
"""Gives what is known of a message, by the message and its number."""


def default_meta(messages: Sequence[Message]) -> MetaOf:
    """Return what follows from the messages alone.

    A turn begins with each message in which the user says something, the first one with turn 1. A message is of
    the kind of its role; one that makes tool calls is a tool call, one that answers some a result. Nothing expires;
    system messages are protected.
    """
    turns: list[int] = []
    turn = 0
    for message in messages:
        said = any(not place.result_of for place in texts(message)) or not answers(message)
        turn += message.get("role") == "user" and said
        turns.append(turn)

    def meta(message: Message, index: int) -> Meta:
        kind = kind_of(message)
        return Meta(turn=turns[index], kind=kind, protected=kind == "system")

    return meta


def kind_of(message: Message) -> Kind:
    """Return what a message is by its role, and by the tool calls that it makes or answers."""
    if answers(message):
        return "tool-result"
    if calls(message):
        return "tool-call"
    role = message.get("role")
    return "system" if role in ("system", "developer") else "assistant" if role == "assistant" else "user"


def is_failure(place: Place) -> bool:
    """Return whether a tool's output says that it failed."""
    return place.is_error or bool(_FAILED.match(place.text))


_FAILED = re.compile(r"\s*(?:\w*error\b|traceback\b|fatal\b|exception\b)", re.IGNORECASE)
"""How outputs begin that say so without a flag."""


def boundary_of(
    messages: Sequence[Message], known: Sequence[Meta], is_stable: Callable[[Message, int], bool] | None
) -> int:
    """Return how many messages are the stable prefix: those before the assistant's first, unless a caller says."""
    if is_stable is not None:
        return leading(messages, is_stable)
    return next((n for n, own in enumerate(known) if own.kind in _OF_ASSISTANT), len(known))


_OF_ASSISTANT = ("assistant", "tool-call", "tool-result")


def latest_turn(known: Sequence[Meta]) -> int:
    """Return the turn of the last message; 0 where there is none."""
    return max((own.turn for own in known), default=0)


def metas(messages: Sequence[Message], meta: MetaOf | None, shape: str | None = None) -> list[Meta]:
    """Return what is known of each of some messages, which are checked; what their shape says is filled in.

    System messages are protected.

    Raises:
        ValueError: for messages that are of no known shape, or answer a tool call that is not there.
        TypeError: for a meta that is none.
    """
    shape_of(messages, shape)
    pairs_of(messages)
    by_shape = default_meta(messages)
    found = []
    for index, message in enumerate(messages):
        seen = by_shape(message, index)
        own = seen if meta is None else meta(message, index)
        if not isinstance(own, Meta):
            raise TypeError(f"the meta of message {index} is {own!r:.60}, not a Meta")
        found.append(
            replace(
                own,
                kind=own.kind or seen.kind,
                protected=own.protected or seen.kind == "system",
            )
        )
    return found
