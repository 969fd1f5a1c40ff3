/** Proof that a request comes from a webhook source: the secret itself, or a signature of the body. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookAuthentication } from '@parapet/contract/webhookSources.ts';

interface Verifier {
  authentication: WebhookAuthentication;
  header: string;
  secret: string;
}

export const isSigned = ({ authentication }: Pick<Verifier, 'authentication'>): boolean => authentication !== 'header';

/** Tolerated difference of clocks, by Standard Webhooks. */
const toleranceMs = 5 * 60_000;

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' && value.length <= 4_096 ? value.trim() : undefined;
};

/** The secret in its header, with or without `Bearer`. */
export function provesSecret({ header, secret }: Verifier, headers: IncomingHttpHeaders): boolean {
  const given = headerOf(headers, header)?.replace(/^bearer +/i, '');
  return given !== undefined && isEqual(Buffer.from(given), Buffer.from(secret));
}

/** Fault of a signature in words; undefined for a valid one. */
export function faultOfSignature(
  { authentication, header, secret }: Verifier,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): string | undefined {
  return authentication === 'standard' ? faultOfStandard(secret, headers, body, now) : faultOfHmac(header, secret, headers, body);
}

/** `sha256=<hex>`, hex alone or base64 alone. */
function faultOfHmac(header: string, secret: string, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
  const given = headerOf(headers, header)?.replace(/^sha256=/i, '');
  if (given === undefined) return `The header ${header} with the signature is missing.`;
  const expected = createHmac('sha256', secret).update(body).digest();
  const isHex = /^[0-9a-f]{64}$/i.test(given);
  return isEqual(Buffer.from(given, isHex ? 'hex' : 'base64'), expected)
    ? undefined
    : `The signature in ${header} doesn’t match: expected HMAC-SHA256 of the uncompressed body with the secret.`;
}

/** Source: github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md, version 1. */
function faultOfStandard(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: number): string | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) return 'The headers webhook-id, webhook-timestamp and webhook-signature are required.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1_000) > toleranceMs)
    return 'The webhook-timestamp is more than 5 minutes from the portal’s time.';
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isValid = signatures
    .split(' ')
    .slice(0, 20)
    .some((each) => each.startsWith('v1,') && isEqual(Buffer.from(each.slice(3), 'base64'), expected));
  return isValid ? undefined : 'No signature in webhook-signature matches.';
}

/** In constant time, whatever the lengths. */
const isEqual = (a: Buffer, b: Buffer): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (value: Buffer) => createHash('sha256').update(value).digest();
