"""The one place that formats results: stdout for results, stderr for everything else."""

from __future__ import annotations

import csv
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from catalog.errors import UsageError
from catalog.log.facts import key_of
from catalog.log.line import Line, as_data, to_json, values


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: the key of the value, the heading, how the value is written, whether it may be folded."""

    key: str
    title: str
    right: bool = False
    fold: bool = True
    write: Callable[[Any], str] = lambda value: "–" if value is None else str(value)


def one_format(*, json: bool = False, jsonl: bool = False, csv: bool = False) -> str:
    """Return the one format asked for, ``table`` by default."""
    asked = [name for name, wanted in (("json", json), ("jsonl", jsonl), ("csv", csv)) if wanted]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} exclude each other", hint="Choose one.")
    return asked[0] if asked else "table"


def rows(found: Sequence[Mapping[str, Any]], *, columns: Sequence[Column], names: Sequence[str], form: str) -> None:
    """Print rows in a format; ``names`` are the stable names of JSON and CSV."""
    if form == "json":
        as_json(list(found))
    elif form == "jsonl":
        for row in found:
            print(json.dumps(row, ensure_ascii=False))
    elif form == "csv":
        writer = csv.DictWriter(sys.stdout, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    else:
        table(found, columns)


def as_json(value: object) -> None:
    """Print a value as indented JSON, names in the order given."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def table(found: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> None:
    """Print an aligned table; on a terminal wide columns are folded into its width and the heading underlined.

    Written here because rich takes half a second for the rows of a whole catalog.
    """
    cells = [[column.write(row.get(column.key)) for column in columns] for row in found]
    titles = [column.title for column in columns]
    widths = [max(map(len, parts)) for parts in zip(titles, *cells, strict=True)]
    terminal = sys.stdout.isatty()
    if terminal:
        _narrow(widths, columns, shutil.get_terminal_size((80, 24)).columns)
    mark = terminal and not os.environ.get("NO_COLOR")
    for number, row in enumerate((titles, *cells)):
        for part in _folded(row, widths) if terminal else [row]:
            line = _aligned(part, widths, columns)
            print(f"\x1b[4m{line}\x1b[0m" if mark and number == 0 else line)


_GAP = "  "
_NARROWEST = 8


def _narrow(widths: list[int], columns: Sequence[Column], room: int) -> None:
    """Take width from the widest column that may be folded until the table fits."""
    foldable = [place for place, column in enumerate(columns) if column.fold and not column.right]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > room:
        widest = max(foldable, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


def _folded(row: Sequence[str], widths: Sequence[int]) -> list[list[str]]:
    if all(len(cell) <= width for cell, width in zip(row, widths, strict=True)):
        return [list(row)]
    wrapped = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=True)]
    return [list(part) for part in zip_longest(*wrapped, fillvalue="")]


def _aligned(row: Sequence[str], widths: Sequence[int], columns: Sequence[Column]) -> str:
    parts = [
        cell.rjust(width) if column.right else cell.ljust(width)
        for cell, width, column in zip(row, widths, columns, strict=True)
    ]
    return _GAP.join(parts).rstrip()


def facts(pairs: Iterable[tuple[str, Any]]) -> None:
    """Print name and value of each known fact, aligned."""
    known = [(name.replace("_", " "), value) for name, value in pairs if value is not None]
    width = max((len(name) for name, _ in known), default=0)
    for name, value in known:
        fact(name, f"{value:,}" if isinstance(value, int) else str(value), width=width)


def fact(name: str, text: str, *, width: int = 9) -> None:
    """Print a name and a text, wrapped at the terminal's width under itself."""
    room = max(30, shutil.get_terminal_size((80, 24)).columns - width - 3)
    wrapped = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    print(f"{name.ljust(width)}  " + f"\n{' ' * width}  ".join(wrapped))


def say(text: str = "") -> None:
    """Print a line of a result."""
    print(text)


@contextmanager
def working(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that something takes its time; yields a function that changes the text."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as status:
        yield status.update


@contextmanager
def progress(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on a terminal; yields a function that is told how many of how many are done."""
    if not sys.stderr.isatty():
        yield lambda _, __: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def note(text: str) -> None:
    """Print a line that is not a result."""
    sys.stdout.flush()
    print(text, file=sys.stderr)


def written(lines: Sequence[Line], head: str, *, dry_run: bool) -> None:
    """Say what a write did, or would do, line by line, and the head hash to note down."""
    if not lines:
        note(f"nothing to change; head {head}")
        return
    for line in lines[:20] if not dry_run else lines:
        note(f"{'would write' if dry_run else 'wrote'} {describe(line)}")
    if len(lines) > 20 and not dry_run:
        note(f"… and {len(lines) - 20} more lines")
    note(f"{'nothing was written; the head would be' if dry_run else 'head'} {head}")


LINE_COLUMNS = (
    Column(key="seq", title="seq", right=True),
    Column(key="date", title="date"),
    Column(key="action", title="action"),
    Column(key="what", title="what"),
    Column(key="actor", title="actor"),
    Column(key="reason", title="reason"),
)


def log_lines(found: Iterable[Line], form: str) -> None:
    """Print lines of the change log in a format."""
    if form == "jsonl":
        for line in found:
            print(to_json(values(line)))
    elif form == "json":
        as_json([as_data(line) for line in found])
    else:
        table(({**as_data(line), "date": line.at[:10], "what": _what(line)} for line in found), LINE_COLUMNS)


def _what(line: Line) -> str:
    if line.new_rank is not None:
        old = "unranked" if line.old_rank is None else line.old_rank
        return f"{line.model}: {old} → {line.new_rank} ({line.low}–{line.high})"
    fact: Any = as_data(line).get("after") or as_data(line).get("before")
    key = key_of(line.action.split(".")[0], fact) if "." in line.action else (fact["type"],)
    if line.action.endswith(".edit"):
        return f"{' '.join(part for part in key if part)}: {_changed(as_data(line)['before'], fact)}"
    return " ".join(part for part in key if part) or f"{fact['release']} {fact['label']} = {fact['value']}"


def _changed(before: Any, after: Any) -> str:
    """Return which values of a fact an edit changed, from what to what; long texts are cut."""
    names = [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]
    return ", ".join(f"{name} {_cut(before.get(name))} → {_cut(after.get(name))}" for name in names)


def _cut(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text if len(text) <= 24 else f"{text[:23]}…"


def describe(line: Line) -> str:
    """Return one line of the change log in words."""
    return f"{line.seq} {line.action} {_what(line)}"
