/** Content-security policy, Trusted Types and response headers. accessibility.e2e.ts checks every page for foreign requests and policy violations. */
import { personaOf } from '@parapet/world/personas.ts';
import { expect, test, tokenOf } from './fixtures.ts';
import { watchPolicy } from './policy.ts';

/** A one-pixel image. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test.describe(() => {
  test.use({ provoked: /This document requires '(TrustedHTML|TrustedScript)' assignment/ });

  test('an injected script does not run, and text does not become markup', async ({ page, asPersona }) => {
    await asPersona('manager', '/pages/faq');
    await expect(page.getByRole('heading', { name: 'FAQ', level: 1 })).toBeVisible();
    const tried = await page.evaluate(() => {
      const inline = document.createElement('script');
      const attempt = (work: () => void): string => {
        try {
          work();
          return 'done';
        } catch (error) {
          return (error as Error).name;
        }
      };
      return {
        markup: attempt(() => {
          document.createElement('p').innerHTML = '<b>text</b>';
        }),
        script: attempt(() => {
          inline.text = 'window.ran = true';
          document.body.append(inline);
        }),
        evaluation: attempt(() => {
          setTimeout('window.ran = true' as unknown as () => void);
        }),
        ran: 'ran' in window,
      };
    });
    expect(tried).toEqual({ markup: 'TypeError', script: 'TypeError', evaluation: 'TypeError', ran: false });
  });
});

test('components that inject styles use the page’s nonce and violate no policy', async ({ page, asPersona }) => {
  const breaches = await watchPolicy(page);
  // Toasts and the crop dialog.
  await asPersona('host', '/apps/profile/1');
  const choose = page.locator('input[type=file]').first();
  await choose.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
  await expect(page.getByRole('dialog')).toBeVisible();
  const stage = page.locator('.reactEasyCrop_Container');
  await expect(stage).toHaveCSS('position', 'absolute');
  await page.keyboard.press('Escape');
  // The configuration editor.
  await page.goto('/apps/filebeatconfig/10?tab=text');
  await expect(page.locator('.cm-scroller')).toHaveCSS('display', 'flex');
  // The grid, and a chart exported as an image.
  await page.goto('/apps/alerts?timeframe=lastMonth');
  await expect(page.getByRole('grid').or(page.getByRole('list')).first()).toBeVisible();
  expect(breaches).toEqual([]);
});

test.describe(() => {
  test.use({ provoked: /content security policy|style-src/i });

  test('a style without the page’s nonce does not apply', async ({ page, asPersona }) => {
    const breaches = await watchPolicy(page);
    await asPersona('manager', '/pages/faq');
    await expect(page.getByRole('heading', { name: 'FAQ', level: 1 })).toBeVisible();
    const colour = await page.evaluate(() => {
      const style = document.createElement('style');
      style.append(document.createTextNode('body { outline-color: rgb(1, 2, 3) }'));
      document.head.append(style);
      return getComputedStyle(document.body).outlineColor;
    });
    expect(colour).not.toBe('rgb(1, 2, 3)');
    await expect.poll(() => breaches).toEqual([expect.stringMatching(/^style-src-elem inline /)]);
  });
});

const expected = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'strict-transport-security': /max-age=31536000/,
  'content-security-policy':
    /default-src 'self'.*script-src 'self'.*object-src 'none'.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
  'cross-origin-opener-policy': 'same-origin',
};

for (const [what, path] of [
  ['a page', '/apps/alerts'],
  ['a response', '/api/v1/brand'],
  ['a rejected request', '/api/v1/tags?selectedClientOrgID=0'],
  ['a missing endpoint', '/api/v1/no-such-call'],
  ['the readiness probe', '/readyz'],
] as const) {
  test(`${what} has the security headers`, async ({ request }) => {
    const headers = (await request.get(path)).headers();
    for (const [name, value] of Object.entries(expected)) {
      expect(headers[name], name).toEqual(typeof value === 'string' ? value : expect.stringMatching(value));
    }
    expect(headers['content-security-policy']?.replace("style-src-attr 'unsafe-inline'", '')).not.toMatch(
      /unsafe-eval|unsafe-inline/,
    );
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('server');
  });
}

test('responses with data are never cached, hashed assets are cached as immutable', async ({ request, page }) => {
  const files: string[] = [];
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname;
    if (path.startsWith('/assets/') && path.endsWith('.js')) files.push(path);
  });
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  expect((await request.get(files[0] as string)).headers()['cache-control']).toMatch(/max-age=31536000.*immutable/);
  expect((await request.get('/login')).headers()['cache-control']).toBe('no-store');
  const me = await request.get('/api/v1/tags?selectedClientOrgID=0', { headers: { authorization: `Bearer ${tokenOf('host')}` } });
  expect(me.status()).toBe(200);
  expect(me.headers()['cache-control']).toMatch(/no-store/);
});

test('pages keep passwords and tokens out of the address and of storage other than the session’s', async ({
  page,
  asPersona,
}) => {
  await asPersona('manager', '/apps/alerts');
  await expect(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  const stored = await page.evaluate(() => ({
    session: JSON.stringify(sessionStorage),
    cookies: document.cookie,
    names: Object.keys(localStorage),
    local: JSON.stringify(localStorage),
  }));
  expect(stored.names).toContain('jwt_access_token');
  expect(stored.session + stored.cookies).not.toMatch(/eyJ/);
  expect(stored.local).not.toContain(personaOf('manager').email);
});
