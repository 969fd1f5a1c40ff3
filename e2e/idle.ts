import type { Page } from '@playwright/test';

/** Waits until nothing on the page is still on its way and nothing moves. */
export async function isPageIdle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      !document.querySelector('[aria-busy="true"], [data-bone], .splash') &&
      document.getAnimations().every((motion) => motion.playState !== 'running'),
  );
}
