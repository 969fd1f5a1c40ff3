/** Lint of migrations for locks; landed ones are not changed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './imports.ts';
import { locksOf } from './migrations.rules.ts';

const folder = join(root, 'packages/server/src/migrations');
/** Landed before the lint, in databases that were small. */
const lastUnlinted = '0138';

describe('migrations', () => {
  test('lock no table that is large or that the version before uses', () => {
    const found = readdirSync(folder)
      .filter((name) => name.slice(0, 4) > lastUnlinted)
      .flatMap((name) => locksOf(readFileSync(join(folder, name), 'utf8')).map((reason) => `${name} ${reason}`));
    expect(found).toEqual([]);
  });

  test.each([
    ['create index cases_note on cases (note);', 'blocks writes'],
    ['alter table cases add constraint c check (true);', 'not valid'],
    ['alter table users add column a integer,\n  add check (a > 0);', 'not valid'],
    ['alter table cases alter column title set not null;', 'under a lock'],
    ['alter table tags alter column name type varchar;', 'rewrites every row'],
    ['alter table devices add column token uuid default gen_random_uuid();', 'rewrites every row'],
    ['alter table tags rename column name to title;', 'version before'],
    ['alter table tags drop column name;', 'takes a column'],
    ['drop table tags;', 'takes a table'],
    ['update cases set title = upper(title);', 'use a job'],
    ['lock table tags;', 'locks a table'],
  ])('are noticed: %s', (text, reason) => {
    expect(locksOf(text)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    'create table notes (id integer); create index notes_id on notes (id); alter table notes add constraint c check (true);',
    '-- no transaction\ncreate index concurrently if not exists cases_note on cases (note);',
    'alter table cases add column note text;',
    'alter table cases add constraint c check (true) not valid;',
    'create index tags_name on tags (name);',
    '-- contract: unused since 0.9.0\nalter table tags drop column name;',
    '-- drop table tags;\nselect 1;',
  ])('may do: %s', (text) => {
    expect(locksOf(text)).toEqual([]);
  });
});
