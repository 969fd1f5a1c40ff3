/** Outcomes of deliveries by their HTTP responses. Nothing of a response is trusted. */
import { waitOf } from '../requests.ts';
import { objectOf } from '../values.ts';
import type { OutAnswer, Outcome } from './target.ts';

const maxQuoted = 300;

/** The part of an answer that people may read: its message, or its text without markup. */
export function quotedOf(text: string): string {
  const plain = sentenceOf(text) ?? text;
  const line = /<html|<!doctype/i.test(plain) ? '' : plain.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxQuoted ? `${line.slice(0, maxQuoted).toWellFormed()}…` : line;
}

function sentenceOf(text: string): string | undefined {
  const body = jsonOf(text);
  if (!body) return undefined;
  const errors = Array.isArray(body.errors) ? body.errors.filter((each) => typeof each === 'string') : [];
  const first = ['errorMessage', 'message', 'error_description', 'error', 'detail', 'title', 'text']
    .map((name) => objectOf(body[name])?.message ?? objectOf(body[name])?.reason ?? body[name])
    .find((each) => typeof each === 'string');
  const reason = [first, ...errors].filter(Boolean).join(': ');
  return reason === '' ? undefined : reason;
}

/** A JSON object; undefined for anything else. */
export function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Statuses that no repetition changes: the message itself is at fault. */
const refusals = new Set([400, 413, 414, 415, 422]);

/** Outcome of an answer outside 200 to 299. */
export function failureOf(who: string, { status, headers, text }: OutAnswer): Outcome {
  const quote = quotedOf(text);
  const words = `${who} returned ${status}${quote === '' ? '.' : `: ${quote}`}`;
  if (status >= 300 && status < 400) return { kind: 'retry', words: `${who} redirects elsewhere. Redirects are not followed.` };
  if (refusals.has(status)) return { kind: 'refused', words };
  if (status === 429 || headers.has('retry-after')) return { kind: 'retry', words, afterMs: waitOf(headers) };
  return { kind: 'retry', words };
}

export const isSuccess = ({ status }: OutAnswer): boolean => status >= 200 && status < 300;

/** Outcome where the status alone confirms. */
export const outcomeOf = (who: string, answer: OutAnswer, id: string | null = null): Outcome =>
  isSuccess(answer) ? { kind: 'accepted', id } : failureOf(who, answer);

export const jsonHeaders = { 'content-type': 'application/json', 'user-agent': 'Portal-Deliveries/1' } as const;

/** Path segment of an id from another system. */
export const segment = (id: string): string => encodeURIComponent(id.slice(0, 200));
