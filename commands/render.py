"""catalog render: choose a model for a prompt, and write the prompt for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from catalog import settings, snapshot
from catalog.commands import json_files, options, output, plain_text, wishes
from catalog.commands.interfaces import types_of
from catalog.connection import reading
from catalog.errors import NotFoundError, UsageError, nearest
from catalog.renderer.messages import Message, ToolCall, ToolResult
from catalog.renderer.renderer import Renderer
from catalog.renderer.rendering import Rendering, count
from catalog.renderer.segments import Segment
from catalog.selector.candidates import Candidate
from catalog.selector.decision import Decision
from catalog.selector.selection import select

app = typer.Typer(rich_markup_mode=None, add_completion=False)

FORMS = ("anthropic", "openai", "gemini")


@app.command()
def render(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The prompt's path below the folder.")],
    root: Annotated[Path, typer.Option("--root", metavar="DIR", help="The folder of prompts.")] = Path(),
    model: Annotated[
        str | None, typer.Option("--model", metavar="MODEL", help="For this one: MODEL or MODEL@VENDOR.")
    ] = None,
    data: Annotated[str | None, typer.Option("--data", metavar="FILE", help="JSON object; - reads stdin.")] = None,
    state: Annotated[str | None, typer.Option("--state", metavar="FILE", help="JSON object of what changes.")] = None,
    history: Annotated[str | None, typer.Option("--history", metavar="FILE", help="JSON list of messages.")] = None,
    section: Annotated[
        list[str] | None, typer.Option("--section", metavar="NAME=BOOL", help="Put a section in or out.")
    ] = None,
    interfaces: Annotated[
        str | None, typer.Option("--interfaces", metavar="MODULE", help="Module of the types that prompts show.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--for", metavar="VENDOR", help=f"As a request: {', '.join(FORMS)}.")
    ] = None,
    prefer: wishes.Prefer = None,
    min_power: wishes.MinPower = None,
    max_power: wishes.MaxPower = None,
    bound: wishes.BoundModels = None,
    require_bound: wishes.RequireBound = False,
    needs_context: wishes.NeedsContext = None,
    needs_output: wishes.NeedsOutput = None,
    inputs: wishes.Inputs = None,
    outputs: wishes.Outputs = None,
    capabilities: wishes.Capabilities = None,
    status: wishes.Status = None,
    max_price_in: wishes.MaxPriceIn = None,
    max_price_out: wishes.MaxPriceOut = None,
    only_vendors: wishes.OnlyVendors = None,
    never_vendors: wishes.NeverVendors = None,
    vendor_order: wishes.VendorOrder = None,
    allow_unknown: wishes.AllowUnknown = False,
    json: options.Json = False,
) -> None:
    """Choose the model a prompt asks for, then write the prompt for that model.

    The options of catalog select change what the prompt itself asks for.
    """
    if form is not None and form not in FORMS:
        raise UsageError(
            f"--for {form!r} is unknown", hint=nearest(form, FORMS, otherwise=f"Known: {', '.join(FORMS)}.")
        )
    renderer = Renderer(root, interfaces=types_of(interfaces))
    decision = _decided(ctx, renderer, name, model)
    if decision.chosen is None:
        raise NotFoundError(f"no candidate is left for {name}", hint=_why(decision))
    rendering = renderer.render(
        name,
        decision.chosen,
        data=_object(data, "--data"),
        state=_object(state, "--state"),
        sections=dict(map(_section, section or ())),
        history=_messages(history),
        head=decision.head,
    )
    _see_that_it_fits(rendering)
    if form is not None:
        output.as_json(getattr(rendering, f"to_{form}")())
    elif json:
        output.as_json(as_data(rendering))
    else:
        _print(rendering)


def _decided(ctx: typer.Context, renderer: Renderer, name: str, model: str | None) -> Decision:
    """Return the decision for a prompt; one that names no type is of that of the model that is named."""
    asked = {"as_of": settings.now().date().isoformat(), **wishes.given(ctx.params)}
    is_untyped = model is not None and renderer.program(name).type is None
    with wishes.named_as_typed(bound="--bound" if model is None else "--model"):
        if model is not None:
            asked |= {"bound": wishes.bound_models([model]), "require_bound": True}
        request = renderer.request(name, **asked, **({"type": "llm"} if is_untyped else {}))
        with reading(ctx.obj.database_url, lock_timeout=ctx.obj.lock_timeout) as reader:
            catalog = snapshot.read(reader)
        known = catalog.models.get(request.bound[0].model) if is_untyped and request.bound else None
        return select(catalog, request if known is None else replace(request, type=known.type))


def _why(decision: Decision) -> str:
    """Return what kept most candidates out: of those that must be used, where there are any."""
    asked = decision.request
    bound = {(own.model, own.vendor) for own in asked.bound or ()} if asked.require_bound else set()
    rejected = [own for own in decision.rejected if not bound or _is_one_of(bound, own.candidate)]
    told, first = wishes.hardest(rejected, asked.type)
    example = first and f", such as {first.candidate.model.slug} by {first.candidate.vendor}: {first.detail}"
    return f"{told}{example or ''}."


def _is_one_of(bound: Collection[tuple[str, str | None]], own: Candidate) -> bool:
    return any((own.model.slug, vendor) in bound for vendor in (None, own.vendor))


def _see_that_it_fits(rendering: Rendering) -> None:
    """Refuse a text that is longer than the window of its model, whatever the count is off by.

    Raises:
        UsageError: naming prompt, tokens and window.
    """
    own, taken = rendering.candidate, count(rendering)
    if own.context is not None and taken.least > own.context:
        raise UsageError(
            f"{rendering.prompt} takes {taken} tokens, and {own.model.slug} by {own.vendor} takes {own.context:,}",
            hint=f"Hand in less data, or ask for a larger window: --needs-context {taken.n}.",
        )


def _section(text: str) -> tuple[str, bool]:
    name, equals, value = text.partition("=")
    if not equals or value not in ("true", "false"):
        raise UsageError(f"--section {text!r} is not understood", hint="Write NAME=true or NAME=false.")
    return name.strip(), value == "true"


def _object(file: str | None, option: str) -> dict[str, Any]:
    found: dict[str, Any] = {} if file is None else json_files.read(file, option, "an object", _is_object)
    return found


def _is_object(found: Any) -> bool:
    return isinstance(found, dict)


def _messages(file: str | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (
        [] if file is None else json_files.read(file, "--history", "a list of messages", _are_messages)
    )
    return found


def _are_messages(found: Any) -> bool:
    return isinstance(found, list) and all(map(_is_object, found))


def as_data(rendering: Rendering) -> dict[str, Any]:
    """Return a rendering as --json prints it."""
    return {
        "prompt": rendering.prompt,
        "model": rendering.candidate.model.slug,
        "vendor": rendering.candidate.vendor,
        "power_rank": rendering.power_rank,
        "head": rendering.head,
        "messages": [
            {"role": own.role, "text": own.text, "is_state": own.is_state, "beside": _beside(own)}
            for own in rendering.messages
        ],
        "segments": [
            {
                "stability": own.stability.label,
                "file": own.place and own.place.file,
                "line": own.place and own.place.line,
                "chars": len(own.text),
                "sha256": own.sha256,
            }
            for own in rendering.segments
        ],
        "thresholds": [
            {
                "file": own.threshold.place.file,
                "line": own.threshold.place.line,
                "compares": f"{own.threshold.sign} {own.threshold.value}",
                "holds": own.holds,
                "claim": own.threshold.claim and own.threshold.claim.text,
                "eval": own.threshold.claim and own.threshold.claim.eval,
            }
            for own in rendering.thresholds
        ],
        "placement": rendering.placement,
        "state_mode": rendering.state_mode,
        "cache": rendering.cache and asdict(rendering.cache),
        "memo_key": rendering.memo_key,
        "sha256": rendering.sha256,
    }


def _beside(message: Message) -> list[str]:
    """Return what a message holds beside its texts, in a few words each."""
    told = []
    for own in message.content:
        if isinstance(own, ToolCall):
            told.append(f"calls {own.name} {own.arguments}")
        elif isinstance(own, ToolResult):
            told.append(
                f"result of {own.id}: " + "".join(part.text for part in own.content if isinstance(part, Segment))
            )
        elif not isinstance(own, Segment):
            told.append(f"a block of the type {own.block.get('type')}")
    return told


def _print(rendering: Rendering) -> None:
    """Print the messages; what they are for, and what they depend on, goes beside."""
    own = rendering.candidate
    rank = "unranked" if rendering.power_rank is None else f"PowerRank {rendering.power_rank}"
    output.note(f"{rendering.prompt} for {own.model.slug} by {own.vendor}, {rank}")
    for met in rendering.thresholds:
        claim = f": {met.threshold.claim.text}" if met.threshold.claim else ""
        output.note(f"{met.threshold.place}: {met.threshold} is {'true' if met.holds else 'false'}{claim}")
    for number, message in enumerate(rendering.messages):
        if number:
            output.say()
        output.note(f"-- {message.role}{', the state of the run' if message.is_state else ''}")
        for line in (message.text, *(f"[{own}]" for own in _beside(message))):
            if line:
                plain_text.write(line)
