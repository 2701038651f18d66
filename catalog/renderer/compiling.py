"""Compiling: a tree as a generator of groups: the number of a mark, and behind it the pieces of text that it made.

The numbers travel beside the text and never in it, so nothing that a template or a caller's data says can be taken for
one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import TemplateError
from jinja2.runtime import Context

from catalog.errors import PromptError
from catalog.renderer.limits import text
from catalog.renderer.places import Place
from catalog.renderer.sandbox import Sandbox

Group = tuple[Any, ...]
"""The number of a mark and pieces of text; or -1 - the number of a threshold that is met, or a channel that turns."""
Run = Callable[[Context], Iterator[Group]]


class Compiled(NamedTuple):
    """A tree that can be run.

    Attributes:
        run: yields its groups.
        place_of_error: gives the template line of an error that this raises; None of another one.
    """

    run: Run
    place_of_error: Callable[[BaseException], Place | None]


_FILE = "<prompt>"


class Generator(CodeGenerator):
    """Writes each group of an output as one tuple."""

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        """Write the code of an output."""
        groups: list[tuple[int | str, list[nodes.Node]]] = node.groups  # type: ignore[attr-defined] # given by the analysis
        for number, children in groups:
            self.writeline(f"yield ({number!r},", children[0] if children else node)
            for child in children:
                if isinstance(child, nodes.TemplateData):
                    self.write(f" {child.data!r},")
                else:
                    self.write(" _text(")
                    self.visit(child, frame)
                    self.write("),")
            self.write(")")


def compiled(environment: Sandbox, tree: nodes.Template, name: str, place: Callable[[int], Place]) -> Compiled:
    """Return what runs a tree.

    Args:
        environment: what its expressions run in.
        tree: analysed; every output has its groups.
        name: of the prompt.
        place: gives the place of a line of the tree.

    Raises:
        PromptError: for what Jinja2 itself refuses.
    """
    tree.set_environment(environment)
    try:
        generator = Generator(environment, name, _FILE, optimized=False)
        generator.visit(tree)
        source = generator.stream.getvalue()  # type: ignore[attr-defined] # a StringIO, as none was given
    except (TemplateError, RecursionError) as error:
        what = "the text is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise PromptError(what, place=place(getattr(error, "lineno", None) or 1)) from None
    names: dict[str, Any] = {"environment": environment, "_text": text}
    try:
        exec(compile(source, _FILE, "exec"), names)
    except (SyntaxError, RecursionError, MemoryError):  # Python nests twenty loops and a hundred conditions
        raise PromptError("loops or conditions are nested too deeply", place=place(1)) from None
    lines = [(int(own), int(of)) for of, own in (pair.split("=") for pair in names["debug_info"].split("&") if pair)]

    def place_of_error(error: BaseException) -> Place | None:
        step, found = error.__traceback__, None
        while step is not None:
            if step.tb_frame.f_code.co_filename == _FILE:
                found = step.tb_lineno
            step = step.tb_next
        if found is None:
            return None
        line = next((of for own, of in reversed(lines) if own <= found), None)
        return None if line is None else place(line)

    return Compiled(names["root"], place_of_error)
