/**
 * Cases as tickets of a PSA, in both directions. A kind implements the few calls of `TicketApi`; what is sent when, and how a repetition after a lost
 * answer is recognised, is the same for all of them.
 */
import type { Delivery, Message, Outcome } from './target.ts';
import { attach, fileEvent } from './ticketing.files.ts';
import { writeTime } from './ticketing.time.ts';
import { comparable, labelText, TicketFailure } from './tickets.calls.ts';
import type { LinkedTicket, TicketApi, Ticketing, TicketSetup } from './tickets.ts';

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

/** True for the note that a delivery of this message left, although its answer was lost. */
export const isNoteOf = (message: Message, text: string): boolean => comparable(text) === comparable(noteOf(message));

/** True for the text of a ticket that this message opened: some PSA systems list it among the notes. */
export const isOpeningOf = (message: Message, text: string): boolean => comparable(text) === comparable(linesOf(message));

/** Sends a delivery as a ticket, or as a note and a status of one. */
export async function sendTicket(api: TicketApi, delivery: Delivery): Promise<Outcome> {
  try {
    const { message } = delivery;
    if (message.event === 'test') {
      await api.check();
      return { kind: 'accepted', id: null };
    }
    const ticketing: Ticketing = delivery.ticketing ?? { setup: null, company: null, ticket: null };
    const { setup, company, ticket, file } = ticketing;
    if (!setup) return { kind: 'refused', words: `Tickets at ${api.who} are not set up. Open Tickets at this target.` };
    if (message.event === fileEvent) return ticket && file ? await attach(api, ticket.id, file) : withoutTicket(api, 'file');
    return ticket ? await follow(api, delivery, { ...ticketing, setup }, ticket) : await open(api, delivery, setup, company);
  } catch (error) {
    if (error instanceof TicketFailure) return error.outcome;
    throw error;
  }
}

const withoutTicket = ({ who }: TicketApi, thing: string): Outcome => ({
  kind: 'refused',
  words: `The case has no ticket at ${who} for this ${thing}.`,
});

async function open(api: TicketApi, { message }: Delivery, setup: TicketSetup, company: string | null): Promise<Outcome> {
  const { who } = api;
  if (message.event === noteEvent) return withoutTicket(api, 'note');
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
  ticketing: Ticketing & { setup: TicketSetup },
  known: { id: string; status: string },
): Promise<Outcome> {
  const { setup } = ticketing;
  const { id } = known;
  const now = await api.read(id);
  if (!now) return { kind: 'refused', words: `The ticket ${id} was deleted at ${api.who}.`, isGone: true };
  const isLeft = attempt > 1 ? (await api.notes(id)).find(({ text }) => isNoteOf(message, text)) : undefined;
  const noteId = isLeft?.id ?? (await api.addNote(id, noteOf(message)));
  // Before the status: a closed ticket takes no time entries at some PSA systems.
  const { noteIds, refused } = await writeTime(api, message, id, ticketing);
  const ticket: LinkedTicket = { id, url: now.url, noteIds: [noteId, ...noteIds], ...(refused && { conflict: refused }) };
  const accepted: Outcome = { kind: 'accepted', id: `${id} note ${noteId}`, ticket };
  const status = String(message.data.status);
  const wanted = setup.statuses[status] ?? '';
  if (message.event !== 'case.statusChanged' || wanted === '') return accepted;
  // Several statuses of a ticket may mean the same for a case.
  const isEquivalent = now.status === wanted || setup.back[now.status] === status;
  ticket.status = isEquivalent ? now.status : wanted;
  if (isEquivalent) return accepted;
  if (now.status !== known.status) {
    const replaced = `"${labelOf(setup, now.status)}" at ${api.who} was replaced by the case’s status.`;
    ticket.conflict = refused ? `${replaced} ${refused}` : replaced;
  }
  await api.setStatus(id, wanted);
  return accepted;
}

export const labelOf = ({ known }: Pick<TicketSetup, 'known'>, status: string): string =>
  known.find(({ id }) => id === status)?.label ?? status;
