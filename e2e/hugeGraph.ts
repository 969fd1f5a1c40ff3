/** The attack graph at the contract’s limits, and the time of its script, for the journeys and the benchmark. */
import type { CaseGraph, GraphNode } from '@parapet/contract/caseGraph.ts';
import type { Page } from '@playwright/test';

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

const section = (page: Page) => page.getByRole('region', { name: 'Attack graph' });

/** Opens a case’s page, by `open`, with that graph in place of its own, as a table. */
export async function openHugeGraph(page: Page, open: () => Promise<unknown>): Promise<void> {
  await page.route(/\/casedetails\/\d+\/graph$/, (route) => route.fulfill({ json: hugeGraph() }));
  await open();
  await section(page).getByRole('table', { name: 'Attack graph' }).waitFor();
}

/** Processor time of script in ms from the table to the drawing: the best of three, as other work of the machine only adds. */
export async function graphScriptMs(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  // Time of the processor, not of the clock.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scriptMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN);
  };
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    await section(page).getByRole('button', { name: 'Table', exact: true }).click();
    await section(page).getByRole('table', { name: 'Attack graph' }).waitFor();
    const before = await scriptMs();
    // Removing the table of 899 rows is part of it.
    await section(page).getByRole('button', { name: 'Graph', exact: true }).click();
    await section(page).locator('.react-flow__edge').first().waitFor({ state: 'attached' });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    times.push((await scriptMs()) - before);
  }
  return Math.min(...times);
}
