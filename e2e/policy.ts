import type { Page } from '@playwright/test';
import { portal } from './fixtures.ts';

/** Notes from now on, whatever the page opens, each request to another host and each breach of the content-security policy (decision 6). */
export async function watchPolicy(page: Page): Promise<string[]> {
  const breaches: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== portal.url && !['data:', 'blob:'].includes(url.protocol)) breaches.push(`asks ${request.url()}`);
  });
  await page.exposeFunction('policyBroken', (what: string) => breaches.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const tell = (window as unknown as { policyBroken: (what: string) => void }).policyBroken;
      tell(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} on ${location.pathname}`);
    });
  });
  return breaches;
}
