"""Writing: a value in the text layout. Tables stand on lines of their own, everything else on one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from catalog.crusher.minified import dumps
from catalog.crusher.missing import more_chars, no_entries, no_items, rows_between
from catalog.crusher.pieces import Glossary, LongText, Series, Spared, Written, chained, joined
from catalog.crusher.tables.cells import long_text
from catalog.crusher.tables.columns import LEAST_ROWS, columns_each, tuple_columns
from catalog.crusher.tables.interning import repeated
from catalog.crusher.tables.lexicon import CELL, INLINE, key_text, string_of, string_text, text_of
from catalog.crusher.tables.place import DEEPEST, Columns, Inline, Place, Style
from catalog.crusher.tables.spacing import spaced
from catalog.crusher.tables.table import Rows, assembled, with_commas
from catalog.crusher.tables.trees import BELOW, marks, tree_of, with_branches
from catalog.crusher.tables.worth import equal_tuples, pays

HEAD = "~"
"""First character of a crushed text; no JSON begins with it."""


def written(value: Any, style: Style = Style()) -> Written:  # noqa: B008 # it is immutable
    """Return a checked value in the text layout; a piece where the style says what a budget is to spare."""
    writer = _Writer(style)
    text = writer.block(value, 0)
    if value.__class__ is str:
        text = string_text(value) if style.cuts is None else LongText(string_text(value), value, _quoted_beginning)
    return Written(chained([HEAD, text], ""), writer.glossaries)


def is_written(text: str) -> bool:
    """Return whether a text begins as one in this layout does: a string that stands alone is quoted."""
    return text.startswith((f"{HEAD}{{", f"{HEAD}[", f'{HEAD}"'))


def _quoted_beginning(kept: str, missing: int) -> str:
    return string_text(kept) + more_chars(missing)


class _Writer:
    """Writes values in one style."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self.glossaries: list[Glossary] = []

    def block(self, value: Any, depth: int) -> str:
        """Return a value that may take several lines; one that ends in a table ends in a line break."""
        kind = value.__class__
        if depth < DEEPEST and value:
            if kind is dict:
                return self._map(value, depth) or self._object(value, self.block, depth)
            if kind is list or kind is tuple:
                return self._list(value, depth)
        return self.line(value, depth)

    def line(self, value: Any, depth: int) -> str:
        """Return a value on one line; what lies too deep for recursion as minified JSON."""
        kind = value.__class__
        if kind is dict or kind is list or kind is tuple:
            if depth >= DEEPEST:
                return dumps(value)
            if kind is dict:
                return self._object(value, self.line, depth)
            return self._items([self.line(item, depth + 1) for item in value], value)
        text = text_of(value, INLINE)
        return text if self._style.cuts is None else long_text(value, text, INLINE)

    def _object(self, value: dict[str, Any], write: Inline, depth: int) -> str:
        entries = [self._entry(key, value[key], write, depth) for key in sorted(value)]
        cuts = self._style.cuts
        if cuts is None or not value:
            return "{" + joined(entries, ",") + "}"
        held = cuts.among([value[key] for key in sorted(value)])
        return Series(entries, head="{", tail="}", mark=rows_between, stub=no_entries, spared=held, is_object=True)

    def _entry(self, key: str, value: Any, write: Inline, depth: int) -> str:
        """Return an entry of an object; the value null is left out."""
        text = "" if value is None and self._style.elide else write(value, depth + 1)
        return chained([key_text(key), text], ":")

    def _items(self, items: list[str], held: Sequence[Any], known: Mapping[str, str] | None = None) -> str:
        """Return a list of items that are written.

        Args:
            items: their texts.
            held: their values.
            known: the letters of those that repeat: text → letter.
        """
        letters = [(known or {}).get(item, "") for item in items]
        texts = [f"&{letter}" if letter else item for letter, item in zip(letters, items, strict=True)]
        glossary = Glossary("", {letter: item for item, letter in (known or {}).items()})
        self.glossaries += [glossary] if known else []
        cuts = self._style.cuts
        if cuts is None or not items:
            return "[" + (glossary.lines() if known else "") + joined(texts, ",") + "]"
        used = {glossary: letters} if known else None
        spared = cuts.among(held)
        return Series(texts, head="[", tail="]", mark=rows_between, stub=no_items, glossaries=used, spared=spared)

    def _list(self, value: Sequence[Any], depth: int) -> str:
        kinds = {item.__class__ for item in value}
        rows = kinds == {dict} and self._style.tables
        table = (self._tree(value, depth) or self._records(value, depth)) if rows else ""
        if not table and len(value) > 2 and kinds <= {list, tuple} and equal_tuples(value):
            table = self._tuples(value, depth)
        if table:
            return table
        items = [self.block(item, depth + 1) for item in value]
        known = repeated(items) if self._style.hoist and len(items) >= LEAST_ROWS else {}
        return self._items(items, value, known)

    def _map(self, value: dict[str, Any], depth: int) -> str:
        """Return an object of objects as a table; '' where that does not pay."""
        held = [value[key] for key in sorted(value)]
        if not self._style.tables or len(held) < 2 or not all(row.__class__ is dict for row in held) or not pays(held):
            return ""
        found = columns_each(held, self._place(len(held), depth))
        names = [string_of(key, CELL) or '""' for key in sorted(value)]
        rows = spaced(found, names) or with_commas(found, names)
        return self._table(f"{{{len(held)}}}{{{rows.header}}}", rows, no_entries, held) if found else ""

    def _records(self, value: Sequence[dict[str, Any]], depth: int) -> str:
        """Return a list of objects as a table; '' where that does not pay."""
        found = columns_each(value, self._place(len(value), depth)) if len(value) > 1 and pays(value) else []
        rows = (spaced(found) or with_commas(found)) if found else None
        return self._table(f"[{len(value)}]{{{rows.header}}}", rows, no_items, value) if rows else ""

    def _tree(self, value: Sequence[dict[str, Any]], depth: int) -> str:
        """Return a list of objects that hold objects of their kind as a table; '' where they do not."""
        tree = tree_of(value, DEEPEST - depth)
        if tree is None or not pays(tree.rows):
            return ""
        unnumbered = self._place(len(tree.rows), depth)._replace(rows=[0] * len(tree.rows))  # nothing counts with them
        found = columns_each(tree.rows, unnumbered)
        texts = [text for columns in found for own in columns.texts for text in own]
        if not texts or any(text.startswith((BELOW, f'"{BELOW}')) for text in texts):
            return ""
        branch = Columns(f"^{key_text(tree.key)}" + ("[]" if tree.childless else ""), [])
        rows = spaced([branch, *found]) or with_commas([branch, *found])
        texts = [chained([BELOW * depth, row], "") for depth, row in zip(tree.depths, rows.texts, strict=True)]
        head = f"[{len(value)}]{{{rows.header}}}"
        mark = partial(marks, tree.depths)
        spared = self._spared(tree.nodes)
        spared = spared and with_branches(spared, tree.depths)
        self.glossaries += rows.glossaries
        whole = rows._replace(texts=texts)
        return assembled(head, whole, len(texts), stub=lambda _: no_items(len(value)), mark=mark, spared=spared)

    def _tuples(self, value: Sequence[Sequence[Any]], depth: int) -> str:
        """Return a list of lists of the same length as a table."""
        table = with_commas([tuple_columns(value, self._place(len(value), depth))])
        return self._table(f"[{len(value)}]({table.header})", table, no_items, value)

    def _table(self, head: str, rows: Rows, stub: Callable[[int], str], held: Sequence[object]) -> str:
        self.glossaries += rows.glossaries
        return assembled(head, rows, len(held), stub=stub, mark=rows_between, spared=self._spared(held))

    def _spared(self, held: Sequence[object]) -> Spared | None:
        """Return which of some values a budget is to spare; None where nothing will be shortened."""
        return None if self._style.cuts is None else self._style.cuts.among(held)

    def _place(self, count: int, depth: int) -> Place:
        return Place(depth + 2, self.line, range(count), self._style)
