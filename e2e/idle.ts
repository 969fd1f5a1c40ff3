import type { Page } from '@playwright/test';

/** Waits until fonts are loaded, nothing is busy and no animation runs. */
export async function isPageIdle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.fonts.status === 'loaded' &&
      !document.querySelector('[aria-busy="true"], [data-bone], .splash') &&
      document.getAnimations().every((motion) => motion.playState !== 'running'),
  );
}
