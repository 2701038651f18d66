"""How few tokens crushed code takes, beside repomix and the predecessor, and whether it still parses.

Run: python -m benchmarks.code [--peers PYTHON] [--cache DIR] [--files N]. PYTHON is that of an environment with
quicktok-v1, which counts the tokens. DIR keeps the packages that sources are read from; nothing of them is in the tree.
Needs the extra "code", npm and node. Every figure is of this one run. Exit 1 when a bound is missed.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from zipfile import ZipFile

from benchmarks import packages
from benchmarks.crush import counted
from benchmarks.packages import UNREADABLE, reason
from catalog.crusher import crush_code
from catalog.crusher.code.languages import LANGUAGES

RXJS, ZOD, GRAPHILE = "rxjs@7.8.2", "zod@4.6.7", "graphile-worker@0.17.3"
REQUESTS, LITELLM, SQLGLOT = "requests==2.34.2", "litellm==1.110.2", "sqlglot==30.30.0"
PEERS = ("repomix@1.14.0", "@memberjunction/context-crush@5.51.3")
O200K = "o200k_base"
BOUND_KEPT = 0.55
"""Share of its tokens that a TypeScript or Python file may keep, in five of the six."""
BOUND_ROUTINES = 0.35
"""The same of the migrations of graphile-worker, which are mostly routines."""
BOUND_MS: Mapping[str, float] = {"typescript": 6, "python": 6, "sql": 30}
"""Milliseconds of processor time for 20 KB, in the mean of the files."""
ROUNDS = 25
"""Of all files in turn: what else the machine does then does not fall on one of them."""
FILES = 1_200
LEAST_FILES = 1_000
"""Files of installed packages that are crushed to see that they parse, and the least of them."""


def main() -> None:
    """Measure and print; end in 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="Python with quicktok-v1.")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="Folder that keeps fetched packages.")
    parser.add_argument("--files", metavar="N", type=int, default=FILES, help="Files to parse.  [default: 1200]")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        cache = (chosen.cache or Path(name) / "packages").absolute()
        found, missing = sources(cache)
        missed = kept(found, chosen.peers, cache, Path(name)) + times(found) + growth() + parses(cache, chosen.files)
        for file, why in missing.items():
            missed.append(f"{file}: not measured, {why}")
    print("\n" + "\n".join(["every bound is kept"] if not missed else ["missed:", *missed]))
    sys.exit(1 if missed else 0)


def sources(cache: Path) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Return language and source by file, and why others are missing."""
    kinds: dict[str, Callable[[], tuple[str, str]]] = {
        "Observable.ts": lambda: ("typescript", _from_npm(cache, RXJS, "package/src/internal/Observable.ts")),
        "ajax.ts": lambda: ("typescript", _from_npm(cache, RXJS, "package/src/internal/ajax/ajax.ts")),
        "to-json-schema.ts": lambda: ("typescript", _from_npm(cache, ZOD, "package/src/v4/core/to-json-schema.ts")),
        "schemas.ts": lambda: ("typescript", _from_npm(cache, ZOD, "package/src/v4/core/schemas.ts")),
        "models.py": lambda: ("python", _from_wheel(cache, REQUESTS, "requests/models.py")),
        "cooldown_handlers.py": lambda: (
            "python",
            _from_wheel(cache, LITELLM, "litellm/router_utils/cooldown_handlers.py"),
        ),
        "graphile.sql": lambda: ("postgres", _migrations(cache)),
        "procedures.sql": lambda: ("tsql", _procedures(cache)),
        "tpc-h.sql": lambda: ("ansi", _from_source(cache, SQLGLOT, "tests/fixtures/optimizer/tpc-h/tpc-h.sql")),
    }
    found, missing = {}, {}
    for name, read in kinds.items():
        try:
            found[name] = read()
        except UNREADABLE as error:
            missing[name] = reason(error)
    return found, missing


def _from_npm(cache: Path, package: str, name: str) -> str:
    with tarfile.open(packages.tarball(cache, package)) as archive:
        return str(packages.opened(archive, name).read().decode())


def _from_wheel(cache: Path, requirement: str, name: str) -> str:
    with ZipFile(packages.wheel(cache, requirement)) as archive:
        return archive.read(name).decode()


def _from_source(cache: Path, requirement: str, name: str) -> str:
    with tarfile.open(packages.source(cache, requirement)) as archive:
        inside = next(member for member in archive.getnames() if member.partition("/")[2] == name)
        return str(packages.opened(archive, inside).read().decode())


def _migrations(cache: Path) -> str:
    """Return all migrations of graphile-worker, one after the other."""
    with tarfile.open(packages.tarball(cache, GRAPHILE)) as archive:
        names = sorted(name for name in archive.getnames() if name.startswith("package/sql/") and name.endswith(".sql"))
        return "".join(packages.opened(archive, name).read().decode() + "\n" for name in names)


def _procedures(cache: Path) -> str:
    """Return the procedures in the T-SQL tests of sqlglot, as a script of batches."""
    tree = ast.parse(_from_source(cache, SQLGLOT, "tests/dialects/test_tsql.py"))
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return "\nGO\n".join(sorted(text for text in texts if "PROC" in text and text.count("\n") > 3))


def kept(found: Mapping[str, tuple[str, str]], python: str, cache: Path, folder: Path) -> list[str]:
    """Print the share of its tokens that each file keeps, ours and the peers'; return the bounds missed."""
    texts: dict[str, str] = {}
    for name, (language, source) in found.items():
        texts |= {
            f"{name} source": source,
            f"{name} ours": crush_code(source, language).text,
            f"{name} without comments": crush_code(source, language, drop_comments=True).text,
        }
    texts |= _peers(found, cache, folder)
    _, *lines = counted(python, {"code": {"value": None, "texts": texts}}, folder / "code")
    taken = {line["text"]: line["tokens"][O200K] for line in lines if line["text"] in texts}
    columns = ("ours", "without comments", "repomix", "predecessor")
    print(f"{'o200k tokens, share kept':24}{'source':>9}" + "".join(f"{column:>18}" for column in columns))
    shares: dict[str, float] = {}
    for name in found:
        whole = taken[f"{name} source"]
        shares[name] = taken[f"{name} ours"] / whole
        shown = [f"{taken[f'{name} {own}'] / whole:.3f}" if f"{name} {own}" in taken else "-" for own in columns]
        print(f"{name:24}{whole:>9,}" + "".join(f"{cell:>18}" for cell in shown))
    few = [
        name
        for name, (language, _) in found.items()
        if language in ("typescript", "python") and shares[name] <= BOUND_KEPT
    ]
    missed = [] if len(few) >= 5 else [f"only {len(few)} of 6 files keep at most {BOUND_KEPT}"]
    if shares.get("graphile.sql", 0) > BOUND_ROUTINES:
        missed.append(f"graphile.sql keeps {shares['graphile.sql']:.3f}, bound {BOUND_ROUTINES}")
    if shares.get("procedures.sql", 0) >= 1:
        missed.append("procedures.sql is not reduced")
    return missed


def _peers(found: Mapping[str, tuple[str, str]], cache: Path, folder: Path) -> dict[str, str]:
    """Return what repomix --compress and the predecessor make of the files; without npm and node nothing."""
    try:
        installed = packages.modules(cache, "code-peers", PEERS)
        written = folder / "sources"
        written.mkdir()
        for name, (_, source) in found.items():
            (written / name).write_text(source, encoding="utf-8")
        packed = folder / "packed.json"
        program = str(installed / "repomix/bin/repomix.cjs")
        packages.run(["node", program, "--compress", "--style", "json", "-o", str(packed), "."], written)
        compressed = json.loads(packed.read_text(encoding="utf-8"))["files"]
        module = (installed / "@memberjunction/context-crush/dist/code/index.js").as_uri()
        script = _PREDECESSOR.replace("MODULE", module)
        crushed = json.loads(packages.run(["node", "--input-type=module", "-e", script], written))
    except UNREADABLE as error:
        print(f"peers: not measured, {reason(error)}")
        return {}
    return {f"{name} repomix": text for name, text in compressed.items() if name in found} | {
        f"{name} predecessor": text for name, text in crushed.items()
    }


_PREDECESSOR = """
import { readdirSync, readFileSync } from "fs";
import { CrushCode } from "MODULE";
const crushed = {};
for (const name of readdirSync(".")) {
  const language = name.endsWith(".ts") ? "typescript" : name.endsWith(".sql") ? "sql" : "";
  if (language) crushed[name] = CrushCode(readFileSync(name, "utf-8"), language).Text;
}
console.log(JSON.stringify(crushed));
"""


def times(found: Mapping[str, tuple[str, str]]) -> list[str]:
    """Print the processor time that each file takes, and the means by language; return the bounds missed."""
    print(f"\nmilliseconds of processor time for 20 KB, best of {ROUNDS} rounds")
    taken: dict[str, list[float]] = {"typescript": [], "python": [], "sql": []}
    rounds = [{name: _seconds(source, language) for name, (language, source) in found.items()} for _ in range(ROUNDS)]
    for name, (language, source) in found.items():
        best = min(seconds[name] for seconds in rounds) * 1000 / (len(source) / 20_000)
        taken[language if language in taken else "sql"].append(best)
        print(f"  {name:24}{best:>6.1f}")
    missed = []
    for language, own in taken.items():
        mean = fmean(own) if own else 0.0
        print(f"  mean of {language:16}{mean:>6.1f}  ≤ {BOUND_MS[language]:g}")
        if mean > BOUND_MS[language]:
            missed.append(f"{language}: {mean:.1f} ms for 20 KB, bound {BOUND_MS[language]:g}")
    return missed


def _seconds(source: str, language: str) -> float:
    started = time.process_time()
    crush_code(source, language)
    return time.process_time() - started


GROWING: Sequence[tuple[str, str, int]] = (
    ("tsql", "/*\nGO\n*/\n", 4_000),
    ("oracle", "/*\n/\n*/\n", 4_000),
    ("mysql", "/* a /* b */ SELECT 1;\n", 4_000),
    ("tsql", "CREATE FUNCTION f() RETURNS TABLE AS RETURN (SELECT 1 AS a, 2 AS b);\n", 2_000),
    ("sql", "SELECT 1 /* \n", 8_000),
    ("mysql", "DELIMITER $$\nSELECT 1$$\nDELIMITER ;\n", 3_000),
    ("postgres", "a IN (1, ", 4_000),
    ("sql", "x $a{}$\n", 4_000),
    ("python", "def f{}():\n    a = 1\n    b = 2\n    c = 3\n    return a\n", 2_000),
    ("typescript", "function f{}() {\n  a();\n  b();\n  c();\n", 600),
)
"""Language, what a source repeats, and how often: what made a reader of code go over all of it again and again."""
BOUND_GROWTH = 8.0
"""Times as long that four times as much may take: linear is four, the square is sixteen."""


def growth() -> list[str]:
    """Print how much longer four times as much takes; return the bounds missed."""
    print("\ntimes as long for four times as much, and seconds")
    missed = []
    for language, piece, count in GROWING:
        long, short = (
            min(_seconds("".join(piece.replace("{}", str(n)) for n in range(own)), language) for _ in range(3))
            for own in (count, count // 4)
        )
        grown = long / max(short, 0.001)
        print(f"  {language:12}{piece[:30]!r:36}{grown:>6.1f}{long:>8.2f}")
        if grown > BOUND_GROWTH and long > 0.1:
            missed.append(f"{language} {piece[:30]!r}: {grown:.1f} times as long for four times as much")
    return missed


def parses(cache: Path, count: int) -> list[str]:
    """Crush files of installed packages; print how many have more errors than before; return it if there are any."""
    warnings.simplefilter("ignore")
    done, crushed, worse = 0, 0, []
    for file, language in _installed(cache, count):
        try:
            source = file.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        result = crush_code(source, language)
        done += 1
        crushed += result.crushed
        if result.crushed and _errors(result.text, language) > _errors(source, language):
            worse.append(str(file))
    print(f"\n{done:,} files of installed packages, {crushed:,} crushed, {len(worse)} with new syntax errors")
    few = [f"only {done:,} files were crushed, bound {LEAST_FILES:,}"] if done < LEAST_FILES else []
    return few + [f"{file} has new syntax errors" for file in worse]


def _installed(cache: Path, count: int) -> Iterator[tuple[Path, str]]:
    """Yield files of Python packages in this environment and of the npm packages of the peers, half and half."""
    python = sorted(Path(sys.prefix).glob("lib/python*/site-packages/**/*.py"))
    try:
        modules = packages.modules(cache, "code-peers", PEERS)
    except UNREADABLE as error:
        print(f"npm packages: not crushed, {reason(error)}")
        node = []
    else:
        node = sorted(path for kind in ("ts", "js") for path in modules.glob(f"**/*.{kind}"))
    for found, language in ((python, "python"), (node, "typescript")):
        for path in [path for path in found if path.is_file()][:: max(1, len(found) // (count // 2))]:
            yield path, language


def _errors(source: str, language: str) -> int:
    """Return the errors that a parser of its own meets."""
    if language == "python":
        try:
            ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return 1
        return 0
    return LANGUAGES[language].outline(source).errors


if __name__ == "__main__":
    main()
