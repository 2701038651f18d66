"""Placeholders: what a prompt may read beside its data: facts of the chosen model, the prompt, the time, the user."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.errors import UsageError
from catalog.renderer.stability import Stability
from catalog.selector.candidates import Candidate

RANK = "_MODEL_POWER_RANK"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placeholder:
    """A name that prompts may read.

    Attributes:
        stability: how long its value stays.
        description: one line.
    """

    stability: Stability
    description: str


_STATIC, _SESSION, _VOLATILE = Stability

MODEL_FACTS: Mapping[str, tuple[str, Callable[[Candidate], Any]]] = {
    RANK: ("PowerRank of the model, an integer", lambda own: own.model.power_rank),
    "_MODEL_TYPE": ("model type, such as llm", lambda own: own.model.type),
    "_MODEL_SPEED_RANK": ("SpeedRank, higher is faster; no rank to gate content by", lambda own: own.model.speed_rank),
    "_MODEL_COST_RANK": ("CostRank, higher is dearer; no rank to gate content by", lambda own: own.model.cost_rank),
    "_MODEL_NAME": ("name of the model", lambda own: own.model.name),
    "_MODEL_ID": ("slug of the model in the catalog", lambda own: own.model.slug),
    "_VENDOR_ID": ("slug of the vendor that serves it", lambda own: own.vendor),
    "_MODEL_API_NAME": ("the vendor's own name of it", lambda own: own.api_name),
    "_MODEL_CONTEXT_WINDOW": ("tokens of input it takes", lambda own: own.context),
}
"""What each says, and how it follows from the candidate; None where the catalog does not know."""

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

TIMES: Mapping[str, tuple[str, Callable[[dt.datetime], Any]]] = {
    "_CURRENT_DATE": ("date, YYYY-MM-DD", lambda now: now.date().isoformat()),
    "_CURRENT_TIME": ("time, HH:MM", lambda now: now.strftime("%H:%M")),
    "_CURRENT_DATE_AND_TIME": ("both, with the zone", lambda now: now.isoformat(sep=" ", timespec="minutes")),
    "_CURRENT_DAY_OF_WEEK": ("day of the week, in English", lambda now: _DAYS[now.weekday()]),
    "_CURRENT_TIMESTAMP_UTC": ("time in UTC, ISO 8601", lambda now: f"{now.astimezone(dt.UTC):%Y-%m-%dT%H:%M:%SZ}"),
}
ZONE = "_CURRENT_TIMEZONE"

OF_PROMPT = {
    "_PROMPT_NAME": "name of the prompt that the text is of",
    "_PROMPT_DESCRIPTION": "its description",
    "_OUTPUT_TYPE": "name of the interface it answers in, '' for none",
}
OF_RUN = {
    "_HAS_CONVERSATION": "whether there is a history",
    "_CONVERSATION_LENGTH": "messages of it",
}
OF_USER = {
    "_USER_ID": "who uses the program",
    "_USER_NAME": "their name",
    "_USER_EMAIL": "their address",
}
OF_ENVIRONMENT = {
    "_ENVIRONMENT": "where the program runs, such as production",
    "_API_VERSION": "version of the program",
}

BUILT_IN: Mapping[str, Placeholder] = {
    **{name: Placeholder(stability=_STATIC, description=said) for name, (said, _) in MODEL_FACTS.items()},
    **{name: Placeholder(stability=_VOLATILE, description=said) for name, (said, _) in TIMES.items()},
    ZONE: Placeholder(stability=_VOLATILE, description="name of the time zone"),
    **{name: Placeholder(stability=_STATIC, description=said) for name, said in OF_PROMPT.items()},
    **{name: Placeholder(stability=_VOLATILE, description=said) for name, said in OF_RUN.items()},
    **{name: Placeholder(stability=_SESSION, description=said) for name, said in OF_USER.items()},
    **{name: Placeholder(stability=_STATIC, description=said) for name, said in OF_ENVIRONMENT.items()},
}
"""Every placeholder that needs no registration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A placeholder of the caller's.

    Attributes:
        value: what it stands for: plain data, or a function without arguments that gives it at each rendering.
        stability: how long it stays.
        description: one line.
    """

    value: Any
    stability: Stability = Stability.SESSION
    description: str = ""


def registered(given: Mapping[str, Any]) -> dict[str, Registered]:
    """Return the caller's placeholders, checked; a plain value lasts for a session.

    Raises:
        UsageError: for a name that is none, or one that says what the decision says.
    """
    found: dict[str, Registered] = {}
    for name, value in given.items():
        if not name.isidentifier() or not name.startswith("_") or not name.isupper():
            raise UsageError(f"placeholder {name!r} is no name", hint="Write it as _NAME, in capitals.")
        if name in MODEL_FACTS or name in TIMES or name in OF_PROMPT or name in OF_RUN or name == ZONE:
            raise UsageError(f"placeholder {name} is built in", hint="Nothing may stand in for what it says.")
        known = BUILT_IN.get(name)
        stability = known.stability if known else Stability.SESSION
        found[name] = value if isinstance(value, Registered) else Registered(value=value, stability=stability)
    return found
