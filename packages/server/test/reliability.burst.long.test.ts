/**
 * F2, short: a burst of 5,000 events a second, of each second all batches at once, which is more than one client may have in flight. Each batch is taken or
 * gets 429 and is sent again; nothing is lost or stored twice, and the backlog of the shippers and of case correlation is gone within two minutes.
 * `BURST_SECONDS` lengthens a run.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { type TestApp, testApp } from './app.ts';
import { createLedger, type Ledger, ledgerFaults, quantile } from './reliability.ledger.ts';
import { probeRules } from './reliability.rules.ts';
import { eventRows } from './storedEvents.ts';

const seconds = Number(process.env.BURST_SECONDS ?? 4);
const perSecond = 5_000;
const batch = 500;
/** A batch is about 0.7 MiB, and the share of one client 5 MiB: ten do not fit. */
const padding = 'x'.repeat(1_300);
const backlogMs = 120_000;
/** Smallest wait of a shipper after 429; it doubles up to 2 s. */
const firstWaitMs = 200;

let t: TestApp;
let rules: Awaited<ReturnType<typeof probeRules>>;
beforeAll(async () => {
  rules = await probeRules();
  t = await testApp({ PORTAL_ROLES: 'api,ingest,worker', INGEST_MAX_INFLIGHT_MIB: '10', RULES_DIR: rules.folder });
}, 120_000);
afterAll(async () => {
  await t.close();
  await rules.remove();
});

interface Burst {
  ledger: Ledger;
  statuses: Map<number, number>;
  waits: number[];
}

/** Sends one batch until it is taken; a status other than 200 and 429 ends it. */
async function ship(key: string, { ledger, statuses, waits }: Burst): Promise<void> {
  const marks = Array.from({ length: batch }, () => ledger.mark());
  const events = marks.map((mark, index) => ({
    message: `${mark} ${padding}`,
    '@timestamp': new Date().toISOString(),
    host: { name: `burst-${mark}` },
    logsource: { product: 'probe' },
    // One in each batch raises an alert of a device of its own, so that correlation has work.
    action: index === 0 ? 'alarm' : 'work',
  }));
  for (let wait = firstWaitMs; ; wait = Math.min(2_000, wait * 2)) {
    const started = performance.now();
    const { statusCode, body } = await t.send(key, events);
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    if (statusCode === 200) {
      waits.push(performance.now() - started);
      const { items } = JSON.parse(body) as { items: { create: { status: number } }[] };
      for (const [index, { create }] of items.entries()) if (create.status < 300) ledger.acknowledged.add(marks[index] as string);
      return;
    }
    if (statusCode !== 429) return;
    await pause(wait);
  }
}

/** Milliseconds until no alert waits for correlation; throws after `limitMs`. */
async function drain(app: TestApp, limitMs: number): Promise<number> {
  const start = performance.now();
  while ((await queued(app)) > 0) {
    if (performance.now() - start > limitMs) throw new Error(`Alerts still wait after ${limitMs} ms.`);
    await pause(100);
  }
  return performance.now() - start;
}

const queued = (app: TestApp) =>
  scoped(app.db, 'system', async (tx) => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from correlation_queue`.execute(tx);
    return rows[0]!.count;
  });
const textsOf = async (organisationId: number) =>
  (await scoped(t.db, 'system', (tx) => eventRows(tx, organisationId), { statementTimeoutMs: 60_000 })).map(({ text }) => text);

test('refuses batches of a burst with 429, takes each in the end, and works the backlog off', { timeout: 400_000 }, async () => {
  const organisationId = await t.organisation();
  const key = await t.ingestKey(organisationId);
  const burst: Burst = { ledger: createLedger('burst'), statuses: new Map(), waits: [] };
  const sent: Promise<void>[] = [];
  const start = performance.now();
  // On its schedule, regardless of the responses.
  for (let second = 0; second < seconds; second++) {
    await pause(Math.max(0, start + second * 1_000 - performance.now()));
    for (let number = 0; number < perSecond / batch; number++) sent.push(ship(key, burst));
  }
  const end = performance.now();
  await Promise.all(sent);
  const shippedMs = performance.now() - end;
  await drain(t, backlogMs);
  const backlog = performance.now() - end;
  console.log(
    `F2: ${sent.length * batch} events in ${((end - start) / 1000).toFixed(1)} s; ${JSON.stringify([...burst.statuses])}; p99 of a batch ${quantile(burst.waits, 0.99).toFixed(0)} ms; shippers done after ${(shippedMs / 1000).toFixed(1)} s, backlog gone after ${(backlog / 1000).toFixed(1)} s`,
  );
  expect([...burst.statuses.keys()].filter((status) => status !== 200 && status !== 429)).toEqual([]);
  // Each second some batches find the share taken.
  expect(burst.statuses.get(429) ?? 0).toBeGreaterThanOrEqual(seconds);
  expect(burst.ledger.acknowledged.size).toBe(sent.length * batch);
  expect(ledgerFaults(burst.ledger, await textsOf(organisationId))).toEqual({ lost: [], double: [] });
  expect(backlog).toBeLessThan(backlogMs);
  const { cases } = await scoped(t.db, 'system', (tx) =>
    tx
      .selectFrom('cases')
      .select(sql<number>`count(*)::integer`.as('cases'))
      .where('organisation_id', '=', organisationId)
      .executeTakeFirstOrThrow(),
  );
  expect(cases).toBeGreaterThan(0);
});

test('notices a planted loss, a planted double and a planted stall', async () => {
  const organisationId = await t.organisation();
  const burst: Burst = { ledger: createLedger('planted'), statuses: new Map(), waits: [] };
  await ship(await t.ingestKey(organisationId), burst);
  burst.ledger.acknowledged.add('planted-zzzzzz.');
  const texts = await textsOf(organisationId);
  expect(ledgerFaults(burst.ledger, [...texts, texts[0] as string])).toEqual({
    lost: ['planted-zzzzzz.'],
    double: [texts[0]!.split(' ')[0]],
  });
  // Without a worker nothing takes alerts from the queue.
  const idle = await testApp({ RULES_DIR: rules.folder });
  try {
    const events = [{ message: 'stall', host: { name: 'a' }, logsource: { product: 'probe' }, action: 'alarm' }];
    expect((await idle.send(await idle.ingestKey(await idle.organisation()), events)).statusCode).toBe(200);
    await expect(drain(idle, 1_000)).rejects.toThrow('Alerts still wait');
  } finally {
    await idle.close();
  }
}, 60_000);
