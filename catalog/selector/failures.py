"""Classification: what a failed call says about route, vendor or request. Duck-typed; no vendor's SDK is imported.

A failure is about the *route* (this vendor, now), the *offer*, the *vendor* (its key, its credit) or the *request*
itself (too long, against a policy, malformed). Only the first three may cool anything down. Codes decide before the
status, the status before the text; text is looked at only where both leave the question open.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple

from catalog import settings
from catalog.selector.health import LONGEST_ASKED

Kind = Literal[
    "rate_limit",
    "service",
    "timeout",
    "network",
    "auth",
    "credit",
    "not_found",
    "overflow",
    "policy",
    "request",
    "unknown",
]
Reach = Literal["route", "offer", "vendor", "overflow", "policy", "request"]

REACH: Mapping[Kind, Reach] = {
    "rate_limit": "route",
    "service": "route",
    "timeout": "route",
    "network": "route",
    "unknown": "route",
    "not_found": "offer",
    "auth": "vendor",
    "credit": "vendor",
    "overflow": "overflow",
    "policy": "policy",
    "request": "request",
}
"""What a failure of each kind is about."""

RETRIED: frozenset[Kind] = frozenset({"rate_limit", "service", "timeout"})
"""Kinds after which the same route may be tried again."""

COOLED: frozenset[Kind] = frozenset({"rate_limit", "service", "timeout", "network", "not_found", "auth", "credit"})
"""Kinds that let route or vendor cool down; what is about the request, or nobody knows, never does."""


class Verdict(NamedTuple):
    """What a failure is.

    Attributes:
        kind: see `REACH`.
        told_by: what told it: ``status 429``, ``code insufficient_quota``, ``class ReadTimeout``, ``text …``.
        retry_after: seconds the vendor asks to wait, None when it does not.
    """

    kind: Kind
    told_by: str
    retry_after: float | None = None


def classify(error: BaseException) -> Verdict:
    """Return what a failed call says; never raises."""
    status = _status(error)
    wait = _retry_after(error)
    for code in _codes(error):
        kind = _CODES.get(code.lower())
        if kind is not None:
            return Verdict(kind, f"code {code}", wait)
    kind = _by_status(status)
    if kind is not None:
        return Verdict(kind, f"status {status}", wait)
    if status is None:
        for name in _names(error):
            if kind := _by_name(name):
                return Verdict(kind, f"class {name}", wait)
    found = _by_text(_text(error), open_status=status is None)
    if found is not None:
        return Verdict(*found, wait)
    if status is not None and 400 <= status < 500:
        return Verdict("request", f"status {status}", wait)
    return Verdict("unknown", f"class {type(error).__name__}", wait)


_CODES: Mapping[str, Kind] = {
    "insufficient_quota": "credit",
    "billing_hard_limit_reached": "credit",
    "billing_not_active": "credit",
    "billing_error": "credit",
    "context_length_exceeded": "overflow",
    "request_too_large": "overflow",
    "content_filter": "policy",
    "content_policy_violation": "policy",
    "responsibleaipolicyviolation": "policy",
    "rate_limit_exceeded": "rate_limit",
    "rate_limit_error": "rate_limit",
    "throttlingexception": "rate_limit",
    "resource_exhausted": "rate_limit",
    "overloaded_error": "service",
    "server_error": "service",
    "internal_server_error": "service",
    "service_unavailable": "service",
    "authentication_error": "auth",
    "invalid_api_key": "auth",
    "permission_error": "auth",
    "model_not_found": "not_found",
    "deploymentnotfound": "not_found",
    "not_found_error": "not_found",
}


def _by_status(status: int | None) -> Kind | None:
    if status is None:
        return None
    if status in _STATUSES:
        return _STATUSES[status]
    return "service" if 500 <= status < 600 else None


_STATUSES: Mapping[int, Kind] = {
    401: "auth",
    402: "credit",
    403: "auth",
    404: "not_found",
    408: "timeout",
    413: "overflow",
    429: "rate_limit",
}


def _by_name(name: str) -> Kind | None:
    if re.search(r"(Timeout|TimedOut|DeadlineExceeded)(Error|Exception)?$", name):
        return "timeout"
    if re.search(r"^(Client|API|Endpoint)?Connect(ion|or)?Error$|^(Network|URL|RemoteProtocol)Error$|^gaierror$", name):
        return "network"
    return None


_TEXTS: tuple[tuple[Kind, str, bool], ...] = (
    (
        "overflow",
        r"maximum (context|prompt|model) length(?! must)|(prompt|input) is too long|input token count .{0,30}exceeds"
        r"|exceed\w* .{0,40}\bcontext (length|window|limit|size)|context[ _](length|window|limit|size) (is )?exceed",
        True,
    ),
    (
        "policy",
        r"content (filtering|management) policy|content policy violation"
        r"|violat\w+ .{0,40}\b(content|safety|usage) polic(y|ies)\b"
        r"|\b(blocked|filtered|flagged|rejected|triggered) .{0,40}\b(content filter|content policy|moderation|safety)",
        True,
    ),
    (
        "credit",
        r"credit balance is too low|insufficient (funds|credits?|balance|quota)|exceeded your current quota",
        True,
    ),
    ("auth", r"\b(invalid|incorrect|expired) api[ _-]?key\b|\bapi key (not valid|(has )?expired)\b", True),
    (
        "rate_limit",
        r"\brate[ _-]limit (was |is |has been )?(exceeded|reached|hit)|\brate[ -]limited\b|\btoo many requests\b"
        r"|exceed\w* .{0,40}\brate limit",
        False,
    ),
    ("service", r"\b(service|model) (is )?(temporarily |currently )?(unavailable|overloaded)\b", False),
    ("timeout", r"\btimed out\b", False),
    ("network", r"\bconnection (was )?(refused|reset|aborted|closed)\b|\bname resolution\b", False),
)
"""Kind, pattern, and whether a client error (400, 422) may be told by it too: vendors hide these behind 400.

Each names what went wrong and not only its subject: a tool that says "rate_limit must be positive" was not limited.
"""


def _by_text(text: str, *, open_status: bool) -> tuple[Kind, str] | None:
    for kind, pattern, of_client_errors in _TEXTS:
        found = re.search(pattern, text, re.IGNORECASE) if open_status or of_client_errors else None
        if found:
            return kind, f"text {found.group()!r}"
    return None


def _status(error: BaseException) -> int | None:
    response = _get(error, "response")
    metadata, inner = _get(response, "ResponseMetadata"), _get(_get(error, "body"), "error")
    for value in (
        _get(error, "status_code"),
        _get(response, "status_code"),
        _get(error, "status"),
        _get(metadata, "HTTPStatusCode"),
        _get(error, "code"),
        _get(inner, "code"),
    ):
        number = int(value) if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value) else value
        if isinstance(number, int) and not isinstance(number, bool) and 400 <= number < 600:
            return int(number)
    return None


def _codes(error: BaseException) -> Iterator[str]:
    body = _get(error, "body")
    places = (_get(body, "error"), error, body, _get(_get(error, "response"), "Error"))
    for place in places:
        for name in ("code", "type", "status", "Code"):
            value = _get(place, name)
            if isinstance(value, str) and value:
                yield value


def _names(error: BaseException) -> list[str]:
    return [kind.__name__ for kind in type(error).__mro__]


def _text(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:  # an exception that cannot say what it is; its class still can
        return ""


def _get(place: object, name: str) -> Any:
    """Return an attribute or key of whatever a vendor's exception carries; None when it has none, or will not say."""
    try:
        return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
    except Exception:  # a property that raises tells nothing
        return None


def _retry_after(error: BaseException) -> float | None:
    for headers in (_get(_get(error, "response"), "headers"), _get(error, "headers")):
        for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            seconds = _seconds(_header(headers, name), unit)
            if seconds is not None:
                return seconds
    return _seconds(_get(error, "retry_after"))


def _header(headers: Any, name: str) -> Any:
    """Return a header, whatever the vendor's library keeps headers in; None where there is none."""
    try:
        return next((value for key, value in headers.items() if str(key).lower() == name), None)
    except Exception:  # no headers, or none that can be read
        return None


def _seconds(value: object, unit: float = 1.0) -> float | None:
    """Return seconds from now, given as a number of units or as an HTTP date, a day at most; None for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,300}(\.\d{1,9})?\s*", value):
        value = float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return min(min(value, LONGEST_ASKED / unit) * unit, LONGEST_ASKED) if 0 <= value < math.inf else None
    if not isinstance(value, str):
        return None
    try:
        until = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max((until - settings.now()).total_seconds(), 0.0), LONGEST_ASKED)
