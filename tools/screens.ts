/**
 * `npm run screens`: a screenshot of every route for each permitted persona, light and dark, at 1440, 1024 and 390 px, into the ignored folder
 * `screens`. Arguments filter by name: `npm run screens -- alerts 390`. SCREENS_URL uses a running portal.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { encodeQuery } from '@parapet/contract/query.ts';
import { monthAfter } from '@parapet/contract/rules/billing.ts';
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import { type Browser, chromium, type Page } from '@playwright/test';
import { alertsOf, casesOf, getJson, lastDays, signIn } from '../e2e/api.ts';
import { isPageIdle } from '../e2e/idle.ts';
import { startPortal } from '../e2e/portal.ts';
import { chromiumPath, installE2eTools } from './e2e-tools.ts';
import { requireNode } from './node-version.ts';

requireNode();
const folder = fileURLToPath(new URL('../screens', import.meta.url));
const widths = [1440, 1024, 390];
const modes = ['light', 'dark'] as const;
const words = process.argv.slice(2);

const today = new Date().toISOString().slice(0, 10);
const lastMonth = monthAfter(today.slice(0, 7), -1);
const staff = ['host', 'partnerAnalyst'];
const allPersonas = [...staff, 'manager'];
/** Path, or a function that derives it from the data, such as the newest alert. */
interface Screen {
  name: string;
  personas: string[];
  path: string | ((url: string, token: string) => Promise<string>);
  /** Widths to capture; default all. */
  widths?: number[];
  /** Opens a part of the page before the screenshot. */
  opened?: (page: Page) => Promise<void>;
}

const newestAlert = async (url: string, token: string): Promise<number> =>
  (await alertsOf(url, token, 10, 'severity=critical,high&pageSize=1'))[0]?.id ?? 0;

const newestMalicious = async (url: string, token: string): Promise<string> =>
  `/apps/case/${(await casesOf(url, token, 10, 0, { status: ['malicious'] }))[0]?.id}`;

/** Newest response of all clients, or of the persona's own client if it may not select all. */
async function newestResponse(url: string, token: string): Promise<number> {
  type Found = { results: { id: number }[] };
  const newest = (client: number) => getJson<Found>(url, token, `/response/${client}/${lastDays(360)}?pageSize=1`);
  return (await newest(0).catch(() => newest(10))).results[0]?.id ?? 0;
}

async function ownProfile(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/access-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ accessToken: token }),
  });
  const { user } = (await answer.json()) as { user: { id: number } };
  return `/apps/profile/${user.id}`;
}

async function openSapphire(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ask Sapphire' }).click();
  await page.getByRole('dialog', { name: 'How can Sapphire help you today?' }).waitFor();
}

/** Query of an answer’s link. */
const listOf = (entity: QueryEntity) => encodeQuery({ entity, measure: { kind: 'list' } });

const screens: Screen[] = [
  { name: 'login', personas: ['guest'], path: '/login' },
  {
    name: 'login-refused',
    personas: ['guest'],
    path: '/login',
    opened: async (page) => {
      // Mocked, since a real refusal counts as an attempt.
      await page.route('**/auth/authenticate', (route) =>
        route.fulfill({ status: 400, json: { error: 'Incorrect email address or password.' } }),
      );
      await page.getByRole('textbox', { name: 'Email' }).fill('someone@alder.example');
      await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await page.getByRole('alert').first().waitFor();
      await page.unroute('**/auth/authenticate');
    },
  },
  { name: 'error-404', personas: ['guest', 'manager'], path: '/pages/errors/error-404' },
  { name: 'faq', personas: ['guest', 'manager'], path: '/pages/faq' },
  { name: 'dashboard', personas: allPersonas, path: '/apps/dashboard' },
  { name: 'dashboard-nist', personas: ['manager'], path: '/apps/dashboard?timeframe=lastOneYear&view=nist' },
  { name: 'attack-indicators', personas: allPersonas, path: '/apps/attack-indicators?timeframe=lastSixMonths' },
  { name: 'attack-compared', personas: ['host'], path: '/apps/attack-indicators?show=all&compare=before&sub=1' },
  { name: 'attack-coverage', personas: ['host'], path: '/apps/attack-indicators?tab=coverage' },
  {
    name: 'attack-techniques',
    personas: ['host'],
    path: '/apps/attack-indicators?tab=coverage&q=T1003',
    opened: async (page) => page.getByRole('region', { name: 'Techniques' }).scrollIntoViewIfNeeded(),
  },
  { name: 'attack-controls', personas: ['manager'], path: '/apps/attack-indicators?tab=controls&timeframe=lastOneYear' },
  { name: 'risk-score', personas: allPersonas, path: '/apps/risk-score' },
  { name: 'risk-score-client', personas: ['host'], path: '/apps/risk-score?client=10' },
  { name: 'vulnerability', personas: allPersonas, path: '/apps/vulnerability' },
  { name: 'vulnerability-client', personas: ['host'], path: '/apps/vulnerability?client=10' },
  { name: 'vulnerability-findings', personas: ['host', 'manager'], path: '/apps/vulnerability?client=10&tab=findings' },
  { name: 'vulnerability-devices', personas: ['host'], path: '/apps/vulnerability?client=10&tab=devices' },
  { name: 'vulnerability-advisories', personas: ['host', 'manager'], path: '/apps/vulnerability?client=10&tab=sources' },
  { name: 'reporting', personas: allPersonas, path: '/apps/reporting' },
  { name: 'reporting-client', personas: ['host'], path: '/apps/reporting?client=10' },
  { name: 'reporting-balance', personas: ['host', 'manager'], path: '/apps/reporting?tab=balance' },
  { name: 'reporting-schedules', personas: ['host'], path: '/apps/reporting?client=10&tab=schedules' },
  { name: 'devices', personas: allPersonas, path: '/apps/devices' },
  ...['overview', 'alerts', 'cases', 'activity', 'inventory', 'vulnerabilities', 'configuration', 'timeline'].map((tab) => ({
    name: `device-${tab}`,
    personas: ['host', 'manager'],
    path: `/apps/device/10/ALD-DC-01?tab=${tab}`,
  })),
  { name: 'device-missing', personas: ['manager'], path: '/apps/device/10/nothing' },
  { name: 'agents', personas: allPersonas, path: '/apps/agents?client=10' },
  { name: 'agents-all', personas: staff, path: '/apps/agents?client=0' },
  { name: 'agents-install', personas: allPersonas, path: '/apps/agents?client=10&tab=install' },
  { name: 'agents-versions', personas: ['host', 'manager'], path: '/apps/agents?client=10&tab=releases' },
  { name: 'alerts', personas: allPersonas, path: '/apps/alerts' },
  ...['alerts', 'cases'].map((list) => ({
    name: `${list}-split`,
    personas: ['partnerAnalyst'],
    path: `/apps/${list}?timeframe=lastMonth`,
    widths: [1440],
    opened: (page: Page) => page.getByRole('button', { name: 'Split view' }).click(),
  })),
  { name: 'settings', personas: allPersonas, path: '/apps/settings' },
  { name: 'users', personas: allPersonas, path: '/apps/users' },
  { name: 'profile-own', personas: allPersonas, path: ownProfile },
  { name: 'profile-new', personas: ['host'], path: '/apps/profile?client=10' },
  { name: 'clientdetails-all', personas: staff, path: '/apps/clientdetails/general?client=0' },
  { name: 'clientdetails-create', personas: ['host'], path: '/apps/clientdetails/create/general' },
  { name: 'clientdetails-create-csv', personas: ['host'], path: '/apps/clientdetails/create/general?kind=csv' },
  { name: 'clientdetails-offboarding', personas: ['host'], path: '/apps/clientdetails/offboarding?client=10' },
  ...['general', 'contacts', 'escalation', 'playbook', 'retention'].map((tab) => ({
    name: `clientdetails-${tab}`,
    personas: allPersonas,
    path: `/apps/clientdetails/${tab}?client=10`,
  })),
  { name: 'clientdetails-branding', personas: ['host'], path: '/apps/clientdetails/branding?client=2' },
  { name: 'clientdetails-sign-in', personas: ['host'], path: '/apps/clientdetails/sign-in?client=2' },
  { name: 'clientdetails-ingest-keys', personas: ['host'], path: '/apps/clientdetails/ingest-keys?client=10' },
  { name: 'clientdetails-setup', personas: ['host', 'clientAdmin'], path: '/apps/clientdetails/setup?client=10' },
  { name: 'audit', personas: ['host', 'manager'], path: '/apps/audit' },
  { name: 'accesslog', personas: ['host', 'clientAdmin', 'manager'], path: '/apps/accesslog' },
  { name: 'operations', personas: ['host'], path: '/apps/operations' },
  { name: 'billing', personas: ['host'], path: `/apps/billing?client=0&month=${lastMonth}` },
  { name: 'billing-client', personas: ['host'], path: `/apps/billing?client=20&month=${lastMonth}` },
  { name: 'outbox', personas: ['host', 'manager'], path: '/apps/outbox' },
  { name: 'casereviews', personas: [...staff, 'manager'], path: '/apps/casereviews?timeframe=lastOneYear' },
  { name: 'calibration', personas: ['host'], path: '/apps/casereviews?tab=calibration' },
  { name: 'mailsubscriptions', personas: ['host', 'manager'], path: '/apps/mailsubscriptions' },
  { name: 'settings-notifications', personas: ['manager'], path: '/apps/settings?tab=notifications' },
  { name: 'settings-chat', personas: ['host'], path: '/apps/settings?tab=chat' },
  { name: 'deliveries-on-call', personas: ['host'], path: '/apps/deliveries?tab=oncall&client=2' },
  { name: 'responses', personas: allPersonas, path: '/apps/response?timeframe=lastOneYear' },
  { name: 'response-new', personas: ['host'], path: '/apps/response?client=12&new=1' },
  { name: 'response-rules', personas: ['host'], path: '/apps/response?client=12&tab=rules' },
  { name: 'response-rules-read', personas: ['manager'], path: '/apps/response?tab=rules' },
  { name: 'response-protected', personas: ['host'], path: '/apps/response?client=12&tab=protected' },
  {
    name: 'response',
    personas: ['host', 'manager'],
    path: async (url, token) => `/apps/response/${await newestResponse(url, token)}`,
  },
  { name: 'cases', personas: allPersonas, path: '/apps/cases?timeframe=lastOneYear' },
  { name: 'case', personas: allPersonas, path: newestMalicious },
  {
    name: 'case-closing',
    personas: ['partnerAnalyst'],
    path: newestMalicious,
    opened: async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('heading', { name: 'Still open' }).waitFor();
    },
  },
  { name: 'identities', personas: ['partnerAnalyst'], path: '/apps/identities?client=10' },
  { name: 'rules', personas: staff, path: '/apps/rules?client=10&sort=alerts&order=desc' },
  { name: 'case-grouping', personas: ['host'], path: '/apps/casegrouping' },
  { name: 'rule-packs', personas: ['host'], path: '/apps/rulepacks' },
  { name: 'rules-own', personas: ['partnerAdmin'], path: '/apps/rules?client=0&origin=own&sort=state' },
  {
    name: 'connections-feeds',
    personas: ['host'],
    path: '/apps/devices?client=10&tab=connections',
    opened: async (page) => {
      const feed = page.getByRole('listitem', { name: 'EPSS scores' });
      const turnOn = feed.getByRole('button', { name: 'Turn on EPSS scores' });
      await feed.waitFor();
      if (await turnOn.isVisible()) await turnOn.click();
      await feed.getByText('Last successful read').waitFor();
    },
  },
  {
    name: 'connections-syslog',
    personas: ['clientAdmin'],
    path: '/apps/devices?tab=connections',
    opened: async (page) => {
      await page.getByRole('button', { name: 'Add connection' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Syslog' }).click();
      await page.getByRole('dialog', { name: 'Connect Syslog' }).getByRole('textbox', { name: 'Senders' }).waitFor();
    },
  },
  {
    name: 'connections-consent',
    personas: ['partnerAdmin'],
    path: '/apps/devices?client=10&tab=connections',
    opened: async (page) => {
      await page.getByRole('button', { name: 'Add connection' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Microsoft Entra ID' }).click();
      await page.getByRole('button', { name: 'Ask for consent' }).click();
      await page.getByRole('textbox', { name: 'Tenant ID' }).waitFor();
    },
  },
  {
    name: 'connections-application',
    personas: ['host'],
    path: '/apps/devices?client=10&tab=connections',
    opened: async (page) => {
      await page.getByRole('button', { name: 'Set application' }).click();
      await page.getByRole('textbox', { name: 'Application ID' }).waitFor();
    },
  },
  { name: 'assistants', personas: ['partnerAdmin'], path: '/apps/settings?tab=api-keys' },
  { name: 'webhooks', personas: ['partnerAdmin'], path: '/apps/devices?client=11&tab=webhooks' },
  { name: 'imports', personas: ['clientAdmin'], path: '/apps/devices?tab=imports' },
  { name: 'import-new', personas: ['clientAdmin'], path: '/apps/devices?tab=imports&import=new' },
  { name: 'rule', personas: ['host'], path: '/apps/rule/7a224e68-aed2-430f-a6a2-d0771e1538bd?client=10' },
  { name: 'rule-text', personas: ['host'], path: '/apps/rule/7a224e68-aed2-430f-a6a2-d0771e1538bd?client=10&tab=text' },
  { name: 'rule-clients', personas: ['host'], path: '/apps/rule/7a224e68-aed2-430f-a6a2-d0771e1538bd?client=10&tab=clients' },
  { name: 'exceptions', personas: staff, path: '/apps/exceptions?client=0' },
  { name: 'suppression-new', personas: ['host'], path: '/apps/exceptions?client=10&new=1&device=ALD-WS-028' },
  { name: 'events', personas: allPersonas, path: '/apps/events' },
  { name: 'events-arrived', personas: ['host'], path: `/apps/events?client=10&on=${today}Z&by=arrived` },
  { name: 'events-aside', personas: ['host', 'manager'], path: '/apps/events?tab=aside' },
  { name: 'events-intake', personas: ['host', 'manager'], path: '/apps/events?tab=intake' },
  { name: 'intelligence', personas: ['host'], path: '/apps/intelligence' },
  { name: 'sapphire-questions', personas: ['host', 'manager'], path: '/apps/sapphire' },
  { name: 'sapphire-knowledge', personas: ['host'], path: '/apps/sapphire?client=0&tab=knowledge' },
  { name: 'sapphire-list-synonyms', personas: ['host'], path: '/apps/sapphire?client=10&tab=synonyms' },
  { name: 'sapphire-teachers', personas: ['host'], path: '/apps/sapphire?client=10&tab=teachers' },
  { name: 'sapphire-list-clients', personas: ['host'], path: `/apps/clientdetails/general?client=0&query=${listOf('client')}` },
  {
    name: 'sapphire-list-schedules',
    personas: ['host'],
    path: `/apps/reporting?client=10&tab=schedules&query=${listOf('report')}`,
  },
  { name: 'sapphire-list-aside', personas: ['host'], path: `/apps/events?client=0&tab=aside&query=${listOf('rejected')}` },
  { name: 'sapphire-guest', personas: ['guest'], path: '/pages/faq', opened: openSapphire },
  { name: 'sapphire-open', personas: ['host', 'manager'], path: '/apps/dashboard', opened: openSapphire },
  {
    name: 'sapphire-training',
    personas: ['host'],
    path: '/apps/dashboard',
    opened: async (page) => {
      await openSapphire(page);
      await page.getByRole('button', { name: 'Training form' }).click();
    },
  },
  {
    name: 'sapphire-answer',
    personas: ['host', 'manager'],
    path: '/apps/dashboard',
    opened: async (page) => {
      await openSapphire(page);
      await page.getByRole('textbox', { name: 'Your question' }).fill('Which device is the biggest risk?');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Yes, this helped' }).waitFor();
    },
  },
  { name: 'collection', personas: ['host', 'manager'], path: '/apps/clientconfig/10' },
  { name: 'filebeat', personas: ['host'], path: '/apps/filebeatconfig/10' },
  { name: 'filebeat-text', personas: ['host'], path: '/apps/filebeatconfig/10?tab=text' },
  { name: 'filebeat-versions', personas: ['host'], path: '/apps/filebeatconfig/10?tab=versions' },
  { name: 'winlogbeat', personas: ['host'], path: '/apps/winlogbeatconfig/10' },
  { name: 'packetbeat', personas: ['host'], path: '/apps/packetbeatconfig/10' },
  { name: 'case-answer', personas: ['guest'], path: '/emailCaseAction?caseID=7&action=benign&token=none' },
  { name: 'case-answer-missing', personas: ['guest'], path: '/emailCaseAction' },
  { name: 'unsubscribe', personas: ['guest'], path: '/unsubscribe/none' },
  { name: 'alerts-filtered', personas: ['host'], path: '/apps/alerts?severity=critical,high&timeframe=lastSixMonths' },
  { name: 'alerts-empty', personas: ['manager'], path: '/apps/alerts?text=nothing-has-this-text' },
  { name: 'alert', personas: allPersonas, path: async (url, token) => `/apps/alert/${await newestAlert(url, token)}` },
  { name: 'alert-peek', personas: ['host'], path: async (url, token) => `/apps/alerts?peek=${await newestAlert(url, token)}` },
  { name: 'alert-missing', personas: ['manager'], path: '/apps/alert/2147483647' },
  {
    name: 'clients-open',
    personas: ['host'],
    path: '/apps/dashboard',
    opened: (page) => page.getByRole('combobox', { name: 'Client' }).click(),
  },
  {
    name: 'shortcuts-open',
    personas: ['manager'],
    path: '/apps/dashboard',
    opened: (page) => page.keyboard.press('?'),
  },
  {
    name: 'views-open',
    personas: ['host'],
    path: '/apps/alerts?severity=critical,high',
    opened: async (page) => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('textbox', { name: 'Save current view as' }).waitFor();
    },
  },
  {
    name: 'chart-as-table',
    personas: ['manager'],
    path: '/apps/dashboard?timeframe=lastMonth',
    opened: (page) => page.getByRole('button', { name: /as a table$/ }).click(),
  },
  {
    name: 'tags-open',
    personas: ['partnerAnalyst'],
    path: '/apps/devices/10',
    // Cards have no selection.
    widths: [1440, 1024],
    opened: async (page) => {
      await page.getByRole('checkbox', { name: 'Select row' }).first().check();
      await page.getByRole('button', { name: /^Tag \d/ }).click();
    },
  },
];

interface Setting {
  persona: string;
  mode: (typeof modes)[number];
  width: number;
}

async function takeAll(browser: Browser, url: string): Promise<number> {
  let taken = 0;
  for (const persona of new Set(screens.flatMap((screen) => screen.personas))) {
    const token = persona === 'guest' ? undefined : await signIn(url, persona);
    for (const setting of modes.flatMap((mode) => widths.map((width) => ({ persona, mode, width })))) {
      const wanted = screens.filter((screen) => isWanted(screen, setting));
      if (wanted.length > 0) await take(browser, url, wanted, setting, token);
      taken += wanted.length;
    }
  }
  return taken;
}

async function take(browser: Browser, url: string, wanted: Screen[], { persona, mode, width }: Setting, token?: string) {
  const context = await browser.newContext({
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme: mode,
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  await context.addInitScript((stored) => {
    if (stored) localStorage.setItem('jwt_access_token', stored);
  }, token);
  const page = await context.newPage();
  for (const screen of wanted) {
    // Reset the timeframe between screens.
    await context.clearCookies();
    await page.goto(url + (typeof screen.path === 'string' ? screen.path : await screen.path(url, token ?? '')));
    // Overlays on narrow pages hide it.
    await page.getByRole('main').or(page.getByRole('dialog')).first().waitFor();
    await isPageIdle(page);
    await screen.opened?.(page);
    await isPageIdle(page);
    await page.screenshot({ path: `${folder}/${screen.name}-${persona}-${mode}-${width}.png`, fullPage: width === 390 });
  }
  await context.close();
}

function isWanted(screen: Screen, { persona, mode, width }: Setting): boolean {
  const parts = [screen.name, persona, mode, String(width)];
  const isNamed = words.every((word) => parts.some((part) => part.startsWith(word)));
  return isNamed && screen.personas.includes(persona) && (screen.widths ?? widths).includes(width);
}

await installE2eTools();
if (words.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const portal = process.env.SCREENS_URL ? undefined : await startPortal();
const executablePath = chromiumPath();
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  console.log(`${await takeAll(browser, portal?.url ?? (process.env.SCREENS_URL as string))} pictures in ${folder}`);
} finally {
  await browser.close();
  await portal?.stop();
}
