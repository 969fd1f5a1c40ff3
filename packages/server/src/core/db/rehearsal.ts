/**
 * A database within one transaction that is always rolled back: what is written there is seen by its own queries alone, and never was. Each transaction
 * of `scoped` becomes a savepoint, one after another on one connection, on the snapshot of the beginning.
 */
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database } from './connect.ts';
import type { Tables } from './tables.ts';

/** Maximum wait for the transaction before, in milliseconds: a transaction opened within another would wait for itself. */
const waitMs = 20_000;

type Query = (...given: unknown[]) => Promise<pg.QueryResult>;
const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : ((given as { text?: string } | null)?.text ?? '');

/** Runs `fn`, then rolls everything back, whatever happened. The rows that it writes stay locked until then: keep it short. */
export async function rehearse<T>(db: Database, fn: (rehearsal: Database) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let isUsable = false;
  try {
    await client.query('begin isolation level repeatable read');
    const turns = takeTurns();
    const stage = stageOn(client, turns);
    const pool = Object.assign(Object.create(db.pool) as pg.Pool, {
      connect: () => turns.take().then(() => stage),
      query: async (...given: unknown[]) => {
        await turns.take();
        try {
          return await stage.alone(given);
        } finally {
          turns.give();
        }
      },
      end: async () => {},
    });
    const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    const { observer: _unobserved, ...unwatched } = db;
    const rehearsal: Database = { ...unwatched, pool, kysely, suspend: () => {}, resume: () => {}, close: async () => {} };
    try {
      return await fn(rehearsal);
    } finally {
      stage.leave();
    }
  } finally {
    isUsable = await client.query('rollback').then(
      () => true,
      () => false,
    );
    client.release(!isUsable);
  }
}

/** One at a time, first come, first served. */
function takeTurns() {
  let isTaken = false;
  const waiting: { go: () => void; fail: (error: Error) => void; timer: NodeJS.Timeout }[] = [];
  return {
    take: (): Promise<void> => {
      if (!isTaken) {
        isTaken = true;
        return Promise.resolve();
      }
      return new Promise((go, fail) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(entry), 1);
          fail(new Error(`A transaction of the rehearsal waited ${waitMs} ms for another one.`));
        }, waitMs).unref();
        const entry = { go, fail, timer };
        waiting.push(entry);
      });
    },
    give: (): void => {
      const next = waiting.shift();
      if (!next) {
        isTaken = false;
        return;
      }
      clearTimeout(next.timer);
      next.go();
    },
  };
}

type Stage = pg.PoolClient & { alone: (given: unknown[]) => Promise<pg.QueryResult>; leave: () => void };

/** The connection with `begin`, `commit` and `rollback` as those of a savepoint. */
function stageOn(client: pg.PoolClient, turns: { give: () => void }): Stage {
  const runQuery = client.query.bind(client) as unknown as Query;
  let isOver = false;
  /** Statements still under way at the end must not reach the connection, which is another’s then. */
  const run: Query = (...given) => (isOver ? Promise.reject(new Error('The rehearsal is over.')) : runQuery(...given));
  const stage = Object.create(client) as Stage;
  const back = async () => {
    await run('rollback to savepoint act');
    await run('release savepoint act');
  };
  const commit = () =>
    run('release savepoint act').catch(async () => {
      // One of its statements failed.
      await back();
      return { command: 'ROLLBACK', rows: [], rowCount: 0 } as unknown as pg.QueryResult;
    });
  const query: Query = (...given) => {
    const text = textOf(given[0]);
    // A released savepoint leaves its local settings to the next.
    if (/^begin\b/i.test(text)) return run(text.replace(/^begin[^;]*/i, 'savepoint act; set local statement_timeout to default'));
    if (text === 'commit')
      return commit().then((result) => (result.command === 'ROLLBACK' ? result : { ...result, command: 'COMMIT' }));
    if (text === 'rollback')
      return back().then(() => ({ command: 'ROLLBACK', rows: [], rowCount: 0 }) as unknown as pg.QueryResult);
    return run(...given);
  };
  stage.query = query as unknown as pg.PoolClient['query'];
  stage.release = () => turns.give();
  stage.leave = () => {
    isOver = true;
  };
  stage.alone = async (given) => {
    await run("savepoint act; set local statement_timeout to default; set local app.scope = ''");
    try {
      const result = await run(...given);
      await run('release savepoint act');
      return result;
    } catch (error) {
      await back();
      throw error;
    }
  };
  return stage;
}
