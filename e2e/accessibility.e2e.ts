/** ui.md rule 10: axe finds nothing on any route, in light and dark, wide and narrow; at 320 px no page scrolls sideways. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { isAtRest } from './at-rest.ts';
import { expect, test } from './fixtures.ts';
import { allRoutes, isSettled, openRoute } from './routes.ts';

async function faultsOf(page: Page, off: string[] = []): Promise<string[]> {
  const rules = {
    // Part of WCAG 2.2 AA, but off by default.
    'target-size': { enabled: true },
    ...Object.fromEntries(off.map((rule) => [rule, { enabled: false }])),
  };
  // There are no frames, so one run in the page is all.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ rules }).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary }) => `${id}: ${target.join(' ')} ${html.slice(0, 200)} ${failureSummary}`),
  );
}

test('axe sees a fault when there is one', async ({ page }) => {
  await page.goto('/login');
  await isSettled(page, 'Sign in');
  await page.evaluate(() => {
    for (const main of document.querySelectorAll('main')) main.append(document.createElement('button'));
  });
  expect(await faultsOf(page)).toContainEqual(expect.stringContaining('button-name'));
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1440, 390]) {
    test(`axe finds nothing on any route: ${colorScheme}, ${width} px`, async ({ page }) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMedia({ colorScheme });
      for (const route of await allRoutes()) {
        await test.step(route.name, async () => {
          await openRoute(page, route);
          expect.soft(await faultsOf(page), route.name).toEqual([]);
        });
      }
    });
  }

  test(`axe finds nothing in what opens: ${colorScheme}`, async ({ page, asPersona }) => {
    await page.emulateMedia({ colorScheme });
    await asPersona('host', '/apps/alerts?timeframe=lastMonth');
    await isSettled(page, 'Alerts');
    const check = async (name: string) => {
      await isAtRest(page);
      // What opens lies over the page and hides it: landmarks around it would lead nowhere.
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
    await page.getByRole('button', { name: 'View' }).click();
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
}

test('at 320 px no page scrolls sideways', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const route of await allRoutes()) {
    await test.step(route.name, async () => {
      await openRoute(page, route);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect.soft(width, route.name).toBeLessThanOrEqual(320);
    });
  }
});

test('who asks for less motion gets none', async ({ page, asPersona }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await asPersona('manager', '/apps/alerts');
  await isSettled(page, 'Alerts');
  await page.getByRole('button', { name: 'Fold the navigation' }).click();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((motion) => Number(motion.effect?.getTiming().duration) > 20).length,
  );
  expect(moving).toBe(0);
});
