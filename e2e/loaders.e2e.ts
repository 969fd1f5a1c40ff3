/** Loaders of routes: a page’s first requests are sent while its code loads, each once, and no answer outlives its session. */
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import type { Page, Request, Route } from '@playwright/test';
import { alertsOf, casesOf } from './api.ts';
import { expect, type JourneyPersona, ownTokenOf, portal, test, tokenOf } from './fixtures.ts';
import { isPageIdle } from './idle.ts';

const loaders = /\/assets\/[\w-]+\.loader-[\w-]+\.js$/;
/** Streams stay open, every visit renews its token, and the shell reads the reason for access again after a sensitive view. */
const isCall = (request: Request) =>
  /\/api\/(?!v1\/(auth|accessreason)\b)/.test(request.url()) && request.headers().accept !== 'text/event-stream';
const nameOf = (request: Request) =>
  `${request.method()} ${decodeURIComponent(request.url().replace(portal.url, ''))} ${request.postData() ?? ''}`;

/** Visits a page and returns its calls once all are complete. */
async function callsOf(page: Page, path: string): Promise<string[]> {
  const calls: string[] = [];
  const open = new Set<Request>();
  const begin = (request: Request) => {
    if (!isCall(request)) return;
    calls.push(nameOf(request));
    open.add(request);
  };
  const end = (request: Request) => void open.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  await isPageIdle(page);
  await expect.poll(() => open.size).toBe(0);
  page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  return calls;
}

const oneYear = 'timeframe=lastOneYear';
const visits: Record<string, [persona: JourneyPersona, paths: string[]]> = {
  lists: ['host', ['dashboard', `alerts/0?${oneYear}&severity=high&page=2`, 'alerts/ALD-DC-01', 'cases/10?status=open']],
  assets: [
    'host',
    [
      'devices/10?type=workstation',
      'devices/10?tab=connections',
      'users?client=0&sort=role',
      'agents?client=10&text=a',
      'device/10/ALD-DC-01',
    ],
  ],
  analysis: [
    'host',
    ['risk-score?client=0', 'risk-score?client=10', 'attack-indicators?tab=controls', 'vulnerability?client=10'],
  ],
  reports: ['host', ['reporting?client=10', 'reporting?client=2', 'reporting?tab=balance', 'vulnerability?tab=findings']],
  billing: ['host', ['billing?client=0', 'billing?client=10']],
  casework: [
    'host',
    [
      'response?client=0',
      'response?client=12&tab=rules',
      `casereviews?${oneYear}`,
      'exceptions?client=0',
      'suppressions',
      'rules?client=10',
      'rule/7a224e68-aed2-430f-a6a2-d0771e1538bd?client=10',
      'events',
    ],
  ],
  administration: [
    'host',
    [
      'audit?client=0',
      'outbox',
      'operations',
      'mailsubscriptions',
      'deliveries',
      'deliveries?tab=rules',
      'intelligence',
      'sapphire?client=0',
    ],
  ],
  organisations: ['host', ['clientdetails/general?client=10', 'profile/1', 'profile?client=10', 'filebeatconfig/10']],
  'what an analyst may read': ['analyst', ['events?tab=intake', 'settings?tab=sign-ins', 'filebeatconfig', 'audit']],
  'what a manager may read': ['manager', ['dashboard', 'users', 'outbox', 'casereviews', 'suppressions', 'sapphire', 'events']],
};

/** The others are surveyed. */
const frequent = ['lists'];
for (const [what, [persona, paths]] of Object.entries(visits)) {
  test(`sends the calls of a visit once, the same with and without loaders: ${what}`, {
    tag: frequent.includes(what) ? [] : ['@survey'],
  }, async ({ page, asPersona }) => {
    test.slow();
    // Timeframes end at the present five minutes, the same in both visits.
    await page.clock.setFixedTime(new Date());
    await asPersona(persona, '/pages/faq');
    await callsOf(page, '/pages/faq');
    for (const path of paths) {
      // Without its loader a page sends its calls itself.
      await page.route(loaders, (route) => route.abort());
      const expected = await callsOf(page, `/apps/${path}`);
      await page.unroute(loaders);
      const sent = await callsOf(page, `/apps/${path}`);
      expect(sent.sort(), path).toEqual(expected.sort());
      expect(new Set(sent).size, path).toBe(sent.length);
    }
  });
}

test('sends the calls of alerts and cases before their pages’ code has come', async ({ page, asPersona }) => {
  const [alert] = await alertsOf(portal.url, tokenOf('host'), 10, 'severity=high&pageSize=1');
  const results = await casesOf(portal.url, tokenOf('host'), 10);
  for (const [path, code, call] of [
    [`/apps/alerts/10?${oneYear}`, /\/AlertsPage-/, /\/alerts\/alertList\/10\//],
    [`/apps/alert/${alert?.id}`, /\/AlertPage-/, new RegExp(`/alerts/${alert?.id}$`)],
    [`/apps/cases/10?${oneYear}`, /\/CasesPage-/, /\/case\/caseList$/],
    [`/apps/case/${results[0]?.id}`, /\/CasePage-/, new RegExp(`/casedetails/${results[0]?.id}/\\d+$`)],
  ] as const) {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(code, async (route) => {
      await held;
      await route.continue();
    });
    const prefetched = page.waitForRequest((request) => isCall(request) && call.test(new URL(request.url()).pathname));
    await asPersona('host', path);
    await prefetched;
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0);
    release();
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
    await page.unroute(code);
  }
});

test('shows a page with its skeleton while the calls of its loader are under way', async ({ page, asPersona }) => {
  const list = /\/users\/\d+\?/;
  await page.route(list, () => {});
  await asPersona('host', '/apps/users?client=10');
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await expect(page.locator('[data-bone], [aria-busy=true]').first()).toBeAttached();
});

test('shows the rows of a visit’s first list as text until the grid is there', async ({ page, asPersona }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/assets\/TableGrid-/, async (route) => {
    await held;
    await route.continue();
  });
  // Both from the same response: a device that falls silent in between moves its row.
  const answers = new Map<string, ReturnType<Route['fetch']>>();
  await page.route(/\/api\/v1\/devices\/10\//, async (route) => {
    const url = route.request().url();
    const answer = answers.get(url) ?? route.fetch();
    answers.set(url, answer);
    await route.fulfill({ response: await answer });
  });
  await asPersona('host', '/apps/devices?client=10');
  const text = page.locator('[inert]').filter({ hasText: 'ALD-DC-01' });
  await expect(text).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(0);
  const before = await text.getByText('ALD-DC-01', { exact: true }).boundingBox();
  release();
  const row = page.getByRole('row').filter({ hasText: 'ALD-DC-01' });
  await expect(row).toBeVisible();
  await expect(text).toHaveCount(0);
  // In the same place.
  const after = await row.getByText('ALD-DC-01', { exact: true }).boundingBox();
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
});

test('shows nothing of the user before after a sign-out and another sign-in', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/devices', await ownTokenOf('clientAdmin'));
  const ofAlder = page.getByText(/^ALD-/);
  await expect(ofAlder.first()).toBeVisible();
  await page.getByRole('button', { name: 'User menu of Ruth Aldana' }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(personaOf('otherClientAdmin').email);
  await page.getByRole('textbox', { name: 'Password' }).fill(personaPassword);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible();

  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/devices\/11\//, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Data Sources', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Data Sources', level: 1 })).toBeVisible();
  await expect(ofAlder).toHaveCount(0);
  release();
  await expect(page.getByText(/^BIR-/).first()).toBeVisible();
  await expect(ofAlder).toHaveCount(0);
});
