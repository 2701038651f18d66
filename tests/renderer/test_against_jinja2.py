"""Renderings beside Jinja2's own: linking, the marks of segments and the counting of work change no sign of a text."""

from __future__ import annotations

from typing import Any

import jinja2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.renderer.estates import candidate, renderer, said

PART = "{% set inner = 'in the part' %}[{{ inner }} {{ title }}{% if n > 2 %} many{% endif %}]\n"
EXPRESSIONS = st.sampled_from([
    "title", "n", "title ~ n", "rows[0].name", "rows | length", "title | upper", "n + 2 * 3",
    "'yes' if n > 2 else 'no'",
    "rows | map(attribute='name') | join(', ')", "nothing | default('none')", "title.split()[0]", "-n // 2", "n % 3",
    "(rows | selectattr('size', 'gt', 1) | list | first | default({'name': 'no one'})).name", "title[1:3]",
    "'a' if nothing is defined else title", "[n, title] | join('-')", "{'k': n}.k", "title | replace('e', n)",
    "'%s' if false else title", "1 if (n > 2 and title) or not rows else 0", "rows | sum('size')",
])  # fmt: skip
TESTS = st.sampled_from([
    "n > 2", "title", "rows", "nothing is defined", "not n", "n in [1, 2]", "1 < n < 4", "title == 'abc def'",
    "n > 2 and rows", "n is odd or title is not defined",
])  # fmt: skip


def blocks(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return conditions, loops and scopes around texts."""
    return st.one_of(
        st.builds("{{% if {} %}}\n{}{{% elif {} %}}{}{{% else %}}\n{}\n  {{% endif %}}\n".format,
                  TESTS, inside, TESTS, inside, inside),
        st.builds("{{% for row in rows if {} %}}\n{}{{{{ row.name ~ loop.index }}}}{{% else %}}{}{{% endfor %}}".format,
                  st.sampled_from(["row.size", "n > 2", "true"]), inside, inside),
        st.builds("{{% set x = {} %}}{}{{{{ x }}}}".format, EXPRESSIONS, inside),
        st.builds("{{%- if {} -%}}\n {} \n{{%- endif %}}".format, TESTS, inside),
    )  # fmt: skip


TEXTS = st.sampled_from([
    "text\n", "  two\n  lines\n", "{# said to nobody #}", "{% raw %}{{ raw }}{% endraw %}", "\n", "ä\u2028ß ",
    "{% include 'part.md' %}", "  {% include 'part.md' %}\n",
])  # fmt: skip
BODIES = st.recursive(
    TEXTS | st.builds("{{{{ {} }}}}".format, EXPRESSIONS),
    lambda inside: blocks(inside) | st.builds("{}{}".format, inside, inside),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(
    BODIES, st.sampled_from(["", "abc def", "x"]), st.integers(0, 5),
    st.lists(st.fixed_dictionaries({"name": st.sampled_from(["a", "b"]), "size": st.integers(0, 3)}), max_size=3),
)  # fmt: skip
def test_a_text_is_what_jinja2_makes_of_it(
    tmp_path_factory: pytest.TempPathFactory, body: str, title: str, n: int, rows: list[dict[str, Any]]
) -> None:
    """For texts, expressions, conditions, loops, variables and includes; and where Jinja2 fails ours does, too."""
    data = {"title": title, "n": n, "rows": rows}
    raw = jinja2.Environment(
        loader=jinja2.DictLoader({"p.md": body, "part.md": PART}), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip
    ours = renderer(tmp_path_factory.mktemp("prompts"), {"p.md": body, "part.md": PART})
    try:
        wanted = raw.get_template("p.md").render(data)
    except Exception as error:  # whatever an expression raises
        with pytest.raises(Exception, match=r"p\.md|part\.md") as raised:
            ours.render("p", candidate(), data=data)
        assert type(raised.value).__name__ == "PromptError", error
        return
    assert said(ours.render("p", candidate(), data=data)) == wanted
