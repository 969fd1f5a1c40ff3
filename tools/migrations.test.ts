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
    ['create index on cases (note);', 'blocks writes'],
    ['create unique index if not exists a on only "cases" (note);', 'blocks writes'],
    ['alter table if exists cases add constraint c check (true);', 'not valid'],
    ['alter table public.cases add constraint c foreign key (a) references tags (id);', 'not valid'],
    ['alter table cases add column a integer references tags (id);', 'not valid'],
    ['alter table cases add a integer check (a > 0);', 'not valid'],
    ['alter table cases add column a integer unique;', 'blocks writes'],
    ['alter table cases add column a integer primary key;', 'blocks writes'],
    ['alter table cases add constraint c unique (a, b);', 'blocks writes'],
    ['alter table cases add column a text generated always as (lower(title)) stored;', 'rewrites every row'],
    ['alter table cases add column a bigint generated always as identity;', 'rewrites every row'],
    ['alter table cases add column a bigserial;', 'rewrites every row'],
    ["alter table cases add column a bigint default nextval('s');", 'rewrites every row'],
    ['alter table cases add constraint c check (a > 0) not valid, add constraint d check (b > 0);', 'not valid'],
    ['alter table cases add constraint c check (a > 0) not valid;\nalter table cases validate constraint c;', 'no transaction'],
    ['-- no transaction\nalter table cases add check (a > 0) not valid, validate constraint c;', 'no transaction'],
    ['truncate table tags, cases;', 'locks a table'],
    ['do $$ begin update cases set title = 1; end $$;', 'use a job'],
    ['do $$ begin if true then delete from cases; end if; end $$;', 'use a job'],
    ["do $$ begin execute 'update cases set title = 1'; end $$;", 'cannot read'],
    ['with a as (select 1) update cases set title = upper(title);', 'use a job'],
    ['with a as (delete from cases returning *) select count(*) from a;', 'use a job'],
    ['create table notes (id integer); update cases set note = notes.id from notes;', 'use a job'],
    ['create table notes (id integer); alter table cases add foreign key (a) references notes (id);', 'not valid'],
    ['create table notes (id integer); delete from cases using notes where true;', 'use a job'],
    ['create table notes (id integer); drop table notes, tags;', 'takes a table'],
    ['drop table notes; create table notes (id integer);', 'takes a table'],
    ['alter table tags drop if exists name;', 'takes a column'],
    ['alter table cases /* add */ set unlogged;', 'rewrites every row'],
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
    'alter table cases add column a integer not null default 0, add column b timestamptz default now();',
    'alter table cases add column a numeric(10, 2), drop constraint if exists c;',
    '-- no transaction\nalter table cases add constraint c check (a > 0) not valid;\nalter table cases validate constraint c;',
    'alter table cases add constraint c unique using index cases_note;',
    "insert into tags values ('update cases; drop table tags') on conflict (id) do update set name = 'x';",
    'select 1 from cases for update;',
    'create trigger a before update on cases for each row execute function f();',
    'create function f() returns void language sql as $$ update cases set title = 1; $$;',
    'create table notes (id integer); do $$ begin update notes set id = 1; end $$; truncate notes; drop table notes;',
  ])('may do: %s', (text) => {
    expect(locksOf(text)).toEqual([]);
  });
});
