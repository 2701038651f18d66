"""Crushing code: bodies that nobody looks at go, every declaration stays, and what parsed before parses after.

Leaving out what is not focal, by syntax, was Headroom's idea (Apache-2.0); form and code are our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from catalog.crusher.checking import check_count, check_text
from catalog.crusher.code.edits import Edit, applied
from catalog.crusher.code.focal import Focal, focal_spans
from catalog.crusher.code.languages import known
from catalog.crusher.code.lines import Lines
from catalog.crusher.code.marking import MARK, marked, names_said
from catalog.crusher.code.outlines import Outline, Span, Spans, UnreadableError
from catalog.crusher.code.soundness import sound
from catalog.crusher.result import CrushResult, Note

MOST_BYTES = 4_000_000
"""Bytes of a source in UTF-8 above which it is left alone: such files are generated, and a parser takes minutes."""
_BOM = "\ufeff"


def crush_code(
    source: str,
    language: str,
    *,
    focal: Focal | Iterable[Focal] | None = None,
    drop_comments: bool = False,
    min_body_lines: int = 4,
) -> CrushResult:
    """Return source code with the bodies left out that are not looked at; `expand` gives each of them back.

    Declarations, signatures, decorators, imports and documentation stay. In place of a body stands how many lines it
    had, from which line, and what was declared inside: ``{ /* …12 lines from 45: helper */ }``. Of SQL the bodies of
    routines go, and the rest of long lists of rows and values. The text parses wherever the source does: what would
    not is left as it is, and a note says why.

    Args:
        source: the code.
        language: see `LANGUAGES`; ``sql`` where the dialect is not known.
        focal: what stays byte by byte: the name of a declaration (``send``, ``Session.send``), text of the source, a
            first and a last line (from 1), or several of these.
        drop_comments: whether comments go that are no documentation and that no tool reads.
        min_body_lines: lines of a body below which it stays; rows and values of a list, too.

    Raises:
        TypeError: for a source that is no text, and for what can be no focal or no number.
        ValueError: for an unknown language, naming those there are; for something focal that is not there; for bodies
            of fewer than two lines.
        MissingExtraError: where the parser of the language is not installed.
    """
    check_text(source)
    own = known(language)
    check_count("min_body_lines", min_body_lines, least=2)  # a marker takes a line itself
    if len(source) > MOST_BYTES or len(source.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return _alone(source, f"it has more than {MOST_BYTES:,} bytes")
    head = _BOM if source.startswith(_BOM) else ""
    body = source.removeprefix(_BOM)
    try:
        outline = own.outline(body)
    except UnreadableError as error:
        return _alone(source, f"the parser gave up: {error}")
    spared = focal_spans(focal, body, outline.declarations)
    edits = list(_edits(body, outline, spared, min_body_lines))
    unread: list[Note] = []
    if drop_comments:
        try:
            edits += _without_comments(
                body, own.comments(body, outline), [*spared, *outline.broken, *(edit.span for edit in edits)]
            )
        except UnreadableError as error:
            unread.append(Note(code="verbatim", path="$", detail=f"its comments stay: {error}"))
    made, notes = sound(body, sorted(edits), outline, own)
    text = head + applied(body, made)
    bodies = {edit.marker: body[edit.span.start : edit.span.end] for edit in made if edit.marker}
    return CrushResult(
        text=text,
        original_chars=len(source),
        crushed_chars=len(text),
        crushed=bool(made),
        notes=(*_told(body, outline), *unread, *notes, *_left_out(made), *([] if made else [_NOTHING])),
        bodies=bodies,
    )


def _told(source: str, outline: Outline) -> list[Note]:
    """Return what was guessed, and what is left as it is since the parser did not understand it."""
    lines = Lines(source)
    guessed = [Note(code="guessed", path="$", detail=outline.told)] if outline.told else []
    where = sorted({lines.number(span.start) for span in outline.broken})
    return guessed + [
        Note(code="verbatim", path=f"line {line}", detail="the parser does not read it") for line in where
    ]


def _left_out(made: Sequence[Edit]) -> list[Note]:
    """Return how many comments were left out: nothing in their place says so."""
    count = sum(not edit.marker for edit in made)
    return [Note(code="comments", path="$", detail=f"{count:,} comments were left out")] if count else []


_NOTHING = Note(code="verbatim", path="$", detail="there is nothing to leave out")


def expand(result: CrushResult, marker: str) -> str:
    """Return what was left out where a marker stands.

    Args:
        result: of `crush_code`.
        marker: the marker, such as ``…12 lines from 45``, with or without what stands around it.

    Raises:
        ValueError: when nothing was left out under this marker, naming those there are.
    """
    check_text(marker)
    found = MARK.search(marker)
    wanted = found.group().partition(":")[0] if found else ""
    if wanted in result.bodies:
        return result.bodies[wanted]
    there = ", ".join(result.bodies) or "none"
    raise ValueError(f"nothing was left out under {marker!r}; markers: {there}")


def _alone(source: str, why: str) -> CrushResult:
    note = Note(code="verbatim", path="$", detail=why)
    return CrushResult(text=source, original_chars=len(source), crushed_chars=len(source), crushed=False, notes=(note,))


def _edits(source: str, outline: Outline, spared: Sequence[Span], least: int) -> Iterator[Edit]:
    """Yield what goes: the outermost parts that hold nothing focal, are long enough, and longer than any marker."""
    lines = Lines(source)
    done = 0
    stays = Spans([*spared, *outline.broken])
    taken = {found.group().partition(":")[0] for found in MARK.finditer(source)}
    for part in outline.parts:
        if part.count < least or part.span.start < done or stays.touch(part.span):
            continue
        names = names_said(part.inside())
        most = f"{part.before}{marked(part.count, part.what, _LAST_LINE)}{names}{part.after}"
        if len(most) >= part.span.end - part.span.start:
            continue
        marker = marked(part.count, part.what, lines.number(part.span.start), taken)
        done = part.span.end
        taken.add(marker)
        yield Edit(part.span, f"{part.before}{marker}{names}{part.after}", marker)


_LAST_LINE = 9_999_999
"""Stands for any line when a body is compared with its marker: where it stands must not decide whether it goes."""


_BREAK = re.compile(r"\r\n|\r|\n")


def _without_comments(source: str, comments: Iterable[Span], stays: Sequence[Span]) -> Iterator[Edit]:
    """Yield the edits that take comments out, with the whole line where nothing else is on it."""
    kept = Spans(stays)
    for span in comments:
        if kept.touch(span) or MARK.search(source, span.start, span.end):
            continue
        start, end = span
        while start and source[start - 1] in " \t":
            start -= 1
        alone = start == 0 or source[start - 1] in "\r\n"
        rest = 0
        while source[end + rest : end + rest + 1] in (" ", "\t"):
            rest += 1
        ends = source[end + rest : end + rest + 1] in ("", "\r", "\n")
        if alone and ends:
            end += rest
            end += 2 if source.startswith("\r\n", end) else 1 if end < len(source) else 0
        elif not ends:
            start, end = span  # code goes on behind it: two names must not become one
        breaks = _BREAK.search(source, span.start, span.end)  # code behind it may begin a statement because of it
        yield Edit(Span(start, end), "" if ends else breaks.group() if breaks else " ", "")
