/**
 * ClickHouse over HTTP, by its official client. Statements name the organisations that may be read; values go as parameters, numbers as digits.
 * Errors of the connection and of an overloaded server are ClickHouseAwayError; a query past its time is TookTooLongError.
 */
import { type ClickHouseClient, ClickHouseError, createClient } from '@clickhouse/client';
import { TookTooLongError } from '../../../core/db/failures.ts';

/** ClickHouse cannot be reached, or refuses to work; as if the connection to the database had failed. */
export class ClickHouseAwayError extends Error {
  override name = 'ClickHouseAwayError';
  readonly code = '08006';
}

export interface ClickHouseSettings {
  /** http(s)://user:password@host:port/database */
  url: string;
  /** Of `ON CLUSTER` and replicated tables. */
  cluster?: string | undefined;
}

export type Params = Record<string, string | number | readonly string[]>;

/** Ends of a query. */
export interface QueryLimits {
  /** `performance.now()` after which the server ends it and it throws TookTooLongError. */
  deadline?: number | undefined;
  /** Its abort ends the request and throws the signal’s reason; the server may work on until the deadline. */
  signal?: AbortSignal | undefined;
}

export interface ClickHouse {
  readonly cluster: string | undefined;
  query<T>(statement: string, params?: Params, limits?: QueryLimits): Promise<T[]>;
  insert(table: string, rows: readonly object[]): Promise<void>;
  command(statement: string): Promise<void>;
  close(): Promise<void>;
}

const requestTimeoutMs = 30_000;
const insertTimeoutMs = 120_000;

export function connectClickHouse({ url, cluster }: ClickHouseSettings): ClickHouse {
  const own = (timeoutMs: number) =>
    createClient({
      url,
      request_timeout: timeoutMs,
      compression: { request: true, response: false },
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
      log: { LoggerClass: Silent },
    });
  const [reading, writing] = [own(requestTimeoutMs), own(insertTimeoutMs)];
  return {
    cluster,
    async query<T>(statement: string, params: Params = {}, { deadline, signal }: QueryLimits = {}) {
      const leftMs = deadline === undefined ? requestTimeoutMs : Math.min(requestTimeoutMs, deadline - performance.now());
      if (leftMs < 1) throw new TookTooLongError(tooLong);
      // The client takes no notice of a signal that is aborted already.
      signal?.throwIfAborted();
      // A little after the server's own limit, whose error is more exact.
      const ends = [AbortSignal.timeout(Math.ceil(leftMs) + 500), ...(signal ? [signal] : [])];
      return named(async () => {
        const answer = await reading.query({
          query: statement,
          query_params: { ...params },
          format: 'JSONEachRow',
          abort_signal: AbortSignal.any(ends),
          clickhouse_settings: { max_execution_time: leftMs / 1000 },
        });
        return (await answer.json()) as T[];
      }, ends);
    },
    async insert(table, rows) {
      if (rows.length === 0) return;
      await named(() =>
        writing.insert({
          table,
          values: [...rows],
          format: 'JSONEachRow',
          // Waits until the rows are stored; a second block of the same content is another one.
          clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
        }),
      );
    },
    async command(statement) {
      await named(() => writing.command({ query: statement }));
    },
    async close() {
      await Promise.all([reading, writing].map((client: ClickHouseClient) => client.close()));
    },
  };
}

/** Its own log would repeat every failure on the console. */
class Silent {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}

const tooLong = 'A query of ClickHouse took too long.';
/** Types of ClickHouse's errors: those of a statement past its time, and those after which the same statement can succeed later. */
const slowTypes = new Set(['TIMEOUT_EXCEEDED', 'TOO_SLOW', 'QUERY_WAS_CANCELLED', 'QUERY_WAS_CANCELLED_BY_CLIENT']);
const awayTypes = new Set([
  'ABORTED',
  'ALL_CONNECTION_TRIES_FAILED',
  'ALL_REPLICAS_LOST',
  'ASYNC_LOAD_WAIT_FAILED',
  'AUTHENTICATION_FAILED',
  'CANNOT_ALLOCATE_MEMORY',
  'CANNOT_SCHEDULE_TASK',
  'KEEPER_EXCEPTION',
  'MEMORY_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'NOT_ENOUGH_SPACE',
  'NO_ZOOKEEPER',
  'QUOTA_EXCEEDED',
  'REPLICA_IS_NOT_IN_QUORUM',
  'SERVER_OVERLOADED',
  'SOCKET_TIMEOUT',
  'TABLE_IS_READ_ONLY',
  'TOO_FEW_LIVE_REPLICAS',
  'TOO_MANY_PARTS',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'UNKNOWN_STATUS_OF_INSERT',
]);

/** Runs a request; names its errors by what a caller can do. Faults of a statement remain what they are. */
async function named<T>(work: () => Promise<T>, [timeout, signal]: readonly AbortSignal[] = []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    const { type } = error instanceof ClickHouseError ? error : { type: undefined };
    if (timeout?.aborted || (type !== undefined && slowTypes.has(type))) throw new TookTooLongError(tooLong);
    if (error instanceof ClickHouseError && !awayTypes.has(type ?? '')) throw error;
    throw new ClickHouseAwayError(error instanceof Error ? error.message.slice(0, 500) : 'unknown', { cause: error });
  }
}
