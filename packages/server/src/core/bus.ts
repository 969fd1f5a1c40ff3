/**
 * Publishes committed changes to every process of the installation: NOTIFY inside the transaction, one LISTEN connection per process. Handlers must
 * be idempotent; `bus.reconnected` signals possible loss.
 */
import { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { isUnwatched, type Tx } from './db/scope.ts';
import type { Log } from './log.ts';

/** A message without content. */
export type Signal = Record<never, never>;
/** Content of each message; a list in it may arrive in several parts. Each feature declares its own in `<feature>.messages.ts` by merging with this interface. */
export interface BusMessages {
  'bus.reconnected': Signal;
}
export type Name = keyof BusMessages;
type Handler<N extends Name> = (event: BusMessages[N]) => void;

const channel = 'portal';
/** Interval of the connection check, and the time without a response after which the database counts as silent. */
const beatMs = 1_000;
const silentMs = 4_000;
const connectTimeoutMs = 3_000;
/** Of a start, which loads modules at the same time, for seconds on a busy machine. */
const startTimeoutMs = 20_000;

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
  if (isUnwatched(tx)) return;
  const parts = events.flatMap((event): object[] => {
    const [list] = Object.entries(event).filter((field): field is [string, number[]] => Array.isArray(field[1]));
    if (!list) return [event];
    const [name, ids] = list;
    return Array.from({ length: Math.ceil(ids.length / idsPerMessage) }, (_, part) => ({
      ...event,
      [name]: ids.slice(part * idsPerMessage, (part + 1) * idsPerMessage),
    }));
  });
  const texts = parts.map((part) => JSON.stringify({ ...part, name }));
  if (texts.length > 0) await sql`select pg_notify(${channel}, part) from unnest(${texts}::text[]) part`.execute(tx);
}

/** Calls `run` for each message of this name, and after a reconnect, which may have lost some. Returns how to unsubscribe. */
export function onEach(bus: Pick<Bus, 'on'>, name: Published, run: () => void): () => void {
  const ends = [bus.on(name, run), bus.on('bus.reconnected', run)];
  return () => {
    for (const end of ends) end();
  };
}

export interface BusDeps {
  url: string;
  log: Log;
  /** Called when the database accepts connections but stops responding, and when it responds again. */
  onSilence?: () => void;
  onAnswer?: () => void;
}

export async function openBus({ url, log, onSilence, onAnswer }: BusDeps): Promise<Bus> {
  const handlers = createHandlers(log);
  const probe = createProbe();
  let client: Client | undefined;
  let isClosed = false;

  const connect = async (withinMs: number): Promise<void> => {
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
        handlers.call(name, event);
      } catch (error) {
        log.error({ err: error }, 'a notification could not be read');
      }
    });
    await listen(next, socket, withinMs);
    if (isClosed) return void (await next.end().catch(() => {}));
    client = next;
    void watch(next, socket);
  };

  const answersWithin = async (limitMs: number): Promise<boolean> => client !== undefined && probe(client, limitMs);

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
        await connect(connectTimeoutMs);
      } catch {
        continue;
      }
      if (isClosed) return;
      log.info('the bus is connected again');
      onAnswer?.();
      handlers.call('bus.reconnected', {});
      return;
    }
  };

  await connect(startTimeoutMs);
  return {
    on: handlers.on,
    isListening: () => client !== undefined,
    answersWithin,
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
    },
  };
}

/** Handlers by message; one that throws is logged and stops no other. */
function createHandlers(log: Log) {
  const handlers = new Map<string, Set<(event: never) => void>>();
  return {
    on<N extends Name>(name: N, handler: Handler<N>): () => void {
      const set = handlers.get(name) ?? new Set();
      handlers.set(name, set);
      set.add(handler);
      return () => set.delete(handler);
    },
    call(name: string, event: object): void {
      for (const handler of handlers.get(name) ?? []) {
        try {
          (handler as (event: object) => void)(event);
        } catch (error) {
          log.error({ err: error, name }, 'a listener failed');
        }
      }
    },
  };
}

/** Connects and listens to the channel. Throws when the database takes longer than `withinMs`. */
async function listen(client: Client, socket: Socket, withinMs: number): Promise<void> {
  const limit = setTimeout(() => socket.destroy(new Error('The database does not answer.')), withinMs);
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

/** Sends a query; true when its result arrives within `limitMs`. Concurrent calls share one query. */
function createProbe(): (client: Client, limitMs: number) => Promise<boolean> {
  let question: Promise<boolean> | undefined;
  return async (client, limitMs) => {
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
}
