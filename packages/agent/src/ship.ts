/**
 * Ships the buffer to the portal in compressed batches. Responses are evaluated per event; events rejected for good are
 * counted.
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { agentPaths } from '@parapet/contract/agentProtocol.ts';
import type { Buffered } from './buffer.ts';
import { eventsOf } from './bulk.ts';
import { type Client, KeyRevokedError, PortalUnavailableError, RequestRejectedError, retryDelayMs } from './client.ts';
import { createBackoff, pause } from './clock.ts';

const batchBytes = 2 * 1024 * 1024;
const batchEvents = 20_000;
/** Delay before sending a partial batch; fewer, fuller batches cost both sides less. */
const lingerMs = 500;
/**
 * Statuses with which the portal rejects a batch. Other client errors come from intermediaries and are no verdict on the
 * events.
 */
const rejectionStatuses = new Set([400, 413]);
const chunkSize = 256 * 1024;
const none = Buffer.alloc(0);
/** zstd takes half the time of gzip; Node.js before 22.15 lacks it. */
const encoding = 'zstdCompress' in zlib ? 'zstd' : 'gzip';
const gzip = promisify(zlib.gzip);
const zstd = encoding === 'zstd' ? promisify(zlib.zstdCompress) : undefined;
const compressed = (body: Buffer): Promise<Buffer> =>
  zstd?.(body, { chunkSize, params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } }) ?? gzip(body, { chunkSize, level: 1 });

export interface Shipping {
  run(signal: AbortSignal): Promise<void>;
  figures(): { shipped: number; dropped: Record<string, number> };
}

interface Item {
  status: number;
  reason: string;
}

export function createShipping({
  client,
  buffer,
  trouble,
  firstWaitMs = 1_000,
}: {
  client: Client;
  buffer: Buffered;
  trouble: (text: string) => void;
  firstWaitMs?: number;
}): Shipping {
  let shipped = 0;
  const dropped: Record<string, number> = {};
  const backoff = createBackoff(firstWaitMs, 5 * 60_000);
  let maxBytes = batchBytes;
  const drop = (reason: string) => {
    dropped[reason] = (dropped[reason] ?? 0) + 1;
  };

  /** Returns the outcome of each event; undefined if all were accepted. */
  async function send(body: Buffer): Promise<Item[] | undefined> {
    const answer = await client.call({
      method: 'POST',
      path: `${agentPaths.bulk}?filter_path=errors,items.*.error,items.*.status`,
      body: await compressed(body),
      headers: { 'content-type': 'application/x-ndjson', 'content-encoding': encoding },
      timeoutMs: 60_000,
    });
    // The common case: skip parsing the item list.
    return /^\{("took":\d+,)?"errors":false,/.test(answer.toString('latin1', 0, 60)) ? undefined : itemsOf(answer);
  }

  /** Retries until each event is accepted or rejected for good. */
  async function ship(body: Buffer, count: number, signal: AbortSignal): Promise<void> {
    let left = body;
    while (left.length > 0 && !signal.aborted) {
      try {
        const items = await send(left);
        if (!items) shipped += left === body ? count : eventsOf(left).length;
        left = items ? Buffer.concat(settle(eventsOf(left), items)) : none;
        maxBytes = Math.min(batchBytes, maxBytes * 2);
        if (left.length > 0) await pause(backoff.next(), signal);
        else backoff.reset();
      } catch (error) {
        if (error instanceof RequestRejectedError && rejectionStatuses.has(error.status)) return shipApart(left, error, signal);
        trouble(messageOf(error as Error));
        await pause(retryDelayMs(error, backoff), signal);
      }
    }
  }

  /** Counts the outcomes; returns the events to send again. */
  function settle(events: Buffer[], items: Item[]): Buffer[] {
    // A response with another number of items is no verdict on any event.
    if (items.length !== events.length)
      throw new PortalUnavailableError(`The portal returned results for ${items.length} of ${events.length} events.`);
    return events.filter((_, i) => {
      const { status, reason } = items[i] as Item;
      if (status === 429 || status >= 500) return true;
      if (status >= 200 && status < 300) shipped++;
      else drop(reason);
      return false;
    });
  }

  /** Sends the events of a rejected body in smaller ones, so that a bad event does not affect the others. */
  async function shipApart(body: Buffer, { status, message }: RequestRejectedError, signal: AbortSignal): Promise<void> {
    const events = eventsOf(body);
    if (events.length <= 1) {
      drop(status === 413 ? 'too-large' : `refused-${status}`);
      trouble(message);
      return;
    }
    if (status === 413) maxBytes = Math.max(16 * 1024, maxBytes >> 1);
    const size = status === 413 ? Math.ceil(events.length / 2) : 1;
    for (let from = 0; from < events.length; from += size) {
      const part = events.slice(from, from + size);
      await ship(Buffer.concat(part), part.length, signal);
    }
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        await buffer.waiting(signal);
        if (signal.aborted) return;
        if (buffer.figures().bytes < batchBytes) await pause(lingerMs, signal);
        try {
          const batch = await buffer.next(maxBytes, batchEvents);
          if (!batch) continue;
          await ship(batch.body, batch.events, signal);
          // If aborted, the whole batch is sent again after a restart.
          if (!signal.aborted) await buffer.done(batch);
        } catch (error) {
          trouble(`Could not read the buffer: ${(error as Error).message}`);
          await pause(backoff.next(), signal);
        }
      }
    },
    figures: () => ({ shipped, dropped: { ...dropped } }),
  };
}

const messageOf = (error: Error): string =>
  error instanceof KeyRevokedError ? `The agent’s key was revoked; shipping is paused. ${error.message}` : error.message;

function itemsOf(answer: Buffer): Item[] {
  let items: unknown;
  try {
    items = (JSON.parse(answer.toString('utf8')) as { items?: unknown }).items;
  } catch {
    // Not JSON, such as a proxy's page; handled below.
  }
  if (!Array.isArray(items)) throw new PortalUnavailableError('The portal’s response to a batch is malformed.');
  return items.map((item) => {
    const { status, error } = (Object.values(item ?? {})[0] ?? {}) as {
      status?: number;
      error?: { code?: unknown; type?: unknown };
    };
    if (!Number.isInteger(status)) throw new PortalUnavailableError('The portal’s response to a batch is malformed.');
    const reason = error?.code ?? error?.type;
    return { status: status as number, reason: typeof reason === 'string' ? reason.slice(0, 60) : `status-${status}` };
  });
}
