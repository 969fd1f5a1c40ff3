import { describe, expect, test } from 'vitest';
import { runAs, useTestDatabase } from '../../../test/database.ts';

const database = useTestDatabase();

describe('a connection', () => {
  test('reads each type as the stores expect it', async () => {
    const { rows } =
      await database.db.pool.query(`select 9007199254740991::bigint as big, array[1, null, 3]::bigint[] as bigs, '{}'::bigint[] as none,
      '2026-02-01'::date as day, array['2026-02-01', null]::date[] as days, '2026-02-01T10:00:00Z'::timestamptz as at, 1.10::numeric as exact,
      '{"a":[1]}'::jsonb as value, 1.5::float8 as real, 3::integer as whole, true as yes, null::bigint as missing`);
    expect(rows[0]).toEqual({
      big: 9007199254740991,
      bigs: [1, null, 3],
      none: [],
      day: '2026-02-01',
      days: ['2026-02-01', null],
      at: new Date('2026-02-01T10:00:00Z'),
      exact: '1.10',
      value: { a: [1] },
      real: 1.5,
      whole: 3,
      yes: true,
      missing: null,
    });
  });

  test('fails rather than round a bigint, and can be used afterwards', async () => {
    await expect(database.db.pool.query('select 9007199254740993::bigint')).rejects.toThrow('beyond the exact integers');
    expect((await database.db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('sets the statement timeout and the application name, and prepares nothing', async () => {
    const { rows } = await database.db.pool.query(
      "select current_setting('statement_timeout') as timeout, current_setting('application_name') as name, (select count(*) from pg_prepared_statements) as prepared",
    );
    expect(rows[0]).toEqual({ timeout: '5s', name: 'test', prepared: 0 });
  });

  test('survives lost connections, idle or in use between two queries', async () => {
    const inUse = await database.db.pool.connect();
    const idle = await database.db.pool.connect();
    const pids = [inUse, idle].map((client) => (client as unknown as { processID: number }).processID);
    const ended = [inUse, idle].map((client) => new Promise<void>((resolve) => client.once('end', resolve)));
    idle.release();
    await runAs(database.ownerUrl, `select pg_terminate_backend(pid) from unnest('{${pids}}'::integer[]) pid`);
    await Promise.all(ended);
    inUse.release();
    expect((await database.db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
