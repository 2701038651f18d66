"""How long prompts take to render and to check, beside raw Jinja2, and how few tokens interfaces take.

Run: python -m benchmarks.rendering. Raw Jinja2 renders the same text in turn with ours, in this one run; ours copies
the data, cuts the text into segments and hashes them. Needs the extra "tokens". Exit 1 when a bound is missed.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import jinja2
from pydantic import BaseModel, Field

from benchmarks.selection import synthetic
from catalog.renderer import ActionIndex, Renderer, interface
from catalog.renderer.actions import Action
from catalog.renderer.checks.checking import check
from catalog.renderer.checks.estates import estate
from catalog.selector import Request, select
from catalog.tokens import exact_tokenizer

BOUND_RATIO, BOUND_EACH, BOUND_CHECK, BOUND_SEARCH, BOUND_TOKENS = 2.0, 25.0, 1.0, 2.0, 2.2
"""Times raw Jinja2; milliseconds for 167 models; seconds for 1 MB; milliseconds among 1,000; times fewer tokens."""
MODELS, ROWS, ROUNDS = 167, 40, 400
TEXT = {"type": "string"}
WORDS = "Answer with the shape of the protocol and name what you could not find. "
NOW = dt.datetime(2026, 11, 30, 9, tzinfo=dt.UTC)


def main() -> None:
    """Measure and print; end in 1 when a bound is missed."""
    with tempfile.TemporaryDirectory() as name:
        missed = [*rendering(Path(name) / "one"), *checking(Path(name) / "many"), *searching(), *interfaces()]
    print("\n" + "\n".join(["every bound is kept"] if not missed else ["missed:", *missed]))
    sys.exit(1 if missed else 0)


def template() -> tuple[str, str]:
    """Return a text of 20 conditionals, an include and a loop, which renders to 29 KB, and what it includes."""
    parts = []
    for number in range(20):
        cut = (100, 300)[number % 2]
        parts.append(
            f"## Rule {number}\n{WORDS * 9}\n{{# claim: knows rule {number}; eval: rules/{number} #}}\n"
            f"{{% if _MODEL_POWER_RANK < {cut} %}}\n{WORDS * 9}\n{{% else %}}\n{WORDS * 9}\n{{% endif %}}\n"
        )
    loop = "{% for row in rows %}\n- {{ row.name }}: {{ row.status }} since {{ row.day }}\n{% endfor %}\n"
    return "".join(parts) + '{% include "tone.md" %}\n' + loop, WORDS * 20 + "\n"


def rendering(root: Path) -> list[str]:
    """Time one rendering beside raw Jinja2, and one for each of 167 models; return the bounds missed."""
    body, tone = template()
    root.mkdir()
    (root / "big.md").write_text(f"---\ntype: llm\ndata: {{rows: list}}\n---\n{body}")
    (root / "tone.md").write_text(tone)
    rows = [{"name": f"name {number}", "status": "open", "day": "2026-11-30"} for number in range(ROWS)]
    raw = jinja2.Environment(
        loader=jinja2.DictLoader({"big": body, "tone.md": tone}), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
    ).get_template("big")  # fmt: skip
    ours = Renderer(root, clock=lambda: NOW)
    candidates = select(synthetic(MODELS, 1), Request(type="llm")).candidates
    one = candidates[len(candidates) // 2]
    rank = one.model.power_rank
    text = raw.render(_MODEL_POWER_RANK=rank, rows=rows)
    assert ours.render("big", one, data={"rows": rows}).messages[0].text == text
    theirs, own = in_turn(
        lambda: raw.render(_MODEL_POWER_RANK=rank, rows=rows), lambda: ours.render("big", one, data={"rows": rows})
    )
    print(
        f"render {len(body):,} characters to {len(text):,}: raw Jinja2 {theirs * 1e6:.0f} µs, ours {own * 1e6:.0f} µs"
    )
    print(f"  {own / theirs:.2f} times as long  ≤ {BOUND_RATIO:g}")
    each = min(once(lambda: list(ours.render_each("big", candidates, data={"rows": rows}))) for _ in range(25)) * 1e3
    print(f"for {len(candidates)} models: {each:.1f} ms  ≤ {BOUND_EACH:g}")
    missed = [] if own / theirs <= BOUND_RATIO else [f"rendering takes {own / theirs:.2f} times as long as raw Jinja2"]
    return missed + ([] if each <= BOUND_EACH else [f"{len(candidates)} models take {each:.1f} ms"])


def checking(root: Path) -> list[str]:
    """Time the check of a megabyte of prompts; return the bounds missed."""
    body, tone = template()
    root.mkdir()
    (root / "tone.md").write_text(tone)
    count = 1_000_000 // len(body)
    for number in range(count):
        (root / f"agent-{number}.md").write_text(f"---\ntype: llm\ndata: {{rows: list}}\n---\n{number} {body}")
    size = sum(path.stat().st_size for path in root.glob("*.md"))
    found: list[Any] = []
    taken = min(once(lambda: found.append(check(estate(root)))) for _ in range(7))
    told = f"{len(found[0].findings):,} findings"
    print(f"check {size:,} bytes in {count + 1} files: {taken:.2f} s, {told}  ≤ {BOUND_CHECK:g}")
    return [] if taken * 1_000_000 / size <= BOUND_CHECK else [f"a check of 1 MB takes {taken:.2f} s"]


def searching() -> list[str]:
    """Time a search among a thousand actions; return the bounds missed."""
    kinds = ("invoice", "ticket", "document", "report")
    entries = [
        Action(
            name=f"create_{kind}_{number}", description=f"Creates a {kind} of the kind {number}. More about it.",
            source="tickets" if number % 2 else "files",
            parameters={"type": "object", "properties": {"title": TEXT, f"field{number}": TEXT}},
        )
        for number in range(250)
        for kind in kinds
    ]  # fmt: skip
    index = ActionIndex(entries)
    index.search("warm up")
    queries = ("create_ticket_7 please", "creating invoices", "documents with field13", "a report of kind three")
    worst = max(min(once(lambda q=query: index.search(q)) for _ in range(25)) for query in queries) * 1e3  # type: ignore[misc]
    print(f"search among {len(index):,} actions, the slowest query: {worst:.2f} ms  ≤ {BOUND_SEARCH:g}")
    return [] if worst <= BOUND_SEARCH else [f"a search takes {worst:.2f} ms"]


class Open(BaseModel):
    """Opens something for the user."""

    type: Literal["open"]
    resource: str = Field(description="What to open")


class Notify(BaseModel):
    """Tells the user something."""

    type: Literal["notify"]
    message: str = Field(min_length=1, max_length=80)


class Question(BaseModel):
    """One question of a form."""

    id: str
    label: str = Field(description="What the user reads")
    kind: Literal["text", "number", "choice", "date"] = "text"
    options: list[str] | None = None
    required: bool = False


class Form(BaseModel):
    """What the user is asked."""

    title: str
    questions: list[Question]


class Call(BaseModel):
    """A call of an action."""

    name: str
    params: dict[str, str | int | bool] = {}


class Step(BaseModel):
    """What comes next."""

    type: Literal["actions", "chat", "wait"]
    actions: list[Call] | None = Field(None, description="For actions")
    reason: str | None = None


class Reply(BaseModel):
    """What an agent answers."""

    taskComplete: bool = Field(description="Whether the task is done")
    message: str | None = Field(None, description="For the user")
    reasoning: str | None = None
    confidence: float | None = Field(None, ge=0, le=1)
    nextStep: Step | None = None
    form: Form | None = None
    commands: list[Open | Notify] = []


def interfaces() -> list[str]:
    """Count the tokens of a type as an interface and as a schema; return the bounds missed."""
    count = exact_tokenizer("o200k").count
    schema = json.dumps(Reply.model_json_schema(), separators=(",", ":"))
    short, long = count(interface(Reply)), count(schema)
    print(
        f"a type of seven: interface {short} tokens, compact JSON Schema {long}: {long / short:.2f}  ≥ {BOUND_TOKENS}"
    )
    return [] if long / short >= BOUND_TOKENS else [f"an interface takes {long / short:.2f} times fewer tokens"]


def in_turn(*calls: Callable[[], object]) -> list[float]:
    """Return the best time of each call in seconds, measured in turn, so that a noisy moment falls on all of them."""
    best = [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for number, call in enumerate(calls):
            best[number] = min(best[number], once(call))
    return best


def once(call: Callable[[], object]) -> float:
    """Return how long a call takes, in seconds."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
