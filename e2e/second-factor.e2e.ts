/** Self-service two-factor authentication: authenticator app, recovery codes, passkeys (docs/decisions/0023-second-factors.md). */
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import type { Page } from '@playwright/test';
import { Secret, TOTP } from 'otpauth';
import { ageSession } from './database.ts';
import { expect, newUser, newUserPassword as password, portal, storedToken, test } from './fixtures.ts';
import { isPageIdle } from './idle.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text }).first();
const codeOf = (secret: string) =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate();
/** By host name: passkeys require a domain, not an IP address. */
const origin = () => portal.url.replace('127.0.0.1', 'localhost');

async function login(page: Page, email: string) {
  await page.goto(`${origin()}/login`);
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(page, 'Login').click();
}
const isIn = (page: Page) => expect(button(page, 'User menu of Noor Ahlers')).toBeVisible();
async function signOut(page: Page) {
  await page.goto(`${origin()}/logout`);
  await expect(page).toHaveURL(/\/login$/);
}

/** Chromium’s virtual authenticator, equivalent to a laptop’s fingerprint reader. */
async function addVirtualAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const openSettings = (page: Page) => page.goto(`${origin()}/apps/settings?tab=second-factor`);

/** Signs a new user in, opens the settings and begins the setup of an app; returns the email, the field and the shown secret. */
async function beginSetUp(page: Page) {
  const { email } = await newUser('factor');
  await login(page, email);
  await isIn(page);
  await openSettings(page);
  await expect(button(page, 'Add passkey')).toBeDisabled();
  await button(page, 'Set up authenticator app').click();
  const setUp = page.getByRole('dialog', { name: 'Set up authenticator app' });
  await expect(setUp.getByRole('img', { name: /QR code/ })).toHaveAttribute('src', /^data:image\/svg\+xml,/);
  const secret = ((await setUp.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  return { email, code: setUp.getByRole('textbox', { name: 'Code' }), secret };
}

const recoveryCodes = (page: Page) =>
  page
    .getByRole('dialog', { name: 'Save your recovery codes' })
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem');

/** A new user with an app, in the settings, and the recovery codes. */
async function userWithApp(page: Page) {
  const { email, code, secret } = await beginSetUp(page);
  await code.fill(codeOf(secret));
  await button(page, 'Turn on').click();
  await expect(recoveryCodes(page)).toHaveCount(10);
  const codes = await recoveryCodes(page).allTextContents();
  await button(page, 'I have saved them').click();
  await expect(page.getByText('10 of 10 recovery codes left.')).toBeVisible();
  return { email, codes };
}

/** Signs in by a recovery code as far as its field. */
async function useRecoveryCode(page: Page, email: string) {
  await signOut(page);
  await login(page, email);
  await button(page, 'Use a recovery code').click();
  return page.getByRole('textbox', { name: 'Recovery code' });
}

const stepUp = (page: Page) => page.getByRole('dialog', { name: 'Please sign in again to continue' });

/** Confirms a change that requires a recent proof of identity. */
async function changeLater(page: Page, name: string) {
  await ageSession(portal.dataDir, (await storedToken(page)) as string);
  await button(page, name).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
}

test('a user sets up an authenticator app and saves recovery codes', async ({ page }) => {
  const { code, secret } = await beginSetUp(page);
  const right = codeOf(secret);
  await code.fill(String((Number(right) + 1) % 1_000_000).padStart(6, '0'));
  await button(page, 'Turn on').click();
  await expect(code).toHaveAccessibleDescription('MFA token was not accepted');
  await code.fill(codeOf(secret));
  await button(page, 'Turn on').click();

  await expect(recoveryCodes(page)).toHaveCount(10);
  const download = page.waitForEvent('download');
  await button(page, 'Download').click();
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt');
  await button(page, 'I have saved them').click();
  await expect(page.getByText('10 of 10 recovery codes left.')).toBeVisible();
});

test('a passkey signs a user in, and confirms its removal', async ({ page }) => {
  await addVirtualAuthenticator(page);
  const { email } = await userWithApp(page);
  await button(page, 'Add passkey').click();
  const adding = page.getByRole('dialog', { name: 'Add passkey' });
  await adding.getByRole('textbox', { name: 'Name' }).fill('Work laptop');
  await adding.getByRole('button', { name: 'Add passkey' }).click();
  const passkeys = page.getByRole('list', { name: 'Passkeys' });
  await expect(passkeys.getByRole('listitem', { name: 'Work laptop' })).toContainText('localhost');
  await isPageIdle(page);

  await signOut(page);
  await login(page, email);
  await expect(page.getByRole('heading', { name: 'Two-factor authentication', level: 1 })).toBeVisible();
  await button(page, 'Use a passkey').click();
  await isIn(page);

  await openSettings(page);
  await changeLater(page, 'Remove Work laptop');
  await stepUp(page).getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('No passkeys yet.')).toBeVisible();
});

test('each recovery code signs a user in once', async ({ page }) => {
  const { email, codes } = await userWithApp(page);
  await (await useRecoveryCode(page, email)).fill(codes[0] as string);
  await button(page, 'Verify').click();
  await expect(toast(page, '9 recovery codes left')).toBeVisible();
  await isIn(page);

  const used = await useRecoveryCode(page, email);
  await used.fill(codes[0] as string);
  await button(page, 'Verify').click();
  await expect(used).toHaveAccessibleDescription(/This recovery code was not accepted/);
  await used.fill((codes[1] as string).replace('-', ' ').toUpperCase());
  await used.press('Enter');
  await isIn(page);
  await openSettings(page);
  await expect(page.getByText('8 of 10 recovery codes left.')).toBeVisible();
});

test('an unused recovery code confirms that the app is turned off, where there is no passkey', async ({ page }) => {
  const { email, codes } = await userWithApp(page);
  await (await useRecoveryCode(page, email)).fill(codes[0] as string);
  await button(page, 'Verify').click();
  await isIn(page);

  await openSettings(page);
  await changeLater(page, 'Turn off');
  await stepUp(page).getByRole('button', { name: 'Use a recovery code' }).click();
  await expect(stepUp(page).getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
  const recovery = stepUp(page).getByRole('textbox', { name: 'Recovery code' });
  await expect(recovery).toBeFocused();
  await recovery.fill(codes[0] as string);
  await stepUp(page).getByRole('button', { name: 'Confirm' }).click();
  await expect(recovery).toHaveAccessibleDescription(/This recovery code was not accepted/);
  await recovery.fill(codes[2] as string);
  await recovery.press('Enter');
  await expect(button(page, 'Set up authenticator app')).toBeVisible();
});

test('a reset makes the next sign-in set up an app even without a policy that requires one', async ({ page }) => {
  const { email } = await newUser('factor');
  await login(page, email);
  await isIn(page);
  await page.goto(`${origin()}/apps/settings?tab=second-factor`);
  await button(page, 'Set up authenticator app').click();
  const setUp = page.getByRole('dialog', { name: 'Set up authenticator app' });
  const secret = ((await setUp.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  await setUp.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret));
  await button(page, 'Turn on').click();
  await button(page, 'I have saved them').click();
  await button(page, 'Reset MFA').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
  await expect(toast(page, 'MFA Reset Successfully')).toBeVisible();

  await signOut(page);
  await login(page, email);
  await expect(page.getByRole('heading', { name: 'Open an authenticator app', level: 1 })).toBeVisible();
  await expect(page.getByText('1. Open an app')).toBeVisible();
});

test('an account with an app only sees the six-digit step alone', async ({ page }) => {
  await page.goto(`${origin()}/login`);
  await page.getByRole('textbox', { name: 'Email' }).fill(personaOf('mfaUser').email);
  await page.getByRole('textbox', { name: 'Password' }).fill(personaPassword);
  await button(page, 'Login').click();
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeFocused();
  for (const other of ['Use a passkey', 'Use a recovery code']) await expect(button(page, other)).toHaveCount(0);
});
