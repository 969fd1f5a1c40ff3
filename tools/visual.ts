/**
 * `npm run visual`: compares key screens with the committed pictures in `e2e/pictures`, rendered from one recorded world at a
 * fixed time. Writes the current screen and the difference to the ignored folder `screens/visual`. `UPDATE=1 npm run visual`
 * records the world and renews the pictures: review them before committing. Arguments filter screens by name.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page, type Route } from '@playwright/test';
import sharp from 'sharp';
import { alertsOf, signIn } from '../e2e/api.ts';
import { isPageIdle } from '../e2e/idle.ts';
import { type Portal, startPortal } from '../e2e/portal.ts';
import { buildWebWhenNeeded } from './build-web.ts';
import { chromiumPath, installE2eTools } from './e2e-tools.ts';
import { requireNode } from './node-version.ts';
import { answerOf, bodyOf, keyOf, outdatedIn, readWorld, type World, writeWorld } from './visual.answers.ts';
import { differenceOf, drawnDifference, isAlike, type Picture } from './visual.compare.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'packages/web/dist');
const pictures = join(root, 'e2e/pictures');
const found = join(root, 'screens/visual');
const worldFile = join(pictures, 'world.json');
/** Unused origin: every request is intercepted. */
const origin = 'http://localhost:8999';
const words = process.argv.slice(2);

interface Screen {
  name: string;
  persona: string;
  path: string;
  mode: 'light' | 'dark';
  width: 1440 | 390;
  opened?: (page: Page) => Promise<unknown>;
}

const screens: Screen[] = [
  { name: 'login', persona: 'guest', path: '/login', mode: 'light', width: 1440 },
  { name: 'not-found-narrow', persona: 'guest', path: '/pages/errors/error-404', mode: 'dark', width: 390 },
  { name: 'dashboard', persona: 'host', path: '/apps/dashboard?timeframe=lastMonth', mode: 'dark', width: 1440 },
  { name: 'dashboard-narrow', persona: 'manager', path: '/apps/dashboard?timeframe=lastSixMonths', mode: 'light', width: 390 },
  { name: 'alerts', persona: 'host', path: '/apps/alerts?timeframe=lastMonth', mode: 'light', width: 1440 },
  { name: 'alerts-narrow', persona: 'manager', path: '/apps/alerts?timeframe=lastMonth', mode: 'dark', width: 390 },
  { name: 'alert-peek', persona: 'host', path: '/apps/alerts?timeframe=lastOneYear&peek={alert}', mode: 'dark', width: 1440 },
  { name: 'alert', persona: 'manager', path: '/apps/alert/{alert}', mode: 'light', width: 1440 },
  {
    name: 'devices-selected',
    persona: 'partnerAnalyst',
    path: '/apps/devices/10',
    mode: 'light',
    width: 1440,
    opened: (page) => page.getByRole('checkbox', { name: 'Select row' }).first().check(),
  },
  { name: 'users', persona: 'host', path: '/apps/users?client=10', mode: 'dark', width: 1440 },
  { name: 'client-details', persona: 'host', path: '/apps/clientdetails/general?client=10', mode: 'light', width: 1440 },
  { name: 'settings', persona: 'manager', path: '/apps/settings', mode: 'light', width: 1440 },
  {
    name: 'views-open',
    persona: 'manager',
    path: '/apps/alerts?timeframe=lastMonth&severity=high',
    mode: 'light',
    width: 1440,
    opened: (page) => page.getByRole('button', { name: 'Views' }).click(),
  },
  { name: 'faq', persona: 'manager', path: '/pages/faq', mode: 'dark', width: 1440 },
];
const wanted = screens.filter(({ name }) => words.every((word) => name.includes(word)));

/** Intercepts all requests of a page: `answer` serves calls, the build everything else. */
async function serve(route: Route, answer: (address: string) => Promise<void>): Promise<void> {
  const request = route.request();
  const { pathname, search } = new URL(request.url());
  const file = join(dist, decodeURIComponent(pathname));
  if (request.resourceType() === 'document') return route.fulfill({ path: join(dist, 'index.html') });
  if (file.startsWith(dist) && existsSync(file)) return route.fulfill({ path: file });
  // The live stream stays pending.
  if (request.headers().accept === 'text/event-stream') return;
  return answer(pathname + search);
}

/** Renders a screen and returns its picture. */
async function drawn(browser: Browser, world: World, screen: Screen, portal?: Portal, token?: string): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: { width: screen.width, height: screen.width === 390 ? 844 : 900 },
    colorScheme: screen.mode,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const missing: string[] = [];
  await context.route('**/*', (route) =>
    serve(route, async (address) => {
      const key = keyOf(screen.persona, route.request().method(), address);
      if (portal) {
        const response = await route.fetch({ url: portal.url + address });
        world.answers[key] = answerOf(response.status(), response.headers()['content-type'] ?? '', await response.body());
        return route.fulfill({ response });
      }
      const answer = world.answers[key];
      if (answer) return route.fulfill({ status: answer.status, contentType: answer.type, body: bodyOf(answer) });
      missing.push(key);
      return route.abort();
    }),
  );
  try {
    if (screen.persona !== 'guest')
      await context.addInitScript((stored) => localStorage.setItem('jwt_access_token', stored), token ?? 'recorded');
    const page = await context.newPage();
    await page.clock.setFixedTime(world.at);
    await page.goto(origin + world.paths[screen.name]);
    await page.getByRole('main').or(page.getByRole('dialog')).first().waitFor({ timeout: 20_000 });
    await isPageIdle(page);
    await screen.opened?.(page);
    // Move the pointer away to clear hover styles.
    await page.mouse.move(0, 0);
    await isPageIdle(page);
    return await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
  } catch (error) {
    throw missing.length > 0 ? new Error(`The page requests unrecorded calls: ${missing.join(', ')}`) : error;
  } finally {
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
}

async function record(browser: Browser): Promise<World> {
  const portal = await startPortal({ env: { PORTAL_DEMO: '1', PORTAL_DEMO_SCALE: '0.1', PORTAL_DEMO_SEED: '7' } });
  try {
    const world: World = { at: new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString(), paths: {}, answers: {} };
    const tokens: Record<string, string> = {};
    for (const { persona } of screens) if (persona !== 'guest') tokens[persona] ??= await signIn(portal.url, persona);
    const [alert] = await alertsOf(portal.url, tokens.manager ?? '', 10, 'severity=critical,high&pageSize=1');
    for (const screen of screens) {
      world.paths[screen.name] = screen.path.replace('{alert}', String(alert?.id));
      await drawn(browser, world, screen, portal, tokens[screen.persona]);
    }
    return world;
  } finally {
    await portal.stop();
  }
}

async function pixelsOf(png: Buffer | string): Promise<Picture> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
const keep = ({ width, height, data }: Picture, file: string) =>
  sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 9, effort: 10 })
    .toFile(file);

/** Description of the mismatch; undefined if there is none. */
async function faultOf(browser: Browser, world: World, screen: Screen): Promise<string | undefined> {
  try {
    const now = await pixelsOf(await drawn(browser, world, screen));
    const file = join(pictures, `${screen.name}.png`);
    if (process.env.UPDATE) {
      await keep(now, file);
      return undefined;
    }
    await keep(now, join(found, `${screen.name}.png`));
    if (!existsSync(file)) return 'there is no committed picture';
    const difference = differenceOf(await pixelsOf(file), now);
    if (isAlike(difference)) return undefined;
    await keep(drawnDifference(now, difference), join(found, `${screen.name}.differs.png`));
    return `${(difference.share * 100).toFixed(2)}% of it differs, in one tile ${Math.round(difference.worstTile * 100)}%`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

requireNode();
await installE2eTools();
await buildWebWhenNeeded();
await rm(found, { recursive: true, force: true });
await mkdir(found, { recursive: true });
await mkdir(pictures, { recursive: true });
const executablePath = chromiumPath();
const browser = await chromium.launch({
  ...(executablePath && { executablePath }),
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    // Consistent font rendering, independent of the machine's settings.
    '--font-render-hinting=none',
    '--disable-lcd-text',
    '--force-color-profile=srgb',
  ],
});
const faults: string[] = [];
try {
  if (process.env.UPDATE) await writeWorld(worldFile, await record(browser));
  const world = await readWorld(worldFile);
  faults.push(...outdatedIn(world));
  for (const screen of wanted) {
    const fault = await faultOf(browser, world, screen);
    if (fault) faults.push(`${screen.name}: ${fault}`);
  }
} finally {
  await browser.close();
}
if (faults.length > 0) {
  console.error(`${faults.join('\n')}\n\nSee screens/visual. For an intended change: UPDATE=1 npm run visual, review, commit.`);
  process.exitCode = 1;
} else console.log(`${wanted.length} screens ${process.env.UPDATE ? 'updated' : 'match'}.`);
