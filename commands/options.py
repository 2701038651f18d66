"""The options several verbs share, each written once."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Jsonl = Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per line.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Reason = Annotated[str | None, typer.Option("--reason", metavar="TEXT", help="Why; stands in the change log.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="DATE", help="The catalog as it was on that day.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Slug, such as claude-opus-5-5.")]
TypeName = Annotated[str | None, typer.Argument(metavar="[TYPE]", help="Model type, such as llm.")]
TextFile = Annotated[str, typer.Argument(metavar="[FILE]", help="- reads stdin.  [default: -]", show_default=False)]
