/** Accessibility of every page: axe in four themes, wide and narrow; no horizontal scrolling at 320 px; no policy violations. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { isPageIdle } from './idle.ts';
import { watchPolicy } from './policy.ts';
import { allRoutes, isSettled, openRoute } from './routes.ts';

async function faultsOf(page: Page, off: string[] = []): Promise<string[]> {
  const rules = {
    // Required by WCAG 2.2 AA, but off by default in axe.
    'target-size': { enabled: true },
    ...Object.fromEntries(off.map((rule) => [rule, { enabled: false }])),
  };
  // The pages have no frames: one run covers the document.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ rules, resultTypes: ['violations'] })
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target.join(' ')} ${html.slice(0, 200)} ${failureSummary}`),
  );
}

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
}

/** Colour-contrast violations, in a page with axe already loaded. */
const colorFaultsOf = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = window as unknown as { axe: Axe };
    const runOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
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

const themes: { name: string; settings: Record<string, string> }[] = [
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
  const looks = [`${await groundOf(page)} ${await accentOf(page)}`];
  for (const { settings } of themes) {
    await dress(page, settings);
    looks.push(`${await groundOf(page)} ${await accentOf(page)}`);
  }
  expect(new Set(looks).size, looks.join('\n')).toBe(4);
});

for (const width of [1440, 390]) {
  for (const part of [0, 1, 2]) {
    test(`axe finds nothing on any route at ${width} px, in four themes when wide (part ${part + 1})`, async ({ page }) => {
      test.setTimeout(150_000);
      const size = { width, height: width === 390 ? 844 : 900 };
      const breaches = await watchPolicy(page);
      const routes = (await allRoutes()).filter((_, index) => index % 3 === part);
      for (const route of routes) {
        await test.step(route.name, async () => {
          await page.setViewportSize(size);
          await openRoute(page, route);
          expect.soft(await faultsOf(page), route.name).toEqual([]);
          // Colours are independent of the width.
          for (const { name, settings } of width === 390 ? [] : themes) {
            await dress(page, settings);
            await isPageIdle(page);
            expect.soft(await colorFaultsOf(page), `${route.name}, ${name}`).toEqual([]);
          }
          if (width === 390) {
            await page.setViewportSize({ width: 320, height: 640 });
            await isPageIdle(page);
            const across = await page.evaluate(() => document.documentElement.scrollWidth);
            expect.soft(across, `${route.name} at 320 px`).toBeLessThanOrEqual(320);
          }
        });
      }
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
      expect.soft(await faultsOf(page, ['region']), name).toEqual([]);
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
    await expect(page.getByRole('dialog', { name: 'How the table looks' })).toBeVisible();
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
  await asPersona('manager', '/apps/alerts');
  await isSettled(page, 'Alerts');
  await page.getByRole('button', { name: 'Fold the navigation' }).click();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((motion) => Number(motion.effect?.getTiming().duration) > 20).length,
  );
  expect(moving).toBe(0);
  // The setting is stored for the user, whom all journeys share.
  await page.getByRole('button', { name: 'Keep the navigation open' }).first().click();
  await expect(page.getByRole('alert').filter({ hasText: 'User data saved with api' })).toBeVisible();
});
