/**
 * `npm run screens`: a picture of every route as every fitting persona, light and dark, at 1440, 1024 and 390 px, into the ignored folder
 * `screens`. With words after it, only pictures that fit all of them: `npm run screens -- alerts 390`. SCREENS_URL uses a portal that runs.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import { type Browser, chromium } from '@playwright/test';
import { startPortal } from '../e2e/portal.ts';
import { bringJourneyTools, chromiumPath } from './journey-tools.ts';
import { requireNode } from './node-version.ts';

requireNode();
const folder = fileURLToPath(new URL('../screens', import.meta.url));
const widths = [1440, 1024, 390];
const modes = ['light', 'dark'] as const;
const words = process.argv.slice(2);

const staff = ['host', 'partnerAnalyst'];
const everybody = [...staff, 'manager'];
/** An address may depend on what is there, such as the newest alert. */
interface Screen {
  name: string;
  personas: string[];
  path: string | ((call: <T>(path: string) => Promise<T>) => Promise<string>);
}

const lastMonths = () => `${new Date(Date.now() - 90 * 86_400_000).toISOString()}/${new Date(Date.now() + 60_000).toISOString()}`;

const screens: Screen[] = [
  { name: 'login', personas: ['guest'], path: '/login' },
  { name: 'error-404', personas: ['guest', 'manager'], path: '/pages/errors/error-404' },
  { name: 'faq', personas: ['guest', 'manager'], path: '/pages/faq' },
  { name: 'dashboard', personas: everybody, path: '/apps/dashboard' },
  { name: 'devices', personas: everybody, path: '/apps/devices' },
  { name: 'alerts', personas: everybody, path: '/apps/alerts' },
  { name: 'alerts-filtered', personas: ['host'], path: '/apps/alerts?severity=critical,high&timeframe=lastSixMonths' },
  { name: 'alerts-empty', personas: ['manager'], path: '/apps/alerts?text=nothing-has-this-text' },
  {
    name: 'alert',
    personas: everybody,
    path: async (call) => {
      const { results } = await call<{ results: { id: number }[] }>(
        `/alerts/alertList/10/${lastMonths()}?severity=critical,high&pageSize=1`,
      );
      return `/apps/alert/${results[0]?.id}`;
    },
  },
  { name: 'alert-missing', personas: ['manager'], path: '/apps/alert/2147483647' },
];

async function tokenOf(url: string, persona: string): Promise<string | undefined> {
  if (persona === 'guest') return undefined;
  const answer = await fetch(`${url}/api/v1/auth/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: personaOf(persona).email, password: personaPassword }),
  });
  if (!answer.ok) throw new Error(`${persona}: ${await answer.text()}`);
  return ((await answer.json()) as { user: { accessToken: string } }).user.accessToken;
}

async function take(browser: Browser, url: string): Promise<number> {
  let taken = 0;
  for (const persona of [...new Set(screens.flatMap((screen) => screen.personas))]) {
    const token = await tokenOf(url, persona);
    const call = async <T>(path: string): Promise<T> => {
      const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
      if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      return (await answer.json()) as T;
    };
    for (const mode of modes) {
      for (const width of widths) {
        const wanted = screens.filter(
          (screen) => screen.personas.includes(persona) && isWanted(`${screen.name} ${persona} ${mode} ${width}`),
        );
        if (wanted.length === 0) continue;
        const context = await browser.newContext({
          viewport: { width, height: width === 390 ? 844 : 900 },
          colorScheme: mode,
          timezoneId: 'UTC',
          locale: 'en-GB',
        });
        await context.addInitScript(
          ({ stored, scheme }) => {
            if (stored) localStorage.setItem('jwt_access_token', stored);
            localStorage.setItem('mui-mode', scheme);
          },
          { stored: token, scheme: mode },
        );
        const page = await context.newPage();
        for (const screen of wanted) {
          await page.goto(url + (typeof screen.path === 'string' ? screen.path : await screen.path(call)));
          await page.waitForLoadState('load');
          // Skeletons and entry motions are over when nothing is busy any more.
          await page
            .waitForFunction(() => !document.querySelector('[aria-busy="true"], .MuiSkeleton-root'), undefined, {
              timeout: 15_000,
            })
            .catch(() => {});
          await page.waitForTimeout(400);
          await page.screenshot({ path: `${folder}/${screen.name}-${persona}-${mode}-${width}.png`, fullPage: width === 390 });
          taken++;
        }
        await context.close();
      }
    }
  }
  return taken;
}

const isWanted = (name: string): boolean =>
  words.every((word) => name.split(' ').some((part) => part === word || part.startsWith(word)));

await bringJourneyTools();
if (words.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const portal = process.env.SCREENS_URL ? undefined : await startPortal();
const executablePath = chromiumPath();
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  console.log(`${await take(browser, portal?.url ?? (process.env.SCREENS_URL as string))} pictures in ${folder}`);
} finally {
  await browser.close();
  await portal?.stop();
}
