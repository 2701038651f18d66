"""The catalog as text files: ``log.jsonl`` is the truth, the other files are its projection.

    log.jsonl                    the change log, one canonical line each
    types.json vendors.json releases.json
    models/<type>/<slug>.json    one model with its rank, aliases, offers and prices
    scores/<release>.jsonl       scores in the order they were added

Rendering is pure: equal logs have equal files, byte for byte, whatever machine, database or day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from catalog.canonical import dumps, loads, pretty
from catalog.errors import IntegrityError, NotFoundError
from catalog.log import facts, replay
from catalog.log.facts import Key
from catalog.log.line import from_json
from catalog.log.replay import State

LOG = "log.jsonl"
_LISTS = {"types.json": "type", "vendors.json": "vendor", "releases.json": "release"}
_OWN_KEYS = {"aliases": "alias", "offers": "offer", "prices": "price"}
_PATTERNS = ("types.json", "vendors.json", "releases.json", "models/*/*.json", "scores/*.jsonl")


def projection(state: State) -> dict[str, str]:
    """Return path → text of every file but the log."""
    files = {name: pretty(_sorted_rows(state, kind)) for name, kind in _LISTS.items()}
    owned = {name: _by_model(state, kind) for name, kind in _OWN_KEYS.items()}
    proposals = {row["model"]: row["placement"] for row in _plain(state, "proposal")}
    for model in _plain(state, "model"):
        slug = model["slug"]
        entry = {**model, **{name: rows[slug] for name, rows in owned.items() if slug in rows}}
        if slug in state.ranks:
            entry["rank"] = dict(zip(facts.RANK_COLUMNS, state.ranks[slug], strict=True))
        if slug in proposals:
            entry["proposal"] = _json(f"the proposal of {slug}", proposals[slug])
        files[f"models/{model['type']}/{slug}.json"] = pretty(entry)
    scores: dict[str, list[str]] = defaultdict(list)
    for score in _plain(state, "score"):
        scores[score.pop("release")].append(dumps(score))
    files |= {f"scores/{release}.jsonl": "\n".join(lines) + "\n" for release, lines in scores.items()}
    return files


def read_log(directory: Path) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a directory's ``log.jsonl``, each checked against its hash.

    Raises:
        NotFoundError: when there is no log.
        IntegrityError: at the first line that is damaged.
    """
    path = directory / LOG
    if not path.is_file():
        raise NotFoundError(f"there is no {LOG} in {directory}", hint="Name a folder that catalog export wrote.")
    number = 0
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith("\n"):
                    raise IntegrityError(f"{path}:{number} ends in the middle of a line", hint=_AGAIN)
                yield from_json(line[:-1], where=f"{path}:{number}")
    except UnicodeDecodeError:
        raise IntegrityError(f"{path}:{number + 1} is not UTF-8 text", hint=_AGAIN) from None
    except OSError as error:
        raise IntegrityError(f"{path} cannot be read: {error.strerror}", hint=_AGAIN) from None
    if number == 0:
        raise IntegrityError(f"{path} is empty", hint=_AGAIN)


def read_texts(directory: Path) -> dict[str, str]:
    """Return path → text of every projection file in a directory.

    Raises:
        IntegrityError: when one is not UTF-8.
    """
    found = {}
    for pattern in _PATTERNS:
        for path in sorted(directory.glob(pattern)):
            try:
                found[path.relative_to(directory).as_posix()] = path.read_bytes().decode("utf-8")
            except UnicodeDecodeError:
                raise IntegrityError(f"{path} is not UTF-8 text", hint=_AGAIN) from None
            except OSError as error:
                raise IntegrityError(f"{path} cannot be read: {error.strerror}", hint=_AGAIN) from None
    return found


def differences(state: State, texts: Mapping[str, str]) -> list[str]:
    """Return one sentence for every file that is not what the log says."""
    expected = projection(state)
    missing = [f"{path} is missing" for path in sorted(set(expected) - set(texts))]
    extra = [f"{path} is not in the log" for path in sorted(set(texts) - set(expected))]
    changed = [
        f"{path} differs from the log" for path in sorted(set(expected) & set(texts)) if expected[path] != texts[path]
    ]
    return [*missing, *extra, *changed]


def tables(texts: Mapping[str, str]) -> dict[str, dict[Key, dict[str, Any]]]:
    """Parse edited files into kind → key → row, ranks left out (they are checked, never loaded).

    Raises:
        IntegrityError: when a file is not the JSON it should be.
    """
    found: dict[str, dict[Key, dict[str, Any]]] = {kind: {} for kind in facts.FACTS}
    for path, text in texts.items():
        for kind, row in _rows_of(path, text):
            key = facts.key_of(kind, row) if kind != "score" else (dumps(row),)
            if key in found[kind] and kind != "score":
                raise IntegrityError(f"{path}: {kind} {' '.join(key)} stands twice")
            found[kind][key] = row
    return found


def ranks(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return slug → the rank a model's file shows, None where it shows none."""
    models = {path: _object(path, text) for path, text in texts.items() if path.startswith("models/")}
    return {str(model.get("slug")): model.get("rank") for model in models.values()}


_AGAIN = "Take the folder from its origin again, or export into a new one."


def _plain(state: State, kind: str) -> list[dict[str, Any]]:
    rows = list(state.rows(kind))
    for row in rows:
        row.pop("id")
    return rows


def _sorted_rows(state: State, kind: str) -> list[dict[str, Any]]:
    return sorted(_plain(state, kind), key=lambda row: facts.key_of(kind, row))


def _by_model(state: State, kind: str) -> dict[str, list[dict[str, Any]]]:
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in _sorted_rows(state, kind):
        grouped[row.pop("model")].append(row)
    return grouped


def _rows_of(path: str, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if path in _LISTS:
        for row in _array(path, _json(path, text)):
            yield _LISTS[path], row
    elif path.startswith("scores/"):
        release = path.removeprefix("scores/").removesuffix(".jsonl")
        for number, line in enumerate(text.splitlines(), 1):
            yield "score", {**_object(f"{path}:{number}", line), "release": release}
    else:
        yield from _model_rows(path, _object(path, text))


def _model_rows(path: str, model: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    owned = {name: _array(path, model.pop(name, [])) for name in _OWN_KEYS}
    model.pop("rank", None)
    proposal = model.pop("proposal", None)
    if path != f"models/{model.get('type')}/{model.get('slug')}.json":
        raise IntegrityError(
            f"{path} holds type {model.get('type')!r} and slug {model.get('slug')!r}",
            hint="A model's file is named after them.",
        )
    yield "model", model
    for name, rows in owned.items():
        for row in rows:
            yield _OWN_KEYS[name], {**row, "model": model["slug"]}
    if proposal is not None:
        yield "proposal", {"model": model["slug"], "placement": dumps(proposal)}


def _json(path: str, text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError) as error:
        raise IntegrityError(
            f"{path} is not valid JSON: {error}", hint="Repair the file, or write it anew with catalog export."
        ) from None


def _object(path: str, text: str) -> dict[str, Any]:
    value = _json(path, text)
    if not isinstance(value, dict):
        raise IntegrityError(f"{path} does not hold a JSON object")
    return value


def _array(path: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise IntegrityError(f"{path} does not hold a list of JSON objects")
    return value


def replay_directory(directory: Path) -> State:
    """Replay a directory's log and check that its other files are what the log says.

    Raises:
        IntegrityError: when a line or a file does not fit.
    """
    state = replay.replayed(read_log(directory))
    found = differences(state, read_texts(directory))
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise IntegrityError(
            f"{directory}: {found[0]}{more}",
            hint=f"Was it edited? catalog apply {directory}. Was its log cut? Take the folder from its origin again.",
            data={"differences": found},
        )
    return state
