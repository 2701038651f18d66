"""Ranks into the log: a rebase, a newcomer, a lock, a correction, each in one transaction.

The only module that turns a placement into a rank line. Whatever it does, it proves that no other model's rank changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from catalog.canonical import dumps, loads, sha256
from catalog.connection import Rows
from catalog.errors import ConflictError, IntegrityError, LockedError, NotFoundError, UsageError, nearest
from catalog.log.facts import RANK_COLUMNS, version_stated
from catalog.log.line import Line
from catalog.ranks import load
from catalog.ranks.placement import Placement, details, place
from catalog.ranks.rebase import RebasePlan, plan
from catalog.settings import iso_date
from catalog.store.book import Book

_RANKED = ("power_rank", "low", "high")


def plans(catalog: Rows, type_slug: str | None = None) -> list[RebasePlan]:
    """Return the rebase plan of a type, or of every type that has not been rebased.

    Raises:
        LockedError: when the type was rebased already.
        NotFoundError: when no type is left to rebase.
    """
    done = load.rebased(catalog)
    if type_slug in done:
        raise LockedError(
            f"{type_slug} was rebased already; a rebase happens once",
            hint="Place newcomers with catalog add-model; repair mistakes with catalog audit correct.",
        )
    chosen = [type_slug] if type_slug else [slug for slug in load.types(catalog) if slug not in done]
    found = [plan(load.evidence(catalog, slug)) for slug in chosen]
    if not any(item.rows for item in found):
        raise NotFoundError(
            "there is nothing to rebase", hint="Every type was rebased, or has neither scores nor ordinals."
        )
    return [item for item in found if item.rows]


def plan_hash(found: Sequence[RebasePlan]) -> str:
    """Return the hash that names a plan: a type's own, or the hash over those of several types."""
    return found[0].hash if len(found) == 1 else sha256(dumps([item.hash for item in found]))


def apply_rebase(book: Book, found: Sequence[RebasePlan], *, reason: str) -> None:
    """Write a header and one rank line per model for every plan.

    Raises:
        IntegrityError: when a rank that was there before changed; the transaction is rolled back.
    """
    before = _ranks(book)
    for item in found:
        book.announce_rebase(item.type, plan=item.hash, count=len(item.rows), reason=reason)
        for row in item.rows:
            _write(book, "rebase", row.placement, reason=reason)
    after = _ranks(book)
    if any(after.get(slug) != rank for slug, rank in before.items()):
        raise IntegrityError("a rank that was locked before would have changed; nothing was written")


def _ranks(book: Book) -> dict[str, tuple[Any, ...]]:
    columns = ", ".join(RANK_COLUMNS)
    rows = book.rows(f"SELECT slug, {columns} FROM model WHERE power_rank IS NOT NULL")
    return {row[0]: row[1:] for row in rows}


def enter(book: Book, slug: str, *, extrapolate: bool = False, reason: str) -> Placement:
    """Place an unranked model and lock its rank.

    Raises:
        GateError: when the evidence is not good enough; nothing is written.
        LockedError: when the model is ranked already.
    """
    with others_unmoved(book, slug):
        return write_entry(book, slug, extrapolate=extrapolate, reason=reason)


def write_entry(book: Book, slug: str, *, extrapolate: bool = False, reason: str) -> Placement:
    """Do what `enter` does where the caller proves that no other rank moved."""
    placement = placed(book, slug, extrapolate=extrapolate)
    if book.get("proposal", (slug,)) is not None:
        raise ConflictError(f"{slug} has an open proposal", hint=f"Lock or withdraw it with catalog lock {slug}.")
    _write(book, "entry", placement, reason=reason, validated=_validated(placement))
    return placement


def placed(book: Book, slug: str, *, extrapolate: bool = False, correcting: bool = False) -> Placement:
    """Return where a model of the catalog belongs, without writing anything.

    Args:
        correcting: the model is ranked; place it as if it were not.
    """
    type_slug = _known(book, slug)[0] if correcting else _unranked(book, slug)
    _open(book, type_slug)
    return place(load.evidence(book, type_slug), slug, extrapolate=extrapolate, today=book.today)


def propose(book: Book, slug: str, *, extrapolate: bool = False, reason: str) -> Placement:
    """Store a placement as the model's open proposal; the model stays unranked meanwhile."""
    placement = placed(book, slug, extrapolate=extrapolate)
    book.add("proposal", {"model": slug, "placement": dumps(_proposed(placement))}, reason=reason)
    return placement


def lock(book: Book, slug: str, *, extrapolate: bool = False, reason: str) -> Placement:
    """Re-run the placement of a proposed model and lock it.

    Raises:
        NotFoundError: when the model has no open proposal.
        ConflictError: when rank, interval, release or neighbours moved since it was proposed.
    """
    proposal = book.get("proposal", (slug,))
    if proposal is None:
        _unranked(book, slug)
        raise NotFoundError(f"{slug} has no open proposal", hint=f"Place it now with catalog lock {slug} --place.")
    with others_unmoved(book, slug):
        placement = placed(book, slug, extrapolate=extrapolate)
        _unmoved(placement, loads(str(proposal["placement"])))
        book.remove("proposal", (slug,), reason=reason)
        _write(book, "entry", placement, reason=reason, validated=_validated(placement))
    return placement


def _proposed(placement: Placement) -> dict[str, Any]:
    return {**{name: getattr(placement, name) for name in _RANKED}, **details(placement)}


def _unmoved(placement: Placement, then: Any) -> None:
    now = _proposed(placement)
    for name in (*_RANKED, "release", "neighbours"):
        if then.get(name) != now[name]:
            raise ConflictError(
                f"the placement of {placement.slug} moved: {name} was {then.get(name)}, is {now[name]}",
                hint=f"Look again: withdraw it with catalog lock {placement.slug} --withdraw, then place it anew with "
                "--place.",
                data={"was": then, "is": now},
            )


def correct(book: Book, slug: str, *, reason: str, extrapolate: bool = False) -> Placement:
    """Move a locked rank to where the placement path puts it today.

    Raises:
        ConflictError: when it stands there already.
    """
    _only_ranked(book, slug)
    with others_unmoved(book, slug):
        placement = placed(book, slug, extrapolate=extrapolate, correcting=True)
        _changes(book, slug, tuple(getattr(placement, column) for column in RANK_COLUMNS))
        _write(book, "correction", placement, reason=reason)
    return placement


def correct_by_hand(
    book: Book, slug: str, *, rank: int, low: int, high: int, source: str, index_version: str, as_of: str, reason: str
) -> Line:
    """Move a locked rank to a number given by hand, or give an unranked model one, with interval and provenance.

    Raises:
        UsageError: for a rank below 1, an interval that leaves it out or leaves the scale, a blank source, an unstated
            version, or an as-of in the future.
        ConflictError: when the rank is exactly that already.
    """
    type_slug, before = _known(book, slug)
    if rank < 1 or not 1 <= low <= rank <= high:
        raise UsageError(f"rank {rank} with interval {low}–{high} is not a rank", hint="Say 1 ≤ low ≤ rank ≤ high.")
    _on_open_scale(book, type_slug, high)
    if not source.strip():
        raise UsageError(f"--source {source!r} says nothing", hint="Name the source that justifies the rank.")
    if not version_stated(index_version):
        raise UsageError(f"--index-version {index_version!r} states no version", hint="Name the version it rests on.")
    if iso_date(as_of, what="--as-of") > book.today:
        raise UsageError(f"as-of {as_of} lies in the future", hint=f"Today is {book.today}.")
    _changes(book, slug, (rank, low, high, source, index_version, as_of))
    if book.get("proposal", (slug,)) is not None:
        raise ConflictError(f"{slug} has an open proposal", hint=f"Withdraw it first: catalog lock {slug} --withdraw.")
    with others_unmoved(book, slug):
        return book.rank(
            "entry" if before is None else "correction",
            slug,
            rank=rank,
            low=low,
            high=high,
            source=source,
            index_version=index_version,
            as_of=as_of,
            reason=reason,
            method="manual",
            found={"flags": ["manual"], "measured": False},
            validated=False if before is None else None,
        )


def _on_open_scale(book: Book, type_slug: str, high: int) -> None:
    _open(book, type_slug)
    ends = book.rows("SELECT max_rank FROM model_type WHERE slug = ?", (type_slug,))[0][0]
    if ends is not None and high > ends:
        raise UsageError(f"{type_slug} ranks end at {ends}, this interval at {high}", hint=f"Stay at or below {ends}.")


def _open(book: Book, type_slug: str) -> None:
    if type_slug not in load.rebased(book):
        raise UsageError(
            f"the scale of {type_slug} is not open: it was never rebased",
            hint=f"Run catalog rebase --type {type_slug} first.",
        )


def _changes(book: Book, slug: str, corrected: tuple[object, ...]) -> None:
    columns = ", ".join(RANK_COLUMNS)
    if book.rows(f"SELECT {columns} FROM model WHERE slug = ?", (slug,))[0] == corrected:
        raise ConflictError(
            f"{slug} has that rank, interval and provenance already: {corrected[0]} ({corrected[1]}–{corrected[2]})",
            hint="There is nothing to correct.",
        )


@contextmanager
def others_unmoved(book: Book, slug: str) -> Iterator[None]:
    """Prove by checksum that nothing but one model's rank changes inside.

    Raises:
        IntegrityError: when another model's rank changed; the transaction is rolled back.
    """
    before = book.rank_checksum(without=slug)
    yield
    if book.rank_checksum(without=slug) != before:
        raise IntegrityError(f"another rank than that of {slug} would have changed; nothing was written")


def _write(book: Book, action: str, placement: Placement, *, reason: str, validated: bool | None = None) -> Line:
    return book.rank(
        action,
        placement.slug,
        rank=placement.power_rank,
        low=placement.low,
        high=placement.high,
        source=placement.source,
        index_version=placement.index_version,
        as_of=placement.as_of,
        reason=reason,
        method=placement.method,
        found=details(placement),
        scores=placement.scores,
        validated=validated,
    )


def _validated(placement: Placement) -> bool:
    return "confirmed" in placement.flags


def _only_ranked(book: Book, slug: str) -> None:
    if _known(book, slug)[1] is None:
        raise UsageError(
            f"{slug} is unranked; there is nothing to correct", hint=f"Add a score, then catalog lock {slug} --place."
        )


def _unranked(book: Book, slug: str) -> str:
    """Return the type of a model that has no rank yet."""
    type_slug, rank = _known(book, slug)
    if rank is not None:
        raise LockedError(f"{slug} is ranked {rank} and locked", hint=f"Use catalog audit correct {slug}.")
    return type_slug


def _known(book: Book, slug: str) -> tuple[str, int | None]:
    """Return type and rank of a model."""
    found: list[tuple[Any, ...]] = book.rows("SELECT type, power_rank FROM model WHERE slug = ?", (slug,))
    if not found:
        known = [row[0] for row in book.rows("SELECT slug FROM model ORDER BY slug")]
        hint = nearest(slug, known, otherwise="catalog list shows the slugs.")
        raise NotFoundError(f"there is no model {slug!r}", hint=hint)
    return found[0][0], found[0][1]
