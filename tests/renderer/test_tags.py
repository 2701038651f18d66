"""Tags, expressions and comments: found where the parser finds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.renderer.tags import tags, without


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
        ("no { tags % here }", []),
        ("{# open", []),
        ("{% raw %}{{ x }}", ["{% raw %}"]),
    ],
)
def test_what_stands_between_braces_is_found(text: str, found: list[str]) -> None:
    """But for raw texts, and whatever texts in it look like."""
    assert [text[own.start : own.end] for own in tags(text)] == found


def test_a_tag_has_its_word() -> None:
    """And nothing else has one."""
    assert [(own.kind, own.word) for own in tags("{%- if x %}{{ y }}{# z #}")] == [("%", "if"), ("{", ""), ("#", "")]


@given(st.text(alphabet="{}%#'\" ab\n"), st.sampled_from(["%", "{", "#", "%{#"]))
def test_what_is_left_is_what_was_there(text: str, kinds: str) -> None:
    """Of the same length where as much is put in."""
    assert without(text, kinds, lambda own: own) == text
    assert len(without(text, kinds, lambda own: " " * len(own))) == len(text)
