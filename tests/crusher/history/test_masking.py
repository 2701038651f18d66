"""Masking: outputs that have served give way to a line, which brings them back from the caller's store."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher.conversation.sending import tokens_of
from catalog.crusher.conversation.texts import texts
from catalog.crusher.history import (
    MemoryStore,
    Meta,
    Policy,
    SqliteStore,
    Waiting,
    at_insertion,
    break_even,
    compact,
    cost,
    default_meta,
    mask,
    prune,
    recover,
    retrieve,
)
from catalog.crusher.history.masks import MASK
from catalog.crusher.history.stores import ref_of
from catalog.crusher.prefix.profiles import CacheProfile
from tests.crusher.history.conversations import CONVERSATIONS, conversation, is_paired
from tests.crusher.history.test_pruning import BESIDE, CHAT, LONG

ANTHROPIC = CacheProfile(
    name="anthropic-5m", minimum_tokens=1_024, breakpoints=4, look_back=20, ttl_seconds=300, read=0.1, write=1.25
)
OPENAI = CacheProfile(name="openai", minimum_tokens=1_024, breakpoints=0, read=0.1, write=1.0)
LATER = Policy(after=1)


def test_a_mask_says_what_it_was_and_brings_it_back() -> None:
    """Its key is the first line that says something, or what a caller's summary says."""
    store = MemoryStore()
    found = mask(CHAT, store, LATER)
    text = found.messages[3]["content"]
    assert text == f"[Obs:{found.refs[0]} elided. Key: row one. Full content retrievable.]"
    assert retrieve(store, text).text == retrieve(store, found.refs[0]).text == LONG
    assert found.saved > 100
    assert found.messages[4] is CHAT[4]
    named = mask(CHAT, store, LATER, summarise=lambda text, *_: f"{len(text)}\ncharacters").messages[3]["content"]
    assert "Key: 668 characters. Full" in named
    assert "Key: row one. Full" in mask(CHAT, store, LATER, summarise=lambda *_: " ").messages[3]["content"]


def test_what_is_not_stored_is_told() -> None:
    """The model is told to call the tool again, not that there was nothing."""
    found = retrieve(MemoryStore(), "Obs:0123456789abcdef")
    assert (found.text, found.told) == (None, "Nothing is stored under Obs:0123456789abcdef; call the tool again.")


def test_what_is_still_needed_is_never_masked() -> None:
    """The latest turn, the current task, errors while debugging, short outputs, and what has not served long enough."""
    chat = [*deepcopy(CHAT), {"role": "user", "content": "More."}]
    known = default_meta(chat)

    def masked(policy: Policy, **wanted: Any) -> list[int]:
        meta = (lambda m, i: replace(known(m, i), **wanted)) if wanted else None
        found = mask(chat, MemoryStore(), policy, meta=meta)
        return [index for index, own in enumerate(found.messages) if own is not chat[index]]

    assert masked(LATER) == [3]
    assert masked(Policy(after=0), turn=3) == []
    assert masked(LATER, protected=True) == []
    assert masked(replace(LATER, debugging=True)) == [3]
    assert masked(replace(LATER, debugging=True), is_error=True) == []
    assert masked(replace(LATER, least_chars=700)) == []
    assert masked(Policy(after=2)) == [3]
    assert masked(Policy(after=3)) == []


def test_masking_waits_until_it_pays() -> None:
    """Where the cache behind it costs more than the turns that are left give back, nothing is masked, unless forced."""
    chat = [*CHAT, *({"role": "assistant", "content": "text " * 900} for _ in range(9))]
    store = MemoryStore()
    waits = mask(chat, store, replace(LATER, profile=ANTHROPIC))
    assert (waits.messages, waits.refs, waits.saved, waits.pays_after) == (tuple(chat), (), 0, 0.0)
    forced = mask(chat, store, replace(LATER, profile=ANTHROPIC, forced=True))
    assert (len(forced.refs), forced.waiting) == (1, None)
    assert forced.pays_after > 10
    assert waits.waiting == Waiting(messages=(3,), saved=forced.saved, pays_after=forced.pays_after)
    assert mask(chat, store, replace(LATER, profile=ANTHROPIC, turns_left=10_000)).refs == forced.refs


def test_an_early_output_does_not_keep_a_late_one_from_being_masked() -> None:
    """What reaches furthest back of all that pays is masked; what stands before it waits, and is not summarised."""
    asked: list[str] = []

    def summarise(text: str, *_: object) -> str:
        asked.append(text)
        return "late"

    call = {"id": "late", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    late = "a long output, " * 4_000
    chat = [
        *CHAT,
        *({"role": "assistant", "content": "text " * 900} for _ in range(40)),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "late", "content": late},
        *({"role": "user", "content": "Thanks."} for _ in range(2)),
    ]
    found = mask(chat, MemoryStore(), replace(LATER, profile=ANTHROPIC), summarise=summarise)
    assert [number for number, own in enumerate(found.messages) if own is not chat[number]] == [48]
    assert found.pays_after < 1
    assert found.waiting is not None
    assert (found.waiting.messages, asked) == ((3,), [late])
    assert mask(chat, MemoryStore(), replace(LATER, profile=ANTHROPIC, turns_left=0)).refs == ()


def test_a_long_key_does_not_make_a_mask_longer_than_its_output() -> None:
    """The key gives way to the first line."""
    chat = [{**own, "content": "row one\n" + "x, " * 30} if own.get("tool_call_id") == "a" else own for own in CHAT]
    policy = Policy(after=0, least_chars=0)
    found = mask(chat, MemoryStore(), policy, summarise=lambda *_: "a long key " * 9).messages[3]["content"]
    assert MASK.fullmatch(found)
    assert "Key: row one." in found


def test_a_blank_line_of_boilerplate_is_none() -> None:
    """Outputs keep their blank lines."""
    output = {"role": "tool", "tool_call_id": "b", "content": "BANNER\none\n\ntwo\n"}
    entered = at_insertion(output, CHAT[:3], MemoryStore(), boilerplate="BANNER\n\nLicensed")
    assert entered.message["content"] == "one\n\ntwo\n"


def test_what_is_too_short_to_be_cached_does_not_wait() -> None:
    """Below the least tokens of a prefix nothing is lost by masking."""
    dear = replace(ANTHROPIC, minimum_tokens=100_000)
    chat = [*CHAT, *({"role": "assistant", "content": "text " * 900} for _ in range(9))]
    found = mask(chat, MemoryStore(), replace(LATER, profile=dear))
    assert (len(found.refs), found.pays_after) == (1, 0.0)


@settings(max_examples=200)
@given(CONVERSATIONS, st.integers(1, 2_000), st.integers(0, 60))
def test_a_mask_survives_whatever_comes_after(messages: list[dict[str, Any]], limit: int, first: int) -> None:
    """Summaries, first characters and recovery leave it whole, or take its message: what it stands for can be found."""
    masked = mask(messages, MemoryStore(), Policy(after=1)).messages

    def expiring(_: object, index: int) -> Meta:
        return replace(default_meta(masked)(masked[index], index), expires_after=0, mode="compact")

    for left in (
        compact(masked, lambda text, *_: text[:3], target=1).messages,
        prune(masked, 99, meta=expiring, first_chars=first).messages,
        recover(masked, limit).messages,
    ):
        for message in left:
            for place in texts(message):
                assert "[Obs:" not in place.text or MASK.fullmatch(place.text)


@pytest.mark.parametrize("wrong", [{"after": -1}, {"least_chars": -1}, {"turns_left": -1}, {"turns_left": math.nan}])
def test_a_policy_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    """Naming the field and its value."""
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f"{name} of the policy is {value}: at least 0"):
        Policy(**wrong)


def test_what_stands_behind_a_mask_is_what_is_written_anew() -> None:
    """From the first mask on: the messages after it, and what is left of those that are masked."""
    chat = [*CHAT, *({"role": "assistant", "content": "text " * 900} for _ in range(3))]
    found = mask(chat, MemoryStore(), replace(LATER, profile=ANTHROPIC, forced=True))
    behind = sum(map(tokens_of, found.messages[3:]))
    assert found.pays_after == pytest.approx(break_even(found.saved, behind, ANTHROPIC), rel=0.01)
    saved = sum(map(tokens_of, chat)) - sum(map(tokens_of, found.messages))
    assert found.saved == pytest.approx(saved, abs=5)


@pytest.mark.parametrize(
    ("profile", "saved", "behind", "turns"),
    [
        (ANTHROPIC, 10_000, 2_000, 2.3),
        (ANTHROPIC, 10_000, 10_000, 11.5),
        (ANTHROPIC, 10_000, 50_000, 57.5),
        (ANTHROPIC, 2_000, 50_000, 287.5),
        (OPENAI, 10_000, 2_000, 1.8),
        (OPENAI, 2_000, 50_000, 225),
        (ANTHROPIC, 0, 1, math.inf),
        (ANTHROPIC, 5, 0, 0.0),
        (replace(ANTHROPIC, read=0.0), 5, 5, math.inf),
    ],
)
def test_break_even_follows_from_the_prices(profile: CacheProfile, saved: int, behind: int, turns: float) -> None:
    """(write - read) * behind / (read * saved) turns, the figures of two vendors' prices."""
    assert break_even(saved, behind, profile) == pytest.approx(turns)
    with pytest.raises(ValueError, match="saved is -1: at least 0"):
        break_even(-1, 0, profile)


@settings(max_examples=200)
@given(CONVERSATIONS, st.integers(0, 4), st.booleans())
def test_whatever_is_masked_comes_back(messages: list[dict[str, Any]], after: int, debugging: bool) -> None:
    """Each mask is in the store, masking again changes nothing, pairs hold, and nothing else was touched."""
    before = deepcopy(messages)
    store = MemoryStore()
    policy = Policy(after=after, debugging=debugging)
    found = mask(messages, store, policy)
    assert messages == before
    assert is_paired(found.messages)
    assert mask(found.messages, store, policy).messages == found.messages
    for own, whole in zip(found.messages, messages, strict=True):
        for place, old in zip(texts(own), texts(whole), strict=True):
            if place.text != old.text:
                assert MASK.fullmatch(place.text)
                assert retrieve(store, place.text).text == old.text
                assert old.result_of


def test_a_file_keeps_what_was_masked(tmp_path: Path) -> None:
    """Another program, or the next one, finds it there."""
    store = SqliteStore(tmp_path / "observations.db")
    found = mask([*CHAT[:3], {**CHAT[3], "content": LONG + "\ud800é"}, *CHAT[4:]], store, LATER)
    store.close()
    again = SqliteStore(tmp_path / "observations.db")
    assert retrieve(again, found.refs[0]).text == LONG + "\ud800é"
    again.put(found.refs[0], "another text")
    assert retrieve(again, found.refs[0]).text == LONG + "\ud800é"
    again.close()


def test_repeats_and_boilerplate_do_not_enter() -> None:
    """An output that stands there comes in as a mask, unless that one was masked; banners do not come in at all."""
    store = MemoryStore()
    entering = {"role": "tool", "tool_call_id": "b", "content": LONG}
    repeated = at_insertion(entering, CHAT[:4], store)
    assert retrieve(store, repeated.message["content"]).text == LONG
    assert repeated.refs == (ref_of(LONG),)
    masked = mask(CHAT, store, LATER).messages
    assert at_insertion(entering, masked[:4], store).message is entering
    banner = {**entering, "content": "== tool 3.1 ==\nthe answer\nby the tool\n"}
    calls = CHAT[:3]
    entered = at_insertion(banner, calls, store, boilerplate="== tool 3.1 ==\nby the tool")
    assert entered.message["content"] == "the answer\n"
    assert entered.left_out == ("== tool 3.1 ==\n", "by the tool\n")
    alone = {**entering, "content": "== tool 3.1 ==\n"}
    assert at_insertion(alone, calls, store, boilerplate=["== tool 3.1 =="]).message is alone
    assert at_insertion(entering, calls, store).message is entering
    said = {"role": "user", "content": LONG}
    assert at_insertion(said, [said], store).message is said
    short = {**entering, "content": "ok"}
    assert at_insertion(short, [*calls, short], store, least_chars=0).message is short
    assert at_insertion(entering, CHAT[:4], store, least_chars=len(LONG) + 1).message is entering


def test_an_error_of_anthropic_is_seen_by_its_flag() -> None:
    """While debugging it stays; in the same message the other results are masked."""
    messages = conversation(Random(11), "anthropic", 6)
    found = mask(messages, MemoryStore(), Policy(after=1, debugging=True))
    kept = [place for message in found.messages for place in texts(message) if place.is_error]
    assert kept
    assert not any(MASK.fullmatch(place.text) for place in kept)
    beside = deepcopy(BESIDE)
    beside[1]["content"].append({**beside[1]["content"][0], "id": "b"})
    failed = {"type": "tool_result", "tool_use_id": "b", "content": LONG + "!", "is_error": True}
    beside[2]["content"].append(failed)
    left = mask([*beside, *beside[:1]], MemoryStore(), Policy(after=0, debugging=True)).messages[2]["content"]
    assert MASK.fullmatch(left[0]["content"])
    assert left[1:] == beside[2]["content"][1:]
    known = default_meta(messages)
    told = mask(messages, MemoryStore(), Policy(after=1, debugging=True),
                meta=lambda message, number: replace(known(message, number), is_error=True))  # fmt: skip
    assert told.refs == ()


def test_a_mask_is_shorter_than_what_it_stands_for() -> None:
    """Whatever a policy or a summary says; else nothing is masked, with or without a cache."""
    chat = [{**message, "content": "ok 1"} if message.get("tool_call_id") else message for message in CHAT]
    for profile in (None, ANTHROPIC):
        found = mask(chat, MemoryStore(), Policy(after=0, least_chars=0, profile=profile))
        assert (found.messages, found.refs, found.saved) == (tuple(chat), (), 0)
    named = mask(CHAT, MemoryStore(), LATER, summarise=lambda *_: "words " * 500).messages[3]["content"]
    assert len(named) < 220


def test_a_repeat_is_seen_through_its_banner() -> None:
    """What came in without its banner is what the next one is compared with."""
    store = MemoryStore()
    first = at_insertion({"role": "tool", "tool_call_id": "a", "content": "BANNER\n" + LONG}, CHAT[:3], store,
                         boilerplate=["  BANNER "])  # fmt: skip
    assert first.message["content"] == LONG
    repeat = {"role": "tool", "tool_call_id": "b", "content": "BANNER\n" + LONG}
    again = at_insertion(repeat, [*CHAT[:3], first.message], store, boilerplate=["BANNER"])
    assert retrieve(store, again.message["content"]).text == LONG


@pytest.mark.parametrize(
    "text", ["Error: no", "Traceback (most recent call last):", "  fatal: not a repository", "ValueError: x"]
)
def test_outputs_that_say_they_failed_stay_while_debugging(text: str) -> None:
    """By how they begin, where no flag says so; an output that counts errors is none."""
    chat = [
        {**message, "content": text + "\n" + LONG} if message.get("tool_call_id") == "a" else message
        for message in CHAT
    ]
    assert mask(chat, MemoryStore(), replace(LATER, debugging=True)).refs == ()
    assert mask(chat, MemoryStore(), LATER).refs
    fine = [{**m, "content": "Errors: 0\n" + LONG} if m.get("tool_call_id") == "a" else m for m in CHAT]
    assert mask(fine, MemoryStore(), replace(LATER, debugging=True)).refs


def test_nothing_in_a_stable_prefix_is_masked() -> None:
    """Examples that a caller keeps there may hold outputs."""
    assert mask(CHAT, MemoryStore(), LATER, is_stable=lambda _, index: index < 5).refs == ()
    assert mask(CHAT, MemoryStore(), LATER, is_stable=lambda _, index: index < 3).refs


def test_a_turn_costs_what_its_tokens_do() -> None:
    """At the price of a million; where the cache's price is not known, nothing is said of it."""
    found = cost(2_000_000, 500_000, Decimal("1.25"), Decimal("0.1"))
    assert (found.before, found.after, found.saved_cached) == (Decimal("2.5"), Decimal("0.625"), Decimal("0.15"))
    assert cost(10, 5, Decimal(1)).saved_cached is None


@pytest.mark.parametrize("path", ["/", "nowhere/store.db"])
def test_a_store_that_cannot_be_opened_is_named(path: str, tmp_path: Path) -> None:
    """And so is a file that is something else."""
    with pytest.raises(OSError, match=f"{path} cannot be used as a store: "):
        SqliteStore(path)
    (tmp_path / "note.txt").write_text("no database " * 100)
    with pytest.raises(OSError, match=r"note\.txt cannot be used as a store: file is not a database"):
        SqliteStore(tmp_path / "note.txt")
