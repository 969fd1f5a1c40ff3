/**
 * Keyboard operation: from the first Tab to Settings without a pointer, with the focus visible at every stop.
 */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { isSettled } from './routes.ts';

/** Presses Tab until the target has the focus; every stop on the way must be visible. */
async function tabTo(page: Page, part: Locator, { key = 'Tab', max = 60 } = {}): Promise<void> {
  const stops: string[] = [];
  while (stops.length < max) {
    await page.keyboard.press(key);
    stops.push(await focusedText(page));
    expect(await focusFault(page)).toBe('');
    if (await part.evaluate((element) => element === document.activeElement || element.contains(document.activeElement))) return;
  }
  throw new Error(`${max} × ${key} did not reach ${part}: ${stops.join(' · ')}`);
}

/** The reason the focus is not visible; '' when it is. */
const focusFault = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (!at || at === document.body) return '';
    const name = `${at.tagName} ${at.getAttribute('aria-label') ?? at.textContent?.slice(0, 40)}`;
    const { top, bottom, left, right } = at.getBoundingClientRect();
    const isInSight = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    return isInSight ? '' : `${name} has the focus and is out of sight`;
  });

const focusedText = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at === document.body ? '' : (at?.getAttribute('aria-label') ?? at?.textContent?.slice(0, 40) ?? '');
  });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 });

test('the first Tab skips the shell, and Escape returns the focus to its control', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/dashboard?timeframe=lastOneYear');
  await isSettled(page, 'Dashboard');
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }), { max: 1 });
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('main').getByRole('link', { name: 'Monthly report' }), { max: 3 });
  await tabTo(page, page.getByRole('combobox', { name: 'Timeframe' }), { key: 'Shift+Tab' });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('combobox', { name: 'Timeframe' })).toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Timeframe' })).toBeFocused();
});

test('a chart is read bar by bar and opens its table', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/dashboard?timeframe=lastOneYear');
  await isSettled(page, 'Dashboard');
  const bars = page.getByRole('group', { name: /^Alerts by (day|month)/ });
  await tabTo(page, bars);
  const last = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await page.keyboard.press('ArrowLeft');
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).not.toBe(last);
  await tabTo(page, page.getByRole('button', { name: /as a table$/ }), { key: 'Shift+Tab', max: 3 });
  await page.keyboard.press('Space');
  await expect(page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Time' }) })).toBeVisible();
});

test('the keys search, select, preview and open alerts, and Back returns to the row', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/alerts?timeframe=lastOneYear');
  await isSettled(page, 'Alerts');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search alerts' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row').nth(2)).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(page.getByText('1 selected').first()).toBeAttached();
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(/peek=\d+/);
  const first = page.url();
  await page.keyboard.press('j');
  await expect(page).not.toHaveURL(first);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/peek/);
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/apps\/alert\/\d+/);
  // The address changes before the page renders.
  await expect(heading(page, 'Alerts')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(/^Loading/);
  const title = await page.getByRole('heading', { level: 1 }).innerText();
  await page.goBack();
  await isSettled(page, 'Alerts');
  await expect.poll(() => focusedText(page)).not.toBe('');
  await expect(page.getByRole('row').filter({ hasText: title }).first()).toBeVisible();
});

test('a view is saved, opened and deleted', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/alerts?timeframe=lastOneYear');
  await isSettled(page, 'Alerts');
  const views = page.getByRole('button', { name: 'Views' });
  await page.keyboard.press('/');
  await page.keyboard.type('powershell');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/text=powershell/);
  await tabTo(page, views);
  await page.keyboard.press('Enter');
  const name = page.getByRole('textbox', { name: 'Save current view as' });
  await tabTo(page, name);
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  const line = page.getByRole('button', { name: 'By keyboard', exact: true });
  await expect(line).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('Escape');
  await expect(views).toBeFocused();
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/text=/);
  await tabTo(page, views);
  await page.keyboard.press('Enter');
  await tabTo(page, line);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/text=powershell/);
  await expect(views).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Delete By keyboard' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Yes' }), { max: 3 });
  await page.keyboard.press('Enter');
  await expect(line).toHaveCount(0);
  await expect(page.getByRole('dialog', { name: 'Delete this view?' })).toHaveCount(0);
  await expect(page.getByRole('dialog', { name: 'Saved views' })).toBeVisible();
  // The focus was on the deleted view; a moment later the dialog has it.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the keys open the users and a form that keeps its input', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/alerts?timeframe=lastOneYear');
  await isSettled(page, 'Alerts');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await isSettled(page, 'Users');
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('gridcell').filter({ hasText: /./ }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  const phone = page.getByRole('textbox', { name: 'Phone number' });
  await expect(phone).toBeVisible();
  await tabTo(page, phone);
  await page.keyboard.type('1');
  const undo = page.getByRole('button', { name: 'Undo changes' });
  await tabTo(page, undo);
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  const prompt = page.getByRole('dialog', { name: 'Leave without saving?' });
  await expect(prompt).toBeVisible();
  await expect(page.getByRole('button', { name: 'No' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(prompt).toHaveCount(0);
  await expect(undo).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(undo).toHaveCount(0);
});

test('the keys open the settings and choose a density', async ({ page, asPersona }) => {
  await asPersona('clientAdmin', '/apps/alerts?timeframe=lastOneYear');
  await isSettled(page, 'Alerts');
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await isSettled(page, 'Settings');
  await tabTo(page, page.getByRole('group', { name: 'Density' }).getByRole('radio', { name: 'Automatic' }));
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Standard' })).toBeChecked();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'Automatic' })).toBeChecked();
  await expect(heading(page, 'Settings')).toBeVisible();
});
