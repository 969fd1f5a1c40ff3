/** Shutdown while shippers send: accepted requests are stored and acknowledged, later ones get a retryable error. */

import { expect, test } from 'vitest';
import { scoped } from '../src/core/db/scope.ts';
import { testApp } from './app.ts';
import { eventRows } from './storedEvents.ts';

test('loses nothing acknowledged, and refusals let shippers retry', async () => {
  const t = await testApp();
  const organisationId = await t.organisation();
  const key = await t.ingestKey(organisationId);
  const address = await t.application.app.listen({ port: 0, host: '127.0.0.1' });
  const acknowledged = new Set<string>();
  const refusals = new Set<string>();
  let batches = 0;
  let isOver = false;
  const shipper = async () => {
    while (!isOver) {
      const ids = Array.from({ length: 100 }, (_, i) => `${batches}-${i}`);
      batches++;
      const at = new Date().toISOString();
      const body = ids.map((id) => `{"create":{"_id":"${id}"}}\n{"@timestamp":"${at}","name":"${id}"}\n`).join('');
      try {
        const answer = await fetch(`${address}/ingest/_bulk`, {
          method: 'POST',
          headers: { authorization: `ApiKey ${key}` },
          body,
        });
        if (answer.status === 200) for (const id of ids) acknowledged.add(id);
        else refusals.add(`${answer.status} ${answer.headers.get('content-type')}`);
      } catch {
        // The connection closed; nothing was acknowledged.
        return;
      }
    }
  };
  const shippers = Array.from({ length: 8 }, shipper);
  await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(0);
  const started = performance.now();
  await t.application.close();
  expect(performance.now() - started).toBeLessThan(8_000);
  isOver = true;
  await Promise.all(shippers);
  expect(acknowledged.size).toBeGreaterThan(0);
  expect([...refusals].every((refusal) => refusal === '503 text/plain; charset=utf-8')).toBe(true);
  const stored = await scoped(t.db, 'system', (tx) => eventRows(tx));
  const names = new Set(stored.map((row) => (row.document as { name: string }).name));
  expect([...acknowledged].filter((id) => !names.has(id))).toEqual([]);
  await t.close();
});
