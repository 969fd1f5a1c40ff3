/**
 * Rules over the past: a preview of one rule over 30 days of a client against reading each event for it, opening the blocks alone and parsing the
 * JSON text alone; the same events judged by all rules; and live intake beside a preview. The previews run in a process of their own, as in an installation with a worker. PAST_EVENTS sets the number of stored events.
 */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { systemClock } from '@parapet/server/core/clock.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { createIngestService } from '@parapet/server/features/ingest/ingest.service.ts';
import { createDetector, readBuiltIn } from '@parapet/server/pipeline/detector.ts';
import { createDeviceRegister } from '@parapet/server/pipeline/devices.ts';
import { createEventWriter } from '@parapet/server/pipeline/event-writer.ts';
import pg from 'pg';
import { startServer } from './cpu.ts';
import { fleet, rulesDir } from './events.ts';
import { median } from './figures.ts';
import type { Result } from './run.ts';
import { temporaryDatabase } from './temporary-database.ts';

const stored = Number(process.env.PAST_EVENTS ?? 100_000);
const organisationId = 5000;
const days = 30;
const rounds = 3;
const liveMs = 4_000;
const perCore = { one: 120_000, all: 25_000 };
/** Seconds for 1,000,000 events. */
const maxSeconds = 60;

async function intake({ db, ownerUrl }: Awaited<ReturnType<typeof temporaryDatabase>>) {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`select make_partitions((now() - interval '32 days')::date, (now() + interval '1 day')::date)`);
  await owner.end();
  const detector = await createDetector({ db, builtIn: await readBuiltIn(rulesDir) });
  const writing = {
    db,
    clock: systemClock,
    detector,
    devices: createDeviceRegister(),
    groupingWindowMs: 3_600_000,
    log: silentLog,
  };
  const eventWriter = createEventWriter(writing);
  const ingest = createIngestService({
    eventWriter,
    detector,
    clock: systemClock,
    eventRetentionMs: 60 * dayMs,
    counted: () => {},
  });
  const take = await fleet();
  return async (count: number, at: number): Promise<number> => {
    const sent = take(count, at).map(({ id, index, line }) => ({ raw: line, index, documentId: id }));
    await ingest.take(organisationId, sent);
    return count;
  };
}

export async function run(): Promise<Result[]> {
  const database = await temporaryDatabase();
  const { userId } = await database.session(organisationId);
  const send = await intake(database);
  for (let day = days; day > 0; day--)
    for (let left = Math.ceil(stored / days); left > 0; left -= 4_000)
      await send(Math.min(left, 4_000), Date.now() - day * dayMs + 3_600_000);
  const { handshake, stop } = await startServer<{ address: string }>('./past.server.ts', {
    BENCH_PAST: JSON.stringify({ organisationId, userId, url: database.url }),
  });
  const post = async (path: string) => Number(await (await fetch(`${handshake.address}${path}`, { method: 'POST' })).text());
  const cpu = async () => Number(await (await fetch(`${handshake.address}/cpu`)).text()) / 1e6;
  /** Events a second of processor time, and seconds by the clock for 1,000,000. */
  const judged = async (path: string, expected = stored): Promise<{ rate: number; seconds: number }> => {
    await cpu();
    const began = performance.now();
    const events = await post(path);
    if (events < expected) throw new Error(`${path} judged ${events} of ${expected} events.`);
    return { rate: events / (await cpu()), seconds: ((performance.now() - began) * 1e3) / events };
  };
  const [one, all, alone, beside]: [{ rate: number; seconds: number }[], number[], number[], number[]] = [[], [], [], []];
  const [read, decoded, parsed]: [number[], number[], number[]] = [[], [], []];
  await post('/texts');
  const live = async (): Promise<number> => {
    const began = performance.now();
    let events = 0;
    while (performance.now() - began < liveMs) events += await send(1_000, Date.now() - 1_000);
    return events / (performance.now() - began);
  };
  for (let round = -1; round < rounds; round++) {
    const result = await judged(`/preview?rule=${100 + round}`);
    const reading = (await judged(`/read?rule=${100 + round}`)).rate;
    const decoding = (await judged('/decode')).rate;
    const parsing = (await judged('/parse', 0)).rate;
    const { rate } = await judged('/all');
    const quiet = await live();
    let isOver = false;
    const running = (async () => {
      while (!isOver) await post(`/preview?rule=${200 + round}`);
    })();
    const busy = await live();
    isOver = true;
    await running;
    if (round < 0) continue;
    one.push(result);
    read.push(reading);
    decoded.push(decoding);
    parsed.push(parsing);
    all.push(rate);
    alone.push(quiet);
    beside.push(busy);
  }
  await stop();
  await database.close();
  const row = (name: string, unit: string, value: number, limit: number): Result => ({
    name,
    unit,
    value,
    limit,
    ratio: value / limit,
  });
  return [
    row('past.one-rule', 'events/s', median(one.map(({ rate }) => rate)), perCore.one),
    row('past.one-rule-read', 'events/s', median(one.map(({ rate }) => rate)), median(read)),
    row('past.one-rule-decode', 'events/s', median(one.map(({ rate }) => rate)), median(decoded)),
    row('past.one-rule-parse', 'events/s', median(one.map(({ rate }) => rate)), median(parsed)),
    row('past.all-rules', 'events/s', median(all), perCore.all),
    row('past.million', 's', median(one.map(({ seconds }) => seconds)), maxSeconds),
    row('past.live', 'events/ms', median(beside), median(alone)),
  ];
}
