/**
 * Reads tickets back from a PSA, under the lease of the target, so that nothing is sent at the same time. Only differences from what both sides agreed
 * on last are applied: a page that is read twice, late or not at all changes nothing twice and loses nothing.
 */
import { VendorError } from '@parapet/connectors/errors.ts';
import type { Message } from '@parapet/connectors/out/target.ts';
import { isNoteOf, labelOf, TicketFailure } from '@parapet/connectors/out/ticketing.ts';
import type { RemoteTicket, TicketApi, TicketNote, TicketSetup } from '@parapet/connectors/out/tickets.ts';
import { type CaseStatus, isClosed, mayFollow, statusLabel } from '@parapet/contract/rules/cases.ts';
import { isDatabaseAway, scoped, type Tx } from '../../core/db/scope.ts';
import type { CaseRecord, OutsideCases } from '../cases/cases.ports.ts';
import { createSend } from './deliveries.http.ts';
import * as store from './deliveries.tickets.store.ts';
import { leaseMs, openSecrets, retryMs, type TurnDeps } from './deliveries.turn.ts';
import { validValues } from './deliveries.vault.ts';
import { type Claimed, claimTarget, endLease, extendLease } from './deliveries.work.store.ts';

export const pollEveryMs = 60_000;
/** Changes are read again that far back: PSA systems may show them late. */
const overlapMs = 60_000;
/** Each linked ticket is read on its own so often: lists leave deleted ones out. */
const checkEveryMs = 15 * 60_000;
const maxChecked = 10;
const maxPages = 20;
const maxMs = 25_000;
const maxTargets = 200;
const parallel = 4;
const maxWords = 500;

export interface PollDeps extends TurnDeps {
  cases: () => OutsideCases;
}

/** A ticket as it was read, with its notes; undefined for a deleted one. */
interface Read {
  id: string;
  ticket: RemoteTicket | undefined;
  notes: TicketNote[];
}

export function createPolls(deps: PollDeps) {
  const { db, clock } = deps;
  const system = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => scoped(db, 'system', work);

  const apiOf = async (target: Claimed): Promise<TicketApi | undefined> => {
    const kind = deps.kindOf(target.kind);
    if (!kind?.tickets) return undefined;
    const secrets = await openSecrets(deps, target);
    const { send } = createSend(deps.outbound, Object.values(secrets));
    return kind.tickets(validValues(kind, target.settings, secrets, clock.now()), send);
  };

  /** Reads and applies; returns the time until which changes were read. */
  const readAll = async (target: Claimed, api: TicketApi, { setup, readUntil }: store.Poll): Promise<Date> => {
    const started = clock.now();
    const isOver = () => clock.now() - started > maxMs;
    let newest = readUntil.getTime();
    const apply = async (ids: readonly string[], known: ReadonlyMap<string, RemoteTicket>): Promise<void> => {
      const linked = await system((tx) => store.listLinked(tx, target.id, ids));
      for (const row of linked) {
        if (isOver()) return;
        const read = await readTicket(api, row.ticketId, known.get(row.ticketId));
        await system(async (tx) => {
          const now = clock.now();
          if (await extendLease(tx, target, new Date(now), new Date(now + leaseMs)))
            await applyTicket(tx, deps, api.who, setup, row.id, read);
        });
      }
    };
    let isWhole = false;
    for (let page = 1; page <= maxPages && !isWhole; page++) {
      const { tickets, isLast } = await api.changed(readUntil.getTime() - overlapMs, page);
      const known = new Map(tickets.map((ticket) => [ticket.id, ticket]));
      await apply([...known.keys()], known);
      if (isOver()) return api.isOrdered ? new Date(newest) : readUntil;
      newest = Math.max(newest, ...tickets.map(({ changedAt }) => Math.min(changedAt, started)));
      isWhole = isLast;
    }
    const before = new Date(clock.now() - checkEveryMs);
    await apply(await system((tx) => store.listUnchecked(tx, target.id, before, maxChecked)), new Map());
    return isWhole || api.isOrdered ? new Date(newest) : readUntil;
  };

  const poll = async (target: Claimed): Promise<void> => {
    const found = await system((tx) => store.findPoll(tx, target.id));
    if (!found) return;
    let end: Omit<store.PollEnd, 'nextAt'> & { afterMs: number };
    try {
      const api = await apiOf(target);
      if (!api) return;
      const readUntil = await readAll(target, api, found);
      end = { readUntil, afterMs: pollEveryMs, failures: 0, error: null };
    } catch (error) {
      if (isDatabaseAway(error) || !(error instanceof VendorError)) throw error;
      const failures = found.failures + 1;
      end = { afterMs: waitAfter(error, failures, deps.random()), failures, error: error.message.slice(0, maxWords) };
    }
    const now = clock.now();
    await system((tx) => store.savePoll(tx, target.id, { ...end, nextAt: new Date(now + end.afterMs) }, new Date(now)));
  };

  const run = async (id: number): Promise<void> => {
    const now = clock.now();
    const target = await system((tx) => claimTarget(tx, id, new Date(now), new Date(now + leaseMs)));
    if (!target) return;
    try {
      await poll(target);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      deps.log.error({ err: error, target: id }, 'tickets could not be read');
      const later = {
        nextAt: new Date(clock.now() + 10 * pollEveryMs),
        failures: 1,
        error: 'The portal could not read tickets.',
      };
      await system((tx) => store.savePoll(tx, id, later, new Date(clock.now())));
    } finally {
      await system((tx) => endLease(tx, target));
    }
  };

  return {
    run,
    /** Reads at every target that is due, a few at a time. */
    async runDue(): Promise<void> {
      const due = await system((tx) => store.listDuePolls(tx, new Date(clock.now()), maxTargets));
      const next = async (): Promise<void> => {
        for (let id = due.shift(); id !== undefined; id = due.shift()) await run(id);
      };
      await Promise.all(Array.from({ length: parallel }, next));
    },
  };
}

/** As the PSA requires, or longer after each failure. */
function waitAfter(error: VendorError, failures: number, random: number): number {
  const outcome = error instanceof TicketFailure ? error.outcome : undefined;
  const required = outcome?.kind === 'retry' ? outcome.afterMs : undefined;
  return required ?? Math.max(pollEveryMs, retryMs(failures, random));
}

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
    if (row.pending.some((message) => isNoteOf(message as Message, note.text))) continue;
    const author = note.author || who;
    await cases.addNote(tx, record, { author, source: who, text: note.text, isInternal: note.isInternal });
    await store.saveNotes(tx, row, [note.id]);
  }
  const conflict = await applyStatus(tx, cases, record, { who, setup, row, status: read.ticket.status });
  await store.saveRead(tx, row.id, { status: read.ticket.status, conflict }, now);
}

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
