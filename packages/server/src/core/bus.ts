/**
 * What happened, told to every process of the installation after it was committed: PostgreSQL's NOTIFY inside the transaction, one
 * LISTEN connection per process. Listeners must bear to be told twice, and to miss what was told while the connection was away:
 * 'bus.reconnected' tells them when that may have been.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import type { Tx } from './db/scope.ts';
import type { Log } from './log.ts';

export interface Happenings {
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
export type Name = keyof Happenings;
type Handler<N extends Name> = (event: Happenings[N]) => void;

const channel = 'portal';
/** NOTIFY carries at most 8,000 bytes. */
const idsPerMessage = 600;

export interface Bus {
  /** Answers a function that ends the subscription. */
  on<N extends Name>(name: N, handler: Handler<N>): () => void;
  /** False while the listening connection is away: what depends on being told must ask the database instead. */
  isListening(): boolean;
  close(): Promise<void>;
}

type Published = Exclude<Name, 'bus.reconnected'>;

export const publish = <N extends Published>(tx: Tx, name: N, event: Happenings[N]): Promise<void> =>
  publishAll(tx, name, [event]);

/** Several of a kind in one statement. */
export async function publishAll<N extends Published>(tx: Tx, name: N, events: readonly Happenings[N][]): Promise<void> {
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

export async function openBus({ url, log }: { url: string; log: Log }): Promise<Bus> {
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
    const next = new Client({ connectionString: url, application_name: 'portal bus', keepAlive: true });
    next.on('error', (error) => log.warn({ err: error }, 'the bus lost its connection'));
    next.on('end', () => {
      // Also told of a connection that never stood: whoever made that one tries again itself.
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
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch (error) {
      await next.end().catch(() => {});
      throw error;
    }
    if (isClosed) await next.end().catch(() => {});
    else client = next;
  };

  const reconnect = async (): Promise<void> => {
    for (let wait = 200; !isClosed; wait = Math.min(wait * 2, 2_000)) {
      await pause(wait, undefined, { ref: false });
      if (isClosed) return;
      try {
        await connect();
      } catch {
        continue;
      }
      if (isClosed) return;
      log.info('the bus is connected again');
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
    async close() {
      isClosed = true;
      await client?.end().catch(() => {});
    },
  };
}
