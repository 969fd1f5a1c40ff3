import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { expect, test } from 'vitest';
import { createMetrics } from '../../core/metrics.ts';
import { moveGauges } from './events.metrics.ts';

test('drops the lag of ClickHouse in a process that no longer reads it', async () => {
  let now = Date.parse('2026-11-24T10:00:00Z');
  const read = async (age: number | undefined) => {
    const metrics = createMetrics();
    const moveStateRead = moveGauges(metrics, { now: () => now });
    if (age !== undefined) moveStateRead({ waiting: 20, since: now - 20 * minuteMs });
    now += age ?? 0;
    return (await metrics.text()).match(/^portal_clickhouse.*$/gm);
  };
  expect(await read(5 * minuteMs)).toEqual(['portal_clickhouse_waiting_events 20', 'portal_clickhouse_lag_seconds 1200']);
  expect(await read(6 * minuteMs)).toBeNull();
  expect(await read(undefined)).toBeNull();
});
