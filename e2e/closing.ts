/** The dialog that closes a case. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export async function closeCase(page: Page, resolution: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: /^Status: / }).click();
  await page.getByRole('menuitem', { name: 'Closed', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: /^Close case/ });
  await dialog.getByRole('combobox', { name: 'Resolution' }).click();
  await page.getByRole('option', { name: resolution, exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
  for (const box of await dialog.getByRole('textbox', { name: /\. Why/ }).all()) await box.fill('Settled by phone.');
  await dialog.getByRole('button', { name: 'Close case' }).click();
  await expect(page.getByRole('button', { name: 'Status: Closed' })).toBeVisible();
}
