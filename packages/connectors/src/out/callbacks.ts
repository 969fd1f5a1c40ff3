/**
 * Requests of the other side to the portal: presses in chat, and changes at a PSA. They are verified by their raw bytes, and believed in nothing but
 * what they name: a change is read at the PSA, a press is judged by the rights of its person.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Values } from '../connector.ts';
import { objectOf } from '../values.ts';
import type { Message, Send } from './target.ts';

export interface CallbackRequest {
  /** Headers by their name in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
  /** Arrival in milliseconds since 1970. */
  at: number;
}

/** A press of a button in chat. */
export interface Press {
  action: 'acknowledge' | 'assign';
  /** Id of the message that had the button. */
  messageId: string;
  workspace: string;
  account: string;
  /** Name of the account, for people. */
  name: string;
  /** Address for a reply; empty without one. */
  replyUrl: string;
}

/** Meaning of a genuine request; undefined for one that needs nothing. */
export type Callback = { kind: 'tickets'; ids: readonly string[] } | { kind: 'press'; press: Press } | undefined;

export interface Callbacks {
  /** `given`: a secret of the other side, entered by an administrator. `generated`: by the portal, shown once. `none`: keys of the other side. */
  secret: 'given' | 'generated' | 'none';
  /** Instructions for administrators. */
  steps: readonly string[];
  /** Proof of a genuine request, the same for a repeated one; undefined for any other. */
  prove(request: CallbackRequest, values: Values, send: Send): Promise<string | undefined>;
  /** True where a repeated proof is refused; elsewhere a repetition does no harm. */
  isOnce: boolean;
  read(request: CallbackRequest): Callback;
  /** Replies to a press; `original` is its message, whose buttons make way for the text. */
  reply?(press: Press, reply: { text: string; original?: Message }, values: Values, send: Send): Promise<void>;
  /** Has the other side send requests to an address; absent where people set that up. */
  subscribe?(values: Values, send: Send, address: string): Promise<void>;
}

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
