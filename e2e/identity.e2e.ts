import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { signIn } from './api.ts';
import { expect, keepToken, ownTokenOf, portal, storedToken, test } from './fixtures.ts';
import { mailsTo } from './mails.ts';

const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const toast = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });
const codeOf = (secret: string) => new TOTP({ secret }).generate();

async function login(page: Page, email: string, password = personaPassword) {
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await button(page, 'Login').click();
}

const secondFactor = 'Two-Factor Authentication keeps your account more secure.';

test('a user with MFA sees malformed and wrong codes rejected and signs in with the right one', async ({ page }) => {
  const { email, mfaSecret = '' } = personaOf('mfaUser');
  await page.goto('/login');
  await login(page, email);
  await expect(page.getByText(secondFactor)).toBeVisible();
  const code = field(page, 'Code');
  await expect(code).toBeFocused();
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(button(page, 'Verify')).toBeDisabled();
  await code.fill('12345');
  await code.blur();
  await expect(code).toHaveAccessibleDescription(/Min character length is 6/);
  await code.fill('1234567');
  await expect(code).toHaveAccessibleDescription(/Max character length is 6/);
  await expect(button(page, 'Verify')).toBeDisabled();

  // Differs from the codes of every step that the server accepts.
  const now = Number(codeOf(mfaSecret));
  await code.fill(String((now + 500_000) % 1_000_000).padStart(6, '0'));
  await code.press('Enter');
  await expect(code).toHaveAccessibleDescription(/MFA token was not accepted/);
  await expect(code).toBeFocused();
  expect(await storedToken(page)).toBeNull();

  // Grouped as authenticator apps display it.
  const right = codeOf(mfaSecret);
  await code.fill(`${right.slice(0, 3)} ${right.slice(3)}`);
  await code.press('Enter');
  await expect(page).toHaveURL(/\/apps\/dashboard/);
  await expect(button(page, 'User menu of Felix Amador')).toBeVisible();
});

test('a user sets up the authenticator app in three steps by keyboard', async ({ page }) => {
  const { email } = personaOf('mfaNewUser');
  await page.goto('/login');
  await login(page, email);
  const current = page.getByRole('list', { name: 'Two-factor authentication setup' }).locator('[aria-current=step]');
  await expect(page.getByRole('heading', { name: 'Open an authenticator app', level: 1 })).toBeVisible();
  await expect(current).toHaveText('1. Open an app');
  await expect(page.getByText(secondFactor)).toBeVisible();
  await expect(button(page, 'Next')).toBeFocused();
  await page.keyboard.press('Enter');

  await expect(current).toHaveText('2. Scan the code');
  const image = page.getByRole('img', { name: /QR code/ });
  await expect(image).toHaveAttribute('src', /^data:image\/svg\+xml,/);
  // The QR code is drawn, not blocked by the policy.
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  const secret = ((await page.getByTitle('Secret', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  expect(secret).toMatch(/^[A-Z2-7]{16,}$/);
  await expect(button(page, 'Copy secret')).toBeVisible();
  await button(page, 'Next').press('Enter');

  await expect(current).toHaveText('3. Enter a code');
  await expect(field(page, 'Code')).toBeFocused();
  await page.keyboard.type(codeOf(secret));
  await page.keyboard.press('Enter');
  await expect(button(page, 'User menu of Nadia Sorensen')).toBeVisible();

  // Later sign-ins require the code only; Back restarts the sign-in.
  await page.goto('/logout');
  await expect(page).toHaveURL('/login');
  await login(page, email);
  await expect(page.getByRole('heading', { name: 'Two-factor authentication', level: 1 })).toBeVisible();
  await button(page, 'Back').click();
  await expect(field(page, 'Email')).toBeFocused();
  await expect(field(page, 'Password')).toHaveValue('');
});

test('an expired sign-in restarts with its reason', async ({ page }) => {
  const ended = 'This sign-in has expired. Start again with your email address and password.';
  await page.route('**/api/v1/auth/complete-mfa', (route) =>
    route.fulfill({ status: 400, json: { code: 'invalid', error: ended, errors: { nonce: [ended] } } }),
  );
  await page.goto('/login');
  await login(page, personaOf('mfaUser').email);
  await field(page, 'Code').fill('123456');
  await field(page, 'Code').press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: ended })).toBeVisible();
  await expect(field(page, 'Email')).toBeFocused();
});

/** Read from the delivered email: the outbox hides links. */
async function resetPathFor(email: string): Promise<string> {
  const linkIn = async () => /\/passwordReset\/[\w-]+/.exec((await mailsTo(email, '/passwordReset/')).at(-1) ?? '')?.[0];
  await expect.poll(linkIn).toBeTruthy();
  return (await linkIn()) ?? '';
}
test('a user resets a forgotten password with the emailed link, once', async ({ page }) => {
  const { email } = personaOf('partnerSuperAnalyst');
  await page.goto('/login');
  await button(page, 'Forgot Password').click();
  const dialog = page.getByRole('dialog', { name: 'Forgot Password' });
  const address = dialog.getByRole('textbox', { name: 'Email' });
  await expect(address).toBeFocused();
  await expect(dialog.getByRole('button', { name: 'Send Email' })).toBeDisabled();
  await address.fill('abc');
  await address.blur();
  await expect(address).toHaveAccessibleDescription(/Min character length is 4/);
  // An undeliverable address is rejected, at the field too.
  await address.fill('no address');
  await dialog.getByRole('button', { name: 'Send Email' }).click();
  await expect(toast(page, 'Failed to send reset email')).toBeVisible();
  await address.fill(email);
  await address.press('Enter');
  await expect(toast(page, 'Reset email has been sent')).toBeVisible();
  await expect(dialog).toHaveCount(0);

  const path = await resetPathFor(email);
  await page.goto(path);
  const [first, second] = [field(page, 'New password'), field(page, 'Confirm password')];
  await expect(first).toBeFocused();
  const rules = page.getByRole('list', { name: 'The password needs' });
  await first.fill('short');
  await expect(rules.getByRole('listitem').filter({ hasText: 'One lower case letter' })).toContainText('Met:');
  await expect(rules.getByRole('listitem').filter({ hasText: '12 to 64 characters' })).toContainText('Missing:');
  await second.fill('short');
  await second.press('Enter');
  const weak = "The password you entered doesn't match the complexity requirements, please choose a different password.";
  await expect(first).toHaveAccessibleDescription(new RegExp(weak.replace('?', '\\?')));
  await expect(first).toBeFocused();
  await first.fill('Quiet-Lantern-27!');
  await second.press('Enter');
  await expect(second).toHaveAccessibleDescription('Min character length is 12');
  await second.fill('Quiet-Lantern-28!');
  await second.press('Enter');
  await expect(second).toHaveAccessibleDescription("The passwords you entered don't match, please try again");
  await second.fill('Quiet-Lantern-27!');
  await second.press('Enter');
  await expect(toast(page, 'Your password has been succesfully reset')).toBeVisible();
  await expect(page).toHaveURL('/login');

  await page.goto(path);
  await expect(toast(page, 'Password reset link is either invalid or has expired')).toBeVisible();
  await expect(page).toHaveURL('/login');
  await login(page, email, 'Quiet-Lantern-27!');
  await expect(button(page, 'User menu of Imani Fletcher')).toBeVisible();
  await expect(signIn(portal.url, 'partnerSuperAnalyst')).rejects.toThrow('could not sign in');
});

test('a reset link with a past date or a bad token is rejected, and signed-in users never see the form', async ({
  page,
  asPersona,
}) => {
  const form = { email: 'a@alder.example', token: 'one', expirationDate: '2020-01-01T00:00:00.000Z' };
  await page.route('**/api/v1/user/reset-pass-form/*', (route) => route.fulfill({ json: form }));
  await page.goto('/passwordReset/one');
  await expect(toast(page, 'Password reset link is either invalid or has expired')).toBeVisible();
  await expect(page).toHaveURL('/login');
  form.expirationDate = new Date(Date.now() + 60_000).toISOString();
  await page.goto('/passwordReset/two');
  await expect(toast(page, 'Password reset link is either invalid or has expired')).toBeVisible();
  await expect(page).toHaveURL('/login');
  await page.goto('/passwordReset/one');
  await expect(field(page, 'New password')).toBeVisible();
  await asPersona('manager', '/passwordReset/one');
  await expect(page).toHaveURL(/\/apps\/dashboard/);
});

test('the single sign-on callback handles an error, a wrong code and missing parameters', async ({ page }) => {
  await page.goto('/auth/microsoft/callback?error=access_denied');
  await expect(toast(page, 'Microsoft authentication failed')).toBeVisible();
  await expect(page).toHaveURL('/login');

  let letPass = () => {};
  const held = new Promise<void>((resolve) => {
    letPass = resolve;
  });
  await page.route('**/api/v1/auth/access-token', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/auth/microsoft/callback?token=not-a-code&redirect_url=/apps/devices');
  // Removed from the address before the first request.
  await expect(page).toHaveURL('/auth/microsoft/callback');
  letPass();
  await expect(toast(page, 'Authentication failed')).toBeVisible();
  await expect(page).toHaveURL('/login');

  await page.goto('/auth/microsoft/callback');
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('heading', { name: 'Sign in', level: 1 })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a returned token signs in and opens its path', async ({ page }) => {
  const token = await ownTokenOf('manager');
  await page.goto(`/auth/microsoft/callback?token=${token}&redirect_url=${encodeURIComponent('/apps/alerts?page=2')}`);
  await expect(page).toHaveURL(/\/apps\/alerts\?.*page=2/);
  await expect(button(page, 'User menu of Stephen Moreau')).toBeVisible();
});

const elsewhere = ['//evil.example', 'https://evil.example/', '/\\evil.example', '/..//evil.example', 'javascript:alert(1)'];

test('addresses never redirect to another origin', async ({ page, asPersona }) => {
  const left: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== portal.url && !request.url().startsWith('data:')) left.push(request.url());
  });
  await asPersona('manager', '/sso-auth?redirect_url=/apps/devices');
  await expect(page).toHaveURL(/\/apps\/devices/);
  await page.goto('/churnzeroauth?next=/apps/devices');
  await expect(page).toHaveURL(/\/apps\/devices/);
  for (const path of elsewhere) {
    for (const way of ['/sso-auth?redirect_url=', '/churnzeroauth?next=', '/login?redirect_url=']) {
      await page.goto(way + encodeURIComponent(path));
      await expect(page, way + path).toHaveURL(/\/apps\/dashboard/);
    }
  }
  expect(left).toEqual([]);
});

test('a guest signs in first and then reaches the requested address', async ({ page, context }) => {
  await page.goto('/sso-auth?redirect_url=//evil.example');
  await expect(page).toHaveURL('/login');
  await page.goto('/churnzeroauth?next=/apps/devices');
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('status').filter({ hasText: 'No access token available' })).toBeVisible();
  const other = await context.newPage();
  await keepToken(other, await ownTokenOf('manager'));
  await other.goto('/apps/dashboard');
  await expect(page).toHaveURL(/\/apps\/devices/);
});

/** Serves the host’s brand with further features enabled. */
async function switchOn(page: Page, changes: object) {
  await page.route('**/api/v1/brand', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changes } });
  });
}

test('single sign-on, when configured, starts with the return path', async ({ page }) => {
  await switchOn(page, { singleSignOn: true });
  await page.route('**/api/v1/Auth/login/microsoft*', (route) => route.fulfill({ body: 'the identity provider' }));
  const started = `/api/v1/Auth/login/microsoft?redirect_url=${encodeURIComponent('/apps/devices')}`;
  await page.goto('/apps/devices');
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('link', { name: 'Login with Microsoft' })).toHaveAttribute('href', started);
  await page.goto('/sso-auth?redirect_url=/apps/devices');
  await expect(page).toHaveURL(started);
});

test('customer success, when configured, opens first after a sign-in', async ({ page }) => {
  await switchOn(page, { customerSuccess: true });
  const requests: (string | null)[] = [];
  await page.route('**/api/v1/auth/churnzero-auth*', async (route) => {
    requests.push(new URL(route.request().url()).searchParams.get('link'), await route.request().headerValue('authorization'));
    await route.fulfill({ json: { url: 'https://tool.example/arrive?contactID=1' } });
  });
  await page.route('https://tool.example/**', (route) => route.fulfill({ body: 'the tool' }));
  await page.goto('/apps/devices');
  await expect(page).toHaveURL('/login');
  await login(page, personaOf('otherClientAdmin').email);
  await expect(page).toHaveURL('https://tool.example/arrive?contactID=1');
  expect(requests).toEqual(['/apps/devices', expect.stringMatching(/^Bearer /)]);
  // Customer success redirects back, signed in.
  await page.goto('/apps/devices');
  await expect(button(page, 'User menu of Beth Castellan')).toBeVisible();
  await page.goto('/churnzeroauth?next=/apps/alerts');
  await expect(page).toHaveURL('https://tool.example/arrive?contactID=1');
  expect(requests[2]).toBe('/apps/alerts');
});

test('a visitor registers, when registration is enabled, and sees the confirmation', async ({ page }) => {
  await switchOn(page, { registration: true });
  await page.route('**/api/v1/auth/register', (route) => route.fulfill({ json: { access_token: null } }));
  await page.goto('/register');
  await expect(field(page, 'First name')).toBeFocused();
  await field(page, 'Last name').fill('Moss');
  await button(page, 'Register').click();
  await expect(field(page, 'First name')).toBeFocused();
  await expect(field(page, 'First name')).toHaveAccessibleDescription('This field is required.');
  await field(page, 'First name').fill('Ida');
  await field(page, 'Email').fill('ida@new.example');
  await field(page, 'Company').fill('New Ltd');
  await field(page, 'Company').press('Enter');
  await expect(page.getByRole('heading', { name: 'Thank you', level: 1 })).toBeFocused();
  await expect(page.getByText('ida@new.example')).toBeVisible();
  expect(await storedToken(page)).toBeNull();
});

test('registration is by invitation when disabled', async ({ page }) => {
  await page.goto('/pages/faq');
  await page.getByRole('banner').getByRole('link', { name: 'Register' }).click();
  await expect(page).toHaveURL('/register');
  await expect(page.getByText(/Ask your administrator to invite you/)).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await expect(page).toHaveURL('/login');
});

test('a logout clears the remembered path in every tab', async ({ page, context, asPersona }) => {
  await asPersona('analyst', '/apps/devices', await ownTokenOf('analyst'));
  await expect(page.getByRole('heading', { name: 'Data Sources', level: 1 })).toBeVisible();
  const other = await context.newPage();
  await other.goto('/apps/alerts?timeframe=lastMonth');
  await expect(other.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await page.goto('/logout');
  for (const each of [page, other]) await expect(each).toHaveURL('/login');
  expect(await storedToken(other)).toBeNull();
  // The next user starts at the default page.
  await page.evaluate((token) => localStorage.setItem('jwt_access_token', token), await ownTokenOf('manager'));
  await expect(other).toHaveURL(/\/apps\/dashboard/);
});

test('an open page reports an expired token', async ({ page, asPersona }) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  await asPersona('analyst', '/pages/faq', `${part({ alg: 'HS256' })}.${part({ sub: '1', iat: now - 7200, exp: now - 60 })}.eA`);
  await expect(toast(page, 'access_token expired')).toBeVisible();
  await expect(page).toHaveURL('/pages/faq');
});

test('a partner’s host name shows the partner’s brand and nothing of the provider', async ({ page }) => {
  const harbor = new URL(portal.url);
  harbor.hostname = 'harbor.localhost';
  const provider = async () => {
    const shown = await page.evaluate(() => [
      document.title,
      document.body.innerText,
      ...[...document.querySelectorAll('[title],[alt],[aria-label],[href]')].flatMap((element) =>
        ['title', 'alt', 'aria-label', 'href'].map((name) => element.getAttribute(name) ?? ''),
      ),
    ]);
    return shown.filter((text) => /parapet/i.test(text));
  };
  for (const [path, heading] of [
    ['/login', 'Sign in'],
    ['/register', 'Register'],
    ['/pages/faq', 'FAQ'],
    ['/pages/errors/error-404', 'Page not found'],
  ]) {
    await page.goto(new URL(path as string, harbor).href);
    await expect(page.getByRole('heading', { name: heading as string, level: 1 })).toBeAttached();
    await expect(page).toHaveTitle(/· Harbor Managed IT$/);
    expect(await provider(), path as string).toEqual([]);
    // The partner’s accent replaces the portal’s.
    const accent = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--mui-palette-primary-main'),
    );
    expect(accent.trim()).not.toBe('#0b6b66');
  }
  await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Contact' })).toHaveAttribute('href', /harbor\.example/);
});
