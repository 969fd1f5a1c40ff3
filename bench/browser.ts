/** Pages of the portal in a real browser, for benchmarks. */
import type { Browser, Locator, Page } from '@playwright/test';
import { isPageIdle } from '../e2e/idle.ts';

export async function open(browser: Browser, token?: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', timezoneId: 'UTC' });
  if (token) await context.addInitScript((value) => localStorage.setItem('jwt_access_token', value), token);
  return context.newPage();
}

/** Cold visit with 4× CPU throttling, until the rows or what `drawn` names are rendered. */
export async function paintOf(
  browser: Browser,
  url: string,
  token?: string,
  drawn = (page: Page): Locator => page.getByRole('row').nth(5),
): Promise<{ paintMs: number; shift: number }> {
  const page = await open(browser, token);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    const seen = { paintMs: 0, shift: 0 };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.paintMs = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) seen.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(url);
  await drawn(page).waitFor();
  await isPageIdle(page);
  const seen = await page.evaluate(() => (window as unknown as { seen: { paintMs: number; shift: number } }).seen);
  await page.context().close();
  return seen;
}
