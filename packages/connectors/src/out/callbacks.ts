/**
 * Requests of the other side to the portal: presses in chat, and changes at a PSA. They are verified by their raw bytes, and believed in nothing but
 * what they name: a change is read at the PSA, a press is judged by the rights of its person.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { objectOf } from '../values.ts';
import type { CallbackRequest } from './target.ts';

/** Name of the secret among the values of a target. */
export const callbackSecret = 'callbackSecret';

const maxHeader = 4_096;

export const headerIn = ({ headers }: CallbackRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' && value.length <= maxHeader ? value.trim() : undefined;
};

/** In constant time, whatever the lengths. */
export const isSame = (a: string | Buffer, b: string | Buffer): boolean => timingSafeEqual(digest(a), digest(b));
const digest = (value: string | Buffer): Buffer => createHash('sha256').update(value).digest();

export const hmac = (algorithm: 'sha1' | 'sha256', key: string | Buffer, ...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((made: ReturnType<typeof createHmac>, part) => made.update(part), createHmac(algorithm, key)).digest();

/** Body as a JSON object; undefined for anything else. */
export function jsonBody(body: Buffer): Record<string, unknown> | undefined {
  try {
    return objectOf(JSON.parse(body.toString('utf8')));
  } catch {
    return undefined;
  }
}

/** An id of a ticket within a request; nothing for what can be none. */
export const ticketIdIn = (value: unknown): string[] =>
  (typeof value === 'number' && Number.isSafeInteger(value)) || (typeof value === 'string' && /^\w{1,60}$/.test(value))
    ? [String(value)]
    : [];
