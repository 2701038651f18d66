"""The `catalog` command: global options, lazily loaded verbs, errors turned into exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError
from typer.core import TyperGroup

from catalog import __version__, settings
from catalog.errors import CatalogError, UsageError

VERBS = {
    "demo": "Show the main job on real data, in a minute.",
    "init": "Create a catalog.",
    "upgrade": "Migrate a catalog to this version.",
    "list": "List models, strongest first.",
    "show": "Show one model.",
    "why": "Say why a model is ranked where it is.",
    "history": "Show what the log says about a model.",
    "select": "Choose a model and say why not the others.",
    "render": "Write a prompt for the model that is chosen.",
    "prompts": "Check prompts, report their tokens.",
    "snapshot": "Save the catalog as one file.",
    "crush": "Write JSON as tables that read back exactly.",
    "uncrush": "Write the JSON that was crushed.",
    "context": "Say what of a conversation could go.",
    "add-model": "Add a model: place it and lock its rank.",
    "lock": "Lock the rank of a proposed model.",
    "edit": "Change facts of a model or offer.",
    "retire": "Take a model out of service.",
    "alias": "Give exact labels to models.",
    "score": "Add, import and list scores.",
    "release": "Register and list releases of indexes.",
    "price": "State and list what offers cost.",
    "rebase": "Move a type onto its absolute scale, once.",
    "audit": "Check and correct ranks, verify the log.",
    "export": "Write the catalog as files.",
    "import": "Read the files of an export.",
    "apply": "Take over edits made in those files.",
}
"""The verbs in the order of the tour, each with a line for the help page; a verb lives in a module of its name."""


class Verbs(TyperGroup):
    """Imports a verb's module only when that verb is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(VERBS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the help page without importing eighteen modules."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in VERBS:
            return None
        if cmd_name not in self.commands:
            module = import_module(f"catalog.commands.{module_name(cmd_name)}")
            self.commands[cmd_name] = typer.main.get_command(module.app)
            self.commands[cmd_name].name = cmd_name
        return self.commands[cmd_name]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option without its value before the parser takes the next option for it."""
        _every_option_has_its_value(self, args)
        return list(super().parse_args(ctx, args))


def _every_option_has_its_value(command: Any, args: list[str]) -> None:
    params = [param for param in command.params if param.opts[0].startswith("-")]
    takes_value = {flag: not getattr(param, "is_flag", False) for param in params for flag in param.opts}
    for place, word in enumerate(args):
        if word == "--":
            return
        flag, equals, value = word.partition("=")
        following = args[place + 1] if place + 1 < len(args) else None
        if takes_value.get(flag):
            _has_value(flag, value if equals else following, takes_value)
        is_value = place > 0 and takes_value.get(args[place - 1], False)
        inner = command.get_command(None, word) if hasattr(command, "commands") and not is_value else None
        if inner is not None:
            _every_option_has_its_value(inner, args[place + 1 :])
            return


def _has_value(flag: str, value: str | None, flags: Mapping[str, bool]) -> None:
    if value is not None and not value.strip():
        raise UsageError(f"{flag} is empty", hint=f"Give {flag} a value or leave it out.")
    if value in flags:
        raise UsageError(f"{flag} has no value: {value} is an option", hint=f"Write {flag} VALUE {value}.")


def module_name(verb: str) -> str:
    """Return the module a verb lives in; ``import`` is a keyword, so its module is ``import_``."""
    return "import_" if verb == "import" else verb.replace("-", "_")


app = typer.Typer(cls=Verbs, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"catalog {__version__}")
        raise typer.Exit


@app.callback()
def catalog(
    ctx: typer.Context,
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="SQLite path or postgresql:// URL.  [default: catalog.db]")
    ] = None,
    actor: Annotated[
        str | None, typer.Option("--actor", metavar="NAME", help="Who the change log names.  [default: your login]")
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it and exit.")
    ] = False,
) -> None:
    """Hold AI models with locked, absolute, explained ranks.

    Settings: flag > CATALOG_DATABASE_URL, CATALOG_ACTOR > catalog.toml > default. Exit codes: 0 ok, 1 refused, 2 usage,
    3 nothing matched, 4 a check found something, 5 database missing, unreachable or not migrated, 130 interrupted.
    """
    ctx.obj = settings.load(database=db, actor=actor)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    _streams_that_take_anything()
    try:
        code = app(args=arguments, prog_name="catalog", standalone_mode=False)
        sys.stdout.flush()
    except CatalogError as error:
        code = _report(error)
    except NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except ClickException as error:
        code = _report(UsageError(error.format_message(), hint=_help_hint(error)))
    except UnicodeEncodeError as error:
        print(f"error: {error.object!r} is not UTF-8 text", file=sys.stderr)
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        print("interrupted; nothing was changed", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 1
    except OSError as error:
        print(f"error: {error.filename or 'the output'} cannot be written: {error.strerror}", file=sys.stderr)
        print("  What the command did to the catalog it did; see catalog audit log.", file=sys.stderr)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _streams_that_take_anything() -> None:
    """Let no result be lost to a closed stream or to a terminal that lacks a character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _help_hint(error: ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"See {context.command_path if context else 'catalog'} --help."


def _report(error: CatalogError) -> int:
    sys.stdout.flush()
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)
    return error.exit_code


if __name__ == "__main__":
    main()
