"""How long the commands take: whole processes, large catalogs, a million log lines.

Run: python -m benchmarks.speed [--quick]. Ratios and medians are taken within one run. A figure of milliseconds is the
best of several medians: a neighbour on the same processor doubles the others, and the worst is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import pty
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from catalog import snapshot
from catalog.connection import reading
from catalog.log.line import COLUMNS, Line, digest, from_row, values
from catalog.store import migrate, seeding
from catalog.store.book import Book

NOW = "2026-11-30T00:00:00Z"


def main() -> None:
    """Measure everything and print one line per figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="A tenth of the sizes.")
    scale = 10 if parser.parse_args().quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["CATALOG_DATABASE_URL"] = str(folder / "seeded.db")
        os.environ["CATALOG_NOW"] = NOW
        seeding.create(f"sqlite:///{folder / 'seeded.db'}")
        cold_commands()
        snapshots(folder)
        additions(folder, 10_000 // scale)
        rebases(folder, 10_000 // scale)
        verifications(folder, 1_000_000 // scale)


def cold_commands() -> None:
    """Time whole processes: help, list and show, piped and on a terminal."""
    print("whole process, median of 9")
    select = ["select", "--type", "llm", "--min-power", "300", "--json"]
    for words in (["--help"], ["list", "--json"], ["show", "claude-opus-5", "--json"], select):
        say(f"catalog {' '.join(words)}", timed(lambda words=words: _piped(words), 9), "s", "0.25 (help 0.20)")
    say("catalog list on a terminal", timed(lambda: _on_terminal(["list"]), 9), "s", "0.35")


def snapshots(folder: Path) -> None:
    """Time loading a snapshot of 500 models with an offer and a price each."""
    url = f"sqlite:///{folder / 'five-hundred.db'}"
    with migrate.creating(url) as connection:
        book = _book_with_models(connection, 500, ranked=True)
        for number in range(500):
            offer = {"model": f"m-{number}", "vendor": "v"}
            book.add("offer", {**offer, "status": "active"}, reason="benchmark")
            price = {"unit": "1M tokens", "currency": "USD", "tier": "standard", "processing": "realtime"}
            book.add("price", {**offer, **price, "input": "1", "source": "s", "as_of": NOW[:10]}, reason="benchmark")
    with reading(url) as reader:
        rounds = [timed(lambda: snapshot.read(reader), 41) for _ in range(9)]
    say("snapshot of 500 models, best median of 9 rounds", min(rounds) * 1000, "ms", "5")
    say("snapshot of 500 models, worst median", max(rounds) * 1000, "ms", "")


def additions(folder: Path, many: int) -> None:
    """Time add-model on 100 and on many models, whole process, in turn."""
    seconds: dict[int, list[float]] = {100: [], many: []}
    for count in seconds:
        with migrate.creating(f"sqlite:///{folder / f'add-{count}.db'}") as connection:
            _book_with_models(connection, count, ranked=True)
    for turn in range(7):
        for count, taken in seconds.items():
            words = [
                "--db",
                str(folder / f"add-{count}.db"),
                "add-model",
                f"New {turn}",
                "--type",
                "llm",
                "--developer",
                "V",
            ]
            score = ["--score", f"r@1={40 + turn}.5", "--as-of", "2026-11-01", "--json"]
            taken.append(timed(lambda words=[*words, *score]: _piped(words), 1))
    few, lots = (statistics.median(taken) for taken in seconds.values())
    say("add-model on 100 models", few, "s", "")
    say(f"add-model on {many:,} models", lots, "s", "")
    say("ratio", lots / few, "", "2")


def rebases(folder: Path, count: int) -> None:
    """Time a rebase plan and its application, whole processes."""
    path = folder / "rebase.db"
    with migrate.creating(f"sqlite:///{path}") as connection:
        _book_with_models(connection, count, ranked=False)
    started = time.perf_counter()
    plan = subprocess.run(_command(["--db", str(path), "rebase", "--json"]), capture_output=True, text=True, check=True)
    hashed = plan.stdout.split('"plan": "')[1][:64]
    subprocess.run(
        _command(["--db", str(path), "rebase", "--apply", hashed, "--json"]), capture_output=True, check=True
    )
    say(f"rebase of {count:,} models, plan and apply", time.perf_counter() - started, "s", "10")


def verifications(folder: Path, lines: int) -> None:
    """Time verifying a long log, and compare its peak memory with that of a log of a tenth."""
    peaks = []
    for count in (lines // 10, lines):
        path = folder / f"log-{count}.db"
        _long_log(path, count)
        started = time.perf_counter()
        subprocess.run(_command(["--db", str(path), "audit", "verify"]), capture_output=True, check=True)
        seconds = time.perf_counter() - started
        peaks.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    say(f"verify {lines:,} lines", seconds, "s", "15")
    say("peak memory, a tenth of the lines", peaks[0], "MiB", "")
    say("peak memory, all lines", peaks[1], "MiB", "the same")


def timed(run: Callable[[], object], times: int) -> float:
    """Return the median seconds of several runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def say(what: str, value: float, unit: str, bound: str) -> None:
    """Print one figure and the bound the design gives."""
    print(f"  {what:48} {value:9.3f} {unit:3} {'≤ ' + bound if bound else ''}", flush=True)


def _command(words: list[str]) -> list[str]:
    return [sys.executable, "-m", "catalog.commands.main", *words]


def _piped(words: list[str]) -> None:
    subprocess.run(_command(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def _on_terminal(words: list[str]) -> None:
    parent, child = pty.openpty()
    running = subprocess.Popen(_command(words), stdout=child, stderr=child)
    os.close(child)
    try:
        while os.read(parent, 65536):
            pass
    except OSError:  # Linux reports the closed terminal as an I/O error
        running.wait()
    os.close(parent)


def _book_with_models(connection: object, count: int, *, ranked: bool) -> Book:
    book = Book(connection, actor="benchmark", at=NOW)  # type: ignore[arg-type]
    scale = {"reference": "r@1", "score_low": "0", "score_high": "100", "rank_low": 0, "rank_high": 1000}
    book.add("type", {"slug": "llm", "name": "LLM", "effort_policy": "highest-measured", **scale}, reason="benchmark")
    book.add("vendor", {"slug": "v", "name": "V"}, reason="benchmark")
    release = {
        "index_name": "R",
        "version": "1",
        "publisher": "R",
        "space": "r",
        "direction": "higher",
        "preference": 1,
    }
    bounds = {"minimum": "0", "maximum": "100", "role": "capability"}
    book.add("release", {"key": "r@1", "type": "llm", **release, **bounds}, reason="benchmark")
    for number in range(count):
        slug, value = f"m-{number}", str(round(100 * (number + 1) / (count + 1), 3))
        model = {"slug": slug, "type": "llm", "name": slug, "developer": "v", "status": "active"}
        book.add("model", {**model, "legacy_ordinal": number * 30 // count + 1}, reason="benchmark")
        if ranked or number % 2:
            book.add("alias", {"space": "r", "label": slug, "model": slug, "effort": "max"}, reason="benchmark")
            score = {"release": "r@1", "label": slug, "value": value, "as_of": "2026-10-01", "estimated": 0}
            book.add("score", score, reason="benchmark")
    if ranked:
        from catalog.ranks import ledger

        ledger.apply_rebase(book, ledger.plans(book), reason="benchmark")
    return book


def _long_log(path: Path, count: int) -> None:
    """Fill a catalog with corrections of one hundred models through the guards, as fast as SQLite takes them."""
    with migrate.creating(f"sqlite:///{path}") as connection:
        _book_with_models(connection, 100, ranked=True)
    database = sqlite3.connect(path, isolation_level=None)
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    last = from_row(database.execute(f"SELECT {columns} FROM change_log ORDER BY seq DESC LIMIT 1").fetchone())
    ranks = dict(database.execute("SELECT slug, power_rank FROM model").fetchall())
    database.execute("BEGIN IMMEDIATE")
    database.executemany(
        f"INSERT INTO change_log ({columns}) VALUES ({', '.join('?' * len(COLUMNS))})", _corrections(last, ranks, count)
    )
    database.execute("COMMIT")
    database.close()


def _corrections(last: Line, ranks: dict[str, int], count: int) -> object:
    slugs, head = sorted(ranks), last.hash
    for seq in range(last.seq + 1, count + 1):
        slug = slugs[seq % len(slugs)]
        rank = 1 + seq % 900
        line = Line(
            seq=seq, at=NOW, actor="benchmark", action="correction", model=slug, old_rank=ranks[slug], new_rank=rank,
            low=1, high=1000, source="R", index_version="1", as_of="2026-10-01", after='{"flags":["manual"]}',
            reason="benchmark", method="manual", tool_version="0", prev_hash=head,
        )  # fmt: skip
        row = values(line)
        head, ranks[slug] = digest(row), rank
        yield (*row[:-1], head)


if __name__ == "__main__":
    main()
