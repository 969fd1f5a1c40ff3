/**
 * A transaction with the organisations that it may see: row-level security reads `app.scope`, which is set with its proof in the same round trip
 * as `begin` and ends with the transaction.
 */
import type { Writable } from 'node:stream';
import { type CompiledQuery, type DatabaseConnection, Kysely, PostgresDialect, sql, Transaction } from 'kysely';
import type pg from 'pg';
import { answerLimitMs, type Database, type DatabaseObserver } from './connect.ts';
import { isDatabaseAway, leaveUncertain, retrying } from './failures.ts';
import { provenScope } from './scope-proof.ts';
import { partitionedTables, type Tables } from './tables.ts';

export { isDatabaseAway, isDuplicate, isRetryable, isStatementTimeout, retrying, TookTooLongError } from './failures.ts';

/** For whom something is read (core/visibility.ts). */
export interface Reader {
  readonly organisationId: number;
  readonly canSeeInternal: boolean;
}

/** Rows that a transaction may see: those of some organisations, or all with 'system' (jobs). Without a reader, the most restricted one. */
export type Scope = { readonly organisationIds: readonly number[]; readonly reader?: Reader } | 'system';
export const systemScope: Scope = 'system';

/** Queries within one transaction and its scope. */
export type Tx = Transaction<Tables>;

export interface ScopedOptions {
  readonly readOnly?: boolean;
  readonly isolation?: 'repeatable read' | 'serializable';
  /** In place of the pool's; 0 is none. */
  readonly statementTimeoutMs?: number;
  /**
   * PostgreSQL plans each statement once a connection instead of each time. For frequent transactions whose statements have few texts,
   * name their columns (`*` fails once a migration adds one) and read no partitioned table (its generic plan is many times slower).
   */
  readonly isPrepared?: boolean;
  /**
   * Commits before the rows are on the disk. For data that is soon written again: a crash of PostgreSQL may lose the last half second, never
   * a part of a transaction.
   */
  readonly isForgettable?: boolean;
}

const MAX_ID = 2 ** 31 - 1;

function visibleOf(scope: Scope): string {
  if (scope === 'system') return '*';
  for (const id of scope.organisationIds)
    if (!Number.isInteger(id) || id < 1 || id > MAX_ID) throw new TypeError(`${String(id)} is no organisation's id.`);
  return scope.organisationIds.join(',');
}

function opening(provenScope: string, options: ScopedOptions, isSafeMode: boolean): string {
  const isolation = options.isolation ? ` isolation level ${options.isolation}` : '';
  const access = options.readOnly ? ' read only' : '';
  const timeout =
    options.statementTimeoutMs === undefined ? '' : `; set local statement_timeout = ${Math.trunc(options.statementTimeoutMs)}`;
  const commit = options.isForgettable ? '; set local synchronous_commit = off' : '';
  // Not a parameter of the connection: `options` of the URL replaces those, and poolers drop them.
  const safe = isSafeMode ? "; set local app.safe_mode = 'on'" : '';
  return `begin${isolation}${access}; set local app.scope = '${provenScope}'${timeout}${commit}${safe}`;
}

// Compiles and holds no connection; each transaction binds its executor to a connection of its own.
const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('Queries run on a transaction of `scoped`.')) });
const driver = dialect.createDriver();
const config = { dialect };
const compiler = new Kysely<Tables>(config).getExecutor();

const names = new Map<string, string>();
/** Stable per text, so that each connection prepares a statement once. */
function nameOf(text: string): string {
  const name = names.get(text) ?? `prepared ${names.size}`;
  names.set(text, name);
  return name;
}

const uses = new Map<string, number>();
const usesBeforePrepared = 3;
/** A generic plan over partitions is many times slower than the planning that it saves. Rows may be inserted. */
const readsPartitions = new RegExp(`(?<!insert into )"?\\b(?:${partitionedTables.join('|')})\\b`);
const keyMark = '/* by key */';
/**
 * Marks a statement that looks up rows of partitioned tables one by one, by keys that it has from other rows (lateral, with a limit). Every plan then
 * has all partitions and reads one of them for each row, so a generic one is as fast.
 */
export const byKey = sql.raw(keyMark);

/** True from the fourth use of a text that reads no partitioned table, or reads them by key. */
function isRepeated(text: string): boolean {
  const isGeneric = text.includes(keyMark) || !readsPartitions.test(text);
  const count = uses.get(text) ?? (isGeneric ? 0 : Number.NEGATIVE_INFINITY);
  uses.set(text, count + 1);
  return count >= usesBeforePrepared;
}

/** The simple protocol would run several in one text. The types of pg leave the field out. */
const oneStatement: object = { queryMode: 'extended' };

/** A parameter read in the transaction of its statement, before it: rows that PostgreSQL stores in a form which SQL cannot read. */
export class DeferredParameter {
  readonly read: (tx: Tx) => Promise<unknown>;

  constructor(read: (tx: Tx) => Promise<unknown>) {
    this.read = read;
  }
}

async function resolved(tx: Tx, parameters: readonly unknown[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const parameter of parameters) values.push(parameter instanceof DeferredParameter ? await parameter.read(tx) : parameter);
  return values;
}

const changing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Per-query option of `pg` that its types lack: the response limit, in place of the pool’s. */
type Limit = { query_timeout?: number };

/** Joins all writes until the next turn in one packet. The types of pg leave the connection out. */
function writeTogether(client: pg.PoolClient): void {
  const stream = (client as unknown as { connection?: { stream: Writable } }).connection?.stream;
  stream?.cork();
  if (stream) process.nextTick(() => stream.uncork());
}

function connectionOf(
  client: pg.PoolClient,
  isPrepared: (text: string) => boolean,
  limit: Limit,
  observer: DatabaseObserver | undefined,
  txOf: () => Tx,
): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery) {
      const isDeferred = parameters.some((parameter) => parameter instanceof DeferredParameter);
      const values = isDeferred ? await resolved(txOf(), parameters) : (parameters as unknown[]);
      writeTogether(client);
      const started = observer ? performance.now() : 0;
      try {
        const { command, rowCount, rows } = await client.query({
          text: sql,
          values,
          ...oneStatement,
          ...(isPrepared(sql) && { name: nameOf(sql) }),
          ...limit,
        });
        observer?.ran(sql, started);
        return { rows: (rows ?? []) as R[], ...(changing.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
      } catch (error) {
        observer?.ran(sql, started, error);
        // The trace of pg ends at its socket; this one includes the caller.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      }
    },
    streamQuery() {
      throw new Error('Streaming is not used here; read by pages.');
    },
  };
}

const unwatched = new WeakSet<Tx>();
/** True in transactions of an unwatched database. */
export const isUnwatched = (tx: Tx): boolean => unwatched.has(tx);

function transactionOn(
  client: pg.PoolClient,
  isPrepared: (text: string) => boolean,
  limit: Limit,
  observer: DatabaseObserver | undefined,
): Tx {
  const connection = connectionOf(client, isPrepared, limit, observer, () => tx);
  const executor = compiler.withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  const tx: Tx = new Transaction<Tables>({ config, driver, dialect, executor });
  return tx;
}

/**
 * Runs `fn` in a transaction that sees `scope`, and commits. When `fn` throws, everything is rolled back and that error is
 * thrown; a connection that broke is not used again. Its opening goes out with the first statement of `fn`; one round trip after.
 */
export async function scoped<T>(db: Database, scope: Scope, fn: (tx: Tx) => Promise<T>, options: ScopedOptions = {}): Promise<T> {
  const visible = visibleOf(scope);
  const limit = options.statementTimeoutMs === undefined ? {} : { query_timeout: answerLimitMs(options.statementTimeoutMs) };
  const requestedAt = performance.now();
  const client = await db.pool.connect();
  db.observer?.waited((performance.now() - requestedAt) / 1000);
  let isUsable = false;
  try {
    writeTogether(client);
    // Sent together with the first statement. If it fails, row-level security hides every row from that statement, and nothing is returned.
    const isForgettable = options.isForgettable ?? db.isForgettable ?? false;
    const opened = client.query(
      opening(provenScope(db.scopeKey, client, visible), { ...options, isForgettable }, db.isSafeMode ?? false),
    );
    opened.catch(() => {});
    let value: T;
    try {
      const isPrepared = options.isPrepared === undefined && db.preparesRepeated ? isRepeated : () => options.isPrepared ?? false;
      const tx = transactionOn(client, isPrepared, limit, db.observer);
      if (db.isUnwatched) unwatched.add(tx);
      value = await fn(tx);
      await opened;
    } catch (error) {
      isUsable = !isDatabaseAway(error) && (await rollBack(client));
      throw error;
    }
    // PostgreSQL returns ROLLBACK for the commit of a failed transaction.
    const { command } = await client.query({ text: 'commit', ...limit }).catch((error: unknown) => {
      throw isDatabaseAway(error) ? leaveUncertain(error) : error;
    });
    isUsable = true;
    if (command !== 'COMMIT')
      throw new Error('The transaction was rolled back: one of its statements failed, and its error was not passed on.');
    return value;
  } finally {
    client.release(!isUsable);
  }
}

/** `scoped` for queries that write nothing. */
export const readScoped = <T>(db: Database, scope: Scope, fn: (tx: Tx) => Promise<T>, options?: ScopedOptions): Promise<T> =>
  scoped(db, scope, fn, { ...options, readOnly: true });

/** Never throws, which would hide the cause; returns true when the connection is still usable. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

/**
 * A statement of one value that Kysely compiles at the first call only, for frequent queries. `build` receives a stand-in for the value, so
 * it must not inspect it.
 */
export function writtenOnce<V, R>(build: (tx: Tx, value: V) => { compile(): CompiledQuery<R> }) {
  const standIn = Symbol('value');
  let written: CompiledQuery<R> | undefined;
  return async (tx: Tx, value: V): Promise<R | undefined> => {
    written ??= build(tx, standIn as V).compile();
    const parameters = written.parameters.map((parameter) => (parameter === standIn ? value : parameter));
    const { rows } = await tx.executeQuery<R>({ ...written, parameters });
    return rows[0];
  };
}

/**
 * Throws when PostgreSQL rejects this process's scopes, under which it would show no row: a pooler shares server connections between
 * transactions, or another password was in use when the database was migrated last. A start compiles rules at
 * the same time, which stalls a busy machine for longer than a connection may take, so a lost one is tried again.
 */
export async function requireProvenScope(db: Database): Promise<void> {
  const isSystem = () =>
    scoped(db, 'system', async (tx) => {
      const { rows } = await sql<{ isSystem: boolean }>`select app_is_system() as "isSystem"`.execute(tx);
      return rows[0]?.isSystem;
    });
  const isAccepted = await retrying(isSystem, { alsoWhenAway: true });
  if (!isAccepted)
    throw new Error(
      'PostgreSQL does not accept the proof of a transaction’s scope. Connect to it directly or through a pooler in session mode, and start every process with the same password of the application’s role.',
    );
}
