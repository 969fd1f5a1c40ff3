/** The alert list and the alert page. */
import type { Locator, Page } from '@playwright/test';
import { alertOf, alertsOf } from './api.ts';
import { expect, portal, test, tokenOf } from './fixtures.ts';
import { ingestKey } from './portal.ts';

/** A past month: no alert is raised in it while the journeys run. */
const lastMonth = 'timeframe=lastMonth';

const rowsOf = (page: Page) =>
  page
    .getByRole('grid', { name: 'Alerts' })
    .getByRole('row')
    .filter({ has: page.getByRole('link') });
const facetsOf = (page: Page) => page.getByRole('complementary', { name: 'Filters' });
const pagesOf = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const chipsOf = (page: Page) => page.getByRole('list', { name: 'Filters in use' });
const pathOf = async (link: Locator) => new URL((await link.getAttribute('href')) ?? '', portal.url).pathname;
const hrefOf = (row: Locator) => pathOf(row.getByRole('link').first());
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

/** The total in the list’s pager. */
async function totalOf(page: Page): Promise<number> {
  const text = await pagesOf(page)
    .getByText(/ of [\d,]+/)
    .textContent();
  return Number(/ of ([\d,]+)/.exec(text ?? '')?.[1]?.replaceAll(',', ''));
}

async function openList(page: Page) {
  await expect(heading(page, /^Alerts/)).toBeVisible();
  await expect(rowsOf(page).first()).toBeVisible();
}

test('a figure opens its alerts, with the same number in facet, list and address', async ({ page, asPersona }) => {
  await asPersona('host', `/apps/alerts?${lastMonth}`);
  await openList(page);
  const figure = page.getByRole('main').getByRole('link', { name: /^High [\d,]+/ });
  const count = Number(
    /^High ([\d,]+)/.exec((await figure.textContent())?.replace(/(\D)(\d)/, '$1 $2').replace(/\s+/g, ' ') ?? '')?.[1],
  );
  await figure.click();
  await expect(page).toHaveURL(/severity=high/);
  await expect(facetsOf(page).getByRole('checkbox', { name: /^High/ })).toBeChecked();
  await expect(chipsOf(page).getByText('High')).toBeVisible();
  await expect.poll(() => totalOf(page)).toBe(count);
  for (const row of await rowsOf(page).all())
    await expect(row.getByRole('gridcell', { name: 'High', exact: true })).toBeVisible();
});

test('an analyst filters by facet step by step in the address, and Back removes the filters', async ({ page, asPersona }) => {
  await asPersona('partnerAnalyst', `/apps/alerts?${lastMonth}`);
  await openList(page);
  const all = await totalOf(page);
  await facetsOf(page)
    .getByRole('checkbox', { name: /^Medium/ })
    .check();
  await expect.poll(() => queryOf(page)).toEqual({ timeframe: 'lastMonth', severity: 'medium' });
  await expect.poll(() => totalOf(page)).toBeLessThan(all);
  const medium = await totalOf(page);
  const device = facetsOf(page).getByRole('group', { name: 'Device' }).getByRole('checkbox').first();
  await device.check();
  await expect.poll(() => queryOf(page)).toMatchObject({ severity: 'medium', device: expect.any(String) });
  await expect.poll(() => totalOf(page)).toBeLessThan(medium);
  const both = await totalOf(page);
  const name = queryOf(page).device as string;
  await expect(rowsOf(page).first()).toContainText(name);

  // The copied address shows the same list.
  await page.reload();
  await openList(page);
  expect(await totalOf(page)).toBe(both);
  await expect(chipsOf(page).getByText(name)).toBeVisible();

  await page.goBack();
  await expect.poll(() => totalOf(page)).toBe(medium);
  await page.goForward();
  await expect.poll(() => totalOf(page)).toBe(both);
  await chipsOf(page).getByRole('button', { name: 'Remove filter Severity Medium' }).click();
  await expect.poll(() => queryOf(page)).toEqual({ timeframe: 'lastMonth', device: name });
  await chipsOf(page).getByRole('button', { name: 'Clear all' }).click();
  await expect.poll(() => totalOf(page)).toBe(all);
  expect(queryOf(page)).toEqual({ timeframe: 'lastMonth' });
});

test('a host sorts and pages on the server, with both in the address', async ({ page, asPersona }) => {
  await asPersona('host', `/apps/alerts?${lastMonth}`);
  await openList(page);
  const total = await totalOf(page);
  const severity = page.getByRole('columnheader', { name: 'Severity' });
  await severity.click();
  await expect(page).toHaveURL(/sort=criticality/);
  await expect(severity).toHaveAttribute('aria-sort', 'descending');
  await expect(rowsOf(page).first().getByRole('gridcell', { name: 'Critical', exact: true })).toBeVisible();
  await severity.click();
  await expect(page).toHaveURL(/order=asc/);
  await expect(rowsOf(page).first().getByRole('gridcell', { name: 'Informational', exact: true })).toBeVisible();

  const text = total.toLocaleString('en-US');
  await expect(pagesOf(page).getByText(`1–50 of ${text}`)).toBeVisible();
  const first = await hrefOf(rowsOf(page).first());
  await pagesOf(page).getByRole('button', { name: 'Next page' }).click();
  await expect(pagesOf(page).getByText(`51–100 of ${text}`)).toBeVisible();
  expect(queryOf(page)).toEqual({ timeframe: 'lastMonth', sort: 'criticality', order: 'asc', page: '2' });
  await expect.poll(() => hrefOf(rowsOf(page).first())).not.toBe(first);
  await page.reload();
  await expect(pagesOf(page).getByText(`51–100 of ${text}`)).toBeVisible();
  await page.goBack();
  await expect.poll(() => hrefOf(rowsOf(page).first())).toBe(first);
  await pagesOf(page).getByRole('combobox', { name: 'Rows per page' }).selectOption('100');
  await expect(pagesOf(page).getByText(`1–100 of ${text}`)).toBeVisible();
  expect(queryOf(page)).toMatchObject({ pageSize: '100' });
  await page.goto(`/apps/alerts?${lastMonth}&page=9999`);
  await expect(page.getByText('Page not found')).toBeVisible();
  await page.getByRole('button', { name: 'Go to first page' }).click();
  await openList(page);
});

test('a row opens in the side panel, the keys move it, Enter opens the page and Back returns to the row', async ({
  page,
  asPersona,
}) => {
  await asPersona('host', `/apps/alerts?${lastMonth}&severity=critical,high`);
  await openList(page);
  const [first, second] = [await hrefOf(rowsOf(page).nth(0)), await hrefOf(rowsOf(page).nth(1))];
  const numberOf = (href: string) => href.split('/').at(-1) as string;
  const panelOf = (href: string) => page.getByRole('complementary', { name: `Alert ${numberOf(href)}` });

  await rowsOf(page)
    .first()
    .getByRole('gridcell', { name: /Critical|High/ })
    .click();
  await expect(panelOf(first).getByRole('heading', { name: 'Why it matched' })).toBeVisible();
  expect(queryOf(page)).toMatchObject({ peek: numberOf(first) });
  await page.keyboard.press('j');
  await expect(panelOf(second).getByRole('heading', { name: 'Why it matched' })).toBeVisible();
  await expect(panelOf(first)).toHaveCount(0);
  await page.keyboard.press('k');
  await expect(panelOf(first)).toBeVisible();
  // The address shows the same to another user.
  await page.reload();
  await openList(page);
  await expect(panelOf(first).getByRole('heading', { name: 'Why it matched' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panelOf(first)).toHaveCount(0);
  expect(queryOf(page)).toEqual({ timeframe: 'lastMonth', severity: 'critical,high' });

  const cellOf = (row: number) => rowsOf(page).nth(row).getByRole('gridcell').nth(1);
  await page.keyboard.press('j');
  await expect(cellOf(0)).toBeFocused();
  await page.keyboard.press('j');
  await expect(cellOf(1)).toBeFocused();
  await page.keyboard.press('x');
  await expect(rowsOf(page).nth(1).getByRole('checkbox')).toBeChecked();
  await expect(page.getByText('1 selected').last()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy', exact: true })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(({ pathname }) => pathname === second);
  await expect(page.getByRole('heading', { name: 'Why it matched' })).toBeVisible();

  await page.goBack();
  await openList(page);
  expect(queryOf(page)).toEqual({ timeframe: 'lastMonth', severity: 'critical,high' });
  await expect(cellOf(1)).toBeFocused();
});

test('an analyst reads an alert’s match explanation, ATT&CK techniques, related alerts and raw event', async ({
  page,
  asPersona,
}) => {
  const token = tokenOf('analyst');
  const rows = await alertsOf(portal.url, token, 10, 'severity=critical,high&pageSize=50');
  const details = await Promise.all(rows.slice(0, 20).map((row) => alertOf(portal.url, token, row.id)));
  const detail = details.find(
    (each) => each.related.device.length > 0 && each.techniques.length > 0 && each.why.length > 0 && each.events.length > 0,
  );
  if (!detail) throw new Error('The world has no alert with everything.');

  await asPersona('analyst', `/apps/alert/${detail.id}`);
  await expect(heading(page, detail.rule)).toBeVisible();
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText(detail.description.slice(0, 40));
  const why = page.getByRole('region', { name: 'Why it matched' });
  const reason = detail.why[0];
  await expect(why.getByRole('listitem').first()).toContainText(reason?.field ?? 'any field');
  await expect(why).toContainText('Condition');

  const technique = detail.techniques[0];
  const away = page.getByRole('region', { name: 'ATT&CK' }).getByRole('link').first();
  await expect(away).toContainText(technique?.id ?? '');
  await expect(away).toHaveAttribute('href', /^https:\/\/attack\.mitre\.org\/techniques\/T\d{4}/);
  await expect(away).toHaveAttribute('rel', /noreferrer/);

  // The complete raw event: each field is searchable.
  const tree = page.getByRole('tree').first();
  await expect(tree.getByRole('treeitem').nth(3)).toBeVisible();
  const find = page.getByRole('searchbox', { name: /^Find in/ }).first();
  await find.fill('@timestamp');
  await expect(page.getByRole('status').filter({ hasText: /^1 of/ })).toBeVisible();
  await expect(tree.getByRole('treeitem').filter({ hasText: '@timestamp' })).toBeVisible();

  const other = detail.related.device[0];
  const related = page.getByRole('region', { name: 'Also on this device' });
  await related
    .getByRole('link', { name: other?.rule ?? '' })
    .first()
    .click();
  await expect(page).toHaveURL(({ pathname }) => pathname === `/apps/alert/${other?.id}`);
  await expect(heading(page, other?.rule ?? '')).toBeVisible();
  // Opens the device’s alert list and returns.
  await page.getByRole('region', { name: 'Also on this device' }).getByRole('link', { name: 'View all' }).click();
  await openList(page);
  expect(queryOf(page)).toMatchObject({ device: detail.deviceName });
  await page.goBack();
  await expect(page).toHaveURL(({ pathname }) => pathname === `/apps/alert/${other?.id}`);
});

test('the alert page leads back to the list in its previous state', async ({ page, asPersona }) => {
  await asPersona('host', `/apps/alerts/10?${lastMonth}&severity=medium&sort=rule`);
  await openList(page);
  const title = rowsOf(page).nth(2).getByRole('link');
  const href = await pathOf(title);
  await title.click();
  await expect(page).toHaveURL(({ pathname }) => pathname === href);
  await page.getByRole('main').getByRole('link', { name: 'Alerts', exact: true }).click();
  await openList(page);
  await expect(page).toHaveURL(`/apps/alerts/10?${lastMonth}&severity=medium&sort=rule`);
});

test('the search finds alerts by words and by number, and shows when nothing matches', async ({ page, asPersona }) => {
  await asPersona('manager', `/apps/alerts?${lastMonth}`);
  await openList(page);
  const href = await hrefOf(rowsOf(page).nth(4));
  const search = page.getByRole('searchbox', { name: 'Search alerts' });
  await search.fill(`#${href.split('/').at(-1)}`);
  await expect.poll(() => totalOf(page)).toBe(1);
  expect(await hrefOf(rowsOf(page).first())).toBe(href);
  await search.fill('nothing has this text');
  await expect(page.getByText('No matching alerts')).toBeVisible();
  await expect(page).toHaveURL(/text=nothing/);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await openList(page);
  await expect(search).toHaveValue('');
});

test('the address accepts a client’s number or a device’s name in the same segment', async ({ page, asPersona }) => {
  const [row] = (await alertsOf(portal.url, tokenOf('host'), 10, 'severity=critical,high&pageSize=20')).filter(
    (each) => each.deviceName,
  );
  const device = row?.deviceName as string;
  await asPersona('host', `/apps/alerts/10?timeframe=lastOneYear`);
  await openList(page);
  await expect(page.getByRole('combobox', { name: 'Client' })).toHaveValue('Alder Manufacturing');
  await expect(heading(page, 'Alerts')).toBeVisible();

  await page.goto(`/apps/alerts/${encodeURIComponent(device)}?timeframe=lastOneYear`);
  await expect(heading(page, `Alerts of ${device}`)).toBeVisible();
  await expect(rowsOf(page).first()).toBeVisible();
  for (const each of await rowsOf(page).all()) await expect(each).toContainText(device);

  // A number outside the user’s clients is read as a device name.
  await page.goto('/apps/alerts/77');
  await expect(heading(page, 'Alerts of 77')).toBeVisible();
  await expect(page.getByText(/^No alerts/)).toBeVisible();
});

test('a missing alert and another tenant’s alert show the same page', async ({ page, asPersona }) => {
  const [foreign] = await alertsOf(portal.url, tokenOf('host'), 20, 'pageSize=1');
  const shown: string[] = [];
  for (const id of [foreign?.id ?? 0, 2_147_483_647]) {
    await (shown.length === 0 ? asPersona('manager', `/apps/alert/${id}`) : page.goto(`/apps/alert/${id}`));
    await expect(page.getByText(`Alert ${id} not found`)).toBeVisible();
    await expect(page.getByRole('link', { name: 'Back to alerts' })).toBeVisible();
    shown.push((await page.getByRole('main').ariaSnapshot()).replaceAll(String(id), 'N'));
  }
  expect(shown[0]).toBe(shown[1]);
  await page.goto('/apps/alert/not-a-number');
  await expect(page.getByText('Invalid alert number')).toBeVisible();
});

test('a section that fails to load shows its error in place, and the others stay', async ({ page, asPersona }) => {
  const failing = '**/api/v1/alerts/alertList/**';
  await page.route(failing, (route) => route.fulfill({ status: 500, json: { error: 'The list broke.' } }));
  await asPersona('manager', `/apps/alerts?${lastMonth}`);
  const error = page.getByRole('alert').filter({ hasText: 'Couldn’t load alerts.' });
  await expect(error).toBeVisible();
  await expect(error).toContainText('The list broke.');
  await expect(facetsOf(page).getByRole('checkbox', { name: /^High/ })).toBeVisible();
  await page.unroute(failing);
  await error.getByRole('button', { name: 'Retry' }).click();
  await openList(page);
});

test('text from attackers renders as text, with hidden characters as marks', async ({ page, asPersona }) => {
  const key = await ingestKey(portal, 10);
  const host = `hostile-${Date.now().toString(36)}`;
  const html = '<img src=x onerror=alert(1)>';
  const command = `/tmp/${html}\u001b[31mred\u001b[0m\u202egnp.exe`;
  const event = {
    '@timestamp': new Date().toISOString(),
    host,
    programname: 'sudo',
    message: `${html} : user NOT in sudoers ; TTY=pts/0 ; PWD=/tmp ; USER=root ; COMMAND=${command}`,
    [`<b>${host}</b>`]: '<script>alert(2)</script>',
  };
  const answer = await fetch(`${portal.url}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `{"create":{"_index":"syslog"}}\n${JSON.stringify(event)}\n`,
  });
  expect(await answer.json()).toMatchObject({ errors: false });

  page.on('dialog', (dialog) => {
    throw new Error(`A script of an event ran: ${dialog.message()}`);
  });
  await asPersona('analyst', `/apps/alerts?text=${host}`);
  const row = rowsOf(page).filter({ hasText: host }).first();
  await expect(row).toContainText(html);
  await expect(row.getByTitle('U+202E RIGHT-TO-LEFT OVERRIDE').first()).toBeAttached();
  await row.getByRole('link').click();
  await expect(page.getByRole('region', { name: 'What happened' })).toContainText(html);
  const tree = page.getByRole('tree').first();
  await expect(tree.getByText('<script>alert(2)</script>')).toBeVisible();
  await expect(tree.getByText(`<b>${host}</b>`)).toBeVisible();
  await expect(tree.getByTitle('U+001B ESC').first()).toBeVisible();
  await expect(tree.getByTitle('U+202E RIGHT-TO-LEFT OVERRIDE').first()).toBeVisible();
  expect(await page.evaluate(() => document.images.length)).toBe(0);
});
