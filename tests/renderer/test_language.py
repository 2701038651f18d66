"""The language is closed: what is not part of it is refused with its line, and nothing but plain data is reached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog.errors import PromptError, UsageError
from tests.renderer.estates import candidate, renderer, text_of


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("{% macro m() %}{% endmacro %}", "p.md:1: the tag 'macro' is not part of the language"),
        ("a\n{% import 'x' as y %}", "p.md:2: the tag 'import' is not"),
        ("{% from 'x' import y %}", "the tag 'from' is not"),
        ("{% extends 'x' %}", "the tag 'extends' is not"),
        ("{% block b %}{% endblock %}", "the tag 'block' is not"),
        ("{% call x() %}{% endcall %}", "the tag 'call' is not"),
        ("{% filter upper %}x{% endfilter %}", "the tag 'filter' is not"),
        ("{% with a = 1 %}{% endwith %}", "the tag 'with' is not"),
        ("{% autoescape true %}{% endautoescape %}", "the tag 'autoescape' is not"),
        ("{% print 1 %}", "the tag 'print' is not"),
        ("{% do x.append(1) %}", "the tag 'do' is not"),
        ("{% iff x %}{% endif %}", "the tag 'iff' is not part of the language; did you mean 'if'?"),
        ("---\ntype: llm\n---\n\n{% set x %}a{% endset %}", "p.md:5: set takes an expression here, and no block"),
        ("{% set a.b = 1 %}", "set takes names on its left"),
        ("{% set _X = 1 %}", "the name '_X' is not a prompt's to give"),
        ("{% set state = 1 %}", "the name 'state' is not a prompt's to give"),
        ("{% for x in y recursive %}{% endfor %}", "a loop cannot call itself"),
        ("{% include name %}", "include takes the name of one file as a text"),
        ("{% include ['a.md', 'b.md'] %}", "include takes the name of one file"),
        ("{% include 'a.md' ignore missing %}", "include takes a name and nothing else"),
        ("{% include 'a.md' without context %}", "include takes a name and nothing else"),
        ("{{ x | attr('a') }}", "there is no filter 'attr' here"),
        ("{{ x | uper }}", "there is no filter 'uper' here; did you mean 'upper'?"),
        ("{{ x | center(9) }}", "there is no filter 'center' here"),
        ("{{ '%s' | format(x) }}", "there is no filter 'format' here"),
        ("{{ x is callable }}", "there is no test 'callable' here"),
        ("{{ lipsum() }}", "there is no function 'lipsum' here"),
        ("{{ cycler(1) }}", "there is no function 'cycler' here"),
        ("{{ namespace(a=1) }}", "there is no function 'namespace' here"),
        ("{{ dict(a=1) }}", "there is no function 'dict' here"),
        ("{{ x.format(1) }}", "there is no method 'format' here"),
        ("{% set a = (1,) %}{{ {a: 1} }}", "the keys of a mapping are texts here"),
        ("{{ (x)() }}", "there is no function 'x' here"),
        ("{{ x[0]() }}", "only functions and methods can be called"),
        ("{{ range(*x) }}", "arguments cannot be unpacked here"),
        ("{{ x.__class__ }}", "the attribute '__class__' begins with an underscore"),
        ("{{ x", "p.md:1: unexpected end of template"),
        ("{% if x %}\nb", "p.md:2: Unexpected end of template"),
        ("{{ _NO_SUCH }}", "p.md:1: there is no placeholder _NO_SUCH"),
        ("{{ _MODEL_NAM }}", "there is no placeholder _MODEL_NAM"),
        ("{% section s %}x{% endsection %}", "there is no section 's'"),
        ("{% section %}x{% endsection %}", "p.md:1: expected token 'name'"),
        ("{{ interface(x) }}", "interface takes the name of one type as a text"),
        ("{{ specialization }}", "p.md:1: nothing specializes this text"),
        ("{{ specialization | upper }}", "'specialization' stands for a whole text"),
        ("{{ children.x }}", "there is no child 'x'"),
        ("{% if children %}x{% endif %}", "'children' stands for a whole text"),
        ("{{ _CURRENT_DATE }}", "what _CURRENT_DATE says changes from turn to turn"),
        ("{% if state.x %}a{% endif %}", "what state says changes from turn to turn"),
        ("{% for i in state.rows %}a{% endfor %}", "what state says changes from turn to turn"),
        ("{% set x = state.rows %}", "what state says changes from turn to turn"),
        ("{% for i in [1] if state.x %}a{% endfor %}", "what state says changes from turn to turn"),
    ],
)
def test_what_is_not_part_of_the_language_is_refused(tmp_path: Path, body: str, told: str) -> None:
    """When the prompt is read, before any model is known; the front matter's lines count."""
    with pytest.raises(PromptError) as raised:
        renderer(tmp_path, {"p.md": body}).program("p")
    assert told in raised.value.message
    assert raised.value.data["file"] == "p.md"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("{{ a }} {{ b }} {{ t }} {{ n }}", "1 2.5 true null"),
        ("{{ rows }} {{ d }}", '[{"x": 1}, {"x": 2}] {"items": "own", "k": "ü"}'),
        ("{{ d.items }} {{ d['k'] }} {{ d.get('z', 7) }}", "own ü 7"),
        ("{% for k, v in rows[0].items() %}{{ k }}={{ v }}{% endfor %}", "x=1"),
        ("{{ s.upper() }} {{ s.split(' ') }}", 'A B ["a", "b"]'),
        ("{{ s ~ 1 ~ t }} {{ 'x' * 3 }} {{ [1] + [2] }}", "a b1true xxx [1, 2]"),
        ("{% for r in rows %}{{ loop.index }}{{ r.x }}{% if not loop.last %},{% endif %}{% endfor %}", "11,22"),
        ("{% for r in [] %}x{% else %}none{% endfor %}", "none"),
        ("{% for r in rows if r.x > 1 %}{{ r.x }}{% endfor %}", "2"),
        ("{% set y = a + 1 %}{% if y == 2 %}two{% elif y == 3 %}three{% else %}more{% endif %}", "two"),
        ("{{ rows | map(attribute='x') | join('-') }}", "1-2"),
        ("{{ s | replace('a', 'c') | json }} {{ 2.555 | round(1) }}", '"c b" 2.6'),
        ("{{ missing | default('none') }} {{ missing is defined }}", "none false"),
        ("{% raw %}{{ x }}{% macro %}{% endraw %}", "{{ x }}{% macro %}"),
        ("{# a comment #}a", "a"),
        ("  {% if t %}\nx\n  {% endif %}\ny\n", "x\ny\n"),
        ("{{ rows | sum(attribute='x') }} {{ [1, 2.5] | sum }} {{ [] | sum }} {{ [1] | sum(start=2) }}", "3 3.5 0 3"),
        ("{{ range(3) | list }} {{ rows | length }} {{ rows[-1].x }}", "[0, 1, 2] 2 2"),
        ("{{ 'a\nb' | indent(2) }}|{{ 5 // 2 }}|{{ 2 ** 8 }}|{{ 7 % 4 }}", "a\n  b|2|256|3"),
        ("{{ e.items is defined }} {{ e.items | default('none') }} {{ s.upper is defined }}", "false none false"),
        ("{% for k, v in e.items() %}{{ k }}{{ loop['index'] }}{% endfor %}{{ e.values() | list }}", "id1[7]"),
        ("{% if e.items is defined %}a{% else %}b{% endif %}", "b"),
        ("{% for k, v in d.items() %}{{ k }} {% endfor %}{{ 'ab' in e }}{{ 7 in e.values() }}", "items k falsetrue"),
        ("{{ ('a. b, c. ' * 9000) | replace('x', 'a. b, c. ' * 9000) | length }}", "81000"),
        ("{% for i in range(320) %}{% if i in range(1000, 9000) %}x{% endif %}{% endfor %}", ""),
        ("{{ 'xxayy' | trim('xy') }} {{ ' a ' | trim }}", "a a"),
        ("{{ 1 if t else 2 }} {{ t and n }} {{ not t }} {{ a in [1] }}", "1 null false true"),
    ],
)
def test_a_body_says_what_it_should(tmp_path: Path, body: str, text: str) -> None:
    """Texts as they are, everything else as JSON; keys before methods."""
    data = {"a": 1, "b": 2.5, "t": True, "n": None, "s": "a b", "rows": [{"x": 1}, {"x": 2}],
            "d": {"items": "own", "k": "ü"}, "e": {"id": 7}}  # fmt: skip
    assert text_of(tmp_path, body, data=data) == text


PROBES = [
    "{{ ''.__class__.__mro__ }}",
    "{{ o.__init__.__globals__ }}",
    "{{ o.delete() }}",
    "{{ o['__class__'] }}",
    "{{ o._private }}",
    "{{ '' | attr('format') }}",
    "{{ '{0.__class__}'.format(o) }}",
    "{{ o | attr('__class__') }}",
    "{{ rows.append(1) }}",
    "{% for i in range(10**9) %}x{% endfor %}",
    "{{ cycler.__init__.__globals__ }}",
    "{{ missing }}",
    "{{ missing.x }}",
    "{{ o.items }}",
    "{{ o.key.__class__ }}",
    "{{ 'a' * 10**8 }}",
    "{{ 10 ** 3000000 }}",
    "{% for i in range(3000) %}{% for j in range(1000) %}x{% endfor %}{% endfor %}",
    "{{ '%100000000s' % 'x' }}",
    "{% set x = 'ab' %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}",
    "{% set x = 'ab' %}" + "{% set x = x + x %}" * 40 + "{{ x }}",
    "{% set x = [1] %}" + "{% set x = [x, x] %}" * 40 + "{{ x }}",
    "{% set x = [1] %}" + "{% set x = x + x %}" * 40 + "{{ x }}",
    "{% set x = 7 %}" + "{% set x = x * x %}" * 40 + "{{ x }}",
    "{{ ('a' * 3000) | replace('a', 'b' * 3000) }}",
    "{{ range(90000) | join('x' * 900) }}",
    "{{ 'a' | indent(10**9) }}",
    "{{ 1 | round(10**9) }}",
    "{{ [1] | json(indent=10**9) }}",
    "{{ 1 / 0 }}",
    "{{ rows | map('attr', 'x') | list }}",
    "{{ s.upper }}",
    "{{ rows | map(attribute='x') }}",
    "{{ rows + 1 }}",
    "{% set q = 'x' * 3900000 %}{% set a = ([q] * 400) | map('upper') | list %}{{ a | length }}",
    "{% set q = 'x' * 3900000 %}{{ [q] * 400 }}",
    "{% for i in range(400) %}{% for j in range(400) %}{{ ('x' * 3900000) | upper | first }}{% endfor %}{% endfor %}",
    "{% set x = 'y' * 3900000 %}{% for i in range(9999) %}{{ x.count('ab') }}{% endfor %}",
    "{% set x = 'y' * 3900000 %}{% for i in range(9999) %}{{ 'ab' in x }}{% endfor %}",
    "{% set x = 'y' * 3900000 %}{% for i in range(9999) %}{{ x[:-1] | first }}{% endfor %}",
    "{% set a = range(90000) | list %}{{ a | select('in', a) | list | length }}",
    "{% set a = range(90000) | list %}{% for i in range(9999) %}{{ a == a }}{{ a | sort | first }}{% endfor %}",
    "{% set x = 'ab' %}" + "{% set x = x | json %}" * 40 + "{{ x }}",
    "{% set x = 'y' * 900000 %}{% for i in range(5000) %}{{ x ~ i }}{% endfor %}",
    "{{ ([range(99999)] * 2000) | map('list') | list }}",
    "{% set x = range(90000) | list %}{% for i in range(9999) %}{{ x[:-1] | first }}{% endfor %}",
    "{% set x = ['y' * 3900000] %}{{ [x, x, x] }}",
    "{{ 2 ** 5000 }}",
    "{{ 1e308 * 10 }}",
    "{% set x = [[1]] * 90000 %}{{ x | sum(start=[]) | length }}",
    "{{ ['a'] | sum }}",
    "{% set a = (1,) %}" + "{% set a = (a, a) %}" * 40 + "{{ {'x': 1}[a] }}",
    "{% set x = range(90000) | list %}{% for i in range(9999) %}{{ [x] | length }}{{ {'a': x} | length }}{% endfor %}",
    "{% set a = '0.' * 20000 ~ '0' %}{{ (['a'] * 2000) | map(attribute=a) | list | length }}",
    "{% set a = '0.' * 20000 ~ '0' %}{{ (['a'] * 2000) | select | sort(attribute=a) | length }}",
    "{% for i in range(2000) %}{% set z = range(100000) | min %}{% endfor %}",
    "{% for i in range(2000) %}{{ 'x' in range(100000) }}{% endfor %}",
    "{% set r = range(100000) %}{% for i in range(2000) %}{{ r | select('none') | first | default }}{% endfor %}",
    "{% set d = range(9000) | list %}{% set e = {'a': d} %}{% for i in range(9999) %}{{ d in e.values() }}{% endfor %}",
    "{% set r = range(90000) | list %}{% for i in range(2000) %}{{ r | reject | first | default }}{% endfor %}",
    "{% set a = (s,) %}{% set b = (s,) %}"
    + "{% set a = (a, a) %}{% set b = (b, b) %}" * 40
    + "{{ (a, b) | reverse | sort | length }}",
    "{% for i in range(100000) %}{% set z = [0] * 190000 %}{% endfor %}",
    "".join(f"{{% set a{n} = '😀' * 4000000 %}}" for n in range(80)),
    "{{ ('b' * 1000000) | trim('a' * 1000000 ~ 'b') }}",
    "{{ ('b' * 1000000).lstrip('a' * 1000000 ~ 'b') }}",
    "{% for i in range(90000) %}{% if " + "i + " * 100 + "i %}{% endif %}{% endfor %}",
    "{% for i in range(90000) %}{% if " + "i < 1 or " * 60 + "i < 1 %}{% endif %}{% endfor %}",
    "{{ 'a b' | truncate(1) }}",
    "{{ none | dictsort }}",
    "{{ 1e400 }}",
    "{{ 9" + "9" * 5000 + " }}",
    "{{ '\\ud800' }}",
    "{{ " + "1 + " * 3000 + "1 }}",
    "{% if s %}a" + "{% elif s %}b" * 200 + "{% endif %}",
    "{% include '" + "a" * 5000 + "' %}",
]


@pytest.mark.parametrize("body", PROBES)
def test_no_expression_reaches_out_or_takes_everything(tmp_path: Path, body: str) -> None:
    """Attributes, globals, methods that change something, and what would take all memory: one error with its line."""
    data = {"o": {"key": "v", "items": None}, "rows": [{"x": 1}], "s": "a"}
    if body == "{{ o.items }}":
        assert text_of(tmp_path, body, data=data) == "null"
        return
    if body == "{{ o['__class__'] }}":
        told = "p.md:1: what is read here has no '__class__'"
    with pytest.raises(PromptError) as raised:
        text_of(tmp_path, body, data=data)
    assert raised.value.message.startswith("p.md:1: ")
    if body == "{{ o['__class__'] }}":
        assert raised.value.message == told
    assert data == {"o": {"key": "v", "items": None}, "rows": [{"x": 1}], "s": "a"}


def test_only_numbers_have_a_sum(tmp_path: Path) -> None:
    """Lists joined one by one would take a square of their size."""
    for body in ("{{ [[1]] | sum(start=[]) }}", "{{ ['a'] | sum }}", "{{ [[1]] | sum }}"):
        with pytest.raises(PromptError, match=r"^p\.md:1: only numbers have a sum, and .* is none"):
            text_of(tmp_path, body)


def test_an_error_names_the_line_it_is_met_on(tmp_path: Path) -> None:
    """Of the file it stands in, in the middle of a text, through includes and loops."""
    files = {
        "p.md": "---\ntype: llm\n---\none\n{% for x in xs %}\n{% include 'parts/row.md' %}\n{% endfor %}\n",
        "parts/row.md": "a row\nof {{ x.name }}\nand {{ x.other }}\n",
    }
    made = renderer(tmp_path, files)
    with pytest.raises(PromptError, match=r"^parts/row\.md:3: what is read here has no 'other'"):
        made.render("p", candidate(), data={"xs": [{"name": "n", "other": 1}, {"name": "n"}]})
    with pytest.raises(PromptError, match=r"^p\.md:5: 'xs' is undefined"):
        made.render("p", candidate())


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"x": object()}, "data.x is a object, no plain data"),
        ({"x": [1, {"y": float("nan")}]}, "data.x[1].y is nan, which is no JSON"),
        ({"x": {1: 2}}, "data.x has the key 1, which is no text"),
        ({"x": {"a", "b"}}, "data.x is a set, no plain data"),
        ({"x": {"y": 10**5000}}, "data.x.y has more than 4,096 bits"),
        ({"_MODEL_NAME": "x"}, "data cannot be named '_MODEL_NAME'"),
        ({"state": 1}, "data cannot be named 'state'"),
        ({"range": 1}, "data cannot be named 'range'"),
        ({"interface": 1}, "data cannot be named 'interface'"),
        ({"self": 1}, "data cannot be named 'self'"),
    ],
)
def test_data_is_plain_and_says_nothing_of_the_model(tmp_path: Path, data: dict[str, Any], told: str) -> None:
    """Nobody shadows a fact of the decision; objects stay outside."""
    with pytest.raises(UsageError) as raised:
        text_of(tmp_path, "x", data=data)
    assert told in raised.value.message


def test_data_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """With a message, and without any traceback of Python's own limit."""
    deep: Any = 1
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(UsageError, match=r"data\.x\[0\]\[0\] is nested more than 100 levels deep"):
        text_of(tmp_path, "x", data={"x": deep})


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% include '/etc/passwd' %}", "{{ _MODEL_NAME }}", "{% state %}"])
def test_what_data_says_is_never_run(tmp_path: Path, text: str) -> None:
    """It is text, whatever it looks like; and so is the name of a file."""
    assert text_of(tmp_path, "{{ x }}", data={"x": text}) == text
    assert text_of(tmp_path, "{{ x.y }}", data={"x": {"y": text}}) == text
