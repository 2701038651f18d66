"""The sandbox: an environment of Jinja2 in which a prompt reaches plain data, named functions, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, Undefined
from jinja2 import filters as of_jinja
from jinja2 import tests as of_tests
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range

from catalog.renderer import limits
from catalog.renderer.names import WORK

FILTERS: Mapping[str, Any] = {
    **{name: of_jinja.FILTERS[name] for name in (
        "abs", "capitalize", "count", "d", "default", "dictsort", "first", "float", "int", "items", "last", "length",
        "list", "lower", "map", "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr", "sort",
        "title", "truncate", "unique", "upper", "wordcount",
    )},
    "indent": limits.indent,
    "join": limits.join,
    "json": limits.as_json,
    "replace": limits.replace,
    "round": limits.rounded,
    "string": limits.text,
    "sum": limits.total,
    "trim": limits.trim,
}  # fmt: skip
TESTS: Mapping[str, Any] = {
    name: test for name, test in of_tests.TESTS.items() if name not in ("callable", "escaped", "filter", "test")
}
GLOBALS = ("range", "interface")
_OF_TEXT = (
    "count", "endswith", "find", "isalnum", "isalpha", "isdigit", "lower", "lstrip", "rstrip", "split", "splitlines",
    "startswith", "strip", "title", "upper",
)  # fmt: skip
_METHODS: Mapping[type, frozenset[str]] = {
    str: frozenset(_OF_TEXT),
    dict: frozenset({"get", "items", "keys", "values"}),
    list: frozenset({"count", "index"}),
    LoopContext: frozenset({
        "cycle", "depth", "depth0", "first", "index", "index0", "last", "length", "nextitem", "previtem",
        "revindex", "revindex0",
    }),
}  # fmt: skip
"""What can be reached by a dot, by what it is of."""
METHODS = frozenset().union(*_METHODS.values())

_DEEP = frozenset({"join", "json", "max", "min", "sort", "string", "unique"})
"""Filters that look at what lies inside of lists."""
_ATTRIBUTES: Mapping[str, slice] = {
    "map": slice(0),
    **dict.fromkeys(("selectattr", "rejectattr"), slice(1, 2)),
    **dict.fromkeys(("max", "min", "sort", "unique"), slice(1, None)),
}
"""Filters that can be told to look into an attribute of each value, and which of their arguments may say so."""
_STRIPPING = ("strip", "lstrip", "rstrip")
_OF_KIND = frozenset({
    "boolean", "defined", "even", "false", "float", "integer", "iterable", "mapping", "none", "number", "odd",
    "sequence", "string", "true", "undefined",
})  # fmt: skip
"""Tests that ask only what kind of value one is."""

_HOLDERS = frozenset({dict, list, tuple, str})
_KEYS = frozenset({str, int, float, bool, type(None), slice})
"""Of these is what stands in brackets; to look at anything else may take all day."""

JOINED, COUNTED, WEIGHED, SEEN, SEARCHED, MET = "~", "_counted", "_weighed", "_seen", "_searched", "_met"
"""Filters that expressions are read as, which no prompt can name."""


class Sandbox(ImmutableSandboxedEnvironment):
    """An environment that looks keys up where nothing is called, knows few methods, and counts what it makes."""

    intercepted_binops = frozenset(limits.OPERATORS)

    def __init__(self, **options: Any) -> None:
        super().__init__(
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            undefined=StrictUndefined,
            cache_size=0,
            **options,
        )
        self.filters = {
            name: limits.counting(own, deeply=name in _DEEP, attribute=_ATTRIBUTES.get(name))
            for name, own in FILTERS.items()
        }
        self.filters |= {
            JOINED: limits.counting(limits.joined, deeply=True),
            WEIGHED: limits.seen,
            COUNTED: limits.counted,
            SEEN: limits.seen,
            SEARCHED: limits.searched,
            MET: limits.met,
        }
        self.tests = {name: limits.counting(own, deeply=name not in _OF_KIND) for name, own in TESTS.items()}
        self.globals = {"range": safe_range}

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return a method, which is called; nothing else of plain data can be."""
        if attribute in _METHODS.get(obj.__class__, ()):
            return getattr(obj, attribute)
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)  # raises, naming it
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return what stands under a key or at a place of plain data, or what is known of a loop, else nothing."""
        kind = obj.__class__
        if kind is dict and argument.__class__ is str and argument in obj:
            return obj[argument]  # as it is nearly always
        if kind in _HOLDERS and argument.__class__ in _KEYS:
            try:
                return obj[argument]
            except (LookupError, TypeError):
                return self.undefined(obj=obj, name=argument)
        if kind is LoopContext:
            return self.getattr(obj, str(argument))
        if isinstance(obj, Undefined):
            return obj[argument]  # raises, naming it
        return self.undefined(obj=obj, name=argument if argument.__class__ in _KEYS else type(argument).__name__)

    def call(__self, __context: Context, __obj: Any, *args: Any, **named: Any) -> Any:  # as Jinja2 has it
        """Return what a function or method makes, after what it costs was taken."""
        work = __context[WORK]
        name, own = getattr(__obj, "__name__", ""), getattr(__obj, "__self__", None)
        work.take(limits.CALL)
        work.see_all(*args, *named.values())
        if own.__class__ is not dict:  # which nothing is looked for in
            work.see(own)
        if name in _STRIPPING:
            limits.few(next(iter(args), None))
        made = super().call(__context, __obj, *args, **named)
        work.see(made)
        return made

    def call_filter(self, name: str, *args: Any, **named: Any) -> Any:
        """Return what a filter makes that another one, such as ``map``, names; only a prompt's own can be."""
        if name not in FILTERS:
            raise limits.LimitError(f"there is no filter {name!r:.40} here")
        return super().call_filter(name, *args, **named)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return what an operator makes, which is not too large."""
        work = context[WORK]
        work.take(limits.STEP)
        work.see(left, right)
        made = limits.OPERATORS[operator](left, right)
        work.see(made)
        return made
