"""A newcomer: what is said about a model that is not in the catalog yet, and the facts that follow from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from catalog.errors import ConflictError, NotFoundError, UsageError
from catalog.ranks import ledger
from catalog.ranks.placement import Placement
from catalog.store import labels, rules
from catalog.store.book import Book
from catalog.store.scores import EXAMPLE

_TEXTS = ("build", "released", "prior", "same_weights_as", "tokenizer", "note", "status")
_NUMBERS = ("context_window", "max_output", "speed_rank", "cost_rank")
_LISTS = ("inputs", "outputs", "capabilities")
_KNOWN = ("slug", "name", "type", "developer", "offers", "scores", "labels", *_TEXTS, *_NUMBERS, *_LISTS)
_SCORE = ("release", "value", "as_of", "effort", "label", "url", "estimated")


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


def from_record(record: Mapping[str, Any]) -> Newcomer:
    """Return the newcomer a record of a file describes; everything that is missing is listed at once.

    Raises:
        UsageError: for an unknown key or a missing or malformed value.
    """
    for name in record:
        rules.one_of(str(name), _KNOWN, what="key of a model")
    missing = [name for name in ("name", "type", "developer") if not record.get(name)]
    if not (record.get("scores") or record.get("labels") or record.get("same_weights_as")):
        missing.append("scores (or labels, or same_weights_as)")
    if missing:
        raise UsageError(
            f"{record.get('name') or 'a model'} lacks: {', '.join(missing)}", hint="Add them and try again."
        )
    facts: dict[str, Any] = {name: _text(name, record[name]) for name in _TEXTS if record.get(name) is not None}
    facts |= {name: _number(name, record[name]) for name in _NUMBERS if record.get(name) is not None}
    facts |= {name: _list(name, record[name]) for name in _LISTS if record.get(name) is not None}
    return Newcomer(
        name=_text("name", record["name"]),
        type=_text("type", record["type"]),
        developer=_text("developer", record["developer"]),
        slug=_text("slug", record["slug"]) if record.get("slug") else None,
        facts=facts,
        offers=[_offer(item) for item in _items(record, "offers")],
        scores=[_score(item) for item in _items(record, "scores")],
        labels=[_label(item) for item in _items(record, "labels")],
    )


def add(
    book: Book, newcomer: Newcomer, *, propose: bool = False, extrapolate: bool = False, reason: str
) -> tuple[str, Placement]:
    """Add a model with its offers, labels and scores, place it and lock its rank, all in the open transaction.

    Args:
        propose: store the placement as a proposal and leave the model unranked.
        extrapolate: accept anchors that lie on one side only.

    Returns:
        The model's slug and its placement.

    Raises:
        UsageError, ConflictError: when what was said is malformed or contradicts the catalog.
        GateError: when the evidence is not good enough.
    """
    slug = newcomer.slug or slug_of(newcomer.name)
    _not_there_yet(book, slug, newcomer)
    said = [(score.release, score.label or slug) for score in newcomer.scores]
    for release, label in said:
        if said.count((release, label)) > 1:
            raise ConflictError(f"{release} is given twice for {label}", hint="Give one score per release and label.")
    developer = vendor(book, newcomer.developer, reason=reason)
    facts = {"status": "active", **newcomer.facts}
    model = {"slug": slug, "type": newcomer.type, "name": newcomer.name, "developer": developer}
    book.add("model", {**facts, **model}, reason=reason)
    for name, api_name in newcomer.offers:
        host = vendor(book, name, reason=reason)
        book.add("offer", {"model": slug, "vendor": host, "api_name": api_name, "status": "active"}, reason=reason)
    for label, effort in newcomer.labels:
        _claim(book, slug, label, effort, reason=reason)
    for score in newcomer.scores:
        add_score(book, slug, score, reason=reason)
    place = ledger.propose if propose else ledger.enter
    return slug, place(book, slug, extrapolate=extrapolate, reason=reason)


def add_score(book: Book, slug: str, score: NewScore, *, reason: str) -> None:
    """Add a score of a model, and the label that says so."""
    release = book.get("release", (score.release,))
    if release is None:
        known = [str(row["key"]) for row in book.all("release")]
        rules.one_of(score.release, known, what="release key")
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
    near = [candidate for candidate in known if _bare(candidate) == _bare(slug)]
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
    rules.slug(slug, what="a model")
    rules.one_of(newcomer.type, [str(row["slug"]) for row in book.all("type")], what="model type")
    if book.get("model", (slug,)) is not None:
        raise ConflictError(
            f"there is a model {slug} already", hint=f"See catalog show {slug}; another build needs another --slug."
        )
    if newcomer.slug is not None:
        return
    near = [str(row["slug"]) for row in book.all("model") if _bare(str(row["slug"])) == _bare(slug)]
    near += [str(row["slug"]) for row in book.all("model", name=newcomer.name)]
    if near:
        raise ConflictError(
            f"{newcomer.name!r} is nearly the model {near[0]}",
            hint=f"If it is another model or build, say so with --slug; else use catalog show {near[0]}.",
        )


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
    space, name = rules.pair(label, ":", example=labels.EXAMPLE)
    spaces = {str(row["space"]) for row in book.all("release")}
    rules.one_of(space, sorted(spaces), what="label space")
    keys = [str(row["key"]) for row in book.all("release", space=space)]
    known = [str(row["label"]) for key in keys for row in book.all("score", release=key)]
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, sorted(set(known)), n=3)
        hint = (
            f"Nearest labels: {', '.join(near)}. A label is matched exactly or not at all."
            if near
            else "Add its score first."
        )
        raise NotFoundError(f"no score in {space} has the label {name!r}", hint=hint)
    row = {"space": space, "label": name, "scope": "", "model": slug, "effort": effort}
    labels.give(book, row, reason=reason)


def _bare(slug: str) -> str:
    return slug.replace("-", "")


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UsageError(f"{name} {value!r} is not text", hint=f'Write {name}: "…", in quotes.')
    return str(value)


def _number(name: str, value: Any) -> int:
    text = str(value).replace(",", "").replace("_", "")
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,10}", text):
        raise UsageError(f"{name} {value!r} is not a whole number", hint=f"Write {name}: 400000.")
    return int(text)


def _list(name: str, value: Any) -> str:
    return ",".join(_text(name, item) for item in value) if isinstance(value, list) else _text(name, value)


def _items(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name) or []
    if not isinstance(value, list):
        raise UsageError(f"{name} {value!r} is not a list", hint=f"Write {name}: [ … ].")
    return value


def _offer(item: Any) -> tuple[str, str | None]:
    if isinstance(item, dict):
        for key in item:
            rules.one_of(str(key), ("vendor", "api_name"), what="key of an offer")
        name, api_name = _text("vendor", item.get("vendor", "")), _text("api_name", item.get("api_name") or "")
    else:
        name, _, api_name = _text("offer", item).partition("=")
    if not name.strip():
        raise UsageError(f"the offer {item!r} names no vendor", hint="Write vendor=api-name, such as openai=gpt-5.")
    return name.strip(), api_name.strip() or None


def _label(item: Any) -> tuple[str, str]:
    if isinstance(item, dict):
        for key in item:
            rules.one_of(str(key), ("label", "effort"), what="key of a label")
        return _text("label", item.get("label", "")), _text("effort", item.get("effort", "unstated"))
    return _text("label", item), "unstated"


def _score(item: Any) -> NewScore:
    if not isinstance(item, dict):
        raise UsageError(f"the score {item!r} is no record", hint="Write release, value and as_of.")
    for name in item:
        rules.one_of(str(name), _SCORE, what="key of a score")
    missing = [name for name in ("release", "value", "as_of") if item.get(name) in (None, "")]
    if missing:
        raise UsageError(f"a score lacks: {', '.join(missing)}", hint="A score needs release, value and as_of.")
    texts = {name: _text(name, item[name]) for name in _SCORE[:-1] if item.get(name) is not None}
    if item.get("estimated") not in (None, True, False):
        raise UsageError(f"estimated {item['estimated']!r} is neither true nor false", hint="Write estimated: true.")
    return NewScore(**texts, estimated=bool(item.get("estimated")))


def from_options(
    *,
    name: str,
    type_slug: str | None,
    developer: str | None,
    slug: str | None,
    facts: Mapping[str, Any],
    offers: Sequence[str],
    scores: Sequence[str],
    as_of: str | None,
    effort: str,
    url: str | None,
    labels_: Sequence[str],
) -> Newcomer:
    """Return the newcomer a command line describes; shares every check with files."""
    said = [dict(zip(("release", "value"), rules.pair(text, "=", example=EXAMPLE), strict=True)) for text in scores]
    shared = {"as_of": as_of, "effort": effort, "url": url}
    record = {
        "name": name,
        "type": type_slug,
        "developer": developer,
        "slug": slug,
        "offers": list(offers),
        "scores": [{**score, **{key: value for key, value in shared.items() if value}} for score in said],
        "labels": [{"label": label, "effort": effort} for label in labels_],
        **facts,
    }
    return from_record(record)
