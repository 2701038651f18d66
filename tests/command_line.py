"""The command line, run inside the process of the tests."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest import mock

from catalog import snapshot
from catalog.commands.main import main
from catalog.connection import reading
from catalog.log.facts import RANK_COLUMNS
from catalog.store.verify import verify

Rank = tuple[object, ...]
NOW = "2026-11-30T09:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command ended with: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The standard output as JSON."""
        return json.loads(self.out)


def run(url: str, command: str, *more: str, stdin: bytes = b"", **environment: str) -> Said:
    """Run a command on a catalog; the clock stands at NOW unless the environment says otherwise.

    Args:
        command: words as a shell would split them.
        more: further words, taken as they are.
        environment: variables for this run.
    """
    out, err = io.StringIO(), io.StringIO()
    words = ["--db", url, *shlex.split(command), *more]
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(err))
        stack.enter_context(mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))))
        stack.enter_context(mock.patch.dict(os.environ, {"CATALOG_NOW": NOW, "CATALOG_ACTOR": "ann", **environment}))
        try:
            main(words)
        except SystemExit as ended:
            return Said(code=int(ended.code or 0), out=out.getvalue(), err=err.getvalue())
    raise AssertionError("the command line ended without an exit code")


def ok(url: str, command: str, *more: str, **options: Any) -> Said:
    """Run a command that must succeed."""
    said = run(url, command, *more, **options)
    assert said.code == 0, said
    return said


def head(url: str) -> str:
    """Return the hash of the last line of a catalog's log."""
    return snapshot.load(url).head


def findings(url: str) -> tuple[str, ...]:
    """Return what verification finds wrong with a catalog."""
    with reading(url) as reader:
        return verify(reader).findings


def ranks(url: str) -> dict[str, Rank]:
    """Return the locked columns of every model of a catalog, by slug."""
    models = snapshot.load(url).models
    return {slug: tuple(getattr(model, column) for column in RANK_COLUMNS) for slug, model in models.items()}
