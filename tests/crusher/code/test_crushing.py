"""Code is crushed to its declarations, parses as before, and each body comes back."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.crusher import crush_code, crush_value, expand
from catalog.crusher.code.crushing import MOST_BYTES
from catalog.crusher.code.sql.outline import sql_outline
from catalog.crusher.code.sql.tokens import guessed
from tests.crusher.code.sources import MYSQL, ORACLE, POSTGRES, PYTHON, SOURCES, TSQL, TSX, TYPESCRIPT, sound

BODY = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"


@pytest.mark.parametrize("drop_comments", [False, True])
@pytest.mark.parametrize(("language", "source"), SOURCES, ids=[f"{language}-{len(s)}" for language, s in SOURCES])
def test_every_source_is_shorter_and_sound(language: str, source: str, drop_comments: bool) -> None:
    """With line breaks of Windows and a byte order mark, too, which stay."""
    crushed = sound(source, language, drop_comments=drop_comments)
    assert crushed.crushed
    assert not any("read as before" in note.detail for note in crushed.notes)
    there = sound("\ufeff" + source.replace("\n", "\r\n"), language, drop_comments=drop_comments)
    assert there.crushed
    assert there.text.startswith("\ufeff")
    assert there.text.replace("\r\n", "").count("\n") == 0


def test_python_keeps_what_callers_see() -> None:
    """Signatures of several lines, decorators, documentation, one-line bodies; comments of a body go with it."""
    text = crush_code(PYTHON, "python").text
    assert (
        text
        == '''#!/usr/bin/env python3
"""What the module is for."""
import os


@decorated(
    "with arguments",
)
async def send(
    request: Request,
    *,
    # of the whole exchange
    timeout: float = 1.0,
    text="""
    # no comment""",
) -> Response:
    """Send a request.

    # no comment either
    """
    ...  # …10 lines from 21: helper, Inner, method


class Session:
    """Doc."""

    limit = 3

    def __init__(self):
        ...  # …5 lines from 39

    @property
    def short(self):
        return self.a

    def oneliner(self): return [self.a,
        self.b,
        self.c,
        4]

if os.name == "nt":
    def platform():
        ...  # …4 lines from 56
else:
    def platform(): "doc"; return 1
'''
    )


def test_typescript_keeps_what_callers_see() -> None:
    """Signatures, overloads, decorators, regular expressions and what stands behind a body on its last line."""
    text = crush_code(TYPESCRIPT, "typescript").text
    assert (
        text
        == """import { a } from "b";
/** Doc of the class. */
@Component({ selector: "x" })
export abstract class Page<T extends { id: string }> extends Base {
  private readonly quote = /["'`{]/;
  constructor(
    private x: number,
    @Inject() y: string,
  ) { /* …5 lines from 9 */ }
  get title(): { text: string } { /* …5 lines from 14: inner */ }
  over(a: string): void;
  over(a: number): void;
  over(a: unknown): void { /* …5 lines from 21 */ }
  abstract none(): void;
}
export function* numbers(): Generator<number> { /* …5 lines from 28 */ }
(function () {
  setTimeout(() => { /* …5 lines from 34 */ }, { timeout: 5 }); // tail
})();
describe("suite", () => {
  it("works", async () => { /* …5 lines from 41 */ });
});
"""
    )
    assert crush_code(TSX, "typescript").text == (
        "export const View = ({ name }: Props) => { /* …6 lines from 1 */ };\n"
    )


def test_sql_keeps_statements_and_leaves_out_what_routines_do() -> None:
    """Bodies in dollar quotes, in blocks, and behind AS; what looks like one in a string or a name is none."""
    assert (
        crush_code(POSTGRES, "postgres").text
        == """--! a directive
create table a.t (id int); -- why
create or replace function a.f(x int, y text default 'a''$$b') returns int as $body$
/* …6 lines from 4 */
$body$ language plpgsql;
do $$
/* …5 lines from 12 */ $$;
select '$$ no quote' as "a;b", $$short$$;
"""
    )
    assert (
        crush_code(TSQL, "tsql").text
        == """CREATE PROCEDURE [dbo].[odd name;] @a int = 1 AS
BEGIN
  /* …8 lines from 3 */
END
GO
CREATE PROC plain @n int AS
BEGIN /* …4 lines from 14 */ END
GO
SELECT 1
"""
    )
    assert (
        crush_code(MYSQL, "mysql").text
        == """DELIMITER //
CREATE PROCEDURE p(IN n INT)
BEGIN
  /* …6 lines from 4 */
END //
DELIMITER ;
SELECT `a;b` FROM t;
"""
    )
    assert (
        crush_code(ORACLE, "oracle").text
        == """CREATE OR REPLACE PACKAGE BODY pack AS
  PROCEDURE one IS
  BEGIN
    /* …4 lines from 4 */
  END one;
  FUNCTION two RETURN NUMBER IS
  BEGIN
    /* …4 lines from 11 */
  END two;
END pack;
"""
    )


def test_long_lists_keep_their_first_row_and_say_how_many_follow() -> None:
    """Of VALUES the rows, of IN the values; short lists stay."""
    rows = ",\n".join(f"({n}, f('x),({n}'))" for n in range(12))
    text = crush_code(f"INSERT INTO t (a, b) VALUES\n{rows};\n", "sql").text
    assert text == "INSERT INTO t (a, b) VALUES\n(0, f('x),(0')) /* …11 rows from 2 */;\n"
    values = ", ".join(f"'value {n}'" for n in range(20))
    text = crush_code(f"SELECT 1 FROM t WHERE a IN ({values}) AND b IN (1, 2, 3, 4, 5)", "sql").text
    assert text == "SELECT 1 FROM t WHERE a IN ('value 0' /* …19 values from 1 */) AND b IN (1, 2, 3, 4, 5)"


def test_the_dialect_is_guessed_and_that_is_told() -> None:
    """By what only one of them writes; of a dialect that is named nothing is told."""
    for source, told in ((POSTGRES, "postgres"), (TSQL, "tsql"), (MYSQL, "mysql"), ("select 1", "ansi")):
        notes = crush_code(source, "sql").notes
        assert ("guessed", f"the dialect was taken to be {told}") in [(note.code, note.detail) for note in notes]
    assert not [note for note in crush_code(POSTGRES, "postgres").notes if note.code == "guessed"]


@pytest.mark.parametrize(
    ("language", "source", "kept"),
    [
        ("python", "x = 1  # why\n# gone\ny = '#'  # type: ignore\n", "x = 1\ny = '#'  # type: ignore\n"),
        ("typescript", "/** doc */\nlet x = '//'; // why\n/* gone */ let y = `/* */`; // @ts-ignore\n",
         "/** doc */\nlet x = '//';\n  let y = `/* */`; // @ts-ignore\n"),
        ("postgres", "select 1 -- why\n, '--' /* gone */; --! kept\n/* a /* b */ c */\nselect 2",
         "select 1\n, '--'  ; --! kept\nselect 2"),
    ],
)  # fmt: skip
def test_comments_go_where_that_is_asked_for(language: str, source: str, kept: str) -> None:
    """But not documentation, what tools read, and what only looks like a comment."""
    assert crush_code(source, language, drop_comments=True).text == kept
    assert crush_code(source, language).text == source


@pytest.mark.parametrize("language", ["python", "typescript", "sql"])
def test_what_no_parser_reads_is_left_as_it_is(language: str) -> None:
    """Broken code, null bytes, nesting without end, what is too long: the same text, with the reason."""
    broken = {"python": "def f(:\n  x\n", "typescript": "function ((((( {{{\n", "sql": "select 'open"}[language]
    deep = {"python": "(" * 5_000, "typescript": "[" * 20_000, "sql": "(" * 20_000}[language]
    for source in (broken, "\0", deep, "", "\ud800", "x" * (MOST_BYTES + 1)):
        result = crush_code(source, language)
        assert (result.text, result.crushed, result.bodies) == (source, False, {})
        assert {note.code for note in result.notes if note.code != "guessed"} == {"verbatim"}


def test_around_what_is_broken_the_rest_is_crushed() -> None:
    """The parser of TypeScript goes on behind an error; a body with an error in it stays."""
    good = "function good() {\n  one();\n  two();\n  three();\n}\n"
    bad = "function bad() {\n  let = = 1;\n  two();\n  three();\n}\n"
    text = crush_code(good + bad + good.replace("good", "other"), "typescript").text
    assert text == f"function good() {{ /* …5 lines from 1 */ }}\n{bad}function other() {{ /* …5 lines from 11 */ }}\n"


def test_one_batch_that_cannot_be_read_stays() -> None:
    """With its comments, and a note of its line; the others are crushed."""
    broken = "SELECT 'open -- no comment\n"
    result = crush_code(TSQL + "GO\n" + broken, "tsql", drop_comments=True)
    assert result.text.endswith(f"GO\n{broken}")
    assert len(result.bodies) == 2
    assert [(note.code, note.path) for note in result.notes] == [("verbatim", "line 20")]


def test_what_is_shorter_than_asked_for_stays() -> None:
    """And where nothing goes, a note says so."""
    source = "CREATE FUNCTION f() RETURNS int AS $$\nselect 1;\nselect 2;\nselect 3;\nselect 4;\n$$ LANGUAGE sql;\n"
    assert crush_code(source, "postgres").crushed
    assert crush_code(source, "postgres", min_body_lines=5).notes[0].detail == "there is nothing to leave out"


def test_bad_arguments_are_refused() -> None:
    """With the value and what there is."""
    with pytest.raises(ValueError, match="language 'cobol' is unknown; known: ansi, bigquery, mysql"):
        crush_code("", "cobol")
    with pytest.raises(ValueError, match="min_body_lines is 1: at least 2"):
        crush_code("", "python", min_body_lines=1)
    with pytest.raises(ValueError, match="language 'cobol' is unknown"):
        crush_value(3, language="cobol")


@pytest.mark.parametrize(("language", "module"), [("typescript", "tree_sitter"), ("postgres", "sqlglot")])
def test_a_missing_extra_is_told_with_its_install_line(language: str, module: str) -> None:
    """Python needs none."""
    program = f"""
import sys
sys.modules[{module!r}] = None
from catalog.crusher import crush_code
from catalog.errors import MissingExtraError
assert crush_code({BODY!r}, "python").crushed
try:
    crush_code("select 1", {language!r})
except MissingExtraError as error:
    print(error.hint)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "pip install 'model-catalog[code]'\n"


def test_expand_names_the_markers_there_are() -> None:
    """And takes a marker with or without what stands around it."""
    result = crush_code(BODY, "python")
    assert expand(result, "…4 lines from 2") == expand(result, "    ...  # …4 lines from 2") == BODY[9:-1]
    with pytest.raises(ValueError, match="nothing was left out under '…9 lines from 9'; markers: …4 lines from 2"):
        expand(result, "…9 lines from 9")


def test_a_tool_result_that_is_code_is_crushed() -> None:
    """Only where its language is named, and only if it is no JSON."""
    source = BODY * 20
    assert crush_value(source).text == source
    assert crush_value(source, language="python").crushed
    assert crush_value("[" + "1," * 400 + "1]", language="python").text.startswith("[")
    left = crush_value("x = 1\n" * 200, language="python")
    assert (left.crushed, left.notes[0].detail) == (False, "there is nothing to leave out")


def files(count: int) -> list[Path]:
    """Return files of the standard library, evenly chosen."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found = [*sorted(library.glob("*.py")), *sorted(library.glob("[a-km-r]*/*.py"))]
    return found[:: max(1, len(found) // count)]


def test_the_standard_library_is_sound() -> None:
    """Real files parse after crushing, and lose no name of a function or class."""
    crushed = 0
    for file in files(120):
        try:
            source = file.read_bytes().decode()
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        result = sound(source, "python")
        crushed += result.crushed
        ast.parse(result.text)
        named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        assert all(node.name in result.text for node in ast.walk(tree) if isinstance(node, named))
    assert crushed > 60


PARTS = {
    "python": [
        "import a\n",
        "@d\ndef f(x=1):\n    # c\n    a\n    b\n    c\n    d\n",
        "class C:\n\tdef m(self):\n\t\t'd'\n\t\ta\n\t\tb\n\t\tc\n\t\td\n",
        "x = '''\ndef no():\n    a\n'''\n",
        "async def g():\n  async with a:\n    def h():\n      a\n      b\n      c\n      d\n  return [\n  1]\n",
        "if 1:\n    def i(): pass\n\n\n",
        "# …3 lines from 9\n",
        "def j():\n    ...  # …4 lines from 2\n",
        "try:\n  def k():\n   a;b\n   c\n   d\n   e\nexcept E: pass\n",
    ],
    "typescript": [
        "import a;\n",
        "function f(a = {}) {\n  a;\n  b;\n  c;\n}\n",
        "class C { m() {\n  a;\n  b;\n  c;\n} static { a; } }\n",
        "const s = `\nfunction no() {\n${x}}\n`;\n",
        "const g = async (a) => {\n  b;\n  function h() {\n   a;\n   b;\n  }\n}, k = 1;\n",
        "x(function () {\n a\n b\n c\n}, 1)\n",
        "const r = /{'/g;\n",
        "((a) => {\n  b(() => {\n a;\n b;\n c;\n })\n})(1);\n",
        "type T = { a(): void };\ndeclare function o(): void;\n",
        "const o = { get a() {\n  b;\n  c;\n  d;\n }, b };\n",
        "function z() { /* …5 lines from 9 */ }\n",
    ],
    "postgres": [
        "select 1;\n",
        "create function f() returns int as $$\na;\nb;\nc;\nd;\n$$ language sql;\n",
        "insert into t values (1, ');'), (2, 'b'), (3, null), (4, 'long text of a row'), (5, 'long text of a row');\n",
        "select 'create function $$ ' || $x$ as $$ $x$;\n",
        "-- $$\n",
        "/* ' */\n",
        "create view v as select a from b;\n",
        "do $a$\nbegin\n a;\n b;\n c;\n d;\nend\n$a$;\n",
    ],
}


@settings(max_examples=120)
@given(st.sampled_from(sorted(PARTS)), st.data(), st.booleans())
def test_whatever_stands_beside_whatever_the_text_is_sound(language: str, data: st.DataObject, drop: bool) -> None:
    """Pieces of code in any order, with comments that look like markers among them."""
    pieces = data.draw(st.lists(st.sampled_from(PARTS[language]), max_size=8))
    source = "".join(pieces)
    if language == "python":
        ast.parse(source)
    sound(source, language, drop_comments=drop)


def test_two_lists_of_one_line_come_back_apart() -> None:
    """Their markers would be the same, and are numbered; so are those that the source has already."""
    values = ", ".join(f"'value {n}'" for n in range(20))
    other = values.replace("value", "other")
    result = sound(f"SELECT 1 FROM t WHERE a IN ({values}) AND b IN ({other})", "ansi")
    assert len(result.bodies) == 2
    assert "other 3" in expand(result, "/* …19 values from 1 #2 */")
    assert "value 3" in expand(result, "…19 values from 1")
    crushed = "def f():\n    ...  # …4 lines from 2\n"
    again = sound(BODY.replace("def f", "def h") + crushed, "python")
    assert list(again.bodies) == ["…4 lines from 2 #2"]


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("tsql", "CREATE PROC p AS BEGIN TRY\n", "\nEND TRY\nBEGIN CATCH\nEXEC q;\nEND CATCH"),
        ("postgres", "CREATE PROCEDURE p() LANGUAGE sql BEGIN ATOMIC\n", "\nEND;"),
        ("mysql", "DELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n", "\nEND$$\nDELIMITER ;\nSELECT 1;"),
        ("oracle", "CREATE PROCEDURE p IS v NUMBER; w NUMBER;\nBEGIN\n", "\nEND;\n/\nSELECT 1 FROM dual;"),
        ("oracle", "CREATE FUNCTION p RETURN NUMBER IS\nBEGIN\n", "\nEND p;\nCREATE TABLE t (a NUMBER);"),
        ("mysql", "CREATE TRIGGER t BEFORE INSERT ON u FOR EACH ROW BEGIN\n", "\nEND;"),
    ],
)
def test_blocks_keep_the_words_they_begin_and_end_with(language: str, before: str, after: str) -> None:
    """BEGIN TRY, BEGIN ATOMIC, END right before a delimiter, and declarations before a block."""
    body = "SELECT 1;\nIF 1 = 1 THEN SELECT 2; END IF;\nSELECT 3;\nSELECT 4;"
    body = body if language != "tsql" else "SELECT 1;\nSELECT 2;\nSELECT 3;\nSELECT 4;"
    line = before.count("\n") + 1
    assert sound(before + body + after, language).text == f"{before}/* …4 lines from {line} */{after}"


def test_a_transaction_opens_no_block() -> None:
    """What follows it is read as statements of their own."""
    routine = "CREATE FUNCTION f() RETURNS int AS $$\nselect 1;\nselect 2;\nselect 3;\nselect 4;\n$$ LANGUAGE sql;\n"
    for begin in ("BEGIN;", "BEGIN ISOLATION LEVEL SERIALIZABLE;", "BEGIN TRANSACTION;", "begin read write;"):
        assert "…4 lines from 3" in sound(f"{begin}\n{routine}COMMIT;\n", "postgres").text
    inside = "BEGIN\nSELECT 1;\nSELECT 2;\nSELECT 3;\nSELECT 4;\nEND"
    for begin in ("BEGIN", "BEGIN WORK", "BEGIN IMMEDIATE"):
        found = sound(f"{begin};\nCREATE TRIGGER t AFTER INSERT ON u {inside};\nCOMMIT;\n", "sqlite")
        assert (
            found.text == f"{begin};\nCREATE TRIGGER t AFTER INSERT ON u BEGIN\n/* …4 lines from 3 */\nEND;\nCOMMIT;\n"
        )
    batch = f"CREATE PROC p AS {inside[:-3]}BEGIN TRAN;\nCOMMIT;\nEND CONVERSATION @h;\nEND"
    assert sound(batch, "tsql").text == "CREATE PROC p AS BEGIN\n/* …7 lines from 2 */\nEND"


@pytest.mark.parametrize(
    "loop",
    [
        "REPEAT\nSELECT 1;\nUNTIL done END REPEAT;",
        "FOR r AS c CURSOR FOR SELECT 1 DO\nSELECT 2;\nEND FOR;",
        "WHILE 1 DO\nSELECT 2;\nEND WHILE;",
        "l: LOOP\nLEAVE l;\nEND LOOP l;",
        "CASE a WHEN 1 THEN\nSELECT 1;\nEND CASE;",
        "SET a = CASE WHEN b THEN 1\nELSE 2 END;\nSELECT 1;",
    ],
)
def test_what_ends_a_loop_ends_no_block(loop: str) -> None:
    """The block goes on behind it, to its own END."""
    lines = loop.count("\n") + 2
    source = f"CREATE PROCEDURE p()\nBEGIN\n{loop}\nSELECT 9;\nEND;\nSELECT 1;\n"
    crushed = f"CREATE PROCEDURE p()\nBEGIN\n/* …{lines} lines from 3 */\nEND;\nSELECT 1;\n"
    assert crush_code(source, "mysql", min_body_lines=2).text == crushed


def test_a_list_of_rows_from_a_query_is_no_list() -> None:
    """Nor is one that holds queries or calls among its values."""
    many = ", ".join(f"column_number_{number}" for number in range(30))
    for inside in (f"SELECT {many} FROM t", f"WITH t AS (SELECT 1) SELECT {many} FROM t", f"lower({many}), {many}"):
        assert not crush_code(f"SELECT 1 FROM u WHERE a IN ({inside})", "postgres").crushed


@pytest.mark.parametrize(
    ("source", "crushed"),
    [
        (
            "class A:\n    def f(self): pass\n    # of the class\n    def g(self):\n"
            "        a = 1\n        b = 2\n        c = 3\n        # of the body\n\n        # of it, too\n"
            "    # of the class\n",
            "class A:\n    def f(self): pass\n    # of the class\n    def g(self):\n"
            "        ...  # …6 lines from 5\n    # of the class\n",
        ),
        (
            "def f():\n    @a\n    def g(): pass\n    b = 1\n    c = 2\n# of the module\n    # of nothing\n",
            "def f():\n    ...  # …4 lines from 2: g\n# of the module\n    # of nothing\n",
        ),
        (
            "def f(\n) -> dict[\n    str, str\n]:\n    a = 1\n    b = 2\n    c = 3\n    return a\n",
            "def f(\n) -> dict[\n    str, str\n]:\n    ...  # …4 lines from 5\n",
        ),
        ("def f(): a = 1; b = [\n1,\n2,\n3]\n", "def f(): a = 1; b = [\n1,\n2,\n3]\n"),
        ('def f():\n    "doc"; a = [\n1,\n2,\n3,\n4]\n', 'def f():\n    "doc"; a = [\n1,\n2,\n3,\n4]\n'),
        (
            "def f(a=[\n    1,\n]):\n    a = 1\n    b = 2\n    c = 3\n    return a\n",
            "def f(a=[\n    1,\n]):\n    ...  # …4 lines from 4\n",
        ),
    ],
)
def test_a_body_of_python_begins_and_ends_with_whole_lines(source: str, crushed: str) -> None:
    """What stands on a line with the signature stays; comments belong to what they are indented as."""
    assert sound(source, "python").text == crushed


def test_a_wrapper_of_a_module_stays() -> None:
    """What it is handed is the whole of it; the functions inside go."""
    inner = "function inner() {\n    first();\n    second();\n    third();\n  }"
    for begin, end in (
        ("define(['a'], function (a) {", "});"),
        ("require(['a'], (a) => {", "});"),
        ("describe('it', () => {", "});"),
        ("suite('it', () => {", "});"),
        ("(function () {", "})();"),
        ("(() => {", "})();"),
        ("(function () {", "}).call(this);"),
    ):
        found = sound(f"{begin}\n  {inner}\n{end}\n", "typescript")
        assert found.text == f"{begin}\n  function inner() {{ /* …5 lines from 2 */ }}\n{end}\n"


def test_methods_of_an_object_are_no_declarations() -> None:
    """They are properties, and go with the function that makes the object; those of a class are told."""
    source = "function f() {\n  return {\n    method() { return 1; },\n    other() { return 2; },\n  };\n}\n"
    assert sound(source, "typescript").text == "function f() { /* …6 lines from 1 */ }\n"
    named = 'function f() {\n  class A {\n    "a-b"() {}\n    [Symbol.iterator]() {}\n  }\n  return A;\n}\n'
    assert sound(named, "typescript").text == "function f() { /* …7 lines from 1: A, a-b, Symbol.iterator */ }\n"


def test_elements_are_read_where_types_are_not() -> None:
    """By the grammar that meets fewer errors: one reads <T>x as a cast, the other as an element."""
    element = "const a = () => {\n  one();\n  two();\n  three();\n  return <b>{x}</b>;\n};\n"
    cast = "const a = () => {\n  one();\n  two();\n  three();\n  return <T>x;\n};\n"
    for source in (element, cast):
        found = sound(source, "typescript")
        assert found.text == "const a = () => { /* …6 lines from 1 */ };\n"
        assert not found.notes


def test_functions_among_parameters_go_with_the_first_crushing() -> None:
    """They stand before the body of their function, and so they come first."""
    body = "{\n  callNumber(1);\n  callNumber(2);\n  callNumber(3);\n}"
    text = sound(f"function f(a = () => {body}) {body}\n", "typescript").text
    assert text == "function f(a = () => { /* …5 lines from 1 */ }) { /* …5 lines from 5 */ }\n"


@pytest.mark.parametrize("source", ["x = 1 \\\r\n", "def f(\r): \\\r  a = 1; \\\r b = 2; c = '''\r'''\r"])
def test_comments_that_cannot_be_read_stay(source: str) -> None:
    """The tokenizer of Python is stricter than its parser."""
    result = crush_code(source, "python", drop_comments=True)
    assert result.text == source
    assert any("its comments stay" in note.detail for note in result.notes)


def test_a_line_break_in_a_comment_stays_where_code_follows() -> None:
    """Without it another statement would begin, or none."""
    text = "function f() {\n return /* x\n */ 3;\n}\n#!/y\n".replace("#!/y\n", "")
    assert crush_code(text, "typescript", drop_comments=True).text == "function f() {\n return \n 3;\n}\n"
    dashes = "-- a\n-----------\nSELECT 1\n"
    for dialect in ("mysql", "ansi", "postgres"):
        once = crush_code(dashes, dialect, drop_comments=True).text
        assert crush_code(once, dialect, drop_comments=True).text == once


@pytest.mark.parametrize("focal", [3, b"f", (1, 2, 3), [(1,)], [None]])
def test_what_is_no_focal_is_refused(focal: object) -> None:
    """With the value."""
    with pytest.raises(TypeError, match="is neither a name or text nor a first and a last line"):
        crush_code(BODY, "python", focal=focal)  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(TypeError, match="text is expected, not"):
        crush_code(None, "python")  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    ("language", "long", "short"),
    [
        ("python", "def f():\n" + "    g()\n" * 1_000, "def h():\n a\n b\n c\n dddddddddddddd\n"),
        ("typescript", "function f() {\n" + "  g();\n" * 1_000 + "}\n", "function h() {\n a()\n bbbbbbbbbbbbbb()\n}\n"),
    ],
)
def test_where_a_body_stands_does_not_decide_whether_it_goes(language: str, long: str, short: str) -> None:
    """A marker with fewer digits would let it go when the text is crushed again."""
    for more in range(12):
        result = crush_code(f"{long}{short.replace(' a', ' a' + 'a' * more)}", language)
        assert crush_code(result.text, language).text == result.text


@pytest.mark.parametrize(
    ("source", "dialect"),
    [
        ("DELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n SELECT 1;\n SELECT 2;\nEND$$\nDELIMITER ;\n", "mysql"),
        ("SELECT '$$', '$$ LANGUAGE plpgsql' -- $$ and $$\n/* a::int */ FROM `t`;\n", "mysql"),
        ("SELECT '`a`', E'it''s' FROM t;\n", "ansi"),
    ],
)
def test_a_guess_does_not_follow_from_texts_and_comments(source: str, dialect: str) -> None:
    """In these anything may stand; and a line that says DELIMITER decides."""
    assert guessed(source) == dialect


def test_a_text_is_still_taken_to_be_what_it_was() -> None:
    """What a guess follows from stays, so that crushing the text again reads it alike."""
    body = "\n".join(f"  SELECT {number}::int;" for number in range(6))
    source = f"CREATE PROCEDURE p() BEGIN ATOMIC\n{body}\nEND;\nCREATE TABLE t (a INT);\n"
    result = crush_code(source, "sql")
    assert guessed(result.text) == guessed(source) == "postgres"
    assert [note.detail for note in result.notes][1] == (
        "it would not be read as before: it would be taken to be ansi instead of postgres"
    )
    assert crush_code(source, "postgres").crushed


ORACLE_SCRIPT = """CREATE PROCEDURE p IS
  x NUMBER;
  FUNCTION g RETURN NUMBER IS
  BEGIN
    first;
    second;
    third;
    RETURN x;
  END g;
  FUNCTION later RETURN NUMBER;
BEGIN
  first;
  second;
  third;
  fourth;
END p;
/
CREATE OR REPLACE FUNCTION q RETURN NUMBER IS
BEGIN
  CASE a WHEN 1 THEN
    first;
  END CASE;
  RETURN 1;
END;
/
CREATE TABLE t (begin NUMBER);
SELECT x.begin, x.case FROM t;
UPDATE t SET begin = 1, case = 2;
CREATE TRIGGER c FOR INSERT ON t COMPOUND TRIGGER
  AFTER EACH ROW IS BEGIN
    first;
    second;
    third;
    fourth;
  END AFTER EACH ROW;
  AFTER STATEMENT IS BEGIN
    first;
    second;
    third;
    fourth;
  END AFTER STATEMENT;
END c;
/
CREATE TYPE BODY b AS
  MEMBER FUNCTION f RETURN NUMBER IS
  BEGIN
    first;
    second;
    third;
    EXECUTE IMMEDIATE 'CREATE TABLE inside (a NUMBER)';
  END;
END;
/
"""


def test_every_routine_of_a_script_of_oracle_goes() -> None:
    """Those inside others, behind a slash, of compound triggers and types; a column may be called begin."""
    result = sound(ORACLE_SCRIPT, "oracle")
    assert [marker.partition(" ")[0] for marker in result.bodies] == ["…4"] * 6
    assert "inside */" in result.text
    assert [own.name for own in sql_outline(ORACLE_SCRIPT, "oracle").declarations] == ["p", "q", "t", "c", "b"]


@pytest.mark.parametrize(
    ("language", "source", "crushed"),
    [
        (
            "postgres",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS E'\n{body}';",
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS E'\n/* …6 lines from 2 */';",
        ),
        (
            "tsql",
            "CREATE FUNCTION f() RETURNS TABLE AS RETURN (\n{body})\nGO\n",
            "CREATE FUNCTION f() RETURNS TABLE AS RETURN (\n/* …6 lines from 2 */)\nGO\n",
        ),
        (
            "tsql",
            "CREATE PROC p AS BEGIN\n{body}\n/*\nGO\n*/\nEND\nGO\nSELECT 1",
            "CREATE PROC p AS BEGIN\n/* …9 lines from 2 */\nEND\nGO\nSELECT 1",
        ),
    ],
)
def test_bodies_stand_in_many_forms(language: str, source: str, crushed: str) -> None:
    """In a text with letters before it, in brackets, and around a comment that looks like the end of a batch."""
    body = "SELECT a,\n b,\n c,\n d,\n e\nFROM t"
    assert sound(source.replace("{body}", body), language).text == crushed


def test_pairs_in_a_list_go_like_single_values() -> None:
    """Each in brackets of its own."""
    pairs = ", ".join(f"({number}, 'name {number}')" for number in range(40))
    crushed = sound(f"SELECT 1 FROM t WHERE (a, b) IN ({pairs})", "postgres").text
    assert crushed == "SELECT 1 FROM t WHERE (a, b) IN ((0, 'name 0') /* …39 values from 1 */)"


TOOLS = {
    "python": [
        "# noqa: E501", "# type: ignore[arg]", "# flake8: noqa", "# ty: ignore", "# pyre-ignore", "# %% cell", "#: doc",
        "# SPDX-License-Identifier: MIT", "# codespell:ignore", "# region x", "# fmt: off", "# cython: infer=True",
        "# pragma: no cover", "# isort: skip", "# mypy: strict", "# NOQA", "# pytype: disable=x",
    ],
    "typescript": [
        "// eslint-disable-next-line", "// @ts-expect-error", "/* istanbul ignore next */", "// prettier-ignore",
        "//! keep", "/*! keep */", "// $FlowFixMe", "// #region x", "// oxlint-disable", "/* global window */",
        "// SPDX-License-Identifier: MIT", "// biome-ignore lint: x", "// v8 ignore next", "/** doc */",
        "/// <reference />",
    ],
    "postgres": [
        "-- name: find", "-- +goose Up", "-- migrate:down", "--> statement-breakpoint", "-- noqa: L001",
        "-- sqlfluff:off", "--! cornucopia", "-- !Up", "-- :name x", "/*M! 2 */", "--preconditions x", "-- atlas:x",
        "--changeset a:1", "/*! 50003 */", "/** doc */", "-- fmt: off",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("language", "comment"), [(own, comment) for own in TOOLS for comment in TOOLS[own]])
def test_what_a_tool_reads_stays(language: str, comment: str) -> None:
    """Other comments beside it go, and that is told."""
    plain = {"python": "# plain", "typescript": "// plain", "postgres": "-- plain"}[language]
    source = (
        f"{plain}\n{comment}\n" + {"python": "a = 1\n", "typescript": "let a;\n", "postgres": "SELECT 1;\n"}[language]
    )
    result = crush_code(source, language, drop_comments=True)
    assert result.text == source.removeprefix(f"{plain}\n")
    assert [note.detail for note in result.notes] == ["1 comments were left out"]


def test_what_installers_read_of_a_script_stays() -> None:
    """The block of its dependencies, all of it."""
    block = '# /// script\n# dependencies = ["requests"]\n# ///\n# more = 1\n#\n# ///\n'
    for end in ("\n", "\r\n"):
        source = f"# plain\n{block}# plain\nimport requests\n".replace("\n", end)
        text = crush_code(source, "python", drop_comments=True).text
        assert text == f"{block}import requests\n".replace("\n", end)


@pytest.mark.parametrize(("value", "told"), [("4", "'4', not an integer"), (2.5, "2.5, not"), (True, "True, not")])
def test_lines_are_a_number(value: object, told: str) -> None:
    """Whatever compares like one."""
    with pytest.raises(TypeError, match=f"min_body_lines is {told}"):
        crush_code("", "python", min_body_lines=value)  # type: ignore[arg-type]


IMPORTANT = "CREATE TABLE important (a int);\nINSERT INTO important VALUES (1);\n"


@pytest.mark.parametrize(
    ("language", "source", "crushed"),
    [
        (
            "mysql",
            "DELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n  SELECT id, begin, end FROM spans WHERE end > NOW();\n"
            "  SELECT s.end, lower(r) AS end FROM t;\n  UPDATE t SET end = 5, begin = 4;\n"
            "  SELECT CASE WHEN end > 1 THEN 2 END, CASE x WHEN 1 THEN end END FROM t;\nEND$$\nDELIMITER ;\n"
            "SELECT 1;\n",
            "DELIMITER $$\nCREATE PROCEDURE p()\nBEGIN\n  /* …4 lines from 4 */\nEND$$\nDELIMITER ;\nSELECT 1;\n",
        ),
        ("mysql", "CREATE TRIGGER t1 BEFORE INSERT ON t FOR EACH ROW INSERT INTO log SELECT begin FROM t;\n"
         + IMPORTANT + "SELECT end FROM t;\n", ""),
        ("sqlite", "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT begin FROM s; END;\n" + IMPORTANT
         + "CREATE TRIGGER b AFTER INSERT ON t BEGIN SELECT end FROM s; END;\n", ""),
        ("postgres", "COMMENT ON COLUMN posts.body IS 'The text.\nIt is Markdown.\nNever null.\nNever long.\nNone.';\n",
         ""),
        ("tsql", "UPDATE posts SET body = '' WHERE id = 1\nIF 1 = 1\nBEGIN\n" + IMPORTANT * 3 + "END\nGO\n", ""),
        ("tsql", "CREATE PARTITION FUNCTION pf (int) AS RANGE LEFT FOR VALUES (1, 2);\nIF 1 = 1\nBEGIN\n"
         + IMPORTANT * 3 + "END\n", ""),
        ("oracle", "ALTER TRIGGER t DISABLE;\nBEGIN\n  a(1);\n  b(2);\n  c(3);\n  d(4);\nEND;\n/\n", ""),
        ("tsql", "CREATE PROCEDURE a AS\nSELECT 1;\nGO -- a\n" + IMPORTANT + "GO /* x */\n" + IMPORTANT + "GO\n", ""),
        ("tsql", "CREATE PROCEDURE a AS\nEXEC x N'\n  LIKE ''/data/*''\n';\nGO\n" + IMPORTANT + "GO\n" + IMPORTANT
         + "GO\n", ""),
        ("oracle", "CREATE PROCEDURE a AS x NUMBER; BEGIN y('/*'); END;\n/\n" + (IMPORTANT + "/\n") * 2, ""),
    ],
)  # fmt: skip
def test_what_is_no_body_stays(language: str, source: str, crushed: str) -> None:
    """Names that look like blocks, statements that look like routines, lines that end a batch in spite of comments."""
    result = sound(source, language)
    assert result.text == (crushed or source)


def test_rows_that_are_copied_are_no_sql() -> None:
    """They stay, whatever they look like; the statements around them are read."""
    source = (
        "COPY t (a, b) FROM stdin;\n1\tfoo -- bar\n2\t/* x */ it's\n\\.\nSELECT 1; -- gone\nCOPY u FROM stdin;\n\\.\n"
    )
    assert crush_code(source, "postgres", drop_comments=True).text == source.replace(" -- gone", "")
