/**
 * Reads tickets back from a PSA, under the lease of the target, so that nothing is sent at the same time. Only differences from what both sides agreed
 * on last are applied: a page that is read twice, late or not at all changes nothing twice and loses nothing.
 */
import type { Message } from '@parapet/connectors/out/target.ts';
import { isTimeOf } from '@parapet/connectors/out/ticketing.time.ts';
import { isNoteOf, isOpeningOf, labelOf } from '@parapet/connectors/out/ticketing.ts';
import { isOfOneThing, TicketFailure } from '@parapet/connectors/out/tickets.calls.ts';
import type { RemoteTicket, TicketApi, TicketNote, TicketSetup } from '@parapet/connectors/out/tickets.ts';
import { type CaseStatus, isClosed, mayFollow, statusLabel } from '@parapet/contract/rules/cases.ts';
import { socName } from '@parapet/contract/visibility.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { CaseRecord, OutsideCases } from '../cases/cases.ports.ts';
import * as store from './deliveries.tickets.store.ts';
import { leaseMs, type TurnDeps } from './deliveries.turn.ts';
import { type Claimed, holdLease } from './deliveries.work.store.ts';

/** Changes are read again that far back: PSA systems may show them late. */
const overlapMs = 60_000;
/** Each linked ticket is read on its own so often: lists leave deleted ones out. */
const checkEveryMs = 15 * 60_000;
const maxPages = 20;
/** For the changes, and again for the tickets that are read on their own. */
const maxMs = 25_000;

export interface PollDeps extends TurnDeps {
  cases: () => OutsideCases;
}

/** A ticket as it was read, with its notes; undefined for a deleted one. */
interface Read {
  id: string;
  ticket: RemoteTicket | undefined;
  notes: TicketNote[];
}

/** Reads and applies. Returns the time until which changes were read; undefined once the lease is gone. */
export async function readTickets(
  deps: PollDeps,
  target: Claimed,
  api: TicketApi,
  { setup, readUntil }: store.Poll,
): Promise<Date | undefined> {
  const { clock } = deps;
  const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(deps.db, 'system', work);
  const held = (tx: Tx): Promise<boolean> => holdLease(tx, target, new Date(clock.now() + leaseMs));
  const readOne = async (row: store.TicketRow, known: RemoteTicket | undefined): Promise<boolean> => {
    const read = await readTicket(api, row.ticketId, known).catch((error: unknown) => {
      if (error instanceof TicketFailure && isOfOneTicket(error)) return error;
      throw error;
    });
    return system(async (tx) => {
      if (!(await held(tx))) return false;
      if (read instanceof TicketFailure) await store.saveUnreadable(tx, row.id, read.message, new Date(clock.now()));
      else await applyTicket(tx, deps, api.who, setup, row.id, read);
      return true;
    });
  };
  /** In the given order. Returns the tickets that are settled when the time is over; undefined once the lease is gone. */
  const apply = async (tickets: readonly (RemoteTicket | { id: string })[], until: number): Promise<number | undefined> => {
    const ids = tickets.map(({ id }) => id);
    const linked = await system((tx) => store.listLinked(tx, target.id, ids));
    const rows = new Map(linked.map((row) => [row.ticketId, row]));
    let settled = 0;
    let reads = 0;
    for (const ticket of tickets) {
      const known = 'changedAt' in ticket ? ticket : undefined;
      const row = rows.get(ticket.id);
      if (row && !isRead(row, known)) {
        if (reads++ > 0 && clock.now() > until) return settled;
        if (!(await readOne(row, known))) return undefined;
      }
      settled++;
    }
    return settled;
  };

  const started = clock.now();
  const since = readUntil.getTime() - overlapMs;
  let newest = readUntil.getTime();
  let isWhole = false;
  let isOver = false;
  for (let page = 1; page <= maxPages && !isWhole && !isOver; page++) {
    const { tickets, isLast } = await api.changed(since, page);
    if (!(await system(held))) return undefined;
    const settled = await apply(tickets, started + maxMs);
    if (settled === undefined) return undefined;
    newest = Math.max(newest, ...tickets.slice(0, settled).map(({ changedAt }) => Math.min(changedAt, started)));
    isWhole = isLast && settled >= tickets.length;
    isOver = settled < tickets.length || clock.now() > started + maxMs;
  }
  const before = new Date(clock.now() - checkEveryMs);
  const unchecked = await system((tx) => store.listUnchecked(tx, target.id, before));
  if ((await apply(unchecked, clock.now() + maxMs)) === undefined) return undefined;
  if (isWhole) return new Date(newest);
  // Tickets that a cut window leaves out are read on their own within a quarter of an hour.
  if (!api.isOrdered) return new Date(Math.max(readUntil.getTime(), started - checkEveryMs));
  // Without the overlap where it fills all pages.
  return new Date(isOver ? newest : Math.max(newest + overlapMs, readUntil.getTime() + 1_000));
}

/** True for a ticket that was read after its last change. */
const isRead = ({ checkedAt, isUnreadable }: store.TicketRow, known: RemoteTicket | undefined): boolean =>
  known !== undefined && known.changedAt > 0 && !isUnreadable && checkedAt.getTime() > known.changedAt + overlapMs;

const isOfOneTicket = (failure: TicketFailure): boolean =>
  (failure.status >= 200 && failure.status < 300) || isOfOneThing(failure);

async function readTicket(api: TicketApi, id: string, known: RemoteTicket | undefined): Promise<Read> {
  const ticket = known ?? (await api.read(id));
  if (!ticket) return { id, ticket, notes: [] };
  return { id, ticket, notes: await api.notes(id) };
}

/** Applies what differs, in one transaction. */
async function applyTicket(tx: Tx, deps: PollDeps, who: string, setup: TicketSetup, rowId: number, read: Read): Promise<void> {
  const now = new Date(deps.clock.now());
  const cases = deps.cases();
  // Read again: a delivery may have changed it before the lease was taken.
  const row = await store.findLinked(tx, rowId);
  if (!row) return;
  if (!read.ticket) return void (await store.markGone(tx, row, now));
  const record = await cases.lock(tx, row.clientId, row.caseId);
  if (!record) return;
  const known = new Set(row.noteIds);
  const unseen = read.notes.filter(({ id }) => !known.has(id));
  for (const note of unseen.toReversed()) {
    if (row.pending.some((message) => isOwn(message as Message, note.text))) continue;
    if ([...row.pending, ...row.openings].some((message) => isOpeningOf(message as Message, note.text))) {
      await store.saveNotes(tx, row, [note.id]);
      continue;
    }
    // Partners and clients read no names of the provider's staff.
    const author = row.organisationId === 1 ? socName : note.author || who;
    await cases.addNote(tx, record, { author, source: who, text: note.text, isInternal: note.isInternal });
    await store.saveNotes(tx, row, [note.id]);
  }
  const conflict = await applyStatus(tx, cases, record, { who, setup, row, status: read.ticket.status });
  await store.saveRead(tx, row.id, { status: read.ticket.status, conflict }, now);
}

const isOwn = (message: Message, text: string): boolean => isNoteOf(message, text) || isTimeOf(message, text);

interface Change {
  who: string;
  setup: TicketSetup;
  row: store.TicketRow;
  /** Of the ticket now. */
  status: string;
}

/** Takes a changed status over. Returns a conflict, null when both sides agree, undefined when nothing changed. */
async function applyStatus(
  tx: Tx,
  cases: OutsideCases,
  record: CaseRecord,
  { who, setup, row, status }: Change,
): Promise<string | null | undefined> {
  if (status === row.status) return undefined;
  const label = labelOf(setup, status);
  const wanted = caseStatusOf(setup, status, record.status);
  if (wanted === undefined || wanted === record.status) return null;
  const what = `Ticket ${row.ticketId} became "${label}" at ${who}`;
  // The portal's own change is on its way, and replaces it.
  if (await store.isStatusPending(tx, row))
    return conflictNoted(
      tx,
      cases,
      record,
      who,
      `${what}, and the case "${statusLabel(record.status)}". The ticket follows the case.`,
    );
  const applied = await cases.applyStatus(tx, record, wanted, `ticket ${row.ticketId} at ${who}, now "${label}"`);
  if ('fault' in applied)
    return conflictNoted(tx, cases, record, who, `${what}. The case stays "${statusLabel(record.status)}": ${applied.fault}`);
  await store.withdrawEcho(tx, row, applied.after.version);
  return null;
}

async function conflictNoted(tx: Tx, cases: OutsideCases, record: CaseRecord, who: string, text: string): Promise<string> {
  await cases.addNote(tx, record, { author: who, source: who, text, isInternal: true });
  return text;
}

/** Status that a ticket's status means for a case; undefined where it means none. */
export function caseStatusOf(setup: TicketSetup, status: string, now: CaseStatus): CaseStatus | undefined {
  const wanted = setup.back[status] as CaseStatus | '' | undefined;
  if (!wanted) return undefined;
  if (!isClosed(wanted)) return wanted;
  if (isClosed(now)) return now;
  // An escalated case has an end of its own.
  return mayFollow(now, wanted) ? wanted : mayFollow(now, 'escalated:closed') ? 'escalated:closed' : wanted;
}
