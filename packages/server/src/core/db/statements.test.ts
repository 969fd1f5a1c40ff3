import { describe, expect, test } from 'vitest';
import { splitStatements } from './statements.ts';

describe('cutting a file into statements', () => {
  test.each<[string, string, string[]]>([
    ['semicolons in quotes', `select ';', E'\\';', "a;b"; select 2`, [`select ';', E'\\';', "a;b"`, 'select 2']],
    ['doubled quotes', `select 'it''s;'; select 1`, [`select 'it''s;'`, 'select 1']],
    [
      'dollar quotes',
      'do $$ begin; end $$; create function f() as $b$ $$;$$ $b$; x',
      ['do $$ begin; end $$', 'create function f() as $b$ $$;$$ $b$', 'x'],
    ],
    ['parameters are no dollar quotes', 'select $1; select $2', ['select $1', 'select $2']],
    ['comments', '-- a;\nselect 1 -- b;\n, 2; /* ; /* ; */ ; */ select 3;', ['select 1 -- b;\n, 2', 'select 3']],
    [
      'bodies in SQL',
      'create function f() begin atomic select case when true then 1 end; select 2; end; x',
      ['create function f() begin atomic select case when true then 1 end; select 2; end', 'x'],
    ],
    ['names with dollars and other letters', 'select a$b, größe$x$ from t; x', ['select a$b, größe$x$ from t', 'x']],
    ['signs first', '(select 1); ;; (select 2)', ['(select 1)', '(select 2)']],
    ['nothing', ' -- no\n/* thing */ ;', []],
    ['an open quote runs to the end', "select 'a; b", ["select 'a", 'b']],
  ])('%s', (_, text, statements) => {
    expect(splitStatements(text).map((statement) => statement.text)).toEqual(statements);
  });

  test('says where each begins', () => {
    expect(splitStatements('-- a\n\n  select 1;\nselect 2; select 3').map(({ line, column }) => [line, column])).toEqual([
      [3, 3],
      [4, 1],
      [4, 11],
    ]);
  });
});
