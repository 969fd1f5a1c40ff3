/**
 * Run explicitly (`npm run bench -- store`): the store of events through the complete portal. Bytes of an event as growth of the database 90 s after the
 * last one, keys, filters, indexes and alerts included; the whole pipeline from one shipper and from eight; processor time of encoding against zstd on
 * the same lines; searches through the API; the peak of the server’s memory while events come and are searched. STORE_EVENTS sets the number of each kind, sent twice; BENCH_SAY=1 names what each relation grew by.
 * `--part memory` sends each kind once and measures nothing else.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { eventsApi } from '@parapet/contract/events.ts';
import { encodeBlock } from '@parapet/server/domain/events/block.write.ts';
import { normalise } from '@parapet/server/pipeline/normalise/normalise.ts';
import type pg from 'pg';
import { type Random, seeded } from '../detections/testing/benign/random.ts';
import { mixedEvent } from './detect.events.ts';
import { fleet } from './events.ts';
import { percentile } from './figures.ts';
import { type Portal, prepareClient, startPortal } from './portal.ts';
import type { Options, Result } from './run.ts';

type Document = Record<string, unknown>;
const perKind = Number(process.env.STORE_EVENTS ?? 40_000);
const eventsABody = 500;
const settleMs = 90_000;
const searchPauseMs = 1_000;
const rounds = 25;
const clients = { everyday: 5001, windows: 5002 };
type Kind = keyof typeof clients;
const kinds: readonly Kind[] = ['everyday', 'windows'];

/** Goals of an event’s bytes, of events a second (one shipper, eight), of searches in ms, and of the server’s memory in MiB. */
const goals = { memory: 512, bytes: 150, one: 5_000, eight: 10_000, newest: 40, word: 60, substring: 300, counts: 150 };

/** Everyday events of all log sources, one in fifty of which raises an alert; and Windows events with random hashes, paths and identifiers. */
async function sources(random: Random): Promise<Record<Kind, () => Document>> {
  const take = await fleet();
  return {
    everyday: () => JSON.parse(take(1, Date.now() - 2_000)[0]!.line) as Document,
    windows: () => mixedEvent(random),
  };
}

type Prepared = ReadonlyMap<Kind, Awaited<ReturnType<typeof prepareClient>>>;
type Sources = Awaited<ReturnType<typeof sources>>;

export async function run(_isCi: boolean, { part }: Options): Promise<Result[]> {
  const portal = await startPortal();
  try {
    const make = await sources(seeded(11));
    const prepared = new Map<Kind, Awaited<ReturnType<typeof prepareClient>>>();
    for (const kind of kinds) prepared.set(kind, await prepareClient(portal, clients[kind]));
    if (part === 'memory') return [await memory(portal, prepared, make)];
    const results = await intake(portal, prepared, make);
    for (const kind of kinds) results.push(await encoding(kind, make[kind]));
    results.push(...(await searches(portal.url, prepared.get('everyday')!.token)));
    // Last, because events that come beside searches are fewer a second.
    return [...results, await memory(portal, prepared, make)];
  } finally {
    await portal.stop();
  }
}

/** Bytes and events a second, without other work for the portal. */
async function intake(portal: Portal, prepared: Prepared, make: Sources): Promise<Result[]> {
  const results: Result[] = [];
  // The second time tables, maps of free pages and the catalogue of devices are there: what a further event costs.
  for (const round of ['', '-more'])
    for (const kind of kinds) {
      const before = await sizeOf(portal);
      const relationsBefore = await relationSizes(portal);
      const half = perKind / 2;
      const one = await send(portal.url, prepared.get(kind)!.key, make[kind], half, 1);
      const eight = await send(portal.url, prepared.get(kind)!.key, make[kind], half, 8);
      await pause(settleMs);
      const bytes = ((await sizeOf(portal)) - before) / perKind;
      if (process.env.BENCH_SAY) console.log(grown(relationsBefore, await relationSizes(portal)), await portal.figures());
      results.push(
        rowOf(`store.bytes${round} ${kind}`, 'bytes', bytes, goals.bytes),
        rowOf(`store.one-shipper${round} ${kind}`, 'events/s', one, goals.one),
        rowOf(`store.eight-shippers${round} ${kind}`, 'events/s', eight, goals.eight),
      );
    }
  return results;
}

/** Peak since the start, after events of each kind came, were merged and were searched all the while. */
async function memory(portal: Portal, prepared: Prepared, make: Sources): Promise<Result> {
  let isOver = false;
  const sending = async () => {
    try {
      for (const kind of kinds) {
        await send(portal.url, prepared.get(kind)!.key, make[kind], perKind, 8);
        await pause(settleMs);
      }
    } finally {
      isOver = true;
    }
  };
  // Both have ended before the portal stops, also when one fails.
  const ended = await Promise.allSettled([sending(), searchUntil(portal.url, prepared.get('everyday')!.token, () => isOver)]);
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return rowOf('store.memory', 'MiB', (await portal.figures()).peakMemory / 2 ** 20, goals.memory);
}

const rowOf = (name: string, unit: string, value: number, limit: number): Result => ({
  name,
  unit,
  value,
  limit,
  ratio: value / limit,
});

async function sizeOf({ db }: Portal): Promise<number> {
  const { rows } = await (db.pool as pg.Pool).query<{ size: string }>('select pg_database_size(current_database()) as size');
  return Number(rows[0]!.size);
}

/** Bytes of each relation: its file, and beside it the maps of free and visible pages. */
async function relationSizes({ db }: Portal): Promise<Map<string, number>> {
  const { rows } = await (db.pool as pg.Pool).query<{ name: string; file: string; maps: string }>(`
    select coalesce(t.relname || ' toast' || case when c.relkind = 'i' then ' index' else '' end,
        o.relname || ' index ' || c.relname, c.relname) as name, pg_relation_size(c.oid) as file,
      pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm') + pg_relation_size(c.oid, 'init') as maps
    from pg_class c left join pg_index i on i.indexrelid = c.oid left join pg_class o on o.oid = i.indrelid
      left join pg_class t on t.reltoastrelid = coalesce(o.oid, c.oid) and c.relnamespace = 'pg_toast'::regnamespace
    where c.relkind in ('r', 'i', 't', 'm', 'S')`);
  return new Map(
    rows.flatMap(
      ({ name, file, maps }) =>
        [
          [name, Number(file)],
          [`${name} (maps)`, Number(maps)],
        ] as const,
    ),
  );
}

/** Bytes an event by which relations grew or shrank, the most first; partitions of one table are summed. */
function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const sums = new Map<string, number>();
  for (const [name, bytes] of after) {
    const growth = (bytes - (before.get(name) ?? 0)) / perKind;
    const table = name.replaceAll(/_\d{4}_?\d\d(?:_?\d\d)?(?=_| |$)/g, '');
    sums.set(table, (sums.get(table) ?? 0) + growth);
  }
  const all = [...sums].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  const rest = all.filter(([, bytes]) => Math.abs(bytes) < 0.5).reduce((sum, [, bytes]) => sum + bytes, 0);
  const shown = all
    .filter(([, bytes]) => Math.abs(bytes) >= 0.5)
    .map(([name, bytes]) => `${bytes.toFixed(1).padStart(8)} ${name}`);
  return [...shown, `${rest.toFixed(1).padStart(8)} others`].join('\n');
}

/** Events a second; throws when one is not acknowledged as new. */
async function send(url: string, key: string, make: () => Document, events: number, shippers: number): Promise<number> {
  const bodies = Array.from({ length: events / eventsABody }, () =>
    Array.from({ length: eventsABody }, () => make()).map((document) => ({ document, id: randomUUID() })),
  );
  let stored = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: shippers }, async () => {
      for (let body = bodies.pop(); body; body = bodies.pop()) {
        const now = Date.now();
        const lines = body.map(({ document, id }, index) => {
          const line = JSON.stringify({ ...document, '@timestamp': new Date(now - 2_000 + index).toISOString() });
          return `{"create":{"_index":"bench","_id":"${id}"}}\n${line}\n`;
        });
        const answer = await fetch(`${url}/ingest/_bulk`, {
          method: 'POST',
          body: gzipSync(lines.join(''), { level: 1 }),
          headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
        });
        if (answer.status === 429 || answer.status === 503) {
          await answer.text();
          bodies.push(body);
          await pause(50);
          continue;
        }
        const { items } = (await answer.json()) as { items: { create: { status: number } }[] };
        stored += items.filter((item) => item.create.status === 201).length;
      }
    }),
  );
  if (stored !== events) throw new Error(`${stored} of ${events} events were acknowledged as new`);
  return events / ((performance.now() - started) / 1_000);
}

/** Processor time of 1,000 events in blocks of 500, against zstd alone on the same lines. */
async function encoding(kind: string, make: () => Document): Promise<Result> {
  const now = Date.now();
  const blocks = Array.from({ length: 16 }, () =>
    Array.from({ length: eventsABody }, (_, index) => {
      const made = normalise({ ...make(), '@timestamp': new Date(now + index).toISOString() }, now);
      return { ...made, id: randomUUID(), at: now + index, receivedAt: now, clockSkew: 0 };
    }),
  );
  const costOf = async (work: (block: (typeof blocks)[number]) => unknown) => {
    for (const block of blocks.slice(0, 4)) await work(block);
    const before = process.cpuUsage();
    for (const block of blocks) await work(block);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / ((blocks.length * eventsABody) / 1_000);
  };
  const value = await costOf((block) => encodeBlock(block));
  const limit = await costOf((block) => zstdCompressSync(Buffer.from(block.map((event) => JSON.stringify(event)).join('\n'))));
  return rowOf(`store.encode ${kind}`, 'ms/1,000', value, limit);
}

const pathOf = (kind: 'search' | 'timeline'): string => {
  const [start, end] = [new Date(Date.now() - 30 * 86_400_000).toISOString(), new Date(Date.now() + 60_000).toISOString()];
  return `/events/${clients.everyday}/${start}/${end}${kind === 'timeline' ? '/timeline' : ''}`;
};

async function request(url: string, token: string, kind: 'search' | 'timeline', query: Record<string, string>): Promise<void> {
  const path = pathOf(kind);
  const answer = await fetch(`${url}/api/v1${path}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${JSON.stringify(body)}`);
  if (kind === 'search') eventsApi.search.answer.parse(body);
}

/** One search after the other, of the newest, of a text and of one that no event has, beside what is sent. */
async function searchUntil(url: string, token: string, isOver: () => boolean): Promise<void> {
  for (
    const queries: Record<string, string>[] = [{ pageSize: '50' }, { text: 'Windows', pageSize: '50' }, { text: 'zqxjk vbnot' }];
    !isOver();
  ) {
    for (const query of queries) await request(url, token, 'search', query);
    await pause(searchPauseMs);
  }
}

/** Of one client, p95. */
async function searches(url: string, token: string): Promise<Result[]> {
  const p95 = async (kind: 'search' | 'timeline', query: Record<string, string>) => {
    const times: number[] = [];
    for (let round = -3; round < rounds; round++) {
      const started = performance.now();
      await request(url, token, kind, query);
      if (round >= 0) times.push(performance.now() - started);
    }
    return percentile(times, 0.95);
  };
  return [
    rowOf('store.newest-50', 'ms p95', await p95('search', { pageSize: '50' }), goals.newest),
    rowOf('store.rare-word', 'ms p95', await p95('search', { search: 'zqxjkvbnotthere' }), goals.word),
    rowOf('store.substring', 'ms p95', await p95('search', { text: 'Windows', pageSize: '50' }), goals.substring),
    rowOf('store.substring-none', 'ms p95', await p95('search', { text: 'zqxjk vbnot' }), goals.substring),
    rowOf('store.counts', 'ms p95', await p95('timeline', {}), goals.counts),
  ];
}
