"""Tags, expressions and comments: found where the parser finds them."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jinja2 import TemplateSyntaxError

from catalog.renderer.language import sandbox
from catalog.renderer.tags import blanked, tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a{% if x %}b{{ y }}c{# d #}", ["{% if x %}", "{{ y }}", "{# d #}"]),
        ("{%- else -%}{%+ set x = '%}' %}", ["{%- else -%}", "{%+ set x = '%}' %}"]),
        ("""{{ "}}" ~ '{#' }}{{ 'a\\'}}' }}""", ["""{{ "}}" ~ '{#' }}""", "{{ 'a\\'}}' }}"]),
        ("{# {% if x %} #}{% endif %}", ["{# {% if x %} #}", "{% endif %}"]),
        ("{% raw %}{{ x }}{# y{% endraw -%}{{ z }}", ["{% raw %}", "{{ z }}"]),
        ("{%- raw -%}{% if x %}{%- endraw %}a", ["{%- raw -%}"]),
        ("{{ {'a': 1}['a'] }}%}", ["{{ {'a': 1}['a'] }}"]),
        ("{{{'a': {'b': 1}}}}{% set x = {'c': {}} %}", ["{{{'a': {'b': 1}}}}", "{% set x = {'c': {}} %}"]),
        ("{% raw %}{% endraw x %}{{ y }}{% endraw %}{{ z }}", ["{% raw %}", "{{ z }}"]),
        ("no { tags % here }", []),
        ("{# open", []),
        ("{%", []),
        ("a{{ 'b", []),
        ("{% raw %}{{ x }}", ["{% raw %}"]),
    ],
)
def test_what_stands_between_braces_is_found(text: str, found: list[str]) -> None:
    """But for raw texts, and whatever texts in it look like."""
    assert [text[own.start : own.end] for own in tags(text)] == found


def test_a_tag_has_its_word() -> None:
    """And nothing else has one."""
    assert [(own.kind, own.word) for own in tags("{%- if x %}{{ y }}{# z #}")] == [("%", "if"), ("{", ""), ("#", "")]


_PIECES = [
    "{% if x %}", "{% endif %}", "{{ a }}", '{{ {"a": {"b": 1}} }}', "{# c #}", "{# more\nlines #}", "{#- x -#}",
    "{% raw %}", "{% endraw %}", "{%- raw -%}", "{%- endraw -%}", "{% raw%}", "{% endraw x %}", "{# {% raw %} #}",
    '{{ "}}" }}', '{{ "%}" }}', "{{ '{#' }}", '{% set q = {"a": {"b": 2}} %}', '{{ "a\\"b" }}', "{{{}}}",
    "{##}", "{#}", "{{ a[(1)] }}",
    "{%+ if x +%}", "{%\nif x\n%}", "{{- y -}}", "{{ 5 % 3 }}", "text", "\n", "it's", '"', "#}", "}}", "%}", "{", "}",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=7).map("".join))
def test_tags_are_where_the_lexer_finds_them(text: str) -> None:
    """Of texts that it can read."""
    place, begins, found = 0, 0, []
    try:
        tokens = list(sandbox().lexer.tokeniter(text, None))
    except TemplateSyntaxError:
        assume(False)
    for _, kind, value in tokens:
        at = text.index(value, place)
        place = at + len(value)
        if kind.endswith("_begin"):
            begins = at + value.index("{")
        if kind in ("block_end", "variable_end", "comment_end", "raw_begin"):
            found.append(text[begins : at + len(value.rstrip())])
    assert [text[own.start : own.end] for own in tags(text)] == found


@given(st.text(alphabet="{}%#'\" ab\n"), st.text(alphabet="{}%#a\n", max_size=5))
def test_tags_are_blanked_where_they_stand(text: str, front: str) -> None:
    """What stands before a text begins is blanked with them, and read for none."""
    found = list(tags(front + text, len(front)))
    left = blanked(front + text, found, len(front))
    assert [own._replace(start=own.start - len(front), end=own.end - len(front)) for own in found] == list(tags(text))
    assert left[len(front) :] == blanked(text, tags(text)) and not left[: len(front)].strip()
    assert len(left) == len(front + text)
    assert all(own == " " for tag in found for own in left[tag.start : tag.end])
    outside = [place for place in range(len(text)) if not any(own.start <= place < own.end for own in tags(text))]
    assert all(text[place] == left[len(front) + place] for place in outside)
