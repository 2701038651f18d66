"""catalog prompts: check a folder of prompts, report their tokens, explain a rule, show a type as prompts do."""

from __future__ import annotations

import re
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog import tokens
from catalog.commands import json_files, options, output, plain_text, reports
from catalog.commands.interfaces import types_of
from catalog.commands.output import Column
from catalog.errors import CheckError, UsageError, nearest
from catalog.renderer.checks.checking import Checked, check, fingerprints
from catalog.renderer.checks.estates import Estate, estate
from catalog.renderer.checks.rules import RULES, Finding, Rule, rule
from catalog.renderer.interfaces import interface as shown
from catalog.renderer.placeholders import Registered
from catalog.renderer.report import report, stored
from catalog.tokens import FAMILIES, Tokenizer

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Interfaces = Annotated[
    str | None, typer.Option("--interfaces", metavar="MODULE", help="Module of the types that prompts show.")
]
Placeholders = Annotated[
    list[str] | None, typer.Option("--placeholder", metavar="NAME", help="One that the program registers.")
]
_RULES = (Column(key="code", title="code"), Column(key="severity", title=""), Column(key="name", title="rule"))


@app.callback()
def prompts() -> None:
    """Check a folder of prompts, report tokens, explain rules, show types. Needs no catalog."""


@app.command("check")
def check_prompts(
    root: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder of prompts.")] = Path(),
    interfaces: Interfaces = None,
    placeholder: Placeholders = None,
    evals: Annotated[
        Path | None, typer.Option("--evals", metavar="FILE", help="JSON: eval to the ranks it was run for.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Forgive what stands in this file.")
    ] = None,
    save_baseline: Annotated[
        Path | None, typer.Option("--save-baseline", metavar="FILE", help="Write what is found now, to be forgiven.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Say what breaks a rule, with file, line and column; ends in 4 when there are errors.

    A line is spared by {# check: CODE because REASON #} on it or above it.
    """
    found = _estate(root, interfaces, placeholder)
    checked = check(
        found,
        evals=None if evals is None else _evals(evals),
        baseline=None if baseline is None or save_baseline is not None else _baseline(baseline),
    )
    if save_baseline is not None:
        json_files.write(save_baseline, "--save-baseline", fingerprints(checked.findings, found))
        output.note(f"{save_baseline}: forgives {_many(len(checked.findings), 'finding')} from now on")
        return
    if json:
        output.as_json(_as_data(checked))
    else:
        _print(checked, found)
    if checked.errors:
        raise CheckError(_many(checked.errors, "error"), hint="catalog prompts explain CODE says why, and what to do.")


def _estate(root: Path, interfaces: str | None, placeholders: list[str] | None) -> Estate:
    registered = {name: Registered(value="") for name in placeholders or ()}
    return estate(root, interfaces=types_of(interfaces), placeholders=registered)


def _as_data(checked: Checked) -> dict[str, Any]:
    return {
        "findings": [_finding(own) for own in checked.findings],
        "errors": checked.errors,
        "warnings": len(checked.findings) - checked.errors,
        "forgiven": checked.forgiven,
        "suppressed": checked.suppressed,
        "files": checked.files,
    }


def _finding(own: Finding) -> dict[str, Any]:
    return {
        "code": own.rule.code, "severity": own.rule.severity, "file": own.place.file, "line": own.place.line,
        "column": own.place.column, "message": own.message, "hint": own.hint, "rule": own.rule.name,
    }  # fmt: skip


def _print(checked: Checked, found: Estate) -> None:
    for own in checked.findings:
        output.say(f"{own.place}: {own.rule.severity} {own.rule.code}: {own.message}")
        if own.hint:
            output.say(f"  {own.hint}")
    warnings = len(checked.findings) - checked.errors
    beside = [f"{checked.forgiven:,} forgiven"] * bool(checked.forgiven)
    beside += [f"{checked.suppressed:,} suppressed"] * bool(checked.suppressed)
    counts = ", ".join([_many(checked.errors, "error"), _many(warnings, "warning"), *beside])
    output.note(f"{_many(checked.files, 'file')}, {_many(len(found.programs), 'prompt')}: {counts}")


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _evals(file: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = json_files.read(file, "--evals", '{"SUITE/CASE": [RANK, …]}', _are_ranks)
    return found


def _are_ranks(found: Any) -> bool:
    lists = found.values() if isinstance(found, dict) else [None]
    return all(isinstance(own, list) and all(type(rank) is int for rank in own) for own in lists)


_FINGERPRINT = re.compile(r"P\d{3} .+ [0-9a-f]{12}", re.DOTALL)
"""What a finding is known by in a baseline: code, file, and hash of the line."""


def _baseline(file: Path) -> dict[str, int]:
    found: dict[str, int] = json_files.read(file, "--baseline", "what --save-baseline wrote", _are_counts)
    return found


def _are_counts(found: Any) -> bool:
    is_known = isinstance(found, dict) and all(map(_FINGERPRINT.fullmatch, found))
    return is_known and all(type(own) is int and own >= 0 for own in found.values())


@app.command("report")
def report_prompts(
    root: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder of prompts.")] = Path(),
    interfaces: Interfaces = None,
    placeholder: Placeholders = None,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option("--tokenizer", metavar="NAME", help=f"{', '.join(FAMILIES)} or estimate; again for more."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FILE", help="JSON: samples of data by prompt; else it is empty.")
    ] = None,
    save: Annotated[Path | None, typer.Option("--save", metavar="FILE", help="Keep this report.")] = None,
    against: Annotated[Path | None, typer.Option("--against", metavar="FILE", help="Compare with a kept one.")] = None,
    json: options.Json = False,
) -> None:
    """Say how many tokens the system prompts take, per interval of ranks, and because of which section."""
    made = report(
        _estate(root, interfaces, placeholder),
        [_tokenizer(name) for name in dict.fromkeys(tokenizer or ("",))],
        samples={} if data is None else _samples(data),
        against=None if against is None else reports.kept(against),
    )
    if save is not None:
        json_files.write(save, "--save", stored(made))
    if json:
        output.as_json(reports.as_data(made))
    else:
        reports.say(made)


def _tokenizer(name: str) -> Tokenizer:
    if name in ("", "estimate"):
        return tokens.tokenizer("o200k" if not name else None)
    if name not in FAMILIES:
        hint = nearest(name, [*FAMILIES, "estimate"], otherwise=f"Known: {', '.join(FAMILIES)}, estimate.")
        raise UsageError(f"--tokenizer {name!r} is unknown", hint=hint)
    return tokens.exact_tokenizer(name)


def _samples(file: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json_files.read(file, "--data", "{PROMPT: {NAME: …}}", _are_objects)
    return found


def _are_objects(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(own, dict) for own in found.values())


@app.command()
def explain(
    code: Annotated[str | None, typer.Argument(metavar="[RULE]", help="Its code, such as P103; all without.")] = None,
    json: options.Json = False,
) -> None:
    """Say why a rule is one, with an example that breaks it and one that does not."""
    if json:
        output.as_json([asdict(own) for own in (RULES.values() if code is None else [rule(code)])])
    elif code is None:
        output.table([asdict(own) for own in RULES.values()], _RULES)
    else:
        _explain(rule(code))


def _explain(own: Rule) -> None:
    output.say(f"{own.code} ({own.severity}): {own.name}\n{textwrap.fill(own.reason, 80)}\n")
    for title, text in (("instead of", own.bad), ("write", own.good)):
        output.say(f"{title}\n" + "\n".join(f"    {line}" for line in text.split("\n")))


@app.command()
def interface(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The type.")],
    interfaces: Annotated[str, typer.Option("--interfaces", metavar="MODULE", help="The module it is in.")],
) -> None:
    """Show a type as {{ interface('NAME') }} does in a prompt."""
    known = types_of(interfaces)
    if name not in known:
        hint = nearest(name, known, otherwise=f"Known: {', '.join(sorted(known)) or 'none'}.")
        raise UsageError(f"{interfaces} has no type {name!r}", hint=hint)
    plain_text.write(shown(known[name], name=name))
