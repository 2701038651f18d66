"""Whatever a user gets wrong is answered in a line or two that name it, with the right exit code; nothing changes."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from catalog.settings import sqlite_path
from catalog.store.book import Book, writing
from tests.command_line import NOW, Said, findings, head, run

pytest_plugins = ["tests.seeded"]

NEW = "add-model X --type llm --developer Example"
DATED = "--as-of 2026-11-20"
SCORED = f"--score aa@4.3=44.9 {DATED}"
WITHOUT_RANK = (
    "audit correct grok-4-5 --low 1 --high 9 --source S --index-version 1 --as-of 2026-11-20 --reason R --rank"
)
BY_HAND = "audit correct grok-4-5 --rank 400 --reason R"
PROVENANCE = "--source S --index-version 1 --as-of 2026-11-20"

REFUSED = {
    "placement": [
        (f"add-model X --type llms --developer Example {SCORED}", 2, "'llms'"),
        (f"add-model 'Claude Opus 5' --type llm --developer anthropic {SCORED}", 1, "claude-opus-5"),
        (f"add-model 'Claude Opus5' --type llm --developer anthropic {SCORED}", 1, "nearly the model claude-opus-5"),
        (f"add-model X --type llm --developer Open-AI {SCORED}", 1, "nearly the vendor openai"),
        (f"{NEW} --label artificial-analysis:claude-opus-5-6", 3, "claude-opus-5-6"),
        (f"{NEW} --label artificial-analysis:claude-opus-5-5", 1, "belongs to claude-opus-5-5"),
        (f"{NEW} --label claude-opus-5-5", 2, "'claude-opus-5-5'"),
        (f"{NEW} --score livebench@seen-2026-05-04=60 {DATED}", 1, "nobody states the version"),
        (f"{NEW} --score arena-text@style-control=1438 {DATED}", 1, "sanity"),
        (f"{NEW} --score aa@4.4=44.9 {DATED}", 2, "'aa@4.4'"),
        (f"{NEW} --score aa=44.9 {DATED}", 2, "'aa'"),
        (f"{NEW} --score aa@4.3 {DATED}", 2, "'aa@4.3'"),
        (f"{NEW} --score aa@4.3=high {DATED}", 2, "'high'"),
        (f"{NEW} --score aa@4.3=inf {DATED}", 2, "'inf'"),
        (f"{NEW} --score aa@4.3=-1 {DATED}", 2, "-1"),
        (f"{NEW} --score aa@4.3=449 {DATED}", 2, "449"),
        (f"{NEW} --score aa@4.3=44.9", 2, "--as-of"),
        (f"{NEW} --label artificial-analysis:x --as-of 2026-11-20", 2, "--as-of says nothing without --score"),
        (f"{NEW} --score aa@4.3=44.9 --as-of 2026-02", 2, "'2026-02'"),
        (f"{NEW} --score aa@4.3=44.9 --as-of 2026-02-30", 2, "'2026-02-30'"),
        (f"{NEW} --score aa@4.3=44.9 --as-of 2026-12-01", 2, "2026-12-01"),
        (f"{NEW} --score aa@4.3=44.9 --as-of 2026-01-01", 2, "2026-01-01"),
        (f"{NEW} --released 2026-11-25 {SCORED}", 1, "2026-11-25"),
        (f"{NEW} --score aa@4.0.4=57 {DATED}", 1, "3 anchors, 5 are needed"),
        (f"{NEW} --score aa@4.3=99 {DATED}", 1, "92 anchors below and 0 above"),
        (f"{NEW} --score aa@4.3=1 {DATED}", 1, "0 anchors below and 92 above"),
        (f"{NEW} --effort hihg {SCORED}", 2, "'hihg'"),
        (f"{NEW} --context many {SCORED}", 2, "'many'"),
        (f"{NEW} --context 10 --max-output 20 {SCORED}", 2, "window of 10"),
        (f"{NEW} --offer =x {SCORED}", 2, "'=x'"),
        (f"{NEW} --slug X_1 {SCORED}", 2, "'X_1'"),
        (f"{NEW} --reason ' ' {SCORED}", 2, "reason"),
        (f"--actor ' ' {NEW} {SCORED}", 2, "actor"),
        (f"add-model --type llm {SCORED}", 2, "NAME --developer"),
        ("add-model", 2, "NAME --type --developer --score"),
        (f"add-model '???' --type llm --developer Example {SCORED}", 2, "'???'"),
        (f"add-model X --type realtime --developer Example {SCORED}", 2, "of type realtime"),
        (
            f"add-model X --type reranker --developer E --score agentset@2025-11=2400 {DATED} --extrapolate",
            1,
            "end at 99",
        ),
        (f"{NEW} --same-weights-as betty", 1, "betty, which is not ranked"),
        (f"{NEW} --same-weights-as whisper-1", 2, "whisper-1"),
        ("lock gpt-5", 1, "gpt-5 is ranked 230 and locked"),
        ("lock whisper-1", 3, "no open proposal"),
        ("lock whisper-1 --place", 1, "whisper-1"),
        ("lock gpt-5.5x", 3, "'gpt-5.5x'"),
    ],
    "ranks": [
        (f"{WITHOUT_RANK} 0", 2, "'0'"),
        (f"{WITHOUT_RANK} -1", 2, "'-1'"),
        (f"{WITHOUT_RANK} 3.5", 2, "'3.5'"),
        (f"{WITHOUT_RANK} '\"600\"'", 2, "600"),
        (f"{WITHOUT_RANK} ٦", 2, "'٦'"),
        (f"{WITHOUT_RANK} 600", 2, "600 with interval 1–9"),
        (f"{BY_HAND}", 2, "--low --high --source --index-version --as-of"),
        (f"{BY_HAND} --low 390 --high 410 --source ' ' --index-version 1 {DATED}", 2, "--source"),
        (f"{BY_HAND} --low 390 --high 410 --source S --index-version unstated {DATED}", 2, "'unstated'"),
        (f"{BY_HAND} --low 390 --high 410 --source S --index-version 1 --as-of 2026-11", 2, "'2026-11'"),
        (f"{BY_HAND} --low 390 --high 410 --source S --index-version 1 --as-of 2027-01-01", 2, "2027-01-01"),
        (f"{BY_HAND} --place", 2, "--place"),
        ("audit correct grok-4-5 --place", 2, "--reason"),
        ("audit correct grok-4.5 --place --reason R", 3, "grok-4-5"),
        ("audit correct whisper-1 --place --reason R", 2, "whisper-1 is unranked"),
        (f"audit correct whisper-1 --rank 60 --low 50 --high 170 {PROVENANCE} --reason R", 2, "stt ranks end at 99"),
        ("edit grok-4-5 power_rank=600", 1, "power_rank is locked"),
        ("edit grok-4-5 as_of=2026-11-20", 1, "as_of is locked"),
        ("edit grok-4-5 slug=grok", 1, "never change"),
        ("edit grok-4-5 type=stt", 1, "never change"),
        ("rebase --type llm", 1, "llm was rebased already"),
        ("rebase --type lm", 3, "'lm'"),
        ("rebase", 3, "nothing to rebase"),
        ("audit check llm --fail-on bad", 2, "'bad'"),
        ("audit check lm", 3, "'lm'"),
        ("audit log --since yesterday", 2, "'yesterday'"),
        ("audit log --action rename", 3, "'rename'"),
    ],
    "facts": [
        ("list lm", 3, "'lm'"),
        ("list llm --min-power many", 2, "'many'"),
        ("list --json --csv", 2, "--csv"),
        ("list --as-of 2026-02", 2, "'2026-02'"),
        ("list --bogus", 2, "--bogus"),
        ("list --status gone", 2, "'gone'"),
        ("lock whisper-1 --place --withdraw", 2, "--place and --withdraw"),
        ("edit gpt-5 name=X\u202eY", 2, "invisible"),
        (f"edit gpt-5 note={'x' * 5000}", 2, "5,000 characters"),
        ("show claude-opus-55", 3, "claude-opus-5-5"),
        ("why claude-opus-55", 3, "claude-opus-5-5"),
        ("history claude-opus-55", 3, "claude-opus-5-5"),
        ("audit log claude-opus-55", 3, "claude-opus-5-5"),
        ("alias add gpt-5 artificial-analysis:claude-opus-5-5", 1, "belongs to claude-opus-5-5"),
        ("alias add gpt-5 claude-opus-5-5", 2, "'claude-opus-5-5'"),
        ("alias add gpt-5 artificial-analysis:x --scope aa@9", 2, "'aa@9'"),
        ("alias add gpt-5 artificial-analysis:x --scope eci@2026-05", 2, "eci@2026-05"),
        ("alias add gpt-5x artificial-analysis:x", 3, "'gpt-5x'"),
        ("score add aa@4.3=57.6 --label x --as-of 2026-02", 2, "'2026-02'"),
        ("score add aa@4.3=576 --label x --as-of 2026-11-20", 2, "576"),
        ("score add aa@5=57.6 --label x --as-of 2026-11-20", 2, "'aa@5'"),
        ("edit gpt-5 context_window=big", 2, "'big'"),
        ("edit gpt-5 context_window", 2, "'context_window'"),
        ("edit gpt-5 colour=blue", 2, "'colour'"),
        ("edit gpt-5 status=gone", 2, "'gone'"),
        ("edit gpt-5 released=2026-13-01", 2, "'2026-13-01'"),
        ("retire gpt-5 --on 2026-11", 2, "'2026-11'"),
        ("retire gpt-5 --on 2026-12-24", 2, "2026-12-24, which lies in the future"),
        ("edit gpt-5 legacy_ordinal=99", 1, "the legacy ordinal of gpt-5"),
        ("edit gpt-5 prior=gpt-5", 2, "its own prior"),
        ("edit gpt-5 same_weights_as=claude-opus-5", 1, "gpt-5 is ranked 230 and claude-opus-5 508"),
        ("edit gpt-5 name=A name=B", 2, "name is given twice"),
        ("alias add gpt-5 mteb:x", 2, "gpt-5 is of type llm"),
        ("price add gpt-5 openai --source S --as-of 2026-11-20", 2, "names no amount"),
        ("price add gpt-5 openai --input 1 --source S --as-of 2026-12-24", 2, "in the future"),
        ("price add gpt-5x openai --input 1 --source S --as-of 2026-11-20", 2, "no model 'gpt-5x'"),
        ("release add aa@4.4 --like aa@4.3 --published 2027-01-01", 2, "in the future"),
        ("release add aa --like aa@4.3", 2, "'aa' is not a release key"),
        (f"{BY_HAND} --low 390 --high 410 --source S --index-version seen-2026-05-04 {DATED}", 2, "states no version"),
        ("edit gpt-5 context_window=400001 --reason --dry-run", 2, "--reason has no value"),
        ("edit gpt-5 context_window=400001 --reason=", 2, "--reason is empty"),
        ("alias add gpt-5 artifical-analysis:x", 2, "Did you mean 'artificial-analysis'?"),
        ("release add aa@4.3 --like aa@4.2", 1, "there is a release 'aa@4.3' already"),
        ("release add aa@latest --like aa@4.3", 2, "'latest'"),
        ("release add aa@4.4 --like aa@4.x", 2, "'aa@4.x'"),
        ("release add foo@1", 2, "type, index_name, publisher, space"),
        ("release add aa@4.4 --like aa@4.3 --standard-error 0", 2, "standard error"),
        ("release list lm", 3, "'lm'"),
        ("price add gpt-5 openai2 --input 1 --source S --as-of 2026-11-20", 2, "Did you mean openai"),
        ("price add gpt-5 anthropic --input 1 --source S --as-of 2026-11-20", 2, "no offer of gpt-5"),
        ("price add gpt-5 openai --input -1 --source S --as-of 2026-11-20", 2, "below 0"),
        ("price add gpt-5 openai --input 1 --source S --as-of 2020-01-01", 1, "overlaps"),
        ("price list gpt-5 --vendor nobody", 3, "'nobody'"),
        ("price list gpt-5 --vendor groq", 3, "no price"),
        ("score list --release aa@4", 3, "'aa@4'"),
        ("score list --model gpt5", 3, "Did you mean gpt-5"),
        ("alias list gpt5", 3, "Did you mean gpt-5"),
        ("alias list --space artificial", 3, "'artificial'"),
        ("list --as-of 2020-01-01", 3, "held nothing yet"),
        ("retire gpt-55x", 3, "'gpt-55x'"),
        ("init", 1, "holds a catalog already"),
        ("init --legacy --empty", 2, "--legacy"),
        ("frobnicate", 2, "'frobnicate'"),
    ],
}

FILES = [
    ("empty.yaml", b"", "is empty"),
    ("latin.yaml", "name: Élan\n".encode("latin-1"), "is not UTF-8"),
    ("cut.yaml", b"- name: X\n  scores: [{release: aa@4.3, va", "cut off"),
    ("cut.json", b'[{"name": "X", "type": "llm", "dev', "cut off"),
    ("text.yaml", b"just text", "holds no list"),
    ("lacks.yaml", b"name: X\ntype: llm\n", "developer, scores"),
    ("typo.yaml", b"name: X\ntype: llm\ndevelopr: E\n", "'developr'"),
    ("twice.json", b'{"name": "X", "name": "Y"}', "stands twice"),
]


@pytest.mark.parametrize("about", sorted(REFUSED))
def test_bad_input_is_refused(ranked_url: str, about: str) -> None:
    """Each command of the table: exit code, what the message names, at most two lines, and the same head after it."""
    before = head(ranked_url)
    wrong = [problem for row in REFUSED[about] for problem in problems(ranked_url, before, *row)]
    assert wrong == []
    assert findings(ranked_url) == ()


def test_bad_files_are_refused(ranked_url: str, tmp_path: Path) -> None:
    """From a file and from standard input, for models and for scores."""
    before, wrong = head(ranked_url), []
    for name, data, says in FILES:
        (tmp_path / name).write_bytes(data)
        wrong += problems(ranked_url, before, f"add-model --from {tmp_path / name}", 2, says)
    for stdin, says in ((b"", "standard input is empty"), (b'[{"na', "cut off"), (b"\xff\xfe", "not UTF-8")):
        wrong += problems(ranked_url, before, "add-model --from -", 2, says, stdin=stdin)
        wrong += problems(ranked_url, before, "score import -", 2, says, stdin=stdin)
    for rows, says in (
        ("release,label,value,as_of\naa@4.3,good,40,2026-11-20\naa@4.3,bad,400,2026-11-20\n", "record 2: score 400"),
        ("release,label,value,as_of\naa@4.3,good,40,2026-11-20\naa@4.3,bad,40,2026-02\n", "record 2: "),
        ("release,label,value\naa@4.3,good,40\n", "as_of"),
        (
            "release,label,value,as_of\naa@4.3,x,40,2026-11-20\naa@4.3,x,41,2026-11-20\n",
            "record 2: it says 41 where record 1 says 40",
        ),
        ("release,label,value,as_of,effect\naa@4.3,good,40,2026-11-20,max\n", "'effect'"),
        ("release,label,value,as_of\naa@4.3,good,40\n", "line 2"),
    ):
        wrong += problems(ranked_url, before, "score import -", 2, says, stdin=rows.encode())
    assert wrong == []
    assert findings(ranked_url) == ()


def test_releases_that_cannot_order_models_place_nobody(ranked_url: str) -> None:
    """Constant scores, and scores that fall while ranks rise because the release's direction is registered wrongly."""
    with writing(ranked_url, actor="test", at=NOW) as book:
        anchors = [
            str(row[0]) for row in book.rows("SELECT slug FROM model WHERE type = 'llm' AND low > 440 ORDER BY low")
        ]
        publish(book, "flat@1", dict.fromkeys(anchors, "50"))
        publish(book, "wer@1", {slug: str(90 - place) for place, slug in enumerate(anchors)})
        publish(book, "few@1", {slug: str(10 + place) for place, slug in enumerate(anchors[:4])})
    before = head(ranked_url)
    wrong = [
        *problems(ranked_url, before, f"{NEW} --score flat@1=50 {DATED}", 1, "distinct scores"),
        *problems(ranked_url, before, f"{NEW} --score wer@1=85 {DATED}", 1, "run backwards"),
        *problems(ranked_url, before, f"{NEW} --score few@1=12 {DATED}", 1, "4 anchors, 5 are needed"),
    ]
    assert wrong == []
    assert findings(ranked_url) == ()


def test_a_database_that_cannot_be_used_is_exit_5(tmp_path: Path, ranked_sqlite: str) -> None:
    """Missing, not a database, no catalog, of a newer program, unreachable: named, with the way out."""
    text, bare = tmp_path / "text.db", tmp_path / "bare.db"
    text.write_text("This is no database, but it is long enough to be read as one. " * 20)
    sqlite3.connect(bare).close()
    newer = tmp_path / "newer.db"
    shutil.copyfile(str(sqlite_path(ranked_sqlite)), newer)
    shell = sqlite3.connect(newer)
    shell.execute("UPDATE alembic_version SET version_num = '9999'")
    shell.commit()
    shell.close()
    for url, says in (
        (str(tmp_path / "none.db"), "there is no database"),
        (str(text), "is not a SQLite database"),
        (str(bare), "holds no catalog"),
        (str(newer), "newer"),
        ("postgresql://nobody:secret@127.0.0.1:1/none", "cannot be reached"),
    ):
        for command in ("list", f"{NEW} {SCORED}", "audit verify"):
            said = run(url, command)
            assert said.code == 5 and says in said.err, (url, command, said)
            assert shape(said) == [] and "secret" not in said.err
    assert not (tmp_path / "none.db").exists()


def test_a_kind_of_database_nobody_supports_is_a_usage_error() -> None:
    """Neither MySQL nor a database in memory."""
    for url in ("mysql://localhost/x", ":memory:", "sqlite://"):
        said = run(url, "list")
        assert (said.code, shape(said)) == (2, []), said


def test_a_locked_database_is_named(ranked_sqlite: str) -> None:
    """A writer waits for the other one as long as it was told to, then says so."""
    other = sqlite3.connect(str(sqlite_path(ranked_sqlite)), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    said = run(ranked_sqlite, f"{NEW} {SCORED}", CATALOG_LOCK_TIMEOUT="1")
    other.execute("ROLLBACK")
    other.close()
    assert said.code == 5 and "locked by another process" in said.err and shape(said) == []
    assert run(ranked_sqlite, f"{NEW} {SCORED}").code == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("thresholds = 100\n", "thresholds"),
        ("thresholds = [0]\n", "thresholds"),
        ("stale_days = 0\n", "stale_days"),
        ("lock_timeout = 'soon'\n", "'soon'"),
        ("thresholds = [100\n", "not valid TOML"),
        ("treshold = [100]\n", "'treshold'"),
    ],
)
def test_a_broken_settings_file_is_named(
    ranked_sqlite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    """With the setting and what would be right."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "catalog.toml").write_text(text)
    said = run(ranked_sqlite, "list")
    assert said.code == 2 and says in said.err and shape(said) == []


def problems(url: str, before: str, command: str, code: int, says: str, *, stdin: bytes = b"") -> list[str]:
    """Return what is wrong with how a command was refused."""
    said = run(url, command, stdin=stdin)
    found = shape(said)
    if said.code != code:
        found.append(f"exit code {said.code} instead of {code}")
    if says not in said.err:
        found.append(f"does not name {says}")
    if head(url) != before:
        found.append("the catalog changed")
    return [f"{command}: {problem}: {said.err!r}" for problem in found]


def shape(said: Said) -> list[str]:
    """Return what is wrong with the form of a refusal: something on stdout, no message, more than two lines."""
    lines = said.err.splitlines()
    found = ["it printed a result"] if said.out else []
    if not 1 <= len(lines) <= 2 or not lines[0].startswith("error: ") or "Traceback" in said.err:
        found.append(f"{len(lines)} lines")
    return found


def publish(book: Book, key: str, scores: dict[str, str]) -> None:
    """Register a release of a made-up index and its scores of ranked models."""
    name = key.partition("@")[0]
    release = {
        "key": key,
        "type": "llm",
        "index_name": name,
        "version": "1",
        "publisher": name,
        "space": name,
        "direction": "higher",
        "role": "capability",
        "preference": 50,
    }
    book.add("release", release, reason="Test")
    for slug, value in scores.items():
        alias = {"space": name, "label": slug, "scope": "", "model": slug, "effort": "max"}
        book.add("alias", alias, reason="Test")
        score = {"release": key, "label": slug, "value": value, "as_of": "2026-11-20", "estimated": 0}
        book.add("score", score, reason="Test")
