/**
 * Publishes committed changes to every process of the installation: NOTIFY inside the transaction, one LISTEN connection per process. Handlers must
 * be idempotent; `bus.reconnected` signals possible loss.
 */
import { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import type { Tx } from './db/scope.ts';
import type { Log } from './log.ts';

export interface BusMessages {
  'alert.raised': { organisationId: number; alertIds: number[] };
  'case.changed': { organisationId: number; caseIds: number[]; isNew: boolean };
  'bulk.queued': Record<never, never>;
  'task.queued': { organisationId: number; agentIds: number[] };
  'rules.changed': Record<never, never>;
  'mail.queued': Record<never, never>;
  'notice.queued': Record<never, never>;
  'report.queued': Record<never, never>;
  'bus.reconnected': Record<never, never>;
}
export type Name = keyof BusMessages;
type Handler<N extends Name> = (event: BusMessages[N]) => void;

const channel = 'portal';
/** Interval of the connection check, and the time without a response after which the database counts as silent. */
const beatMs = 1_000;
const silentMs = 4_000;
const connectTimeoutMs = 3_000;

/** NOTIFY carries at most 8,000 bytes. */
const idsPerMessage = 600;

export interface Bus {
  /** Returns how to unsubscribe. */
  on<N extends Name>(name: N, handler: Handler<N>): () => void;
  /** False while the listening connection is lost: read the database instead. */
  isListening(): boolean;
  /** True when the database responds within `limitMs`. Concurrent calls share one query. */
  answersWithin(limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}

type Published = Exclude<Name, 'bus.reconnected'>;

export const publish = <N extends Published>(tx: Tx, name: N, event: BusMessages[N]): Promise<void> =>
  publishAll(tx, name, [event]);

/** Several of a kind in one statement. */
export async function publishAll<N extends Published>(tx: Tx, name: N, events: readonly BusMessages[N][]): Promise<void> {
  const parts = events.flatMap((event): object[] => {
    const list = (['alertIds', 'caseIds', 'agentIds'] as const).find((name) => name in event);
    if (!list) return [event];
    const ids = (event as Record<string, number[]>)[list] as number[];
    return Array.from({ length: Math.ceil(ids.length / idsPerMessage) }, (_, part) => ({
      ...event,
      [list]: ids.slice(part * idsPerMessage, (part + 1) * idsPerMessage),
    }));
  });
  const texts = parts.map((part) => JSON.stringify({ ...part, name }));
  if (texts.length > 0) await sql`select pg_notify(${channel}, part) from unnest(${texts}::text[]) part`.execute(tx);
}

export interface BusDeps {
  url: string;
  log: Log;
  /** Called when the database accepts connections but stops responding, and when it responds again. */
  onSilence?: () => void;
  onAnswer?: () => void;
}

export async function openBus({ url, log, onSilence, onAnswer }: BusDeps): Promise<Bus> {
  const handlers = new Map<string, Set<(event: never) => void>>();
  let client: Client | undefined;
  let isClosed = false;

  const tell = (name: string, event: object) => {
    for (const handler of handlers.get(name) ?? []) {
      try {
        (handler as (event: object) => void)(event);
      } catch (error) {
        log.error({ err: error, name }, 'a listener failed');
      }
    }
  };

  const connect = async (): Promise<void> => {
    const socket = new Socket();
    const next = new Client({
      connectionString: url,
      application_name: 'portal bus',
      keepAlive: true,
      stream: () => socket,
    });
    next.on('error', (error) => log.warn({ err: error }, 'the bus lost its connection'));
    next.on('end', () => {
      // Also emitted for a connection that was never established; its caller retries.
      if (client !== next) return;
      client = undefined;
      if (!isClosed) void reconnect();
    });
    next.on('notification', (message) => {
      try {
        const { name, ...event } = JSON.parse(message.payload ?? '{}') as { name: string };
        tell(name, event);
      } catch (error) {
        log.error({ err: error }, 'a notification could not be read');
      }
    });
    const limit = setTimeout(() => socket.destroy(new Error('The database does not answer.')), connectTimeoutMs);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    } finally {
      clearTimeout(limit);
    }
    if (isClosed) return void (await next.end().catch(() => {}));
    client = next;
    void watch(next, socket);
  };

  let question: Promise<boolean> | undefined;
  /** Concurrent calls share one query. */
  const answersWithin = async (limitMs: number): Promise<boolean> => {
    if (!client) return false;
    question ??= client
      .query('select 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        question = undefined;
      });
    const limit = new AbortController();
    // After a stall of this process timers fire first: read a response that has already arrived before it counts as missing.
    const late = pause(limitMs, undefined, { signal: limit.signal, ref: false })
      .then(() => nextTurn())
      .then(() => nextTurn(false))
      .catch(() => false);
    const answer = await Promise.race([question, late]);
    limit.abort();
    return answer;
  };

  const watch = async (of: Client, socket: Socket): Promise<void> => {
    while (!isClosed && client === of) {
      await pause(beatMs, undefined, { ref: false });
      if (isClosed || client !== of || (await answersWithin(silentMs)) || client !== of) continue;
      log.warn('the database does not answer');
      onSilence?.();
      // A graceful end would wait for a response.
      socket.destroy();
    }
  };

  const reconnect = async (): Promise<void> => {
    for (let wait = 200; !isClosed; wait = Math.min(wait * 2, 1_600)) {
      await pause(wait, undefined, { ref: false });
      if (isClosed) return;
      try {
        await connect();
      } catch {
        continue;
      }
      if (isClosed) return;
      log.info('the bus is connected again');
      onAnswer?.();
      tell('bus.reconnected', {});
      return;
    }
  };

  await connect();
  return {
    on(name, handler) {
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set);
      set.add(handler as (event: never) => void);
      return () => set.delete(handler as (event: never) => void);
    },
    isListening: () => client !== undefined,
    answersWithin,
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
    },
  };
}
