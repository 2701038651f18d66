"""Requests that cannot be meant are refused by field and value."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import UsageError
from catalog.selector import Bound, Request
from tests.selector.sample import decided, model

MODELS = (
    model("big", 500, "acme"),
    model("old", 300, "acme", status="retired"),
    model("vector", 50, "acme", type="embedding"),
)

MALFORMED: tuple[tuple[dict[str, Any], str], ...] = (
    ({"type": ""}, "type ''"),
    ({"type": None}, "type None"),
    ({"prefer": "best"}, "prefer 'best'"),
    ({"min_power": 3.5}, "min_power 3.5"),
    ({"min_power": True}, "min_power True"),
    ({"min_power": -1}, "min_power -1"),
    ({"min_power": 500, "max_power": 200}, "min_power 500 is above max_power 200"),
    ({"input_tokens": -5}, "input_tokens -5"),
    ({"output_tokens": "many"}, "output_tokens 'many'"),
    ({"max_price_in": "-1"}, "max_price_in -1 is negative"),
    ({"max_price_in": 2.5}, "max_price_in 2.5 is no exact decimal"),
    ({"max_price_out": "cheap"}, "max_price_out: 'cheap' is not a number"),
    ({"inputs": "image"}, "inputs 'image' is no list"),
    ({"capabilities": [3]}, "capabilities 3"),
    ({"capabilities": {"a", 3}}, "capabilities 3"),
    ({"capabilities": {"a": 1}}, "capabilities {'a': 1} is no list"),
    ({"min_power": 10**5000}, "min_power"),
    ({"status": ["retired"]}, "status 'retired'"),
    ({"status": []}, "status is empty"),
    ({"status": ["bogus"]}, "status 'bogus' is unknown"),
    ({"inputs": ["image,audio"]}, "inputs 'image,audio' is not one name"),
    ({"only_vendors": []}, "only_vendors is empty"),
    ({"only_vendors": ["acme"], "never_vendors": ["acme"]}, "'acme' stands in only_vendors and in never_vendors"),
    ({"bound": "big"}, "bound 'big' is no list"),
    ({"bound": []}, "bound is empty"),
    ({"bound": {"big"}}, "bound {'big'} is no list"),
    ({"bound": {"big": 3}}, "bound {'big': 3} is no list"),
    ({"bound": [Bound("big", -2)]}, "priority -2 of 'big'"),
    ({"bound": ["big", "big"]}, "'big' is named twice"),
    ({"require_bound": True}, "require_bound is set, and no model is bound"),
    ({"allow_unknown": "yes"}, "allow_unknown 'yes'"),
    ({"credentials": {"acme"}}, "credentials {'acme'} cannot be asked"),
    ({"health": {}}, "health {}"),
    ({"as_of": "2026-02"}, "as_of '2026-02'"),
    ({"as_of": "2026-02-30"}, "as_of '2026-02-30'"),
)


@pytest.mark.parametrize(("fields", "told"), MALFORMED, ids=[told for _, told in MALFORMED])
def test_a_malformed_field_is_named_with_its_value(fields: dict[str, Any], told: str) -> None:
    """Whatever cannot be meant is refused before anything is chosen, with a way out."""
    with pytest.raises(UsageError) as refused:
        Request(**{"type": "llm", **fields})
    assert told in refused.value.message
    assert refused.value.hint
    assert refused.value.exit_code == 2


UNKNOWN: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({"type": "lml"}, "type: there is no type 'lml'", "llm"),
    ({"bound": ["bgi"]}, "bound: there is no model 'bgi'", "big"),
    ({"bound": ["vector"]}, "bound: vector is of type embedding, the request of type llm", "never crosses"),
    ({"bound": [Bound("big", 0, "amce")]}, "bound: 'amce' does not serve big", "Served by: acme"),
    ({"bound": ["old"], "require_bound": True}, "bound: old is retired, and require_bound is set", "fallback"),
    ({"only_vendors": ["amce"]}, "only_vendors: there is no vendor 'amce'", "acme"),
    ({"never_vendors": ["amce"]}, "never_vendors: there is no vendor 'amce'", "acme"),
    ({"vendor_order": ["amce"]}, "vendor_order: there is no vendor 'amce'", "acme"),
)


@pytest.mark.parametrize(("fields", "told", "hint"), UNKNOWN, ids=[told for _, told, _ in UNKNOWN])
def test_a_name_the_catalog_does_not_hold_is_refused(fields: dict[str, Any], told: str, hint: str) -> None:
    """A typo never becomes an empty decision: it is told, with the nearest name."""
    with pytest.raises(UsageError) as refused:
        decided(*MODELS, **fields)
    assert told in refused.value.message
    assert hint in refused.value.hint


def test_a_request_takes_any_collection_and_keeps_tuples() -> None:
    """Lists, sets and slugs become one form, so that equal requests are equal."""
    given = Request(type=" llm ", bound=["big"], inputs={"text", "image"}, max_price_in="2.50")  # type: ignore[arg-type]
    same = Request(type="llm", bound=(Bound("big"),), inputs=("image", "text"), max_price_in="2.5")
    assert given == same
    assert given.to_data() == {
        "type": "llm",
        "bound": [{"model": "big", "priority": 0, "vendor": None}],
        "inputs": ["image", "text"],
        "status": ["active"],
        "max_price_in": "2.5",
    }
