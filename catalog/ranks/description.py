"""A newcomer as people describe it: a record of a file, or a command line. Read whole, checked, nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from catalog.errors import CatalogError, UsageError
from catalog.ranks.newcomer import Newcomer, NewScore
from catalog.store import values
from catalog.store.scores import EXAMPLE

_TEXTS = ("build", "released", "prior", "same_weights_as", "tokenizer", "note", "status")
_NUMBERS = ("context_window", "max_output", "speed_rank", "cost_rank")
_LISTS = ("inputs", "outputs", "capabilities")
_KNOWN = ("slug", "name", "type", "developer", "offers", "scores", "labels", *_TEXTS, *_NUMBERS, *_LISTS)
_SCORE = ("release", "value", "as_of", "effort", "label", "url", "estimated")


def from_records(records: Sequence[Mapping[str, Any]]) -> list[Newcomer]:
    """Return the newcomers of a file's records.

    Raises:
        UsageError: naming the record, when there are several, and everything that is missing in it.
    """
    found = []
    for number, record in enumerate(records, 1):
        try:
            found.append(from_record(record))
        except CatalogError as error:
            raise (error.concerning(f"record {number}") if len(records) > 1 else error) from None
    return found


def from_record(record: Mapping[str, Any]) -> Newcomer:
    """Return the newcomer a record of a file describes; everything that is missing is listed at once.

    Raises:
        UsageError: for an unknown key or a missing or malformed value.
    """
    for name in record:
        values.one_of(str(name), _KNOWN, what="key of a model")
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


def from_options(said: Mapping[str, Any]) -> Newcomer:
    """Return the newcomer a command line describes, by the names of its options; shares every check with files.

    Args:
        said: what was given; ``score``, ``offer`` and ``label`` are lists of texts, ``as_of``, ``effort`` and ``url``
            hold for all scores, ``effort`` for labels too. None is left out.
    """
    _complete(said)
    shared = {name: said[name] for name in ("as_of", "effort", "url") if said[name]}
    scores = [values.pair(text, "=", example=EXAMPLE) for text in said["score"] or ()]
    efforts = {"effort": said["effort"]} if said["effort"] else {}
    own = ("name", "type", "developer", "slug", "released", "max_output", "prior", "build", "same_weights_as")
    record = {
        **{name: said[name] for name in own},
        "context_window": said["context"],
        "offers": ["=".join(values.pair(text, "=", example="openai=gpt-5")) for text in said["offer"] or ()],
        "scores": [{"release": release, "value": value, **shared} for release, value in scores],
        "labels": [{"label": label, **efforts} for label in said["label"] or ()],
    }
    return from_record({name: value for name, value in record.items() if value is not None})


def _complete(said: Mapping[str, Any]) -> None:
    """Tell what is missing on a command line, or says nothing there, by the names of its options."""
    missing = [
        flag for flag, name in (("NAME", "name"), ("--type", "type"), ("--developer", "developer")) if not said[name]
    ]
    if not (said["score"] or said["label"] or said["same_weights_as"]):
        missing.append("--score (or --label, or --same-weights-as)")
    if missing:
        raise UsageError(
            f"the model lacks: {' '.join(missing)}", hint="Add them, or describe it in a file: --from FILE."
        )
    if said["score"] and not said["as_of"]:
        raise UsageError("--score needs --as-of", hint="Give the day on which the release said so: --as-of YYYY-MM-DD.")
    for flag, name in (("--as-of", "as_of"), ("--url", "url")):
        if said[name] and not said["score"]:
            raise UsageError(f"{flag} says nothing without --score", hint=f"Leave {flag} out, or add the score.")


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UsageError(f"{name} {value!r} is not text", hint=f'Write {name}: "…", in quotes.')
    return str(value)


def _number(name: str, value: Any) -> int:
    text = str(value).replace(",", "").replace("_", "")
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,10}", text):
        raise UsageError(f"{name} {value!r} is not a whole number of 0 or more", hint=f"Write {name}: 400000.")
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
            values.one_of(str(key), ("vendor", "api_name"), what="key of an offer")
        name, api_name = _text("vendor", item.get("vendor", "")), _text("api_name", item.get("api_name") or "")
    else:
        name, _, api_name = _text("offer", item).partition("=")
    if not name.strip():
        raise UsageError(f"the offer {item!r} names no vendor", hint="Write vendor=api-name, such as openai=gpt-5.")
    return name.strip(), api_name.strip() or None


def _label(item: Any) -> tuple[str, str]:
    if isinstance(item, dict):
        for key in item:
            values.one_of(str(key), ("label", "effort"), what="key of a label")
        return _text("label", item.get("label", "")), _text("effort", item.get("effort", "unstated"))
    return _text("label", item), "unstated"


def _score(item: Any) -> NewScore:
    if not isinstance(item, dict):
        raise UsageError(f"the score {item!r} is no record", hint="Write release, value and as_of.")
    for name in item:
        values.one_of(str(name), _SCORE, what="key of a score")
    missing = [name for name in ("release", "value", "as_of") if item.get(name) in (None, "")]
    if missing:
        raise UsageError(f"a score lacks: {', '.join(missing)}", hint="A score needs release, value and as_of.")
    texts = {name: _text(name, item[name]) for name in _SCORE[:-1] if item.get(name) is not None}
    if item.get("estimated") not in (None, True, False):
        raise UsageError(f"estimated {item['estimated']!r} is neither true nor false", hint="Write estimated: true.")
    return NewScore(**texts, estimated=bool(item.get("estimated")))
