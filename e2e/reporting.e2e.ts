/** Reporting: a month’s report with its files and drill-down links, the reconciliation, the reports of all clients in one job, and monthly emails. */
import { readFile } from 'node:fs/promises';
import { months } from '@parapet/contract/rules/timeframe.ts';
import { getJson } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { ingestKey } from './portal.ts';

const whole = (text: string | null) => Number((text ?? '').replaceAll(',', ''));
/** The previous month, in UTC as in the journeys’ browser. */
const last = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 1, 1));
const [year, month] = [last.getUTCFullYear(), last.getUTCMonth() + 1];
const name = months[month - 1]!;

test('a manager reads the report of the last month and selects others', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/reporting');
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(`${name} ${year}`);
  const selector = page.getByRole('combobox', { name: 'Timeframe' });
  await expect(selector).toHaveText(`${name} ${year}`);
  await selector.click();
  const options = page.getByRole('option');
  await expect(options).toHaveCount(12);
  // spec §2.2: the month's name is the value.
  expect(await options.evaluateAll((all) => all.map((option) => option.getAttribute('data-value')))).toEqual(
    Array.from({ length: 12 }, (_, back) => months[(month - back + 12) % 12]),
  );
  await options.nth(2).click();
  const before = new Date(Date.UTC(year, month - 2, 1));
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(
    `${months[before.getUTCMonth()]} ${before.getUTCFullYear()}`,
  );
  await selector.click();
  await options.nth(1).click();
  await expect(page).toHaveURL(new RegExp(`timeframe=${name}`));
});

test('a number of the report leads to the rows behind it', async ({ page, asPersona }) => {
  await asPersona('manager', `/apps/reporting?timeframe=${name}`);
  type Figures = { sections: { id: string; figures: { id: string; value: number }[] }[] };
  const report = await getJson<Figures>(portal.url, tokenOf('manager'), `/reporting/10/${year}/${month}`);
  const alerts = report.sections.find(({ id }) => id === 'alerts')?.figures.find(({ id }) => id === 'alerts')?.value ?? 0;
  const figure = page.locator('#report-alerts dl > div').first();
  await expect(figure).toContainText('Alerts');
  if (alerts > 0) {
    await figure.getByRole('link').click();
    await expect(page).toHaveURL(new RegExp(`/apps/alerts\\?timeframe=${name}`));
    await expect
      .poll(async () =>
        whole(
          (
            await page
              .getByText(/ of [\d,]+$/)
              .first()
              .innerText()
          ).split(' of ')[1] ?? null,
        ),
      )
      .toBe(alerts);
  }
});

test('a manager exports the report in each format', async ({ page, asPersona }) => {
  await asPersona('manager', `/apps/reporting?timeframe=${name}`);
  for (const [kind, begins] of [
    ['PDF', '%PDF-'],
    ['CSV', '\uFEFF'],
    ['XLSX', 'PK'],
  ] as const) {
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: kind, exact: true }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(
      new RegExp(`^report-.*${year}-${String(month).padStart(2, '0')}\\.${kind.toLowerCase()}$`),
    );
    expect((await readFile(await saved.path())).toString('utf8').startsWith(begins)).toBe(true);
  }
  // The partner manages the report emails.
  await expect(page.getByRole('link', { name: 'Schedules' })).toHaveCount(0);
});

test('the reconciliation adds up, and a day’s number links to that day', async ({ page, asPersona }) => {
  await asPersona('manager', `/apps/reporting?tab=balance&timeframe=${name}`);
  const sums = page.getByRole('region', { name: 'Totals' });
  for (const line of await sums.locator('.sum').all()) {
    const numbers = (await line.locator('b').allInnerTexts()).map(whole);
    expect(numbers.length).toBeGreaterThan(4);
    expect(numbers.slice(1).reduce((sum, number) => sum + number, 0)).toBe(numbers[0]);
  }
  const table = page.getByRole('region', { name: 'Reconciliation of alerts by day' });
  const raised = table.getByRole('row').nth(1).getByRole('link').first();
  await raised.click();
  await expect(page).toHaveURL(new RegExp(`/apps/alerts\\?timeframe=${name}&on=${year}-`));

  // Dispositions of alerts: the list has as many rows as the number.
  for (const [disposition, chip] of [
    ['shown', 'Shown'],
    ['inCase', 'In cases'],
  ]) {
    await page.goBack();
    const link = table.locator(`a[href*="fate=${disposition}"]`).first();
    const count = whole(await link.textContent());
    expect(count).toBeGreaterThan(0);
    await link.click();
    await expect(page.getByRole('list', { name: 'Filters in use' })).toContainText(chip!);
    await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText(
      new RegExp(`–${Math.min(count, 50)} of ${count.toLocaleString('en-US')}$`),
    );
  }
});

/** Three dead letters, a duplicate and an old event, for a client that otherwise receives only the demo’s events, today and so within retention. */
async function sendForReconciliation(now: Date): Promise<void> {
  const bad = ['{', '["no object"]', '<b>\u202Eno JSON</b>'];
  const same = JSON.stringify({ '@timestamp': now.toISOString(), message: 'sent twice', host: { name: 'ALD-WS-001' } });
  const weeksAgo = new Date(now.getTime() - 20 * 86_400_000).toISOString();
  const late = JSON.stringify({ '@timestamp': weeksAgo, message: 'sent late', host: { name: 'ALD-WS-001' } });
  const lines = [...bad.map((text) => ['{}', text]), ['{"_id":"same"}', same], ['{"_id":"same"}', same], ['{}', late]];
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${await ingestKey(portal, 10)}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.flatMap(([meta, document]) => [`{"create":${meta}}`, document]).join('\n')}\n`,
  });
  expect(answer.status).toBe(200);
}

test('a manager opens the rows behind each number of events', async ({ page, asPersona }) => {
  const now = new Date();
  await sendForReconciliation(now);
  const thisMonth = months[now.getUTCMonth()]!;
  const today = now.toISOString().slice(0, 10);
  await asPersona('manager', `/apps/reporting?tab=balance&timeframe=${thisMonth}`);
  const row = page.getByRole('region', { name: 'Reconciliation of events by day' }).getByRole('row').nth(1);
  const press = async (column: number, address: RegExp): Promise<number> => {
    const link = row.getByRole('cell').nth(column).getByRole('link');
    const count = whole(await link.textContent());
    expect(count).toBeGreaterThan(0);
    await link.click();
    await expect(page).toHaveURL(address);
    return count;
  };

  // The demo keeps sending: at least as many as when the reconciliation was computed.
  const stored = await press(2, new RegExp(`/apps/events\\?.*on=${today}Z&by=arrived$`));
  const hits = page.getByRole('region', { name: 'Hits by arrival' });
  await expect(hits).toContainText(/[\d,]+ events/);
  const listed = whole((/([\d,]+) events/.exec(await hits.innerText()) ?? [])[1] ?? null);
  type Sheet = { results: { date: string; stored: number }[] };
  const sheet = await getJson<Sheet>(portal.url, tokenOf('manager'), `/balance/10/${today}T00:00:00Z/${now.toISOString()}`);
  expect(listed).toBeGreaterThanOrEqual(stored);
  expect(listed).toBeLessThanOrEqual(sheet.results.find(({ date }) => date === today)?.stored ?? 0);
  const search = page.getByRole('combobox', { name: 'Search events, then Enter' });
  await search.fill('sent late');
  await search.press('Enter');
  await expect(hits).toContainText('1 event');
  await page.goBack();
  await page.goBack();

  const dead = await press(5, /tab=aside$/);
  const aside = page.getByRole('region', { name: 'Unprocessed' });
  await expect(aside).toContainText(`${dead} unprocessed`);
  await expect(aside.getByRole('row')).toHaveCount(dead + 1);
  await aside.getByText('no JSON').click();
  await expect(page.getByRole('complementary', { name: 'Unprocessed event' })).toContainText('RLO');
  await page.goBack();

  const duplicate = await press(3, /tab=intake&outcome=duplicate$/);
  const intake = page.getByRole('region', { name: 'Intake' });
  await expect(intake).toContainText(new RegExp(`${duplicate} events?`));
  await expect(intake.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove filter Outcome Duplicate' }).click();
  await intake
    .getByRole('row', { name: /Unprocessed/ })
    .getByRole('link')
    .click();
  await expect(page).toHaveURL(/tab=aside$/);
});

test('a host generates the reports of all clients of a partner and opens one', async ({ page, asPersona }) => {
  test.setTimeout(150_000);
  await asPersona('host', `/apps/reporting?client=2&timeframe=${name}`);
  await page.getByRole('button', { name: `Generate reports for ${name} ${year}` }).click();
  await expect(page).toHaveURL(/job=\d+/);
  const card = page.getByRole('region', { name: 'Reports of all clients' });
  await expect(card).toContainText(/\d+ reports? for .* (is|are) ready\./, { timeout: 90_000 });
  const saving = page.waitForEvent('download');
  await card.getByRole('button', { name: 'Download archive' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/\.zip$/);
  expect((await readFile(await saved.path())).subarray(0, 2).toString()).toBe('PK');

  await page.getByRole('region', { name: 'Choose a client' }).getByRole('link', { name: 'Alder Manufacturing' }).click();
  await expect(page).toHaveURL(/client=10/);
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(`${name} ${year}`);
});

test('a host schedules a monthly report and cancels it', async ({ page, asPersona }) => {
  await asPersona('host', '/apps/reporting?client=10&tab=schedules');
  // Part of the demo.
  await expect(page.getByRole('listitem', { name: 'On day 3', exact: true })).toContainText('manager@alder.example');
  const form = page.getByRole('form', { name: 'New schedule' });
  const send = form.getByRole('button', { name: 'Add schedule' });
  await send.click();
  await expect(form).toContainText('Select at least one recipient.');
  await form.getByRole('combobox', { name: 'Day of month' }).click();
  await page.getByRole('option', { name: 'On day 27' }).click();
  const to = form.getByRole('combobox', { name: 'To' });
  await to.fill('stranger@example.org');
  await to.press('Enter');
  await send.click();
  await expect(page.getByRole('alert').or(form.locator('.Mui-error')).first()).toBeVisible();
  await to.press('Backspace');
  await to.click();
  await page.getByRole('option').first().click();
  await send.click();
  const row = page.getByRole('listitem', { name: 'On day 27' });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Remove schedule on day 27' }).click();
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect(row).toHaveCount(0);
});
