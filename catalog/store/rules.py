"""The rules a fact must keep before it is written: known columns, sound values, no contradiction to the catalog."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlalchemy import Integer

from catalog.canonical import decimal_text, dumps, loads
from catalog.errors import ConflictError, LockedError, UsageError
from catalog.log import facts
from catalog.log.facts import EFFORTS, FACTS, Row
from catalog.settings import iso_date
from catalog.store.schema import OFFER_STATUSES, PROCESSING, STATUSES, UNITS, metadata

if TYPE_CHECKING:
    from catalog.store.book import Book

_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_RELEASE_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*@[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")
_PARTIAL_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-\d{2})?")
_DECIMALS = {
    "type": ("score_low", "score_high"),
    "release": ("minimum", "maximum", "standard_error"),
    "price": ("input", "output", "cache_read", "cache_write"),
    "score": ("value", "low", "high"),
}
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
    result = _typed(kind, row)
    for column in _DECIMALS.get(kind, ()):
        if column in result:
            result[column] = decimal_text(str(result[column]))
    for column in _DATES.get(kind, ()):
        if column in result:
            iso_date(str(result[column]), what=f"{column} of the {kind}")
    for column, choices in _CHOICES.get(kind, {}).items():
        if column in result:
            one_of(str(result[column]), choices, what=f"{column} of a {kind}")
    for column, target in _POINTERS.get(kind, {}).items():
        _exists(book, target, result.get(column), before)
    _OWN.get(kind, _nothing)(book, result, before)
    return result


def one_of(value: str, choices: Iterable[str], *, what: str) -> str:
    """Return a value of a closed list.

    Raises:
        UsageError: naming the value, the list and the nearest match.
    """
    known = list(choices)
    if value in known:
        return value
    near = difflib.get_close_matches(value, known, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"{value!r} is no {what}", hint=f"{hint}Known: {', '.join(known) or 'none yet'}.")


def pair(text: str, separator: str, *, example: str) -> tuple[str, str]:
    """Return both sides of ``KEY=VALUE`` or ``SPACE:LABEL``, stripped.

    Raises:
        UsageError: when either side is missing; the example says what would be right.
    """
    left, found, right = text.partition(separator)
    if not found or not left.strip() or not right.strip():
        raise UsageError(f"{text!r} has not the form of {example}", hint=f"Write {example}.")
    return left.strip(), right.strip()


def slug(text: str, *, what: str) -> str:
    """Return a slug such as ``claude-opus-5-5``, unchanged.

    Raises:
        UsageError: for anything else than lower-case letters and digits joined by single hyphens.
    """
    if not _SLUG.fullmatch(text) or len(text) > 100:
        raise UsageError(
            f"{text!r} is not a slug for {what}", hint="Use lower-case letters, digits and hyphens: claude-opus-5-5."
        )
    return text


def from_text(kind: str, column: str, text: str) -> object:
    """Return a column's value given as text on a command line; empty text is None.

    Raises:
        UsageError: for an unknown column or a number that is none.
    """
    columns = metadata.tables[FACTS[kind].table].columns
    one_of(column, [c.name for c in columns if c.name != "id"], what=f"column of a {kind}")
    if not text:
        return None
    if not isinstance(columns[column].type, Integer):
        return text
    if not re.fullmatch(r"-?[0-9]{1,10}", text.replace(",", "").replace("_", "")):
        raise UsageError(f"{column} {text!r} is not a whole number")
    return int(text.replace(",", "").replace("_", ""))


def _typed(kind: str, row: Row) -> dict[str, object]:
    columns = metadata.tables[FACTS[kind].table].columns
    known = [c.name for c in columns if c.name != "id" and not (kind == "model" and c.name in facts.RANK_COLUMNS)]
    for column in row:
        if kind == "model" and column in facts.RANK_COLUMNS:
            raise LockedError(f"{column} is locked", hint="Ranks come from rebase, add-model and audit correct.")
        one_of(column, known, what=f"column of a {kind}")
    result = {name: _value(kind, name, columns[name], row.get(name)) for name in known}
    if kind == "alias":
        result["scope"] = result["scope"] or ""
    for name in known:
        if result[name] is None and not columns[name].nullable:
            raise UsageError(f"the {kind} has no {name}", hint=f"Give every {kind} a {name}.")
    return {name: value for name, value in result.items() if value is not None}


def _value(kind: str, name: str, column: Any, value: object) -> object:
    if isinstance(column.type, Integer):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise UsageError(f"{name} of the {kind} is {value!r}, not a whole number")
        if isinstance(value, int) and not -(2**31) < value < 2**31:
            raise UsageError(f"{name} of the {kind} is {value}, which is too large")
        return value
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{name} of the {kind} is {value!r}, not text")
    text = unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else None
    if text and any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise UsageError(
            f"{name} of the {kind} is {text!r}: control characters and bytes that are not UTF-8 are not allowed",
            hint="Write one line of plain text.",
        )
    return text or None


def _exists(book: Book, kind: str, value: object, before: Row | None) -> None:
    if not value or (before is not None and value in before.values()):
        return
    if book.get(kind, (str(value),)) is None:
        known = [str(facts.key_of(kind, row)[0]) for row in book.all(kind)]
        near = difflib.get_close_matches(str(value), known, n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else f"Known: {', '.join(known[:20]) or 'none yet'}."
        raise UsageError(f"there is no {kind} {str(value)!r}", hint=hint)


def _type(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["slug"]), what="a type")
    low, high = row["rank_low"], row["rank_high"]
    assert isinstance(low, int) and isinstance(high, int)
    if low >= high:
        raise UsageError(f"rank_low {low} is not below rank_high {high}")
    scale = ("reference", "score_low", "score_high", "rank_low", "rank_high", "max_rank", "effort_policy")
    if before is not None and any(row.get(c) != before.get(c) for c in scale) and _rebased(book, str(row["slug"])):
        raise LockedError(
            f"the scale of {row['slug']} is frozen: the type was rebased", hint="The locked models are the scale now."
        )


def _rebased(book: Book, type_slug: str) -> bool:
    log = metadata.tables["change_log"]
    plans = book.connection.execute(log.select().where(log.c.action == "rebase-plan")).mappings()
    return any(f'"type":"{type_slug}"' in str(plan["after"]) for plan in plans)


def _vendor(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["slug"]), what="a vendor")


def _release(book: Book, row: dict[str, object], before: Row | None) -> None:
    key, version = str(row["key"]), str(row["version"])
    if not _RELEASE_KEY.fullmatch(key):
        raise UsageError(f"{key!r} is not a release key", hint="Write index@version, such as aa@4.3.")
    if version.lower() in ("unstated", "unknown", "latest", "none"):
        raise UsageError(
            f"the version {version!r} of {row['index_name']} is unstated",
            hint="Register it as seen-YYYY-MM-DD with role sanity; it will never place a model.",
        )
    if version.startswith("seen-") and row["role"] != "sanity":
        raise UsageError(f"{key} has no stated version, so its role can only be sanity")
    published = row.get("published")
    if published is not None and not _PARTIAL_DATE.fullmatch(str(published)):
        raise UsageError(
            f"published {published!r} is not a date", hint="Write YYYY-MM-DD, or YYYY-MM where the day is unknown."
        )
    if Decimal(str(row.get("standard_error", "1"))) <= 0:
        raise UsageError(f"the standard error of {key} is {row['standard_error']}, not above 0")
    if "minimum" in row and "maximum" in row and Decimal(str(row["minimum"])) >= Decimal(str(row["maximum"])):
        raise UsageError(f"the range of {key} is empty: {row['minimum']} to {row['maximum']}")


def _model(book: Book, row: dict[str, object], before: Row | None) -> None:
    name = slug(str(row["slug"]), what="a model")
    for column in ("inputs", "outputs", "capabilities"):
        if column in row:
            row[column] = ",".join(sorted({part.strip() for part in str(row[column]).split(",") if part.strip()}))
    if before is not None and (row["type"], row["slug"]) != (before["type"], before["slug"]):
        raise LockedError(f"type and slug of {before['slug']} never change", hint="Change its name instead.")
    if "released" in row and "retired" in row and str(row["retired"]) < str(row["released"]):
        raise UsageError(f"{name} would be retired on {row['retired']}, before its release on {row['released']}")
    window, output = row.get("context_window"), row.get("max_output")
    if row["type"] == "llm" and isinstance(window, int) and isinstance(output, int) and output > window:
        raise UsageError(
            f"{name} would write {output:,} tokens in a window of {window:,}",
            hint="max_output is at most context_window.",
        )
    for column in ("prior", "same_weights_as"):
        _relative(book, row, column, before)


def _relative(book: Book, row: Mapping[str, object], column: str, before: Row | None) -> None:
    other = row.get(column)
    if other is None or (before is not None and before.get(column) == other):
        return
    if other == row["slug"]:
        raise UsageError(f"{other} cannot be its own {column}")
    relative = book.get("model", (str(other),))
    if relative is not None and relative["type"] != row["type"]:
        raise UsageError(f"{column} {other} is of type {relative['type']}, {row['slug']} of type {row['type']}")


def _alias(book: Book, row: dict[str, object], before: Row | None) -> None:
    slug(str(row["space"]), what="a label space")
    if row["scope"]:
        release = book.get("release", (str(row["scope"]),))
        if release is not None and release["space"] != row["space"]:
            raise UsageError(f"release {row['scope']} has labels of {release['space']}, not of {row['space']}")


def _price(book: Book, row: dict[str, object], before: Row | None) -> None:
    offer = (str(row["model"]), str(row["vendor"]))
    if book.get("offer", offer) is None:
        raise UsageError(f"{offer[1]} has no offer of {offer[0]}", hint="Add the offer first.")
    if not re.fullmatch(r"[A-Z]{3}", str(row["currency"])):
        raise UsageError(f"{row['currency']!r} is not a currency code", hint="Write three capitals, such as USD.")
    for column in _DECIMALS["price"]:
        if Decimal(str(row.get(column, "0"))) < 0:
            raise UsageError(f"{column} price {row[column]} is below 0")
    start, end = _period(row)
    if start >= end:
        raise UsageError(f"a price valid from {start} to {end} is never valid")
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
        raise UsageError(f"as-of {as_of} lies before {row['release']} was published ({release['published']})")
    if not Decimal(str(row.get("low", value))) <= value <= Decimal(str(row.get("high", value))):
        raise UsageError(f"score {row['value']} lies outside its own interval {row.get('low')} to {row.get('high')}")
    same = [r for r in book.all("score", release=row["release"], label=row["label"]) if facts.stated(r) == row]
    if same:
        raise ConflictError(f"{row['release']} says {row['value']} of {row['label']!r} on {as_of} already")


def _proposal(book: Book, row: dict[str, object], before: Row | None) -> None:
    try:
        row["placement"] = dumps(loads(str(row["placement"])))
    except (ValueError, RecursionError):
        raise UsageError(f"placement {row['placement']!r} of {row['model']} is not JSON") from None


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
