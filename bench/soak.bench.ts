/**
 * Run explicitly (`npm run bench -- soak`): 1,000,000 events over HTTP at the accepted rate, into the complete server.
 * Records the server's memory, its event-loop delay, and a signed-in user's latency. SOAK_EVENTS shortens the run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { fleet } from './events.ts';
import { percentile } from './figures.ts';
import { type Portal, prepareClient, startPortal } from './portal.ts';
import type { Result } from './run.ts';

const events = Number(process.env.SOAK_EVENTS ?? 1_000_000);
const eventsABody = 1_000;
const senders = 3;
const maxMemory = 512 * 2 ** 20;
const longestStallMs = 50;
const organisationId = 5000;

export async function run(): Promise<Result[]> {
  const portal = await startPortal();
  const { url } = portal;
  try {
    const { key, token } = await prepareClient(portal, organisationId);
    let isDone = false;
    const watched = watch(portal, token, () => isDone);
    const started = performance.now();
    const stored = await sendAll(url, key);
    const seconds = (performance.now() - started) / 1000;
    isDone = true;
    const { memory, stallMs, readMs } = await watched;
    if (stored !== events) throw new Error(`${stored} of ${events} events were acknowledged as new`);
    return [
      { name: 'soak.memory', unit: 'MiB', value: memory / 2 ** 20, limit: maxMemory / 2 ** 20, ratio: memory / maxMemory },
      { name: 'soak.stall', unit: 'ms p99', value: stallMs, limit: longestStallMs, ratio: stallMs / longestStallMs },
      { name: 'soak.taken', unit: 'events/s', value: events / seconds, limit: events / seconds, ratio: 1 },
      { name: 'soak.read', unit: 'ms p95', value: readMs, limit: 1_000, ratio: readMs / 1_000 },
    ];
  } finally {
    await portal.stop();
  }
}

/** Returns the number of events acknowledged as new. */
async function sendAll(url: string, key: string): Promise<number> {
  const take = await fleet();
  let left = events;
  let stored = 0;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (left > 0) {
        const count = Math.min(eventsABody, left);
        left -= count;
        const lines = take(count, Date.now() - 2_000).map(
          ({ id, index, line }) => `{"create":{"_index":"${index}","_id":"${id}"}}\n${line}\n`,
        );
        const body = gzipSync(lines.join(''), { level: 1 });
        for (;;) {
          const answer = await fetch(`${url}/ingest/_bulk`, {
            method: 'POST',
            body,
            headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
          });
          if (answer.status === 429 || answer.status === 503) {
            await answer.text();
            await pause(200);
            continue;
          }
          const { items } = (await answer.json()) as { items: { create: { status: number } }[] };
          stored += items.filter((item) => item.create.status === 201).length;
          break;
        }
      }
    }),
  );
  return stored;
}

/** Peak memory, maximum p99 event-loop delay, and p95 of a user's page. */
async function watch(
  { url, figures }: Portal,
  token: string,
  isDone: () => boolean,
): Promise<{ memory: number; stallMs: number; readMs: number }> {
  let memory = 0;
  const stalls: number[] = [];
  const reads: number[] = [];
  while (!isDone()) {
    const now = await figures();
    memory = Math.max(memory, now.memory);
    stalls.push(now.stallMs);
    const end = new Date(Date.now() + 60_000).toISOString();
    const started = performance.now();
    const page = await fetch(
      `${url}/api/v1/alerts/alertList/${organisationId}/${new Date(Date.now() - 30 * 86_400_000).toISOString()}/${end}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
    await page.arrayBuffer();
    if (!page.ok) throw new Error(`the list returned ${page.status}`);
    reads.push(performance.now() - started);
    await pause(1_000);
  }
  // Skip the warm-up.
  return { memory, stallMs: percentile(stalls.slice(5), 0.5), readMs: percentile(reads.slice(5), 0.95) };
}
