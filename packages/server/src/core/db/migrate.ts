/**
 * Brings the database to this version's shape: numbered SQL files, each once, as the owner, before anything else connects.
 * Also makes the application's role, which owns nothing and cannot pass row-level security.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../log.ts';
import { appUrl, ensureAppRole } from './app-role.ts';
import { scopeKeyOf, storeScopeKey } from './scope-proof.ts';
import { type Statement, splitStatements } from './statements.ts';

export { APP_ROLE, appUrl } from './app-role.ts';

export interface MigrateOptions {
  /** The role that owns the tables. */
  readonly ownerUrl: string;
  /** Of `NNNN_name.sql` files. */
  readonly folder: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** URL of an application role created by an administrator; such a role is checked, not created. */
  readonly givenAppUrl?: string | undefined;
  /** Time in which a file is repeated while its tables are in use; ten minutes by default. */
  readonly lockLimitMs?: number;
}

interface Migration {
  readonly name: string;
  readonly number: number;
  readonly text: string;
  readonly checksum: string;
}

const LOCK_KEY = 7300;
/** As PostgreSQL numbers its versions. */
export const MINIMUM_VERSION = 150_000;

/**
 * Answers the names of the files that it ran. Processes that start together wait for each other. Throws when a landed file was
 * edited, when a file fails (naming file, line and reason; that file is rolled back whole), when PostgreSQL is older than 15,
 * and when the application's role cannot be made or has rights that it must not have.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.folder);
  const client = new pg.Client({ connectionString: options.ownerUrl, application_name: 'parapet migrate', keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('set statement_timeout = 0; set client_min_messages = warning; set search_path = public');
    await refuseOldServer(client);
    await takeLock(client, options.log);
    await ensureAppRole(client, options.ownerUrl, options.givenAppUrl);
    await storeScopeKey(client, scopeKeyOf(options.givenAppUrl ?? appUrl(options.ownerUrl)));
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now(), duration_ms integer not null)',
    );
    return await applyMissing(client, migrations, options);
  } finally {
    // Ending the session gives the lock back.
    await client.end().catch(() => undefined);
  }
}

/** Files compared with a database, without a change to either; names in order. */
export async function compareMigrations(
  client: pg.Client,
  folder: string,
): Promise<{ applied: number; pending: string[]; edited: string[]; unknown: string[] }> {
  const migrations = await readMigrations(folder);
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations order by name');
  const landed = new Map(rows.map((row) => [row.name, row.checksum]));
  const names = (wanted: (migration: Migration) => boolean) => migrations.filter(wanted).map(({ name }) => name);
  const known = new Set(migrations.map(({ name }) => name));
  return {
    applied: rows.length,
    pending: names(({ name }) => !landed.has(name)),
    edited: names(({ name, checksum }) => landed.has(name) && landed.get(name) !== checksum),
    unknown: rows.filter(({ name }) => !known.has(name)).map(({ name }) => name),
  };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Migration[] = [];
  for (const name of names) {
    const number = Number(/^(\d{4})_[a-z0-9_-]+\.sql$/.exec(name)?.[1]);
    if (Number.isNaN(number)) throw new Error(`Migration ${join(folder, name)} must be named like 0007_what_it_does.sql.`);
    const before = migrations.at(-1);
    if (before?.number === number)
      throw new Error(`Migrations ${before.name} and ${name} have the same number; give one the next free number.`);
    const text = await readFile(join(folder, name), 'utf8');
    migrations.push({ name, number, text, checksum: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex') });
  }
  return migrations;
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as name",
  );
  const [version] = rows;
  if (Number(version?.number) < MINIMUM_VERSION) {
    throw new Error(
      `The database is PostgreSQL ${version?.name}; the portal needs 15 or later. Upgrade it, or set DATABASE_URL to another one.`,
    );
  }
}

/** Polls: a waiting statement would hold a snapshot, for which `create index concurrently` waits. */
async function takeLock(client: pg.Client, log: Pick<Log, 'info'>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [LOCK_KEY]);
    if (rows[0]?.mine) return;
    if (attempt === 20) log.info({}, 'waiting for another process that brings the database up to date');
    await sleep(50);
  }
}

async function applyMissing(
  client: pg.Client,
  migrations: readonly Migration[],
  { log, lockLimitMs: limitMs }: MigrateOptions,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations order by name');
  const landed = new Map(rows.map((row) => [row.name, row.checksum]));
  const known = new Set(migrations.map(({ name }) => name));
  const newer = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (newer.length > 0) log.warn({ migrations: newer }, 'the database is ahead of this version of the portal');
  const last = rows.at(-1)?.name ?? '';
  const applied: string[] = [];
  for (const migration of migrations) {
    const checksum = landed.get(migration.name);
    if (checksum === migration.checksum) continue;
    if (checksum !== undefined) {
      throw new Error(
        `Migration ${migration.name} was edited after it landed in this database. Put the file back as it was, and write the change as a new file with the next number.`,
      );
    }
    if (migration.name < last)
      throw new Error(`Migration ${migration.name} is new, but ${last} has landed already. Give it the next number.`);
    const started = performance.now();
    await apply(client, migration, { name: migration.name, log, limitMs }, started);
    applied.push(migration.name);
    log.info({ migration: migration.name, durationMs: Math.round(performance.now() - started) }, 'migrated');
  }
  return applied;
}

interface LockWait {
  name: string;
  log: Pick<Log, 'info'>;
  limitMs: number | undefined;
}

/** A statement that waits for a table makes every later one wait behind it: portals that run beside a migration would stand still. */
const lockWaitMs = 1_000;
/** Between attempts, so that statements that waited can run. */
const lockPauseMs = 500;
const lockLimitMs = 10 * 60_000;

/** `lock_not_available` and `deadlock_detected`. */
const isLocked = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(((error as Error).cause as pg.DatabaseError | undefined)?.code ?? '');

/** Repeats work that waited longer than `lockWaitMs` for a lock, or that a deadlock ended, for `lockLimitMs` (docs/decisions/0132-migrations-beside-portals.md). */
async function untilUnlocked({ name, log, limitMs = lockLimitMs }: LockWait, work: () => Promise<void>): Promise<void> {
  const started = performance.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || performance.now() - started > limitMs) throw error;
      if (attempt === 1) log.info({ migration: name }, 'a migration waits for a table that is in use');
      await sleep(lockPauseMs);
    }
  }
}

async function apply(client: pg.Client, migration: Migration, wait: LockWait, started: number): Promise<void> {
  const isWhole = !/^\s*--\s*no transaction\b/i.test(migration.text);
  if (isWhole) return untilUnlocked(wait, () => applyOnce(client, migration, started, isWhole, run));
  return applyOnce(client, migration, started, isWhole, async (...args) => {
    // Waits for transactions, and blocks nothing: an attempt that ends would leave an invalid index.
    const isConcurrent = /\bconcurrently\b/i.test(args[2].text);
    await client.query(`set lock_timeout = ${isConcurrent ? 0 : lockWaitMs}`);
    await untilUnlocked(wait, () => run(...args));
  });
}

async function applyOnce(
  client: pg.Client,
  migration: Migration,
  started: number,
  isWhole: boolean,
  runStatement: typeof run,
): Promise<void> {
  await client.query(isWhole ? `begin; set local lock_timeout = ${lockWaitMs}` : 'set lock_timeout = 0');
  try {
    for (const statement of splitStatements(migration.text)) await runStatement(client, migration, statement);
    await client.query('insert into migrations (name, checksum, duration_ms) values ($1, $2, $3)', [
      migration.name,
      migration.checksum,
      Math.round(performance.now() - started),
    ]);
    if (isWhole) await client.query('commit');
  } catch (error) {
    if (isWhole) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function run(client: pg.Client, migration: Migration, statement: Statement): Promise<void> {
  try {
    await client.query(statement.text);
  } catch (error) {
    const { message, code, position, detail, hint } = error as pg.DatabaseError;
    const before = statement.text.slice(0, position ? Number(position) - 1 : 0);
    const lines = before.split('\n');
    const line = statement.line + lines.length - 1;
    const column = position ? `:${(lines.at(-1)?.length ?? 0) + (lines.length === 1 ? statement.column : 1)}` : '';
    const excerpt = statement.text.split('\n').slice(0, 3).join('\n    ');
    const more = [detail, hint].filter(Boolean).map((text) => ` ${text}`);
    throw new Error(
      `Migration ${migration.name} failed at line ${line}${column}: ${message}${code ? ` (${code})` : ''}.${more.join('')}\n    ${excerpt}`,
      {
        cause: error,
      },
    );
  }
}
