"""Bad input ends in one message that names the value and says what would be right; nothing is written."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import CatalogError, ConflictError, LockedError, NotFoundError, UsageError
from catalog.store import labels, scores, values
from tests.store import sample

Bad = tuple[str, dict[str, Any], type[CatalogError], str, str]

ADDED: list[Bad] = [
    ("type", {**sample.LLM, "slug": "L L M"}, UsageError, "'L L M' is not a slug", "lower-case"),
    ("type", sample.LLM, ConflictError, "there is a type 'llm' already", "catalog apply DIR"),
    ("type", {**sample.LLM, "slug": "x", "rank_low": 9, "rank_high": 9}, UsageError, "rank_low 9 is not below", ""),
    ("type", {**sample.LLM, "slug": "x", "effort_policy": "any"}, UsageError, "'any' is no effort_policy", "Known:"),
    ("type", {**sample.LLM, "slug": "x", "score_low": "many"}, UsageError, "'many' is not a number", "57.6"),
    ("vendor", {"slug": "acme", "name": "A"}, ConflictError, "there is a vendor 'acme' already", "catalog apply DIR"),
    ("vendor", {"slug": "-acme", "name": "A"}, UsageError, "'-acme' is not a slug", "hyphens"),
    ("vendor", {"slug": "a" * 101, "name": "A"}, UsageError, "is not a slug", "hyphens"),
    ("vendor", {"slug": "x"}, UsageError, "the vendor has no name", "Give every vendor its name"),
    ("vendor", {"slug": "x", "name": "  "}, UsageError, "the vendor has no name", "Give"),
    ("vendor", {"slug": "x", "name": "A\x1b[2J"}, UsageError, "control characters", "plain text"),
    ("vendor", {"slug": "x", "name": "A\x00"}, UsageError, "control characters", "plain text"),
    ("vendor", {"slug": "x", "name": "caf\udce9"}, UsageError, "broken UTF-8", "plain text"),
    ("vendor", {"slug": "x", "name": 7}, UsageError, "name of the vendor is 7, not text", ""),
    ("vendor", {"slug": "x", "name": "X", "nmae": "X"}, UsageError, "'nmae' is no column of a vendor", "mean 'name'"),
    ("release", {**sample.RELEASE, "key": "aa 4.4"}, UsageError, "'aa 4.4' is not a release key", "aa@4.3"),
    ("release", {**sample.RELEASE, "key": "aa@9", "version": "latest"}, UsageError, "'latest' of", "seen-YYYY-MM-DD"),
    ("release", {**sample.RELEASE, "key": "aa@9", "version": "Unstated"}, UsageError, "is unstated", "sanity"),
    ("release", {**sample.RELEASE, "key": "aa@9", "version": "seen-2026-11-30"}, UsageError, "only be sanity", ""),
    ("release", {**sample.RELEASE, "key": "aa@9", "direction": "up"}, UsageError, "'up' is no direction", "higher"),
    ("release", {**sample.RELEASE, "key": "aa@9", "type": "lmm"}, UsageError, "there is no type 'lmm'", "llm"),
    (
        "release",
        {**sample.RELEASE, "key": "aa@9", "published": "2026-13"},
        UsageError,
        "'2026-13' is not a date",
        "YYYY",
    ),
    ("release", {**sample.RELEASE, "key": "aa@9", "minimum": "9", "maximum": "9"}, UsageError, "9 to 9", ""),
    ("model", sample.model("alpha"), ConflictError, "there is a model 'alpha' already", "edit"),
    ("model", sample.model("Claude 5"), UsageError, "'Claude 5' is not a slug", "claude-opus-5-5"),
    ("model", sample.model("x", type="lllm"), UsageError, "there is no type 'lllm'", "Did you mean llm"),
    ("model", sample.model("x", developer="acne"), UsageError, "there is no vendor 'acne'", "Did you mean acme"),
    ("model", sample.model("x", prior="alpa"), UsageError, "there is no model 'alpa'", "alpha"),
    ("model", sample.model("x", prior="wide"), UsageError, "prior wide is of type reranker", ""),
    ("model", sample.model("x", same_weights_as="wide"), UsageError, "same_weights_as wide is of type", ""),
    ("model", sample.model("x", status="live"), UsageError, "'live' is no status", "Known: preview, active"),
    ("model", sample.model("x", released="2026-02"), UsageError, "'2026-02' is not a full date", "YYYY-MM-DD"),
    ("model", sample.model("x", released="2026-02-30"), UsageError, "'2026-02-30' is not a full date", "YYYY-MM-DD"),
    ("model", sample.model("x", released="2026-02-03", retired="2026-02-02"), UsageError, "2026-02-02", ""),
    (
        "model",
        sample.model("x", context_window=10, max_output=11),
        UsageError,
        "11 tokens in a window of 10",
        "at most",
    ),
    ("model", sample.model("x", context_window="10"), UsageError, "context_window of the model is '10'", ""),
    ("model", sample.model("x", context_window=1.5), UsageError, "is 1.5, not a whole number", ""),
    ("model", sample.model("x", context_window=True), UsageError, "is True, not a whole number", ""),
    ("model", sample.model("x", context_window=2**31), UsageError, "2147483648, which is too large", ""),
    ("model", sample.model("x", context_window=-1), CatalogError, "the database refused the change", ""),
    *(("model", sample.model("x", **{c: 1}), LockedError, f"{c} is locked", "rebase") for c in ("power_rank", "low")),
    ("alias", sample.ALIAS, ConflictError, "gamma-max' already", "--move"),
    ("alias", {**sample.ALIAS, "label": "x", "model": "gama"}, UsageError, "there is no model 'gama'", "gamma"),
    ("alias", {**sample.ALIAS, "label": "x", "effort": "hgh"}, UsageError, "'hgh' is no effort", "Did you mean 'high'"),
    ("alias", {**sample.ALIAS, "label": "x", "space": "A A"}, UsageError, "'A A' is not a slug", ""),
    ("alias", {**sample.ALIAS, "label": "x", "scope": "aa@4"}, UsageError, "there is no release 'aa@4'", "aa@4.3"),
    ("alias", {**sample.ALIAS, "space": "arena", "scope": "aa@4.3"}, UsageError, "'arena' is no label space", ""),
    ("alias", {**sample.ALIAS, "space": "api", "scope": "aa@4.3"}, UsageError, "not of api", "Check space and scope"),
    ("offer", sample.OFFER, ConflictError, "there is an offer 'gamma acme' already", "edit"),
    ("offer", {**sample.OFFER, "vendor": "acm"}, UsageError, "there is no vendor 'acm'", "acme"),
    ("offer", {**sample.OFFER, "model": "beta", "status": "on"}, UsageError, "'on' is no status", "Known:"),
    ("price", {**sample.PRICE, "vendor": "unused"}, UsageError, "unused has no offer of gamma", "Add the offer first"),
    ("price", {**sample.PRICE, "valid_from": "2026-03-01"}, ConflictError, "overlaps", "End the older price"),
    ("price", {**sample.PRICE, "tier": "t", "valid_to": "2026-01-01"}, UsageError, "2026-01-01", ""),
    ("price", {**sample.PRICE, "tier": "t", "currency": "dollars"}, UsageError, "'dollars'", ""),
    ("price", {**sample.PRICE, "tier": "t", "unit": "word"}, UsageError, "'word' is no unit", "Known:"),
    ("price", {**sample.PRICE, "tier": "t", "input": "free"}, UsageError, "'free' is not a number", "plain decimal"),
    ("price", {**sample.PRICE, "tier": "t", "input": "-1"}, UsageError, "-1", ""),
    ("price", {**sample.PRICE, "tier": "t", "input": "NaN"}, UsageError, "'NaN' is not a finite number", ""),
    ("score", sample.SCORE, ConflictError, "aa@4.3 says 57.6 of 'gamma-max' on 2026-10-03 already", ""),
    ("score", {**sample.SCORE, "release": "aa@4"}, UsageError, "there is no release 'aa@4'", "aa@4.3"),
    ("score", {**sample.SCORE, "value": "101"}, UsageError, "score 101 is outside the range of aa@4.3", "0 to 100"),
    ("score", {**sample.SCORE, "value": "-0.1"}, UsageError, "score -0.1 is outside", "0 to 100"),
    ("score", {**sample.SCORE, "value": "57,6"}, UsageError, "'57,6' is not a number", "57.6"),
    ("score", {**sample.SCORE, "value": "Infinity"}, UsageError, "finite", ""),
    ("score", {**sample.SCORE, "value": "1e99999"}, UsageError, "more than 30 digits", ""),
    ("score", {**sample.SCORE, "value": 57.6}, UsageError, "is 57.6, not text", ""),
    ("score", {**sample.SCORE, "as_of": "2026-02"}, UsageError, "'2026-02' is not a full date", "YYYY-MM-DD"),
    ("score", {**sample.SCORE, "as_of": "2027-01-01"}, UsageError, "2027-01-01 lies in the future", "2026-11-30"),
    ("score", {**sample.SCORE, "as_of": "2026-08-31"}, UsageError, "before aa@4.3 was published (2026-09)", ""),
    ("score", {**sample.SCORE, "value": "50", "low": "51"}, UsageError, "outside its own interval", ""),
    ("proposal", {"model": "gamma", "placement": "{}"}, ConflictError, "'gamma' already", "catalog lock"),
    ("proposal", {"model": "beta", "placement": "rank 5"}, UsageError, "placement 'rank 5' of beta is not JSON", ""),
]

EDITED: list[tuple[str, tuple[str, ...], dict[str, Any], type[CatalogError], str]] = [
    ("model", ("nobody",), {"name": "N"}, NotFoundError, "there is no model 'nobody'"),
    ("model", ("gamma",), {"slug": "delta"}, LockedError, "type and slug of gamma never change"),
    ("model", ("gamma",), {"type": "reranker"}, LockedError, "type and slug of gamma never change"),
    ("model", ("gamma",), {"power_rank": 3}, LockedError, "power_rank is locked"),
    ("model", ("gamma",), {"prior": "gamma"}, UsageError, "gamma cannot be its own prior"),
    ("model", ("gamma",), {"name": None}, UsageError, "the model has no name"),
    ("vendor", ("acme",), {"slug": "x"}, ConflictError, "keeps its slug"),
    ("offer", ("gamma", "acme"), {"vendor": "unused"}, ConflictError, "keeps its model, vendor"),
    ("score", (), {"value": "1"}, LockedError, "a score is never changed or removed"),
]

RANKS: list[tuple[str, str, dict[str, Any], type[CatalogError], str]] = [
    ("entry", "nobody", {}, NotFoundError, "there is no model 'nobody'"),
    ("entry", "alpha", {}, LockedError, "only a correction changes a rank"),
    ("correction", "gamma", {}, CatalogError, "there is no rank to correct"),
    ("rebase", "gamma", {}, CatalogError, "a rebase line must follow its plan"),
    ("entry", "gamma", {"rank": 0, "low": 0}, CatalogError, "a rank line needs"),
    ("entry", "gamma", {"rank": -1, "low": -1}, CatalogError, "a rank line needs"),
    ("entry", "gamma", {"low": 501}, CatalogError, "a rank line needs"),
    ("entry", "gamma", {"source": " "}, CatalogError, "a rank line needs"),
    ("entry", "gamma", {"as_of": "2026-02"}, CatalogError, "as_of must be a full ISO date"),
    ("entry", "gamma", {"reason": " "}, UsageError, "a reason is missing"),
    ("entry", "gamma", {"reason": "caf\udce9"}, UsageError, "plain text"),
]


def said(error: CatalogError, message: str, hint: str = "") -> None:
    """Assert the words of a refusal, each on one line."""
    assert message in error.message
    assert hint in error.hint
    assert "\n" not in error.message + error.hint


def test_bad_facts_are_refused(database_url: str) -> None:
    """Each malformed or contradictory fact is refused by name, with a hint where there is something to do."""
    before = sample.tables(sample.create(database_url))
    for kind, row, error, message, hint in ADDED:
        with pytest.raises(error) as caught, sample.writing(database_url) as book:
            book.add("vendor", {"slug": "sound", "name": "A sound fact before it"}, reason="r")
            book.add(kind, row, reason="r")
        said(caught.value, message, hint)
    assert sample.tables(database_url) == before


def test_bad_edits_are_refused(database_url: str) -> None:
    """An edit of what is not there, of what is locked, or of what identifies a fact is refused."""
    before = sample.tables(sample.create(database_url))
    for kind, key, changes, error, message in EDITED:
        with pytest.raises(error) as caught, sample.writing(database_url) as book:
            book.edit(kind, key, changes, reason="r")
        said(caught.value, message)
    assert sample.tables(database_url) == before


def test_bad_rank_lines_are_refused(database_url: str) -> None:
    """A rank that no line may give is refused with the catalog's own error on both databases."""
    before = sample.tables(sample.create(database_url))
    for action, slug, changes, error, message in RANKS:
        with pytest.raises(error) as caught, sample.writing(database_url) as book:
            book.rank(action, slug, **{**sample.RANK, **changes})
        said(caught.value, message)
    assert sample.tables(database_url) == before


def test_models_types_and_scores_are_never_removed(database_url: str) -> None:
    """Whatever a rank may rest on stays; a vendor in use stays too."""
    before = sample.tables(sample.create(database_url))
    for kind, key, error in (
        ("model", ("gamma",), LockedError),
        ("score", (), LockedError),
        ("type", ("reranker",), LockedError),
        ("vendor", ("acme",), ConflictError),
        ("release", ("aa@4.3",), ConflictError),
        ("offer", ("gamma", "acme"), ConflictError),
        ("alias", ("a", "b", ""), NotFoundError),
    ):
        with pytest.raises(error), sample.writing(database_url) as book:
            book.remove(kind, key, reason="r")
    assert sample.tables(database_url) == before


def test_a_rebased_scale_is_frozen(sqlite_database: str) -> None:
    """After a rebase the ruler of a type cannot be edited, its name can."""
    sample.create(sqlite_database)
    with sample.writing(sqlite_database) as book:
        book.announce_rebase("reranker", plan="abc", count=1, reason="once")
        book.rank("rebase", "wide", **{**sample.RANK, "rank": 30, "low": 20, "high": 40})
        book.edit("type", ("reranker",), {"name": "Re-ranker"}, reason="a better name")
    with pytest.raises(LockedError, match="the scale of reranker is frozen"), sample.writing(sqlite_database) as book:
        book.edit("type", ("reranker",), {"rank_high": 99}, reason="no")


def test_actor_and_reason_are_mandatory(database_url: str) -> None:
    """No line is written without saying who and why."""
    before = sample.tables(sample.create(database_url))
    for actor, reason in (("", "r"), ("  ", "r"), ("a", ""), ("a", "\n"), ("a", "x\x00")):
        with pytest.raises(UsageError) as caught, sample.writing(database_url, actor=actor) as book:
            book.add("vendor", {"slug": "n", "name": "N"}, reason=reason)
        assert caught.value.hint
    assert sample.tables(database_url) == before


def test_values_are_written_in_one_form(database_url: str) -> None:
    """Decimals lose their zeros, lists are sorted, text is NFC without blanks around it."""
    sample.create(database_url)
    with sample.writing(database_url) as book:
        book.add("score", {**sample.SCORE, "label": "x", "value": "+05.760E1"}, reason="r")
        row = sample.model("x", name=" Cafe\u0301 ", inputs="text, image,text", note="")
        book.add("model", row, reason="r")
        assert book.edit("model", ("x",), {"name": "Caf\u00e9"}, reason="no change") is None
        stated = book.get("model", ("x",))
        assert stated is not None
        assert (stated["name"], stated["inputs"], "note" in stated) == ("Caf\u00e9", "image,text", False)
        assert [score["value"] for score in book.all("score", label="x")] == ["57.6"]
        book.edit("model", ("x",), {"inputs": None}, reason="unknown")
        assert "inputs" not in (book.get("model", ("x",)) or {})
    assert sample.verified(database_url).findings == ()


def test_a_republished_score_is_a_new_row(database_url: str) -> None:
    """Another value or day of the same label is added; the same score twice is counted as present."""
    sample.create(database_url)
    with sample.writing(database_url) as book:
        rows = [{**sample.SCORE, "url": "https://elsewhere.example"}, {**sample.SCORE, "as_of": "2026-10-04"}]
        assert scores.import_rows(book, rows, reason="r") == (1, 1)
        assert scores.import_rows(book, [{**sample.SCORE, "value": "58"}], reason="r") == (1, 0)
        assert len(book.all("score")) == 3
        assert scores.contradicted(book, {**sample.SCORE, "value": "58"}) == ["57.6"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**sample.SCORE, "valeu": "1"}, "record 2: 'valeu' is no column of a score"),
        ({**sample.SCORE, "value": "600"}, "record 2: score 600 is outside the range"),
        ({**sample.SCORE, "estimated": "perhaps"}, "record 2: estimated 'perhaps' is neither yes nor no"),
        ({"release": "aa@4.3"}, "record 2: the score has no label"),
    ],
)
def test_a_bad_record_is_named_by_its_number(sqlite_database: str, row: dict[str, Any], message: str) -> None:
    """One bad record of an import refuses all of them and says which it was."""
    before = sample.tables(sample.create(sqlite_database))
    with pytest.raises(UsageError) as caught, sample.writing(sqlite_database) as book:
        scores.import_rows(book, [{**sample.SCORE, "label": "sound"}, row], reason="r")
    assert caught.value.message.startswith(message)
    assert sample.tables(sqlite_database) == before


def test_a_label_moves_only_on_purpose(database_url: str) -> None:
    """A label that belongs to another model or effort is re-pointed only when that is said, and no rank moves."""
    sample.create(database_url)
    with sample.writing(database_url) as book:
        ranks = book.rank_checksum(without="")
        assert labels.give(book, sample.ALIAS, reason="r") is None
        moved = {**sample.ALIAS, "model": "alpha", "effort": "high"}
        with pytest.raises(ConflictError, match=r"belongs to gamma \(max\) already") as caught:
            labels.give(book, moved, reason="r")
        assert "--move" in caught.value.hint
        line = labels.give(book, moved, reason="re-pointed", move=True)
        assert line is not None
        assert (line.action, line.model) == ("alias.edit", "alpha")
        assert book.rank_checksum(without="") == ranks


@pytest.mark.parametrize("text", ["", "aa", "aa=", "=5", " = "])
def test_a_pair_has_two_sides(text: str) -> None:
    """KEY=VALUE without one of them shows an example."""
    with pytest.raises(UsageError) as caught:
        values.pair(text, "=", example="aa@4.3=57.6")
    assert "aa@4.3=57.6" in caught.value.hint
    assert values.pair(" aa@4.3 = 57.6=", "=", example="") == ("aa@4.3", "57.6=")


@pytest.mark.parametrize(
    ("column", "text", "value"), [("name", "N", "N"), ("context_window", "200,000", 200_000), ("note", "", None)]
)
def test_text_of_a_command_line_becomes_a_value(column: str, text: str, value: object) -> None:
    """Numbers may be grouped, empty text erases."""
    assert values.from_text("model", column, text) == value


@pytest.mark.parametrize(("column", "text"), [("context_window", "1.5"), ("context_window", "many"), ("windw", "1")])
def test_text_that_is_no_value_is_refused(column: str, text: str) -> None:
    """A number that is none and a column that is none are named."""
    with pytest.raises(UsageError, match=text if column == "context_window" else column):
        values.from_text("model", column, text)
