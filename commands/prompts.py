"""catalog prompts: check a folder of prompts, explain a rule, show a type as prompts do."""

from __future__ import annotations

import json as json_of_python
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog.commands import options, output, plain_text
from catalog.commands.interfaces import types_of
from catalog.commands.output import Column
from catalog.errors import CheckError, UsageError, nearest
from catalog.renderer.checks.checking import Checked, check, fingerprints, read_baseline
from catalog.renderer.checks.estates import Estate, estate
from catalog.renderer.checks.rules import RULES, Finding, Rule, rule
from catalog.renderer.interfaces import interface as shown
from catalog.renderer.placeholders import Registered

app = typer.Typer(rich_markup_mode=None, add_completion=False, no_args_is_help=True)

Interfaces = Annotated[
    str | None, typer.Option("--interfaces", metavar="MODULE", help="Module of the types that prompts show.")
]
_RULES = (Column(key="code", title="code"), Column(key="severity", title=""), Column(key="name", title="rule"))


@app.callback()
def prompts() -> None:
    """Check a folder of prompts, explain rules, show types as prompts do. Needs no catalog."""


@app.command("check")
def check_prompts(
    root: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder of prompts.  [default: .]")] = Path(),
    interfaces: Interfaces = None,
    placeholder: Annotated[
        list[str] | None, typer.Option("--placeholder", metavar="NAME", help="One that the program registers.")
    ] = None,
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
    registered = {name: Registered(value="") for name in placeholder or ()}
    found = estate(root, interfaces=types_of(interfaces), placeholders=registered)
    checked = check(
        found,
        evals=None if evals is None else _evals(evals),
        baseline=None if baseline is None else read_baseline(baseline),
    )
    if save_baseline is not None:
        save_baseline.write_text(json_of_python.dumps(fingerprints(checked.findings, found), indent=2) + "\n")
        output.note(f"{save_baseline}: {len(checked.findings):,} findings are forgiven from now on")
        return
    if json:
        output.as_json(_as_data(checked))
    else:
        _print(checked, found)
    if checked.errors:
        raise CheckError(_many(checked.errors, "error"), hint="catalog prompts explain CODE says why, and what to do.")


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
        "column": own.place.column, "message": own.message, "rule": own.rule.name,
    }  # fmt: skip


def _print(checked: Checked, found: Estate) -> None:
    for own in checked.findings:
        output.say(f"{own.place}: {own.rule.severity} {own.rule.code}: {own.message}")
    warnings = len(checked.findings) - checked.errors
    beside = [f"{checked.forgiven:,} forgiven"] * bool(checked.forgiven)
    beside += [f"{checked.suppressed:,} suppressed"] * bool(checked.suppressed)
    counts = ", ".join([_many(checked.errors, "error"), _many(warnings, "warning"), *beside])
    output.note(f"{_many(checked.files, 'file')}, {_many(len(found.programs), 'prompt')}: {counts}")


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _evals(path: Path) -> dict[str, list[int]]:
    try:
        found = json_of_python.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--evals {path} is no JSON: {error}", hint='Give {"SUITE/CASE": [RANK, …]}.') from None
    if not isinstance(found, dict) or not all(
        isinstance(own, list) and all(type(rank) is int for rank in own) for own in found.values()
    ):
        raise UsageError(f"--evals {path} says something else", hint='Give {"SUITE/CASE": [RANK, …]}.')
    return found


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
    output.say(f"{own.code} ({own.severity}): {own.name}\n{own.reason}\n")
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
