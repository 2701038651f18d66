"""Ranks get into the log one model at a time, and nothing that is added, proposed or corrected moves another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from catalog.canonical import dumps, sha256
from catalog.errors import ConflictError, IntegrityError, LockedError, NotFoundError, UsageError
from catalog.log.facts import RANK_COLUMNS
from catalog.log.replay import line_rows, replayed
from catalog.ranks import ledger, newcomer
from catalog.ranks.newcomer import Newcomer, NewScore
from catalog.ranks.placement import Placement, details
from catalog.store.book import Book, writing
from tests.command_line import Rank, findings, ranks

pytest_plugins = ["tests.seeded"]

AT = "2026-11-30T09:00:00Z"
REASON = "Test"
SCORED = {  # release → type and the scores its anchors span
    "aa@4.3": ("llm", 4, 57),
    "aa@4.1.1": ("llm", 4, 62),
    "aa@4.0": ("llm", 10, 60),
    "eci@2026-05": ("llm", 128, 157),
    "agentset@2025-11": ("reranker", 1340, 1640),
    "open-asr@2026-03-26": ("stt", 6, 7),
    "mteb-eng-v2@f4cc6c8": ("embedding", 60, 74),
}
BESIDE = {"aa@4.1.1": (5, 62), "eci@2026-05": (128, 157), "arena-text@style-control": (1200, 1520)}
"""Releases that may have scored a language model as well."""


def examples(url: str, count: int) -> settings:
    """Return how many examples to draw: a third on PostgreSQL; shrinking would take minutes."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(max_examples=count if url.startswith("sqlite") else count // 3, phases=phases)


def tenths(low: int, high: int) -> st.SearchStrategy[str]:
    """Draw a score between two whole numbers, as decimal text."""
    return st.integers(low * 10, high * 10).map(lambda value: f"{value // 10}.{value % 10}")


@st.composite
def newcomer_through(draw: st.DrawFn, releases: Sequence[str]) -> tuple[str, list[NewScore]]:
    """Draw a type and the scores of a newcomer: one under one of the releases, perhaps others beside it."""
    release = draw(st.sampled_from(releases))
    type_slug, low, high = SCORED[release]
    scores = [NewScore(release=release, value=draw(tenths(low, high)), as_of="2026-11-20", effort="max")]
    beside = sorted(set(BESIDE) - {release}) if type_slug == "llm" else []
    for other in draw(st.lists(st.sampled_from(beside), unique=True, max_size=2)) if beside else []:
        scores.append(NewScore(release=other, value=draw(tenths(*BESIDE[other])), as_of="2026-11-20"))
    return type_slug, scores


def named(number: int, drawn: tuple[str, list[NewScore]], *, twin_of: str | None = None) -> Newcomer:
    """Return the newcomer of a number; a twin has the weights of another and brings scores of its own."""
    facts = {"same_weights_as": twin_of} if twin_of else {}
    return Newcomer(name=f"Newcomer No {number}", type=drawn[0], developer="Example", facts=facts, scores=drawn[1])


def several(releases: Sequence[str], *, least: int = 1) -> st.SearchStrategy[list[Newcomer]]:
    """Draw up to four newcomers, in any order of their numbers."""
    one = st.tuples(newcomer_through(releases), st.booleans())
    drawn = st.lists(one, min_size=least, max_size=4)
    return (
        drawn.map(lambda found: [perhaps_twin(*item) for item in enumerate(found)]).flatmap(st.permutations).map(list)
    )


def perhaps_twin(number: int, drawn: tuple[tuple[str, list[NewScore]], bool]) -> Newcomer:
    """Return a newcomer, or a language model with the weights of the strongest one."""
    found, twin = drawn
    return named(number, found, twin_of="claude-opus-5-5" if twin and found[0] == "llm" else None)


def through_one_release(release: str) -> st.SearchStrategy[list[Newcomer]]:
    """Draw two to four newcomers that one release places."""
    preferred = [key for key in SCORED if SCORED[key][0] == SCORED[release][0]]
    kept = set(preferred[preferred.index(release) :]) | {"arena-text@style-control"}  # none that would place them first
    return several([release], least=2).map(
        lambda found: [
            Newcomer(
                name=one.name,
                type=one.type,
                developer=one.developer,
                facts=one.facts,
                scores=[score for score in one.scores if score.release in kept],
            )
            for one in found
        ]
    )


def add(book: Book, one: Newcomer) -> Placement:
    """Add a newcomer and lock its rank."""
    return newcomer.add(book, one, extrapolate=True, reason=REASON).placement


def locked(book: Book) -> dict[str, Rank]:
    """Return the rank columns of every model inside an open transaction."""
    return {row[0]: row[1:] for row in book.rows(f"SELECT slug, {', '.join(RANK_COLUMNS)} FROM model")}


def rolled_back(url: str) -> Any:
    """Open a write transaction whose changes are seen inside and undone at its end."""
    return writing(url, actor="test", at=AT, dry_run=True)


def committed(url: str) -> Any:
    """Open a write transaction that is kept."""
    return writing(url, actor="test", at=AT)


def test_adding_any_models_in_any_order_moves_no_other_rank(ranked_url: str) -> None:
    """After each addition every other model has the rank columns it had, and replaying the log gives the tables."""

    @examples(ranked_url, 12)
    @given(several(sorted(SCORED)))
    def check(newcomers: list[Newcomer]) -> None:
        with rolled_back(ranked_url) as book:
            for one in newcomers:
                before = locked(book)
                placed = add(book, one)
                after = locked(book)
                assert after.pop(placed.slug)[:3] == (placed.power_rank, placed.low, placed.high)
                assert after == before
            state = replayed(line_rows(book), keep_scores=False)
            held = {slug: rank for slug, rank in locked(book).items() if rank[0] is not None}
            assert state.ranks == held
            assert state.head == book.head

    check()


@pytest.mark.parametrize("release", ["aa@4.3", "aa@4.1.1", "eci@2026-05", "agentset@2025-11"])
def test_a_newcomer_does_not_depend_on_what_its_release_placed_before(ranked_url: str, release: str) -> None:
    """Rank, interval, neighbours, anchors and flags are the same whether a newcomer comes first or last."""

    @examples(ranked_url, 6)
    @given(through_one_release(release))
    def check(newcomers: list[Newcomer]) -> None:
        *earlier, last = newcomers
        if last.facts:  # a twin takes its rank over, whatever came before
            last = replace(last, facts={})
        with rolled_back(ranked_url) as book:
            alone = said(add(book, last))
        with rolled_back(ranked_url) as book:
            placed = [add(book, one) for one in earlier]
            assert {found.release for found in placed if found.method == "link"} <= {release}
            assert said(add(book, last)) == alone

    check()


def test_a_twin_with_scores_of_its_own_anchors_nobody(ranked_sqlite: str) -> None:
    """Six models with the weights of the strongest one and a low score under another release bend no curve."""
    one = named(9, ("llm", [NewScore(release="aa@4.1.1", value="40", as_of="2026-11-20", effort="max")]))
    with rolled_back(ranked_sqlite) as book:
        alone = said(add(book, one))
    with rolled_back(ranked_sqlite) as book:
        for number in range(6):
            assert (
                add(book, named(number, ("llm", list(one.scores)), twin_of="claude-opus-5-5")).method == "same-weights"
            )
        assert said(add(book, one)) == alone


def test_a_committed_catalog_verifies_after_additions_and_a_correction(ranked_url: str) -> None:
    """Chain, replay, tables and guards agree once newcomers of three types and a correction are committed."""
    before = ranks(ranked_url)
    scores = {"aa@4.3": "44.9", "agentset@2025-11": "1500", "open-asr@2026-03-26": "6.5"}
    for number, (release, value) in enumerate(scores.items()):
        score = NewScore(release=release, value=value, as_of="2026-11-20", effort="max")
        with committed(ranked_url) as book:
            add(book, named(number, (SCORED[release][0], [score])))
    with committed(ranked_url) as book:
        by_hand(book, "newcomer-no-0")
    assert findings(ranked_url) == ()
    after = ranks(ranked_url)
    assert {slug: after[slug] for slug in before} == before
    assert set(after) - set(before) == {f"newcomer-no-{number}" for number in range(3)}


def test_a_rank_that_moves_beside_the_newcomer_rolls_everything_back(ranked_url: str) -> None:
    """The checksum sees another model's rank change, however it came about, and nothing is kept."""
    before = ranks(ranked_url)
    with (
        pytest.raises(IntegrityError, match="another rank than that of gpt-5 "),
        committed(ranked_url) as book,
        ledger.others_unmoved(book, "gpt-5"),
    ):
        by_hand(book, "grok-4-5")
    assert ranks(ranked_url) == before
    assert findings(ranked_url) == ()


def test_a_correction_moves_only_its_model(ranked_url: str) -> None:
    """By the placement path as by hand."""
    before = ranks(ranked_url)
    with committed(ranked_url) as book:
        by_hand(book, "grok-4-5")
        by_hand(book, "claude-opus-4-8", rank=5, low=1, high=9)
        placed = ledger.correct(book, "claude-opus-4-8", reason="Look again")
    after = ranks(ranked_url)
    changed = {slug for slug in after if after[slug] != before[slug]}
    assert {"grok-4-5"} <= changed <= {"grok-4-5", "claude-opus-4-8"}
    assert after["grok-4-5"] == (400, 390, 410, "A review", "1", "2026-11-29")
    assert after["claude-opus-4-8"][:3] == (placed.power_rank, placed.low, placed.high)


def test_a_corrected_model_has_no_say_in_its_own_place(ranked_sqlite: str) -> None:
    """Moved far away by hand, it is put back where the others place it."""
    with rolled_back(ranked_sqlite) as book:
        usual = ledger.placed(book, "grok-4-5", correcting=True)
    with committed(ranked_sqlite) as book:
        by_hand(book, "grok-4-5", rank=5, low=1, high=9)
        again = ledger.correct(book, "grok-4-5", reason="Where the others see it")
    assert "grok-4-5" not in usual.anchors
    assert said(again) == said(usual)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rank": 0, "low": 0}, "rank 0"),
        ({"rank": -1, "low": -5}, "rank -1"),
        ({"low": 401}, "interval 401–410"),
        ({"high": 399}, "interval 390–399"),
        ({"as_of": "2026-12-01"}, "2026-12-01 lies in the future"),
        ({"as_of": "2026-02"}, "'2026-02' is not a full date"),
        ({"source": "  "}, "--source '  '"),
        ({"index_version": "unstated"}, "--index-version 'unstated'"),
        ({"index_version": ""}, "--index-version ''"),
        ({"reason": " "}, "a reason is missing"),
    ],
)
def test_a_malformed_correction_is_refused(ranked_sqlite: str, change: dict[str, Any], says: str) -> None:
    """Whatever is wrong is named, before the database has to refuse it."""
    before = ranks(ranked_sqlite)
    with pytest.raises(UsageError) as refused, committed(ranked_sqlite) as book:
        by_hand(book, "grok-4-5", **change)
    assert says in refused.value.message and refused.value.hint
    assert ranks(ranked_sqlite) == before


def test_a_correction_that_changes_nothing_is_refused(ranked_sqlite: str) -> None:
    """A line that says nothing new does not get into the log."""
    with committed(ranked_sqlite) as book:
        by_hand(book, "grok-4-5")
        with pytest.raises(ConflictError, match="has that rank, interval and provenance already"):
            by_hand(book, "grok-4-5")
        with pytest.raises(ConflictError, match="has that rank, interval and provenance already"):
            ledger.correct(book, "claude-opus-5", reason=REASON)


def test_a_proposal_ranks_nobody_until_it_is_locked(ranked_url: str) -> None:
    """The model stays unranked, is no anchor, and gets exactly the proposed placement when it is locked."""
    before = ranks(ranked_url)
    with committed(ranked_url) as book:
        proposed = newcomer.add(book, example(), propose=True, reason=REASON).placement
        slug = proposed.slug
    assert ranks(ranked_url) == {**before, slug: (None,) * len(RANK_COLUMNS)}
    with rolled_back(ranked_url) as book:
        other = add(book, named(7, ("llm", [NewScore(release="aa@4.3", value="44.8", as_of="2026-11-20")])))
        assert slug not in other.anchors
    with committed(ranked_url) as book:
        with pytest.raises(ConflictError, match="has an open proposal"):
            ledger.enter(book, slug, reason=REASON)
        with pytest.raises(ConflictError, match="already"):
            ledger.propose(book, slug, reason=REASON)
        assert said(ledger.lock(book, slug, reason=REASON)) == said(proposed)
    assert ranks(ranked_url)[slug][0] == proposed.power_rank
    assert findings(ranked_url) == ()


def test_a_proposal_that_moved_is_not_locked(ranked_url: str) -> None:
    """A correction of a neighbour in between is noticed, named, and nothing is written."""
    with committed(ranked_url) as book:
        proposed = newcomer.add(book, example(), propose=True, reason=REASON).placement
        slug = proposed.slug
        assert proposed.neighbours[0] is not None
    with committed(ranked_url) as book:
        by_hand(book, proposed.neighbours[0], rank=300, low=290, high=310)
    before = ranks(ranked_url)
    with (
        pytest.raises(ConflictError, match=f"the placement of {slug} moved: .* was .*, is "),
        committed(ranked_url) as book,
    ):
        ledger.lock(book, slug, reason=REASON)
    assert ranks(ranked_url) == before


def test_only_the_unranked_are_entered_and_only_the_ranked_corrected(ranked_sqlite: str) -> None:
    """Each refusal names the model and the verb that would do."""
    refusals: list[tuple[type[Exception], Any]] = [
        (LockedError, lambda book: ledger.enter(book, "gpt-5", reason=REASON)),
        (LockedError, lambda book: ledger.lock(book, "gpt-5", reason=REASON)),
        (UsageError, lambda book: ledger.correct(book, "whisper-1", reason=REASON)),
        (UsageError, lambda book: by_hand(book, "whisper-1")),
        (NotFoundError, lambda book: ledger.lock(book, "whisper-1", reason=REASON)),
        (NotFoundError, lambda book: ledger.lock(book, "gpt-5-5x", reason=REASON)),
        (NotFoundError, lambda book: ledger.enter(book, "gpt-5-5x", reason=REASON)),
        (NotFoundError, lambda book: ledger.correct(book, "gpt-5-5x", reason=REASON)),
    ]
    for kind, attempt in refusals:
        with pytest.raises(kind) as refused, committed(ranked_sqlite) as book:
            attempt(book)
        assert getattr(refused.value, "hint", ""), refused.value
    assert findings(ranked_sqlite) == ()


def test_nothing_is_placed_on_a_scale_that_is_not_open(legacy_url: str) -> None:
    """Before the rebase of its type a newcomer has nothing to stand between."""
    with pytest.raises(UsageError, match="the scale of llm is not open") as refused, committed(legacy_url) as book:
        newcomer.add(book, example(), reason=REASON)
    assert refused.value.hint == "Run catalog rebase --type llm first."
    assert findings(legacy_url) == ()


def test_a_rebase_writes_exactly_its_plan_once(legacy_url: str) -> None:
    """Every row of the plan becomes a rank, nobody else gets one, and a second rebase of the type is refused."""
    with committed(legacy_url) as book:
        (plan,) = ledger.plans(book, "reranker")
        ledger.apply_rebase(book, [plan], reason=REASON)
    held = {slug: rank[:3] for slug, rank in ranks(legacy_url).items() if rank[0] is not None}
    assert held == {
        row.placement.slug: (row.placement.power_rank, row.placement.low, row.placement.high) for row in plan.rows
    }
    with rolled_back(legacy_url) as book:
        with pytest.raises(LockedError, match="reranker was rebased already"):
            ledger.plans(book, "reranker")
        assert "reranker" not in {other.type for other in ledger.plans(book)}
    assert findings(legacy_url) == ()


def test_a_plan_is_named_by_one_hash(legacy_sqlite: str) -> None:
    """The same catalog gives the same plan; one type has its own hash, several the hash over theirs."""
    with rolled_back(legacy_sqlite) as book:
        once, again = ledger.plans(book), ledger.plans(book)
    assert ledger.plan_hash(once) == ledger.plan_hash(again) == sha256(dumps([plan.hash for plan in once]))
    assert ledger.plan_hash(once[:1]) == once[0].hash


def said(placement: Placement) -> tuple[object, ...]:
    """Return what a placement says: rank, interval and how it was found."""
    return placement.power_rank, placement.low, placement.high, details(placement)


def example() -> Newcomer:
    """Return a newcomer among the strongest."""
    return named(0, ("llm", [NewScore(release="aa@4.3", value="44.9", as_of="2026-11-20", effort="max")]))


def by_hand(book: Book, slug: str, **change: Any) -> None:
    """Correct a rank by hand, to 400 (390–410) unless the change says otherwise."""
    said = {
        "rank": 400,
        "low": 390,
        "high": 410,
        "source": "A review",
        "index_version": "1",
        "as_of": "2026-11-29",
        "reason": REASON,
    }
    ledger.correct_by_hand(book, slug, **{**said, **change})
