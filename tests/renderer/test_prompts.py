"""Prompt files: front matter, bases, includes and children, each complaint with its file and line."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from catalog.errors import PromptError, UsageError
from catalog.renderer.renderer import Renderer
from tests.renderer.estates import CLERK, ESTATE, LOOP, ROWS, candidate, folder, renderer


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("type: llm", "p.md:1: the front matter is not closed"),
        ("- a\n---\n", "p.md:2: the front matter is no mapping"),
        ("type: [llm\n---\n", "p.md:2: front matter: expected ',' or ']'"),
        ("type: llm\ntype: llm\n---\n", "p.md:3: front matter: 'type' is there twice"),
        ("a: &x 1\nb: *x\n---\n", "front matter: anchors are not read here"),
        ("1: x\n---\n", "front matter: the key '1' is no text"),
        ("typ: llm\n---\n", "p.md:2: the front matter has 'typ'"),
        ("type: 3\n---\n", "p.md:2: type: 3 is no text"),
        ("name: x\nrequest: 3\n---\n", "p.md:3: request: 3 is no mapping"),
        ("request: {type: llm}\n---\n", "request: the model type stands beside it, as 'type'"),
        ("sections: {a: 3}\n---\n", "sections: a is 3: true, false, or {default: true, field: NAME}"),
        ("sections: {a-b: true}\n---\n", "sections: 'a-b' is no name"),
        ("sections: {a: {default: true, felt: x}}\n---\n", "sections: a is"),
        ("sections: {a: true}\n---\n", "p.md:2: there is no section 'a'"),
        ("data: {a: lst}\n---\n", "data: a is of the type 'lst': one of text, integer, number"),
        ("data: {a: {default: 1}}\n---\n", "data: a is {'default': 1}: one of text"),
        ("data: {a: {type: list, default: 1}}\n---\n", "data: the default of a is 1, no list"),
        (
            "data: {a: {type: list, default: [2026-01-02]}}\n---\n",
            "data: the default of a[0] is a date, no plain data: put it in quotes",
        ),
        (
            "data: {a: {type: number, default: .inf}}\n---\n",
            "data: the default of a is inf, which is no JSON: put it in quotes",
        ),
        ("children: {a: 3}\n---\n", "children: a is 3, not the name of a file"),
        ("placement: tail\n---\n", "placement: 'tail' is none of auto, system_prompt, trailing_message"),
        ("state_mode: x\n---\n", "state_mode: 'x' is none of auto, replace, append"),
        ("base: no.md\n---\n", "p.md:2: there is no prompt file 'no.md'"),
        ("base: ../x.md\n---\n", "p.md:2: the name '../x.md' leads out of the prompt folder"),
    ],
)
def test_front_matter_that_is_wrong_is_refused(tmp_path: Path, front: str, told: str) -> None:
    """Naming the key and its line."""
    with pytest.raises(PromptError) as raised:
        renderer(tmp_path, {"p.md": f"---\n{front}x\n"}).program("p")
    assert told in raised.value.message


def test_a_base_holds_what_specializes_it(tmp_path: Path) -> None:
    """With its sections, whose values are: the base's default, the prompt's own, and what a caller says."""
    made = renderer(tmp_path, ESTATE)
    found = made.render("clerk", candidate(200, name="Acme 1"), data={"rows": ROWS}, state={"payload": {"a": 1}})
    assert found.messages[0].text == (
        "You are Acme 1.\nUse forEach.\nYou look after Orders.\n- 1: open\n- 2: closed\n\nBe terse.\n"
        "\nWhat changes from turn to turn stands in the last message, inside <runtime-state>.\n"
    )
    assert found.messages[1].text == (
        '<runtime-state>\nNow: 2026-11-30T09:30:00Z\nPayload: {"a": 1}\n\n</runtime-state>'
    )
    notes = made.render("clerk", candidate(), data={"rows": []}, state={"payload": 1},
                        sections={"scratchpad": True, "foreach": False}).messages[0].text  # fmt: skip
    assert "Keep notes." in notes
    assert "forEach" not in notes
    with pytest.raises(PromptError, match=r"clerk\.md:5: there is no section 'scratch'"):
        made.render("clerk", candidate(), data={"rows": []}, sections={"scratch": True})
    with pytest.raises(PromptError, match="section foreach is 1, neither true nor false"):
        made.render("clerk", candidate(), data={"rows": []}, sections={"foreach": 1})  # type: ignore[dict-item]


def test_a_base_may_have_a_base(tmp_path: Path) -> None:
    """And each text stands in the one before it."""
    files = {
        "a.md": "---\ntype: llm\nsections: {s: {default: true}}\n---\na({{ specialization }})",
        "b.md": "---\nbase: a.md\nsections: {t: {default: false}}\n---\nb[{{ specialization }}]{{ _PROMPT_NAME }}",
        "c.md": "---\nbase: b.md\nname: see\nsections: {s: false, t: true}\n---\n"
        "{% section s %}S{% endsection %}{% section t %}T{% endsection %}{{ _PROMPT_NAME }}\n",
    }
    assert renderer(tmp_path, files).render("c", candidate()).messages[0].text == "a(b[Tsee]b)"


def test_children_are_rendered_inside(tmp_path: Path) -> None:
    """Depth first, with bases and sections of their own, and what a caller says of a section holds for all."""
    files = {
        "base.md": "---\nsections: {s: {default: true}}\n---\n<{% section s %}S{% endsection %}{{ specialization }}>",
        "p.md": "---\nbase: base.md\ntype: llm\nsections: {s: false}\nchildren: {one: kids/one.md}\n---\n"
        "p {{ children.one }} p",
        "kids/one.md": "---\nbase: base.md\nchildren: {two: kids/two.md}\n---\none {{ children.two }}\n",
        "kids/two.md": "two {{ _MODEL_ID }}\n",
    }
    made = renderer(tmp_path, files)
    assert made.render("p", candidate()).messages[0].text == "<p <Sone two acme-1> p>"
    assert made.render("p", candidate(), sections={"s": True}).messages[0].text == "<Sp <Sone two acme-1> p>"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"p.md": "{% include 'a.md' %}", "a.md": "\n{% include 'p.md' %}"},
         "a.md:2: texts go in a circle: p.md → a.md → p.md"),
        ({"p.md": "---\nchildren: {p: p.md}\n---\n{{ children.p }}"}, "p.md:4: texts go in a circle: p.md → p.md"),
        ({"p.md": "---\nbase: a.md\n---\nx", "a.md": "---\nbase: p.md\n---\ny"},
         "a.md:2: bases go in a circle: p.md → a.md → p.md"),
        ({"p.md": "a\n{% include 'no.md' %}"}, "p.md:2: there is no prompt file 'no.md'"),
        ({"p.md": "{% include '../p.md' %}"}, "p.md:1: the name '../p.md' leads out of the prompt folder"),
        ({"p.md": "{% include '/etc/passwd' %}"}, "p.md:1: the name '/etc/passwd' leads out of the prompt folder"),
        ({"p.md": "{% include './a.md' %}"}, "p.md:1: the name './a.md' is written in a roundabout way"),
        ({"p.md": "{% include 'a//b.md' %}"}, "p.md:1: the name 'a//b.md' is written in a roundabout way"),
        ({"p.md": "{% include '' %}"}, "p.md:1: the name '' leads out of the prompt folder"),
        ({"p.md": "{% include 'a\\\\b.md' %}"}, "leads out of the prompt folder"),
        ({"p.md": "---\nbase: a.md\n---\nx", "a.md": "y"}, "a.md:1: the base has no place for what specializes it"),
        ({"p.md": "---\nbase: a.md\n---\nx", "a.md": "{{ specialization }}{{ specialization }}"},
         "a.md:1: the base has 2 places for what specializes it"),
        ({"p.md": "a\n{% include 'a.md' %}", "a.md": "---\nbase: b.md\n---\nx", "b.md": "{{ specialization }}"},
         "p.md:2: 'a.md' specializes 'b.md' and cannot be included"),
        ({"p.md": "{% include 'a.md' %}", "a.md": "{% include 'b.md' %}" * 600, "b.md": "x"},
         "more than 500 texts are put into each other"),
        ({"p.md": "---\ndata: {x: text}\n---\n{% include 'a.md' %}", "a.md": "---\ndata: {x: list}\n---\n"},
         "a.md:2: x is of the type text elsewhere, not list"),
        ({"p.md": "---\nsections: {s: {default: true}}\n---\n{% include 'a.md' %}",
          "a.md": "---\nsections: {s: {default: false}}\n---\n"}, "a.md:2: the section 's' is declared otherwise"),
    ],
)  # fmt: skip
def test_texts_that_cannot_be_put_together_are_refused(tmp_path: Path, files: dict[str, str], told: str) -> None:
    """With the chain, the file and the line."""
    with pytest.raises(PromptError) as raised:
        renderer(tmp_path, files).program("p")
    assert told in raised.value.message


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    """Links inside the folder are followed."""
    (tmp_path / "outside.md").write_text("secret")
    inside = folder(
        tmp_path / "prompts", {"p.md": "{% include 'out.md' %}", "q.md": "{% include 'in.md' %}", "r.md": "r"}
    )
    (inside / "out.md").symlink_to(tmp_path / "outside.md")
    (inside / "in.md").symlink_to(inside / "r.md")
    made = Renderer(inside)
    with pytest.raises(PromptError, match=r"p\.md:1: the name 'out\.md' leads out of the prompt folder"):
        made.program("p")
    assert made.render("q", candidate()).messages[0].text == "r"


def test_a_folder_that_is_none_and_a_file_that_is_no_text_are_named(tmp_path: Path) -> None:
    """With what is there instead."""
    with pytest.raises(PromptError, match="there is no prompt folder"):
        Renderer(tmp_path / "no")
    (tmp_path / "bad.md").write_bytes(b"a\xff")
    with pytest.raises(PromptError, match=r"bad.md:1: the file is not UTF-8 at byte 1"):
        Renderer(tmp_path).program("bad")
    with pytest.raises(PromptError) as raised:
        Renderer(tmp_path).program("bat")
    assert raised.value.hint == "Did you mean bad.md?"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "clerk.md:6: data has no 'rows', a list"),
        ({"rows": 3}, "clerk.md:6: data.rows is 3, no list"),
        ({"rows": [], "titel": "x"}, "clerk.md:6: data has 'titel', which the prompt neither declares nor reads"),
        ({"rows": [], "title": True}, "clerk.md:6: data.title is True, no text"),
        ({"rows": [], "row": 1}, "clerk.md:11: data has 'row', which the prompt itself sets"),
    ],
)
def test_data_must_be_what_the_prompt_declares(tmp_path: Path, data: dict[str, object], told: str) -> None:
    """Naming the line of the declaration."""
    with pytest.raises(PromptError) as raised:
        renderer(tmp_path, ESTATE).render("clerk", candidate(), data=data, state={"payload": 1})
    assert told in raised.value.message


def test_a_loop_may_go_by_a_name_of_data(tmp_path: Path) -> None:
    """Outside of the loop, and of a child that loops, the data is what is read, and it is no static text."""
    files = {
        "p.md": "---\ntype: llm\ndata: {row: text}\nchildren: {c: c.md}\n---\n{{ children.c }} {{ row }}",
        "c.md": "{% for row in [1, 2] %}{{ row }}{% endfor %}",
    }
    made = renderer(tmp_path, files)
    found = made.render("p", candidate(), data={"row": "x"})
    assert found.messages[0].text == "12 x"
    assert [own.stability.label for own in found.segments] == ["session", "static", "session"]
    other = made.render("p", candidate(), data={"row": "y"})
    assert (other.messages[0].text, other.memo_key == found.memo_key) == ("12 y", False)


def test_the_request_is_the_prompts_unless_a_caller_says_otherwise(tmp_path: Path) -> None:
    """Of bases before; with the line of what is wrong."""
    files = {**ESTATE, "loop.md": LOOP.replace("output:", "request: {min_power: 10, max_power: 900}\noutput:")}
    made = renderer(tmp_path, files)
    asked = made.request("clerk", max_power=700)
    assert (asked.type, asked.min_power, asked.max_power) == ("llm", 50, 700)
    bad = renderer(tmp_path / "bad", {"clerk.md": CLERK.replace("min_power: 50", "min_power: many"), "loop.md": LOOP,
                                      "parts/tone.md": ""})  # fmt: skip
    with pytest.raises(PromptError, match=r"^clerk\.md:4: request: min_power"):
        bad.request("clerk")
    unknown = renderer(tmp_path / "other", {"p.md": "---\ntype: llm\nrequest: {power: 3}\n---\n"})
    with pytest.raises(PromptError, match=r"^p\.md:3: request: "):
        unknown.request("p")
    with pytest.raises(UsageError, match=r"^there is no field 'power'"):
        made.request("clerk", power=3)
    with pytest.raises(UsageError, match="min_power 50 is above max_power 5"):
        made.request("clerk", max_power=5)
    assert made.request("clerk", credentials=bool).credentials is bool
    for name in ("credentials", "health"):
        with pytest.raises(PromptError, match=rf"^p\.md:3: request: there is no field '{name}'"):
            renderer(tmp_path / name, {"p.md": f"---\ntype: llm\nrequest: {{{name}: 1}}\n---\n"}).request("p")
    with pytest.raises(PromptError, match=r"^p\.md:1: no model type is named"):
        renderer(tmp_path / "third", {"p.md": "x"}).request("p")


def test_line_breaks_and_marks_of_other_systems_are_read(tmp_path: Path) -> None:
    """A byte order mark, and two signs for a line break."""
    (tmp_path / "p.md").write_bytes("\ufeff---\r\ntype: llm\r\n---\r\na\r\n{{ x }}\r\n".encode())
    assert Renderer(tmp_path).render("p", candidate(), data={"x": 1}).messages[0].text == "a\n1\n"


@pytest.mark.parametrize(
    "body",
    [
        "{% if x %}" * 5_000 + "{% endif %}" * 5_000,
        "{% if x %}" * 150 + "{% endif %}" * 150,
        "{% for i in x %}" * 40 + "{% endfor %}" * 40,
        "{{ " + "(" * 5_000 + "x" + ")" * 5_000 + " }}",
        "{{ " + "-" * 5_000 + "1 }}",
        "{{ x" + ".a" * 5_000 + " }}",
    ],
)
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, body: str) -> None:
    """With a message, whichever of the readers gives up."""
    made = renderer(tmp_path, {"p.md": body})
    with pytest.raises(PromptError, match=r"^p\.md:1: .*(nested too deeply|undefined|has no attribute)"):
        made.render("p", candidate(), data={"x": []} if "for" in body else {})


def test_threads_may_render_at_once(tmp_path: Path) -> None:
    """Files are read once, and lines stay what they are."""
    files = {
        f"p{number}.md": f"---\ntype: llm\n---\n{{{{ x }}}} {number}\n\n{{{{ y{number} }}}}" for number in range(20)
    }
    made = renderer(tmp_path, files)

    def told(number: int) -> str:
        try:
            made.render(f"p{number % 20}", candidate(), data={"x": 1})
        except PromptError as error:
            return error.message
        return ""

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(told, range(80)))
    assert found == [f"p{number % 20}.md:6: 'y{number % 20}' is undefined" for number in range(80)]
