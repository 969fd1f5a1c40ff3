/**
 * Contract of an outbound target: how an address at another system is described, and how one delivery is sent to it. A target keeps no state; the
 * caller stores the outcome, repeats what was not accepted, and decides which addresses are allowed.
 */
import type { Field, Values } from '../connector.ts';
import type { BillingApi } from './agreements.ts';
import type { LinkedTicket, TicketApi, Ticketing } from './tickets.ts';

export const capabilities = ['notify', 'ticket', 'export'] as const;
export type Capability = (typeof capabilities)[number];

/** Stage of a case for the other side: opened, in work, or over; `none` for anything that is no case. */
export type Stage = 'opened' | 'acknowledged' | 'closed' | 'none';

/** One message, as the client may read it. The same on every attempt. */
export interface Message {
  /** Stable over attempts and replays (UUID): the idempotency key. */
  id: string;
  /** Name in the event catalogue. */
  event: string;
  /** ISO 8601 time of the event. */
  at: string;
  /** Subject, such as `case-12`: messages about one thing share it. */
  subject: string;
  stage: Stage;
  severity: 'critical' | 'high' | 'medium' | 'low' | 'informational' | null;
  /** Name of the portal under its brand. */
  sender: string;
  client: string;
  title: string;
  /** Name and value for people, one per line. */
  facts: readonly (readonly [string, string])[];
  /** Page in the portal. */
  url: string;
  /** The event's data by its schema, for machines. */
  data: Readonly<Record<string, unknown>>;
}

export interface Delivery {
  message: Message;
  /** 1 for the first attempt. */
  attempt: number;
  /** Time of this attempt, in milliseconds since 1970. */
  at: number;
  /** Id that the other side gave to the first message about this subject. */
  openedAs: string | null;
  /** True when a client owns the target: none of its roles may acknowledge cases. */
  isOfClient?: boolean;
  /** For cases as tickets; absent for kinds without `tickets`. */
  ticketing?: Ticketing;
}

export interface OutRequest {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Recorded in place of a body with a file. */
  summary?: string;
  /** Read of the answer at the longest; a small answer is expected without it. */
  maxBytes?: number;
  /** Request and answer are credentials, which are not kept. */
  isConfidential?: boolean;
}

export interface OutAnswer {
  status: number;
  headers: Headers;
  /** Bounded; the rest was not read. */
  text: string;
}

/** Sends a request through the caller's rules of egress. Redirects are not followed. Throws an error of `errors.ts` without an answer. */
export type Send = (request: OutRequest) => Promise<OutAnswer>;

/** Bytes over a connection of their own with TLS. */
export interface OutBytes {
  host: string;
  port: number;
  body: string;
  /** PEM of the authority of the receiver's certificate; absent for public ones. */
  ca?: string;
  /** PEM of a client certificate and its key. */
  cert?: string;
  key?: string;
}

/** Opens a connection through the caller's rules of egress, writes, and resolves once the receiver read to the end and closed in order. */
export type SendBytes = (bytes: OutBytes) => Promise<void>;

export type Outcome =
  /** Confirmed by the other side, with its id if it gave one, and the ticket as it is now. */
  | { kind: 'accepted'; id: string | null; ticket?: LinkedTicket }
  /** This message will never be accepted; `isGone`: the other side deleted the ticket. */
  | { kind: 'refused'; words: string; isGone?: boolean }
  /** Not accepted now; `afterMs` is the wait that the other side requires. */
  | { kind: 'retry'; words: string; afterMs?: number };

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
  /** Replies to a press; `original` is its message, whose buttons make way for the text. `by` names a person other than the one of the press. */
  reply?(press: Press, reply: { text: string; original?: Message; by?: string }, values: Values, send: Send): Promise<void>;
  /** Has the other side send requests to an address; absent where people set that up. */
  subscribe?(values: Values, send: Send, address: string): Promise<void>;
  /** Has the other side send no more requests to an address. */
  unsubscribe?(values: Values, send: Send, address: string): Promise<void>;
}

export interface TargetKind {
  /** Stored with each target. */
  id: string;
  title: string;
  capabilities: readonly Capability[];
  /** Also offered to the administrators of a client. */
  isForClients: boolean;
  /** Sent by the portal itself, by email or to browsers; `send` is never called. */
  isInside?: 'email' | 'push';
  /** Once a case was sent, its later changes of status follow without a rule. */
  follows: boolean;
  fields: readonly Field[];
  /** Name of a secret that the portal generates and shows once. Its predecessor stays valid for a while. */
  generated?: string;
  /** Instructions for administrators, a sentence or two each. */
  steps: readonly string[];
  /** Description of the interface. */
  documentation: string;
  /** @param values with the secret ones; `<generated>.previous` holds a rotated secret that is still valid */
  send(delivery: Delivery, values: Values, send: Send, sendBytes: SendBytes): Promise<Outcome>;
  /** Tickets that are read back; absent for kinds that only receive. */
  tickets?(values: Values, send: Send): TicketApi;
  /** Requests of the other side; absent for kinds that send none. */
  callbacks?: Callbacks;
  /** Quantities of agreements; absent for kinds without recurring services. */
  billing?(values: Values, send: Send): BillingApi;
}
