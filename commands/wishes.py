"""Wishes: the options by which a command asks the selector, each written once, and the fields of a request they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Annotated, Any

import typer

from catalog.errors import PromptError, UsageError
from catalog.selector.fields import PREFERENCES, SERVED, Bound
from catalog.selector.needs import Rejection
from catalog.selector.request import Request

Names = list[str] | None
"""Names with commas between them; an option that is given twice adds up."""
Prefer = Annotated[
    str | None, typer.Option(metavar="ORDER", help=f"{', '.join(PREFERENCES)}.  [default: highest, or as bound]")
]
MinPower = Annotated[int | None, typer.Option(metavar="RANK", help="PowerRank at least so, fallbacks too.")]
MaxPower = Annotated[int | None, typer.Option(metavar="RANK", help="PowerRank at most so.")]
BoundModels = Annotated[Names, typer.Option(metavar="MODEL,…", help="These first: MODEL[@VENDOR][=PRIORITY].")]
RequireBound = Annotated[bool, typer.Option("--require-bound", help="No other model than the bound ones.")]
NeedsContext = Annotated[int | None, typer.Option(metavar="TOKENS", help="Input it must take.")]
NeedsOutput = Annotated[int | None, typer.Option(metavar="TOKENS", help="Output it must give, inside the same window.")]
Inputs = Annotated[Names, typer.Option(metavar="NAME,…", help="Modalities it must take: image, …")]
Outputs = Annotated[Names, typer.Option(metavar="NAME,…", help="Modalities it must give.")]
Capabilities = Annotated[Names, typer.Option(metavar="NAME,…", help="Capability flags it must have.")]
Status = Annotated[Names, typer.Option(metavar="NAME,…", help=f"Any of {', '.join(SERVED)}.  [default: active]")]
MaxPriceIn = Annotated[str | None, typer.Option(metavar="USD", help="Per million tokens of input.")]
MaxPriceOut = Annotated[str | None, typer.Option(metavar="USD", help="Per million tokens of output.")]
OnlyVendors = Annotated[Names, typer.Option(metavar="NAME,…", help="Only by these vendors.")]
NeverVendors = Annotated[Names, typer.Option(metavar="NAME,…", help="Never by these vendors.")]
VendorOrder = Annotated[Names, typer.Option(metavar="NAME,…", help="By these first, for one model.")]
AllowUnknown = Annotated[bool, typer.Option("--allow-unknown", help="Let pass what the catalog does not know.")]

_OTHERWISE = {"needs_context": "input_tokens", "needs_output": "output_tokens", "type_slug": "type"}
"""Options that are not named as the fields they are."""


def given(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request that a command was given, by the parameters of the command.

    Raises:
        UsageError: for names and bound models that are not understood.
    """
    known = {field.name for field in fields(Request)}
    found: dict[str, Any] = {}
    for param, value in params.items():
        name = _OTHERWISE.get(param, param)
        is_given = value is not None and value is not False and value not in ((), [])
        if name in known and is_given:
            found[name] = _PARSERS.get(name, _as_it_is)(value)
    return found


def _as_it_is(value: Any) -> Any:
    return value


def _names(texts: Sequence[str]) -> tuple[str, ...]:
    names = tuple(part.strip() for text in texts for part in text.split(",") if part.strip())
    if not names:
        raise UsageError(f"{','.join(texts)!r} names nothing", hint="Write names with commas between them.")
    return names


def bound_models(texts: Sequence[str]) -> tuple[Bound, ...]:
    """Return bound models as they are typed: MODEL, MODEL@VENDOR or MODEL=PRIORITY, with commas between them.

    Raises:
        UsageError: for what is not understood.
    """
    return tuple(map(_bound_model, _names(texts)))


def _bound_model(text: str) -> Bound:
    found = re.fullmatch(r"([^@=]+)(?:@([^@=]+))?(?:=([0-9]{1,9}))?", text)
    if found is None:
        raise UsageError(f"--bound {text!r} is not understood", hint="Write MODEL, MODEL@VENDOR or MODEL=PRIORITY.")
    return Bound(found[1].strip(), int(found[3] or 0), found[2])


_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "bound": bound_models,
    **dict.fromkeys(
        ("inputs", "outputs", "capabilities", "status", "only_vendors", "never_vendors", "vendor_order"), _names
    ),
}

_FLAGS = {field.name: "--" + field.name.replace("_", "-") for field in fields(Request)}
_FLAGS |= {"input_tokens": "--needs-context", "output_tokens": "--needs-output"}


def hardest(rejected: Sequence[Rejection], type_: str) -> tuple[str, Rejection | None]:
    """Return what kept most candidates out, in words, and the first that it kept out.

    Args:
        rejected: those that are out.
        type_: of models, to be named where there are none.
    """
    if not rejected:
        return f"The catalog holds no model of type {type_}", None
    code, count = Counter(own.code for own in rejected).most_common(1)[0]
    first = next(own for own in rejected if own.code == code)
    return f"Most were rejected by {code} ({count} of {len(rejected)})", first


@contextmanager
def named_as_typed(*, bound: str = "--bound") -> Iterator[None]:
    """Let a refused request name its fields as the command line does.

    Args:
        bound: the option that binds models.
    """
    try:
        yield
    except PromptError:
        raise  # what a file asks for is named as the file does
    except UsageError as error:
        error.message, error.hint = (_in_flags(text).replace("--bound", bound) for text in (error.message, error.hint))
        raise


def _in_flags(text: str) -> str:
    """Return a message with fields as flags: the one it begins with, and those that are no word of the language."""
    unmistakable = "|".join(name for name in _FLAGS if "_" in name)
    return re.sub(rf"^({'|'.join(_FLAGS)})\b|\b({unmistakable})\b", lambda found: _FLAGS[found.group()], text)
