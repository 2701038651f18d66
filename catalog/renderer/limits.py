"""Limits: what an expression may make, so that no prompt and no data makes a rendering take all memory or all day."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context, LoopContext
from jinja2.utils import pass_context

from catalog.renderer.names import WORK

MOST_CHARS = 4_000_000
"""Characters of a text: the largest windows there are take about so many."""
MOST_VALUES = 200_000
"""Values in a list or mapping, those inside the ones inside counted."""
MOST_DEPTH = 100
"""Levels of lists and mappings inside each other."""
_VALUE, STEP, CALL = 20, 30, 100
"""Characters that looking at one value of a list, one operator, or one call takes as long as."""
_NUMBER = 4
"""The same of a number of a range, which is made as it is looked at."""
MOST_SIGNS = 100
"""Signs that are taken off the ends of a text: each of its characters is compared with all of them."""
MOST_TURNS = 200_000
"""Turns of all loops of a rendering together."""
MOST_UNITS = 50_000_000
"""Characters and values that the expressions of a rendering look at: a few seconds of work at most."""
MOST_BITS = 4_096
"""Bits of an integer."""


class LimitError(TemplateRuntimeError):
    """A limit of what an expression may make was reached."""


def text(value: Any) -> str:
    """Return a value as it is written into a prompt: a text as it is, everything else as JSON.

    Raises:
        LimitError: for a value too large, and for what is no value, such as a method that was not called.
    """
    if value.__class__ is str:
        return value
    if isinstance(value, Undefined):
        return str(value)  # raises, naming it
    if value.__class__ in _CONTAINERS:
        weighed(value)
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "), default=_of_none)
    except ValueError:
        raise LimitError("a number is too large, or is none") from None
    except TypeError:
        what = type(value).__name__
        is_several = hasattr(value, "__next__") or "_" in what
        hint = "end it with 'list' or 'join'" if is_several else "call it, or take a part"
        raise LimitError(f"this is no text and no data but a {what}: {hint}") from None


_CONTAINERS = (list, tuple, dict)
_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_SIZED = frozenset[type]({*_CONTAINERS, *_VIEWS})
"""Of these is what has values."""


def _of_none(value: Any) -> Any:
    """Refuse what is in a list and no data."""
    if isinstance(value, Undefined):
        str(value)  # raises, naming it
    raise TypeError


def weighed(value: Any) -> int:
    """Return what it costs to look at all of a list or mapping; what stands in it several times counts as often.

    Raises:
        LimitError: when it holds too much, or is nested too deeply.
    """
    work, count, chars, depth = [value], 0, 0, 0
    level: list[Any] = []
    while work or level:
        if not work:
            work, level, depth = level, [], depth + 1
            if depth > MOST_DEPTH:
                raise LimitError(f"a list or mapping is nested more than {MOST_DEPTH} levels deep")
        inside = work.pop()
        count += len(inside)
        items = list(chain.from_iterable(inside.items())) if inside.__class__ is dict else inside
        chars += sum(len(item) for item in items if item.__class__ is str)
        if count > MOST_VALUES:
            raise LimitError(f"a list or mapping holds more than {MOST_VALUES:,} values")
        if chars > MOST_CHARS:
            raise LimitError(f"what is put together has more than {MOST_CHARS:,} characters")
        level += [item for item in items if item.__class__ in _CONTAINERS]
    return chars + _VALUE * count


def _cost(value: Any) -> int:
    """Return what it costs to look at a value, but not at those inside of those in it."""
    kind = value.__class__
    if kind is str:
        return len(value)
    return _NUMBER * len(value) if kind is range else _VALUE * len(value) if kind in _SIZED else 1


def _cost_of_all(value: Any) -> int:
    """Return what it costs to look at a value, and at all inside of it."""
    found: Any = list(value) if value.__class__ in _VIEWS else value
    return weighed(found) if found.__class__ in _CONTAINERS else _cost(found)


def joined(parts: list[Any]) -> str:
    """Return the texts of some values as one, which the operator ~ is read as."""
    return _short(list(map(text, parts)), "")


@pass_context
def join(context: Context, values: Any, between: str = "", attribute: str | int | None = None) -> str:
    """Return the texts of values, or of one attribute of each, with a text between them."""
    if attribute is not None:
        values = [context.environment.getitem(value, attribute) for value in values]
    return _short(list(map(text, values)), text(between))


@pass_context
def total(context: Context, values: Any, attribute: str | int | None = None, start: Any = 0) -> Any:
    """Return the sum of numbers, or of one attribute of each value; lists are joined by a loop."""
    if attribute is not None:
        values = [context.environment.getitem(value, attribute) for value in values]
    found = [start, *values]
    wrong = next((own for own in found if not isinstance(own, int | float)), None)
    if wrong is not None:
        raise LimitError(f"only numbers have a sum, and {text(wrong):.40} is none")
    return sum(found)


def _short(parts: list[str], between: str) -> str:
    if sum(map(len, parts)) + len(between) * max(len(parts) - 1, 0) > MOST_CHARS:
        raise LimitError(f"a text has more than {MOST_CHARS:,} characters")
    return between.join(parts)


def replace(value: Any, old: str, new: str, count: int = -1) -> str:
    """Return a text with one text in it replaced by another."""
    source, old, new = text(value), text(old), text(new)
    more = source.count(old) * (len(new) - len(old))
    if len(source) + more > MOST_CHARS:
        raise LimitError(f"a text has more than {MOST_CHARS:,} characters")
    return source.replace(old, new, count)


def indent(value: Any, width: int = 4, first: bool = False, blank: bool = False) -> str:
    """Return a text whose lines are indented: all but the first, unless asked for, and no blank ones."""
    lines = text(value).split("\n")
    if not 0 <= width <= 100:
        raise LimitError(f"the width of an indentation is {width}: 0 to 100")
    if sum(map(len, lines)) + (width + 1) * len(lines) > MOST_CHARS:
        raise LimitError(f"a text has more than {MOST_CHARS:,} characters")
    before = " " * width
    made = [before + line if line or blank else line for line in lines[1:]]
    return "\n".join([(before if first else "") + lines[0], *made])


def trim(value: Any, chars: str | None = None) -> str:
    """Return a text without blanks, or some signs, at its ends."""
    return text(value).strip(few(chars))


def few(chars: Any) -> Any:
    """Return signs that are to be taken off the ends of a text, which are not too many."""
    if isinstance(chars, str) and len(chars) > MOST_SIGNS:
        raise LimitError(f"{len(chars):,} signs are to be taken off a text: at most {MOST_SIGNS}")
    return chars


def rounded(value: Any, precision: int = 0) -> Any:
    """Return a number rounded to so many digits behind the point."""
    if not isinstance(value, int | float) or not -20 <= precision <= 20:
        raise LimitError(f"{value!r:.40} cannot be rounded to {precision} digits")
    return round(value, precision)


def as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, a text in quotes."""
    if isinstance(value, Undefined):
        return str(value)
    if value.__class__ in _CONTAINERS:
        weighed(value)
    if indent is not None and not 0 <= indent <= 8:
        raise LimitError(f"JSON is indented by 0 to 8, not {indent}")
    return _short([json.dumps(value, ensure_ascii=False, indent=indent)], "")


class Work:
    """Counts the turns of all loops of a rendering, and the characters and values that its expressions look at.

    Attributes:
        met: numbers of the thresholds that were met inside of expressions.
    """

    __slots__ = ("met", "turns", "units")

    def __init__(self) -> None:
        self.turns, self.units = MOST_TURNS, MOST_UNITS
        self.met: set[int] = set()

    def turn(self, count: int) -> None:
        """Take so many turns.

        Raises:
            LimitError: when there are none left.
        """
        self.turns -= count
        if self.turns < 0:
            raise LimitError(f"the loops of this prompt take more than {MOST_TURNS:,} turns")

    def see(self, *values: Any) -> None:
        """Take what it costs to look at some values.

        Raises:
            LimitError: when nothing is left.
        """
        self.take(sum(map(_cost, values)))

    def see_all(self, *values: Any) -> None:
        """Take what it costs to look at some values, and at those inside of them.

        Raises:
            LimitError: when nothing is left, and for values that hold too much.
        """
        self.take(sum(map(_cost_of_all, values)))

    def take(self, units: int) -> None:
        """Take so many units.

        Raises:
            LimitError: when nothing is left.
        """
        self.units -= units
        if self.units < 0:
            raise LimitError(f"the expressions of this prompt look at more than {MOST_UNITS:,} characters and values")


@pass_context
def counted(context: Context, values: Any) -> Any:
    """Return what a loop goes through, after its turns were taken."""
    if isinstance(values, Undefined) or not hasattr(values, "__iter__"):
        return values  # the loop itself complains
    found = values if hasattr(values, "__len__") else list(values)
    context[WORK].turn(len(found))
    return found


@pass_context
def seen(context: Context, value: Any) -> Any:
    """Return a value that is compared or was cut out of another, after what it costs was taken."""
    work = context[WORK]
    work.take(STEP)
    work.see_all(value)
    return value


@pass_context
def searched(context: Context, value: Any) -> Any:
    """Return what something is looked for in, after what it costs was taken: in a mapping that is next to nothing."""
    if value.__class__ is dict:
        context[WORK].take(STEP)
        return value
    return seen(context, value)


@pass_context
def met(context: Context, rank: Any, number: int) -> Any:
    """Return a rank that is about to be compared, after the threshold was noted."""
    context[WORK].met.add(number)
    return rank


def _nothing(_: Context) -> tuple[Any, ...]:
    return ()


_FIRST: Mapping[str, Callable[[Context], tuple[Any, ...]]] = {
    "context": lambda context: (context,),
    "eval_context": lambda context: (context.eval_ctx,),
    "environment": lambda context: (context.environment,),
}
"""What Jinja2's own filters are handed first, by what they ask for."""


def counting(own: Callable[..., Any], *, deeply: bool = False, attribute: slice | None = None) -> Callable[..., Any]:
    """Return a filter or test that takes what it costs to look at what it is given and what it makes.

    Args:
        own: the filter or test.
        deeply: whether it looks at what lies inside of lists, too.
        attribute: which of its arguments may name the attribute of each value that it looks at.
    """
    asks: Any = getattr(own, "jinja_pass_arg", None)
    first = _FIRST.get(getattr(asks, "name", ""), _nothing)

    @pass_context
    def counted_call(context: Context, *values: Any, **named: Any) -> Any:
        work = context[WORK]
        steps = 0 if attribute is None else _steps([*values[attribute], named.get("attribute")])
        if (deeply or steps) and values and hasattr(values[0], "__next__"):
            values = (list(values[0]), *values[1:])
        costs = map(_cost_of_all if deeply else _cost, (*values, *named.values()))
        work.take(CALL + sum(costs) + (_cost(values[0]) * steps if steps else 0))
        made = own(*first(context), *values, **named)
        work.take(_cost(made))
        return _each(work, made) if _comes_singly(made) else small(made)

    return counted_call


def _steps(attributes: Sequence[Any]) -> int:
    """Return how many steps attributes take into each value: ``a.b`` are two; 0 where none is named."""
    texts = [own for own in attributes if isinstance(own, str)]
    return max((own.count(".") + own.count(",") + 1 for own in texts), default=0)


def _comes_singly(values: Any) -> bool:
    """Return whether values come one by one, as those of ``map`` do."""
    return hasattr(values, "__next__") and values.__class__ is not LoopContext


def _each(work: Work, values: Iterator[Any]) -> Iterator[Any]:
    """Yield values that come one by one, each after what it costs was taken."""
    for value in values:
        work.take(_VALUE)
        yield value


def plus(left: Any, right: Any) -> Any:
    """Return a sum, or two texts or lists one behind the other."""
    if isinstance(left, str) and isinstance(right, str):
        return _short([left, right], "")
    made = left + right
    if made.__class__ in _CONTAINERS:
        weighed(made)
    return small(made)


def times(left: Any, right: Any) -> Any:
    """Return a product; of a text or list it is a repetition."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            most = MOST_CHARS if isinstance(one, str) else MOST_VALUES
            if len(one) * other > most:
                raise LimitError(f"a repetition has more than {most:,} parts")
            made: Any = one * other
            if not isinstance(one, str):
                weighed(made)
            return made
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > MOST_BITS:
        raise LimitError(f"a number has more than {MOST_BITS:,} bits")
    return left * right


def power(left: Any, right: Any) -> Any:
    """Return a power."""
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > MOST_BITS:
        raise LimitError(f"a number has more than {MOST_BITS:,} bits")
    return left**right


def remainder(left: Any, right: Any) -> Any:
    """Return a remainder; texts are not formatted."""
    if isinstance(left, str):
        raise LimitError("% formats no texts here: join them with ~")
    return left % right


def small(value: Any) -> Any:
    """Return a number that is not too large."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise LimitError(f"a number has more than {MOST_BITS:,} bits")
    return value


OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {"+": plus, "*": times, "**": power, "%": remainder}
