"""Thresholds: what a rendering met, whom it refuses, and that texts depend on the rank only through the cuts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog import snapshot
from catalog.errors import PromptError, UsageError
from catalog.selector import Candidate, Request, select
from tests.renderer.estates import ESTATE, candidate, renderer, said

if TYPE_CHECKING:
    from tests.seeded import Templates

pytest_plugins = ["tests.seeded"]


def test_a_rendering_reports_the_thresholds_it_met(tmp_path: Path) -> None:
    """With the side and the claim; what stands in a section that is off, or behind another condition, is not met."""
    made = renderer(tmp_path, ESTATE)
    given_data: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}}
    (met,) = made.render("clerk", candidate(99), **given_data).thresholds
    assert (str(met.threshold.place), str(met.threshold), met.holds) == ("loop.md:11", "_MODEL_POWER_RANK < 100", True)
    assert met.threshold.claim is not None
    assert (met.threshold.claim.text, met.threshold.claim.eval) == (
        "follows the protocol without a worked example", "protocol/terse",
    )  # fmt: skip
    assert made.render("clerk", candidate(100), **given_data).thresholds[0].holds is False
    assert made.render("clerk", candidate(99), sections={"foreach": False}, **given_data).thresholds == ()


def test_an_elif_is_met_only_where_it_is_asked(tmp_path: Path) -> None:
    """The first condition that holds ends it."""
    body = "{% if _MODEL_POWER_RANK < 100 %}a{% elif 300 > _MODEL_POWER_RANK %}b{% else %}c{% endif %}"
    made = renderer(tmp_path, {"p.md": body})
    for power, text, met in ((50, "a", 1), (100, "b", 2), (299, "b", 2), (300, "c", 2)):
        found = made.render("p", candidate(power))
        assert (found.messages[0].text, len(found.thresholds)) == (text, met)
    assert [str(own) for own in made.program("p").thresholds] == ["_MODEL_POWER_RANK < 100", "_MODEL_POWER_RANK < 300"]


@pytest.mark.parametrize(
    ("body", "met"),
    [
        ("{{ 'a' if _MODEL_POWER_RANK < 100 else 'b' if 300 > _MODEL_POWER_RANK else 'c' }}", {50: 1, 100: 2, 300: 2}),
        ("{% if x and _MODEL_POWER_RANK < 100 %}a{% endif %}", {50: 0}),
        ("{% if not x and _MODEL_POWER_RANK < 100 %}a{% endif %}", {50: 1, 100: 1}),
        ("{% if _MODEL_POWER_RANK < 100 and _MODEL_POWER_RANK > 20 %}a{% endif %}", {50: 2, 100: 1}),
        ("{% if _MODEL_POWER_RANK < 100 or _MODEL_POWER_RANK > 300 %}a{% endif %}", {50: 1, 100: 2}),
        ("{% for i in [1, 2] if _MODEL_POWER_RANK < 100 %}a{% endfor %}", {50: 1, 100: 1}),
        ("{% for i in [] if _MODEL_POWER_RANK < 100 %}a{% endfor %}", {50: 0}),
        ("{% set y = x and _MODEL_POWER_RANK < 100 %}", {50: 0}),
    ],
)
def test_a_threshold_inside_of_an_expression_is_met_only_where_it_is_asked(
    tmp_path: Path, body: str, met: dict[int, int]
) -> None:
    """Behind ``and`` and ``or``, in the arms of a conditional expression, in the filter of a loop."""
    made = renderer(tmp_path, {"p.md": body})
    for power, count in met.items():
        found = made.render("p", candidate(power), data={"x": False} if "x" in body else {})
        assert len(found.thresholds) == count
        assert all(own.holds == own.threshold.holds(power) for own in found.thresholds)


@pytest.mark.parametrize(
    ("compares", "cuts"),
    [("< 5", (5,)), (">= 5", (5,)), ("<= 5", (6,)), ("> 5", (6,)), ("== 5", (5, 6)), ("!= 5", (5, 6))],
)
def test_cuts_are_the_ranks_at_which_a_text_may_change(tmp_path: Path, compares: str, cuts: tuple[int, ...]) -> None:
    """From which on a comparison says something else than below."""
    made = renderer(tmp_path, {"p.md": f"{{{{ 'yes' if _MODEL_POWER_RANK {compares} else 'no' }}}}"})
    assert made.program("p").cuts == cuts
    texts = {power: made.render("p", candidate(power)).messages[0].text for power in range(1, 10)}
    for power in range(2, 10):
        assert (texts[power] != texts[power - 1]) == (power in cuts)


def test_a_model_without_rank_or_of_another_type_is_refused(tmp_path: Path) -> None:
    """Naming both; a prompt that does not ask takes it."""
    made = renderer(tmp_path, {**ESTATE, "q.md": "---\ntype: llm\n---\nx"})
    asked: dict[str, Any] = {"data": {"rows": []}, "state": {"payload": 1}}
    with pytest.raises(UsageError, match=r"clerk\.md depends on the PowerRank, and acme-1 has none"):
        made.render("clerk", candidate(None), **asked)
    with pytest.raises(UsageError, match=r"of type llm, and acme-1 is of type embedding"):
        made.render("clerk", candidate(50, type="embedding"), **asked)
    assert made.render("q", candidate(None)).power_rank is None


@pytest.fixture(scope="module")
def ranked(templates: Templates, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], tuple[Candidate, ...]]:
    """Gives every ranked candidate of the shipped catalog; a function, since its arguments are written out."""
    loaded = snapshot.load(templates.copy(f"sqlite:///{tmp_path_factory.mktemp('catalog')}/catalog.db", "ranked"))
    found = select(loaded, Request(type="llm", min_power=1)).candidates
    return lambda: found


BODIES = st.lists(
    st.sampled_from([
        "{% if _MODEL_POWER_RANK < 9 %}low{% endif %}", "{% if _MODEL_POWER_RANK >= 300 %}up{% else %}down{% endif %}",
        "{{ 'a' if _MODEL_POWER_RANK == 496 else 'b' }}", "{{ _MODEL_NAME }}", "{{ _MODEL_CONTEXT_WINDOW }}",
        "{% if _MODEL_POWER_RANK > x %}loose{% endif %}", "{{ _VENDOR_ID }}", "{{ x }}", "text",
        "{% section s %}{% if 200 <= _MODEL_POWER_RANK %}in{% endif %}{% endsection %}",
        "{% if _MODEL_POWER_RANK != 7 and _MODEL_TYPE == 'llm' %}both{% endif %}",
    ]),
    min_size=1, max_size=5,
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(BODIES, st.integers(1, 600), st.booleans())
def test_equal_keys_are_equal_texts(
    ranked: Callable[[], tuple[Candidate, ...]],
    tmp_path_factory: pytest.TempPathFactory,
    parts: list[str],
    x: int,
    s: bool,
) -> None:
    """For every ranked model of the shipped catalog: what is remembered is what would be made anew."""
    head = "---\ntype: llm\nsections: {s: {default: true}}\n---\n"
    made = renderer(tmp_path_factory.mktemp("prompts"), {"p.md": head + "\n".join(parts)})
    texts: dict[str, str] = {}
    asked: dict[str, Any] = {"data": {"x": x}, "sections": {"s": s}}
    for found in made.render_each("p", ranked(), **asked):
        fresh = made.render("p", found.candidate, **asked)
        assert found == fresh
        assert texts.setdefault(found.memo_key, said(found)) == said(found)


def test_a_rank_that_is_read_otherwise_is_part_of_the_key(tmp_path: Path) -> None:
    """Where it is compared with data, or written; the cuts say nothing of these."""
    made = renderer(tmp_path, {"p.md": "{{ _MODEL_POWER_RANK }}", "q.md": "{{ _MODEL_POWER_RANK < 100 }}",
                               "f.md": "{{ _MODEL_POWER_RANK < 5.0 }}{{ _MODEL_POWER_RANK < true }}"})  # fmt: skip
    assert [str(place) for place in made.program("p").loose] == ["p.md:1"]
    assert (made.program("f").thresholds, len(made.program("f").loose)) == ((), 2)
    assert len({own.memo_key for own in made.render_each("p", [candidate(power) for power in (5, 6, 5)])}) == 2
    assert len({own.memo_key for own in made.render_each("q", [candidate(power) for power in (5, 6, 500)])}) == 2


def test_a_rank_means_something_only_inside_its_type(tmp_path: Path) -> None:
    """Of the prompt, of its bases and of its children: a threshold of another type is none for this model."""
    compare = "{% if _MODEL_POWER_RANK < 5 %}a{% endif %}"
    files = {
        "p.md": "---\ntype: embedding\n---\n{{ 1 }}" + compare,
        "c.md": f"---\ntype: llm\n---\n{compare}",
        "d.md": "---\ntype: embedding\nchildren: {c: c.md}\n---\n{{ children.c }}",
        "i.md": "---\ntype: embedding\n---\n{% include 'c.md' %}",
        "b.md": "---\ntype: embedding\nbase: base.md\n---\nx",
        "base.md": f"---\ntype: llm\n---\n{compare}{{{{ specialization }}}}",
        "of-part.md": "{% include 'c.md' %}",
        "unread.md": "---\ntype: llm\nchildren: {c: plain.md}\n---\n{{ children.c }}",
        "plain.md": "---\ntype: embedding\n---\nx",
    }
    made = renderer(tmp_path, files)
    with pytest.raises(UsageError, match="of type embedding, and acme-1 is of type llm"):
        made.render("p", candidate())
    for name, at in (("d", "c.md:2"), ("i", "c.md:2"), ("b", "b.md:2")):
        with pytest.raises(PromptError, match=rf"{at}: _MODEL_POWER_RANK is of type \w+ in \S+, and of type \w+ here"):
            made.program(name)
    assert made.request("of-part").type == "llm"
    assert made.render("unread", candidate()).messages


@pytest.mark.parametrize(
    ("body", "claims"),
    [
        ("{{% if {r} < 5 %}}a{{% endif %}} {one} {{% if {r} < 9 %}}b{{% endif %}} {two}", ["one", "two"]),
        ("{one}{{% if {r} < 5 %}}a{{% endif %}} {two}{{% if 9 > {r} %}}b{{% endif %}}", ["one", "two"]),
        ("{{% if {r} < 5 %}}a{{% endif %}} {one}{two}", ["one"]),
        ("{one}{two}{{% if {r} < 5 %}}a{{% endif %}}", ["two"]),
        ("{{% if {r} < 5 %}}{{% if {r} < 9 %}}b{{% endif %}}{{% endif %}} {one}", ["one", "one"]),
        ("{{% if {r} < 5 %}}a{{% endif %}} {one} {two} {{% if {r} < 9 %}}b{{% endif %}}", ["one", None]),
        ("{one}\n{{% if\n {r} < 5 %}}a{{% endif %}}{two}", ["two"]),
    ],
)
def test_each_of_several_claims_has_its_comparison(tmp_path: Path, body: str, claims: list[str | None]) -> None:
    """The one next to it, on the side on which the first claim of the line stands."""
    names = {name: f"{{# claim: {name}; eval: s/{name} #}}" for name in ("one", "two")}
    made = renderer(tmp_path, {"p.md": body.format(r="_MODEL_POWER_RANK", **names)})
    assert [own.claim and own.claim.text for own in made.program("p").thresholds] == claims


@pytest.mark.parametrize("description", ["uses {# marks", "says {% raw %}", "{{ x"])
def test_front_matter_has_no_tags(tmp_path: Path, description: str) -> None:
    """Whatever it says, the claims below it are found."""
    body = "{# claim: one; eval: a/b #}\n{% if _MODEL_POWER_RANK < 5 %}a{% endif %}"
    made = renderer(tmp_path, {"p.md": f"---\ndescription: '{description}'\n---\n{body}"})
    assert [own.claim and own.claim.text for own in made.program("p").thresholds] == ["one"]


def test_a_claim_is_of_the_line_it_stands_on_or_the_one_below_it(tmp_path: Path) -> None:
    """Of the one below only where it stands alone; it may say anything."""
    body = (
        "{% if _MODEL_POWER_RANK < 5 %}a{% endif %} {# claim: one; eval: a/b #}\n"
        "{% if _MODEL_POWER_RANK < 6 %}a{% endif %}\n"
        "{# claim: knows C#, and more; eval: c#/d #}\n{% if _MODEL_POWER_RANK < 7 %}a{% endif %}"
    )
    claims = [
        own.claim and (own.claim.text, own.claim.eval)
        for own in renderer(tmp_path, {"p.md": body}).program("p").thresholds
    ]
    assert claims == [("one", "a/b"), None, ("knows C#, and more", "c#/d")]
