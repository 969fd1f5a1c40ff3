/** Browsers in which a person gets notifications (Push API, RFC 8030). */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, instant, line, results } from './primitives.ts';
import { maxBrowsers } from './rules/deliveries.ts';

/** URL-safe base64 of so many characters, without padding. */
const base64url = (length: number) =>
  z
    .string()
    .length(length)
    .regex(/^[\w-]+$/);

export const notifiedBrowser = z.object({
  id: id.describe('ID of the browser.'),
  userAgent: line.describe('User-Agent header of the browser.'),
  service: line.describe('Host of its push service.'),
  fingerprint: base64url(43).describe('SHA-256 of the address at the push service, by which a browser recognises itself.'),
  addedAt: instant.describe('Time at which notifications were turned on.'),
  acceptedAt: instant.nullable().describe('Newest notification that the push service accepted; null before the first.'),
  error: line.nullable().describe('Newest failure in the push service’s words; null after a success.'),
});
export type NotifiedBrowser = z.infer<typeof notifiedBrowser>;

export const browserNotificationsApi = {
  browsers: endpoint({
    id: 'account.browsers',
    route: 'GET /account/browsers',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Lists the browsers in which the caller gets notifications.',
    answer: results(notifiedBrowser, maxBrowsers).extend({
      publicKey: base64url(87).describe('Public key of the portal for push services (RFC 8292).'),
    }),
  }),
  addBrowser: endpoint({
    id: 'account.addBrowser',
    route: 'POST /account/browsers',
    allow: 'session:use',
    freshness: 'fresh',
    summary:
      'Turns notifications on in the caller’s browser. It gets events that a target of its organisation sends and the caller may read.',
    body: z.object({
      endpoint: z
        .string()
        .max(1_500)
        .regex(/^https?:\/\/[^\s@]{1,1500}$/)
        .describe('Address at the push service.'),
      p256dh: base64url(87).describe('Public key of the browser, an uncompressed point on P-256.'),
      auth: base64url(22).describe('Authentication secret of the browser, 16 bytes.'),
    }),
    answer: notifiedBrowser,
  }),
  removeBrowser: endpoint({
    id: 'account.removeBrowser',
    route: 'DELETE /account/browsers/:id',
    allow: 'session:use',
    freshness: 'none',
    summary: 'Turns notifications off in one of the caller’s browsers.',
    params: z.object({ id: id.describe('ID of the browser.') }),
    answer: nothing,
  }),
};
