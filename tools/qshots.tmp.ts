import { mkdir } from 'node:fs/promises';
import { chromium } from '@playwright/test';
import { signIn, send, alertsOf } from '../e2e/api.ts';
import { isPageIdle } from '../e2e/idle.ts';
import { chromiumPath } from './e2e-tools.ts';
const url = 'http://127.0.0.1:18500';
const only = process.argv.slice(2);
const out = '/tmp/q-fresh/shots';
await mkdir(out, { recursive: true });
const host = await signIn(url, 'host');
const cases = (await (await send(url, host, '/case/caseList/', { selectedClientOrganizationID: 0, start: new Date(0).toISOString(), end: new Date().toISOString(), sort: 'criticality' })).json()).results as any[];
const big = [...cases].sort((a, b) => b.alertCount - a.alertCount)[0].id;
const own = (await (await send(url, host, '/case/caseList/', { selectedClientOrganizationID: 10, start: new Date(0).toISOString(), end: new Date().toISOString(), sort: 'criticality' })).json()).results[0].id;
const alert = (await alertsOf(url, host, 10, 'severity=critical,high&pageSize=1'))[0]!.id;
const pages: Record<string, [string, string[]]> = {
  dashboard: ['/apps/dashboard', ['host', 'partnerAnalyst', 'manager']],
  alerts: ['/apps/alerts', ['host', 'partnerAnalyst', 'manager']],
  alert: [`/apps/alert/${alert}`, ['partnerAnalyst', 'manager']],
  cases: ['/apps/cases?timeframe=lastMonth', ['partnerAnalyst', 'manager']],
  case: [`/apps/case/${own}`, ['partnerAnalyst', 'manager']],
  casebig: [`/apps/case/${big}`, ['host']],
  caseartifacts: [`/apps/case/${own}?tab=artifacts`, ['partnerAnalyst']],
  casetimeline: [`/apps/case/${own}?tab=timeline`, ['partnerAnalyst']],
  casetasks: [`/apps/case/${own}?tab=tasks`, ['partnerAnalyst']],
  attack: ['/apps/attack-indicators?timeframe=lastSixMonths', ['partnerAnalyst', 'manager']],
  risk: ['/apps/risk-score', ['host', 'manager']],
  vulnerability: ['/apps/vulnerability', ['host', 'manager']],
  devices: ['/apps/devices', ['partnerAnalyst', 'manager']],
  device: ['/apps/device/10/ALD-DC-01', ['partnerAnalyst']],
  agents: ['/apps/agents?client=10', ['host', 'manager']],
  response: ['/apps/response?timeframe=lastOneYear', ['partnerAnalyst', 'manager']],
  identities: ['/apps/identities?client=10', ['partnerAnalyst']],
  suppressions: ['/apps/suppressions', ['partnerAnalyst']],
  events: ['/apps/events', ['partnerAnalyst', 'manager']],
  reviews: ['/apps/casereviews?timeframe=lastOneYear', ['partnerAnalyst']],
  reporting: ['/apps/reporting', ['host', 'manager']],
  users: ['/apps/users', ['host', 'manager']],
  clients: ['/apps/clientdetails/general?client=0', ['host']],
  clientnew: ['/apps/clientdetails/create/general', ['host']],
  clientsetup: ['/apps/clientdetails/setup?client=10', ['host']],
  offboarding: ['/apps/clientdetails/offboarding?client=10', ['host']],
  settings: ['/apps/settings', ['host', 'manager']],
  audit: ['/apps/audit', ['host']],
  outbox: ['/apps/outbox', ['host']],
  retention: ['/apps/clientdetails/retention?client=10', ['host', 'manager']],
  sapphire: ['/apps/sapphire', ['host', 'manager']],
  login: ['/login', ['guest']],
};
const forms = { w: { width: 1440, height: 900, scale: 1 }, n: { width: 390, height: 844, scale: 1 }, z: { width: 720, height: 450, scale: 2 } };
const executablePath = chromiumPath();
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox', '--disable-gpu'] });
const tokens = new Map<string, string>();
for (const [name, [path, personas]] of Object.entries(pages))
  for (const persona of personas)
    for (const [form, { width, height, scale }] of Object.entries(forms)) {
      const id = `${name}-${persona}-${form}`;
      if (only.length && !only.some((word) => new RegExp(word).test(id))) continue;
      if (persona !== 'guest' && !tokens.has(persona)) tokens.set(persona, await signIn(url, persona));
      const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' });
      const page = await context.newPage();
      const token = tokens.get(persona);
      if (token) await page.addInitScript((t) => localStorage.setItem('jwt_access_token', t), token);
      try {
        await page.goto(url + path);
        await isPageIdle(page).catch(() => {});
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
        await page.screenshot({ path: `${out}/${id}.png` });
        if (form === 'n') {
          const h = await page.evaluate(() => document.documentElement.scrollHeight);
          await page.setViewportSize({ width, height: Math.min(h, 2600) });
          await page.waitForTimeout(300);
          await page.screenshot({ path: `${out}/${id}-long.png` });
        }
        console.log(id, wide ? 'SCROLLS SIDEWAYS' : '');
      } catch (error) { console.log(id, String(error).slice(0, 100)); }
      await context.close();
    }
await browser.close();
