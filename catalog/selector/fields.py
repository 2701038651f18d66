"""The fields of a request: each brought into its one form, or refused by name and value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal, NamedTuple, get_args

from catalog.canonical import decimal_text
from catalog.errors import UsageError
from catalog.log.facts import STATUSES
from catalog.selector.calls import shown
from catalog.selector.health import Cooling
from catalog.settings import iso_date

Prefer = Literal["highest", "balanced", "lowest"]
PREFERENCES: tuple[str, ...] = get_args(Prefer)
SERVED = tuple(status for status in STATUSES if status != "retired")
"""Statuses a request may accept; a retired model is no candidate."""


class Bound(NamedTuple):
    """A model the caller names: higher priority first, equal ones in the order given; one vendor, or all of its."""

    model: str
    priority: int = 0
    vendor: str | None = None


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{name} {value!r} is no name", hint=f"Give {name} as text, such as llm.")
    return value.strip()


def _texts(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        raise UsageError(f"{name} {value!r} is no list of names", hint=f'Write {name}=["…"].')
    given = [_text(name, item) for item in value]
    names = tuple(dict.fromkeys(sorted(given) if isinstance(value, set | frozenset) else given))
    joined = next((item for item in names if "," in item), None)
    if joined is not None:
        raise UsageError(f"{name} {joined!r} is not one name", hint="Give each name by itself.")
    return names


def _optional_texts(name: str, value: object) -> tuple[str, ...] | None:
    return None if value is None else _texts(name, value)


def _count(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        example = "300" if name.endswith("power") else "200000"
        raise UsageError(
            f"{name} {shown(value)} is not a whole number from 0 to {_MOST:,}", hint=f"Write {name}={example}."
        )
    return value


_MOST = 10**12
"""More than any context window or rank; a number that JSON cannot write must not reach a decision."""


def _money(name: str, value: object) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, bool | float) or not isinstance(value, str | int | Decimal):
        raise UsageError(f"{name} {value!r} is no exact decimal", hint=f'Write {name}="2.50".')
    try:
        amount = Decimal(decimal_text(value))
    except UsageError as error:
        raise error.concerning(name) from None
    if amount < 0:
        raise UsageError(f"{name} {value} is negative", hint=f'Write {name}="2.50".')
    return amount


def _prefer(name: str, value: object) -> object:
    if value is not None and value not in PREFERENCES:
        raise UsageError(f"{name} {value!r} is no preference", hint=f"Known: {', '.join(PREFERENCES)}.")
    return value


def _status(name: str, value: object) -> tuple[str, ...]:
    chosen = _texts(name, value)
    if not chosen:
        raise UsageError(f"{name} is empty: no model could be chosen", hint=f"Known: {', '.join(SERVED)}.")
    unknown = next((status for status in chosen if status not in SERVED), None)
    if unknown is not None:
        why = "cannot be served" if unknown in STATUSES else "is unknown"
        raise UsageError(f"{name} {unknown!r} {why}", hint=f"Known: {', '.join(SERVED)}.")
    return chosen


def _bound(name: str, value: object) -> tuple[Bound, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple) or isinstance(value, Bound):
        raise UsageError(f"{name} {value!r} is no list of models", hint=f'Write {name}=["claude-opus-5-5", …].')
    if not value:
        raise UsageError(f"{name} is empty: nothing could be chosen from it", hint="Leave it out for the whole type.")
    return tuple(_one_bound(name, item) for item in value)


def _one_bound(name: str, value: object) -> Bound:
    if not isinstance(value, Bound):
        return Bound(_text(name, value))
    if value.priority.__class__ is not int or value.priority < 0:
        raise UsageError(
            f"{name}: priority {value.priority!r} of {value.model!r} is not a whole number of at least 0",
            hint="Higher comes first.",
        )
    return Bound(_text(name, value.model), value.priority, None if value.vendor is None else _text(name, value.vendor))


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{name} {value!r} is neither true nor false", hint=f"Write {name}=True.")
    return value


def _day(name: str, value: object) -> str | None:
    return None if value is None else iso_date(str(value), what=name)


def _predicate(name: str, value: object) -> Any:
    if value is not None and not callable(value):
        raise UsageError(f"{name} {value!r} cannot be asked", hint="Give a function of a vendor's slug.")
    return value


def _view(name: str, value: object) -> Cooling | None:
    if value is not None and not isinstance(value, Cooling):
        raise UsageError(f"{name} {value!r} is no view of a Health", hint="Write health=health.cooling().")
    return value


PARSERS: Mapping[str, Callable[[str, Any], object]] = {
    "type": _text,
    "prefer": _prefer,
    "min_power": _count,
    "max_power": _count,
    "bound": _bound,
    "require_bound": _flag,
    "input_tokens": _count,
    "output_tokens": _count,
    "inputs": _texts,
    "outputs": _texts,
    "capabilities": _texts,
    "status": _status,
    "max_price_in": _money,
    "max_price_out": _money,
    "only_vendors": _optional_texts,
    "never_vendors": _texts,
    "vendor_order": _texts,
    "allow_unknown": _flag,
    "last_resort": _flag,
    "credentials": _predicate,
    "health": _view,
    "as_of": _day,
}
"""Field → what brings it into its form."""
