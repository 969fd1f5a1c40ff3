/** Calls of PSA systems, their failures, and the texts that are compared with what was sent. */
import { VendorError } from '../errors.ts';
import { failureOf, isSuccess } from './outcomes.ts';
import type { OutAnswer, Outcome, OutRequest, Send } from './target.ts';

/** An answer that is no success, or that cannot be read. */
export class TicketFailure extends VendorError {
  override name = 'TicketFailure';
  readonly outcome: Outcome;
  readonly status: number;

  constructor(outcome: Outcome, status: number) {
    super(outcome.kind === 'accepted' ? '' : outcome.words);
    this.outcome = outcome;
    this.status = status;
  }
}

/** Statuses that concern the whole PSA: credentials, limits, time. */
const ofAll = new Set([401, 407, 408, 425, 429]);
/** True for a refusal of one thing, as opposed to that of every request. */
export const isOfOneThing = ({ status }: TicketFailure): boolean => status >= 400 && status < 500 && !ofAll.has(status);

/** Bytes of an answer with a list. A longer one fails. */
export const maxListBytes = 1024 * 1024 - 1;
/** Companies that a form offers at most. */
export const maxCompanies = 2_000;

/** A call of a PSA with a path below its API. Returns the parsed answer. */
export type JsonCall = (method: OutRequest['method'], path: string, body?: unknown) => Promise<unknown>;

/** Sends a request and parses its JSON. */
export async function callJson(who: string, send: Send, request: OutRequest): Promise<unknown> {
  const answer = await send({ maxBytes: maxListBytes, ...request });
  if (!isSuccess(answer)) throw new TicketFailure(failureOf(who, answer), answer.status);
  return parsed(who, answer);
}

function parsed(who: string, { text, status }: OutAnswer): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw new TicketFailure({ kind: 'retry', words: `${who} returned an answer that is too long, or that is not JSON.` }, status);
  }
}

/** The result, or undefined for a thing that the PSA does not have. */
export async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TicketFailure && error.status === 404) return undefined;
    throw error;
  }
}

export const unconfirmed = (who: string, thing: string): TicketFailure =>
  new TicketFailure({ kind: 'retry', words: `${who} didn’t confirm the ${thing}: its answer has no id.` }, 200);

/** Id of a row as text; undefined for anything that is none. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && /^[\w-]{1,60}$/.test(value) ? value : undefined;
}

/** Id of what a PSA made. Throws `TicketFailure` for an answer without one. */
export function confirmedId(who: string, thing: string, value: unknown): string {
  const id = idText(value);
  if (id === undefined) throw unconfirmed(who, thing);
  return id;
}

const maxLabel = 200;
/** Name of a row on one line. */
export const labelText = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
        .trim()
        .slice(0, maxLabel)
        .toWellFormed()
    : '';

/** Text without markup and with single spaces, as a note is compared after a PSA changed its form. */
export const plainOf = (text: string): string =>
  text
    .replace(/<br\s*\/?>|<\/(?:p|div|li)>/gi, '\n')
    .replace(/<[^>]{0,500}>/g, '')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');
/** Entities within entities, as an answer was plain once already. */
const maxPasses = 5;
/** Text as it is compared with the text that was sent. */
export function comparable(text: string): string {
  let plain = text;
  for (let pass = 1, before = ''; pass <= maxPasses && plain !== before; pass++) [before, plain] = [plain, plainOf(plain)];
  return plain.replace(/\s+/g, ' ').trim();
}
