"""What callers hand in: whatever it is, one message says what is wrong with it, and nothing is changed."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from catalog.errors import CatalogError, PromptError, UsageError
from catalog.renderer.placeholders import OF_RUN
from catalog.renderer.renderer import Renderer
from tests.renderer.estates import NOW, candidate, renderer, said, text_of

BODY = "---\ntype: llm\nsections: {s: {default: true}}\n---\n{{ x }}{% state %}{{ state.y }}{% endstate %}"
HALF = "\ud800"


def nested(depth: int) -> Any:
    """Return an object inside of so many others."""
    made: Any = {}
    for _ in range(depth):
        made = {"a": made}
    return made


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tools": 3}, "tools are 3, no list"),
        ({"tools": {"name": "a"}}, "tools are {'name': 'a'}, no list"),
        ({"tools": [{"name": HALF}]}, "history or tools have half of a surrogate pair"),
        ({"sections": ["s"]}, "sections is ['s'], no mapping"),
        ({"data": ["x"]}, "data is ['x'], no mapping"),
        ({"data": {"x": HALF}}, "p.md:5: the text has half of a surrogate pair, which is no UTF-8"),
        ({"state": 3}, "state is 3, no mapping"),
        ({"state": {"z": 1}}, "p.md:5: what is read here has no 'y'"),
        ({"history": "hi"}, "history is 'hi', no list of messages"),
        ({"history": [{"role": "user", "content": "a"}, {"role": "user", "content": [3]}]},
         "history[1].content is [3], neither a text nor blocks"),
        *(
            ({"history": [{"role": "user", "content": [{"type": "tool_result", "content": content}]}]},
             f"history[0].content[0].content is {content!r}, neither a text nor blocks")
            for content in (42, True, {"ok": True}, ["a"], [["a"]], [None])
        ),
        ({"history": [{"role": "tool", "tool_call_id": "c", "content": 42}]},
         "history[0].content is 42, neither a text nor blocks"),
        ({"tools": [{"name": "a", "paramters": {"type": "object"}}]}, "tool a has 'paramters', which would be lost"),
        ({"tools": [{"name": "a", "parameters": []}]}, "the parameters of tool a are [], no JSON Schema"),
        ({"tools": [{"name": "a", "parameters": 5}]}, "the parameters of tool a are 5, no JSON Schema"),
        ({"tools": [{"name": "a", "strict": "yes"}]}, "strict of tool a is 'yes', neither true nor false"),
        ({"history": [{"role": "user", "content": [{"type": "image", "source": b"x"}]}]},
         "history[0].content[0].source is a bytes, no plain data"),
        ({"history": [{"role": "user", "content": [{"type": "image", "source": HALF}]}]},
         "history or tools have half of a surrogate pair"),
        ({"history": [{"role": "user", "content": [{"type": "image", "source": nested(3_000)}]}]},
         "history[0].content[0].source is nested more than 100 levels deep"),
        ({"history": [{"role": "user", "content": HALF}]}, "half of a surrogate pair"),
        ({"state_mode": 3}, "state_mode 3 is unknown"),
    ],
)  # fmt: skip
def test_what_is_handed_in_wrongly_is_told(tmp_path: Path, given: dict[str, Any], told: str) -> None:
    """Naming what it is, and where."""
    with pytest.raises(CatalogError) as raised:
        renderer(tmp_path, {"p.md": BODY}).render("p", candidate(), **{"data": {"x": 1}, "state": {"y": 1}, **given})
    assert told in raised.value.message


@pytest.mark.parametrize("nobody", [None, 3, "acme-1"])
def test_without_a_candidate_nothing_is_written(tmp_path: Path, nobody: Any) -> None:
    """Nobody could be chosen: the way out is said."""
    with pytest.raises(UsageError, match=r"is no candidate to write p\.md for") as raised:
        renderer(tmp_path, {"p.md": "x"}).render("p", nobody)
    assert "explain(decision)" in raised.value.hint
    with pytest.raises(UsageError, match="3 is no name of a prompt"):
        renderer(tmp_path, {}).render(3, candidate())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"interfaces": 3}, "interfaces are 3, no mapping"),
        ({"placeholders": 3}, "placeholders are 3, no mapping"),
        ({"placeholders": {3: 1}}, "placeholder 3 is no name"),
        ({"placeholders": {"TEAM": 1}}, "placeholder 'TEAM' is no name"),
        ({"placeholders": {"_WORK": 1}}, "placeholder _WORK is built in"),
        ({"placeholders": {"_SECTION_X": 1}}, "placeholder _SECTION_X is built in"),
        ({"placeholders": {"_team": 1}}, "placeholder '_team' is no name"),
        *(
            ({"placeholders": {name: 1}}, f"placeholder {name} is built in")
            for name in ("_MODEL_POWER_RANK", "_CURRENT_DATE", "_CURRENT_TIMEZONE", "_PROMPT_NAME", *OF_RUN)
        ),
    ],
)
def test_what_a_renderer_is_made_with_wrongly_is_told(tmp_path: Path, options: Any, told: str) -> None:
    """Nothing may stand in for what the decision, the clock and the prompt say."""
    with pytest.raises(UsageError) as raised:
        Renderer(tmp_path, **options)
    assert told in raised.value.message


@pytest.mark.parametrize("now", [None, 3, dt.datetime(2026, 1, 2)])
def test_a_clock_gives_times_with_their_zones(tmp_path: Path, now: Any) -> None:
    """Else it is told before anything is written."""
    with pytest.raises(UsageError, match=r"the clock gives .*, no time with its zone"):
        renderer(tmp_path, {"p.md": "x"}, clock=lambda: now).render("p", candidate())


def test_a_placeholder_lasts_as_long_as_it_is_said_to(tmp_path: Path) -> None:
    """A user's name and a caller's own for a session, the environment for good."""
    names = {"_USER_NAME": "Ada", "_ENVIRONMENT": "test", "_TEAM": lambda: "blue"}
    files = {"p.md": "{{ _ENVIRONMENT }}|{{ _USER_NAME }}|{{ _TEAM }}"}
    found = renderer(tmp_path, files, placeholders=names).render("p", candidate())
    assert [(own.stability.label, own.text) for own in found.segments] == [
        ("static", "test|"), ("session", "Ada"), ("static", "|"), ("session", "blue"),
    ]  # fmt: skip

    def broken() -> str:
        raise OSError("no answer")

    made = renderer(tmp_path, {}, placeholders={**names, "_TEAM": broken})
    with pytest.raises(UsageError, match=r"_TEAM cannot be had: no answer \(OSError\)"):
        made.render("p", candidate())
    with pytest.raises(PromptError, match=r"p\.md:1: '_USER_NAME' is undefined") as raised:
        renderer(tmp_path, {}, placeholders={"_TEAM": 1, "_ENVIRONMENT": 1}).render("p", candidate())
    assert raised.value.hint == "Hand it in: Renderer(…, placeholders={'_USER_NAME': …})."


def test_the_time_zone_is_the_clocks(tmp_path: Path) -> None:
    """By its name."""
    body = "{% state %}{{ _CURRENT_TIMEZONE }} {{ _CURRENT_TIME }} {{ _CURRENT_DAY_OF_WEEK }}{% endstate %}"
    zone = dt.timezone(dt.timedelta(hours=2), "CEST")
    for clock, told in ((NOW, "UTC 09:30 Monday"), (NOW.astimezone(zone), "CEST 11:30 Monday")):
        found = renderer(tmp_path, {"p.md": body}, clock=lambda clock=clock: clock).render("p", candidate())
        assert told in said(found)


def test_types_that_a_program_hands_in_go_before_those_of_the_folder(tmp_path: Path) -> None:
    """Of the same name; they are read once, whatever becomes of them."""
    own: dict[str, Any] = {"type": "string"}
    files = {"p.md": "{{ interface('A') }} {{ interface('B') }}", "interfaces/A.json": '{"type": "integer"}',
             "interfaces/B.json": '{"type": "integer"}'}  # fmt: skip
    made = renderer(tmp_path, files, interfaces=MappingProxyType({"A": own}))
    assert said(made.render("p", candidate())) == "type A = string type B = integer"
    own["type"] = "boolean"
    assert said(made.render("p", candidate())) == "type A = string type B = integer"


def test_a_flag_holds_for_children_too_and_defaults_go_deeper(tmp_path: Path) -> None:
    """What specializes may give a default to what its base asks for."""
    files = {
        "base.md": "---\ndata: {title: text}\n---\n{{ title }}: {{ specialization }}",
        "p.md": "---\nbase: base.md\ndata: {title: {type: text, default: T}}\n---\np",
        "q.md": "---\nbase: base.md\n---\nq",
    }
    made = renderer(tmp_path, files)
    assert said(made.render("p", candidate())) == "T: p"
    assert said(made.render("p", candidate(), data={"title": "U"})) == "U: p"
    with pytest.raises(PromptError, match=r"base\.md:2: data has no 'title', a text"):
        made.render("q", candidate())


def test_a_rank_that_is_written_is_asked_for(tmp_path: Path) -> None:
    """Also where it is compared with nothing."""
    with pytest.raises(UsageError, match="depends on the PowerRank, and acme-1 has none"):
        text_of(tmp_path, "{{ _MODEL_POWER_RANK }}", to=candidate(None))
