"""The house keeps its layout: packages, names, docstrings, floors."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOMES = {folder: f"catalog.{folder}" for folder in ("commands", "migrations", "seeds")} | {"catalog": "catalog"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
MODULES = sorted(
    path for folder in (*HOMES, "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py") if path.is_file()
)


def test_packages_equal_the_tree() -> None:
    """Every folder with Python in it is listed in pyproject.toml, and nothing else is."""
    folders = {path.parent for folder in HOMES for path in (ROOT / folder).rglob("*.py")}
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(package_of(folder) for folder in folders)


def test_every_package_has_an_init() -> None:
    """A folder without __init__.py would be missing from wheels."""
    folders = {path.parent for folder in HOMES for path in (ROOT / folder).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_every_file_of_the_package_folders_is_shipped() -> None:
    """Data files match a package-data pattern of the package they stand in."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    files = {path for folder in HOMES for path in (ROOT / folder).rglob("*") if path.is_file()}
    files = {path for path in files if path.suffix not in (".py", ".pyc")}
    shipped = {
        path for package, globs in patterns.items() for glob in globs for path in (ROOT / folder_of(package)).glob(glob)
    }
    assert sorted(files - shipped) == []


@pytest.mark.parametrize("word", ["utils", "helpers", "common", "misc", "manager"])
def test_no_module_has_an_empty_name(word: str) -> None:
    """A module's name says what it is for."""
    names = {part.lower() for path in MODULES for part in path.relative_to(ROOT).with_suffix("").parts}
    words = {piece.rstrip("s") for name in names for piece in name.split("_")}
    assert word.rstrip("s") not in words


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_says_what_it_is_for(path: Path) -> None:
    """The first line of a module's docstring is a sentence."""
    first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    assert first.endswith((".", "?", ":")), f"{path.relative_to(ROOT)} opens with {first!r}"


def test_nothing_is_left_to_do() -> None:
    """No tracked file holds a marker of unfinished work."""
    marker = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    found = [path for path in tracked() if path.suffix not in (".json", ".jsonl") and marker.search(text_of(path))]
    assert [path.relative_to(ROOT).as_posix() for path in found] == []


def test_commands_are_imported_by_nobody_but_themselves() -> None:
    """Code says catalog.commands, and nothing in catalog/ or migrations/ imports it: the linter sees only the tree."""
    for path in MODULES:
        names = set(imports(path))
        below = path.relative_to(ROOT).parts[0] in ("catalog", "migrations")
        wrong = {name for name in names if re.match(r"commands\b" + (r"|catalog\.commands\b" if below else ""), name)}
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def package_of(folder: Path) -> str:
    """Return the name a folder of the tree is imported under."""
    top, *rest = folder.relative_to(ROOT).parts
    return ".".join([HOMES[top], *rest])


def folder_of(package: str) -> Path:
    """Return the folder of the tree that holds a package."""
    mapped: dict[str, str] = PROJECT["tool"]["setuptools"]["package-dir"]
    return Path(mapped.get(package, package.replace(".", "/")))


def imports(path: Path) -> Iterator[str]:
    """Yield every absolute name a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def tracked() -> list[Path]:
    """Return the files git would commit; every file where the tree is not a checkout."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    names = listed.stdout.split("\0") if listed.returncode == 0 else [p.relative_to(ROOT).as_posix() for p in MODULES]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def text_of(path: Path) -> str:
    """Return a file's text, empty for binary files."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
