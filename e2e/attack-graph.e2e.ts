/** The attack graph of a case: drawing, playback, keyboard and table; hostile and large graphs. */
import { AxeBuilder } from '@axe-core/playwright';
import type { CaseGraph, GraphNode } from '@parapet/contract/caseGraph.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import type { Page } from '@playwright/test';
import { ask, send } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { watchPolicy } from './policy.ts';

const client = 10;
const dayMs = 86_400_000;

/** The case of the client with the largest graph among its most severe ones. */
async function largestCase(): Promise<{ id: number; graph: CaseGraph }> {
  const body = {
    selectedClientOrganizationID: client,
    start: new Date(Date.now() - 360 * dayMs).toISOString(),
    end: new Date(Date.now() + 60_000).toISOString(),
    sort: 'criticality',
    pageSize: 10,
  };
  const answer = await send(portal.url, tokenOf('host'), '/case/caseList/', body);
  const { results } = (await answer.json()) as { results: CaseRow[] };
  const graphs = await Promise.all(
    results.map(async ({ id }) => ({
      id,
      graph: await ask<CaseGraph>(portal.url, tokenOf('host'), `/casedetails/${id}/graph`),
    })),
  );
  return graphs.sort((a, b) => b.graph.nodes.length - a.graph.nodes.length)[0]!;
}

const section = (page: Page) => page.getByRole('region', { name: 'Attack graph' });
const drawing = (page: Page) => section(page).getByRole('group', { name: 'Attack graph', exact: true });
const slider = (page: Page) => section(page).getByRole('slider', { name: 'Step of the attack' });

/** Accessibility violations within the section. */
async function violationsIn(page: Page, part: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().include(`section:has(${part})`).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

let found: { id: number; graph: CaseGraph };
test.beforeAll(async () => {
  found = await largestCase();
  expect(found.graph.edges.length).toBeGreaterThan(3);
});

test('an analyst plays the attack, walks it by keyboard and reads the same rows in the table', async ({ page, asPersona }) => {
  const breaches = await watchPolicy(page);
  await asPersona('partnerAnalyst', `/apps/case/${found.id}?client=${client}`);
  const { nodes, edges } = found.graph;
  await expect(
    drawing(page)
      .getByRole('button', { name: /^(Device|Process|User)/ })
      .first(),
  ).toBeVisible();

  // Playback restarts after the end and can be paused.
  await section(page).getByRole('button', { name: 'Play' }).click();
  await expect(slider(page)).not.toHaveValue(`${edges.length}`);
  await section(page).getByRole('button', { name: 'Pause' }).click();
  await slider(page).press('Home');
  await expect(slider(page)).toHaveAttribute('aria-valuetext', `Before the first of ${edges.length} steps`);
  await slider(page).press('ArrowRight');
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /^Step 1 of/);
  await slider(page).press('End');
  // The drawing has its edges.
  await expect(drawing(page).locator('.react-flow__edge').first()).toBeAttached();

  // One stop of the tab order; the arrow keys move, Enter opens the details, Escape returns.
  await expect(drawing(page).locator('.entity[tabindex="0"]')).toHaveCount(1);
  await page.keyboard.press('Tab');
  await expect(drawing(page).locator('.entity:focus')).toHaveCount(1);
  await page.keyboard.press('Home');
  const focused = drawing(page).locator('.entity:focus');
  await expect(focused).toContainText(nodes[0]!.label);
  await page.keyboard.press('Enter');
  const details = section(page).getByRole('complementary');
  await expect(details).toContainText(nodes[0]!.label);
  expect(await violationsIn(page, '.entity')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(details).toHaveCount(0);
  await expect(focused).toContainText(nodes[0]!.label);

  await section(page).getByRole('button', { name: 'Table' }).click();
  const table = section(page).getByRole('table', { name: 'Attack graph' });
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]));
  await expect(table.getByRole('row')).toHaveCount(1 + edges.length + nodes.length - touched.size);
  await table.getByRole('button', { name: nodes[0]!.label }).first().click();
  await expect(details).toContainText(nodes[0]!.label);
  expect(await violationsIn(page, 'table')).toEqual([]);
  await page.reload();
  await expect(table).toBeVisible();
  expect(breaches).toEqual([]);
});

/** A graph at the contract’s limits, with hostile texts. */
function hugeGraph(): CaseGraph {
  const at = (index: number) => new Date(Date.UTC(2026, 10, 20, 10) + index * 1000).toISOString();
  const hostile = `\u202egnp.exe <img src=x onerror="window.ran=true"> \u0000${'A'.repeat(1_900)}`;
  const marks = { severity: 'high' as const, tactics: ['Execution', 'Command and Control'] };
  const nodes = Array.from({ length: 500 }, (_, id): GraphNode => {
    const parent = id === 0 ? null : Math.floor((id - 1) / 4);
    return {
      id,
      kind: id === 0 ? 'device' : 'process',
      label: id % 7 === 3 ? hostile.slice(0, 200) : `process-${id}.exe`,
      value: hostile,
      facts: [{ name: 'Command line', value: hostile }],
      parent,
      firstTime: at(id),
      lastTime: at(id),
      grouped: 0,
      alerts: [{ id: 1, rule: hostile, criticality: 'high' }],
      alertCount: 1,
      ...marks,
    };
  });
  const edge = (from: number, to: number, action: string) => ({
    ...{ from, to, action, firstTime: at(to), lastTime: at(to), count: 1, alertID: 1 },
    ...marks,
  });
  const tree = nodes.slice(1).map(({ id, parent }) => edge(parent!, id, 'started'));
  const cross = nodes.slice(1, 401).map(({ id }) => edge(id, (id * 7) % 500, 'connected to'));
  return { nodes, edges: [...tree, ...cross], omittedEdges: 0, events: 5_000, isPartial: true };
}

test('a graph of 500 hostile nodes takes under 200 ms of script', async ({ page, asPersona }) => {
  await page.route(/\/casedetails\/\d+\/graph$/, (route) => route.fulfill({ json: hugeGraph() }));
  await asPersona('partnerAnalyst', `/apps/case/${found.id}?client=${client}&attack=table`);
  await expect(section(page).getByRole('table', { name: 'Attack graph' })).toBeVisible();
  const session = await page.context().newCDPSession(page);
  // Time of the processor, not of the clock.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scriptMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN);
  };
  // The best of three: other work of the machine only adds. Removing the table of 899 rows is part of it.
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    await section(page).getByRole('button', { name: 'Table', exact: true }).click();
    await expect(section(page).getByRole('table', { name: 'Attack graph' })).toBeVisible();
    const before = await scriptMs();
    await section(page).getByRole('button', { name: 'Graph', exact: true }).click();
    await expect(drawing(page).locator('.react-flow__edge').first()).toBeAttached();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    times.push((await scriptMs()) - before);
  }
  test.info().annotations.push({ type: 'script', description: times.map((ms) => `${ms.toFixed(0)} ms`).join(', ') });
  expect(Math.min(...times)).toBeLessThan(200);

  await drawing(page).locator('.entity').first().click();
  await expect(section(page).getByRole('complementary')).toContainText('RLO');
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
});
