/** Attacker’s SQL inside a tenant’s transaction under the application’s role: no statement widens the scope (docs/decisions/0030-proven-scope.md). */
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { provenScope, scopeKeyOf } from '../src/core/db/scope-proof.ts';
import { useTestApp } from './app.ts';
import { runAs } from './database.ts';

const t = useTestApp();
let own: number;
let foreign: number;
beforeAll(async () => {
  own = await t.organisation();
  foreign = await t.organisation();
  await runAs(t.database.ownerUrl, 'select make_partitions(current_date - 40, current_date + 40)');
  for (const organisationId of [own, foreign]) {
    await t.user({ organisationId, role: 'Analyst' });
    const key = await t.ingestKey(organisationId);
    await t.send(key, [{ '@timestamp': new Date().toISOString(), message: `secret of ${organisationId}`, host: { name: 'h' } }]);
  }
});

/** Runs statements in a transaction scoped to `own`; returns foreign organisations found in any row. */
async function attack(...statements: (string | ((client: pg.PoolClient) => string))[]): Promise<unknown[]> {
  const client = await t.db.pool.connect();
  try {
    await client.query(`begin; set local app.scope = '${provenScope(t.db.scopeKey, client, String(own))}'`);
    for (const statement of statements) {
      await client.query('savepoint attack').catch(() => undefined);
      await client
        .query(typeof statement === 'string' ? statement : statement(client))
        .catch(() => client.query('rollback to attack').catch(() => undefined));
    }
    const seen: unknown[] = [];
    for (const table of [
      'organisations',
      'users',
      'sessions',
      'devices',
      'event_blocks',
      'alerts',
      'cases',
      'audit',
      'secrets',
      'mails',
    ]) {
      const column = table === 'organisations' ? 'id' : 'organisation_id';
      const text =
        table === 'secrets'
          ? 'select name as "of" from secrets'
          : `select ${column} as "of" from ${table} where ${column} <> ${own}`;
      await client.query('savepoint reading').catch(() => undefined);
      const { rows } = await client.query<{ of: unknown }>(text).catch(async () => {
        await client.query('rollback to reading').catch(() => undefined);
        return { rows: [] };
      });
      seen.push(...rows.map((row) => `${table} ${String(row.of)}`));
    }
    return seen;
  } finally {
    await client.query('rollback');
    client.release(true);
  }
}

const zeros = '0'.repeat(64);

describe('a statement inside the scope', () => {
  test('sees everything with a proof for everything, so the attacks below could succeed', async () => {
    const proven = (client: pg.PoolClient) => `set local app.scope = '${provenScope(t.db.scopeKey, client, '*')}'`;
    expect(await attack(proven)).toEqual(expect.arrayContaining([`users ${foreign}`, `event_blocks ${foreign}`]));
  });

  test('sees its own rows', async () => {
    const counts = await scoped(t.db, { organisationIds: [own] }, async (tx) => {
      const { rows } = await sql<{
        n: number;
      }>`select count(*)::integer as n from event_blocks where organisation_id = ${own}`.execute(tx);
      return rows[0]?.n;
    });
    expect(counts).toBe(1);
    const all = await scoped(t.db, 'system', (tx) => tx.selectFrom('users').select('organisation_id').execute());
    expect(all.map((row) => row.organisation_id)).toEqual(expect.arrayContaining([own, foreign]));
  });

  test.each([
    ['names another scope without a proof', [`set local app.scope = '*'`]],
    [
      'sets the setting of earlier versions',
      [`set local app.organisations = '*'`, `select set_config('app.organisations', '*', false)`],
    ],
    ['gives a self-made proof', [`select set_config('app.scope', '${zeros} *', true)`]],
    ['reuses its own proof for all', [`select set_config('app.scope', left(current_setting('app.scope'), 64) || ' *', true)`]],
    [
      'appends to what was proven',
      [
        `do $$ begin perform set_config('app.scope', current_setting('app.scope') || ',' || g, true) from generate_series(1, 2000) g; end $$`,
      ],
    ],
    [
      'reads the key and signs',
      [
        `do $$ declare k record; begin select * into k from scope_key;
         perform set_config('app.scope', encode(sha256(k.outer_pad || sha256(k.inner_pad || convert_to(pg_backend_pid() || ' *', 'UTF8'))), 'hex') || ' *', true); end $$`,
      ],
    ],
    [
      'replaces the key',
      [
        `update scope_key set inner_pad = '', outer_pad = ''`,
        `delete from scope_key`,
        `insert into scope_key values (true, '', '')`,
      ],
    ],
    [
      'shadows the key by a temporary table',
      [
        'create temporary table scope_key (is_only boolean, inner_pad bytea, outer_pad bytea)',
        `insert into pg_temp.scope_key values (true, '', '')`,
        `select set_config('app.scope', encode(sha256(sha256(convert_to(pg_backend_pid() || ' *', 'UTF8'))), 'hex') || ' *', true)`,
      ],
    ],
    [
      'replaces the functions of the policies',
      [
        `create or replace function app_is_system() returns boolean language sql as 'select true'`,
        `create function pg_temp.app_is_system() returns boolean language sql as 'select true'`,
        `set local search_path = pg_temp, public`,
      ],
    ],
    ['turns row security off', [`set local row_security = off`, `alter table users disable row level security`]],
    ['becomes another role', [`set local role postgres`, `set session authorization postgres`, `reset role`]],
    ['requests system scope after its transaction', [`commit`, `begin`, `set local app.scope = '*'`]],
  ])('sees nothing foreign when it %s', async (_how, statements) => {
    expect(await attack(...statements)).toEqual([]);
  });

  test('cannot use another connection’s proof read from pg_stat_activity', async () => {
    const other = await t.db.pool.connect();
    try {
      await other.query(`begin; set local app.scope = '${provenScope(t.db.scopeKey, other, '*')}'`);
      expect((await other.query('select app_is_system() as "isSystem"')).rows).toEqual([{ isSystem: true }]);
      const { rows } = await other.query<{ proof: string }>(`select current_setting('app.scope') as proof`);
      expect(await attack(`set local app.scope = '${rows[0]?.proof}'`)).toEqual([]);
    } finally {
      other.release(true);
    }
  });

  test('removes nothing foreign through security definer functions', async () => {
    await expect(
      scoped(t.db, { organisationIds: [own] }, (tx) =>
        sql`select remove_over_age('event_blocks', ${foreign}, now() - interval '2 days', 100)`.execute(tx),
      ),
    ).rejects.toThrow('only the portal');
    await expect(
      scoped(t.db, { organisationIds: [own] }, (tx) =>
        sql`select drop_partitions('event_blocks', now() - interval '2 days')`.execute(tx),
      ),
    ).rejects.toThrow('only the portal');
  });

  test('rejects a second statement in the same text', async () => {
    await expect(scoped(t.db, { organisationIds: [own] }, (tx) => sql.raw('select 1; select 2').execute(tx))).rejects.toThrow(
      'multiple commands',
    );
  });

  test('cannot create temporary tables', async () => {
    await expect(runAs(t.database.url, 'create temporary table users (id integer)')).rejects.toThrow('permission denied');
  });
});

test('sees nothing with the key of another password', async () => {
  const client = new pg.Client({ connectionString: t.database.url });
  await client.connect();
  const wrong = scopeKeyOf('postgres://parapet_app:another@localhost/x');
  await client.query(`begin; set local app.scope = '${provenScope(wrong, client as never, '*')}'`);
  expect((await client.query('select count(*)::integer as n from users')).rows).toEqual([{ n: 0 }]);
  await client.end();
});
