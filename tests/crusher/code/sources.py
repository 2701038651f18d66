"""Sources that show what parsers stumble over, and what must be true of each when it is crushed."""

from __future__ import annotations

from catalog.crusher import CrushResult, crush_code, expand
from catalog.crusher.code.languages import LANGUAGES

PYTHON = '''#!/usr/bin/env python3
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
    # comments below the documentation go with the body
    def helper(x):
        return x + 1

    class Inner:
        def method(self): return 1

    answer = yield helper(request)
    return answer
    # as do those at its end


class Session:
    """Doc."""

    limit = 3

    def __init__(self):
        self.a = 1
        self.b = [
            2,
        ]
        self.c = "}"

    @property
    def short(self):
        return self.a

    def oneliner(self): return [self.a,
        self.b,
        self.c,
        4]

if os.name == "nt":
    def platform():
        a = 1
        b = 2
        c = 3
        return a
else:
    def platform(): "doc"; return 1
'''

TYPESCRIPT = """import { a } from "b";
/** Doc of the class. */
@Component({ selector: "x" })
export abstract class Page<T extends { id: string }> extends Base {
  private readonly quote = /["'`{]/;
  constructor(
    private x: number,
    @Inject() y: string,
  ) {
    super();
    this.x = 1;
    this.y = y;
  }
  get title(): { text: string } {
    const s = `a ${(() => { return "}"; })()} {`;
    function inner() { return s; }
    return { text: inner() };
  }
  over(a: string): void;
  over(a: number): void;
  over(a: unknown): void {
    if (a) {
      console.log("don't");
    }
  }
  abstract none(): void;
}
export function* numbers(): Generator<number> {
  yield 1;
  yield 2;
  yield 3;
}
(function () {
  setTimeout(() => {
    one();
    two();
    three();
  }, { timeout: 5 }); // tail
})();
describe("suite", () => {
  it("works", async () => {
    const x = 1;
    const y = 2;
    expect(x).toBe(y);
  });
});
"""

TSX = """export const View = ({ name }: Props) => {
  const text = "it's";
  return (
    <div className={name}>Don't {text} <b /></div>
  );
};
"""

POSTGRES = """--! a directive
create table a.t (id int); -- why
create or replace function a.f(x int, y text default 'a''$$b') returns int as $body$
declare
  n int; -- $$ no quote
begin
  select 'x;y' into n;
  return n;
end
$body$ language plpgsql;
do $$
begin
  perform 1;
  perform 2;
  perform 3;
end $$;
select '$$ no quote' as "a;b", $$short$$;
"""

TSQL = """CREATE PROCEDURE [dbo].[odd name;] @a int = 1 AS
BEGIN
  BEGIN TRY
    BEGIN TRAN
    SELECT CASE WHEN @a = 1 THEN 'END' ELSE '--' END AS [BEGIN]
    COMMIT
  END TRY
  BEGIN CATCH
    ROLLBACK
  END CATCH
END
GO
CREATE PROC plain @n int AS
SET NOCOUNT ON;
SELECT 1;
SELECT 2;
SELECT 3;
GO
SELECT 1
"""

MYSQL = """DELIMITER //
CREATE PROCEDURE p(IN n INT)
BEGIN
  DECLARE i INT DEFAULT 0;
  WHILE i < n DO
    IF i = 2 THEN SELECT 'END //'; END IF;
    SET i = i + 1;
  END WHILE;
  CASE n WHEN 1 THEN SELECT 1; ELSE SELECT 2; END CASE;
END //
DELIMITER ;
SELECT `a;b` FROM t;
"""

ORACLE = """CREATE OR REPLACE PACKAGE BODY pack AS
  PROCEDURE one IS
  BEGIN
    NULL;
    LOOP
      EXIT;
    END LOOP;
  END one;
  FUNCTION two RETURN NUMBER IS
  BEGIN
    IF 1 = 1 THEN
      RETURN q'[it's END;]';
    END IF;
    RETURN 2;
  END two;
END pack;
"""

ROWS = "INSERT INTO t (a, b) VALUES\n" + ",\n".join(f"  ({n}, f('x),({n}'))" for n in range(12)) + ";\n"
LIST = "SELECT * FROM t WHERE a IN (" + ", ".join(f"'value {n}'" for n in range(20)) + ") AND b IN (1, 2, 3, 4, 5);\n"

SOURCES = [
    ("python", PYTHON),
    ("typescript", TYPESCRIPT),
    ("typescript", TSX),
    ("postgres", POSTGRES),
    ("tsql", TSQL),
    ("mysql", MYSQL),
    ("oracle", ORACLE),
    ("ansi", ROWS),
    ("sql", ROWS + LIST),
]


def sound(source: str, language: str, *, drop_comments: bool = False) -> CrushResult:
    """Crush a source, and see that the text is shorter, parses, declares the same, and comes back from the result."""
    result = crush_code(source, language, drop_comments=drop_comments)
    assert len(result.text) <= len(source)
    assert crush_code(result.text, language, drop_comments=drop_comments).text == result.text
    outline = LANGUAGES[language].outline
    before, after = outline(source.removeprefix("\ufeff")), outline(result.text.removeprefix("\ufeff"))
    assert after.errors <= before.errors
    for own in before.declarations:
        assert own.name.rpartition(".")[2] in result.text
    for marker, body in result.bodies.items():
        assert result.text.count(marker) >= 1
        assert expand(result, f"/* {marker} */") == body
        assert body in source
    return result
