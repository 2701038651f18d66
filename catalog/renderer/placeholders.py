"""Placeholders: what a prompt may read beside its data: facts of the chosen model, the prompt, the time, the user."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import UsageError
from catalog.renderer.names import is_hidden
from catalog.renderer.stability import Stability
from catalog.selector.candidates import Candidate

RANK = "_MODEL_POWER_RANK"


MODEL_FACTS: Mapping[str, Callable[[Candidate], Any]] = {
    RANK: lambda own: own.model.power_rank,
    "_MODEL_TYPE": lambda own: own.model.type,
    "_MODEL_SPEED_RANK": lambda own: own.model.speed_rank,
    "_MODEL_COST_RANK": lambda own: own.model.cost_rank,
    "_MODEL_NAME": lambda own: own.model.name,
    "_MODEL_ID": lambda own: own.model.slug,
    "_VENDOR_ID": lambda own: own.vendor,
    "_MODEL_API_NAME": lambda own: own.api_name,
    "_MODEL_CONTEXT_WINDOW": lambda own: own.context,
}
"""How each follows from the candidate; None where the catalog does not know it. SpeedRank and CostRank gate nothing."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TIMES: Mapping[str, Callable[[dt.datetime], Any]] = {
    "_CURRENT_DATE": lambda now: now.date().isoformat(),
    "_CURRENT_TIME": lambda now: now.strftime("%H:%M"),
    "_CURRENT_DATE_AND_TIME": lambda now: now.isoformat(sep=" ", timespec="minutes"),
    "_CURRENT_DAY_OF_WEEK": lambda now: _DAYS[now.weekday()],
    "_CURRENT_TIMESTAMP_UTC": lambda now: f"{now.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}",
}
"""How each follows from the time; dates and times are those of ISO 8601, days are English."""
ZONE = "_CURRENT_TIMEZONE"

OF_PROMPT = ("_PROMPT_NAME", "_PROMPT_DESCRIPTION", "_OUTPUT_TYPE")
"""Of the file that a text is of."""
OF_RUN = ("_HAS_CONVERSATION", "_CONVERSATION_LENGTH")
"""Whether there is a history, and how many messages of it; states of earlier turns are none."""
OF_USER = ("_USER_ID", "_USER_NAME", "_USER_EMAIL")
OF_ENVIRONMENT = ("_ENVIRONMENT", "_API_VERSION")

_STATIC, _SESSION, _VOLATILE = Stability
UNSAID = frozenset({*OF_USER, *OF_ENVIRONMENT})
"""What has no value until it is registered."""
BUILT_IN: Mapping[str, Stability] = {
    **dict.fromkeys(MODEL_FACTS, _STATIC),
    **dict.fromkeys((*TIMES, ZONE, *OF_RUN), _VOLATILE),
    **dict.fromkeys((*OF_PROMPT, *OF_ENVIRONMENT), _STATIC),
    **dict.fromkeys(OF_USER, _SESSION),
}
"""Every name that needs no registration, and how long what it stands for stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A placeholder of the caller's.

    Attributes:
        value: what it stands for: plain data, or a function without arguments that gives it at each rendering.
        stability: how long it stays.
    """

    value: Any
    stability: Stability = Stability.SESSION


def registered(given: Mapping[str, Any] | None) -> dict[str, Registered]:
    """Return the caller's placeholders, checked; a plain value lasts for a session.

    Raises:
        UsageError: for a name that is none, or one that says what the decision says.
    """
    found: dict[str, Registered] = {}
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"placeholders are {given!r:.40}, no mapping", hint="Hand in values by names such as _TEAM.")
    name: Any
    for name, value in (given or {}).items():
        if not isinstance(name, str) or not name.isidentifier() or not name.startswith("_") or not name.isupper():
            raise UsageError(f"placeholder {name!r} is no name", hint="Write it as _NAME, in capitals.")
        if name in (*MODEL_FACTS, *TIMES, *OF_PROMPT, *OF_RUN, ZONE) or is_hidden(name):
            raise UsageError(f"placeholder {name} is built in", hint="Nothing may stand in for what it says.")
        stability = BUILT_IN.get(name, Stability.SESSION)
        found[name] = value if isinstance(value, Registered) else Registered(value=value, stability=stability)
    return found
