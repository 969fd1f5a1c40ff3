import { expect, test } from 'vitest';
import { createRecent } from './recent.ts';

test('ranks operations by their p95 of the last quarter of an hour', () => {
  let now = 0;
  const recent = createRecent(() => now);
  for (let ms = 1; ms <= 100; ms++) recent.timed('alerts.list', ms);
  recent.timed('cases.detail', 80);
  expect(recent.slowest(5)).toEqual([
    { operation: 'alerts.list', count: 100, medianMs: 51, p95Ms: 96, maxMs: 100 },
    { operation: 'cases.detail', count: 1, medianMs: 80, p95Ms: 80, maxMs: 80 },
  ]);
  expect(recent.slowest(1)).toHaveLength(1);
  now = 16 * 60_000;
  recent.timed('cases.detail', 5);
  expect(recent.slowest(5)).toEqual([{ operation: 'cases.detail', count: 1, medianMs: 5, p95Ms: 5, maxMs: 5 }]);
});

test('keeps a bounded number of durations, operations and failures', () => {
  const recent = createRecent(() => 0);
  for (let count = 0; count < 5_000; count++) recent.timed('busy', count);
  expect(recent.slowest(1)[0]?.count).toBe(200);
  for (let count = 0; count < 2_000; count++) recent.timed(`operation ${count}`, 1);
  expect(recent.slowest(10_000)).toHaveLength(600);
  for (let count = 0; count < 50; count++)
    recent.failed({ operation: `job ${count}`, status: null, requestId: '', traceId: '', text: 'x'.repeat(500) });
  expect(recent.failures()).toHaveLength(20);
  expect(recent.failures()[0]).toMatchObject({ operation: 'job 49', at: '1970-01-01T00:00:00.000Z' });
  expect(recent.failures()[0]?.text).toHaveLength(200);
});

test('keeps texts that the database can store, cut or not', () => {
  const recent = createRecent(() => 0);
  recent.failed({ operation: 'job a', status: null, requestId: '', traceId: '', text: `${'x'.repeat(199)}\u{1F600}` });
  recent.failed({ operation: 'job a', status: null, requestId: '', traceId: '', text: 'a\0b' });
  expect(recent.failures().map(({ text }) => text)).toEqual(['a\uFFFDb', `${'x'.repeat(199)}\uFFFD`]);
});
