"""Between databases and files: export, import along the log, apply of hand-made edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.connection import Reader
from catalog.errors import CatalogError, ConflictError, LockedError, UsageError
from catalog.log import facts, replay
from catalog.log.facts import Key
from catalog.log.line import COLUMNS, to_json
from catalog.log.replay import State
from catalog.store import files
from catalog.store.book import Book

_ORDER = ("type", "vendor", "release", "model", "alias", "offer", "price", "score", "proposal")
"""Facts are stated before the facts that point to them, and withdrawn in the opposite order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """The outcome of an import: lines written, lines that were there already, the new head hash."""

    written: int
    present: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The outcome of an export: the state it holds, the files that had to be written, those that had to go."""

    state: State
    written: tuple[str, ...]
    removed: tuple[str, ...]


def export(reader: Reader, directory: Path, *, overwrite: bool = False, dry_run: bool = False) -> Export:
    """Write the whole catalog into a directory.

    Files of an earlier export that no longer belong are removed; other files are left alone. The log is put in place
    last, so that a half-written export is refused by ``import``.

    Args:
        overwrite: discard edits in the directory that were never applied.

    Raises:
        ConflictError: when the directory holds such edits, other files, or a log that has gone another way.
        UsageError: when it cannot be written.
    """
    state = replay.replayed(replay.line_rows(reader))
    wanted, present = files.projection(state), files.read_texts(directory)
    if not overwrite:
        _nothing_lost(reader, directory, wanted, present)
    removed = sorted(set(present) - set(wanted))
    written = sorted(path for path in wanted if present.get(path) != wanted[path])
    if not dry_run:
        try:
            for path in removed:
                (directory / path).unlink()
            for path in written:
                _write(directory / path, [wanted[path]])
            _write(directory / files.LOG, (to_json(row) + "\n" for row in replay.line_rows(reader)))
        except OSError as error:
            raise UsageError(
                f"{directory} cannot be written: {error.strerror}",
                hint="Name a folder you may write, on a disk with room.",
            ) from None
    return Export(state=state, written=tuple(written), removed=tuple(removed))


def _nothing_lost(reader: Reader, directory: Path, wanted: Mapping[str, str], present: Mapping[str, str]) -> None:
    """Refuse a directory in which the export would destroy something: another log, edits, or files of somebody else's.

    A file that is what its own log says, or what is to be written, is none of these; so an export that was killed can
    be repeated.
    """
    own: dict[str, str] = {}
    if (directory / files.LOG).is_file():
        state = replay.replayed(files.read_log(directory))
        own = files.projection(state)
        if reader.rows("SELECT hash FROM change_log WHERE seq = ?", (state.seq,)) != [(state.head,)]:
            raise ConflictError(
                f"the log of {directory} is not the beginning of the catalog's: it ends in {state.head[:12]}…",
                hint="Export into another folder, or bring the catalog forward with catalog import first.",
            )
        strange = [path for path in sorted({*own, *wanted, *present}) if present.get(path) != wanted.get(path)]
    else:
        strange = [path for path in sorted(present) if present[path] != wanted.get(path)]
    edited = [path for path in strange if present.get(path) != own.get(path)]
    if edited:
        more = f" (and {len(edited) - 1} more)" if len(edited) > 1 else ""
        raise ConflictError(
            f"{directory / edited[0]} was edited and never applied, or is no file of an export{more}",
            hint=f"Take an edit over with catalog apply {directory}, or export into another folder.",
            data={"edited": edited},
        )


def import_directory(book: Book, directory: Path, *, until: str | None = None) -> Transfer:
    """Bring a catalog forward along a directory's log.

    Args:
        book: an open write transaction.
        until: stop before the first line of this action; the directory's other files are still checked.

    Raises:
        IntegrityError: when a line is damaged or the files differ from the log.
        ConflictError: when the catalog's log is not the beginning of the directory's.
    """
    files.replay_directory(directory)
    incoming = files.read_log(directory)
    present = _skip_common(replay.line_rows(book), incoming)
    written = 0
    for row in incoming:
        if until is not None and row[COLUMNS.index("action")] == until:
            break
        book.replay(row)
        written += 1
    return Transfer(written=written, present=present, head=book.head)


def apply_directory(book: Book, directory: Path, *, reason: str) -> int:
    """Write the lines that turn the catalog into what a directory's edited files say; return how many.

    Raises:
        ConflictError: when the directory was exported from another state of the catalog.
        LockedError: when a rank was edited, or a model or score removed.
    """
    state = replay.replayed(files.read_log(directory))
    if state.head != book.head:
        raise ConflictError(
            f"{directory} was exported at {state.head[:12]}, the catalog stands at {book.head[:12]}",
            hint="Export into another folder and repeat the edit there.",
        )
    texts = files.read_texts(directory)
    _ranks_untouched(state, texts)
    wanted = files.tables(texts)
    for kind in reversed(_ORDER):
        _withdraw(book, state, kind, wanted[kind], reason)
    for kind in _ORDER:
        _state_all(book, state, kind, wanted[kind], reason)
    return len(book.lines)


def _skip_common(ours: Iterable[Sequence[Any]], incoming: Iterable[Sequence[Any]]) -> int:
    present = 0
    for row in ours:
        theirs = next(iter(incoming), None)
        if theirs is None:
            break
        if row[-1] != theirs[-1]:
            raise ConflictError(
                f"the logs differ from line {row[0]} on",
                hint="Only a log that begins with the catalog's own lines can be imported.",
                data={"seq": row[0], "ours": row[-1], "theirs": theirs[-1]},
            )
        present += 1
    return present


def _ranks_untouched(state: State, texts: dict[str, str]) -> None:
    for slug, shown in files.ranks(texts).items():
        locked = dict(zip(facts.RANK_COLUMNS, state.ranks[slug], strict=True)) if slug in state.ranks else None
        if shown != locked:
            raise LockedError(
                f"the rank of {slug} was edited; ranks in files are checked, never loaded",
                hint=f"Use catalog audit correct {slug} for a deliberate correction.",
            )


def _withdraw(book: Book, state: State, kind: str, wanted: dict[Key, Any], reason: str) -> None:
    if kind == "score":
        kept = {held.text for held in state.facts["score"].values()} - {key[0] for key in wanted}
        if kept:
            first = replay.parsed(min(kept))
            raise LockedError(
                f"the score of {first['label']} in scores/{first['release']}.jsonl was changed or removed",
                hint="Scores are append-only: add the new value as a new line at the end.",
            )
        return
    for key in sorted(set(state.facts[kind]) - set(wanted)):
        book.remove(kind, key, reason=reason)


def _state_all(book: Book, state: State, kind: str, wanted: dict[Key, Any], reason: str) -> None:
    known = {held.text for held in state.facts["score"].values()} if kind == "score" else set()
    for key, row in _prerequisites_first(kind, wanted, state):
        try:
            if kind == "score":
                if key[0] not in known:
                    book.add(kind, row, reason=reason)
            elif key not in state.facts[kind]:
                book.add(kind, row, reason=reason)
            elif facts.text_of(row) != state.facts[kind][key].text:
                erased = dict.fromkeys(replay.parsed(state.facts[kind][key].text))
                book.edit(kind, key, {**erased, **row}, reason=reason)
        except CatalogError as error:
            raise error.concerning(f"{kind} {' '.join(part for part in key if part)}") from None


def _prerequisites_first(kind: str, wanted: dict[Key, Any], state: State) -> list[tuple[Key, Any]]:
    if kind == "price":  # an older price is ended before the one that follows it is added
        return sorted(wanted.items(), key=lambda item: item[0] not in state.facts[kind])
    if kind != "model":
        return list(wanted.items())
    ordered: dict[Key, Any] = {}

    def visit(key: Key) -> None:
        if key in ordered or key not in wanted:
            return
        row = wanted[key]
        ordered[key] = None
        for column in ("prior", "same_weights_as"):
            if row.get(column):
                visit((row[column],))
        del ordered[key]
        ordered[key] = row

    for key in sorted(wanted):
        visit(key)
    return list(ordered.items())


def _write(path: Path, parts: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)
    temporary.replace(path)
