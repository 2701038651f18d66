"""How few tokens a crushed value takes, beside the lossless formats of others, and how long crushing takes.

Run: python -m benchmarks.crush [--peers PYTHON] [--cache DIR] [--quick]. PYTHON is that of an environment with
quicktok-v1, which counts the tokens, and with any of bpp-format, soon-format, tson, tron-python, toon-format, toons,
foldback-ai, agon-python and secondwind; without it this environment is searched for them. DIR keeps the packages that
real payloads are read from. Every figure is of this one run. Exit 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from benchmarks import peers
from benchmarks.fetched import fetched, prices
from benchmarks.packages import UNREADABLE, reason
from benchmarks.payloads import GOAL_KINDS, WORDS, generated
from catalog.crusher import crush_json, describe_crush, uncrush
from catalog.crusher.options import Layout, Level

LEVELS: tuple[Level, ...] = get_args(Level)
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
WRAPPED, DESCRIPTION = "json layout", "description"
OWN = (*LEVELS, WRAPPED, DESCRIPTION)
O200K = "o200k_base"
BOUND_GENERATED: Mapping[str, float] = {"plain": 0.74, "standard": 0.50}
BOUND_REAL: Mapping[str, float] = {"standard": 0.69}
"""Mean tokens as a share of minified JSON's, o200k; on the eleven kinds the goals were set on, and on the real ones."""
BOUND_VOCABULARY: Mapping[str, float] = {"cl100k_base": 0.03, "llama3": 0.03, "qwen3": 0.04}
"""How far the mean of the payloads with goals may lie above o200k's: a gain must not be an artefact of one vocabulary.

qwen3 splits every digit: of any form that leaves numbers as they are and saves a quarter elsewhere, the mean lies three
points above; and JSON's own signs are cheaper there.
"""
BOUND_SPEED: Mapping[str, float] = {"plain": 150, "standard": 300, "decode": 200}
"""Milliseconds per MB of minified JSON."""
BOUND_DESCRIPTION = 60
"""Tokens of a description, o200k."""
BOUND_SMALL = 2
"""Tokens by which a small value may come out longer than its JSON: without a vocabulary they can only be estimated."""
BOUND_BUDGET = 300
"""Milliseconds to crush 16,000 narrow rows into 20,000 characters."""
SHAPES = ("schemas", "pods", "transcript", "test_report", "file_tree")
"""Generated payloads whose time is shown."""
BOUND_GROWTH = 1.5
"""Time per MB at twenty times the size, as a multiple: linear, but what is read no longer fits the cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one text of one payload takes: tokens by vocabulary, whether it decodes to an equal value, or an error."""

    tokens: Mapping[str, int]
    exact: bool
    error: str


Table = Mapping[str, Mapping[str, Measured]]
"""By payload, then by the text's name: json, a level of ours, or a peer."""


def main() -> None:
    """Measure and print; end in 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--peers", metavar="PYTHON", default=sys.executable, help="Python of an environment with peers."
    )
    parser.add_argument("--cache", metavar="DIR", type=Path, help="Folder that keeps fetched packages.")
    parser.add_argument("--quick", action="store_true", help="Generated payloads only, and no times.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        cache = (chosen.cache or Path(name) / "packages").absolute()
        made = generated()
        real, missing = ({}, {}) if chosen.quick else fetched(cache)
        missed = round_trips(made | real)
        table = measured(chosen.peers, made | real, Path(name))
        missed += sizes("generated payloads", {payload: table[payload] for payload in made})
        if real:
            missed += sizes("real payloads", {payload: table[payload] for payload in real})
        missed += small_values(chosen.peers, made | real, Path(name))
        missed += means(table, list(real)) + vocabularies({name: table[name] for name in (*GOAL_KINDS, *real)})
        for payload, why in missing.items():
            print(f"{payload}: not measured, {why}")
        if not chosen.quick:
            missed += speed(cache)
            shapes(made)
    print("\n" + "\n".join(["every bound is kept"] if not missed else ["missed:", *missed]))
    sys.exit(1 if missed else 0)


def round_trips(values: Mapping[str, object]) -> list[str]:
    """Crush every payload in every level and layout; return those that do not come back equal."""
    missed = []
    for payload, value in values.items():
        for level, layout in product(LEVELS, LAYOUTS):
            if not peers.same(uncrush(crush_json(value, level=level, layout=layout).text), value):
                missed.append(f"{payload}: {level} in layout {layout} does not decode to an equal value")
    counts = f"{len(values)} payloads, {len(LEVELS)} levels, {len(LAYOUTS)} layouts"
    print(f"{counts}: {len(missed)} not equal after decoding")
    return missed


def measured(python: str, values: Mapping[str, object], folder: Path) -> Table:
    """Return what each payload takes as JSON, crushed and in the peers' formats, all counted by one process."""
    jobs = {}
    for payload, value in values.items():
        texts = _texts(value)
        texts[DESCRIPTION] = describe_crush(crush_json(value))
        jobs[payload] = {"value": value, "texts": texts}
    head, *lines = counted(python, jobs, folder / "payloads")
    if not head["vocabularies"]:
        sys.exit("no tokenizer: install quicktok-v1 in an environment and name its python with --peers")
    print("peers: " + ", ".join(f"{name} {version}" for name, version in head["peers"].items()))
    print("not installed: " + (", ".join(head["missing"]) or "none") + "; secondwind is exact by its own certificate\n")
    table: dict[str, dict[str, Measured]] = {payload: {} for payload in values}
    for line in lines:
        found = Measured(tokens=line.get("tokens", {}), exact=line.get("exact", True), error=line.get("error", ""))
        table[line["payload"]][line["text"]] = found
    return table


def _texts(value: object) -> dict[str, str]:
    """Return a value as JSON, in each level, and in the json layout."""
    crushed: dict[str, str] = {level: crush_json(value, level=level).text for level in LEVELS}
    return {"json": minified(value), **crushed, WRAPPED: crush_json(value, layout="json").text}


def counted(python: str, jobs: Mapping[str, object], folder: Path) -> list[dict[str, Any]]:
    """Return the lines that the process with the peers prints of some jobs: payload → its value and texts."""
    folder.mkdir()
    for payload, job in jobs.items():
        (folder / f"{payload}.json").write_text(json.dumps(job), encoding="utf-8")
    command = [python, "-I", peers.__file__, str(folder)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"the process with the peers failed: {ended.stderr.strip().splitlines()[-1]}")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def small_values(python: str, values: Mapping[str, object], folder: Path) -> list[str]:
    """Print whether what is small comes out longer than its JSON: parts of payloads; return the bound if missed."""
    parts = [part for value in values.values() for part in sample(small_parts(value), 40)]
    texts = {f"{number} {name}": text for number, part in enumerate(parts) for name, text in _texts(part).items()}
    _, *lines = counted(python, {"small": {"value": None, "texts": texts}}, folder / "small")
    taken = {line["text"]: line["tokens"][O200K] for line in lines if line["text"] in texts}
    missed = []
    for name in (*LEVELS, WRAPPED):
        more = [taken[f"{number} {name}"] - taken[f"{number} json"] for number in range(len(parts))]
        longer = sum(one > 0 for one in more)
        share_of_all = 1 + sum(more) / sum(taken[f"{number} json"] for number in range(len(parts)))
        print(
            f"{len(parts)} small values, {name}: {share_of_all:.3f}, {longer} longer than JSON,"
            f" by {max(more)} tokens at most  ≤ {BOUND_SMALL}"
        )
        missed += [f"a small value takes {max(more)} more tokens, {name}"] if max(more) > BOUND_SMALL else []
    print()
    return missed


def small_parts(value: object) -> Iterator[object]:
    """Yield the objects and lists in a value that take 20 to 400 characters."""
    if isinstance(value, dict | list):
        if 20 <= len(minified(value)) <= 400:
            yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from small_parts(inner)


def sample(found: Iterable[object], count: int) -> list[object]:
    """Return so many of what was found, evenly apart."""
    items = list(found)
    return items[:: max(1, len(items) // count)]


def sizes(title: str, table: Table) -> list[str]:
    """Print each payload's tokens, ours and the peers' as shares of minified JSON; return the bounds missed."""
    names = [name for name in next(iter(table.values())) if name not in ("json", *OWN)]
    print(f"{title}, o200k tokens and shares of minified JSON (* decodes to another value, - fails)")
    print(f"{'':16}{'json':>8}" + "".join(f"{name:>11}" for name in [*LEVELS, "best peer", *names]))
    missed = []
    for payload, row in table.items():
        best = best_peer(row)
        shown = [f"{share(row, level):.3f}" for level in LEVELS] + [f"{best / whole(row):.3f}"]
        shown += [_cell(row, name) for name in names]
        print(f"{payload:16}{whole(row):>8,}" + "".join(f"{cell:>11}" for cell in shown), flush=True)
        missed += [f"{payload}: {level} is longer than JSON" for level in (*LEVELS, WRAPPED) if share(row, level) > 1]
        if row[DESCRIPTION].tokens[O200K] > BOUND_DESCRIPTION:
            missed.append(f"{payload}: the description takes {row[DESCRIPTION].tokens[O200K]} tokens")
        ours = row["standard"].tokens[O200K]
        if ours > max(best * 1.01, best + 1):
            missed.append(f"{payload}: standard takes {ours:,} tokens, the best peer {best:,}")
    average = [fmean(share(row, level) for row in table.values()) for level in LEVELS]
    average.append(fmean(best_peer(row) / whole(row) for row in table.values()))
    wrapped = fmean(share(row, WRAPPED) for row in table.values())
    print(f"{'mean':24}" + "".join(f"{value:>11.3f}" for value in average))
    print(f"mean of the json layout, standard: {wrapped:.3f}")
    for payload, row in table.items():
        for name, found in row.items():
            print(f"{payload}: {name} fails, {found.error}\n" if found.error else "", end="")
    print()
    return missed


def _cell(row: Mapping[str, Measured], name: str) -> str:
    """Return a peer's share as it is printed."""
    if row[name].error:
        return "- "
    return f"{share(row, name):.3f}{' ' if row[name].exact else '*'}"


def means(table: Table, real: Iterable[str]) -> list[str]:
    """Print the means that have a bound; return the bounds missed."""
    groups = [("generated", GOAL_KINDS, BOUND_GENERATED), ("real", tuple(real), BOUND_REAL)]
    missed = []
    for kind, payloads, bounds in groups:
        group = f"{len(payloads)} {kind}"
        for level, bound in bounds.items() if payloads else ():
            value = fmean(share(table[payload], level) for payload in payloads)
            print(f"mean of {group:14}{level:10}{value:>6.3f}  ≤ {bound:.2f}")
            if value > bound:
                missed.append(f"mean of {group}: {level} {value:.3f}, bound {bound:.2f}")
    return missed


def vocabularies(table: Table) -> list[str]:
    """Print the means over payloads by vocabulary; return the bounds missed."""
    missed = []
    for level in LEVELS:
        base = fmean(share(row, level) for row in table.values())
        shown = [f"o200k {base:.3f}"]
        for vocabulary, allowed in BOUND_VOCABULARY.items():
            value = fmean(share(row, level, vocabulary) for row in table.values())
            shown.append(f"{vocabulary} {value:.3f} (≤ +{allowed:.2f})")
            if round(value - base, 3) > allowed:
                missed.append(f"mean of {len(table)}: {level} {value:.3f} in {vocabulary}, {base:.3f} in o200k")
        print(f"mean of {len(table)}, {level}: " + ", ".join(shown))
    return missed


def speed(cache: Path) -> list[str]:
    """Print times on the large file and on twenty of it; return the bounds missed."""
    try:
        value = prices(cache)
    except UNREADABLE as error:
        print(f"\nspeed: not measured, {reason(error)}")
        return []
    megabytes = _megabytes(value)
    calls: dict[str, Callable[[], object]] = {level: partial(crush_json, value, level=level) for level in LEVELS}
    crushed = crush_json(value, level="standard").text
    calls["decode"] = partial(uncrush, crushed)
    taken = {name: best_of(call) / megabytes for name, call in calls.items()}
    print(f"\nspeed on {megabytes:.1f} MB of minified JSON, best of 5")
    missed = [_time(name, taken[name], BOUND_SPEED[name], "ms/MB") for name in calls]
    copies = {f"{copy}/{name}": entry for copy in range(20) for name, entry in value.items()}
    growth = best_of(lambda: crush_json(copies, level="standard"), 1) / _megabytes(copies) / taken["standard"]
    missed.append(_time("standard, 20 times the size", growth, BOUND_GROWTH, "times as long per MB"))
    rows = [{"id": number, "amount": number * number % 9973, "kind": f"k{number % 7}"} for number in range(16_000)]
    missed.append(
        _time("16,000 rows into 20,000 characters", best_of(lambda: _within(rows, 20_000)), BOUND_BUDGET, "ms")
    )
    keep = partial(crush_json, rows, max_chars=20_000, keep=lambda row, _: row["kind"] == "k3" and row["id"] > 15_000)
    _time("the same, with rows to keep", best_of(keep), None, "ms")
    wide = [{"id": number, "parts": rows[number * 8 : number * 8 + 8]} for number in range(2_000)]
    _time("2,000 rows of 8, into 20,000 characters", best_of(lambda: _within(wide, 20_000)), None, "ms")
    return [line for line in missed if line]


def shapes(made: Mapping[str, object]) -> None:
    """Print times on other shapes, none of which has a bound: no tables, tables inside tables, long texts."""
    print("\nother shapes, ms/MB once: plain, standard, decode, json layout, into 5,000 characters")
    parts: dict[str, object] = {name: {str(copy): made[name] for copy in range(30)} for name in SHAPES}
    parts["strings alone"] = [f"{number * number} {' '.join(WORDS[number % 40 :])}" for number in range(3_000)]
    parts["mixed list"] = [[number, str(number), {"a": number}, number / 7][number % 4] for number in range(40_000)]
    parts["one string"] = "some words of a text, " * 40_000
    parts["100,000 rows"] = [
        {"at": 1_782_864_000 + number * 7, "level": WORDS[number % 3], "message": f"took {number % 977} ms"}
        for number in range(100_000)
    ]
    for name, value in parts.items():
        crushed = crush_json(value).text
        calls: list[Callable[[], object]] = [
            partial(crush_json, value, level="plain"),
            partial(crush_json, value),
            partial(uncrush, crushed),
            partial(crush_json, value, layout="json"),
            partial(crush_json, value, max_chars=5_000),
        ]
        megabytes = _megabytes(value)
        print(f"  {name:16}{megabytes:>6.1f} MB" + "".join(f"{best_of(call, 1) / megabytes:>9.0f}" for call in calls))


def _within(rows: object, chars: int) -> None:
    """Crush under a budget, and see that it was kept."""
    if len(crush_json(rows, max_chars=chars).text) > chars:
        sys.exit(f"a budget of {chars} characters was not kept")


def _time(what: str, value: float, bound: float | None, unit: str) -> str:
    """Print one figure; return what to say when it is over its bound, else nothing."""
    print(f"  {what:42}{value:>9.1f} {unit}" + ("" if bound is None else f"  ≤ {bound:g}"), flush=True)
    return f"{what}: {value:.1f} {unit}, bound {bound:g}" if bound is not None and value > bound else ""


def best_of(call: Callable[[], object], times: int = 5) -> float:
    """Return the fewest milliseconds of several calls: a neighbour on the same processor only adds."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        call()
        taken.append((time.perf_counter() - started) * 1000)
    return min(taken)


def best_peer(row: Mapping[str, Measured]) -> int:
    """Return the fewest tokens of any peer that decodes to an equal value, or of JSON."""
    others = [found for name, found in row.items() if name not in OWN]
    return min(found.tokens[O200K] for found in others if found.exact and not found.error)


def whole(row: Mapping[str, Measured]) -> int:
    """Return the tokens of minified JSON."""
    return row["json"].tokens[O200K]


def share(row: Mapping[str, Measured], name: str, vocabulary: str = O200K) -> float:
    """Return the tokens of a text as a share of minified JSON's."""
    return row[name].tokens[vocabulary] / row["json"].tokens[vocabulary]


def minified(value: object) -> str:
    """Return canonical JSON: keys by code point, no spaces, characters as they are."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _megabytes(value: object) -> float:
    """Return the size of a value's minified JSON."""
    return len(minified(value).encode()) / 1e6


if __name__ == "__main__":
    main()
