"""The rules a fact must keep before it is written: known columns, sound values, no contradiction to the catalog."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from catalog.canonical import decimal_text, dumps, loads
from catalog.errors import ConflictError, LockedError, UsageError, nearest
from catalog.log import facts
from catalog.log.facts import DECIMALS, EFFORTS, SCALE_COLUMNS, STATUSES, Row
from catalog.settings import iso_date
from catalog.store.schema import OFFER_STATUSES, PROCESSING, UNITS, metadata
from catalog.store.values import one_of, slug, typed

if TYPE_CHECKING:
    from catalog.store.book import Book

MOST_NAMED = 20
"""Known names that a message lists; of more it tells the number."""

API_SPACES = ("api", "openrouter")
"""Label spaces of names that models are called by; the others are those of the releases."""

_RELEASE_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*@[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")
_PARTIAL_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-\d{2})?")
_DATES = {"model": ("released", "retired"), "price": ("valid_from", "valid_to", "as_of"), "score": ("as_of",)}
_CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "type": {"effort_policy": ("highest-measured",)},
    "release": {"direction": ("higher", "lower"), "role": ("capability", "sanity")},
    "model": {"status": STATUSES},
    "alias": {"effort": EFFORTS},
    "offer": {"status": OFFER_STATUSES},
    "price": {"unit": UNITS, "processing": PROCESSING},
    "score": {"effort": EFFORTS},
}
_POINTERS: Mapping[str, Mapping[str, str]] = {
    "release": {"type": "type"},
    "model": {"type": "type", "developer": "vendor", "prior": "model", "same_weights_as": "model"},
    "alias": {"model": "model", "scope": "release"},
    "offer": {"model": "model", "vendor": "vendor"},
    "price": {"model": "model", "vendor": "vendor"},
    "score": {"release": "release"},
    "proposal": {"model": "model"},
}


def checked(book: Book, kind: str, row: Row, *, before: Row | None = None) -> dict[str, object]:
    """Return a row in canonical form, NULLs left out.

    Raises:
        UsageError: for an unknown column or a malformed value.
        ConflictError: when the row contradicts the catalog.
        LockedError: when an edit touches what is locked.
    """
    result = typed(kind, row)
    for column in DECIMALS.get(kind, ()):
        if column in result:
            result[column] = decimal_text(str(result[column]))
    for column in _DATES.get(kind, ()):
        if column in result:
            iso_date(str(result[column]), what=f"{column} of the {kind}")
    for column, choices in _CHOICES.get(kind, {}).items():
        if column in result:
            one_of(
                str(result[column]), choices, what=column if column == "effort" else f"{column} of {facts.one(kind)}"
            )
    for column, target in _POINTERS.get(kind, {}).items():
        _exists(book, target, result.get(column), before)
    _OWN.get(kind, _nothing)(book, result, before)
    return result


def _exists(book: Book, kind: str, value: object, before: Row | None) -> None:
    if not value or (before is not None and value in before.values()):
        return
    if book.get(kind, (str(value),)) is None:
        known = [str(facts.key_of(kind, row)[0]) for row in book.all(kind)]
        few = f"Known: {', '.join(known) or 'none yet'}." if len(known) <= MOST_NAMED else f"{len(known)} are known."
        raise UsageError(f"there is no {kind} {str(value)!r}", hint=nearest(str(value), known, otherwise=few))


def _type(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["slug"]), what="a type")
    low, high = row["rank_low"], row["rank_high"]
    assert isinstance(low, int) and isinstance(high, int)
    if low >= high:
        raise UsageError(f"rank_low {low} is not below rank_high {high}", hint="Put the lower one first.")
    if (
        before is not None
        and any(row.get(c) != before.get(c) for c in SCALE_COLUMNS)
        and _rebased(book, str(row["slug"]))
    ):
        raise LockedError(
            f"the scale of {row['slug']} is frozen: the type was rebased", hint="The locked models are the scale now."
        )


def _rebased(book: Book, type_slug: str) -> bool:
    log = metadata.tables["change_log"]
    plans = book.connection.execute(log.select().where(log.c.action == "rebase-plan")).mappings()
    return any(f'"type":"{type_slug}"' in str(plan["after"]) for plan in plans)


def _vendor(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["slug"]), what="a vendor")


def release_key(text: str) -> str:
    """Return a release key such as ``aa@4.3``, unchanged.

    Raises:
        UsageError: for anything else than ``index@version``.
    """
    if not _RELEASE_KEY.fullmatch(text):
        raise UsageError(f"{text!r} is not a release key", hint="Write index@version, such as aa@4.3.")
    return text


def _release(book: Book, row: dict[str, object], before: Row | None) -> None:
    key, version = release_key(str(row["key"])), str(row["version"])
    seen = version.lower().startswith("seen-")
    if not seen and not facts.version_stated(version):
        raise UsageError(
            f"the version {version!r} of {row['index_name']} is unstated",
            hint="Register it as seen-YYYY-MM-DD with role sanity; it will never place a model.",
        )
    if seen and row["role"] != "sanity":
        raise UsageError(f"{key} has no stated version, so its role can only be sanity", hint="Say role sanity.")
    published = row.get("published")
    if published is not None and not _PARTIAL_DATE.fullmatch(str(published)):
        raise UsageError(
            f"published {published!r} is not a date", hint="Write YYYY-MM-DD, or YYYY-MM where the day is unknown."
        )
    if Decimal(str(row.get("standard_error", "1"))) <= 0:
        raise UsageError(
            f"the standard error of {key} is {row['standard_error']}, not above 0",
            hint="Leave it out where nobody states one.",
        )
    if published is not None and str(published) > book.today[: len(str(published))]:
        raise UsageError(f"{key} would be published on {published}, which lies in the future (today is {book.today})")
    if "minimum" in row and "maximum" in row and Decimal(str(row["minimum"])) >= Decimal(str(row["maximum"])):
        raise UsageError(
            f"the range of {key} is empty: {row['minimum']} to {row['maximum']}", hint="Put the lower one first."
        )


def _model(book: Book, row: dict[str, object], before: Row | None) -> None:
    name = slug(str(row["slug"]), what="a model")
    for column in ("inputs", "outputs", "capabilities"):
        if column in row:
            row[column] = ",".join(sorted({part.strip() for part in str(row[column]).split(",") if part.strip()}))
    if before is not None and (row["type"], row["slug"]) != (before["type"], before["slug"]):
        raise LockedError(f"type and slug of {before['slug']} never change", hint="Change its name instead.")
    if "released" in row and "retired" in row and str(row["retired"]) < str(row["released"]):
        raise UsageError(
            f"{name} would be retired on {row['retired']}, before its release on {row['released']}",
            hint="Check both dates.",
        )
    window, output = row.get("context_window"), row.get("max_output")
    if row["type"] == "llm" and isinstance(window, int) and isinstance(output, int) and output > window:
        raise UsageError(
            f"{name} would write {output:,} tokens in a window of {window:,}",
            hint="max_output is at most context_window.",
        )
    if row["status"] == "retired" and str(row.get("retired", "")) > book.today:
        raise UsageError(
            f"{name} would be retired on {row['retired']}, which lies in the future (today is {book.today})",
            hint=f"Until then say catalog edit {name} status=deprecated retired={row['retired']}.",
        )
    if row["status"] in ("active", "preview") and str(row.get("retired", "9999")) <= book.today:
        raise UsageError(
            f"{name} would be {row['status']} though retired on {row['retired']}",
            hint=f"Erase the day as well: catalog edit {name} status={row['status']} retired=",
        )
    if before is not None and row.get("legacy_ordinal") != before.get("legacy_ordinal") and _ranked(book, name):
        raise LockedError(
            f"the legacy ordinal of {name} is part of how its rank was found", hint="It stays as the rebase read it."
        )
    for column in ("prior", "same_weights_as"):
        _relative(book, row, column, before)


def _share_a_rank(book: Book, slug: str, other: str) -> None:
    """Refuse to say of two ranked models with different ranks that they have the same weights."""
    ranks = dict(book.rows("SELECT slug, power_rank FROM model WHERE slug IN (?, ?)", (slug, other)))
    if None not in ranks.values() and len(set(ranks.values())) > 1:
        raise ConflictError(
            f"{slug} is ranked {ranks[slug]} and {other} {ranks[other]}, so they do not share a rank",
            hint=f"Correct one of them first: catalog audit correct {slug}.",
        )


def _ranked(book: Book, name: str) -> bool:
    return book.rows("SELECT power_rank FROM model WHERE slug = ?", (name,))[0][0] is not None


def _relative(book: Book, row: Mapping[str, object], column: str, before: Row | None) -> None:
    other = row.get(column)
    if other is None or (before is not None and before.get(column) == other):
        return
    if other == row["slug"]:
        raise UsageError(f"{other} cannot be its own {column}", hint="Name another model.")
    relative = book.get("model", (str(other),))
    if relative is not None and relative["type"] != row["type"]:
        raise UsageError(
            f"{column} {other} is of type {relative['type']}, {row['slug']} of type {row['type']}",
            hint="Name a model of its own type.",
        )
    if column == "same_weights_as" and before is not None:
        _share_a_rank(book, str(row["slug"]), str(other))
    chain = [str(row["slug"])]
    while relative is not None:
        chain.append(str(relative["slug"]))
        if chain[-1] == chain[0]:
            raise UsageError(f"{column} would run in a circle: {' → '.join(chain)}", hint="Break it at one of them.")
        relative = book.get("model", (str(relative[column]),)) if relative.get(column) else None


def _alias(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["space"]), what="a label space")
    one_of(
        str(row["space"]), sorted({*API_SPACES, *(str(r["space"]) for r in book.all("release"))}), what="label space"
    )
    measured = {release["type"] for release in book.all("release", space=row["space"])}
    model = book.get("model", (str(row["model"]),))
    if model is not None and measured and model["type"] not in measured:
        raise UsageError(
            f"labels of {row['space']} name {', '.join(sorted(map(str, measured)))} models, {row['model']} is of type "
            f"{model['type']}",
            hint="Check the label space and the model.",
        )
    if row["scope"]:
        release = book.get("release", (str(row["scope"]),))
        if release is not None and release["space"] != row["space"]:
            raise UsageError(
                f"release {row['scope']} has labels of {release['space']}, not of {row['space']}",
                hint="Check space and scope.",
            )


def _price(book: Book, row: dict[str, object], before: Row | None) -> None:
    offer = (str(row["model"]), str(row["vendor"]))
    if book.get("offer", offer) is None:
        raise UsageError(
            f"{offer[1]} has no offer of {offer[0]}",
            hint=f"Add the offer first: catalog edit {offer[0]} --offer {offer[1]} api_name=NAME.",
        )
    if not re.fullmatch(r"[A-Z]{3}", str(row["currency"])):
        raise UsageError(f"{row['currency']!r} is not a currency code", hint="Write three capitals, such as USD.")
    if before is not None and any(row.get(c) != before.get(c) for c in {*row, *before} - {"valid_to"}):
        raise LockedError(
            f"a price of {offer[1]} for {offer[0]} is never overwritten",
            hint=f"State the new one: catalog price add {offer[0]} {offer[1]} …, which ends this one.",
        )
    if not any(column in row for column in DECIMALS["price"]):
        raise UsageError(
            f"the price of {offer[1]} for {offer[0]} names no amount", hint="Give --input, --output or both."
        )
    if str(row["as_of"]) > book.today:
        raise UsageError(f"as-of {row['as_of']} lies in the future", hint=f"Today is {book.today}.")
    for column in DECIMALS["price"]:
        if Decimal(str(row.get(column, "0"))) < 0:
            raise UsageError(
                f"{column} price {row[column]} is below 0", hint="Leave it out where it is unknown; 0 is free."
            )
    start, end = _period(row)
    if start >= end:
        raise UsageError(
            f"a price valid from {start} to {end} is never valid", hint="valid_to is the first day it is not valid."
        )
    for other in book.all("price", model=offer[0], vendor=offer[1]):
        other.pop("id")
        same = all(other[c] == row[c] for c in ("unit", "currency", "tier", "processing"))
        other_start, other_end = _period(other)
        if same and other != before and start < other_end and other_start < end:
            raise ConflictError(
                f"{offer[1]} has a {row['tier']} price of {offer[0]} from {other.get('valid_from', 'ever')} "
                f"to {other.get('valid_to', 'now')} that overlaps",
                hint="End the older price where the newer begins.",
            )


def _period(row: Mapping[str, object]) -> tuple[str, str]:
    return str(row.get("valid_from", "0000-00-00")), str(row.get("valid_to", "9999-99-99"))


def _score(book: Book, row: dict[str, object], before: Row | None) -> None:
    release = book.get("release", (str(row["release"]),))
    assert release is not None
    value = Decimal(str(row["value"]))
    for bound, outside in (("minimum", value.__lt__), ("maximum", value.__gt__)):
        if bound in release and outside(Decimal(str(release[bound]))):
            raise UsageError(
                f"score {row['value']} is outside the range of {row['release']}",
                hint=f"It runs from {release.get('minimum')} to {release.get('maximum')}. Check value and release.",
            )
    as_of, today = str(row["as_of"]), book.today
    if as_of > today:
        raise UsageError(f"as-of {as_of} lies in the future", hint=f"Today is {today}.")
    if str(release.get("published", ""))[: len(as_of)] > as_of[: len(str(release.get("published", "")))]:
        raise UsageError(
            f"as-of {as_of} lies before {row['release']} was published ({release['published']})",
            hint="Check release and date.",
        )
    if not Decimal(str(row.get("low", value))) <= value <= Decimal(str(row.get("high", value))):
        raise UsageError(
            f"score {row['value']} lies outside its own interval {row.get('low')} to {row.get('high')}",
            hint="Check all three.",
        )
    said = ("value", "as_of", "effort", "estimated", "low", "high")
    others = book.all("score", release=row["release"], label=row["label"])
    if any(all(other.get(column) == row.get(column) for column in said) for other in others):
        raise ConflictError(
            f"{row['release']} says {row['value']} of {row['label']!r} on {as_of} already",
            hint="There is nothing to add.",
        )


def _proposal(book: Book, row: dict[str, object], before: Row | None) -> None:
    try:
        row["placement"] = dumps(loads(str(row["placement"])))
    except (ValueError, RecursionError):
        raise UsageError(
            f"placement {row['placement']!r} of {row['model']} is not JSON",
            hint="Placements are stored by add-model --propose.",
        ) from None


def _nothing(book: Book, row: dict[str, object], before: Row | None) -> None:
    return None


_OWN: Mapping[str, Callable[[Any, dict[str, object], Row | None], None]] = {
    "type": _type,
    "vendor": _vendor,
    "release": _release,
    "model": _model,
    "alias": _alias,
    "price": _price,
    "score": _score,
    "proposal": _proposal,
}
