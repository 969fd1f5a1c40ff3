/** "Login with Microsoft" against a real OpenID provider on a separate portal: accepted, rejected and cancelled sign-ins, and step-up. */
import { createServer, type Server } from 'node:http';
import { personaOf } from '@parapet/world/personas.ts';
import type { Page } from '@playwright/test';
import { Provider } from 'oidc-provider';
import { freePort } from '../packages/server/test/ports.ts';
import { signIn } from './api.ts';
import { expect, test } from './fixtures.ts';
import { type Portal, startPortal } from './portal.ts';

const [clientId, clientSecret] = ['portal', 'a secret of the journeys, long enough to be one'];

/** Accepts any name and password; the name becomes the verified address. */
async function startIssuer(redirectUri: string): Promise<{ issuer: string; server: Server }> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of the journeys'] },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, email: sub, email_verified: true }) }),
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { issuer, server };
}

// The tests share one portal and one provider.
test.describe.configure({ mode: 'default' });

let portal: Portal;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  const port = await freePort();
  issuer = await startIssuer(`http://localhost:${port}/api/v1/Auth/callback/microsoft`);
  portal = await startPortal({
    port,
    env: {
      PORTAL_DEMO_SCALE: '0.01',
      SSO_ISSUER: issuer.issuer,
      SSO_CLIENT_ID: clientId,
      SSO_CLIENT_SECRET: clientSecret,
      SSO_ALLOW_INSECURE: '1',
    },
  });
});
test.afterAll(async () => {
  await portal?.stop();
  issuer?.server.closeAllConnections();
  issuer?.server.close();
});

async function goToIssuer(page: Page): Promise<void> {
  await page.goto(`http://localhost:${new URL(portal.url).port}/apps/alerts?severity=high`);
  await expect(page).toHaveURL(/\/login/);
  await page.getByRole('link', { name: 'Login with Microsoft' }).click();
  await expect(page).toHaveURL(new RegExp(`^${issuer.issuer}/interaction/`));
}

/** Completes the provider’s sign-in form and its consent page. */
async function agree(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('a verified address signs in where the organisation allows it and reaches the requested page', async ({ page }) => {
  const admin = await signIn(portal.url, 'clientAdmin');
  const saved = await fetch(`${portal.url}/api/v1/clientorganization/10/signInPolicy`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ isMfaCompulsory: false, allowsFirstMatchByEmail: true, singleSignOn: null }),
  });
  expect(saved.status).toBe(200);

  await goToIssuer(page);
  await agree(page, personaOf('manager').email);
  await expect(page).toHaveURL(/\/apps\/alerts\?.*severity=high/);
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'User menu of Stephen Moreau' })).toBeVisible();
  expect(page.url()).not.toContain('token');
});

test('an account outside every organisation is rejected, and a cancelled consent returns to the sign-in', async ({ page }) => {
  await goToIssuer(page);
  await agree(page, 'stranger@nowhere.example');
  await expect(page.getByRole('alert').filter({ hasText: 'Microsoft authentication failed' })).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
  expect(await page.evaluate(() => localStorage.getItem('jwt_access_token'))).toBeNull();

  await page.context().clearCookies();
  await goToIssuer(page);
  await page.getByRole('link', { name: /cancel/i }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Microsoft authentication failed' })).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
});

test('a change that requires a recent sign-in is confirmed in a separate window and resumes', async ({ page }) => {
  await goToIssuer(page);
  await agree(page, personaOf('manager').email);
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await page.goto(`http://localhost:${new URL(portal.url).port}/apps/settings?tab=api-keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Key name' }).fill('Monthly report');
  await page.getByRole('button', { name: 'Create key' }).click();

  // Without `auth_time` from the provider the session never counts as recent.
  const dialog = page.getByRole('dialog', { name: 'Please sign in again to continue' });
  const [other] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Confirm with Microsoft' }).click(),
  ]);
  // The provider prompts again despite its own session.
  await other.locator('input[name=login]').fill(personaOf('manager').email);
  await other.locator('input[name=password]').fill('any');
  await Promise.all([other.waitForEvent('close'), other.locator('button[type=submit]').click()]);
  await expect(page.getByRole('dialog', { name: 'API key created' })).toBeVisible();
});
