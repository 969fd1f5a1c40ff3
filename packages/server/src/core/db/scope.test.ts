import { sql } from 'kysely';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { runAs, testDatabase, useTestDatabase } from '../../../test/database.ts';
import { byKey, isDatabaseAway, isRetryable, retrying, type Scope, scoped, systemScope, type Tx } from './scope.ts';

const createNotes = (ownerUrl: string) =>
  runAs(
    ownerUrl,
    'create table scope_notes (id integer primary key, organisation_id integer not null, text text not null)',
    'alter table scope_notes enable row level security',
    'create policy tenant on scope_notes using ((select app_is_system()) or organisation_id = any ((select app_organisations())::integer[]))',
    "insert into scope_notes values (1, 10, 'a'), (2, 11, 'b'), (3, 12, 'c')",
    'grant select, insert, update, delete on scope_notes to parapet_app',
  );

const database = useTestDatabase({ poolSize: 2 });
beforeAll(async () => {
  await createNotes(database.ownerUrl);
});

const visible = async (tx: Tx) =>
  (await sql<{ id: number }>`select id from scope_notes order by id`.execute(tx)).rows.map(({ id }) => id);
const setting = async (tx: Tx) =>
  (await sql<{ value: string | null }>`select substr(current_setting('app.scope', true), 66) as value`.execute(tx)).rows[0]
    ?.value;
const backend = async (tx: Tx) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]!.pid;

describe('a scoped transaction', () => {
  test.each<[string, Scope, number[]]>([
    ['one organisation', { organisationIds: [10] }, [1]],
    ['two organisations', { organisationIds: [10, 12] }, [1, 3]],
    ['none', { organisationIds: [] }, []],
    ['the smallest id', { organisationIds: [1] }, []],
    ['the largest id', { organisationIds: [2 ** 31 - 1] }, []],
    ['the portal itself', systemScope, [1, 2, 3]],
  ])('sees the rows of its scope: %s', async (_, scope, ids) => {
    expect(await scoped(database.db, scope, visible)).toEqual(ids);
  });

  test('leaves nothing of its scope on the connection', async () => {
    await scoped(database.db, 'system', visible);
    const { rows } = await database.db.pool.query(
      "select current_setting('app.scope', true) as value, (select count(*) from scope_notes) as seen",
    );
    expect(rows[0]).toEqual({ value: '', seen: 0 });
  });

  test('sees its own scope among many concurrent ones', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => 10 + (index % 3));
    const seen = await Promise.all(ids.map((id) => scoped(database.db, { organisationIds: [id] }, setting)));
    expect(seen).toEqual(ids.map(String));
  });

  test.each([[-1], [0], [1.5], [Number.NaN], [2 ** 31], ['1; drop table scope_notes' as unknown as number]])(
    'refuses %s as an organisation before it asks',
    async (id) => {
      await expect(scoped(database.db, { organisationIds: [10, id] }, visible)).rejects.toThrow(TypeError);
    },
  );

  test('may not write into another organisation', async () => {
    const write = scoped(database.db, { organisationIds: [10] }, (tx) =>
      sql`insert into scope_notes values (9, 11, 'x')`.execute(tx),
    );
    await expect(write).rejects.toMatchObject({ code: '42501' });
  });

  test('commits what it did and counts what it changed', async () => {
    const result = await scoped(database.db, { organisationIds: [11] }, (tx) =>
      sql`update scope_notes set text = 'B'`.execute(tx),
    );
    expect(result.numAffectedRows).toBe(1n);
    const { rows } = await scoped(database.db, 'system', (tx) =>
      sql<{ text: string }>`select text from scope_notes order by id`.execute(tx),
    );
    expect(rows.map(({ text }) => text)).toEqual(['a', 'B', 'c']);
  });

  test('rolls back when its function throws, and throws that error', async () => {
    const fault = new Error('mine');
    const work = scoped(database.db, 'system', async (tx) => {
      await sql`delete from scope_notes`.execute(tx);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await scoped(database.db, 'system', visible)).toEqual([1, 2, 3]);
  });

  test('throws when a failed statement was swallowed, as nothing was committed', async () => {
    const work = scoped(database.db, 'system', async (tx) => {
      await sql`delete from scope_notes`.execute(tx);
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      return 'done';
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await scoped(database.db, 'system', visible)).toEqual([1, 2, 3]);
    expect(database.db.pool.totalCount).toBeLessThanOrEqual(2);
  });

  test('cannot be nested', async () => {
    await expect(
      scoped(database.db, 'system', async (tx) => (tx as unknown as { transaction(): unknown }).transaction()),
    ).rejects.toThrow();
  });

  test('rejects writes when read-only; limits isolation and statement timeout to itself', async () => {
    const write = scoped(database.db, 'system', (tx) => sql`delete from scope_notes`.execute(tx), { readOnly: true });
    await expect(write).rejects.toMatchObject({ code: '25006' });
    const shown = await scoped(
      database.db,
      'system',
      async (tx) =>
        (
          await sql`select current_setting('transaction_isolation') as level, current_setting('statement_timeout') as timeout`.execute(
            tx,
          )
        ).rows[0],
      { isolation: 'serializable', statementTimeoutMs: 60_000 },
    );
    expect(shown).toEqual({ level: 'serializable', timeout: '1min' });
    const { rows } = await database.db.pool.query("select current_setting('statement_timeout') as timeout");
    expect(rows[0]).toEqual({ timeout: '5s' });
  });

  test('keeps its connection after an SQL error and drops a lost one', async () => {
    const single = await testDatabase({ poolSize: 1 });
    try {
      const first = await scoped(single.db, 'system', backend);
      await expect(scoped(single.db, 'system', (tx) => sql`select 1 / 0`.execute(tx))).rejects.toMatchObject({ code: '22012' });
      expect(await scoped(single.db, 'system', backend)).toBe(first);
      const lost = scoped(single.db, 'system', async (tx) => {
        await runAs(single.ownerUrl, `select pg_terminate_backend(${await backend(tx)})`);
        await sql`select 1`.execute(tx);
      });
      expect(isDatabaseAway(await lost.catch((error: unknown) => error))).toBe(true);
      expect(await scoped(single.db, 'system', backend)).not.toBe(first);
      // Also a connection lost between queries, with another error on top.
      const quietly = scoped(single.db, 'system', async (tx) => {
        const pid = await backend(tx);
        await runAs(single.ownerUrl, `select pg_terminate_backend(${pid})`);
        const rest = `select from pg_stat_activity where pid = ${pid}`;
        await expect.poll(async () => (await runAs(single.ownerUrl, rest))[0]?.rowCount).toBe(0);
        throw new Error('mine');
      });
      await expect(quietly).rejects.toThrow('mine');
      expect(await scoped(single.db, 'system', setting)).toBe('*');
    } finally {
      await single.close();
    }
  });

  test('prepares repeated statements on such a database, not those that read partitions other than by key, and each still sees its scope', async () => {
    const single = await testDatabase({ poolSize: 1 });
    try {
      await createNotes(single.ownerUrl);
      const db = { ...single.db, preparesRepeated: true };
      for (let use = 0; use < 8; use++)
        for (const id of [10, 11])
          await scoped(db, { organisationIds: [id] }, async (tx) => {
            const { rows } = await sql`select organisation_id as id from scope_notes where id > ${0}`.execute(tx);
            expect(rows).toEqual([{ id }]);
            await sql`select id from alerts where id > ${0}`.execute(tx);
            await sql`${byKey} select id from alerts where id = ${0} limit 1`.execute(tx);
          });
      const { rows } = await single.db.pool.query<{ statement: string }>('select statement from pg_prepared_statements');
      const prepared = rows.map(({ statement }) => statement);
      expect(prepared).toContain('select organisation_id as id from scope_notes where id > $1');
      expect(prepared.filter((statement) => statement.includes('from alerts'))).toEqual([
        '/* by key */ select id from alerts where id = $1 limit 1',
      ]);
    } finally {
      await single.close();
    }
  });

  test('includes the caller in the stack trace of an SQL error', async () => {
    async function namedCaller(tx: Tx) {
      await sql`select nothing from nowhere`.execute(tx);
    }
    const error = (await scoped(database.db, 'system', namedCaller).catch((error: unknown) => error)) as pg.DatabaseError;
    expect(error.code).toBe('42P01');
    expect(error.stack).toContain('namedCaller');
  });
});

describe('retrying', () => {
  test('completes both of two conflicting transactions', async () => {
    let reads = 0;
    const bothRead = Promise.withResolvers<void>();
    const raise = () =>
      retrying(
        () =>
          scoped(
            database.db,
            'system',
            async (tx) => {
              const { rows } = await sql<{ length: number }>`select length(text) as length from scope_notes where id = 3`.execute(
                tx,
              );
              if (++reads === 2) bothRead.resolve();
              await bothRead.promise;
              await sql`update scope_notes set text = ${'c'.repeat(rows[0]!.length + 1)} where id = 3`.execute(tx);
            },
            { isolation: 'serializable' },
          ),
        { attempts: 20 },
      );
    await Promise.all([raise(), raise(), raise()]);
    const { rows } = await scoped(database.db, 'system', (tx) =>
      sql<{ text: string }>`select text from scope_notes where id = 3`.execute(tx),
    );
    expect(rows[0]!.text).toBe('cccc');
  });

  test('stops at the last attempt, and immediately on errors that a retry cannot resolve', async () => {
    const failing = (code: string) => {
      const counter = { runs: 0 };
      const work = async () => {
        counter.runs++;
        throw Object.assign(new Error(code), { code });
      };
      return { counter, work };
    };
    const deadlock = failing('40P01');
    await expect(retrying(deadlock.work, { attempts: 3, pauseMs: 1 })).rejects.toMatchObject({ code: '40P01' });
    expect(deadlock.counter.runs).toBe(3);
    const duplicate = failing('23505');
    await expect(retrying(duplicate.work)).rejects.toMatchObject({ code: '23505' });
    expect(duplicate.counter.runs).toBe(1);
    const away = failing('57P01');
    await expect(retrying(away.work)).rejects.toMatchObject({ code: '57P01' });
    expect(away.counter.runs).toBe(1);
    await expect(retrying(away.work, { attempts: 2, pauseMs: 1, alsoWhenAway: true })).rejects.toMatchObject({ code: '57P01' });
    expect(away.counter.runs).toBe(3);
  });

  const coded = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });
  test.each<[string, unknown, { away: boolean; retryable: boolean }]>([
    ['serialization failure', coded('40001'), { away: false, retryable: true }],
    ['deadlock', coded('40P01'), { away: false, retryable: true }],
    ['unique violation', coded('23505'), { away: false, retryable: false }],
    ['statement timeout', coded('57014'), { away: false, retryable: false }],
    ['wrong password', coded('28P01'), { away: false, retryable: false }],
    ['server stops', coded('57P01'), { away: true, retryable: false }],
    ['server starts', coded('57P03'), { away: true, retryable: false }],
    ['connection failure', coded('08006'), { away: true, retryable: false }],
    ['too many connections', coded('53300'), { away: true, retryable: false }],
    ['disk full', coded('53100'), { away: true, retryable: false }],
    ['refused', coded('ECONNREFUSED'), { away: true, retryable: false }],
    ['no socket', coded('ENOENT', { syscall: 'connect' }), { away: true, retryable: false }],
    ['no file', coded('ENOENT', { syscall: 'open' }), { away: false, retryable: false }],
    ['refused at every address', new AggregateError([coded('ECONNREFUSED')]), { away: true, retryable: false }],
    ['cut', new Error('Connection terminated unexpectedly'), { away: true, retryable: false }],
    ['pool busy', new Error('timeout exceeded when trying to connect'), { away: true, retryable: false }],
    ['our own', new Error('Connection of two users'), { away: false, retryable: false }],
    ['no error', 'Connection terminated', { away: false, retryable: false }],
    ['nothing', undefined, { away: false, retryable: false }],
  ])('%s', (_, error, { away, retryable }) => {
    expect({ away: isDatabaseAway(error), retryable: isRetryable(error) }).toEqual({ away, retryable });
  });
});
