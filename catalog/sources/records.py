"""Records from a file or standard input: CSV, JSON, JSON Lines or YAML, always a list of flat or nested objects."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

from catalog.errors import UsageError
from catalog.sources import texts

_SHAPES = "CSV with a heading, a JSON or YAML list of objects, or one JSON object per line"


def read(source: str) -> list[dict[str, Any]]:
    """Return the records of a file; ``-`` reads standard input.

    Numbers keep their written digits: JSON and YAML floats come back as decimal text.

    Raises:
        UsageError: when the file is missing, not UTF-8, empty, cut off or of another shape.
    """
    name, text = texts.name_of(source), texts.read(source)
    if not text.strip():
        raise UsageError(f"{name} is empty", hint=f"Expected: {_SHAPES}.")
    found = _parse(text, source, name)
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list) or not found or not all(isinstance(row, dict) for row in found):
        raise UsageError(f"{name} holds no list of records", hint=f"Expected: {_SHAPES}.")
    return found


def _parse(text: str, source: str, name: str) -> Any:
    form = Path(source).suffix.lower() if source != "-" else _looks_like(text)
    try:
        if form in (".yaml", ".yml"):
            return _yaml(text)
        if form == ".jsonl":
            return [_json_line(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if form == ".json" or text.lstrip()[:1] in "[{":
            return _json(text)
        return _csv(text)
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply", hint=f"Expected: {_SHAPES}.") from None
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{name} is damaged or cut off: {error}", hint=f"Expected: {_SHAPES}.") from None


def _looks_like(text: str) -> str:
    """Return the suffix a text without a name would have: what its first line and its last one show."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    first = lines[0] if lines else ""
    if first[:1] in "[{":
        return ".jsonl" if len(lines) > 1 and all(line[:1] == "{" for line in lines[1:]) else ".json"
    return ".yaml" if re.match(r"---|- |-$|[A-Za-z_]+:( |$)", first) else ".csv"


def _json(text: str) -> Any:
    return json.loads(text, parse_float=str, parse_constant=_no_constant, object_pairs_hook=_unique)


def _json_line(line: str, number: int) -> Any:
    try:
        return _json(line)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number")


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one record")
        found[key] = value
    return found


def _csv(text: str) -> list[dict[str, Any]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows = list(reader)
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"line {number} has another number of columns than the heading")
    return rows


def _yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Reads dates and decimals as the text they are written in, and refuses a key that stands twice."""

        def compose_mapping_node(self, anchor: Any) -> Any:
            """Return a mapping whose own keys differ; a merged one may be overridden."""
            node = super().compose_mapping_node(anchor)
            _unique([(str(key.value), None) for key, _ in node.value if not key.tag.endswith(":merge")])
            return node

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith((":timestamp", ":float"))]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        return yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise ValueError(f"{problem or str(error).splitlines()[0]}{where}") from None
