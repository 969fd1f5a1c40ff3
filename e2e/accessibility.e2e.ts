/** Accessibility of every page: axe in two themes of four, wide and narrow; visible focus of every control; no horizontal scrolling at 320 px; no policy violations. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page, Request } from '@playwright/test';
import { expect, type JourneyPersona, newUserToken, test } from './fixtures.ts';
import { useKeyboard, withoutFocus } from './focus.ts';
import { isPageIdle } from './idle.ts';
import { watchPolicy } from './policy.ts';
import { allRoutes, isSettled, openRoute } from './routes.ts';

type Rules = Record<string, { enabled: boolean }>;
interface Axe {
  run(
    options: object,
  ): Promise<{ violations: { id: string; nodes: { target: unknown[]; html: string; failureSummary?: string }[] }[] }>;
}

/** Violations on the page, which has no frames: one run covers the document. The page keeps axe for later runs. */
async function faultsOf(page: Page, rules: Rules = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await new AxeBuilder({ page }).setLegacyMode().withRules(['html-has-lang']).analyze();
  return page.evaluate(
    async (enabled) => {
      const { axe } = window as unknown as { axe: Axe };
      const { violations } = await axe.run({ rules: enabled, resultTypes: ['violations'], preload: false });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, html, failureSummary }) => `${id}: ${target.join(' ')} ${html.slice(0, 200)} ${failureSummary}`),
      );
      // target-size: required by WCAG 2.2 AA, but off by default in axe.
    },
    { 'target-size': { enabled: true }, ...rules },
  );
}

/** Colour-contrast violations, in a page with axe already loaded. */
const colorFaultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    const runOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'], preload: false });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    );
  });

test('axe reports an existing violation', async ({ page }) => {
  await page.goto('/login');
  await isSettled(page, 'Sign in');
  await page.evaluate(() => {
    for (const main of document.querySelectorAll('main')) main.append(document.createElement('button'));
  });
  expect(await faultsOf(page)).toContainEqual(expect.stringContaining('button-name'));

  expect(await colorFaultsOf(page)).toEqual([]);
  await page.evaluate(() => {
    const title = document.querySelector('h1');
    if (title) title.style.cssText = 'color: #888; background: #777';
  });
  expect(await colorFaultsOf(page)).toContainEqual(expect.stringContaining('color-contrast'));
});

test('a control without a focus style is reported', async ({ page }) => {
  await page.goto('/login');
  await isSettled(page, 'Sign in');
  await useKeyboard(page);
  expect((await withoutFocus(page)).faults).toEqual([]);
  await page.evaluate(() => {
    const button = document.createElement('button');
    button.textContent = 'Bare';
    button.style.outline = '0';
    document.querySelector('main')?.append(button);
  });
  expect((await withoutFocus(page)).faults).toEqual([expect.stringContaining('Bare')]);
});

const themes: { name: string; settings: Record<string, string> }[] = [
  { name: 'the default', settings: {} },
  { name: 'legacy', settings: { mode: 'light', lightTheme: 'legacy' } },
  { name: 'a light one', settings: { mode: 'light', lightTheme: 'light6' } },
  { name: 'a dark one', settings: { mode: 'dark', darkTheme: 'dark1' } },
];

/** Applies theme settings without a reload, as a change in another tab does. */
async function dress(page: Page, settings: Record<string, string>): Promise<void> {
  await page.evaluate((chosen) => {
    const key = 'portal-settings';
    const { user = null } = JSON.parse(localStorage.getItem(key) ?? '{}') as { user?: number | null };
    const newValue = JSON.stringify({ user, data: { settings: chosen, shortcuts: [] }, pending: null });
    dispatchEvent(new StorageEvent('storage', { key, newValue }));
  }, settings);
}

const groundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const accentOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--mui-palette-primary-main'));

test('the four tested themes differ', async ({ page, asPersona }) => {
  await asPersona('manager', '/apps/alerts');
  await isSettled(page, 'Alerts');
  const looks: string[] = [];
  for (const { settings } of themes) {
    await dress(page, settings);
    looks.push(`${await groundOf(page)} ${await accentOf(page)}`);
  }
  expect(new Set(looks).size, looks.join('\n')).toBe(4);
});

/** Number of tests that share the pages of a persona. */
const walks: Record<JourneyPersona | 'guest', number> = {
  guest: 1,
  host: 10,
  superAnalyst: 0,
  partnerAnalyst: 0,
  partnerManager: 0,
  clientAdmin: 1,
  manager: 4,
  analyst: 3,
};

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
/** The narrowest width without horizontal scrolling (WCAG 1.4.10). */
const narrowest = { width: 320, height: 640 };

async function resize(page: Page, size: typeof wide): Promise<void> {
  await page.setViewportSize(size);
  await isPageIdle(page);
}

/** Number of the page’s API requests that wait for an answer. */
function watchRequests(page: Page): () => number {
  const open = new Set<Request>();
  page.on('request', (request) => request.url().includes('/api/') && open.add(request));
  // Not at the end of the body: streams have none.
  page.on('response', (response) => open.delete(response.request()));
  page.on('requestfailed', (request) => open.delete(request));
  return () => open.size;
}

/**
 * Violations on the page at two positions of scrolling where a target is too small: a floating control covers whatever lies beneath it, which
 * counts only if scrolling does not uncover it.
 */
async function narrowFaultsOf(page: Page): Promise<string[]> {
  const faults = await faultsOf(page);
  if (!faults.some((fault) => fault.startsWith('target-size'))) return faults;
  await page.evaluate(() => window.scrollBy(0, window.innerHeight / 2));
  const withoutSizes = (fault: string) => fault.split('Fix any', 1)[0];
  const scrolled = new Set((await faultsOf(page)).map(withoutSizes));
  await page.evaluate(() => window.scrollTo(0, 0));
  return faults.filter((fault) => !fault.startsWith('target-size') || scrolled.has(withoutSizes(fault)));
}

/**
 * Checks the open page in the given theme: wide, where the next theme and the focus of every control follow, narrow, and narrowest. A walk
 * begins each page with another theme, so that all four pairs occur. Returns the number of controls.
 */
async function checkPage(page: Page, name: string, first: number): Promise<number> {
  expect.soft(await faultsOf(page), `${name}, ${themes[first]?.name}`).toEqual([]);
  const next = themes[(first + 1) % themes.length]!;
  await dress(page, next.settings);
  await isPageIdle(page);
  // Colours are independent of the width.
  expect.soft(await colorFaultsOf(page), `${name}, ${next.name}`).toEqual([]);
  await useKeyboard(page);
  const { checked, faults } = await withoutFocus(page);
  expect.soft(faults, `${name}, focus`).toEqual([]);
  await resize(page, narrow);
  expect.soft(await narrowFaultsOf(page), `${name} at 390 px`).toEqual([]);
  await resize(page, narrowest);
  const across = await page.evaluate(() => document.documentElement.scrollWidth);
  expect.soft(across, `${name} at 320 px`).toBeLessThanOrEqual(narrowest.width);
  return checked;
}

test('every page belongs to a walk', async () => {
  const personas = new Set((await allRoutes()).map(({ persona }) => persona ?? ('guest' as const)));
  expect([...personas].filter((persona) => walks[persona] === 0)).toEqual([]);
});

for (const [walker, parts] of Object.entries(walks)) {
  for (let part = 0; part < parts; part++) {
    test(`axe finds nothing on the pages of ${walker}, wide in two themes and narrow, and every control shows its focus (${part + 1} of ${parts})`, {
      tag: walker === 'host' || part > 0 ? ['@survey'] : [],
    }, async ({ page }) => {
      test.setTimeout(150_000);
      const breaches = await watchPolicy(page);
      const waiting = watchRequests(page);
      const routes = (await allRoutes()).filter(({ persona = 'guest' }) => persona === walker);
      let controls = 0;
      for (const [index, route] of routes.filter((_, at) => at % parts === part).entries()) {
        await test.step(route.name, async () => {
          await resize(page, wide);
          await openRoute(page, route);
          // An answer may still enable a button.
          await expect.poll(waiting).toBe(0);
          await isPageIdle(page);
          // A page opens in the theme in which the one before it was left.
          controls += await checkPage(page, route.name, index % 4);
        });
      }
      expect(controls).toBeGreaterThan(0);
      expect(breaches).toEqual([]);
    });
  }
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing in overlays (${colorScheme})`, async ({ page, asPersona }) => {
    await page.emulateMedia({ colorScheme });
    await asPersona('host', '/apps/alerts?timeframe=lastMonth');
    await isSettled(page, 'Alerts');
    const check = async (name: string) => {
      await isPageIdle(page);
      // Overlays hide the page, so the landmark rule does not apply.
      expect.soft(await faultsOf(page, { region: { enabled: false } }), name).toEqual([]);
      await page.keyboard.press('Escape');
    };
    await page.getByRole('combobox', { name: 'Client' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await check('client selector');
    await page.getByRole('combobox', { name: 'Timeframe' }).click();
    await expect(page.getByRole('option').first()).toBeVisible();
    await check('timeframe selector');
    await page.getByRole('button', { name: /^User menu/ }).click();
    await expect(page.getByRole('menuitem').first()).toBeVisible();
    await check('user menu');
    await page.getByRole('button', { name: 'Views' }).click();
    await expect(page.getByRole('textbox', { name: 'Save current view as' })).toBeVisible();
    await check('saved views');
    await page.getByRole('button', { name: 'Display' }).click();
    await expect(page.getByRole('dialog', { name: 'Table settings' })).toBeVisible();
    await check('how the table looks');
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).click();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await check('keyboard shortcuts');
    await expect(page.getByRole('dialog')).toHaveCount(0);

    await page.goto('/apps/devices/10');
    await page.getByRole('row').nth(1).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Tag 1 data source' }).click();
    await expect(page.getByRole('dialog', { name: /^Tag / })).toBeVisible();
    await check('tags');
  });

  test(`axe finds nothing in Sapphire’s panel (${colorScheme})`, async ({ page, asPersona }) => {
    await page.emulateMedia({ colorScheme });
    await asPersona('host', '/apps/alerts?timeframe=lastMonth');
    await isSettled(page, 'Alerts');
    await page.getByRole('button', { name: 'Ask Sapphire' }).click();
    await page.getByRole('textbox', { name: 'Your question' }).fill('Which device is the biggest risk?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Preview / }).click();
    await page.getByRole('button', { name: 'No, this did not help' }).click();
    await expect(page.getByRole('textbox', { name: /What was missing or wrong/ })).toBeVisible();
    await isPageIdle(page);
    expect.soft(await faultsOf(page), 'an answer').toEqual([]);
    await page.getByRole('button', { name: 'Training form' }).click();
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Question and Answer');
    await isPageIdle(page);
    expect.soft(await faultsOf(page), 'the training form').toEqual([]);
  });
}

test('pages show no motion when the system reduces it', async ({ page, asPersona }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await asPersona('clientAdmin', '/apps/alerts', await newUserToken('motion'));
  await isSettled(page, 'Alerts');
  await page.getByRole('button', { name: 'Fold the navigation' }).click();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((motion) => Number(motion.effect?.getTiming().duration) > 20).length,
  );
  expect(moving).toBe(0);
});
