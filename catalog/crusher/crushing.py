"""Crushing: JSON in fewer characters and tokens, losslessly and canonically, and shortened only where a budget asks.

The idea of writing repeated objects as a table was Headroom's (Apache-2.0); format and code are our own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from catalog.crusher.budget import BudgetError, Fitted, fit, fit_tokens
from catalog.crusher.checking import check, check_text, too_long
from catalog.crusher.estimate import text_tokens
from catalog.crusher.guarding import Keep, guarded, losses
from catalog.crusher.handles import handles_of, rename
from catalog.crusher.minified import dumps, dumps_python, scalar
from catalog.crusher.missing import resolved, said
from catalog.crusher.options import Count, Layout, Level, Options
from catalog.crusher.parsing import loads
from catalog.crusher.pieces import Cuts, Glossary, Written
from catalog.crusher.positions import Path
from catalog.crusher.renaming import renamed
from catalog.crusher.result import CrushResult, Dropped, Note
from catalog.crusher.tables.place import Style
from catalog.crusher.tables.writing import is_written, written
from catalog.crusher.uncrushing import read_marked
from catalog.crusher.wrapped.unwrapping import is_wrapped
from catalog.crusher.wrapped.wrapping import wrapped


def crush_json(
    value: Any,
    *,
    level: Level = "standard",
    layout: Layout = "text",
    elide: bool = True,
    max_chars: int | None = None,
    max_tokens: int | None = None,
    count: Count | None = None,
    keep: Keep | None = None,
    handles: bool = False,
) -> CrushResult:
    """Return a JSON value in few tokens; `uncrush` gives it back exactly.

    The same value gives the same text, whatever the order of its keys. The text is never longer than the canonical
    minified JSON: where nothing is gained it is that, and the result says so.

    Args:
        value: dict with text keys, list, tuple (reads back as a list), str, int, float, bool or None.
        level: how much is said before rows instead of in them, see `Level`.
        layout: form of the text, see `Layout`.
        elide: whether null, the empty string and usual values are left out where the header says what is missing.
        max_chars: characters the text may take; rows are left out until it fits, the largest part first, and
            ``…(+5 more rows)`` stands in their place, ``…(+120 chars)`` at the end of a string that was cut.
        max_tokens: tokens the text may take, by `count`.
        count: gives the tokens of a text.
        keep: says of a row and its path, such as ``$.data[3]``, whether it is to be kept as long as the budget allows.
            Rows are the objects in a list, and those in an object that holds several objects and nothing else.
        handles: whether UUIDs, hashes and ULIDs are written as A, B, … AA; the result says what these mean.

    Raises:
        TypeError: for anything but JSON inside the value, naming the path.
        ValueError: for a value that contains itself or an int of more digits than Python writes (4,300), naming the
            path; for an unknown level or layout and options that do not go together.
        BudgetError: a ValueError, when even the shortest text is too long, naming its length.
    """
    options = Options(
        level=level,
        layout=layout,
        elide=elide,
        max_chars=max_chars,
        max_tokens=max_tokens,
        count=count,
        keep=keep,
        handles=handles,
    )
    return _crushed(value, minified(value), options)


def crush_text(
    text: str,
    *,
    level: Level = "standard",
    layout: Layout = "text",
    elide: bool = True,
    max_chars: int | None = None,
    max_tokens: int | None = None,
    count: Count | None = None,
    keep: Keep | None = None,
    handles: bool = False,
) -> CrushResult:
    """Return a JSON text crushed; numbers keep their lexemes. Crushed text comes back as it is, without legend.

    Args: see `crush_json`; the numbers in the rows that `keep` is asked about are text, as they stand in the JSON.

    Raises:
        ValueError: for malformed JSON, naming the place, and a key that stands twice in one object, naming the path;
            else as `crush_json`.
        BudgetError: also for text that was crushed before and is too long.
    """
    options = Options(
        level=level,
        layout=layout,
        elide=elide,
        max_chars=max_chars,
        max_tokens=max_tokens,
        count=count,
        keep=keep,
        handles=handles,
    )
    check_text(text)
    if is_written(text.lstrip()):
        return _as_it_is(text, options)
    value = loads(text)
    return _as_it_is(text, options) if is_wrapped(value) else _crushed(value, dumps(value), options)


def _as_it_is(text: str, options: Options) -> CrushResult:
    if not options.fits(text):
        raise BudgetError(
            "the text was crushed before and is too long: uncrush it, and crush that under the budget", len(text)
        )
    value, found = resolved(read_marked(text))
    return CrushResult(
        text=text,
        original_chars=len(dumps(value)),
        crushed_chars=len(text),
        crushed=True,
        notes=(Note(code="already-crushed", path="$", detail="the text was crushed before"),),
        dropped=tuple(gap.dropped() for gap in found),
    )


def _crushed(value: Any, plain: str, options: Options) -> CrushResult:
    """Return a checked value crushed.

    Args:
        value: the value.
        plain: its canonical minified JSON.
        options: how.
    """
    original = len(plain)
    meant: dict[str, str] = {}
    paths: Sequence[Path] = ()
    cuts = Cuts() if options.has_budget else None
    if options.keep is not None:
        value, cuts, paths = guarded(value, options.keep)
    if options.handles:
        meant = handles_of(value)
        names = {identifier: handle for handle, identifier in meant.items()}
        if options.keep is None:
            value = renamed(value, lambda text: names.get(text, text))
        else:
            root = [value]
            rename(root, names)  # a copy already, and what is to be kept is known by its objects
            value = root[0]
        plain = dumps(value) if meant else plain
    style = Style(hoist=options.level == "standard", elide=options.elide, cuts=cuts)
    write = wrapped if options.layout == "json" else written
    found = write(value, style)
    gained = is_wrapped(value) or _is_shorter(found.text, plain)
    best = found.text if gained else plain
    used: Mapping[Glossary, Collection[str]] | None = None
    dropped: tuple[Dropped, ...] = ()
    if not options.fits(best) and (options.fits(found.text) or options.fits(plain)):
        gained = options.fits(found.text)
        best = found.text if gained else plain
    elif not options.fits(best):
        gained = True
        found, (best, used) = _shortened(found, plain, partial(write, value), style, options)
        gaps = resolved(_read(best, meant))[1]
        lost = losses(gaps, _read(best, meant), paths) if paths else Counter[Path]()
        dropped = tuple(gap.dropped(lost[gap.path]) for gap in gaps)
    return CrushResult(
        text=str(best),
        original_chars=original,
        crushed_chars=len(best),
        crushed=gained,
        legend=_legend(found.glossaries, used) if gained else {},
        handles=meant,
        notes=() if gained else (_VERBATIM,),
        dropped=dropped,
    )


def _read(text: str, meant: Mapping[str, str]) -> Any:
    """Return what a shortened text says, marks and all, without handles."""
    root = [read_marked(text)]
    rename(root, meant)
    return root[0]


_VERBATIM = Note(code="verbatim", path="$", detail="nothing is shorter than the minified JSON")


_ENOUGH = 0.5
"""Share of a budget that a shortened text takes, unless what stands before its rows is too long for it."""


def _shortened(
    found: Written, plain: str, write: Callable[[Style], Written], style: Style, options: Options
) -> tuple[Written, Fitted]:
    """Return a value written and shortened until it keeps to the budget.

    Where little of it fits, the header is too long: then less is said before the rows, and at last there are no tables.

    Args:
        found: the value in its style.
        plain: its minified JSON.
        write: writes it in another.
        style: its style.
        options: the budget.
    """
    others = [style._replace(hoist=False), style._replace(hoist=False, tables=False)]
    best = found, _fitted(found, plain, options)
    for other in others:
        if options.share(best[1].text) >= _ENOUGH:
            break
        again = write(other)
        fitting = Fitted(again.text, {}) if options.fits(again.text) else _fitted(again, plain, options)
        best = max(best, (again, fitting), key=lambda own: said(own[1].text))
    return best


def _fitted(found: Written, plain: str, options: Options) -> Fitted:
    """Return a text shortened until it keeps to the budget."""
    limit = options.max_chars
    fitting = fit(found.text, limit, other=plain) if limit is not None and len(found.text) > limit else None
    if options.max_tokens is None or options.count is None:
        assert fitting is not None  # else it fitted as it was
        return fitting
    if fitting is not None and options.count(fitting.text) <= options.max_tokens:
        return fitting
    return fit_tokens(found.text, options.max_tokens, options.count, other=plain, most=limit)


def _is_shorter(text: str, plain: str) -> bool:
    """Return whether a text has fewer characters and, as far as can be told without a vocabulary, a token less."""
    return len(text) < len(plain) and text_tokens(text) + 1 <= text_tokens(plain)


def _legend(glossaries: Sequence[Glossary], used: Mapping[Glossary, Collection[str]] | None) -> dict[str, str]:
    """Return what letters stand for, by what they stand in place of, where that is said, and the letter."""
    found: dict[str, str] = {}
    times: Counter[str] = Counter()
    for glossary in glossaries:
        for letter, entry in glossary.entries.items():
            if used is None or letter in used.get(glossary, ()):
                name = f"{glossary.of} {letter}".strip()
                times[name] += 1
                found[f"{name} ({times[name]})" if times[name] > 1 else name] = str(entry)
    return found


def minified(value: Any) -> str:
    """Return the canonical minified JSON of a value.

    Raises:
        TypeError: for anything but JSON, naming the path.
        ValueError: for a value that contains itself or an int of more digits than Python writes, naming the path.
    """
    check(value)
    try:
        return dumps_python(value)
    except ValueError:
        raise too_long(value, scalar, "Python does not write it as text") from None
