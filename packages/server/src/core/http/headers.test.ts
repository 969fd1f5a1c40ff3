import { expect, test } from 'vitest';
import { pageWithNonce, securityHeaders } from './headers.ts';

test('gives each page its own nonce, in styles and policy', async () => {
  const page = pageWithNonce('<style nonce="__nonce__"></style><style nonce="__nonce__"></style>', await securityHeaders());
  const [first, second] = [page(), page()];
  const nonces = [...first.html.matchAll(/nonce="([\w+/=]{24})"/g)].map(([, nonce]) => nonce);
  expect(nonces).toHaveLength(2);
  expect(new Set(nonces).size).toBe(1);
  const policy = first.headers['content-security-policy'];
  expect(policy).toContain(`style-src 'self' 'nonce-${nonces[0]}';`);
  expect(policy).toContain("script-src 'self';");
  expect(policy?.replace("style-src-attr 'unsafe-inline'", '')).not.toContain('unsafe');
  expect(second.html).not.toContain(nonces[0]);
  expect(second.headers['content-security-policy']).not.toContain(nonces[0]);
  // A kept page would be shown under the policy of another answer.
  expect(first.headers['cache-control']).toBe('no-store');
  expect(first.headers['reporting-endpoints']).toBe('csp="/api/v1/csp-report"');
});

test('names the files of the page of an address', async () => {
  const files = new Map([['case', ['/assets/CasePage-1.js', '/assets/parts-2.js']]]);
  const page = pageWithNonce('<meta name="page" content="__page__">', await securityHeaders(), files);
  for (const path of ['/apps/case/7', '/APPS/Case/7', '/apps/case'])
    expect(page(path).html).toBe('<meta name="page" content="/assets/CasePage-1.js /assets/parts-2.js">');
  for (const path of ['/apps/cases', '/login', '/apps/__proto__', '/x/apps/case/1'])
    expect(page(path).html).toContain('content=""');
});
