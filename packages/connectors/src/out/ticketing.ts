/**
 * Cases as tickets of a PSA, in both directions. A kind implements the few calls of `TicketApi`; what is sent when, and how a repetition after a lost
 * answer is recognised, is the same for all of them.
 */
import { VendorError } from '../errors.ts';
import { failureOf, isSuccess } from './outcomes.ts';
import type { Delivery, Message, OutAnswer, Outcome, OutRequest, Send } from './target.ts';
import type { LinkedTicket, TicketApi, TicketSetup } from './tickets.ts';

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
export async function orGone<T>(work: Promise<T>): Promise<T | undefined> {
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

/** Event of a delivery that takes a note of the case to its ticket. */
export const noteEvent = 'case.note';

/** Found again by it: PSA systems have no idempotency keys. A case has one ticket, any other event one of its own. */
export const referenceOf = ({ id, event, subject, data }: Message): string =>
  `${String(data.organisation)}-${event.startsWith('case.') ? subject : id}`;

const titleOf = ({ client, title }: Message): string => labelText(`${client}: ${title}`);
const linesOf = ({ title, facts, url, sender }: Message): string =>
  [title, '', ...facts.map(([name, value]) => `${name}: ${value}`), '', url, `Sent by ${sender}`].join('\n');
/** Its last line makes each note another. */
const noteOf = (message: Message): string => `${linesOf(message)}\nRef: ${message.id}`;

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
function comparable(text: string): string {
  let plain = text;
  for (let pass = 1, before = ''; pass <= maxPasses && plain !== before; pass++) [before, plain] = [plain, plainOf(plain)];
  return plain.replace(/\s+/g, ' ').trim();
}

/** True for the note that a delivery of this message left, although its answer was lost. */
export const isNoteOf = (message: Message, text: string): boolean => comparable(text) === comparable(noteOf(message));

/** True for the text of a ticket that this message opened: some PSA systems list it among the notes. */
export const isOpeningOf = (message: Message, text: string): boolean => comparable(text) === comparable(linesOf(message));

/** Sends a delivery as a ticket, or as a note and a status of one. */
export async function sendTicket(api: TicketApi, delivery: Delivery): Promise<Outcome> {
  try {
    if (delivery.message.event === 'test') {
      await api.check();
      return { kind: 'accepted', id: null };
    }
    const { setup, company, ticket } = delivery.ticketing ?? { setup: null, company: null, ticket: null };
    if (!setup) return { kind: 'refused', words: `Tickets at ${api.who} are not set up. Open Tickets at this target.` };
    return ticket ? await follow(api, delivery, setup, ticket) : await open(api, delivery, setup, company);
  } catch (error) {
    if (error instanceof TicketFailure) return error.outcome;
    throw error;
  }
}

async function open(api: TicketApi, { message }: Delivery, setup: TicketSetup, company: string | null): Promise<Outcome> {
  const { who } = api;
  if (message.event === noteEvent) return { kind: 'refused', words: `The case has no ticket at ${who} for this note.` };
  const found = await api.find(referenceOf(message));
  const status = setup.statuses[String(message.data.status)] ?? setup.statuses.open ?? '';
  // People may have changed a found ticket already: the agreed status is the one it was created with.
  if (found) return { kind: 'accepted', id: found.id, ticket: { id: found.id, url: found.url, status: status || found.status } };
  if (message.stage === 'closed') return { kind: 'refused', words: `The case was closed before ${who} had a ticket for it.` };
  if (company === null)
    return { kind: 'refused', words: `${message.client} has no company at ${who}. Choose one at Tickets of this target.` };
  const missing = setup.required.filter(({ id }) => !setup.fields[id]);
  if (missing.length > 0) {
    const names = missing.map(({ label }) => `"${label}"`).join(', ');
    return { kind: 'refused', words: `${who} requires ${names}. Enter a value at Tickets of this target.` };
  }
  const draft = { reference: referenceOf(message), company, title: titleOf(message), text: linesOf(message), status };
  const made = await api.create({ ...draft, priority: setup.priorities[message.severity ?? 'medium'] ?? '' }, setup);
  return { kind: 'accepted', id: made.id, ticket: { id: made.id, url: made.url, status: made.status } };
}

async function follow(
  api: TicketApi,
  { message, attempt }: Delivery,
  setup: TicketSetup,
  known: { id: string; status: string },
): Promise<Outcome> {
  const { id } = known;
  const now = await api.read(id);
  if (!now) return { kind: 'refused', words: `The ticket ${id} was deleted at ${api.who}.`, isGone: true };
  const isLeft = attempt > 1 ? (await api.notes(id)).find(({ text }) => isNoteOf(message, text)) : undefined;
  const noteId = isLeft?.id ?? (await api.addNote(id, noteOf(message)));
  const ticket: LinkedTicket = { id, url: now.url, noteId };
  const accepted: Outcome = { kind: 'accepted', id: `${id} note ${noteId}`, ticket };
  const status = String(message.data.status);
  const wanted = setup.statuses[status] ?? '';
  if (message.event !== 'case.statusChanged' || wanted === '') return accepted;
  // Several statuses of a ticket may mean the same for a case.
  const means = now.status === wanted || setup.back[now.status] === status;
  ticket.status = means ? now.status : wanted;
  if (means) return accepted;
  if (now.status !== known.status)
    ticket.conflict = `"${labelOf(setup, now.status)}" at ${api.who} was replaced by the case’s status.`;
  await api.setStatus(id, wanted);
  return accepted;
}

export const labelOf = ({ known }: Pick<TicketSetup, 'known'>, status: string): string =>
  known.find(({ id }) => id === status)?.label ?? status;
