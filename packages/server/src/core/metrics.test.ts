import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('counts requests by operation and status, and times all but streams', async () => {
  const metrics = createMetrics();
  metrics.answered('alerts.list', 200, 0.02);
  metrics.answered('alerts.list', 503, 4);
  metrics.answered('alerts.live', 200, undefined);
  const text = await metrics.text();
  for (const line of [
    'portal_requests_total{operation="alerts.list",status="503"} 1',
    'portal_requests_total{operation="alerts.live",status="200"} 1',
    'portal_request_duration_seconds_bucket{le="0.025",operation="alerts.list"} 1',
    'portal_request_duration_seconds_count{operation="alerts.list"} 2',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('portal_request_duration_seconds_count{operation="alerts.live"}');
});

test('measures what features declare, and leaves out what fails', async () => {
  const metrics = createMetrics();
  metrics.measureBy((gauge) => {
    const size = gauge('portal_size', 'Size of a part.', 'part');
    return async () => size.set({ part: 'first' }, 3);
  });
  metrics.measureBy(() => () => Promise.reject(new Error('the database is away')));
  expect(await metrics.text()).toContain(
    '# HELP portal_size Size of a part.\n# TYPE portal_size gauge\nportal_size{part="first"} 3',
  );
});
