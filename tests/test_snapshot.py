"""The read side: a frozen picture of the catalog, the same from the tables as from the log."""

from __future__ import annotations

import subprocess
import sys

import pytest

from catalog import past, snapshot
from catalog.connection import reading
from catalog.errors import NotFoundError
from catalog.log.facts import key_of
from tests.selector.sample import PRICE, model, offer
from tests.store import sample

NEXT_DAY = "2026-12-01T09:00:00Z"


@pytest.fixture
def url(database_url: str) -> str:
    """The URL of the small catalog."""
    return sample.create(database_url)


def test_a_snapshot_equals_the_replay_of_today(url: str) -> None:
    """What the tables say and what the log says up to today are one picture, offers and prices included."""
    with sample.writing(url) as book:
        for vendor in ("unused", "acme"):
            book.add("model", sample.model(f"by-{vendor}", developer=vendor), reason="r")
        book.add("offer", {**sample.OFFER, "vendor": "unused"}, reason="r")
        for currency, start in (("USD", None), ("EUR", "2026-02-01"), ("EUR", None)):
            price = {**sample.PRICE, "vendor": "unused", "currency": currency, "valid_from": start}
            ended = {} if start or currency == "USD" else {"valid_to": "2026-02-01"}
            book.add("price", {**price, **ended}, reason="r")
    with reading(url) as reader:
        assert snapshot.read(reader) == past.at(reader, sample.AT[:10])


def test_a_day_is_seen_as_it_was(url: str) -> None:
    """A snapshot of an earlier day knows nothing of what was written since."""
    then = snapshot.load(url)
    with sample.writing(url, at=NEXT_DAY) as book:
        book.rank("correction", "alpha", **{**sample.RANK, "rank": 490})
        book.edit("model", ("gamma",), {"name": "Renamed"}, reason="r")
        book.remove("price", key_of("price", sample.PRICE), reason="r")
    with reading(url) as reader:
        assert past.at(reader, "2026-11-30") == then
        assert past.at(reader, "2026-12-01") == snapshot.read(reader) != then
        with pytest.raises(NotFoundError, match="held nothing yet on 2026-11-29") as early:
            past.at(reader, "2026-11-29")
    assert early.value.hint == "Its log begins on 2026-11-30."


def test_a_type_is_listed_strongest_first(url: str) -> None:
    """Models of a type come strongest first, unranked last; a rank means nothing across types."""
    loaded = snapshot.load(url)
    assert [model.slug for model in loaded.of_type("llm")] == ["alpha", "beta", "gamma"]
    assert [model.slug for model in loaded.of_type("reranker")] == ["narrow", "wide"]
    assert loaded.types == ("llm", "reranker")
    assert loaded.of_type("none") == ()


def test_a_snapshot_is_frozen(url: str) -> None:
    """Neither models nor their mapping can be changed."""
    loaded = snapshot.load(url)
    with pytest.raises(TypeError):
        loaded.models["alpha"] = loaded.models["beta"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        loaded.models["alpha"].power_rank = 1  # type: ignore[misc]


def test_unknown_is_none(url: str) -> None:
    """What nobody stated is None: no limit, no price, no rank."""
    gamma = snapshot.load(url).models["gamma"]
    assert (gamma.power_rank, gamma.context_window, gamma.offers[0].priority) == (None, None, None)
    assert (gamma.offers[0].prices[0].input, gamma.offers[0].prices[0].output) == ("5", None)


def test_one_model_and_its_labels(url: str) -> None:
    """A model is found by its exact slug; a near miss is a suggestion, never an identity."""
    with reading(url) as reader:
        assert snapshot.model(reader, "alpha").name == "Alpha"
        assert snapshot.aliases(reader, "gamma") == [
            {"space": "artificial-analysis", "label": "gamma-max", "scope": "", "effort": "max"}
        ]
        with pytest.raises(NotFoundError, match="there is no model 'alpa'") as caught:
            snapshot.model(reader, "alpa")
    assert caught.value.hint == "Did you mean alpha?"
    assert list(snapshot.public(snapshot.load(url).models["alpha"])) == [
        *(
            "type",
            "slug",
            "name",
            "developer",
            "status",
            "power_rank",
            "low",
            "high",
            "source",
            "index_version",
            "as_of",
        )
    ]


def test_an_empty_catalog_has_a_snapshot(database_url: str) -> None:
    """No models, no types and the head of an empty log."""
    assert snapshot.load(sample.create_empty(database_url)) == snapshot.Snapshot("0" * 64, "", (), (), {})


def test_the_order_does_not_depend_on_the_database(postgres_database: str, sqlite_database: str) -> None:
    """Models and offers come in the order of their bytes, whatever the server's locale makes of hyphens."""
    loaded = []
    for url in (postgres_database, sqlite_database):
        sample.create(url)
        with sample.writing(url) as book:
            for slug in ("a-b", "aa", "a-c", "ab", "a"):
                book.add("model", sample.model(slug), reason="r")
                book.add("vendor", {"slug": slug, "name": slug}, reason="r")
                book.add("offer", {**sample.OFFER, "vendor": slug}, reason="r")
        loaded.append(snapshot.load(url))
    assert loaded[0] == loaded[1]
    assert list(loaded[0].models) == list(loaded[1].models) == sorted(loaded[0].models)


def test_reading_imports_no_orm(sqlite_database: str) -> None:
    """A program that only reads pays for neither SQLModel nor pydantic."""
    sample.create(sqlite_database)
    program = (
        "import sys; from catalog import snapshot; snapshot.load(sys.argv[1]);"
        "print(sorted({'sqlmodel', 'sqlalchemy', 'pydantic', 'alembic', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, sqlite_database], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_offer_whose_price_is_best_known_is_priced() -> None:
    """Active ones only; with a price of cached input first, then by priority, then by vendor."""
    cached = PRICE._replace(cache_read="0.1")
    served = model(
        "m",
        100,
        offer("a", status="retired", prices=[cached]),
        offer("b", priority=1),
        offer("c", priority=2),
        offer("d", prices=[PRICE._replace(input=None)]),
    )
    found = snapshot.priced_offer(served, "2026-11-30")
    assert found is not None
    assert (found[0].vendor, found[1]) == ("c", PRICE)
    better = served._replace(offers=(*served.offers, offer("z", prices=[cached]), offer("y", prices=[cached])))
    best = snapshot.priced_offer(better, "2026-11-30")
    assert best is not None
    assert best[0].vendor == "y"
    assert snapshot.priced_offer(model("n", 100), "2026-11-30") is None
