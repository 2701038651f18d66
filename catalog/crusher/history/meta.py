"""Meta: what plain messages do not say of themselves: turn, expiry, kind. The default follows from their shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.crusher.conversation import Message, answers, calls, texts

Kind = Literal["system", "user", "assistant", "tool-call", "tool-result", "document"]
Mode = Literal["none", "remove", "compact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What is known of a message beside its text.

    Attributes:
        turn: the turn in which it was added; a turn begins with what the user says.
        expires_after: turns after which it is no longer needed; None for never.
        mode: what becomes of it then.
        kind: what it is.
        is_error: whether it says that something failed.
        protected: whether nothing may become of it, such as the current task.
    """

    turn: int
    expires_after: int | None = None
    mode: Mode = "none"
    kind: Kind = "user"
    is_error: bool = False
    protected: bool = False


MetaOf = Callable[[Message, int], Meta]
"""Gives what is known of a message, by the message and its number."""


def default_meta(messages: Sequence[Message]) -> MetaOf:
    """Return what follows from the messages alone.

    A turn begins with each message of the user that answers no tool call, the first one with turn 1. A message is of
    the kind of its role; one that makes tool calls is a tool call, one that answers some a result. It is an error where
    the shape says so (``is_error``) or its text begins with the word error. Nothing expires; system messages are
    protected.
    """
    turns: list[int] = []
    turn = 0
    for message in messages:
        turn += message.get("role") == "user" and not answers(message)
        turns.append(turn)

    def meta(message: Message, index: int) -> Meta:
        kind = kind_of(message)
        return Meta(turn=turns[index], kind=kind, is_error=_is_error(message), protected=kind == "system")

    return meta


def kind_of(message: Message) -> Kind:
    """Return what a message is by its role, and by the tool calls that it makes or answers."""
    if answers(message):
        return "tool-result"
    if calls(message):
        return "tool-call"
    role = message.get("role")
    return "system" if role in ("system", "developer") else "assistant" if role == "assistant" else "user"


def _is_error(message: Message) -> bool:
    return any(
        place.is_error or (place.result_of and place.text.lstrip()[:5].lower() == "error") for place in texts(message)
    )


def prefix_of(known: Sequence[Meta]) -> int:
    """Return how many messages are the stable prefix where a caller does not say: those before the first tool call."""
    return next((n for n, own in enumerate(known) if own.kind in ("tool-call", "tool-result")), len(known))


def metas(messages: Sequence[Message], meta: MetaOf | None) -> list[Meta]:
    """Return what is known of each message."""
    known = meta or default_meta(messages)
    return [known(message, index) for index, message in enumerate(messages)]
