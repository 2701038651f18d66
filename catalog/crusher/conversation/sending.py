"""Sending: a message as it goes over the wire, and about how many tokens it takes there."""

from __future__ import annotations

import json

from catalog.crusher.conversation.texts import Message
from catalog.crusher.estimate import text_tokens


def serialised(message: Message) -> str:
    """Return a message as it is sent: minified JSON, keys in their order."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=dict)


def tokens_of(message: Message) -> int:
    """Return about how many tokens a message takes."""
    return round(text_tokens(serialised(message)))
