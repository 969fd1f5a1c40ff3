import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { dropDatabase, emptyDatabase, runAs, urlOf } from '../../../test/database.ts';
import { silentLog } from '../log.ts';
import { scramVerifier } from './app-role.ts';
import { APP_ROLE, appUrl, migrate } from './migrate.ts';

let folder: string;
let database: { name: string; ownerUrl: string };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parapet-migrations-'));
  database = await emptyDatabase();
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await dropDatabase(database.name);
});

const file = (name: string, text: string) => writeFile(join(folder, name), text);
const run = (ownerUrl = database.ownerUrl) => migrate({ ownerUrl, folder, log: silentLog });
const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no fault',
    (error: Error) => error.message,
  );

describe('migrations', () => {
  test('run once, in order, and are recorded', async () => {
    await file('0002_b.sql', 'insert into a values (1);');
    await file('0001_a.sql', 'create table a (n integer);');
    expect(await run()).toEqual(['0001_a.sql', '0002_b.sql']);
    expect(await run()).toEqual([]);
    await file('0003_c.sql', '-- only a comment');
    expect(await run()).toEqual(['0003_c.sql']);
    const [rows] = await runAs(database.ownerUrl, 'select n from a');
    expect(rows!.rows).toEqual([{ n: 1 }]);
  });

  test('run in one of several processes that start together', async () => {
    await file('0001_a.sql', 'select pg_sleep(0.2); create table a (n integer);');
    await file('0002_b.sql', '-- no transaction\ncreate index concurrently a_n on a (n);');
    const applied = await Promise.all([run(), run(), run(), run()]);
    expect(applied.flat().sort()).toEqual(['0001_a.sql', '0002_b.sql']);
  });

  test('create the shared role when two databases of one server migrate at once', async () => {
    const others = await Promise.all([emptyDatabase(), emptyDatabase(), emptyDatabase()]);
    try {
      await file('0001_a.sql', `create table a (n integer); grant select on a to ${APP_ROLE};`);
      await Promise.all([database, ...others].map(({ ownerUrl }) => run(ownerUrl)));
      for (const { ownerUrl } of others) await runAs(appUrl(ownerUrl), 'select * from a');
    } finally {
      for (const { name } of others) await dropDatabase(name);
    }
  });

  test('reject an edited landed file, but accept other line ends', async () => {
    await file('0001_a.sql', 'create table a (\nn integer);\n');
    await run();
    await file('0001_a.sql', 'create table a (\r\nn integer);\r\n');
    await run();
    await file('0001_a.sql', 'create table a (n bigint);');
    expect(await faultOf(run())).toMatch(/0001_a\.sql was edited after it landed/);
  });

  test('report file, line and column of a failure, and roll it back', async () => {
    await file('0001_a.sql', '-- head\ncreate table a (n integer);\n\ninsert into a\n  values (1, wrong);\n');
    const fault = await faultOf(run());
    expect(fault).toContain('0001_a.sql failed at line 5:14: column "wrong" does not exist (42703)');
    expect(fault).toContain('insert into a');
    await file('0001_a.sql', 'create table a (n integer);\ninsert into a values (1);');
    expect(await run()).toEqual(['0001_a.sql']);
  });

  test('name the statement of a failure without a position', async () => {
    await file(
      '0001_a.sql',
      "create table a (n integer primary key);\ninsert into a values (1);\ninsert into a values (1);\nselect 'not reached';",
    );
    expect(await faultOf(run())).toMatch(/line 3: duplicate key .* \(23505\)\. Key \(n\)=\(1\) already exists\./);
  });

  test('run a file outside a transaction for statements that require it', async () => {
    await file('0001_a.sql', 'create table a (n integer);');
    await file('0002_b.sql', '-- no transaction\ncreate index concurrently a_n on a (n);\nvacuum a;');
    expect(await run()).toHaveLength(2);
  });

  test.each([
    ['in a transaction', ''],
    ['outside one', '-- no transaction\n'],
  ])('wait for a table in use without making its readers wait: %s', async (_name, head) => {
    await file('0001_a.sql', 'create table a (n integer);');
    await run();
    await file('0002_b.sql', `${head}alter table a add column m integer;`);
    const connected = async () => {
      const client = new pg.Client({ connectionString: database.ownerUrl });
      await client.connect();
      return client;
    };
    const [holder, reader] = await Promise.all([connected(), connected()]);
    try {
      await holder.query('begin; select * from a');
      let isDone = false;
      const migrating = run().then((applied) => {
        isDone = true;
        return applied;
      });
      await expect
        .poll(
          async () => (await reader.query("select 1 from pg_locks where relation = 'a'::regclass and not granted")).rowCount,
          {
            timeout: 20_000,
            interval: 20,
          },
        )
        .toBe(1);
      const started = performance.now();
      await reader.query('select * from a');
      // A second, and what a busy machine adds; without the limit it would wait for the holder.
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(isDone).toBe(false);
      await holder.query('commit');
      expect(await migrating).toEqual(['0002_b.sql']);
    } finally {
      await Promise.all([holder.end(), reader.end()]);
    }
  });

  test('fail once a table was in use for the limit, and can be repeated', async () => {
    await file('0001_a.sql', 'create table a (n integer);');
    await run();
    await file('0002_b.sql', 'alter table a add column m integer;');
    const holder = new pg.Client({ connectionString: database.ownerUrl });
    await holder.connect();
    try {
      await holder.query('begin; select * from a');
      const limited = migrate({ ownerUrl: database.ownerUrl, folder, log: silentLog, lockLimitMs: 0 });
      expect(await faultOf(limited)).toContain('(55P03)');
    } finally {
      await holder.end();
    }
    expect(await run()).toEqual(['0002_b.sql']);
  });

  test('run again after a deadlock', async () => {
    // As PostgreSQL reports one, without the second that it takes to find it.
    await file('0001_a.sql', 'create sequence attempts;');
    await run();
    await file(
      '0002_b.sql',
      "do $$ begin if nextval('attempts') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if; end $$;",
    );
    expect(await run()).toEqual(['0002_b.sql']);
    const [attempts] = await runAs(database.ownerUrl, 'select last_value::integer as count from attempts');
    expect(attempts!.rows).toEqual([{ count: 2 }]);
  });

  test('reject a malformed name, a duplicate number and a number in the past', async () => {
    await file('0005_a.sql', 'create table a (n integer);');
    await run();
    await file('0004_late.sql', 'select 1;');
    expect(await faultOf(run())).toContain('0004_late.sql is new, but 0005_a.sql has landed already');
    await rm(join(folder, '0004_late.sql'));
    await file('0005_b.sql', 'select 1;');
    expect(await faultOf(run())).toContain('have the same number');
    await rm(join(folder, '0005_b.sql'));
    await file('six.sql', 'select 1;');
    expect(await faultOf(run())).toContain('must be named like');
  });

  test('accept a newer database, for an older process beside a newer one', async () => {
    await file('0001_a.sql', 'select 1;');
    await file('0002_b.sql', 'select 1;');
    await run();
    await rm(join(folder, '0002_b.sql'));
    expect(await run()).toEqual([]);
  });
});

describe("the application's role", () => {
  test('compiles no queries, whatever the server’s default', async () => {
    await file('0001_a.sql', 'select 1;');
    await runAs(database.ownerUrl, `alter role ${APP_ROLE} reset jit`);
    await run();
    const [jit] = await runAs(appUrl(database.ownerUrl), 'show jit');
    expect(jit!.rows).toEqual([{ jit: 'off' }]);
  });

  test('cannot create tables, bypass row-level security or assume another role', async () => {
    await file(
      '0001_a.sql',
      `create table a (organisation_id integer); insert into a values (1), (2); alter table a enable row level security;
       create policy tenant on a using (organisation_id = 1); grant select, insert on a to ${APP_ROLE}; create table hidden (n integer);`,
    );
    await run();
    const url = appUrl(database.ownerUrl);
    const [seen] = await runAs(url, 'select * from a');
    expect(seen!.rows).toEqual([{ organisation_id: 1 }]);
    const owner = decodeURIComponent(new URL(database.ownerUrl).username);
    for (const forbidden of [
      'create table mine (n integer)',
      'create schema mine',
      'select * from hidden',
      'insert into a values (2)',
      'alter table a disable row level security',
      'drop table a',
      'truncate a',
      'insert into migrations values (1)',
      'create role another',
      `set role "${owner}"`,
      `alter role ${APP_ROLE} bypassrls`,
      "copy (select 1) to program 'true'",
    ]) {
      expect([
        forbidden,
        await runAs(url, forbidden).then(
          () => 'allowed',
          (error) => error.code,
        ),
      ]).toEqual([forbidden, '42501']);
    }
    await expect(runAs(url, 'set row_security = off', 'select * from a')).rejects.toMatchObject({ code: '42501' });
  });

  test('gets the same password verifier as PostgreSQL computes', () => {
    // RFC 7677's example: user "user", password "pencil".
    const verifier = scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'), 4096);
    expect(verifier).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });

  test('derives its password from the owner’s, and has none without it', () => {
    expect(appUrl('postgres://me:secret@db.example:5433/portal?sslmode=require')).toMatch(
      /^postgres:\/\/parapet_app:[\w-]{43}@db\.example:5433\/portal\?sslmode=require$/,
    );
    expect(appUrl('postgres://me:secret@a/x')).not.toBe(appUrl('postgres://me:secreT@a/x'));
    expect(appUrl('postgres://me@db.example/portal')).toBe('postgres://parapet_app@db.example/portal');
    expect(appUrl('postgres:///portal?host=/run/postgresql')).toContain('parapet_app@localhost/portal?host=/run/postgresql');
  });

  test('reports the administrator’s steps when the owner lacks permission to change it', async () => {
    const weak = `parapet_weak_${database.name.slice(-12)}`;
    const { adminUrl } = inject('database');
    await runAs(adminUrl, `create role ${weak} login password 'weak'`);
    try {
      await runAs(
        urlOf(adminUrl, database.name),
        `grant all on schema public to ${weak}; alter database ${database.name} owner to ${weak}`,
      );
      const url = new URL(database.ownerUrl);
      url.username = weak;
      url.password = 'weak';
      await file('0001_a.sql', 'create table a (n integer);');
      const fault = await faultOf(run(url.href));
      // Under trust every password fits, and then there is nothing to complain of.
      if (fault !== 'no fault') {
        expect(fault).toContain('create role parapet_app login nosuperuser nobypassrls');
        expect(fault).toContain('APP_DATABASE_URL');
      }
      const given = { ownerUrl: url.href, folder, log: silentLog, givenAppUrl: appUrl(database.ownerUrl) };
      await migrate(given);
      await runAs(url.href, `grant select on a to ${APP_ROLE}`);
      await runAs(given.givenAppUrl, 'select * from a');
      expect(await faultOf(migrate({ ...given, givenAppUrl: url.href }))).toContain(
        'APP_DATABASE_URL must connect as parapet_app',
      );
      const wrong = new URL(given.givenAppUrl);
      wrong.pathname = '/nowhere';
      expect(await faultOf(migrate({ ...given, givenAppUrl: wrong.href }))).toContain(
        'cannot enter the database with APP_DATABASE_URL',
      );
    } finally {
      await dropDatabase(database.name);
      await runAs(adminUrl, `drop role ${weak}`);
    }
  });
});
