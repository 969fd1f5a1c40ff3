/** Alert rules, dashboard and runbook of the documentation name metrics that the portal has. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../src/core/clock.ts';
import { createMetrics } from '../src/core/metrics.ts';
import { moveGauges } from '../src/features/events/events.metrics.ts';
import { installationGauges } from '../src/features/operations/operations.gauges.ts';

const docs = (name: string) => readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const { groups } = parse(docs('alerts.prometheus.yml')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};
const rules = groups.flatMap((group) => group.rules);

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
  const metrics = createMetrics();
  moveGauges(metrics, systemClock);
  metrics.measureBy((gauge) => {
    installationGauges(gauge);
    return async () => {};
  });
  const text = await metrics.text();
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
