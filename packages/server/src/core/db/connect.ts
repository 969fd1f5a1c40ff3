/**
 * The pool of connections and Kysely over it. Statements are unnamed: a named one on a partitioned table turns to a generic
 * plan at its sixth call and becomes many times slower.
 */
import { Socket } from 'node:net';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '../log.ts';
import { scopeKeyOf } from './scope-proof.ts';
import type { Tables } from './tables.ts';

export interface DatabaseObserver {
  /** Seconds that a transaction waited for its connection. */
  waited(seconds: number): void;
  /** `started`: `performance.now()`. */
  ran(statement: string, started: number, error?: unknown): void;
}

export interface Database {
  /** Outside every scope: row-level security lets it see no tenant's row. Use `scoped` for all else. */
  readonly kysely: Kysely<Tables>;
  readonly pool: pg.Pool;
  /**
   * For a database that does not answer: ends all connections, so that whatever waits on one fails at once, and refuses new ones until `resume()`.
   * The errors are such that `isDatabaseAway` holds.
   */
  suspend(): void;
  resume(): void;
  /** Receives the times of transactions and statements. */
  readonly observer?: DatabaseObserver;
  /** Signs the scopes of transactions (scope-proof.ts). */
  readonly scopeKey: Buffer;
  /** Its transactions hand out no work that leaves the portal (`is_paused()`). */
  readonly isSafeMode?: boolean;
  /** Every transaction commits as with `isForgettable` of `scoped`. */
  readonly isForgettable?: boolean;
  /** Its transactions publish nothing on the bus: for a history that is made up before anybody looks. */
  readonly isUnwatched?: boolean;
  /** Its repeated statements are prepared, except those that read partitioned tables other than by key: for a history of many small transactions. */
  readonly preparesRepeated?: boolean;
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** postgres://user:password@host:port/database, or with `?host=/folder` for a socket. */
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly poolSize: number;
  /** A longer statement is cancelled by the server (57014), or after `answerLimitMs` given up here. 5,000 when not given; 0 is none. */
  readonly statementTimeoutMs?: number;
  /** Maximum wait for a free connection, in milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Its transactions hand out no work that leaves the portal (`is_paused()`). */
  readonly isSafeMode?: boolean;
  readonly observer?: DatabaseObserver;
  readonly log?: Pick<Log, 'warn'>;
}

const { builtins } = pg.types;
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

/** bigint as a number; throws where a number could not hold it exactly. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database answered ${text}, which is beyond the exact integers.`);
  return value;
}

const listOf =
  <T>(parse: (text: string) => T) =>
  (text: string): (T | null)[] =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((item) => (item === 'NULL' ? null : parse(item)));

// A `date` is a day in no time zone, so it stays text; a Date would move it by the machine's offset.
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.INT8]: safeInteger,
  [INT8_ARRAY]: listOf(safeInteger),
  [builtins.DATE]: (text) => text,
  [DATE_ARRAY]: listOf((text) => text),
};

/** bigint → number, date → 'YYYY-MM-DD', timestamptz → Date, numeric → text, json → its value. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : parsers[oid]) ?? pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/** Added to the server’s limit, for the cancellation to arrive. */
const graceMs = 4_500;
/** For statements without a limit of the server (maintenance). */
const longestAnswerMs = hourMs;

/** Client-side limit for a response in milliseconds, after which the connection is closed: the server may hang without cancelling. */
export const answerLimitMs = (statementTimeoutMs: number): number =>
  statementTimeoutMs === 0 ? longestAnswerMs : Math.min(statementTimeoutMs + graceMs, longestAnswerMs);

const noAnswer = () => Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' });

/** Opens a pool; nothing is sent until the first query. Call `close()` to end it: it waits for the work under way. */
export function connect(options: ConnectOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000;
  const sockets = new Set<Socket>();
  let isSuspended = false;
  const openSocket = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (isSuspended) setImmediate(() => socket.destroy(noAnswer()));
    return socket;
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: statementTimeoutMs,
    // Past the limit the connection is closed: a late response could not be matched to its statement.
    query_timeout: answerLimitMs(statementTimeoutMs),
    stream: openSocket,
    // Bounds locks held by a process that hangs inside a transaction.
    idle_in_transaction_session_timeout: 60_000,
    // Statements of one transaction are pipelined.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: columnTypes,
  });
  // Without listeners a restart of the database ends the process: on the pool for idle connections, on each for those in use.
  let closing: Promise<void> | undefined;
  pool.on('error', (error) => {
    if (!closing && !isSuspended) options.log?.warn({ err: error }, 'an idle database connection was lost');
  });
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    kysely,
    pool,
    scopeKey: scopeKeyOf(options.url),
    ...(options.observer && { observer: options.observer }),
    ...(options.isSafeMode && { isSafeMode: true }),
    suspend() {
      if (isSuspended) return;
      isSuspended = true;
      options.log?.warn('the database does not answer; its connections are ended');
      for (const socket of sockets) socket.destroy(noAnswer());
    },
    resume() {
      isSuspended = false;
    },
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}
