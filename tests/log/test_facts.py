"""Facts: how rows are identified and stated."""

from __future__ import annotations

from catalog.log import facts
from catalog.log.line import FACT_TABLES
from catalog.store.schema import metadata


def test_every_kind_of_fact_has_its_table_and_key() -> None:
    """The kinds of the log, the facts and the tables are the same, and a key is made of columns of its table."""
    assert set(facts.FACTS) == set(FACT_TABLES)
    assert {fact.table for fact in facts.FACTS.values()} | {"change_log"} == set(metadata.tables)
    for fact in facts.FACTS.values():
        assert set(fact.key) <= set(metadata.tables[fact.table].columns.keys())


def test_a_row_is_stated_without_what_is_unknown() -> None:
    """NULLs and the id are left out; a missing part of a key is ''."""
    row = {"id": 7, "model": "m", "vendor": "v", "driver": None, "status": "active"}
    assert facts.text_of(row) == '{"model":"m","status":"active","vendor":"v"}'
    assert facts.key_of("price", {"model": "m", "vendor": "v"}) == ("m", "v", "", "", "", "", "")
    assert facts.split("alias.add") == ("alias", "add")
    assert (facts.model_of("model", {"slug": "s"}), facts.model_of("vendor", {"slug": "s"})) == ("s", None)
