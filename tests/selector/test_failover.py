"""Failover: where a walk goes after which failure, what it records, and that threads and coroutines do the same."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import FailoverError, UsageError
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.failover import Failover
from catalog.selector.failures import Verdict, classify
from catalog.selector.health import COOL_DOWN, VENDOR_COOL_DOWN, Health
from catalog.selector.outcome import Outcome
from catalog.selector.policy import Policy
from tests.selector.sample import decided, model, offer

Call = Callable[[Candidate, float | None], Any]


class Fail(Exception):
    """A failure with a status, and whatever else a vendor says."""

    def __init__(self, status: int | None = None, text: str = "", **fields: Any) -> None:
        super().__init__(text)
        self.status_code = status
        self.__dict__.update(fields)


RATE, BUSY, KEY, GONE, BAD = Fail(429), Fail(503), Fail(401), Fail(404), Fail(400)
LONG, FILTERED, CREDIT = Fail(400, code="context_length_exceeded"), Fail(400, code="content_filter"), Fail(402)
LOST, SLOW = ConnectionResetError("reset"), TimeoutError("slow")


class Clock:
    """Seconds that pass while something sleeps, and when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let seconds pass."""
        self.slept.append(seconds)
        self.now += seconds

    async def asleep(self, seconds: float) -> None:
        """Let seconds pass for a coroutine."""
        self.sleep(seconds)


class Script:
    """Calls that end as written: by route or vendor, one answer after the other, the last one for good."""

    def __init__(self, answers: dict[str, object], clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.answers = {name: list(told) if isinstance(told, list) else [told] for name, told in answers.items()}
        self.clock, self.seconds, self.called = clock, seconds, list[str]()

    def __call__(self, candidate: Candidate, _: float | None) -> object:
        route = "/".join(candidate.route)
        self.called.append(route)
        if self.clock:
            self.clock.now += self.seconds
        told = self.answers.get(route, self.answers.get(candidate.vendor or "", "answer"))
        answer = (told.pop(0) if len(told) > 1 else told[0]) if isinstance(told, list) else told
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def later(self, candidate: Candidate, left: float | None) -> object:
        """Do the same as a coroutine."""
        return self(candidate, left)


CHAIN = decided(model("a", 300, "x", "y"), model("b", 200, "x", "z"), model("c", 100, "w"))
"""a by x, a by y, b by x, b by z, c by w."""


def walk(
    answers: dict[str, object],
    decision: Decision = CHAIN,
    *,
    health: Health | None = None,
    fits: Any = None,
    **policy: Any,
) -> tuple[Outcome, list[str]]:
    """Walk a decision with threads and with coroutines; the same happens, and it is returned."""
    ends = []
    for later in (False, True):
        clock = Clock()
        script = Script(answers)
        shared = health or Health(clock=clock)
        failover = Failover(decision, Policy(**policy), health=shared, clock=clock)
        if later:
            outcome = asyncio.run(failover.arun(script.later, fits=fits, sleep=clock.asleep))
        else:
            outcome = failover.run(script, fits=fits, sleep=clock.sleep)
        ends.append((outcome, script.called))
        if health:
            return ends[0]
    assert told(ends[0][0]) == told(ends[1][0])
    return ends[0]


def told(outcome: Outcome) -> dict[str, Any]:
    """Return all that an outcome says."""
    return {
        "ok": outcome.ok,
        "value": outcome.value,
        "ended": outcome.ended,
        "attempts": [attempt.to_data() for attempt in outcome.attempts],
        "skipped": [skip.to_data() for skip in outcome.skipped],
    }


def skips(outcome: Outcome) -> dict[str, str]:
    """Return route → code of what was skipped."""
    return {"/".join(skip.candidate.route): skip.code for skip in outcome.skipped}


# what follows which failure


def test_a_success_is_one_call() -> None:
    """The chosen route answers: one call, nothing skipped, nothing switched (as in the predecessor)."""
    outcome, called = walk({})
    assert (outcome.ok, outcome.ended, outcome.unwrap(), called) == (True, "success", "answer", ["a/x"])
    assert (outcome.candidate, outcome.error, outcome.skipped) == (CHAIN.chosen, None, ())
    assert (outcome.attempts[0].rule, outcome.attempts[0].switch, outcome.attempts[0].ok) == ("chosen", None, True)


@pytest.mark.parametrize("error", [LOST, BUSY, RATE, SLOW, GONE, Fail(None, "who knows")])
def test_a_failed_route_is_left_for_the_next(error: Exception) -> None:
    """A network error, 503, 429, timeout, 404 or unknown failure goes on to the next route (as in the predecessor)."""
    outcome, called = walk({"a/x": error}, retries_per_route=0)
    assert (outcome.ok, called) == (True, ["a/x", "a/y"])
    assert [attempt.error for attempt in outcome.attempts] == [error, None]
    assert [attempt.ok for attempt in outcome.attempts] == [False, True]


@pytest.mark.parametrize(
    ("error", "again"), [(RATE, 3), (BUSY, 3), (SLOW, 3), (LOST, 1), (GONE, 1), (KEY, 1), (LONG, 1)]
)
def test_only_passing_failures_are_tried_again(error: Exception, again: int) -> None:
    """429, 5xx and timeouts are retried on the same route before the next one; nothing else is.

    The predecessor retried rate limits only, and its default number of retries was none.
    """
    _, called = walk({"a/x": error}, retries_per_route=2, max_attempts=9)
    assert called[:again] == ["a/x"] * again
    assert "a/x" not in called[again:]


def test_a_retry_that_succeeds_stays() -> None:
    """One retry is the default, after half a second of which half is chance; the record says so."""
    outcome, called = walk({"a/x": [RATE, "late"]})
    assert (outcome.value, called) == ("late", ["a/x", "a/x"])
    first, second = outcome.attempts
    assert (first.rule, second.rule) == ("chosen", "retry 1 after rate_limit")
    assert 0.25 <= second.waited <= 0.5
    assert second.switch is not None
    assert not second.switch.cache_lost


@pytest.mark.parametrize("error", [KEY, CREDIT, Fail(403), Fail(429, code="insufficient_quota"), FILTERED])
def test_a_vendor_is_left_as_a_whole_and_its_survivor_is_called(error: Exception) -> None:
    """A refused key drops every offer of the vendor, and the candidate after them is called, not passed over.

    The predecessor went on counting in a list that had shrunk, so it skipped the survivor that slid into the gap.
    """
    decision = decided(model("a", 300, "x"), model("b", 200, "x"), model("c", 100, "w"), model("d", 50, "v"))
    outcome, called = walk({"x": error, "w": BUSY}, decision, retries_per_route=0)
    assert called == ["a/x", "c/w", "d/v"]
    assert skips(outcome) == {"b/x": "vendor"}


def test_a_refused_key_without_another_vendor_ends() -> None:
    """With nobody else left the walk is exhausted after one call (as in the predecessor)."""
    outcome, called = walk({"x": KEY}, decided(model("a", 300, "x"), model("b", 200, "x")))
    assert (outcome.ended, called, skips(outcome)) == ("exhausted", ["a/x"], {"b/x": "vendor"})


def test_an_overflow_leaves_only_larger_windows() -> None:
    """After "too long" nothing is called whose window is no larger, or unknown; each is skipped with its reason."""
    decision = decided(
        model("a", 300, offer("x"), offer("y", max_input=900_000), context=200_000),
        model("b", 250, "z", context=200_000),
        model("c", 240, "z", context=None),
        model("d", 230, "z", context=400_000),
        model("e", 220, "z", context=300_000),
        model("f", 210, "z", context=1_000_000),
    )
    outcome, called = walk({"a/x": LONG, "d/z": LONG}, decision)
    assert called == ["a/x", "d/z", "f/z"]
    assert skips(outcome) == dict.fromkeys(["a/y", "b/z", "c/z", "e/z"], "window")
    details = {skip.candidate.model.slug: skip.detail for skip in outcome.skipped}
    assert details["b"] == "its window 200,000 is no larger than the 200,000 of a"
    assert details["c"] == "its window is unknown, and the prompt was too long"


def test_a_bad_request_stops() -> None:
    """What is wrong with the request is wrong everywhere: one call, and the error is told as it is."""
    outcome, called = walk({"a/x": BAD})
    assert (outcome.ok, outcome.ended, called, outcome.error) == (False, "request", ["a/x"], BAD)
    assert outcome.skipped == ()


@pytest.mark.parametrize(
    ("scope", "going_on"),
    [
        ("all", {LOST, SLOW, RATE, BUSY, KEY, LONG, GONE}),
        ("network", {LOST, SLOW}),
        ("rate_limit", {RATE}),
        ("service", {BUSY, SLOW}),
    ],
)
def test_a_failure_out_of_scope_ends_the_walk(scope: str, going_on: set[Exception]) -> None:
    """A scope lets some failures fail over and ends the walk at any other, after one call (as in the predecessor)."""
    decision = decided(model("a", 300, "x"), model("b", 200, "y", context=1_000_000))
    for error in (LOST, SLOW, RATE, BUSY, KEY, LONG, GONE):
        outcome, called = walk({"a/x": error}, decision, scope=scope, retries_per_route=0)
        assert (outcome.ok, len(called)) == ((True, 2) if error in going_on else (False, 1))
        assert outcome.ended == ("success" if error in going_on else "scope")


# strategies


STRATEGIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"strategy": "none"}, ["b/x"]),
    ({"strategy": "same_model_other_vendor"}, ["b/x", "b/y"]),
    ({"strategy": "next_best_model"}, ["b/x", "b/y", "a/x", "a/y", "c/x", "d/x"]),
    ({"strategy": "next_best_model", "model": "require_same"}, ["b/x", "b/y"]),
    ({"strategy": "next_best_model", "model": "prefer_different"}, ["b/x", "a/x", "c/x", "d/x", "b/y", "a/y"]),
    ({"strategy": "next_best_model", "model": "require_different"}, ["b/x", "a/x", "c/x", "d/x"]),
    ({"strategy": "power_rank"}, ["b/x", "b/y", "d/x", "c/x", "a/x", "a/y"]),
]
BOUND = decided(
    *(model("a", 900, "x", "y"), model("b", 500, "x", "y"), model("c", 480, "x"), model("d", 520, "x")),
    bound=["b", "a", "c", "d"],
)
"""b, a, c, d as the caller ordered them."""


@pytest.mark.parametrize(("policy", "called"), STRATEGIES)
def test_every_strategy_goes_its_own_way(policy: dict[str, Any], called: list[str]) -> None:
    """A strategy says what follows a failure, in which order; what it does not allow is skipped by name.

    In the predecessor the preference for the same or another model was undone by a sort, and PowerRank kept any order.
    """
    outcome, went = walk({"x": GONE, "y": GONE}, BOUND, max_attempts=9, **policy)
    assert went == called
    missing = {"/".join(candidate.route) for candidate in BOUND.candidates} - set(called)
    assert skips(outcome) == dict.fromkeys(missing, "policy")
    assert {skip.detail for skip in outcome.skipped} <= {f"{policy['strategy']} does not go there"}
    assert outcome.attempts[-1].rule == ("chosen" if len(called) == 1 else f"{policy['strategy']} after not_found")


@pytest.mark.parametrize(("policy", "called"), STRATEGIES)
def test_a_strategy_holds_when_the_chosen_route_is_skipped(policy: dict[str, Any], called: list[str]) -> None:
    """Passing over the chosen route is a switch like any other: what may not follow it is not called."""

    def fits(candidate: Candidate) -> tuple[int, int]:
        return 10, 5 if candidate is BOUND.chosen else 20

    outcome, went = walk({}, BOUND, fits=fits, **policy)
    assert went == called[1:2]
    assert skips(outcome)["b/x"] == "too_long"
    if outcome.attempts:
        assert outcome.attempts[0].rule == f"{policy['strategy']} after too_long"
        assert outcome.attempts[0].switch is not None
        assert outcome.attempts[0].switch.cache_lost


def test_a_strategy_retries_the_same_route_under_none() -> None:
    """Without failover the chosen route still gets its retry; the error carries the one route that was called."""
    outcome, called = walk({"a/x": BUSY}, strategy="none")
    assert (called, outcome.ended) == (["a/x", "a/x"], "exhausted")
    with pytest.raises(FailoverError, match="a by x: Fail"):
        outcome.unwrap()


# limits


def test_a_cap_counts_calls_and_no_skips() -> None:
    """Twenty misfits cost nothing: the cap is about calls. The predecessor had a cap that nobody read."""
    decision = decided(*(model(f"m{number:02}", 100 - number, "x") for number in range(30)))

    def fits(candidate: Candidate) -> tuple[int, int | None]:
        return 10, 5 if candidate.model.slug < "m20" else None

    outcome, called = walk({"x": GONE}, decision, fits=fits, max_attempts=3)
    assert (called, outcome.ended) == (["m20/x", "m21/x", "m22/x"], "max_attempts")
    assert set(skips(outcome).values()) == {"too_long"}
    assert len(outcome.skipped) == 20
    assert outcome.skipped[0].detail == "10 tokens > 5"


def test_retries_count_as_calls() -> None:
    """A retry is a call, so the cap ends it too."""
    outcome, called = walk({"a/x": BUSY}, retries_per_route=9, max_attempts=2)
    assert (called, outcome.ended) == (["a/x", "a/x"], "max_attempts")


def test_no_time_is_no_call() -> None:
    """A deadline that is over before the first call ends the walk without one."""
    outcome, called = walk({}, deadline=0)
    assert (outcome.ended, called, outcome.attempts, outcome.error) == ("deadline", [], (), None)


@pytest.mark.parametrize("oversleep", [0.0, 5.0])
def test_a_deadline_holds_for_everything_together(oversleep: float) -> None:
    """Calls and waits share one deadline; a sleep that takes longer than asked leads to no call without time."""
    clock, given_time = Clock(), []
    script = Script({"x": BUSY, "y": BUSY}, clock, seconds=2.0)

    def call(candidate: Candidate, left: float | None) -> object:
        given_time.append(left)
        return script(candidate, left)

    def sleep(seconds: float) -> None:
        clock.sleep(seconds + oversleep)

    policy = Policy(deadline=6.0, max_attempts=9, backoff=1.0)
    outcome = Failover(CHAIN, policy, clock=clock).run(call, sleep=sleep)
    assert outcome.ended == "deadline"
    assert given_time[0] == 6.0
    assert all(left is not None and left > 0 for left in given_time)
    assert len(given_time) == (1 if oversleep else 3)


def test_fits_is_asked_before_a_retry_too() -> None:
    """What grew too long while the walk waited is not sent again: the route is passed over and the next one called."""
    clock, asked, called = Clock(), list[str](), list[str]()

    def fits(candidate: Candidate) -> tuple[int, int]:
        asked.append(candidate.model.slug)
        return len(asked), 1 if candidate.model.slug == "first" else 9

    def call(candidate: Candidate, _: float | None) -> str:
        called.append(candidate.model.slug)
        if candidate.model.slug == "first":
            raise BUSY
        return "answer"

    decision = decided(model("first", 200, "acme"), model("second", 100, "acme"))
    outcome = Failover(decision, Policy(), clock=clock).run(call, fits=fits, sleep=clock.sleep)
    assert (asked, called, outcome.value) == (["first", "first", "second"], ["first", "second"], "answer")
    assert [(skip.candidate.model.slug, skip.code) for skip in outcome.skipped] == [("first", "too_long")]


def test_a_deadline_holds_for_fits_too() -> None:
    """A slow ``fits`` uses the walk's time up; the candidates behind it are not asked any more."""
    clock, asked = Clock(), list[str]()

    def fits(candidate: Candidate) -> tuple[int, int]:
        asked.append(candidate.vendor or "")
        clock.now += 2
        return 2, 1

    decision = decided(*[model(f"m{number}", 100 + number, "acme") for number in range(9)])
    outcome = Failover(decision, Policy(deadline=3.0), clock=clock).run(lambda *_: "answer", fits=fits)
    assert (outcome.ended, len(asked), len(outcome.skipped), outcome.attempts) == ("deadline", 2, 2, ())


@pytest.mark.parametrize(
    ("wish", "deadline", "calls"),
    [
        ("2", None, ["a/x", "a/x"]),
        ("2", 1.5, ["a/x", "a/y"]),
        ("2", 2.0, ["a/x", "a/y"]),
        ("61", None, ["a/x", "a/y"]),
        ("999999999", None, ["a/x", "a/y"]),
        ("0", None, ["a/x", "a/x"]),
        ("-3", None, ["a/x", "a/x"]),
        ("soon", None, ["a/x", "a/x"]),
    ],
)
def test_a_wish_to_wait_is_followed_or_the_walk_moves_on(wish: str, deadline: float | None, calls: list[str]) -> None:
    """Retry-After is waited for where there is time; beyond the deadline, or a minute, the next route is called."""
    limited = Fail(429, response=SimpleNamespace(headers={"retry-after": wish}))
    outcome, called = walk({"a/x": [limited, "answer"]}, deadline=deadline)
    assert called == calls
    assert outcome.attempts[1].waited == (
        2.0 if wish == "2" and not deadline else pytest.approx(outcome.attempts[1].waited)
    )
    assert outcome.attempts[1].waited <= 2.0


def test_waits_double_and_repeat_with_their_seed() -> None:
    """Back-off doubles, half of it is chance, the chance is the seed's, and no wait is longer than a minute."""

    def waits(seed: int) -> list[float]:
        clock = Clock()
        policy = Policy(retries_per_route=9, max_attempts=10, backoff=1.0, seed=seed)
        Failover(CHAIN, policy, clock=clock).run(Script({"x": BUSY}), sleep=clock.sleep)
        return clock.slept

    found = waits(1)
    assert found == waits(1) != waits(2)
    most = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    assert all(top / 2 <= wait <= top for wait, top in zip(found, most, strict=True))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("strategy", "random"),
        ("model", "same"),
        ("scope", "everything"),
        ("max_attempts", 0),
        ("max_attempts", True),
        ("max_attempts", 2.5),
        ("retries_per_route", -1),
        ("deadline", -1),
        ("deadline", float("nan")),
        ("deadline", "5"),
        ("attempt_timeout", 0),
        ("attempt_timeout", 10**400),
        ("backoff", None),
        ("backoff", float("inf")),
    ],
)
def test_a_policy_that_is_none_is_refused(field: str, value: object) -> None:
    """A value out of range is refused when the policy is made, by name and value."""
    with pytest.raises(UsageError, match=field):
        Policy(**{field: value})  # type: ignore[arg-type]


def test_a_preference_that_nobody_reads_is_refused() -> None:
    """A preference for the model under a strategy that does not read it is a mistake, not an option."""
    with pytest.raises(UsageError, match="says nothing under power_rank"):
        Policy(strategy="power_rank", model="require_different")


# nothing is silent


def test_every_attempt_tells_what_it_cost() -> None:
    """An attempt records route, error, rule, duration and what the switch costs: rank, price, lost prompt cache."""
    clock = Clock()
    decision = decided(
        model("a", 300, offer("x", price_in="3", price_out="15")),
        model("b", 260, offer("y", price_in="2.5", price_out=None)),
    )
    outcome = Failover(decision, clock=clock).run(Script({"x": KEY}, clock, seconds=1.5))
    first, second = (attempt.to_data() for attempt in outcome.attempts)
    assert (first["model"], first["vendor"], first["kind"], first["reach"]) == ("a", "x", "auth", "vendor")
    assert (first["told_by"], first["error"], first["seconds"]) == ("status 401", "Fail", 1.5)
    assert (first["cooled"], first["switch"], first["ok"]) == (VENDOR_COOL_DOWN, None, False)
    assert (second["rule"], second["ok"]) == ("next_best_model after auth", True)
    assert second["switch"] == {"rank": -40, "price_in": "-0.5", "price_out": None, "cache_lost": True}
    assert outcome.attempts[1].switch is not None
    assert outcome.attempts[1].switch.price_in == Decimal("-0.5")


def test_when_all_fail_the_error_names_count_and_last() -> None:
    """Exhaustion is an outcome; unwrapping it raises, naming count and last route, caused by the last error."""
    decision = decided(model("a", 300, "x"), model("b", 200, "y"))
    outcome, _ = walk({"x": GONE, "y": LOST}, decision)
    assert (outcome.ok, outcome.ended, outcome.candidate, outcome.value) == (False, "exhausted", None, None)
    with pytest.raises(FailoverError) as raised:
        outcome.unwrap()
    text = (
        "no candidate answered (exhausted) after 2 calls and 0 skipped; the last, b by y: ConnectionResetError: reset"
    )
    assert raised.value.message == text
    assert raised.value.__cause__ is LOST
    assert [attempt["model"] for attempt in raised.value.data["attempts"]] == ["a", "b"]  # type: ignore[attr-defined]


def test_an_empty_decision_calls_nobody() -> None:
    """Nothing to call is an outcome too. The predecessor's resolver threw."""
    outcome, called = walk({}, decided(model("a", 300, "x"), min_power=500))
    assert (outcome.ended, outcome.attempts, outcome.skipped, called) == ("exhausted", (), (), [])
    with pytest.raises(FailoverError, match=r"after 0 calls and 0 skipped$"):
        outcome.unwrap()


class Unspeakable(Exception):
    """An exception that cannot say what it is, and counts as false."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    def __bool__(self) -> bool:
        return False


def test_an_error_without_words_is_still_a_failure() -> None:
    """An exception that raises when it is printed, or counts as false, is recorded as the failure it is."""
    decision = decided(model("a", 300, "x"))
    outcome, _ = walk({"x": Unspeakable()}, decision)
    assert (outcome.ok, outcome.attempts[0].ok, outcome.attempts[0].kind) == (False, False, "unknown")
    with pytest.raises(FailoverError, match="a by x: Unspeakable"):
        outcome.unwrap()


# the caller's own functions


def test_a_misfit_is_asked_before_each_call_and_is_no_attempt() -> None:
    """What does not fit is skipped before anybody is called; an unknown window passes."""
    windows = {"a": 5, "b": None, "c": 100}
    outcome, called = walk({"b/x": GONE}, fits=lambda candidate: (10, windows[candidate.model.slug]))
    assert called == ["b/x", "b/z"]
    assert skips(outcome) == {"a/x": "too_long", "a/y": "too_long"}


async def _later(_: Candidate) -> tuple[int, int]:
    return 1, 2


@pytest.mark.parametrize("fits", [lambda _: 1 / 0, lambda _: 5, lambda _: ("5", 3), lambda _: (1.5, 3), _later])
def test_a_fits_that_is_wrong_is_contained(fits: Any) -> None:
    """A ``fits`` that raises, answers nonsense or is a coroutine skips its candidate with the reason."""
    outcome, called = walk({}, fits=fits)
    assert (outcome.ended, called) == ("exhausted", [])
    assert set(skips(outcome).values()) == {"fits_error"}
    with pytest.raises(FailoverError, match="5 skipped; the first, a by x: fits raised"):
        outcome.unwrap()


def _raising(_: BaseException) -> Verdict:
    raise Unspeakable


async def _classified(_: BaseException) -> Verdict:
    return Verdict("auth", "late")


@pytest.mark.parametrize(
    "wrong",
    [
        _raising,
        _classified,
        lambda _: None,
        lambda _: "auth",
        lambda _: SimpleNamespace(kind="auth"),
        lambda _: Verdict("lunar", "moon"),  # type: ignore[arg-type]
        lambda _: Verdict([], "list"),  # type: ignore[arg-type]
        lambda _: Verdict("rate_limit", "text", float("inf")),
        lambda _: Verdict("rate_limit", "text", "soon"),  # type: ignore[arg-type]
    ],
)
def test_a_classify_that_is_wrong_is_contained(wrong: Any) -> None:
    """A ``classify`` that raises or answers nonsense leaves the failure unknown: it goes on and cools nothing down."""
    outcome = Failover(CHAIN).run(Script({"a/x": BUSY}), classify=wrong)
    assert (outcome.ok, outcome.attempts[0].kind, outcome.attempts[0].cooled) == (True, "unknown", None)
    assert str(outcome.attempts[0].told_by).startswith("classify ")


def test_a_classify_of_ones_own_is_followed() -> None:
    """A caller who knows better says so, and is asked about every error."""

    def own(error: BaseException) -> Verdict:
        return Verdict("request", "mine") if error is GONE else classify(error)

    outcome = Failover(CHAIN).run(Script({"a/x": KEY, "a/y": GONE}), classify=own)
    assert [(attempt.kind, attempt.told_by) for attempt in outcome.attempts] == [
        ("auth", "status 401"),
        ("request", "mine"),
    ]


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_coroutine_given_to_threads_is_told_and_closed(timeout: float | None) -> None:
    """A coroutine function given to ``run`` is no success: the walk stops and says what to use instead."""
    outcome = Failover(CHAIN, Policy(attempt_timeout=timeout)).run(Script({}).later)
    assert (outcome.ok, outcome.ended, len(outcome.attempts)) == (False, "request", 1)
    assert "use arun" in str(outcome.error)


# health


@pytest.fixture
def clock() -> Clock:
    """A clock of this test's own."""
    return Clock()


@pytest.fixture
def health(clock: Clock) -> Health:
    """A health that several walks share."""
    return Health(clock=clock)


def test_a_failure_changes_what_the_next_walk_does(health: Health, clock: Clock) -> None:
    """Walks that share a health skip what failed for another, with the reason and the seconds left."""
    walk({"a/x": BUSY}, health=health, retries_per_route=0)
    clock.now += 10
    outcome, called = walk({}, health=health)
    assert (called, skips(outcome)) == (["a/y"], {"a/x": "cooling"})
    assert outcome.skipped[0].detail == "cooling down for 20 s more: status 503"
    assert outcome.attempts[0].rule == "next_best_model after cooling"
    unshared, called = walk({})
    assert (unshared.ok, called) == (True, ["a/x"])


@pytest.mark.parametrize("error", [LONG, FILTERED, BAD, Fail(None, "unknown")])
def test_what_is_about_the_request_cools_nothing(health: Health, error: Exception) -> None:
    """A prompt that is too long, filtered or malformed, and what nobody understands, closes no route to others."""
    outcome, _ = walk({"a/x": error}, health=health)
    assert outcome.attempts[0].cooled is None
    assert health.cooling().places == {}


def test_every_failed_route_of_a_walk_cools(health: Health) -> None:
    """The second failure of one walk counts as much as the first."""
    walk({"a/x": GONE, "a/y": LOST}, health=health)
    assert set(health.cooling().places) == {("a", "x"), ("a", "y")}


def test_a_success_reopens_a_route(health: Health, clock: Clock) -> None:
    """A probe that succeeds opens the route to everybody, and is recorded as the probe it was."""
    walk({"a/x": BUSY}, health=health, retries_per_route=0)
    clock.now += COOL_DOWN
    outcome, _ = walk({}, health=health)
    assert (outcome.attempts[0].candidate, outcome.attempts[0].probe) == (CHAIN.chosen, True)
    assert health.admit("a", "x") == "closed"


def test_a_probe_is_one_call(health: Health, clock: Clock) -> None:
    """A probe that fails is not retried, and the route rests twice as long."""
    walk({"a/x": BUSY}, health=health, retries_per_route=0)
    clock.now += COOL_DOWN
    outcome, called = walk({"a/x": BUSY}, health=health, retries_per_route=5)
    assert called == ["a/x", "a/y"]
    assert (outcome.attempts[0].probe, outcome.attempts[0].cooled) == (True, 2 * COOL_DOWN)


def test_a_probe_that_says_nothing_is_given_back(health: Health, clock: Clock) -> None:
    """A probe whose request was bad leaves the route to the next one who asks."""
    walk({"a/x": BUSY}, health=health, retries_per_route=0)
    clock.now += COOL_DOWN
    walk({"a/x": BAD}, health=health)
    assert [health.admit("a", "x"), health.admit("a", "x")] == ["probe", None]


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("timeout", [None, 5.0])
def test_an_interrupt_goes_through_and_gives_its_probe_back(
    health: Health, clock: Clock, interrupt: type[BaseException], timeout: float | None
) -> None:
    """An interrupted call raises as it is, in this thread or from a worker, and its probe is free again."""
    health.failed("a", "x", whole_vendor=True, reason="status 401")
    clock.now += VENDOR_COOL_DOWN
    with pytest.raises(interrupt):
        Failover(CHAIN, Policy(attempt_timeout=timeout), health=health).run(Script({"a/x": interrupt()}))
    assert health.admit("a", "x") == "probe"


def test_an_interrupt_while_classifying_gives_its_probe_back(health: Health, clock: Clock) -> None:
    """The probe is free again wherever in the walk the interrupt strikes."""
    health.failed("a", "x", whole_vendor=False, reason="status 503")
    clock.now += COOL_DOWN

    def interrupted(_: BaseException) -> Verdict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Failover(CHAIN, health=health).run(Script({"a/x": BUSY}), classify=interrupted)
    assert health.admit("a", "x") == "probe"


def test_a_cancelled_walk_gives_its_probe_back(health: Health, clock: Clock) -> None:
    """Cancelling the task of a walk cancels its call, and the probe is free again."""
    health.failed("a", "x", whole_vendor=False, reason="status 503")
    clock.now += COOL_DOWN
    seen: list[str] = []

    async def hang(_: Candidate, __: float | None) -> None:
        try:
            seen.append("called")
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            seen.append("cleaned up")

    async def main() -> None:
        task = asyncio.create_task(Failover(CHAIN, health=health).arun(hang))
        while not seen:
            await asyncio.sleep(0)
        assert health.admit("a", "x") is None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen == ["called", "cleaned up"]

    asyncio.run(main())
    assert health.admit("a", "x") == "probe"


def test_an_interrupted_coroutine_gives_its_probe_back(health: Health, clock: Clock) -> None:
    """An interrupt within a coroutine ends the program as it would without us, and its probe is free again."""
    health.failed("a", "x", whole_vendor=False, reason="status 503")
    clock.now += COOL_DOWN
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(Failover(CHAIN, health=health).arun(Script({"a/x": KeyboardInterrupt()}).later))
    assert health.admit("a", "x") == "probe"


def test_one_of_many_threads_probes(health: Health, clock: Clock) -> None:
    """Of eight walks at once one probes the route that comes out of its rest; the others go elsewhere, and say why."""
    health.failed("a", "x", whole_vendor=False, reason="status 503")
    clock.now += COOL_DOWN
    others = threading.Barrier(8, timeout=5)

    def call(candidate: Candidate, _: float | None) -> str:
        others.wait()
        return str(candidate.vendor)

    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(lambda _: Failover(CHAIN, health=health).run(call), range(8)))
    assert sorted(outcome.value for outcome in outcomes) == ["x"] + ["y"] * 7
    assert sorted(attempt.probe for outcome in outcomes for attempt in outcome.attempts) == [False] * 7 + [True]
    assert {skip.detail for outcome in outcomes for skip in outcome.skipped} == {"another call probes it: status 503"}


@pytest.mark.parametrize(("last_resort", "called"), [(False, []), (True, ["a/x"])])
@pytest.mark.parametrize("strategy", ["none", "next_best_model"])
def test_a_last_resort_is_asked_for(health: Health, strategy: str, last_resort: bool, called: list[str]) -> None:
    """When every route rests nobody is called, unless the policy says so; the record tells which it was."""
    for vendor in "xyzw":
        health.failed("", vendor, whole_vendor=True, reason="status 401")
    outcome, went = walk({}, health=health, last_resort=last_resort, strategy=strategy)
    assert went == called
    assert [(attempt.last_resort, attempt.rule) for attempt in outcome.attempts] == [(True, "last_resort")] * len(
        called
    )
    assert outcome.ok == last_resort
    if not last_resort:
        assert set(skips(outcome).values()) <= {"cooling", "policy"}
        with pytest.raises(FailoverError, match="a by x: cooling down for 300 s more: status 401"):
            outcome.unwrap()


def test_a_decision_of_last_resort_is_walked(health: Health) -> None:
    """A decision that offers what rests, because the request said so, is called in spite of the rest."""
    health.failed("a", "x", whole_vendor=False, reason="status 503")
    decision = decided(model("a", 300, "x"), health=health.cooling(), last_resort=True)
    outcome, called = walk({}, decision, health=health)
    assert (called, outcome.attempts[0].last_resort) == (["a/x"], True)


# time that really passes


def test_a_slow_call_is_abandoned_and_told() -> None:
    """A call that does not return in time is left in its thread, is told as abandoned, and the next is called."""
    free = threading.Event()

    def call(candidate: Candidate, left: float | None) -> str:
        if candidate.vendor == "x":
            free.wait(5)
        return f"{candidate.vendor} in {left}"

    outcome = Failover(CHAIN, Policy(attempt_timeout=0.02, retries_per_route=0)).run(call)
    free.set()
    assert outcome.value == "y in 0.02"
    first = outcome.attempts[0]
    assert (first.kind, first.abandoned, first.ok, first.cooled) == ("timeout", True, False, COOL_DOWN)


def test_a_slow_coroutine_is_cancelled() -> None:
    """A coroutine that does not return in time is cancelled; it ended, so it is not told as abandoned."""
    seen: list[str] = []

    async def call(candidate: Candidate, _: float | None) -> str:
        if candidate.vendor == "x":
            try:
                await asyncio.Event().wait()
            finally:
                seen.append("cleaned up")
        return "answer"

    outcome = asyncio.run(Failover(CHAIN, Policy(attempt_timeout=0.02, retries_per_route=0)).arun(call))
    assert (outcome.value, seen) == ("answer", ["cleaned up"])
    assert (outcome.attempts[0].kind, outcome.attempts[0].abandoned) == ("timeout", False)


def test_a_coroutine_that_swallows_its_cancellation_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coroutine that ignores its cancellation is told as abandoned; what it returns later is no success."""
    monkeypatch.setattr("catalog.selector.calls.GRACE", 0.01)

    async def stubborn(candidate: Candidate, _: float | None) -> str:
        while candidate.vendor == "x" and not asyncio.get_running_loop().time() > until:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return str(candidate.vendor)

    until = time.monotonic() + 0.05
    outcome = asyncio.run(Failover(CHAIN, Policy(attempt_timeout=0.01, retries_per_route=0)).arun(stubborn))
    assert outcome.value == "y"
    assert (outcome.attempts[0].kind, outcome.attempts[0].abandoned) == ("timeout", True)


def test_a_call_that_cancels_itself_is_a_failure() -> None:
    """A coroutine that raises a cancellation of its own fails, and the walk goes on."""

    async def call(candidate: Candidate, _: float | None) -> str:
        if candidate.vendor == "x":
            raise asyncio.CancelledError
        return "answer"

    outcome = asyncio.run(Failover(CHAIN).arun(call))
    assert (outcome.value, outcome.attempts[0].kind) == ("answer", "unknown")


def test_a_deadline_of_ones_own_is_no_fault_of_the_route(health: Health) -> None:
    """A call cut off because the caller's time was over, and not its own, closes the route to nobody else."""
    free = threading.Event()
    policy = Policy(deadline=0.02, attempt_timeout=5.0)
    outcome = Failover(CHAIN, policy, health=health).run(lambda *_: free.wait(5))
    free.set()
    assert (outcome.ended, outcome.attempts[0].kind, outcome.attempts[0].cooled) == ("deadline", "timeout", None)
    assert health.cooling().places == {}


def test_a_worker_sees_the_callers_context() -> None:
    """A context variable, such as a trace, is the same in a worker as in the thread that called."""
    trace = contextvars.ContextVar("trace", default="none")
    trace.set("mine")
    assert Failover(CHAIN, Policy(attempt_timeout=5.0)).run(lambda *_: trace.get()).value == "mine"


def test_no_worker_without_a_timeout() -> None:
    """Without a limit for one call, a call stays in the caller's thread."""
    policy = Policy(deadline=5.0)
    assert Failover(CHAIN, policy).run(lambda *_: threading.current_thread()).value is threading.current_thread()


# all of it at once


ERRORS = (RATE, BUSY, SLOW, LOST, KEY, CREDIT, GONE, LONG, FILTERED, BAD, Fail(None, "who knows"))
POLICIES = st.builds(
    lambda pair, **rest: Policy(strategy=pair[0], model=pair[1], **rest),
    st.sampled_from(
        [
            *((strategy, "prefer_same") for strategy in ("none", "same_model_other_vendor", "power_rank")),
            *(
                ("next_best_model", way)
                for way in ("prefer_same", "require_same", "prefer_different", "require_different")
            ),
        ]
    ),
    scope=st.sampled_from(["all", "network", "rate_limit", "service"]),
    max_attempts=st.integers(1, 6),
    retries_per_route=st.integers(0, 2),
    deadline=st.none() | st.floats(0, 3),
    last_resort=st.booleans(),
)
MODELS = st.lists(
    st.tuples(
        st.integers(0, 300), st.sets(st.sampled_from("wxyz"), min_size=1), st.sampled_from([None, 100_000, 200_000])
    ),
    max_size=5,
)


class Drawn(Script):
    """Calls that end as drawn, one after the other, and then in 503 for good."""

    def __init__(self, answers: list[object], clock: Clock) -> None:
        super().__init__({}, clock)
        self.left, self.given = list(answers), list[object]()

    def __call__(self, candidate: Candidate, _: float | None) -> object:
        self.called.append("/".join(candidate.route))
        self.given.append(self.left.pop(0) if self.left else BUSY)
        if isinstance(self.given[-1], Exception):
            raise self.given[-1]
        return self.given[-1]


@given(
    facts=MODELS,
    answers=st.lists(st.sampled_from([*ERRORS, "answer"]), max_size=12),
    policy=POLICIES,
    cold=st.sets(st.tuples(st.integers(0, 4), st.sampled_from("wxyz"))),
    long=st.sets(st.integers(0, 4)),
)
def test_whatever_fails_everything_is_accounted_for(
    facts: list[tuple[int, set[str], int | None]],
    answers: list[object],
    policy: Policy,
    cold: set[tuple[int, str]],
    long: set[int],
) -> None:
    """Whatever fails in whatever order: threads and coroutines do the same, no cap is exceeded, no candidate is lost.

    Each candidate is attempted, skipped, or was never reached because the walk ended; a failure is never a success.
    """
    found = [model(f"m{i}", power, *vendors, context=size) for i, (power, vendors, size) in enumerate(facts)]
    decision = decided(*found, model("unranked", None, "x"))

    def fits(candidate: Candidate) -> tuple[int, int | None]:
        return 10, 5 if candidate.model.slug in {f"m{number}" for number in long} else candidate.context

    def walked(*, later: bool) -> tuple[Outcome, Drawn, Health]:
        clock = Clock()
        health, script = Health(clock=clock), Drawn(answers, clock)
        for number, vendor in cold:
            health.failed(f"m{number}", vendor, whole_vendor=False, reason="before")
        clock.now += COOL_DOWN if len(cold) % 2 else 1.0
        failover = Failover(decision, policy, health=health, clock=clock)
        if later:
            return asyncio.run(failover.arun(script.later, fits=fits, sleep=clock.asleep)), script, health
        return failover.run(script, fits=fits, sleep=clock.sleep), script, health

    first, script, health = walked(later=False)
    second, other, same = walked(later=True)
    assert told(first) == told(second)
    assert (script.called, script.given) == (other.called, other.given)
    assert health.cooling() == same.cooling()

    assert script.called == ["/".join(attempt.candidate.route) for attempt in first.attempts]
    assert len(first.attempts) <= policy.max_attempts
    assert [attempt.ok for attempt in first.attempts] == [not isinstance(end, Exception) for end in script.given]
    assert first.ok == (first.ended == "success") == any(attempt.ok for attempt in first.attempts)
    assert not any(attempt.ok for attempt in first.attempts[:-1])
    assert all(attempt.switch for attempt in first.attempts[1:])

    attempted = {attempt.candidate for attempt in first.attempts}
    skipped = [skip.candidate for skip in first.skipped]
    assert len(skipped) == len(set(skipped))
    assert not attempted & set(skipped)
    unreached = set(decision.candidates) - attempted - set(skipped)
    assert not unreached or first.ended != "exhausted"
    assert attempted | set(skipped) <= set(decision.candidates)
