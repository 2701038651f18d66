"""Sending: a message as it goes over the wire, and about how many tokens it takes there."""

from __future__ import annotations

import json
from collections.abc import Mapping

from catalog.crusher.conversation.texts import Message
from catalog.tokens import estimate


def serialised(message: Message) -> str:
    """Return a message as it is sent: minified JSON, keys in their order.

    Raises:
        ValueError: for what JSON cannot hold, and for what is nested too deeply for any client to send it.
    """
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=_plain)
    except TypeError as error:
        raise ValueError(f"a message of the role {message.get('role')!r} holds no JSON: {error}") from None
    except RecursionError:
        raise ValueError(f"a message of the role {message.get('role')!r} is nested too deeply to be sent") from None


def _plain(value: object) -> dict[object, object]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r:.40} is of the kind {type(value).__name__}")


def tokens_of(message: Message) -> int:
    """Return about how many tokens a message takes."""
    return estimate(serialised(message))
