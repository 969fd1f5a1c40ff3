/** Security headers on every kind of response: pages, calls, refusals, errors, ingest. */
import { expect, test } from 'vitest';
import { useTestApp } from './app.ts';

const t = useTestApp();

test.each([
  ['GET', '/healthz'],
  ['GET', '/api/v1/openapi.json'],
  ['GET', '/api/v1/no-such-call'],
  ['GET', '/apps/dashboard'],
  ['POST', '/api/v1/auth/authenticate'],
  ['GET', '/ClientOrganization/GetAllClients'],
  ['GET', '/ingest/'],
  ['POST', '/ingest/_bulk'],
  ['GET', '/services/collector/health'],
  ['POST', '/services/collector/event'],
  ['POST', '/v1/logs'],
] as const)('%s %s', async (method, url) => {
  const { headers } = await t.application.app.inject({ method, url });
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.stringMatching(/camera=\(\), .*publickey-credentials-get=\(self\)$/),
  });
  const policy = String(headers['content-security-policy']);
  for (const part of [
    "default-src 'self'",
    "script-src 'self'",
    "object-src 'none'",
    'report-uri /api/v1/csp-report',
    'report-to csp',
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types notifications',
  ]) {
    expect(policy.split(';')).toContain(part);
  }
  expect(policy.replace("style-src-attr 'unsafe-inline'", '')).not.toMatch(/unsafe-inline|unsafe-eval/);
  expect(headers).not.toHaveProperty('x-powered-by');
});
