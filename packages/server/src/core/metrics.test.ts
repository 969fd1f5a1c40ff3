import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from './metrics.ts';

const docs = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
const { groups } = parse(docs('alerts.prometheus.yml')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);

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

test('drops the lag of ClickHouse in a process that no longer measures it', async () => {
  const metrics = createMetrics();
  metrics.movesWaiting(20, 1_200);
  expect(await metrics.text()).toContain('portal_clickhouse_lag_seconds 1200');
  const now = performance.now();
  const later = vi.spyOn(performance, 'now').mockReturnValue(now + 6 * 60_000);
  expect(await metrics.text()).not.toMatch(/^portal_clickhouse_(lag|waiting)\w+ /m);
  later.mockRestore();
});

interface DashboardPanel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}
const dashboard = JSON.parse(docs('grafana.json')) as { panels: DashboardPanel[]; templating: { list: { name: string }[] } };

/** Metrics that an expression names and the process does not have. */
async function unknownIn(expressions: readonly string[]): Promise<string[]> {
  const text = await createMetrics().text();
  const names = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const named = expressions.flatMap((expr) => expr.match(/\b(?:portal|process|nodejs)_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(expressions.length - 2);
  return named.filter((name) => !names.has(name) && !names.has(name.replace(/_(bucket|sum|count)$/, '')));
}

test('exposes every metric of the alert rules and of the dashboard', async () => {
  expect(await unknownIn(rules.map(({ expr }) => expr))).toEqual([]);
  expect(await unknownIn(['rate(portal_missing_total[5m])'])).toEqual(['portal_missing_total']);
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(await unknownIn(expressions)).toEqual([]);
  expect(expressions.filter((expr) => !expr.includes('job="$job"'))).toEqual([]);
});

test('draws a dashboard of panels with titles of their own that do not overlap', () => {
  const { panels, templating } = dashboard;
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job']);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(cells.filter((cell) => Number(cell.split(',')[0]) > 23)).toEqual([]);
  for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row');
});

test('explains every alert rule in the runbook, and no other', () => {
  const headings = [...docs('runbook.md').matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { annotations } of rules) expect(annotations.summary).toMatch(/\.$/);
});
