/**
 * F15, short: one client sends far more than its share. It gets 429; the others are served throughout, lose nothing and wait little.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { useTestApp } from './app.ts';
import { createLedger, type Ledger, ledgerFaults, quantile } from './reliability.ledger.ts';
import { eventRows } from './storedEvents.ts';

const quietMs = 150;
const resendMs = 100;
const warmUp = 2_000;
const alone = 5_000;
const together = 10_000;
/** Requests of the noisy client in flight, of about a MiB each. */
const noisyAtOnce = 12;
const padding = 'x'.repeat(900);

const t = useTestApp({ INGEST_MAX_INFLIGHT_MIB: '10' });

interface Sender {
  organisationId: number;
  key: string;
  ledger: Ledger;
  statuses: Map<number, number>;
  waits: number[];
}

async function sender(name: string): Promise<Sender> {
  const organisationId = await t.organisation();
  return { organisationId, key: await t.ingestKey(organisationId), ledger: createLedger(name), statuses: new Map(), waits: [] };
}

/** Sends a batch of marked events, once more after a 429 if `resendsAfterMs` is given, as a shipper does, and writes what was acknowledged into the ledger. */
async function send({ key, ledger, statuses, waits }: Sender, count: number, text = '', resendsAfterMs = 0): Promise<number> {
  const marks = Array.from({ length: count }, () => ledger.mark());
  const started = performance.now();
  const batch = marks.map((mark) => ({ message: `${mark} ${text}` }));
  let answer = await t.send(key, batch);
  if (answer.statusCode === 429 && resendsAfterMs > 0) {
    await pause(resendsAfterMs);
    answer = await t.send(key, batch);
  }
  const { statusCode, body } = answer;
  waits.push(performance.now() - started);
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  if (statusCode === 200) {
    const { items } = JSON.parse(body) as { items: { create: { status: number } }[] };
    for (const [index, { create }] of items.entries()) if (create.status < 300) ledger.acknowledged.add(marks[index] as string);
  }
  return statusCode;
}

async function every(ms: number, until: number, work: () => Promise<unknown>): Promise<void> {
  while (performance.now() < until) {
    const next = performance.now() + ms;
    await work();
    await pause(Math.max(0, next - performance.now()));
  }
}

const textsOf = async ({ organisationId }: Sender) =>
  (await scoped(t.db, 'system', (tx) => eventRows(tx, organisationId))).map(({ text }) => text);

test('refuses the noisy client with 429, and serves the others without loss', { timeout: 120_000 }, async () => {
  const quiet = [await sender('one'), await sender('two'), await sender('three')];
  const noisy = await sender('noisy');
  const quietFor = (ms: number) =>
    Promise.all(quiet.map((each) => every(quietMs, performance.now() + ms, () => send(each, 20, '', resendMs))));
  await quietFor(warmUp);
  for (const each of quiet) each.waits.length = 0;
  await quietFor(alone);
  const before = quantile(
    quiet.flatMap(({ waits }) => waits),
    0.9,
  );
  for (const each of quiet) each.waits.length = 0;

  const until = performance.now() + together;
  await Promise.all([
    ...quiet.map((each) => every(quietMs, until, () => send(each, 20, '', resendMs))),
    ...Array.from({ length: noisyAtOnce }, () =>
      // A shipper that does not wait after 429, which is worse than any real one.
      every(5, until, () => send(noisy, 1_000, padding)),
    ),
  ]);
  const during = quantile(
    quiet.flatMap(({ waits }) => waits),
    0.9,
  );
  console.log(
    `F15: p90 of quiet clients ${before.toFixed(0)} ms alone, ${during.toFixed(0)} ms beside the noisy one; noisy ${JSON.stringify([...noisy.statuses])}`,
  );

  expect(noisy.statuses.get(429)).toBeGreaterThan(20);
  expect(noisy.statuses.get(200)).toBeGreaterThan(0);
  for (const each of quiet) expect([...each.statuses.keys()]).toEqual([200]);
  for (const each of [...quiet, noisy]) expect(ledgerFaults(each.ledger, await textsOf(each))).toEqual({ lost: [], double: [] });
  // On a machine that others use too, the waits without the noisy client show how busy it is.
  expect(during).toBeLessThan(Math.max(2_000, 3 * before));
});

test('notices a planted loss and a planted double', async () => {
  const each = await sender('planted');
  await send(each, 5);
  each.ledger.acknowledged.add('planted-zzzzzz.');
  const texts = await textsOf(each);
  expect(ledgerFaults(each.ledger, [...texts, texts[0] as string])).toEqual({
    lost: ['planted-zzzzzz.'],
    double: ['planted-000000.'],
  });
});
