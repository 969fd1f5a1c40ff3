/** Settings, statements and ends of scoped transactions, and their proof at a start. */
import { randomBytes } from 'node:crypto';
import { type CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { runAs, useTestDatabase } from '../../../test/database.ts';
import type { Database } from './connect.ts';
import { isOutcomeUncertain } from './failures.ts';
import { DeferredParameter, readScoped, requireProvenScope, scoped, type Tx, writtenOnce } from './scope.ts';

const database = useTestDatabase({ poolSize: 1 });
const notes =
  "create policy tenant on scope_notes using ((select app_is_system())); insert into scope_notes values (1, 'a'), (2, 'b')";
beforeAll(async () => {
  await runAs(
    database.ownerUrl,
    'create table scope_notes (id integer primary key deferrable initially deferred, text text not null)',
    `alter table scope_notes enable row level security; ${notes}`,
    'grant select, insert, update, delete on scope_notes to parapet_app',
    `create function end_connection() returns trigger language plpgsql security definer as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
    'create constraint trigger ending after insert on scope_notes deferrable initially deferred for each row when (new.id = 99) execute function end_connection()',
    // That of the server may be off.
    `alter database ${new URL(database.ownerUrl).pathname.slice(1)} set synchronous_commit = on`,
  );
});

const one = async <T>(tx: Tx, text: string): Promise<T> => (await sql<{ value: T }>`${sql.raw(text)}`.execute(tx)).rows[0]!.value;
const commitMode = (tx: Tx) => one<string>(tx, "select current_setting('synchronous_commit') as value");
const isPaused = (tx: Tx) => one<boolean>(tx, 'select is_paused() as value');
const backend = (tx: Tx) => one<number>(tx, 'select pg_backend_pid() as value');
const prepared = (tx: Tx, text: string) =>
  one<number>(tx, `select count(*)::integer as value from pg_prepared_statements where statement = '${text}'`);

/** A database of one connection, whose statements are recorded and fail where `fails` has their text. */
function recorded(fails: string | undefined) {
  const statements: (pg.QueryConfig & { query_timeout?: number })[] = [];
  const release = vi.fn();
  const client = {
    processID: 1,
    release,
    async query(given: string | pg.QueryConfig) {
      const statement = typeof given === 'string' ? { text: given } : given;
      statements.push(statement);
      if (statement.text === fails) throw new Error(`${fails} failed`);
      return { command: statement.text.toUpperCase(), rows: [], rowCount: 0 };
    },
  };
  const pool = { connect: async () => client } as unknown as pg.Pool;
  return { db: { ...database.db, pool }, statements, release };
}

describe('settings of a transaction', () => {
  test('commits to the disk unless its database or options make it forgettable', async () => {
    const forgettable = { ...database.db, isForgettable: true };
    expect(await scoped(database.db, 'system', commitMode)).toBe('on');
    expect(await scoped(database.db, 'system', commitMode, { isForgettable: true })).toBe('off');
    expect(await scoped(forgettable, 'system', commitMode)).toBe('off');
    expect(await scoped(forgettable, 'system', commitMode, { isForgettable: false })).toBe('on');
  });

  test('pauses what leaves the portal in safe mode alone', async () => {
    expect(await scoped(database.db, 'system', isPaused)).toBe(false);
    expect(await scoped({ ...database.db, isSafeMode: true }, 'system', isPaused)).toBe(true);
  });

  test('rejects writes of a read', async () => {
    const write = readScoped(database.db, 'system', (tx) => sql`delete from scope_notes`.execute(tx));
    await expect(write).rejects.toMatchObject({ code: '25006' });
  });

  test('limits the wait for a response by the statement timeout', async () => {
    const limited = recorded(undefined);
    await scoped(limited.db, 'system', (tx) => sql`select 1`.execute(tx), { statementTimeoutMs: 200 });
    expect(limited.statements.slice(1).map(({ text, query_timeout: limit }) => [text, limit])).toEqual([
      ['select 1', 4_700],
      ['commit', 4_700],
    ]);
    const usual = recorded(undefined);
    await scoped(usual.db, 'system', async () => {});
    expect(usual.statements.at(-1)).toEqual({ text: 'commit' });
  });

  test('reports the wait for a connection in seconds', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000));
    const waited = vi.fn();
    try {
      await scoped({ ...database.db, observer: { waited, ran: () => {} } }, 'system', async () => {});
    } finally {
      clock.mockRestore();
    }
    expect(waited.mock.calls).toEqual([[1]]);
  });
});

describe('statements of a transaction', () => {
  test('counts the rows that each kind of statement changed', async () => {
    await scoped(database.db, 'system', async (tx) => {
      const changed = async (text: string) => (await sql`${sql.raw(text)}`.execute(tx)).numAffectedRows;
      expect(await changed("insert into scope_notes values (3, 'c'), (4, 'd')")).toBe(2n);
      expect(await changed('delete from scope_notes where id > 2')).toBe(2n);
      const merge =
        'merge into scope_notes n using (values (1), (2)) v (id) on n.id = v.id when matched then update set text = n.text';
      expect(await changed(merge)).toBe(2n);
      expect(await changed('select 1')).toBeUndefined();
    });
  });

  test('refuses two statements in one text, and streams', async () => {
    const two = scoped(database.db, 'system', (tx) => sql`select 1; select 2`.execute(tx));
    await expect(two).rejects.toMatchObject({ code: '42601' });
    const stream = scoped(database.db, 'system', async (tx) => {
      for await (const _ of tx.selectFrom('users').select('id').stream()) break;
    });
    await expect(stream).rejects.toThrow('Streaming');
  });

  test('reads a deferred parameter before its statement, beside others', async () => {
    const deferred = new DeferredParameter((tx) => one<string>(tx, 'select text as value from scope_notes where id = 2'));
    const { rows } = await scoped(database.db, 'system', (tx) =>
      sql`select ${deferred}::text as first, ${'c'}::text as second`.execute(tx),
    );
    expect(rows).toEqual([{ first: 'b', second: 'c' }]);
  });

  test('prepares on request, or from the fourth use on a database that prepares what repeats', async () => {
    const use = (db: Database, text: string, isPrepared?: boolean) =>
      scoped(
        db,
        'system',
        async (tx) => {
          await sql`${sql.raw(text)}`.execute(tx);
        },
        isPrepared === undefined ? {} : { isPrepared },
      );
    const count = (text: string) => scoped(database.db, 'system', (tx) => prepared(tx, text), { isPrepared: false });
    const preparing = { ...database.db, preparesRepeated: true };
    const counts: number[] = [];
    for (let uses = 1; uses <= 4; uses++) {
      await use(preparing, 'select 1 as repeated');
      counts.push(await count('select 1 as repeated'));
      await use(database.db, 'select 1 as usual');
      await use(preparing, 'select 1 as refused', false);
    }
    expect(counts).toEqual([0, 0, 0, 1]);
    await use(database.db, 'select 1 as requested', true);
    expect(await Promise.all(['usual', 'refused', 'requested'].map((name) => count(`select 1 as ${name}`)))).toEqual([0, 0, 1]);
  });

  test('compiles a statement of one value once, and returns its first row', async () => {
    const build = vi.fn((tx: Tx, id: number): { compile(): CompiledQuery<{ id: number; mark: string }> } => ({
      compile: () =>
        sql<{ id: number; mark: string }>`select id, ${'m'} as mark from scope_notes where id >= ${id} order by id`.compile(tx),
    }));
    const find = writtenOnce(build);
    const found = await scoped(database.db, 'system', async (tx) => [await find(tx, 1), await find(tx, 2), await find(tx, 3)]);
    expect(found).toEqual([{ id: 1, mark: 'm' }, { id: 2, mark: 'm' }, undefined]);
    expect(build).toHaveBeenCalledTimes(1);
  });
});

describe('end of a transaction', () => {
  test('throws the error of a failed commit and drops its connection', async () => {
    const before = await scoped(database.db, 'system', backend);
    const double = scoped(database.db, 'system', (tx) => sql`insert into scope_notes values (1, 'double')`.execute(tx));
    const error = await double.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: '23505' });
    expect(isOutcomeUncertain(error)).toBe(false);
    expect(await scoped(database.db, 'system', backend)).not.toBe(before);
  });

  test('marks a commit without a response as uncertain', async () => {
    const lost = scoped(database.db, 'system', (tx) => sql`insert into scope_notes values (99, 'ends')`.execute(tx));
    expect(isOutcomeUncertain(await lost.catch((error: unknown) => error))).toBe(true);
  });

  test.each([
    ['a rollback that fails', 'rollback', true],
    ['a rollback', undefined, false],
  ])('releases its connection after %s', async (_, fails, isDropped) => {
    const { db, release } = recorded(fails);
    const work = scoped(db, 'system', async () => {
      throw new Error('mine');
    });
    await expect(work).rejects.toThrow('mine');
    expect(release.mock.calls).toEqual([[isDropped]]);
  });
});

describe('proof of scopes at a start', () => {
  test('accepts those of this process, also once a lost connection is there again', async () => {
    await requireProvenScope(database.db);
    const { pool } = database.db;
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const connecting = vi.fn((): Promise<pg.PoolClient> => pool.connect()).mockRejectedValueOnce(refused);
    await requireProvenScope({ ...database.db, pool: { connect: connecting } as unknown as pg.Pool });
    expect(connecting).toHaveBeenCalledTimes(2);
  });

  test('throws for a key that the database does not have', async () => {
    await expect(requireProvenScope({ ...database.db, scopeKey: randomBytes(32) })).rejects.toThrow('does not accept the proof');
  });
});
