/** Step-up: a change that requires a recent sign-in prompts for it in place, then resumes. */
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { ageSession } from './database.ts';
import { expect, ownTokenOf, portal, test } from './fixtures.ts';

const prompt = (page: Page) => page.getByRole('dialog', { name: 'Please sign in again to continue' });
const expectToast = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text }).first()).toBeVisible();

test('an administrator with an old sign-in creates a user, confirms in place and loses no input', async ({ page, asPersona }) => {
  const token = await ownTokenOf('clientAdmin');
  await ageSession(portal.dataDir, token);
  await asPersona('clientAdmin', '/apps/profile', token);
  await page.getByRole('textbox', { name: 'First name' }).fill('Robin');
  await page.getByRole('textbox', { name: 'Last name' }).fill('Vale');
  await page.getByRole('textbox', { name: 'Email' }).fill(`robin.${Date.now().toString(36)}@alder.example`);
  await page.getByRole('radio', { name: 'Send an invitation by email' }).check();
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Analyst', exact: true }).click();
  const save = page.getByRole('button', { name: 'Send invitation' });

  // Escape keeps the form unchanged.
  await save.click();
  const password = prompt(page).getByRole('textbox', { name: 'Password' });
  await expect(password).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(prompt(page)).toHaveCount(0);
  await expectToast(page, 'Please sign in again to continue');
  await expect(page.getByRole('textbox', { name: 'First name' })).toHaveValue('Robin');
  await expect(page).toHaveURL('/apps/profile');

  await save.click();
  await password.fill('not the password');
  await page.keyboard.press('Enter');
  await expect(password).toHaveAccessibleDescription('Incorrect password.');
  await expect(password).toBeFocused();
  await password.fill(personaPassword);
  await prompt(page).getByRole('button', { name: 'Confirm' }).click();
  await expectToast(page, 'User saved successfully');
  await expect(page.getByRole('heading', { name: 'Robin Vale', level: 1 })).toBeVisible();
});

test('an account with MFA confirms with its code, on a narrow screen too', async ({ page, asPersona }) => {
  const { email, mfaSecret } = personaOf('mfaUser');
  const codeOf = (stepsFromNow: number) =>
    new TOTP({ secret: mfaSecret as string, digits: 6, period: 30 }).generate({ timestamp: Date.now() + stepsFromNow * 30_000 });
  const post = async (path: string, body: object) =>
    (
      await fetch(`${portal.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json();
  const { mfaChallenge } = await post('/auth/authenticate', { email, password: personaPassword });
  // Each code is valid once: signing in with the previous step’s code leaves the current one for the dialog.
  const { user } = await post('/auth/complete-mfa', {
    nonce: mfaChallenge.nonce,
    password: mfaChallenge.password,
    code: codeOf(-1),
  });
  await ageSession(portal.dataDir, user.accessToken);

  await page.setViewportSize({ width: 390, height: 800 });
  await asPersona('analyst', '/apps/settings?tab=api-keys', user.accessToken);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Key name' }).fill('Monthly report');
  await page.getByRole('button', { name: 'Create key' }).click();
  const code = prompt(page).getByRole('textbox', { name: 'Authenticator code' });
  await expect(code).toBeFocused();
  await expect(prompt(page).getByRole('textbox', { name: 'Password' })).toHaveCount(0);
  await code.fill(codeOf(20));
  await prompt(page).getByRole('button', { name: 'Confirm' }).click();
  await expect(code).toHaveAccessibleDescription('MFA token was not accepted');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await code.fill(codeOf(0));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'API key created' })).toBeVisible();
});
