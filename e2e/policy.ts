import type { Page } from '@playwright/test';
import { portal } from './fixtures.ts';

/** Records every later request to another host and every violation of the content-security policy. */
export async function watchPolicy(page: Page): Promise<string[]> {
  const breaches: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== portal.url && !['data:', 'blob:'].includes(url.protocol)) breaches.push(`request to ${request.url()}`);
  });
  await page.exposeFunction('policyBroken', (what: string) => breaches.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (window as unknown as { policyBroken: (what: string) => void }).policyBroken;
      report(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} on ${location.pathname}`);
    });
  });
  return breaches;
}
