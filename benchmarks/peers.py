"""Lossless formats of others and the tokens they take; a script for the environment that holds them.

benchmarks.crush runs it with the Python named by --peers. It reads a folder of payloads, each a JSON file of a value
and of texts already written for it, and prints one JSON line for every text. It needs nothing but what it finds.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

VOCABULARIES = ("o200k_base", "cl100k_base", "llama3", "qwen3")
"""As quicktok-v1 names them; it brings all four along."""
Counters = Mapping[str, Callable[[str], int]]
Peer = tuple[Callable[[Any], str], Callable[[str], Any]]


def main(folder: Path) -> None:
    """Print what was found installed, then a line for every text of every payload."""
    found, missing = installed()
    with contextlib.redirect_stdout(sys.stderr):  # a peer that prints must not break the lines
        count = counters()
    _say({"vocabularies": list(count), "peers": {name: version(PACKAGES[name]) for name in found}, "missing": missing})
    for path in sorted(folder.glob("*.json")):
        payload = json.loads(path.read_text(encoding="utf-8"))
        for name, text in payload["texts"].items():
            _say({"payload": path.stem, "text": name, "tokens": tokens(count, text)})
        for line in peer_lines(found, payload["value"], count):
            _say({"payload": path.stem, **line})


def peer_lines(peers: Mapping[str, Peer], value: Any, count: Counters) -> Iterator[dict[str, object]]:
    """Yield how many tokens each peer takes, and whether it gives back an equal value."""
    for name, (encode, decode) in peers.items():
        try:
            with contextlib.redirect_stdout(sys.stderr):
                text = encode(deepcopy(value))
                exact = same(decode(text), value)
        except Exception as error:  # a peer may fail on a shape with any error; the others go on
            yield {"text": name, "error": f"{type(error).__name__}: {error}"[:120]}
        else:
            yield {"text": name, "tokens": tokens(count, text), "exact": exact}


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of equal types throughout; the order of keys does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)  # tells -0.0 from 0.0 and finds NaN equal to itself
    return bool(one == other)


def counters() -> Counters:
    """Return a token counter for every vocabulary at hand; none without quicktok-v1."""
    try:
        quicktok = import_module("quicktok")
    except ImportError:
        return {}
    return {name: quicktok.get_encoding(name).count for name in VOCABULARIES}


def tokens(count: Counters, text: str) -> dict[str, int]:
    """Return the tokens of a text in every vocabulary."""
    return {name: counter(text) for name, counter in count.items()}


def installed() -> tuple[dict[str, Peer], list[str]]:
    """Return the peers that can be imported, and the packages of the others."""
    found, missing = {}, []
    for name, make in PEERS.items():
        try:
            found[name] = make()
        except ImportError:
            missing.append(PACKAGES[name])
    return found, missing


def _bpp() -> Peer:
    """Return bpp-format."""
    bpp = import_module("bpp")
    return bpp.dumps, bpp.loads


def _soon() -> Peer:
    """Return soon-format."""
    soon = import_module("soon_format")
    return soon.encode, soon.decode


def _tson() -> Peer:
    """Return tson."""
    tson = import_module("tson")
    return tson.dumps, tson.loads


def _tron() -> Peer:
    """Return tron-python."""
    tron = import_module("tron")
    return tron.stringify, tron.parse


def _toon() -> Peer:
    """Return toon-format, the Python one."""
    toon = import_module("toon_format")
    return toon.encode, toon.decode


def _toons() -> Peer:
    """Return toons, TOON in Rust."""
    toons = import_module("toons")
    return toons.dumps, toons.loads


def _foldback() -> Peer:
    """Return foldback-ai's table of uniform objects; it leaves everything else as JSON."""
    columnar = import_module("foldback.compactors.json_columnar")

    def decode(text: str) -> Any:
        return json.loads(columnar.restore_columnar(text) if columnar.is_columnar(text) else text)

    return lambda value: columnar.compact_json(_minified(value), value), decode


def _agon() -> Peer:
    """Return agon-python's rows; its columns are no format to read a row in."""
    agon = import_module("agon").AGON

    def encode(value: Any) -> str:
        return str(agon.encode(value, format="rows").text)

    return encode, lambda text: agon.decode(text, format="rows")


def _secondwind() -> Peer:
    """Return secondwind, which has no decoder: its certificate is checked, and what it does not write stays JSON."""
    secondwind = import_module("secondwind")
    values: dict[str, Any] = {}

    def encode(value: Any) -> str:
        outcome = secondwind.compress(_minified(value))
        if outcome["kind"] != "compressed":
            text = _minified(value)
        else:
            text = outcome["wire"]
            if not secondwind.verify(text, outcome["certificate"]["hash"]):
                raise ValueError("its certificate does not hold")
        values[text] = value
        return str(text)

    return encode, values.__getitem__


def _minified(value: Any) -> str:
    """Return JSON without spaces, keys in their own order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _say(line: Mapping[str, object]) -> None:
    """Print one JSON line."""
    print(json.dumps(line), flush=True)


PEERS: Mapping[str, Callable[[], Peer]] = {
    "bpp": _bpp,
    "soon": _soon,
    "tson": _tson,
    "tron": _tron,
    "toon": _toon,
    "toons": _toons,
    "foldback": _foldback,
    "agon": _agon,
    "secondwind": _secondwind,
}
PACKAGES: Mapping[str, str] = {
    "bpp": "bpp-format",
    "soon": "soon-format",
    "tson": "tson",
    "tron": "tron-python",
    "toon": "toon-format",
    "toons": "toons",
    "foldback": "foldback-ai",
    "agon": "agon-python",
    "secondwind": "secondwind",
}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
