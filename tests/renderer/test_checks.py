"""Checks of prompts: what each rule finds and what it lets pass, suppressions, baselines, and the shipped estates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import NotFoundError
from catalog.renderer.checks.checking import check, fingerprint, fingerprints
from catalog.renderer.checks.estates import estate
from catalog.renderer.checks.rules import RULES, rule
from tests.renderer.estates import folder

ROOT = Path(__file__).parents[2]
HEAD = "---\ntype: llm\n---\n"
CLAIM = "{# claim: can; eval: s/c #}\n"
REPLY = '{"title": "Reply", "type": "object", "properties": {"done": {}, "message": {}, "step": {}, "why": {}}}'
ACTIONS = '[{"name": "make_it", "description": "Makes it."}, {"name": "send", "description": "Sends."}]'
BLOCK = "```json\n" + '{"done": true, "message": "x", "step": null}\n' + "```\n"
BELOW_5 = f"{CLAIM}{{% if _MODEL_POWER_RANK < 5 %}}"
END = "{% endif %}"
ONE, TWO = "What a loop returns is gone after the next turn.", "What was returned is gone after three turns or so."
WORDS = "some words that say what is to be done here and nothing more "


def found(path: Path, files: dict[str, str], **given: Any) -> list[tuple[str, str]]:
    """Return code and place of what a check finds in a folder."""
    checked = check(estate(folder(path, files)), **given)
    return [(own.rule.code, str(own.place)) for own in checked.findings]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (HEAD + "{{ _CURRENT_DATE }}", [("P109", "p.md:4:1")]),
        ("---\ntyp: x\n---\n", [("P001", "p.md:2:1")]),
        (HEAD + "{% include 'no.md' %}", [("P001", "p.md:4:1")]),
        (HEAD + "{% state %}{{ _CURRENT_DATE }}{% endstate %}", []),
        (HEAD + "x\n```\n" + "code line\n" * 300 + "```\n", [("P101", "p.md:5:1"), ("P102", "p.md:5:1")]),
        (HEAD + WORDS * 60 + "\n```\n" + "a\n" * 60 + "```\n", []),
        (HEAD + WORDS * 60 + "\n```\n" + "a\n" * 61 + "```\n", [("P102", "p.md:5:1")]),
        (HEAD + BLOCK, [("P103", "p.md:4:1")]),
        (HEAD + "```json\n{\"done\": 1, \"message\": 2}\n```\n", []),
        (HEAD + "```json\n{\"a\": 1, \"b\": 2, \"done\": 3}\n```\n", []),
        ("---\ntype: llm\noutput: Reply\n---\nx", [("P104", "p.md:3:1")]),
        ("---\ntype: llm\noutput: Reply\n---\n{{ interface('Reply') }}", []),
        (HEAD + "Loop results are gone after the next turn here.\nOther.\n\n- Remember: loop results are gone\n"
         "after the next turn here!", [("P105", "p.md:7:13")]),
        (HEAD + "Results are gone soon. Results are gone soon.", []),
        (HEAD + "A line.\nBefore you call make_it, think.\n", [("P106", "p.md:5:17")]),
        (HEAD + "There is make_it and send.", []),
        (HEAD + "You MUST NEVER do it. It is CRITICAL. " + WORDS * 6, [("P107", "p.md:4:5")]),
        (HEAD + "You MUST do it. " + WORDS * 9, []),
        (HEAD + "{% set x = 3 %}{% if _MODEL_POWER_RANK > x %}a{% endif %}", [("P201", "p.md:4:22")]),
        (HEAD + "{{ _MODEL_POWER_RANK }}", [("P201", "p.md:4:4")]),
        (HEAD + "{% if 5 < _MODEL_POWER_RANK < 9 %}a{% endif %}", [("P201", "p.md:4:11")]),
        (HEAD + "{% if _MODEL_SPEED_RANK > 3 %}a{% endif %}", [("P202", "p.md:4:7")]),
        (HEAD + "{{ 'a' if _MODEL_COST_RANK > 3 }}", [("P202", "p.md:4:11")]),
        (HEAD + "Your speed is {{ _MODEL_SPEED_RANK }} or {{ _MODEL_COST_RANK | default('?') }}.", []),
        (HEAD + "{% set fast = _MODEL_SPEED_RANK > 3 %}\n{% if fast %}a{% endif %}", [("P202", "p.md:4:15")]),
        (HEAD + "{% for i in range(_MODEL_SPEED_RANK) %}a{% endfor %}", [("P202", "p.md:4:19")]),
        (HEAD + "{{ _MODEL_SPEED_RANK > 3 and 'a' }}", [("P202", "p.md:4:4")]),
        (HEAD + "{{ ['a', 'b'][_MODEL_COST_RANK] }}", [("P202", "p.md:4:15")]),
        (HEAD + "If you are a frontier model, be brief.", [("P203", "p.md:4:14")]),
        (HEAD + "Weak models, and a strong model of SOTA models.",
         [("P203", "p.md:4:1"), ("P203", "p.md:4:20"), ("P203", "p.md:4:36")]),
        (HEAD + "A model that is strong; MODELS that are weak; remodel small, small modelling.", []),
        (HEAD + "a\n{% if _MODEL_POWER_RANK < 9 %}a{% endif %}", [("P204", "p.md:5:7")]),
        (HEAD + "{# claim: can #}\n{% if _MODEL_POWER_RANK < 9 %}a{% endif %}", [("P204", "p.md:5:7")]),
        (HEAD + CLAIM + "{% if _MODEL_POWER_RANK < 9 %}a{% endif %}", []),
        (HEAD + "{% if _MODEL_POWER_RANK < 9 %}a{% endif %} {# claim: can; eval: s/c #}", []),
        (CLAIM + "{% if _MODEL_POWER_RANK < 9 %}a{% endif %}", [("P206", "p.md:2:7")]),
        (HEAD + "".join(f"{CLAIM}{{% if _MODEL_POWER_RANK < {n} %}}a{{% endif %}}\n" for n in (5, 9, 7)),
         [("P207", "p.md:9:7")]),
        (HEAD + f"{BELOW_5}a{END}\n{CLAIM}{{% if _MODEL_POWER_RANK >= 5 %}}a{END}", []),
        (HEAD + "{{ title }}", [("P301", "p.md:4:4")]),
        ("---\ntype: llm\ndata: {title: text, rows: list}\n---\n{{ title }}", [("P302", "p.md:3:1")]),
        (HEAD + "{% for i in [1] %}{{ i }}{{ loop.index }}{% endfor %}{% set x = 1 %}{{ x }}"
         "{% state %}{{ state.y }}{% endstate %}", []),
        (HEAD + BELOW_5 + "\n" + CLAIM + "{% if _MODEL_POWER_RANK >= 9 %}a" + END + END,
         [("P303", "p.md:7:7")]),
        (HEAD + BELOW_5 + "a\n" + CLAIM + "{% elif _MODEL_POWER_RANK >= 5 %}b\n{% else %}c" + END,
         [("P303", "p.md:8:1")]),
        (HEAD + "{% if false %}a{% endif %}", [("P303", "p.md:4:1")]),
        (HEAD + "{% if _OUTPUT_TYPE %}a{% endif %}", [("P303", "p.md:4:1")]),
        (HEAD + f"{CLAIM}{{% if x is defined and x > 1 and _MODEL_POWER_RANK < 5 %}}"
         f"\n{CLAIM}{{% if _MODEL_POWER_RANK >= 5 %}}a{END}{END}", [("P303", "p.md:7:7")]),
        (HEAD + f"{CLAIM}{{% if _MODEL_POWER_RANK < 5 or _MODEL_POWER_RANK >= 5 %}}a{{% else %}}b{END}",
         [("P303", "p.md:5:7")]),
        (HEAD + f"{CLAIM}{{% if not _MODEL_POWER_RANK < 5 %}}a\n"
         f"{CLAIM}{{% if _MODEL_POWER_RANK > 3 %}}b{{% else %}}c{END}{END}", [("P303", "p.md:7:7")]),
        (HEAD + f"{CLAIM}{{% if _MODEL_POWER_RANK == 5 %}}\n{CLAIM}{{% if _MODEL_POWER_RANK != 5 %}}a{END}{END}",
         [("P303", "p.md:7:7")]),
        (HEAD + f"{CLAIM}{{% if _MODEL_POWER_RANK < 1 %}}a{END}", [("P303", "p.md:5:7")]),
        (HEAD + BELOW_5 + "{% for i in [] %}a{% else %}\n" + CLAIM + "{% if _MODEL_POWER_RANK >= 5 %}b" + END
         + "{% endfor %}" + END, [("P303", "p.md:7:7")]),
        (HEAD + BELOW_5 + "\n" + CLAIM + "{{ 'a' if _MODEL_POWER_RANK >= 5 else 'b' }}" + END, [("P303", "p.md:7:11")]),
        (HEAD + BELOW_5 + "\n" + CLAIM + "{{ 'a' if _MODEL_POWER_RANK < 5 else 'b' }}" + END, [("P303", "p.md:7:11")]),
        (HEAD + "{{ x | default('') }}{{ 1 if x is defined and x else 2 }}{{ x is undefined or x }}"
         "{% if x is defined %}{{ x }}{% endif %}{% if not (x is defined) %}{% else %}{{ x }}{% endif %}"
         "{% if x is undefined %}{% else %}{{ x.y }}{% endif %}{% for i in [1] if x is defined %}{{ x }}{% endfor %}",
         []),
        (HEAD + "{% if x is defined %}{% endif %}{{ x }}", [("P301", "p.md:4:7")]),
        (HEAD + "{% if x is defined or true %}{{ x }}{% endif %}", [("P301", "p.md:4:7")]),
        (HEAD + "{% if x is defined %}{% else %}{{ x }}{% endif %}", [("P301", "p.md:4:7")]),
        (HEAD + "{{ x.y | default('') }}", [("P301", "p.md:4:4")]),
        (HEAD + "{% for x in [1] %}{{ x }}{% endfor %}\n{{ x }}", [("P301", "p.md:5:4")]),
        (HEAD + "{{ x }}{% set x = 1 %}", [("P301", "p.md:4:4")]),
        (HEAD + "{% for i in [1] %}{{ i }}{% set x = 1 %}{{ x }}{% endfor %}\n{{ x }}", [("P301", "p.md:5:4")]),
        (HEAD + "{% if _MODEL_TYPE %}{% set x = 1 %}{% else %}{% set x = 2 %}{% endif %}{{ x }}", []),
        (HEAD + f"{CLAIM}{{% if _MODEL_POWER_RANK < 5 and _MODEL_POWER_RANK > 1 %}}a{{% else %}}\n{CLAIM}"
         f"{{% if _MODEL_POWER_RANK < 5 %}}b{{% else %}}c{END}{END}", []),
        (HEAD + f"{CLAIM}{{% if _MODEL_POWER_RANK >= 5 %}}{{% for i in [1] %}}a{{% else %}}\n{CLAIM}"
         f"{{% if _MODEL_POWER_RANK < 3 %}}b{END}{{% endfor %}}{END}", [("P303", "p.md:7:7")]),
        (HEAD + BELOW_5 + "\n" + CLAIM + "{% if ('a' if _MODEL_POWER_RANK >= 5 else 'b') == 'b' %}c" + END + END,
         [("P303", "p.md:7:15")]),
        (HEAD + "{% if x is defined or y is defined %}{{ x }}{% endif %}", [("P301", "p.md:4:7")]),
        (HEAD + "{{ x is undefined or x > y }}", [("P301", "p.md:4:26")]),
        (HEAD + "{{ loop }}", [("P301", "p.md:4:4")]),
        (HEAD + "a\n{% set x = 1 %}", [("P302", "p.md:5:8")]),
        (HEAD + "{{ 'Speed: ' ~ _MODEL_SPEED_RANK ~ '.' }}", []),
        (HEAD + "{{ _MODEL_SPEED_RANK | string | replace('9', 'a') }}", [("P202", "p.md:4:4")]),
        (HEAD + WORDS * 60 + "\n```\n" + "a\n" * 61, [("P102", "p.md:5:1")]),
        (HEAD + WORDS * 60 + "\n```\n" + "a\n" * 61 + "`````\nx", [("P102", "p.md:5:1")]),
        (HEAD + BELOW_5 + "a\n" + CLAIM + "{% elif _MODEL_POWER_RANK < 9 %}b{% else %}c" + END, []),
        (HEAD + BELOW_5 + "a{% elif _MODEL_POWER_RANK < 5 %}b" + END, [("P303", "p.md:5:7")]),
        (HEAD + CLAIM + "{% for i in [1] if _MODEL_POWER_RANK < 5 %}\n" + CLAIM + "{% if _MODEL_POWER_RANK >= 5 %}a"
         + END + "{% endfor %}", [("P303", "p.md:7:7")]),
        (HEAD + "{% if _MODEL_POWER_RANK < 5 and _MODEL_POWER_RANK < 9 %}a" + END,
         [("P204", "p.md:4:7"), ("P204", "p.md:4:33")]),
        (HEAD + "".join(f"{CLAIM}{{% if _MODEL_POWER_RANK < {n} %}}a{{% endif %}}\n" for n in (5, 9, 7, 8)),
         [("P207", "p.md:9:7")]),
        (HEAD + "Your speed is {{ _MODEL_SPEED_RANK | json }}.", []),
        (HEAD + "Answer so:\n\n{\"done\": true,\n \"message\": \"m\", \"step\": 1}\n\nx", [("P103", "p.md:6:1")]),
        (HEAD + "Answer so:\n\n{\"done\": true,\n \"message\": \"m\", \"next\": 1}\n\nx", []),
        (HEAD + "{# check: P203\n because it is a name #}\nSmall LLMs.", []),
        (HEAD + "A large language model, a remodelled small house.", []),
        (HEAD + CLAIM + "{% if\n  x is defined and\n  _MODEL_POWER_RANK < 9 %}a" + END, []),
        (HEAD + "{% if\n  _MODEL_POWER_RANK < 9\n%} {# claim: can; eval: s/c #}a" + END, []),
        (HEAD + "a\n{% if\n  _MODEL_POWER_RANK < 9\n%}a" + END, [("P204", "p.md:6:3")]),
        (HEAD + CLAIM + "{% if -1 > _MODEL_POWER_RANK %}a" + END, [("P303", "p.md:5:7")]),
        (HEAD + BELOW_5 + "a{% endif %}{% if _MODEL_POWER_RANK < 5 %}b{% if _MODEL_POWER_RANK >= 5 %}c" + END + END,
         [("P303", "p.md:5:80")]),
        (HEAD + CLAIM + "{# check: P303 because x #}\n{% if -1 > _MODEL_POWER_RANK %}a" + END, []),
        (HEAD + CLAIM[:-1] + " {# check: P303 because x #}\n{% if -1 > _MODEL_POWER_RANK %}a" + END, []),
        (HEAD + "{# check: P303 because x #}\n" + CLAIM + "{% if -1 > _MODEL_POWER_RANK %}a" + END, []),
        (HEAD + CLAIM + "\n{% if _MODEL_POWER_RANK < 5 %}a" + END, [("P204", "p.md:6:7")]),
        (HEAD + CLAIM[:-1] + " so\n{% if _MODEL_POWER_RANK < 5 %}a" + END, [("P204", "p.md:5:7")]),
        (HEAD + CLAIM + "{% set style = {'a': {'b': 1}}\n  if _MODEL_POWER_RANK < 100 else {} %}{{ style }}", []),
        (HEAD + "{{ {'a': {'b': 1}}['a'] | default('{# none') }} {# claim: A; eval: e/x #}"
         "{% if _MODEL_POWER_RANK < 9 %}a" + END, []),
        (HEAD + "{#\n```\n" + "a\n" * 70 + "```\n#}" + WORDS * 9, []),
        (HEAD + "{#\n{\"done\": true,\n \"message\": \"m\", \"step\": 1}\n#}", []),
        (HEAD + "{#\n```\n#}\n" + WORDS * 90, []),
        (HEAD.replace("type", "description: '" + "x " * 900 + "'\ntype") + "```\n" + WORDS * 90 + "```\n" + WORDS * 90,
         [("P101", "p.md:5:1")]),
        (HEAD + "If you are a frontier\nmodel: a small  model, a XSOTA, tiny\n\nmodels.",
         [("P203", "p.md:4:14"), ("P203", "p.md:5:10")]),
        (HEAD + "Hello {{ _USER_NAME }}{{ _USER_ID | default('') }}", [("P301", "p.md:4:10")]),
        (HEAD + "```\n" + ONE + "\n```\n" + ONE, []),
    ],
)  # fmt: skip
def test_a_rule_finds_what_breaks_it(tmp_path: Path, body: str, codes: list[tuple[str, str]]) -> None:
    """With its place, and nothing else."""
    files = {"p.md": body, "interfaces/Reply.json": REPLY, "actions.json": ACTIONS}
    assert found(tmp_path, files) == codes


ELSE, NONE = "{% else %}", "{% for i in [] %}{% else %}"


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (BELOW_5 + ONE + ELSE + ONE + END, []),
        (BELOW_5 + "{% if x %}" + ONE + END + ELSE + NONE + ONE + "{% endfor %}" + END, []),
        (BELOW_5 + "a." + ELSE + ONE + END + ONE, ["P105"]),
        (BELOW_5 + ONE + ELSE + ONE + END + ONE, ["P105"]),
        (BELOW_5 + ONE + END + "\n" + CLAIM + "{% if _MODEL_POWER_RANK >= 5 %}" + ONE + END, ["P105"]),
        ("{% for i in [1] %}" + ONE + ELSE + ONE + "{% endfor %}", ["P105"]),
        (ONE + "\n- **Remember** that " + ONE[0].lower() + ONE[1:], ["P105"]),
        (ONE + " IMPORTANT: keep in mind that w" + ONE[1:] + " " + TWO, ["P105"]),
        (ONE + TWO, []),
        ("{# {% if x %} #}" + ONE + "{# {% else %} #}\n" + ONE, ["P105"]),
        ("{% raw %}{% if x %}.{% endraw %}" + ONE + "{% raw %}{% else %}.{% endraw %}\n" + ONE, ["P105"]),
        ("{{ '{% if x %}' }}" + ONE + "{{ '{% else %}' }}\n" + ONE, ["P105"]),
        ("{% if x == '%}{% else %}' %}" + ONE + "{% endif %}\n" + ONE, ["P105"]),
    ],
)
def test_a_sentence_is_said_twice_where_both_may_be_read(tmp_path: Path, body: str, codes: list[str]) -> None:
    """Not in two branches of one condition; and whatever leads it in."""
    assert [code for code, _ in found(tmp_path, {"p.md": HEAD + body}) if code == "P105"] == codes


@pytest.mark.parametrize(
    ("sections", "codes"),
    [("{a: true}", []), ("{a: false}", ["P104"]), ("{b: true}", ["P104"]), ("{}", ["P104", "P108"])],
)
def test_an_output_type_is_shown_by_what_is_in(tmp_path: Path, sections: str, codes: list[str]) -> None:
    """A section that is off shows nothing."""
    files = {
        "base.md": "---\noutput: Reply\nsections: {a: {default: false}, b: {default: false}}\n---\n"
        "{% section a %}{{ interface('Reply') }}{% endsection %}{% section b %}b{% endsection %}{{ specialization }}",
        "p.md": f"---\ntype: llm\nbase: base.md\nsections: {sections}\n---\nx",
        "interfaces/Reply.json": REPLY,
    }
    assert sorted(code for code, _ in found(tmp_path, files)) == codes


def test_a_sentence_is_said_twice_in_two_files_whatever_their_conditions(tmp_path: Path) -> None:
    """Those of one file say nothing of another's."""
    files = {"a.md": HEAD + BELOW_5 + ONE + END, "b.md": HEAD + BELOW_5 + "b." + ELSE + ONE + END}
    assert [code for code, _ in found(tmp_path, files)] == ["P105"]


def test_the_last_word_on_the_output_counts(tmp_path: Path) -> None:
    """Of the prompt before its base."""
    files = {
        "base.md": "---\noutput: A\n---\n{{ interface('B') }}{{ specialization }}",
        "p.md": "---\ntype: llm\nbase: base.md\noutput: B\n---\nx",
        "q.md": "---\ntype: llm\nbase: base.md\n---\nx",
        "interfaces/A.json": "{}", "interfaces/B.json": "{}",
    }  # fmt: skip
    assert found(tmp_path, files) == [("P104", "base.md:2:1")]


def test_a_child_that_nobody_puts_in_is_told_and_checked(tmp_path: Path) -> None:
    """As the prompt that it is; and so is a part with a type of its own."""
    files = {
        "p.md": "---\ntype: llm\nchildren: {c: c.md, d: no.md}\n---\n{% include 'part.md' %}",
        "c.md": "{{ zz }}",
        "part.md": "---\ntype: llm\noutput: R\n---\nx",
        "interfaces/R.json": "{}",
    }
    told = [("P301", "c.md:1:4"), ("P302", "p.md:3:1"), ("P302", "p.md:3:1"), ("P104", "part.md:3:1")]
    assert found(tmp_path, files) == told


def test_a_base_without_sections_asks_for_none(tmp_path: Path) -> None:
    """What a prompt declares itself it need not set."""
    files = {
        "b.md": "{{ specialization }}",
        "p.md": "---\ntype: llm\nbase: b.md\nsections: {s: {default: true}}\n---\n{% section s %}x{% endsection %}",
    }
    assert found(tmp_path, files) == []


@pytest.mark.parametrize(
    "schema",
    ['{"$defs": {"A": true}}', '{"$defs": [1]}', '{"$defs": {"A": 3}}', '{"$defs": {"A": {"properties": 3}}}'],
)
def test_what_no_interface_shows_stops_no_check(tmp_path: Path, schema: str) -> None:
    """Whatever stands among the definitions of a schema; what cannot be shown is told."""
    assert found(tmp_path, {"p.md": HEAD + "{{ interface('R') }}", "interfaces/R.json": schema}) == []
    broken = {"interfaces/R.json": '{"properties": 3}'}
    assert found(tmp_path, broken) == [("P001", "interfaces/R.json:1:1"), ("P001", "p.md:4:1")]


def test_an_example_is_a_types_from_seven_in_ten_fields_on(tmp_path: Path) -> None:
    """Of all its fields, those of the types in it too."""
    inside: dict[str, Any] = {"properties": {f"k{n}": {} for n in range(4, 7)}}
    schema = {"properties": {f"k{n}": {} for n in range(4)}, "anyOf": [{"items": inside}]}
    for count, codes in ((10, ["P103"]), (11, [])):
        example = json.dumps({f"k{n}": 1 for n in range(count)})
        text = HEAD + f"```json\n{example}\n```\n"
        told = found(tmp_path, {"p.md": text, "interfaces/R.json": json.dumps(schema)})
        assert [code for code, _ in told] == codes


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"p.md": "---\nbase: q.md\n---\n{{ specialization }}", "q.md": "---\nbase: p.md\n---\n{{ specialization }}"},
         ["p.md:2:1", "q.md:2:1"]),
        ({"p.md": "---\nbase: p.md\n---\n{{ specialization }}"}, ["p.md:2:1"]),
        ({"p.md": "---\nchildren: {a: p.md}\n---\n{{ children.a }}"}, ["p.md:4:1"]),
        ({"p.md": "{% include 'q.md' %}", "q.md": "{% include 'p.md' %}"}, ["p.md:1:1", "q.md:1:1"]),
    ],
)  # fmt: skip
def test_texts_that_go_in_a_circle_are_told(tmp_path: Path, files: dict[str, str], told: list[str]) -> None:
    """Though none of them is a prompt's own; what is only put in somewhere is not."""
    assert found(tmp_path, files) == [("P001", place) for place in told]
    (tmp_path / "r").mkdir()
    assert found(tmp_path / "r", {"b.md": "{{ specialization }}", "p.md": "---\nbase: b.md\n---\nx"}) == []


@pytest.mark.parametrize("said", ["check: P204, P206 because z", "check P204 because x", "check: all", "check:"])
def test_what_suppresses_nothing_is_told(tmp_path: Path, said: str) -> None:
    """So that nobody relies on it; and what cannot be read is never spared."""
    assert found(tmp_path, {"p.md": f"a {{# {said} #}}"}) == [("P002", "p.md:1:3")]
    spared = {"p.md": "{# check: P001 because x #}{# check: P109 because x #}\n{{ _CURRENT_DATE }}",
              "q.md": "{# check: P001 because x #}{% include 'no.md' %}"}  # fmt: skip
    assert found(tmp_path, spared) == [("P109", "p.md:2:1"), ("P001", "q.md:1:1")]


def test_what_no_model_reads_is_no_text(tmp_path: Path) -> None:
    """Comments may shout, and speak of weaker models."""
    shouting = "{# IMPORTANT: NEVER change this. ALWAYS ask. You MUST NOT. For weaker models. #}\n"
    assert found(tmp_path, {"p.md": HEAD + shouting + WORDS * 9}) == []


def test_an_example_of_what_stands_in_a_type_is_none_of_it(tmp_path: Path) -> None:
    """Its fields may be those of many."""
    order: dict[str, Any] = {"properties": {"id": {}, "name": {}}}
    schema = {"properties": {"order": order, "row": {"properties": {"status": {}}}, "done": {}}}
    text = HEAD + "```json\n" + '{"id": 7, "name": "Chair", "status": "sent"}\n```\n'
    assert found(tmp_path, {"p.md": text, "interfaces/Reply.json": json.dumps(schema)}) == []


@pytest.mark.parametrize("actions", ["[5]", "null", '[{"name": ""}]', '[{"name": 3}]', "[", '{"name": "a"}'])
def test_a_list_of_actions_that_is_none_is_told(tmp_path: Path, actions: str) -> None:
    """Among all the rest."""
    assert found(tmp_path, {"p.md": HEAD + "x", "actions.json": actions}) == [("P001", "actions.json:1:1")]


def test_children_set_the_sections_of_their_bases_too(tmp_path: Path) -> None:
    """Each prompt of a base is an agent's."""
    files = {
        "base.md": "---\nsections: {s: {default: true}}\n---\n{% section s %}s{% endsection %}{{ specialization }}",
        "c.md": "---\nbase: base.md\n---\nx",
        "p.md": "---\ntype: llm\nchildren: {c: c.md}\n---\n{{ children.c }}",
    }
    assert found(tmp_path, files) == [("P108", "c.md:2:1")]
    spared = "---\n# {# check: P108 because it is read once #}\nbase: base.md\n---\nx"
    assert found(tmp_path, {"c.md": spared}) == []


@pytest.mark.parametrize(
    ("file", "text", "place", "message"),
    [
        ("p.md", "---\ntype: llm\nrequest: {min_pwer: 3}\n---\nx", "p.md:3:1", "request: there is no field 'min_pwer'"),
        ("p.md", "---\ndata: {range: list}\n---\n", "p.md:2:1",
         "data: 'range' is a word of the language, no name for data"),
        ("p.md", "\n---\ntype: llm\n---\nx", "p.md:2:1", "this is no front matter"),
        ("p.md", "--- # of an agent\n# it is\ntype: llm\n---\nx", "p.md:1:1", "this is no front matter"),
        ("interfaces/R.json", '{\n "a": }', "interfaces/R.json:2:1", "this is no JSON: Expecting value"),
        ("interfaces/R.json", "[]", "interfaces/R.json:1:1", "[] is no type to show"),
    ],
)  # fmt: skip
def test_what_can_never_be_rendered_is_told(tmp_path: Path, file: str, text: str, place: str, message: str) -> None:
    """Among all the rest, with its line."""
    checked = check(estate(folder(tmp_path, {file: text, "other.md": "{{ x }}"})))
    told = [(own.rule.code, str(own.place), own.message) for own in checked.findings]
    assert sorted(told) == [("P001", place, message), ("P301", "other.md:1:4", "nobody declares 'x'")]


def test_a_file_that_is_no_text_is_told_and_counted(tmp_path: Path) -> None:
    """With the line of the first byte that is none."""
    (tmp_path / "p.md").write_bytes(b"a\nb\xff")
    checked = check(estate(tmp_path))
    told = [(str(own.place), own.message) for own in checked.findings]
    assert (told, checked.files) == ([("p.md:2:1", "the file is not UTF-8 at byte 3")], 1)


def test_an_agent_sets_the_sections_of_its_base(tmp_path: Path) -> None:
    """One of them is enough: then somebody has thought of it."""
    files = {
        "base.md": "---\nsections: {s: {default: true}}\n---\n{% section s %}s{% endsection %}{{ specialization }}",
        "p.md": "---\ntype: llm\nbase: base.md\n---\nx",
    }
    assert found(tmp_path, files) == [("P108", "p.md:3:1")]
    assert found(tmp_path, {"p.md": "---\ntype: llm\nbase: base.md\nsections: {s: true}\n---\nx"}) == []


def test_a_branch_is_reached_where_any_prompt_reaches_it(tmp_path: Path) -> None:
    """What is included is looked at where it is put in."""
    files = {
        "part.md": f"{CLAIM}{{% if _MODEL_POWER_RANK >= 9 %}}a{END}",
        "p.md": HEAD + BELOW_5 + "{% include 'part.md' %}" + END,
    }
    assert found(tmp_path, files) == [("P303", "part.md:2:7")]
    assert found(tmp_path, {"q.md": HEAD + "{% include 'part.md' %}"}) == []
    asked = "{% if y is defined and _MODEL_POWER_RANK >= 9 %}a{% endif %}{{ 1 if _MODEL_POWER_RANK >= 9 else 2 }}"
    assert found(tmp_path, {"part.md": CLAIM + asked}) == []


def test_thresholds_of_types_are_counted_apart(tmp_path: Path) -> None:
    """Each is on a scale of its own; they are told as they are written."""
    five, seven, nine = (f"{CLAIM}{{% if _MODEL_POWER_RANK <= {n} %}}a{{% endif %}}\n" for n in (5, 7, 9))
    llm, other = five + nine, "---\ntype: embedding\n---\n" + seven
    assert found(tmp_path, {"p.md": HEAD + llm, "q.md": other}) == []
    checked = check(estate(folder(tmp_path, {"r.md": HEAD + seven})))
    assert [own.message for own in checked.findings] == ["a third distinct threshold: <= 5, <= 7, <= 9"]


def test_a_volatile_text_is_not_kept_in_the_system_prompt(tmp_path: Path) -> None:
    """Where its front matter insists on that the file is told, and the line that changes."""
    child = "---\ntype: llm\nbase: base.md\nplacement: system_prompt\n---\nx\nIt is {{ _CURRENT_TIME }}."
    files = {"base.md": "---\nchildren: {c: c.md}\n---\n{{ specialization }}\n{{ children.c }}", "p.md": child,
             "c.md": "{{ state.x }}"}  # fmt: skip
    assert found(tmp_path, files) == [("P109", "p.md:7:1")]


def test_the_field_of_a_section_is_one_of_what_is_shown(tmp_path: Path) -> None:
    """Else nothing is left out where the section is off."""
    text = "---\ntype: llm\nsections: {a: {default: true, field: done}, b: {default: true, field: Step}}\n---\n"
    files = {"p.md": text + "{{ interface('Reply') }}", "interfaces/Reply.json": REPLY}
    assert found(tmp_path, files) == [("P110", "p.md:3:1")]
    for shown, codes in (
        (
            {
                "anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}],
                "$defs": {"A": {"properties": {"done": {}, "Step": {}}}},
            },
            [],
        ),
        ({"properties": {"done": {}, "x": {"properties": {"Step": {}}}}}, ["P110"]),
    ):
        told = found(tmp_path, {"interfaces/Reply.json": json.dumps(shown)})
        assert [code for code, _ in told] == codes


def test_a_child_shows_what_it_answers_in(tmp_path: Path) -> None:
    """As a prompt does."""
    files = {
        "p.md": "---\ntype: llm\nchildren: {c: c.md}\n---\n{{ children.c }}",
        "c.md": "---\noutput: Reply\n---\nx",
        "interfaces/Reply.json": REPLY,
    }
    assert found(tmp_path, files) == [("P104", "c.md:2:1")]


def test_each_threshold_of_a_line_has_its_column(tmp_path: Path) -> None:
    """Also where the number stands first."""
    line = (
        "{% if _MODEL_POWER_RANK < 9 %}a{% elif 5 >= _MODEL_POWER_RANK %}b{% elif _MODEL_POWER_RANK == 20 %}{% endif %}"
    )
    codes = [own for own in found(tmp_path, {"p.md": HEAD + line}) if own[0] == "P204"]
    assert codes == [("P204", f"p.md:4:{line.index(own) + 1}") for own in ("_MODEL", "5 >=", "_MODEL_POWER_RANK == ")]


def test_evals_cover_both_sides(tmp_path: Path) -> None:
    """Where it is known what was run; without, these rules say nothing."""
    files = {"p.md": HEAD + CLAIM + "{% if _MODEL_POWER_RANK < 100 %}a{% endif %}"}
    assert found(tmp_path, files) == []
    assert found(tmp_path, files, evals={}) == [("P205", "p.md:5:7")]
    assert found(tmp_path, files, evals={"s/c": [99, 100]}) == []
    checked = check(estate(tmp_path), evals={"s/c": [100, 300]})
    assert [own.message for own in checked.findings] == [
        "s/c was run for no model of which _MODEL_POWER_RANK < 100 is true"
    ]
    assert found(tmp_path, files, evals={"s/c": []}) == [("P208", "p.md:5:7")] * 2


@pytest.mark.parametrize("description", ["50 {% off", "write {{ x", "a {# b", "50 % off"])
def test_front_matter_is_spared_too(tmp_path: Path, description: str) -> None:
    """In comments of its own, whatever else it says."""
    head = f"---\ndescription: '{description}'\ntype: llm\n# {{# check: P302 because soon #}}\ndata: {{x: text}}\n---\n"
    assert found(tmp_path, {"p.md": head + "a"}) == ([] if "{#" not in description else [("P302", "p.md:5:1")])


def test_a_placeholder_that_a_program_registers_is_known(tmp_path: Path) -> None:
    """Then what it stands for is there."""
    made = estate(folder(tmp_path, {"p.md": HEAD + "Hello {{ _USER_NAME }}"}), placeholders={"_USER_NAME": "a"})
    assert check(made).findings == ()


def test_a_line_is_spared_with_a_reason(tmp_path: Path) -> None:
    """On it, or on the one above; without a reason that is an error of its own."""
    files = {"p.md": HEAD + "{# check: P301 because the gateway adds it #}\n{{ title }} {{ other }}\n{{ third }}"}
    checked = check(estate(folder(tmp_path, files)))
    assert [(own.rule.code, own.place.line) for own in checked.findings] == [("P301", 6)]
    assert checked.suppressed == 2
    assert found(tmp_path, {"p.md": HEAD + "{{ title }} {# check: P301 #}"}) == [
        ("P301", "p.md:4:4"), ("P002", "p.md:4:13"),
    ]  # fmt: skip
    assert found(tmp_path, {"p.md": HEAD + "a {# check: P999 because x #}"}) == [("P002", "p.md:4:3")]
    assert found(tmp_path, {"p.md": HEAD + "{{ title }} {# check: P301 because of #12,\nas C# has it #}"}) == []


def test_a_baseline_forgives_what_was_there(tmp_path: Path) -> None:
    """Though lines move; what is new is told, and what comes twice counts twice."""
    files = {"p.md": HEAD + "{{ title }}\n{{ other }}\n"}
    old = estate(folder(tmp_path, files))
    forgiven = fingerprints(check(old).findings, old)
    assert found(tmp_path, {"p.md": HEAD + "a\nb\n{{ title }}\n{{ other }}\n{{ third }}\n"}, baseline=forgiven) == [
        ("P301", "p.md:8:4")
    ]
    files = {"q.md": HEAD + "x {# check: P301 #}"}
    bare = estate(folder(tmp_path / "q", files))
    assert fingerprints(check(bare).findings, bare) == {}
    (told,) = (own for own in check(bare).findings if own.rule.code == "P002")
    assert told in check(bare, baseline={fingerprint(told, bare): 1}).findings


def test_the_shipped_estate_passes_and_the_one_before_it_does_not() -> None:
    """Five agents, two thresholds, sections, children, actions; and what they were."""
    evals = {"protocol/terse": [64, 460], "sources/weigh": [180, 496]}
    after = estate(ROOT / "docs/examples/agents")
    assert check(after, evals=evals).findings == ()
    assert len(after.programs) == 5
    assert {cut for own in after.programs.values() for cut in own.cuts} == {100, 300}
    before = check(estate(ROOT / "docs/examples/agents-before"), evals=evals)
    codes = {own.rule.code for own in before.findings}
    assert codes == {
        "P101", "P103", "P104", "P105", "P106", "P107", "P108", "P202", "P203", "P204", "P206", "P301",
    }  # fmt: skip


def test_every_rule_can_be_explained() -> None:
    """By its code, in any case; none is without reason and examples."""
    for code, own in RULES.items():
        assert own.code == code
        assert own.reason.endswith(".")
        assert own.bad != own.good
        assert own.severity in ("error", "warning")
    assert rule("p103").code == "P103"
    with pytest.raises(NotFoundError, match="there is no rule 'P999'"):
        rule("P999")
