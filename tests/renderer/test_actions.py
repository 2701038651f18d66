"""The index of actions: lines within a budget, search that finds names first, and the whole of what is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import UsageError
from catalog.renderer.actions import LINE_CHARS, Action, ActionIndex, Entry, Reference

TITLE = {"type": "object", "properties": {"title": {"type": "string", "description": "What it is called"}}}
ENTRIES: list[Entry] = [
    Action(
        name="create_document", description="Creates a document. Titles are kept.", parameters=TITLE, source="files"
    ),
    Action(name="deleteDocument", description="Deletes a document for good."),
    Action(name="send-mail", description="Sends a mail", parameters=TITLE, result={"type": "boolean"}, source="mail"),
    Action(name="list_orders", description="Lists the orders of a customer.", source="shop"),
    Reference(name="report-layout", description="The layout of a report, in HTML.", path=Path("layout.html")),
]


def names(index: ActionIndex, query: str, k: int = 5) -> list[str]:
    """Return the names that a search finds."""
    return [hit.name for hit in index.search(query, k)]


def test_the_index_has_a_line_for_each() -> None:
    """Its name and what it is for, in order of names, whatever the order they come in."""
    index = ActionIndex(reversed(ENTRIES))
    assert index.lines(1_000).text == (
        "create_document — Creates a document\n"
        "deleteDocument — Deletes a document for good\n"
        "list_orders — Lists the orders of a customer\n"
        "report-layout — The layout of a report, in HTML\n"
        "send-mail — Sends a mail\n"
    )
    assert len(index) == 5
    told = ActionIndex([Action(name="a", description="Reads files, e.g. logs, pages etc. of a folder. Slowly.")])
    assert told.lines(99).text == "a — Reads files, e.g. logs, pages etc. of a folder\n"
    assert ActionIndex([Action(name="a", description="word " * 90)]).lines(99).text[-2:] == "…\n"
    assert len(ActionIndex([Action(name="a", description="word " * 90)]).lines(99).text) <= LINE_CHARS + 1


def test_exact_names_take_no_place_from_what_else_fits() -> None:
    """Of k hits those that are named come first, and the best of the others fill the rest."""
    entries = [Action(name=f"mail_{n}", description="Sends a mail about orders") for n in range(6)]
    index = ActionIndex([*entries, Action(name="orders", description="Other")])
    found = names(index, "mail_3 mail_4 orders mail", 5)
    assert found[:3] == ["mail_3", "mail_4", "orders"]
    assert len(found) == 5
    with pytest.raises(UsageError, match="1 is no entry"):
        ActionIndex([1])  # type: ignore[list-item]


@given(st.integers(0, 200), st.randoms(use_true_random=False), st.sets(st.integers(0, 29), max_size=4))
def test_a_budget_is_kept_but_for_the_core(budget: int, chance: Random, core: set[int]) -> None:
    """What is hidden is counted; the same entries give the same text."""
    entries = [Action(name=f"act{number}", description="does " * (number % 7)) for number in range(30)]
    pinned = [f"act{number}" for number in core]

    def count(text: str) -> int:
        return len(text.split())

    estimated = ActionIndex(entries, core=pinned).lines(budget)
    assert estimated.tokens <= budget or set(estimated.shown) == set(pinned)
    found = ActionIndex(entries, core=pinned).lines(budget, count=count)
    shuffled = chance.sample(entries, len(entries))
    assert ActionIndex(shuffled, core=pinned).lines(budget, count=count) == found
    assert sorted((*found.shown, *found.hidden)) == sorted(own.name for own in entries)
    assert set(pinned) <= set(found.shown)
    assert found.tokens == count(found.text)
    assert found.tokens <= budget or set(found.shown) == set(pinned)
    assert (f"… and {len(found.hidden)} more" in found.text) == bool(found.hidden)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("list_orders", "list_orders"),
        ("please call LIST_ORDERS for me", "list_orders"),
        ("documents", "create_document"),
        ("deleting", "deleteDocument"),
        ("mail", "send-mail"),
        ("shop", "list_orders"),
        ("title", "create_document"),
        ("what customers order", "list_orders"),
        ("html", "report-layout"),
        ("send-mail or create_document", "create_document"),
    ],
)
def test_a_search_finds_names_first_and_words_in_all_forms(query: str, first: str) -> None:
    """In names, sources, parameters and descriptions."""
    assert names(ActionIndex(ENTRIES), query)[0] == first


def test_a_name_in_its_own_case_is_first() -> None:
    """Before one that differs in case alone."""
    index = ActionIndex([Action(name=name, description="x") for name in ("LIST_ORDERS", "list_orders")])
    assert names(index, "list_orders") == ["list_orders", "LIST_ORDERS"]
    assert names(index, "LIST_ORDERS") == ["LIST_ORDERS", "list_orders"]


def test_a_search_says_how_well_it_fits() -> None:
    """Exact names above all; at most so many; nothing where nothing fits."""
    index = ActionIndex(ENTRIES)
    hits = index.search("send-mail about documents", 2)
    assert [hit.name for hit in hits] == ["send-mail", "create_document"]
    assert hits[0].score == float("inf")
    assert hits[1].line == "create_document — Creates a document"
    assert names(index, "zebra quagga") == []
    assert names(index, "") == names(index, '"*^: ()') == []
    assert names(index, 'NEAR(document "mail') != []
    with pytest.raises(UsageError, match="k is 0: at least 1"):
        index.search("x", 0)


def test_what_is_asked_for_is_shown_in_full(tmp_path: Path) -> None:
    """Interfaces of actions, the text of a reference, each once, in the order asked for."""
    (tmp_path / "layout.html").write_text("<h1>ü</h1>\n")
    index = ActionIndex([*ENTRIES[:4], Reference(name="layout", description="x", path=tmp_path / "layout.html")])
    assert index.describe(["layout", "send-mail", "layout", "list_orders"]) == (
        "# layout\n<h1>ü</h1>\n\n"
        "# send-mail\nSends a mail\n"
        "interface Parameters {\n  title?: string  // What it is called\n}\n"
        "type Result = boolean\n"
        "# list_orders\nLists the orders of a customer.\nno parameters"
    )


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (lambda: ActionIndex([*ENTRIES, ENTRIES[0]]), "two entries are named 'create_document'"),
        (lambda: ActionIndex([Action(name=" ", description="x")]), "the name ' ' is no name"),
        (lambda: ActionIndex([Action(name="a\nb", description="x")]), "is no name"),
        (lambda: ActionIndex([Action(name="a", description=None)]), "description of 'a' is None"),  # type: ignore[arg-type]
        (lambda: ActionIndex([Action(name=5, description="a")]), "is no entry"),  # type: ignore[arg-type]
        (lambda: ActionIndex(ENTRIES).search(None), "the query is None, no text"),  # type: ignore[arg-type]
        (lambda: ActionIndex(ENTRIES, core=["no"]), "there is no entry 'no'"),
        (lambda: ActionIndex(ENTRIES).describe(["list_order"]), "there is no entry 'list_order'"),
        (lambda: ActionIndex(ENTRIES).describe(["report-layout"]), "the reference 'report-layout' cannot be read"),
    ],
)
def test_what_is_not_there_is_refused(act: Callable[[], Any], told: str) -> None:
    """Naming it."""
    with pytest.raises(UsageError, match=told):
        act()
