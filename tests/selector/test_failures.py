"""Classification: what a failed call says, told by code before status, status before class, class before text."""

from __future__ import annotations

import http.client
import urllib.error
from email.message import Message
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import pytest

from catalog.selector.failures import COOLED, REACH, RETRIED, Kind, classify


class VendorError(Exception):
    """What a vendor's library raises: some text, and fields that differ from library to library."""

    def __init__(self, text: str = "", **fields: Any) -> None:
        super().__init__(text)
        self.__dict__.update(fields)


class Status(IntEnum):
    """A status as google.api_core has it."""

    TOO_MANY_REQUESTS = 429


def named(name: str, *bases: type[Exception]) -> Exception:
    """Return an exception that is known by the name of its class only."""
    error: Exception = type(name, bases or (Exception,), {})()
    return error


def headers(**fields: str) -> VendorError:
    """Return a rate limit with these headers."""
    known = {name.replace("_", "-"): value for name, value in fields.items()}
    return VendorError(response=SimpleNamespace(status_code=429, headers=known))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "request"),
        (401, "auth"),
        (402, "credit"),
        (403, "auth"),
        (404, "not_found"),
        (408, "timeout"),
        (409, "request"),
        (413, "overflow"),
        (422, "request"),
        (429, "rate_limit"),
        (500, "service"),
        (502, "service"),
        (503, "service"),
        (504, "service"),
        (529, "service"),
    ],
)
def test_a_status_tells_the_kind(status: int, kind: Kind) -> None:
    """A status alone tells what failed, wherever the library keeps it: on the error, on its response, as its code."""
    for error in (
        VendorError(status_code=status),
        VendorError(status=status),
        VendorError(code=status),
        VendorError(status_code=str(status)),
        VendorError(response=SimpleNamespace(status_code=status)),
        VendorError(response={"ResponseMetadata": {"HTTPStatusCode": status}}),
        VendorError(status_code=200, body={"error": {"code": status}}),
    ):
        assert classify(error)[:2] == (kind, f"status {status}")


@pytest.mark.parametrize(
    ("kind", "reach", "retried", "cooled"),
    [
        ("rate_limit", "route", True, True),
        ("service", "route", True, True),
        ("timeout", "route", True, True),
        ("network", "route", False, True),
        ("unknown", "route", False, False),
        ("not_found", "offer", False, True),
        ("auth", "vendor", False, True),
        ("credit", "vendor", False, True),
        ("overflow", "overflow", False, False),
        ("policy", "policy", False, False),
        ("request", "request", False, False),
    ],
)
def test_a_kind_has_one_reach(kind: Kind, reach: str, retried: bool, cooled: bool) -> None:
    """Each kind has one reach; only 429, 5xx and timeouts are tried again; what is about the request never cools.

    In the predecessor an authentication error was fatal and could be failed over at once.
    """
    assert (REACH[kind], kind in RETRIED, kind in COOLED) == (reach, retried, cooled)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (VendorError(status_code=429, code="insufficient_quota", type="insufficient_quota"), "credit"),
        (VendorError(status_code=429, body={"error": {"code": "insufficient_quota"}}), "credit"),
        (VendorError(status_code=400, code="context_length_exceeded", type="invalid_request_error"), "overflow"),
        (VendorError(status_code=400, body={"code": "content_filter"}), "policy"),
        (VendorError(status_code=200, body={"error": {"type": "overloaded_error"}}), "service"),
        (VendorError(status_code=400, response={"Error": {"Code": "ThrottlingException"}}), "rate_limit"),
        (VendorError(code=Status.TOO_MANY_REQUESTS, status="RESOURCE_EXHAUSTED"), "rate_limit"),
    ],
)
def test_a_code_overrules_the_status(error: Exception, kind: Kind) -> None:
    """A code says more than its status: a 429 may be an empty purse, a 400 a prompt that is too long."""
    assert classify(error).kind == kind
    assert classify(error).told_by.startswith("code ")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutError(), "timeout"),
        (named("ReadTimeout"), "timeout"),
        (named("APITimeoutError", type("APIConnectionError", (Exception,), {})), "timeout"),
        (named("APIConnectionError"), "network"),
        (named("ReadError", type("NetworkError", (Exception,), {})), "network"),
        (named("EndpointConnectionError"), "network"),
        (ConnectionResetError(), "network"),
        (http.client.RemoteDisconnected(""), "network"),
        (urllib.error.URLError("unreachable"), "network"),
        (named("ConnectionStringError"), "unknown"),
        (named("TimeoutSettingsError", ValueError), "unknown"),
        (ValueError(), "unknown"),
        (AssertionError(), "unknown"),
    ],
)
def test_a_class_tells_where_no_status_does(error: Exception, kind: Kind) -> None:
    """Any class of the ancestry tells timeouts and network errors; a name that only contains one does not."""
    assert classify(error).kind == kind


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "overflow"),
        (400, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000", "overflow"),
        (400, "This model's maximum context length is 128000 tokens. However, you requested 190512.", "overflow"),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", "overflow"),
        (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", "overflow"),
        (400, "Input is too long for requested model.", "overflow"),
        (400, "the request exceeds the available context size, try increasing it", "overflow"),
        (400, "Output blocked by content filtering policy", "policy"),
        (400, "The response was filtered due to the prompt triggering our content management policy.", "policy"),
        (400, "Your request was rejected as a result of our safety system.", "policy"),
        (400, "Your prompt was flagged as potentially violating our usage policy.", "policy"),
        (400, "Your credit balance is too low to access the API.", "credit"),
        (400, "API key not valid. Please pass a valid API key.", "auth"),
        (None, "Incorrect API key provided: sk-…", "auth"),
        (None, "Rate limit reached for gpt-5 in organization org-1", "rate_limit"),
        (None, "Too Many Requests", "rate_limit"),
        (None, "The model is overloaded. Please try again later.", "service"),
        (None, "Service temporarily unavailable", "service"),
        (None, "The read operation timed out", "timeout"),
        (None, "Connection refused", "network"),
    ],
)
def test_text_is_the_last_resort(status: int | None, text: str, kind: Kind) -> None:
    """What vendors hide behind a 400, or behind no status at all, is told by their own words."""
    verdict = classify(VendorError(text, status_code=status))
    assert (verdict.kind, verdict.told_by[:4]) == (kind, "text")


@pytest.mark.parametrize(
    "text",
    [
        "load balancer is restarting",
        "the balance of the tree is off",
        "field 'prompt' is required",
        "timeout must be positive",
        "context_length must be positive",
        "the context window was closed by the user",
        "maximum context length must be set",
        "rate_limit must be a number",
        "the service must be named",
        "new row violates row-level security policy for table prompts",
        "content management system is down",
        "invalid retry policy",
        "no credits are shown at the end of the film",
        "the connection string is malformed",
        "the model does not exist in this drawing",
    ],
)
def test_a_look_alike_tells_nothing(text: str) -> None:
    """A tool's own complaint that shares a word with a vendor's says nothing about a route.

    The predecessor took a load balancer for an empty purse, and "required" for the vendor's validation.
    """
    assert classify(ValueError(text))[:2] == ("unknown", "class ValueError")
    assert classify(VendorError(text, status_code=400)).kind == "request"


def test_a_status_is_not_overruled_by_text() -> None:
    """A server error whose text mentions a limit, and a client error that mentions a timeout, stay what they are."""
    assert classify(VendorError("prompt is too long", status_code=503)).kind == "service"
    assert classify(VendorError("your timeout timed out", status_code=422)).kind == "request"


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (headers(retry_after="7"), 7.0),
        (headers(Retry_After="7.5"), 7.5),
        (headers(RETRY_AFTER=" 7 "), 7.0),
        (headers(retry_after_ms="1500", retry_after="2"), 1.5),
        (headers(retry_after_ms="100000"), 100.0),
        (headers(retry_after_ms="soon", retry_after="2"), 2.0),
        (headers(retry_after="Mon, 30 Nov 2026 09:00:30 GMT"), 30.0),
        (headers(retry_after="Mon, 30 Nov 2026 08:00:00 GMT"), 0.0),
        (headers(retry_after="Fri, 31 Dec 9999 00:00:00 GMT"), 86_400.0),
        (headers(retry_after="Mon, 01 Jan 99999999999999999999 00:00:00 GMT"), None),
        (headers(retry_after="9" * 30), 86_400.0),
        (headers(retry_after="soon"), None),
        (headers(retry_after="-5"), None),
        (headers(retry_after="inf"), None),
        (headers(retry_after=""), None),
        (headers(), None),
        (VendorError(retry_after=3), 3.0),
        (VendorError(retry_after=-3), None),
        (VendorError(retry_after=10**400), 86_400.0),
        (VendorError(retry_after=float("nan")), None),
        (VendorError(retry_after=float("inf")), None),
        (VendorError(retry_after=True), None),
        (VendorError(response=SimpleNamespace(headers=17)), None),
    ],
)
def test_retry_after_is_seconds_from_now(
    error: Exception, seconds: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Retry-After is read as seconds, milliseconds or a date, and kept to a day; nonsense is no wish at all.

    The predecessor took every date for 60 seconds.
    """
    monkeypatch.setenv("CATALOG_NOW", "2026-11-30T09:00:00Z")
    assert classify(error).retry_after == seconds


def test_retry_after_is_read_from_the_standard_library_too() -> None:
    """The headers of urllib are no mapping; they are read all the same."""
    fields = Message()
    fields["Retry-After"] = "4"
    error = urllib.error.HTTPError("https://acme.example", 503, "busy", fields, None)
    assert classify(error) == ("service", "status 503", 4.0)
    error.close()


class Unspeakable(Exception):
    """An exception that cannot say anything."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class HalfSpeakable(Exception):
    """An exception whose every property is of no use, but for its status."""

    status_code = 503
    code = object()
    body: Any = ("error",)
    headers = property(lambda self: self.missing.headers)
    response = property(lambda _: 1 / 0)


def test_an_error_that_raises_is_contained() -> None:
    """An exception whose text and properties raise is told by what is left of it."""
    assert classify(Unspeakable()) == ("unknown", "class Unspeakable", None)
    assert classify(HalfSpeakable()) == ("service", "status 503", None)
