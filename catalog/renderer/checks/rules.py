"""Rules: what is checked of a folder of prompts, why, and what it looks like done badly and well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from catalog.errors import NotFoundError, nearest
from catalog.renderer.places import Place

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule.

    Attributes:
        code: by which it is known; it never changes its meaning.
        name: in words.
        severity: ``error``: the text is or may be wrong; ``warning``: it costs more than it need.
        reason: why.
        bad: an example that breaks it.
        good: the same, done well.
    """

    code: str
    name: str
    severity: Severity
    reason: str
    bad: str
    good: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that breaks a rule.

    Attributes:
        rule: the rule.
        place: file, line and column.
        message: what it is, in words.
        hint: what to change; '' where the rule says it.
    """

    rule: Rule
    place: Place
    message: str
    hint: str = ""


def _rule(code: str, name: str, severity: Severity, reason: str, *, bad: str, good: str) -> tuple[str, Rule]:
    return code, Rule(code=code, name=name, severity=severity, reason=reason, bad=bad, good=good)


RULES: Mapping[str, Rule] = dict([
    _rule(
        "P001", "a prompt cannot be read", "error",
        "What cannot be read cannot be rendered: front matter, syntax, includes, sections.",
        bad="{% macro greet(name) %}", good="{% include \"greeting.md\" %}",
    ),
    _rule(
        "P002", "a suppression without reason", "error",
        "A reader must know why a rule does not hold here, and when it will again.",
        bad="{# check: P103 #}", good="{# check: P103 because the customer's template is quoted whole #}",
    ),
    _rule(
        "P101", "much of a file stands in fenced blocks", "warning",
        "Examples are read as what to write, take most of the tokens, and say nothing of what may differ.",
        bad="A page of JSON with a sentence above it.", good="A sentence, and {{ interface('Reply') }}.",
    ),
    _rule(
        "P102", "a fenced block is long", "warning",
        "What is needed once in a while should be read once in a while: as a reference of the action index.",
        bad="580 lines of an HTML report.", good="Ask for the reference report-layout before you write a report.",
    ),
    _rule(
        "P103", "JSON by hand for a type that has an interface", "error",
        "Two descriptions of one type drift apart, and the example does not say what is optional.",
        bad='```json\n{"taskComplete": true, "message": "…", "nextStep": null}\n```', good="{{ interface('Reply') }}",
    ),
    _rule(
        "P104", "the output type is not shown", "error",
        "A model that is not told the type it answers in guesses it.",
        bad="output: Reply, and no interface in the text", good="{{ interface('Reply') }}",
    ),
    _rule(
        "P105", "a sentence is said twice", "warning",
        "Said once it is a rule; said three times it is noise that costs tokens in each turn. "
        "Sentences of eight words and more are compared.",
        bad="What a loop returns is gone after the next turn.\n"
        "Remember that what a loop returns is gone after the next turn.",
        good="What a loop returns is gone after the next turn.",
    ),
    _rule(
        "P106", "an instruction that belongs to an action", "warning",
        "How an action is used is said where the action is described, and only who uses it reads it. "
        "The folder's file actions.json lists the actions, each with name and description.",
        bad="Always call Finalize Document after Create Document.",
        good="In the description of Create Document: call Finalize Document when all content is added.",
    ),
    _rule(
        "P107", "many guardrails", "warning",
        "Where everything is forbidden in capitals nothing stands out. More than three in a hundred words are told, "
        "in files of sixty words and more.",
        bad="You MUST NEVER … It is CRITICAL that you ALWAYS …", good="Leave files outside of the project as they are.",
    ),
    _rule(
        "P108", "an agent that sets no section", "warning",
        "The defaults of a base are for no agent in particular: what one cannot use is read in each turn for nothing.",
        bad="base: loop.md", good="base: loop.md\nsections: {foreach: false, scratchpad: true}",
    ),
    _rule(
        "P109", "what changes stands in the system prompt", "error",
        "A prompt cache holds what stands before the first sign that changes: here it ends in each turn.",
        bad="It is {{ _CURRENT_DATE }}.", good="{% state %}It is {{ _CURRENT_DATE }}.{% endstate %}",
    ),
    _rule(
        "P110", "a section goes with a field that no type has", "error",
        "Where the section is off its field is to be left out of what is shown, and here nothing is.",
        bad="sections: {foreach: {default: true, field: foreach}}, and the type has forEach",
        good="sections: {foreach: {default: true, field: forEach}}",
    ),
    _rule(
        "P201", "the rank is not compared with an integer", "error",
        "Only `_MODEL_POWER_RANK <op> integer` can be claimed, tested on both sides, and rendered once per interval.",
        bad="{% if _MODEL_POWER_RANK > limit %}", good="{% if _MODEL_POWER_RANK >= 100 %}",
    ),
    _rule(
        "P202", "speed or cost decides on content", "error",
        "Speed and cost say nothing of what a model understands; fast and strong models would get the weak text.",
        bad="{% if _MODEL_SPEED_RANK > 5 %}", good="{% if _MODEL_POWER_RANK < 100 %}",
    ),
    _rule(
        "P203", "words for tiers", "warning",
        "Frontier and small are relative to the day they were written; a threshold is a claim that does not move.",
        bad="If you are a frontier model, be brief.", good="{% if _MODEL_POWER_RANK >= 300 %}Be brief.{% endif %}",
    ),
    _rule(
        "P204", "a threshold without claim", "error",
        "A number without a claim cannot be shown to be wrong.",
        bad="{% if _MODEL_POWER_RANK < 100 %}",
        good="{# claim: needs no example; eval: protocol/terse #}\n{% if _MODEL_POWER_RANK < 100 %}",
    ),
    _rule(
        "P205", "an eval that does not exist", "error",
        "The claim says that something shows it, and nothing does.",
        bad="{# claim: …; eval: protocl/terse #}", good="{# claim: …; eval: protocol/terse #}",
    ),
    _rule(
        "P206", "a threshold in a prompt without type", "error",
        "A rank means something only inside its type.",
        bad="no type in the front matter", good="type: llm",
    ),
    _rule(
        "P207", "a third threshold", "warning",
        "Two numbers are two claims that can be kept in mind; more of them ask for another division of the text.",
        bad="thresholds at 100, 250 and 300", good="thresholds at 100 and 300",
    ),
    _rule(
        "P208", "a side of a threshold that no eval covers", "warning",
        "A claim is shown by models that have the capability, and by models that have not.",
        bad="protocol/terse was run for ranks 300 to 576", good="protocol/terse was run for ranks 60 and 300",
    ),
    _rule(
        "P301", "a variable that nobody declares", "error",
        "It fails in production, when the prompt is rendered.",
        bad="{{ titel }}", good="data: {title: text} … {{ title }}",
    ),
    _rule(
        "P302", "data or a variable that nobody reads", "warning",
        "Callers make it for nothing, and readers look for it.",
        bad="data: {title: text}, and no {{ title }}", good="Leave it out of the front matter.",
    ),
    _rule(
        "P303", "a branch that is never reached", "warning",
        "Nobody reads it, and everybody believes that it is read.",
        bad="{% if _MODEL_POWER_RANK < 100 %}{% if _MODEL_POWER_RANK >= 300 %}…",
        good="{% if _MODEL_POWER_RANK < 100 %}…{% elif _MODEL_POWER_RANK < 300 %}…",
    ),
])  # fmt: skip
"""All rules by code."""


def rule(code: str) -> Rule:
    """Return a rule.

    Raises:
        NotFoundError: when there is none of this code.
    """
    if code.upper() not in RULES:
        raise NotFoundError(f"there is no rule {code!r}", hint=nearest(code.upper(), RULES, otherwise="See them all."))
    return RULES[code.upper()]
