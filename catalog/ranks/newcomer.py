"""A newcomer: what is said about a model that is not in the catalog yet, and the facts that follow from it."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.errors import CatalogError, ConflictError, NotFoundError, UsageError, nearest
from catalog.log.replay import parsed
from catalog.ranks import ledger
from catalog.ranks.identity import normalised
from catalog.ranks.placement import Placement
from catalog.store import labels, values
from catalog.store.book import Book


@dataclass(frozen=True, slots=True, kw_only=True)
class NewScore:
    """A score given with a newcomer: release key, value, as-of date, and what else is known."""

    release: str
    value: str
    as_of: str
    effort: str = "unstated"
    label: str | None = None
    url: str | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A model to add.

    Attributes:
        facts: further columns of the model: released, context_window, same_weights_as and so on.
        offers: (vendor, API name or None) pairs.
        labels: (SPACE:LABEL, effort) pairs under which scores are in the catalog already.
    """

    name: str
    type: str
    developer: str
    slug: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    offers: Sequence[tuple[str, str | None]] = ()
    scores: Sequence[NewScore] = ()
    labels: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A newcomer that was added: its placement, and what a person should know besides."""

    placement: Placement
    notes: tuple[str, ...] = ()


def add(book: Book, newcomer: Newcomer, *, propose: bool = False, extrapolate: bool = False, reason: str) -> Added:
    """Add a model with its offers, labels and scores, place it and lock its rank, all in the open transaction.

    Args:
        propose: store the placement as a proposal and leave the model unranked.
        extrapolate: accept anchors that lie on one side only.

    Raises:
        UsageError, ConflictError: when what was said is malformed or contradicts the catalog.
        GateError: when the evidence is not good enough.
        IntegrityError: when another model's rank would have changed.
    """
    slug = newcomer.slug or slug_of(newcomer.name)
    _not_there_yet(book, slug, newcomer)
    _each_score_once(slug, newcomer)
    written = len(book.lines)
    with ledger.others_unmoved(book, slug):
        _state(book, slug, newcomer, reason=reason)
        place = ledger.propose if propose else ledger.write_entry
        placement = place(book, slug, extrapolate=extrapolate, reason=reason)
    return Added(placement=placement, notes=tuple(_notes(book, newcomer, written)))


def add_all(
    book: Book, newcomers: Sequence[Newcomer], *, propose: bool = False, extrapolate: bool = False, reason: str
) -> list[Added]:
    """Add several models, all or none; of several the one that is refused is named."""
    added = []
    for newcomer in newcomers:
        try:
            added.append(add(book, newcomer, propose=propose, extrapolate=extrapolate, reason=reason))
        except CatalogError as error:
            raise (error.concerning(newcomer.name) if len(newcomers) > 1 else error) from None
    return added


def _state(book: Book, slug: str, newcomer: Newcomer, *, reason: str) -> None:
    """Write everything about a newcomer but its rank."""
    developer = vendor(book, newcomer.developer, reason=reason)
    model = {"slug": slug, "type": newcomer.type, "name": newcomer.name, "developer": developer}
    book.add("model", {"status": "active", **newcomer.facts, **model}, reason=reason)
    for name, api_name in newcomer.offers:
        host = vendor(book, name, reason=reason)
        book.add("offer", {"model": slug, "vendor": host, "api_name": api_name, "status": "active"}, reason=reason)
    for label, effort in newcomer.labels:
        _claim(book, slug, label, effort, reason=reason)
    for score in newcomer.scores:
        add_score(book, slug, score, reason=reason)


def _each_score_once(slug: str, newcomer: Newcomer) -> None:
    said = [(score.release, score.label or slug) for score in newcomer.scores]
    for release, label in said:
        if said.count((release, label)) > 1:
            raise ConflictError(f"{release} is given twice for {label}", hint="Give one score per release and label.")


def _notes(book: Book, newcomer: Newcomer, written: int) -> Iterator[str]:
    """Yield what the lines written since then do not say by themselves."""
    yield from new_vendors(book, written)
    near = _nearly(book, newcomer)
    if near:
        yield f"names near to this one: {', '.join(near)}; is it one of them?"
    if newcomer.facts.get("same_weights_as") and (newcomer.scores or newcomer.labels):
        yield f"its own scores are kept as evidence; its rank is that of {newcomer.facts['same_weights_as']}"


def new_vendors(book: Book, written: int = 0) -> Iterator[str]:
    """Yield a note for every vendor added since so many lines were written: it may be a typing error."""
    stated = [parsed(line.after or "") for line in book.lines[written:] if line.action == "vendor.add"]
    new = [str(row["slug"]) for row in stated]
    known = [row[0] for row in book.rows("SELECT slug FROM vendor") if row[0] not in new]
    for slug in new:
        near = difflib.get_close_matches(slug, known, n=1, cutoff=0.8)
        yield f"the vendor {slug} is new" + (f"; the nearest known one is {near[0]}" if near else "")


def add_score(book: Book, slug: str, score: NewScore, *, reason: str) -> None:
    """Add a score of a model, and the label that says so."""
    release = book.get("release", (score.release,))
    if release is None:
        model = book.get("model", (slug,)) or {}
        known = [str(row["key"]) for row in book.all("release", type=model.get("type"))]
        values.one_of(score.release, known, what="release key")
    assert release is not None
    _of_its_type(book, slug, release)
    label = score.label or slug
    _its_own_label(book, slug, str(release["space"]), label, score.release)
    row = {"space": release["space"], "label": label, "scope": score.release, "model": slug, "effort": score.effort}
    labels.give(book, row, reason=reason)
    said = {"release": score.release, "label": label, "value": score.value, "as_of": score.as_of}
    rest = {"effort": score.effort, "estimated": int(score.estimated), "url": score.url}
    book.add("score", {**said, **rest}, reason=reason)


def vendor(book: Book, name: str, *, reason: str) -> str:
    """Return the slug of a vendor given by slug or name; a new one is added.

    Raises:
        ConflictError: when the name nearly is that of a known vendor: a suggestion, never a guess.
    """
    known = {str(row["slug"]): str(row["name"]) for row in book.all("vendor")}
    slug = slug_of(name, hint="Name the vendor in Latin letters, such as 'Moonshot AI'.")
    for candidate, proper in known.items():
        if slug == candidate or name.casefold() == proper.casefold():
            return candidate
    near = [candidate for candidate in known if candidate.replace("-", "") == slug.replace("-", "")]
    if near:
        raise ConflictError(f"{name!r} is nearly the vendor {near[0]}", hint=f"Say {near[0]} if you mean it.")
    book.add("vendor", {"slug": slug, "name": name}, reason=reason)
    return slug


def slug_of(name: str, *, hint: str = "Give one: --slug claude-opus-5-5.") -> str:
    """Return the slug of a name: ``Claude Opus 5.5`` → ``claude-opus-5-5``, ``Command A+`` → ``command-a-plus``.

    Raises:
        UsageError: when nothing is left of the name.
    """
    letters = unicodedata.normalize("NFKD", name.replace("+", " plus "))
    text = "".join(letter for letter in letters if not unicodedata.combining(letter))
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if not slug:
        raise UsageError(f"no slug can be made of {name!r}", hint=hint)
    return slug


def _not_there_yet(book: Book, slug: str, newcomer: Newcomer) -> None:
    values.slug(slug, what="a model")
    values.one_of(newcomer.type, [str(row["slug"]) for row in book.all("type")], what="model type")
    if book.get("model", (slug,)) is not None:
        raise ConflictError(
            f"there is a model {slug} already", hint=f"See catalog show {slug}; another build needs another --slug."
        )
    own = {slug, newcomer.name}
    spelt, sounding = {_letters(name) for name in own}, {normalised(name) for name in own}
    used = {_sorted(letters) for letters in spelt}
    build = newcomer.facts.get("build")
    for other, name, its_build in book.rows("SELECT slug, name, build FROM model ORDER BY slug"):
        told_apart = newcomer.slug is not None and build is not None and build != its_build
        for its in {other, name} if not told_apart else ():
            letters = _letters(its)
            if _sorted(letters) in used and (letters in spelt or normalised(its) in sounding):
                raise ConflictError(
                    f"{newcomer.name!r} is nearly the model {other}",
                    hint=f"See catalog show {other}. If this is another build, say so with --build and --slug.",
                )


def _nearly(book: Book, newcomer: Newcomer) -> list[str]:
    """Return models of the type with the same numbers in a name that is all but this one: a typing error, perhaps."""
    digits = re.findall("[0-9]+", newcomer.name)
    rows = book.rows("SELECT slug, name FROM model WHERE type = ? AND name <> ?", (newcomer.type, newcomer.name))
    same = {name: slug for slug, name in rows if re.findall("[0-9]+", name) == digits}
    found = difflib.get_close_matches(newcomer.name, same, n=3, cutoff=0.9)
    return [same[name] for name in found]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold().replace("+", "plus")))


def _sorted(letters: str) -> str:
    return "".join(sorted(letters))


def _of_its_type(book: Book, slug: str, release: Mapping[str, object]) -> None:
    model = book.get("model", (slug,))
    if model is None or model["type"] == release["type"]:
        return
    fitting = [str(row["key"]) for row in book.all("release", type=model["type"])]
    known = (
        f"Releases of its type: {', '.join(fitting)}." if fitting else f"No release measures {model['type']} models."
    )
    raise UsageError(
        f"{release['key']} measures {release['type']} models, {slug} is of type {model['type']}", hint=known
    )


def _its_own_label(book: Book, slug: str, space: str, label: str, release: str) -> None:
    """Refuse to take over scores the release already gives under a label: that would be a guess at an identity."""
    owner = book.get("alias", (space, label, ""))
    if owner is not None and owner["model"] != slug:
        raise ConflictError(
            f"{space}:{label} belongs to {owner['model']} already",
            hint="Choose another --slug, or give the score its own label in a file.",
        )
    known = owner is not None or book.get("alias", (space, label, release)) is not None
    if not known and book.all("score", release=release, label=label):
        raise ConflictError(
            f"{release} has scores of {label!r} already, which belong to no model",
            hint=f"If they are of this model, use them: --label {space}:{label}. Else choose another --slug.",
        )


def _claim(book: Book, slug: str, label: str, effort: str, *, reason: str) -> None:
    space, name = values.pair(label, ":", example=labels.EXAMPLE)
    spaces = {str(row["space"]) for row in book.all("release")}
    values.one_of(space, sorted(spaces), what="label space")
    keys = [str(row["key"]) for row in book.all("release", space=space)]
    known = [str(row["label"]) for key in keys for row in book.all("score", release=key)]
    if name not in known:
        hint = nearest(name, sorted(set(known)), otherwise="Add its score first: catalog score add.")
        raise NotFoundError(f"no score in {space} has the label {name!r}", hint=hint)
    row = {"space": space, "label": name, "scope": "", "model": slug, "effort": _effort(book, keys, name, effort)}
    labels.give(book, row, reason=reason)


def _effort(book: Book, releases: Sequence[str], label: str, given: str) -> str:
    """Return the effort of a label: the one given, if its scores do not state another; theirs where none is given."""
    rows = [row for key in releases for row in book.all("score", release=key, label=label)]
    stated = sorted({str(row["effort"]) for row in rows if "effort" in row})
    if given == "unstated" and len(stated) == 1:
        return stated[0]
    if given != "unstated" and stated and given not in stated:
        raise ConflictError(
            f"the scores of {label!r} were measured at effort {', '.join(stated)}, not {given}",
            hint="Leave --effort out, or use the label of that effort.",
        )
    return given
