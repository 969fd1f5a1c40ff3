/**
 * ClickHouse over HTTP, by its official client. Statements name the organisations that may be read; values go as parameters, numbers as digits.
 * Errors of the connection are ClickHouseAwayError.
 */
import { type ClickHouseClient, createClient } from '@clickhouse/client';

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

export interface ClickHouse {
  readonly cluster: string | undefined;
  query<T>(statement: string, params?: Params): Promise<T[]>;
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
    async query<T>(statement: string, params: Params = {}) {
      const answer = await away(reading.query({ query: statement, query_params: { ...params }, format: 'JSONEachRow' }));
      return (await away(answer.json())) as T[];
    },
    async insert(table, rows) {
      if (rows.length === 0) return;
      await away(
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
      await away(writing.command({ query: statement }));
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

async function away<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ClickHouseAwayError(error instanceof Error ? error.message.slice(0, 500) : 'unknown', { cause: error });
  }
}
